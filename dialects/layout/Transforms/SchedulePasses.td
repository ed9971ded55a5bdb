//===- SchedulePasses.td - passes that write schedules        -*- tablegen -* -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_SCHEDULEPASSES
#define DIALECTS_LAYOUT_TRANSFORMS_SCHEDULEPASSES

include "mlir/Pass/PassBase.td"

def PrintTemplate : Pass<"layout-print-template", "::mlir::ModuleOp"> {
  let summary = "print the roles of dims and the points that the draft ranks first";
  let description = [{
    For each expression of each kernel this prints what the expression is and the role of each of
    its dims, and then, with the option `points`, the best points of its space with their predicted
    times in cycles of one core. With the option `scores` it prints the times of given points, which
    need not be points of the space, or why their loops cannot be written.

    - **Needs**: kernels.
    - **Keeps**: everything; the module is not changed.
    - **Gives up**: nothing.

    ```mlir
    // Before
    te.kernel @k(%x: tensor<1x8x9x9xf32>, %w: tensor<8x3xf32>) -> tensor<1x8x9x7xf32> {
      %y = te.compute @y (d0: 1, d1: 8, d2: 9, d3: 7) reduce (d4: 3) init (0.0 : f32) {
        %a = te.read %x[d0, d1, d2, d3 + d4] : tensor<1x8x9x9xf32>
        %b = te.read %w[d1, d4] : tensor<8x3xf32>
        %p = arith.mulf %a, %b : f32
        te.yield %p : f32
      } combine arith.addf : tensor<1x8x9x7xf32>
      te.return %y : tensor<1x8x9x7xf32>
    }

    // After
    kernel @k
      @y depthwise convolution: d0 batch, d1 group, d2 image, d3 image, d4 window
    ...
    ```
  }];
  let options = [
    Option<"points", "points", "int64_t", "0", "number of points to print for each expression">,
    Option<"scores", "scores", "std::string", "", "file with points, one a line, to print instead">];
}

def PrintResources : Pass<"layout-print-resources", "::mlir::ModuleOp"> {
  let summary = "print the registers and the bytes of the caches that expressions take";
  let description = [{
    For each expression of each kernel this prints, at the point that the draft ranks first: the
    vector registers of its sums and of what a step loads; the bytes of the lines that a step and a
    tile touch; and the bytes that come into the first-level and the second-level cache in all. Of a
    kernel for a device it prints the threads and the shared memory of a block, and how many
    such blocks a multiprocessor of the GPU of the module holds at once, as far as these two decide.

    - **Needs**: kernels; for blocks, those of the target stage.
    - **Keeps**: everything; the module is not changed.
    - **Gives up**: registers of devices, which only the assembler of PTX knows.

    ```mlir
    // Before
    te.kernel @k(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
        %a = te.read %x[d0, d2] : tensor<64x64xf32>
        %b = te.read %w[d2, d1] : tensor<64x64xf32>
        %p = arith.mulf %a, %b : f32
        te.yield %p : f32
      } combine arith.addf : tensor<64x64xf32>
      te.return %y : tensor<64x64xf32>
    }

    // After
    kernel @k
      @y vector d1 4x16, rows d0 6, outer d0 d1, reduce d2
        registers: 24 sums and 5 loads, of 32
        touched: 2176 bytes by a step, 19456 by a tile
        brought in: 50176 bytes into the first level of 32768, 50176 into the second of 1048576
    ...
    ```
  }];
}

def PlaceJoins : Pass<"layout-place-joins", "::mlir::ModuleOp"> {
  let summary = "compute tensors where they are concatenated";
  let description = [{
    A launch that only concatenates tensors becomes a te.join, which copies nothing, if launches of
    the same block compute all these tensors and only launches use them. The kernels of these
    launches get a `te.window`: they write, and read, the tensors where the concatenation has them.
    A concatenation may be a part of a larger one; where several have the same parts, as in a dense
    block, the largest comes first, and the others are windows of it. This is the horizontal
    transformation of Souffle for copies: the producers of a concatenation write its pieces.
    Remarks give the number of parts, or the reason why a launch still copies them.

    - **Needs**: to run before schedules are chosen, since the loops of two dims cannot be fused
      where there is a window.
    - **Keeps**: what the program computes, and launches of kernels that do more than to concatenate.
    - **Gives up**: parts that are arguments, constants, results of updates, or in use by other ops
      than launches; sizes that only the data decides; kernels whose schedule fuses loops across
      the axis; and modules with `te.separate`.

    ```mlir
    // Before
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
      %a = te.launch @neg(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %b = te.launch @neg(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %c = te.launch @concat(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
      return %c : tensor<2x6xf32>
    }
    te.kernel @neg(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = te.compute @y (d0: 2, d1: 3) {
        %a = te.read %x[d0, d1] : tensor<2x3xf32>
        %p = arith.negf %a : f32
        te.yield %p : f32
      } : tensor<2x3xf32>
      te.return %y : tensor<2x3xf32>
    }
    te.kernel @concat(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x6xf32> {
      %y = te.compute @y (d0: 2, d1: 6) where (2 - d1 >= 0) {
        %p = te.read %a[d0, d1] : tensor<2x3xf32>
        te.yield %p : f32
      } where (d1 - 3 >= 0) {
        %p = te.read %b[d0, d1 - 3] : tensor<2x3xf32>
        te.yield %p : f32
      } : tensor<2x6xf32>
      te.return %y : tensor<2x6xf32>
    }

    // After
    func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x6xf32> {
      %0 = te.launch @neg_0(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %1 = te.launch @neg_1(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %2 = te.join %0, %1 axis 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
      return %2 : tensor<2x6xf32>
    }
    ...
    ```
  }];
  let statistics = [Statistic<"numPlaced", "placed", "concatenations that are not copied">];
}

