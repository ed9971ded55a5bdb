//===- Passes.td - passes of the pipeline itself -----------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_PASSES
#define TSSA_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def ApplyRecords : Pass<"apply-records", "::mlir::ModuleOp"> {
  let summary = "give kernels the loops that a tuner has recorded for them";
  let description = [{
    The folder `dir` has records of tasks: kernels between the layouts of their ends. For each
    kernel without loops, the pass computes the key of its task and looks for the record of this key
    and machine. If its loops fit the kernel, which a dry run of the kernel alone proves, the kernel
    gets them. The rest of the record is not used: a record changes how a kernel runs, but never
    what it computes.

    Records are not trusted. One that is damaged, or of another version, epoch, machine or kernel,
    or whose loops do not fit or unroll too much, counts as a miss. One warning counts the misses,
    and a remark for each kernel says what became of it.

    - **Needs**: chosen stores that are not applied (after `layout-choose-stores`), and the options
      `dir` and `machine`. With `to=ends`, stores that are not chosen yet: kernels get the stores of
      records instead of loops. With `to=conversions`, applied stores (after `layout-drop-copies`):
      it then looks at the kernels that convert tensors from one layout to another, and at no others.
      With `to=sizes`, the same: kernels of open sizes get a version for each tuple of sizes of their
      record, with these sizes as constants and the loops of its own record, if there is one; and for
      a range of sizes, a copy with the loops of such a version. Launches of the kernel choose among
      them.
    - **Keeps**: kernels without a record, those that have loops, and those that cannot be tuned.
    - **Gives up**: nothing. A folder that does not exist is an error.

    ```mlir
    // Before, with dir=test/Pipeline/Inputs/tuned machine=some epoch=0123456789abcdef
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = te.launch @k0(%x) : (tensor<8xf32>) -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    te.kernel @k0(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = te.compute @y (d0: 8) {
        %v = te.read %x[d0] : tensor<8xf32>
        %n = math.exp %v : f32
        te.yield %n : f32
      } : tensor<8xf32>
      te.return %y : tensor<8xf32>
    }

    // After
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = te.launch @k0(%x) : (tensor<8xf32>) -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    te.kernel @k0(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = te.compute @y (d0: 8) {
        %v = te.read %x[d0] : tensor<8xf32>
        %n = math.exp %v : f32
        te.yield %n : f32
      } : tensor<8xf32>
      te.return %y : tensor<8xf32>
    } schedule {
      %0 = layout.loops @y : !layout.loop
      layout.vectorize %0
    }
    ```
  }];
  let options = [
    Option<"dir", "dir", "std::string", "", "the folder of records">,
    Option<"machine", "machine", "std::string", "", "the id of the machine">,
    Option<"epoch", "epoch", "std::string", "", "the epoch of the records; that of this build if "
           "it is empty">,
    Option<"to", "to", "std::string", "\"kernels\"", "what gets records: kernels (loops), ends "
           "(stores of kernels), conversions (loops), or sizes (versions of kernels)">];
  let statistics = [
    Statistic<"numApplied", "applied", "kernels that got the loops of a record">];
}

def ApplySchedules : Pass<"apply-schedules", "::mlir::ModuleOp"> {
  let summary = "give kernels the schedules that a file has for them";
  let description = [{
    The file has kernels with schedules, as `tssa-compile --emit=schedule` writes them. A schedule
    is for the kernels of the program with the same key, which is the SHA-256 of the text of the
    kernel without its name, schedule and locations. `layout.launches` restricts a schedule to
    some of the launches; these then get a copy of the kernel. One warning counts the schedules
    for kernels or launches that the program does not have.

    - **Needs**: launches of kernels (the end of the te stage), and the option `file`.
    - **Keeps**: kernels for which the file has no schedule.
    - **Gives up**: nothing. A file that cannot be read, has no kernels, is damaged, or has two
      schedules for a launch is an error.

    ```mlir
    // Before, with file=test/Pipeline/Inputs/schedules.mlir
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = te.launch @k0(%x) : (tensor<8xf32>) -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    te.kernel @k0(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = te.compute @y (d0: 8) {
        %v = te.read %x[d0] : tensor<8xf32>
        %n = math.exp %v : f32
        te.yield %n : f32
      } : tensor<8xf32>
      te.return %y : tensor<8xf32>
    }

    // After
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = te.launch @k0(%x) : (tensor<8xf32>) -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    te.kernel @k0(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = te.compute @y (d0: 8) {
        %v = te.read %x[d0] : tensor<8xf32>
        %n = math.exp %v : f32
        te.yield %n : f32
      } : tensor<8xf32>
      te.return %y : tensor<8xf32>
    } schedule {
      %0 = layout.loops @y : !layout.loop
      layout.vectorize %0
    }
    ```
  }];
  let options = [Option<"file", "file", "std::string", "", "the file of schedules">];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

def FoldLaunches : Pass<"fold-launches", "::mlir::ModuleOp"> {
  let summary = "run launches of constants at compile time";
  let description = [{
    A te.launch whose operands are all constants computes the same in every run. The evaluator runs
    it once, at compile time, and te.constant ops replace it. Limits on the bytes of the results
    and on the points that a launch computes keep both the binary and the compilation small. A
    kernel that is no longer launched is erased, and so are constants that nothing reads any more.
    Remarks count the bytes of all results so far and name the limit that a launch exceeds.

    - **Needs**: launches of kernels (the end of the te stage).
    - **Keeps**: what the program computes. A launch whose evaluation fails stays, so that the run
      reports the error.
    - **Gives up**: launches that exceed the limits, have dynamic sizes, or run a kernel with a
      te.update.

    ```mlir
    // Before
    func.func @main() -> tensor<4xf32> {
      %x = te.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %y = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = te.compute (d0: 4) {
        %v = te.read %x[d0] : tensor<4xf32>
        %n = arith.negf %v : f32
        te.yield %n : f32
      } : tensor<4xf32>
      te.return %y : tensor<4xf32>
    }

    // After
    func.func @main() -> tensor<4xf32> {
      %0 = te.constant dense_resource<folded> : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ...
    ```
  }];
  let statistics = [
    Statistic<"numFolded", "folded", "launches that became constants">];
}

#endif // TSSA_PIPELINE_PASSES
