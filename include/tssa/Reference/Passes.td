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
    The evaluator says what a te program means. Inputs are made from the seed: floats
    near N(0, 1), integers in [0, 4). Results are printed before the module.

    - Needs: a module up to stage layout.
    - Keeps: everything; the module is not changed.
    - Gives up: ops without a meaning in the evaluator are an error.
  }];
  let options = inputs # [
    Option<"asWritten", "as-written", "bool", "false",
           "round every step of a sum as written, instead of summing in f64">];
}

def TECheckPipeline : EvaluationPass<"te-check-pipeline"> {
  let summary = "check that passes keep what a function returns";
  let description = [{
    Runs the passes on a copy, evaluates both on the same random inputs, and compares.
    The copy takes the module's place. This is how a transform's test asks whether it
    may be believed:
    `--te-check-pipeline="passes=te-form-kernels sizes=N=7 seed=3"`.

    - Needs: passes that keep the function's name and signature.
    - Keeps: what the passes keep.
    - Gives up: an error of the original that the copy has too counts as agreement.
  }];
  let options = inputs # [
    Option<"passes", "passes", "std::string", "\"\"", "the pipeline to check">,
    Option<"tolerance", "tolerance", "double", "1e-5",
           "largest error of floats over the largest magnitude of the result">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // TSSA_REFERENCE_PASSES