def ScheduleDefault : Pass<"layout-schedule-default", "::mlir::ModuleOp"> {
  let summary = "fill in the schedule of each kernel that has no schedule";
  let description = [{
    The loops of an expression are a point of the template: the draft model predicts the times of at
    most 300 points, and the one that it ranks first is taken. The option `point` takes another one.
    A point says along which dim the lanes of vectors lie, how many vectors and rows a tile has,
    which taps of windows are unrolled, and the orders of the loops. The prediction counts
    multiply-adds, loads that rows and taps share and the registers for them, guards, shorter tiles,
    joined lanes, epilogues, and lines that come into the caches of the machine of the module.
    Scalar code is a point too. A remark gives the point and its predicted cycles.

    - **Needs**: kernels with labelled expressions (the end of the te stage).
    - **Keeps**: schedules that exist.
    - **Gives up**: kernels of te.update and te.scan: their schedules stay empty.

    ```mlir
    // Before
    te.kernel @k(%x: tensor<64x77xf32>) -> tensor<64x77xf32> {
      %y = te.compute @y (d0: 64, d1: 77) {
        %v = te.read %x[d0, d1] : tensor<64x77xf32>
        %n = arith.negf %v : f32
        te.yield %n : f32
      } : tensor<64x77xf32>
      te.return %y : tensor<64x77xf32>
    }

    // After
    te.kernel @k(%x: tensor<64x77xf32>) -> tensor<64x77xf32> {
      %0 = te.compute @y (d0: 64, d1: 77) {
        %1 = te.read %x[d0, d1] : tensor<64x77xf32>
        %2 = arith.negf %1 : f32
        te.yield %2 : f32
      } : tensor<64x77xf32>
      te.return %0 : tensor<64x77xf32>
    } schedule {
      %0:2 = layout.loops @y : !layout.loop, !layout.loop
      %1 = layout.fuse %0#0, %0#1
      %2:3 = layout.split %1 [*, 4, 16]
      layout.reorder %2#0, %2#1, %2#2
      layout.register_tile %2#1
      layout.vectorize %2#2
      layout.bind %2#0 to parallel
    }
    ```
  }];
  let options = [
    Option<"point", "point", "unsigned", "0",
           "rank of the points to take from the spaces of expressions; counts modulo their number">];
  let statistics = [Statistic<"numScheduled", "scheduled", "schedules made">];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

def SplitRows : Pass<"layout-split-rows", "::mlir::ModuleOp"> {
  let summary = "reduce parts of rows behind the product that computes the rows";
  let description = [{
    A launch that computes the rows of a product's result, such as a layer normalisation or a
    softmax, reads each row once for each of its reductions. The first phase of these moves into the
    launch of the product: each iteration reduces the parts of rows that it has just written, and the
    launch of the rows combines the parts (Souffle, Figure 1 and section 6.3). A part is as long as
    an iteration is wide, so it depends on the loops and never on the number of threads. Sums,
    maxima and the other reductions of the elements of a row are split, and a variance, the sum of
    `(x - m)^2` where m is computed from the sum of x: its parts are taken about their own means.
    Remarks give the reductions and the length of a part, or the reason why rows stay whole.

    - **Needs**: kernels with schedules for CPUs (the end of the layout stage).
    - **Keeps**: the value of every element, up to the rounding of another order of the sum.
    - **Gives up**: reductions that read other tensors, such as the sum of the exponentials of a
      softmax, which would be computed twice; iterations that do not write consecutive elements of
      a length that divides a row, and parts of less than 16 elements; and, unless `apply=always`,
      rows that are not the results of products with sums of 64 terms or more.

    ```mlir
    // Before
    func.func @main(%a: tensor<8x64xf32>, %b: tensor<64x32xf32>) -> tensor<8xf32> {
      %x = te.launch @product(%a, %b) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
      %y = te.launch @greatest(%x) : (tensor<8x32xf32>) -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    te.kernel @product(%a: tensor<8x64xf32>, %b: tensor<64x32xf32>) -> tensor<8x32xf32> {
      %x = te.compute @contract (d0: 8, d1: 32) reduce (d2: 64) init (0.0 : f32) {
        %l = te.read %a[d0, d2] : tensor<8x64xf32>
        %r = te.read %b[d2, d1] : tensor<64x32xf32>
        %p = arith.mulf %l, %r : f32
        te.yield %p : f32
      } combine arith.addf : tensor<8x32xf32>
      te.return %x : tensor<8x32xf32>
    } schedule {
      %0:3 = layout.loops @contract : !layout.loop, !layout.loop, !layout.loop
      %1:2 = layout.split %0#1 [*, 16]
      layout.reorder %1#0, %0#0, %0#2, %1#1
      layout.vectorize %1#1
      layout.bind %1#0, %0#0 to parallel
    }
    te.kernel @greatest(%x: tensor<8x32xf32>) -> tensor<8xf32> {
      %m = te.compute @max (d0: 8) reduce (d1: 32) init (0xFF800000 : f32) {
        %v = te.read %x[d0, d1] : tensor<8x32xf32>
        te.yield %v : f32
      } combine arith.maximumf : tensor<8xf32>
      %y = te.compute @map (d0: 8) {
        %v = te.read %m[d0] : tensor<8xf32>
        %p = math.exp %v : f32
        te.yield %p : f32
      } : tensor<8xf32>
      te.return %y : tensor<8xf32>
    } schedule {
      %0:2 = layout.loops @max : !layout.loop, !layout.loop
      %1:2 = layout.split %0#1 [*, 16]
      layout.vectorize %1#1
      %2 = layout.loops @map : !layout.loop
      layout.bind %2 to parallel
      layout.compute_at @max, %2
    }

    // After
    func.func @main(%arg0: tensor<8x64xf32>, %arg1: tensor<64x32xf32>) -> tensor<8xf32> {
      %0:2 = te.launch @product_0(%arg0, %arg1) : (tensor<8x64xf32>, tensor<64x32xf32>) -> (tensor<8x32xf32>, tensor<8x2xf32>)
      %1 = te.launch @greatest_1(%0#0, %0#1) : (tensor<8x32xf32>, tensor<8x2xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ...
      %1 = te.compute @parts0 (d0: 8, d1: 2) reduce (d2: 16) init (0xFF800000 : f32) {
        %2 = te.read %0[d0, d1 * 16 + d2] : tensor<8x32xf32>
        te.yield %2 : f32
      } combine arith.maximumf : tensor<8x2xf32>
      te.return %0, %1 : tensor<8x32xf32>, tensor<8x2xf32>
    } schedule {
    ...
      layout.compute_after @parts0, %0#0
    }
    ...
      %0 = te.compute @max (d0: 8) reduce (d1: 2) init (0xFF800000 : f32) {
        %2 = te.read %arg1[d0, d1] : tensor<8x2xf32>
    ...
    ```
  }];
  let options = [Option<"apply", "apply", "::tssa::Apply", "::tssa::Apply::Auto",
                        "when rows are split", "::tssa::getApplyValues()">];
  let statistics = [Statistic<"numSplit", "split", "reductions of rows that became two">];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect", "::mlir::arith::ArithDialect"];
}

def MergeLaunches : Pass<"layout-merge-launches", "::mlir::ModuleOp"> {
  let summary = "run launches beside each other, or small ones after each other, as one";
  let description = [{
    The expressions of several kernels become roots of one kernel, and each keeps its schedule. If no
    root reads another, their iterations are numbered one after the other, and threads share them.
    Queries, keys and values of an attention, the branches of an Inception block, the phases of a
    transposed convolution: each is one launch, though sizes, bodies and layouts of results differ.
    No result moves, so this costs nothing where a joined expression would make results strided. If
    a root reads another, one thread computes all, one root after the other. That is for launches
    which are too small for a second thread: the gate of a squeeze-and-excite block, a small model as
    a whole. On a GPU, each root has a range of the blocks; blocks do not wait for each other, so no
    root reads another. It is the horizontal transformation of Souffle (section 6.1), in loops
    instead of in expressions, and for small programs its one kernel (section 6.4). Remarks give the
    launches that are saved and the work of the new launch: points and operations.

    - **Needs**: kernels with schedules (the end of the layout stage).
    - **Keeps**: the value of every element, and the order of the operations that compute it.
    - **Gives up**: launches of te.update and te.scan; launches of which an operand is computed
      after the first of the others by another op, or behind a check; launches more than 32 launches
      apart; and launches of a work of 2^18 or more together, if one reads a result of another.
      Unless `apply=always`, such launches must read a tensor in common, and an iteration of one take
      at most eight times as long as one of another, as threads could not share them evenly. On a
      GPU, launches of which one reads a result of another, and, unless `apply=always`, those whose
      blocks differ in threads, in tensor cores or in whether they keep factors in shared memory.

    ```mlir
    // Before
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %a = te.launch @neg(%x) : (tensor<8xf32>) -> tensor<8xf32>
      %b = te.launch @exp(%x) : (tensor<8xf32>) -> tensor<8xf32>
      return %a, %b : tensor<8xf32>, tensor<8xf32>
    }
    te.kernel @neg(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = te.compute @map (d0: 8) {
        %a = te.read %x[d0] : tensor<8xf32>
        %p = arith.negf %a : f32
        te.yield %p : f32
      } : tensor<8xf32>
      te.return %y : tensor<8xf32>
    } schedule {
      %0 = layout.loops @map : !layout.loop
      layout.vectorize %0
    }
    te.kernel @exp(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = te.compute @map (d0: 8) {
        %a = te.read %x[d0] : tensor<8xf32>
        %p = math.exp %a : f32
        te.yield %p : f32
      } : tensor<8xf32>
      te.return %y : tensor<8xf32>
    } schedule {
      %0 = layout.loops @map : !layout.loop
      layout.vectorize %0
    }

    // After
    func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0:2 = te.launch @neg_and_1(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
      return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
    }
    te.kernel @neg_and_1(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = te.compute @map (d0: 8) {
    ...
      %1 = te.compute @map1 (d0: 8) {
    ...
    } schedule {
      %0 = layout.loops @map : !layout.loop
      layout.vectorize %0
      %1 = layout.loops @map1 : !layout.loop
      layout.vectorize %1
    }
    ```
  }];
  let options = [Option<"apply", "apply", "::tssa::Apply", "::tssa::Apply::Auto",
                        "when launches are merged", "::tssa::getApplyValues()">];
  let statistics = [Statistic<"numMerged", "merged", "launches that became part of another">];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

def ScheduleSIMT : Pass<"layout-schedule-simt", "::mlir::ModuleOp"> {
  let summary = "fill in, for blocks of threads, the schedule of each kernel that has no schedule";
  let description = [{
    Large products are tiled. The draft of devices predicts the time of each point on the GPU of the
    module, and the fastest one is taken: the lanes of a block compute tiles of 2, 4 or 8 rows and columns
    of results and keep in shared memory what a few reduction steps need of both operands, or its warps compute tiles by
    instructions that multiply matrices (`layout.atom`), if both operands are of a type that these
    take. A convolution is such a product at each position of its window, if it has many input
    channels: the loops over positions are around the steps, and one pipeline runs through all of
    them. The lanes of a warp or of a block share a long reduction. Any
    other result is computed by one lane, and a lane computes four elements at once if they are
    adjacent. In a kernel of several expressions, a block computes a row. A remark gives the form that
    was chosen for each kernel.

    - **Needs**: kernels with labelled expressions (the end of the te stage).
    - **Keeps**: schedules that exist.
    - **Gives up**: kernels of te.update and te.scan: their schedules stay empty.

    ```mlir
    // Before
    te.kernel @k(%x: tensor<64x77xf32>) -> tensor<64x77xf32> {
      %y = te.compute @y (d0: 64, d1: 77) {
        %v = te.read %x[d0, d1] : tensor<64x77xf32>
        %n = arith.negf %v : f32
        te.yield %n : f32
      } : tensor<64x77xf32>
      te.return %y : tensor<64x77xf32>
    }

    // After
    te.kernel @k(%x: tensor<64x77xf32>) -> tensor<64x77xf32> {
      %0 = te.compute @y (d0: 64, d1: 77) {
        %1 = te.read %x[d0, d1] : tensor<64x77xf32>
        %2 = arith.negf %1 : f32
        te.yield %2 : f32
      } : tensor<64x77xf32>
      te.return %0 : tensor<64x77xf32>
    } schedule {
      %0:2 = layout.loops @y : !layout.loop, !layout.loop
      %1 = layout.fuse %0#0, %0#1
      %2:2 = layout.split %1 [*, 4]
      %3:2 = layout.split %2#0 [*, 256]
      layout.vectorize %2#1
      layout.bind %3#0 to block
      layout.bind %3#1 to lane
    }
    ```
  }];
  let statistics = [Statistic<"numScheduled", "scheduled", "schedules made">];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

#endif // DIALECTS_LAYOUT_TRANSFORMS_SCHEDULEPASSES
