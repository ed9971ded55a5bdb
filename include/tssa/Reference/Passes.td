//===- Passes.td - evaluation as passes -------------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_REFERENCE_PASSES
#define TSSA_REFERENCE_PASSES

include "mlir/Pass/PassBase.td"

class EvaluationPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  list<Option> inputs = [
    Option<"function", "function", "std::string", "\"main\"", "the function to run">,
    Option<"seed", "seed", "uint64_t", "0", "seed of the random inputs">,
    ListOption<"sizes", "sizes", "std::string", "sizes of named dims: NAME=SIZE,...">,
    Option<"defaultSize", "default-size", "int64_t", "3", "size of every other dynamic dim">];
}

def TEEvaluate : EvaluationPass<"te-evaluate"> {
  let summary = "run a function on random inputs and print what it returns";
  let description = [{
    The evaluator defines what a te program means. This pass runs a function in the evaluator and
    prints the results before the module. Inputs come from the seed: floats are near N(0, 1),
    integers lie in [0, 4).

    - **Needs**: a module at any stage from import to layout.
    - **Keeps**: everything; the module is not changed.
    - **Gives up**: ops that the evaluator does not know, with an error.

    ```mlir
    // Before
    func.func @main() -> tensor<3xf32> {
      %x = te.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      %y = te.compute (d0: 3) {
        %v = te.read %x[2 - d0] : tensor<3xf32>
        te.yield %v : f32
      } : tensor<3xf32>
      return %y : tensor<3xf32>
    }

    // After
    result 0: 3xf32 [3, 2, 1]
    ...
    ```
  }];
  let options = inputs # [
    Option<"asWritten", "as-written", "bool", "false",
           "round every step of a sum as written, instead of summing in f64">];
}

def TECheckPipeline : EvaluationPass<"te-check-pipeline"> {
  let summary = "check that passes keep what a function returns";
  let description = [{
    Runs the passes on the module, evaluates the function before and after them with the same random
    inputs, and compares the results. The tests of a transform use it like this:
    `--te-check-pipeline="passes=te-form-kernels sizes=N=7 seed=3"`.

    - **Needs**: passes that keep the function's name and signature.
    - **Keeps**: what the passes keep.
    - **Gives up**: programs that fail. If the function fails both before and after the passes, that
      counts as agreement, whatever the errors are.

    ```mlir
    // Before, with passes=te-simplify
    func.func @main(%x: tensor<4x3xf32>) -> tensor<12xf32> {
      %y = te.compute (d0: 12) {
        %v = te.read %x[d0 floordiv 3, (d0 + 3) mod 3] : tensor<4x3xf32>
        te.yield %v : f32
      } : tensor<12xf32>
      return %y : tensor<12xf32>
    }

    // After
    func.func @main(%x: tensor<4x3xf32>) -> tensor<12xf32> {
      %0 = te.compute (d0: 12) {
        %1 = te.read %x[d0 floordiv 3, d0 mod 3] : tensor<4x3xf32>
        te.yield %1 : f32
      } : tensor<12xf32>
      return %0 : tensor<12xf32>
    }
    ```
  }];
  let options = inputs # [
    Option<"passes", "passes", "std::string", "\"\"", "the pipeline to check">,
    Option<"tolerance", "tolerance", "double", "1e-5",
           "largest error of floats, relative to the largest magnitude of the result">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // TSSA_REFERENCE_PASSES
