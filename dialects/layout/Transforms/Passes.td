//===- Passes.td - passes of the layout dialect               -*- tablegen -* -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_PASSES
#define DIALECTS_LAYOUT_TRANSFORMS_PASSES

include "dialects/layout/Transforms/SchedulePasses.td"
include "mlir/Pass/PassBase.td"

def SetMachine : Pass<"layout-set-machine", "::mlir::ModuleOp"> {
  let summary = "give a module the machine for which it is compiled";
  let description = [{
    The passes that follow choose layouts and schedules for the machine in the attribute
    `layout.machine`. The layout stage sets the machine of `--mcpu` or `--machine`; alone, the pass
    sets the default machine.

    - **Needs**: nothing.
    - **Keeps**: everything but a machine that the module has.
    - **Gives up**: nothing.

    ```mlir
    // Before
    module {
    }

    // After
    module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} {
    }
    ```
  }];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

def SetDevice : Pass<"layout-set-device", "::mlir::ModuleOp"> {
  let summary = "set the GPU of a module";
  let description = [{
    The passes that follow choose schedules for the GPU in the attribute `layout.device`. The layout
    stage of a program for a GPU sets that of `--target` or `--machine`; alone, the pass sets the
    default GPU. The module keeps no machine of a host: what it becomes is the same on every host.

    - **Needs**: nothing.
    - **Keeps**: everything but a GPU and a machine that the module has.
    - **Gives up**: nothing.

    ```mlir
    // Before
    module {
    }

    // After
    module attributes {layout.device = #layout.device<processors = 108, megahertz = 1410, registers = 65536, threads = 2048, blocks = 32, sharedBytes = 167936, blockSharedBytes = 166912, multiplyAdds = 64, matrixMultiplyAdds = 1024, l2CycleBytes = 47, l2Bytes = 41943040, memoryMegabytes = 1555000, l2Latency = 262, memoryLatency = 466, launchNanoseconds = 3200>} {
    }
    ```
  }];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

def ChooseStores : Pass<"layout-choose-stores", "::mlir::ModuleOp"> {
  let summary = "choose the layouts in which results of kernels are stored";
  let description = [{
    Contractions with a constant operand store their output channels last, so that a vector holds
    adjacent channels. A kernel that reads a tensor reads it in the layout that it has, and stores
    its results in the same layout if it walks the tensor dim by dim, or, for layouts other than
    orders of dims, if it is element-wise and the layout neither pads nor copies. A sum of products
    with constant weights gets its data with the input channels last where the draft model predicts
    a shorter time for it and the conversion together. If that is faster still, the conversion also
    writes a border of zeros, in as many dims, from the last on, as pays: reads need no guards along
    these. Along other dims, guards skip steps, which the prediction takes into account. A product of
    two tensors that are no constants, such as queries and keys, may read both along the sum. Then
    one of them may be stored with rows or columns of the product last, so that the lanes of a vector
    are adjacent: by the kernel that computes it, or by a conversion, whichever gives the shortest sum
    of the times of all kernels that read it. A product with an open number of rows or columns keeps
    its operands as they are, since nobody knows how often it reads each element. Where a
    reader of a contraction's result does not walk it dim by dim, such as a transpose, the sum of
    the times of the contraction and its readers decides. So it does for an element-wise kernel that
    permutes the dims of what it reads: it may store its results in the order in which it reads. On a
    GPU, the draft model is that of devices. Copies then bring runs of channels, and zeros beyond
    borders, so that data is never padded; constant weights of a convolution are stored with the dims
    of the window first; and a product of two tensors gets one of them in another order if copies
    cannot bring it as it is. The layouts become
    `layout.store` ops in the schedules of the kernels. If launches need different layouts, a kernel
    is copied. Remarks give each layout that was chosen, or the reason why a result keeps its own.

    - **Needs**: launches of kernels with labelled expressions (the end of the te stage).
    - **Keeps**: schedules that exist, whose stores propagate as well; the order of tensors that are
      arguments or results of the program, or that an op other than a launch uses.
    - **Gives up**: the results of te.update and te.scan.

    ```mlir
    // Before
    func.func @main(%x: tensor<1x3x8x8xf32>) -> tensor<1x20x8x8xf32> {
      %w = te.constant dense<0.5> : tensor<20x3xf32>
      %y = te.launch @conv(%x, %w) : (tensor<1x3x8x8xf32>, tensor<20x3xf32>) -> tensor<1x20x8x8xf32>
      %z = te.launch @neg(%y) : (tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32>
      return %z : tensor<1x20x8x8xf32>
    }
    te.kernel @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<20x3xf32>) -> tensor<1x20x8x8xf32> {
      %y = te.compute @y (d0: 1, d1: 20, d2: 8, d3: 8) reduce (d4: 3) init (0.0 : f32) {
        %a = te.read %x[d0, d4, d2, d3] : tensor<1x3x8x8xf32>
        %b = te.read %w[d1, d4] : tensor<20x3xf32>
        %p = arith.mulf %a, %b : f32
        te.yield %p : f32
      } combine arith.addf : tensor<1x20x8x8xf32>
      te.return %y : tensor<1x20x8x8xf32>
    }
    te.kernel @neg(%x: tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32> {
      %y = te.compute @y (d0: 1, d1: 20, d2: 8, d3: 8) {
        %a = te.read %x[d0, d1, d2, d3] : tensor<1x20x8x8xf32>
        %p = arith.negf %a : f32
        te.yield %p : f32
      } : tensor<1x20x8x8xf32>
      te.return %y : tensor<1x20x8x8xf32>
    }

    // After
    ...
    te.kernel @conv(%arg0: tensor<1x3x8x8xf32>, %arg1: tensor<20x3xf32>) -> tensor<1x20x8x8xf32> {
    ...
    } schedule {
      layout.store @y as map<reorder(0, 2, 3, 1)>
    }
    te.kernel @neg(%arg0: tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32> {
    ...
    } schedule {
      layout.store 0 as map<reorder(0, 2, 3, 1)>
    }
    ```
  }];
  let statistics = [Statistic<"numStored", "stored", "results that are not stored as they are">];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

def ChoosePacking : Pass<"layout-choose-packing", "::mlir::ModuleOp"> {
  let summary = "store constants in the order in which loops read them";
  let description = [{
    A factor of a sum of products is often computed from a constant: weights, or the bytes from
    which weights are unpacked. If the lanes of a vector run along a dim of the constant, it is
    stored in the order of the loops: blocks as wide as the register tile, in the order of the
    outer loops and the reduction loops, so that a kernel reads the constant from front to back.
    A packed constant changes no loop. Remarks give the number of elements before and after, or
    the reason why a constant is not packed.

    - **Needs**: kernels with scheduled loops, and launches whose weights are te.constant.
    - **Keeps**: constants that are small or equal in all elements, that a kernel reads in more than
      one way, or for which another launch passes a tensor.
    - **Gives up**: element types that are not whole bytes.

    ```mlir
    // Before
    func.func @main(%x: tensor<7x4xf32>) -> tensor<7x20xf32> {
      %w = te.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F"> : tensor<20x4xi8>
      %y = te.launch @gemm(%x, %w) : (tensor<7x4xf32>, tensor<20x4xi8>) -> tensor<7x20xf32>
      return %y : tensor<7x20xf32>
    }
    te.kernel @gemm(%x: tensor<7x4xf32>, %w: tensor<20x4xi8>) -> tensor<7x20xf32> {
      %y = te.compute @y (d0: 7, d1: 20) reduce (d2: 4) init (0.0 : f32) {
        %a = te.read %x[d0, d2] : tensor<7x4xf32>
        %b = te.read %w[d1, d2] : tensor<20x4xi8>
        %c = arith.sitofp %b : i8 to f32
        %p = arith.mulf %a, %c : f32
        te.yield %p : f32
      } combine arith.addf : tensor<7x20xf32>
      te.return %y : tensor<7x20xf32>
    } schedule {
      %0:3 = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
      %1:2 = layout.split %0#1 [*, 16]
      layout.reorder %1#0, %0#0, %0#2, %1#1
      layout.vectorize %1#1
      layout.bind %1#0, %0#0 to parallel
    }

    // After
    ...
    te.kernel @gemm(%arg0: tensor<7x4xf32>, %arg1: tensor<20x4xi8>) -> tensor<7x20xf32> {
    ...
    } schedule {
      layout.store 1 as map<pad(0, to 16), split(0, [*, 16]), reorder(0, 2, 1)>
      %0:3 = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
    ...
    ```
  }];
  let statistics = [Statistic<"numPacked", "packed", "constants packed">];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

def WriteStores : Pass<"layout-write-stores", "::mlir::ModuleOp"> {
  let summary = "store the tensors of sums of products at a point of the template for layouts";
  let description = [{
    The knobs say how a sum of products stores its result, data and weights: tiles of image dims and
    blocks of channels. `alt` and some numbers is the template of the ALT paper: a tile for each image
    dim, and the blocks of output and input channels. A remark gives the knobs for each expression.

    - **Needs**: kernels with labelled expressions (the end of the te stage).
    - **Keeps**: schedules that exist, and expressions that are not sums of products.
    - **Gives up**: nothing. Knobs that do not fit an expression are an error.

    ```mlir
    // Before, with knobs='alt 4 8 4'
    te.kernel @k(%x: tensor<1x8x18xf32>, %w: tensor<16x8x3xf32>) -> tensor<1x16x16xf32> {
      %y = te.compute @y (d0: 1, d1: 16, d2: 16) reduce (d3: 8, d4: 3) init (0.0 : f32) {
        %a = te.read %x[d0, d3, d2 + d4] : tensor<1x8x18xf32>
        %b = te.read %w[d1, d3, d4] : tensor<16x8x3xf32>
        %p = arith.mulf %a, %b : f32
        te.yield %p : f32
      } combine arith.addf : tensor<1x16x16xf32>
      te.return %y : tensor<1x16x16xf32>
    }

    // After
    ...
    } schedule {
      layout.store @y as map<split(1, [*, 8]), split(3, [*, 4]), reorder(0, 3, 1, 4, 2)>
      layout.store 0 as map<split(1, [*, 4]), unfold(3, 6, 4), reorder(0, 3, 1, 4, 2)>
      layout.store 1 as map<split(0, [*, 8]), split(2, [*, 4]), reorder(0, 2, 4, 3, 1)>
    }
    ```
  }];
  let options = [
    Option<"knobs", "knobs", "std::string", "\"none\"",
           "the knobs, such as 'image d2 4 d3 4, out 16, in 16, weights in 16 out 16' or 'alt 4 4 16 16'">,
    Option<"name", "kernel", "std::string", "\"\"", "name of the only kernel to change">,
    Option<"label", "label", "std::string", "\"\"", "label of the only expressions to change">];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

def MaterializeStores : Pass<"layout-materialize-stores", "::mlir::ModuleOp"> {
  let summary = "give tensors the types of their layouts";
  let description = [{
    Each `layout.store` is applied to its kernel and to the launches of the kernel. An expression
    then runs over the cells of its results, and each read has the index of a cell. Where the user
    of a tensor expects another layout than the tensor has, a constant is converted at compile
    time, and any other tensor by a kernel directly after its definition. Arguments and results of
    the program keep their types, as do tensors that an op other than a launch uses. Remarks give
    the bytes that each conversion writes.

    Cells without an element hold zero in a conversion, in a constant, unless all its elements are
    another number, in the result of an expression that is no reduction, and in a border around that
    of a reduction, which is pieces of zeros. Where all launches pass
    such tensors, a read with a guard and `else` zero loses the constraints that are proved to fail
    only where it then finds such a cell. Remarks give their number, or why a guard stays.

    - **Needs**: launches of kernels, perhaps with stores.
    - **Keeps**: the ops of the schedules other than stores, which are for the new loops.
    - **Gives up**: nothing. A store that cannot be applied is an error.

    ```mlir
    // Before
    func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %y = te.launch @neg(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %z = te.launch @exp(%y) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      return %z : tensor<4x6xf32>
    }
    te.kernel @neg(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %y = te.compute @y (d0: 4, d1: 6) {
        %a = te.read %x[d0, d1] : tensor<4x6xf32>
        %p = arith.negf %a : f32
        te.yield %p : f32
      } : tensor<4x6xf32>
      te.return %y : tensor<4x6xf32>
    } schedule {
      layout.store @y as map<split(1, [*, 2]), reorder(1, 0, 2)>
    }
    te.kernel @exp(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %y = te.compute @y (d0: 4, d1: 6) {
        %a = te.read %x[d0, d1] : tensor<4x6xf32>
        %p = math.exp %a : f32
        te.yield %p : f32
      } : tensor<4x6xf32>
      te.return %y : tensor<4x6xf32>
    } schedule {
      layout.store 0 as map<split(1, [*, 2]), reorder(1, 0, 2)>
    }

    // After
    func.func @main(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %0 = te.launch @neg(%arg0) : (tensor<4x6xf32>) -> tensor<3x4x2xf32>
      %1 = te.launch @exp(%0) : (tensor<3x4x2xf32>) -> tensor<4x6xf32>
      return %1 : tensor<4x6xf32>
    }
    te.kernel @neg(%arg0: tensor<4x6xf32>) -> tensor<3x4x2xf32> {
      %0 = te.compute @y (d0: 3, d1: 4, d2: 2) {
        %1 = te.read %arg0[d1, d0 * 2 + d2] : tensor<4x6xf32>
    ...
    te.kernel @exp(%arg0: tensor<3x4x2xf32>) -> tensor<4x6xf32> {
      %0 = te.compute @y (d0: 4, d1: 6) {
        %1 = te.read %arg0[d1 floordiv 2, d0, d1 mod 2] : tensor<3x4x2xf32>
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def DropCopies : Pass<"layout-drop-copies", "::mlir::ModuleOp"> {
  let summary = "remove kernels that copy a result of another kernel as it is";
  let description = [{
    A transposing copy is an identity if its operand is already stored in the order of the copy.
    The operand then takes the place of the copy. Remarks give each copy that was removed, or the
    reason why it was not removed.

    - **Needs**: launches of kernels without stores.
    - **Keeps**: a copy that keeps two tensors distinct which leave the program or a region.
    - **Gives up**: copies of arguments and of results of ops other than launches.

    ```mlir
    // Before
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = te.launch @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %z = te.launch @copy(%y) : (tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32>
    }
    te.kernel @neg(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = te.compute @y (d0: 4) {
        %a = te.read %x[d0] : tensor<4xf32>
        %p = arith.negf %a : f32
        te.yield %p : f32
      } : tensor<4xf32>
      te.return %y : tensor<4xf32>
    }
    te.kernel @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = te.compute @y (d0: 4) {
        %a = te.read %x[d0] : tensor<4xf32>
        te.yield %a : f32
      } : tensor<4xf32>
      te.return %y : tensor<4xf32>
    }

    // After
    func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = te.launch @neg(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    te.kernel @neg(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    ...
    ```
  }];
  let statistics = [Statistic<"numDropped", "dropped", "copies that were no longer needed">];
}

def KeepRows : Pass<"layout-keep-rows", "::mlir::ModuleOp"> {
  let summary = "store values of a row that several expressions compute";
  let description = [{
    In a kernel whose expressions run row by row, such as softmax, a value that both a reduction and
    the root compute at the same points becomes an expression of its own, which both read. In a
    softmax, the exponentials of a row are kept until they are divided by their sum. A value is kept
    only if it costs more to compute than to store and read, and only if a row has a static size of
    at most `elements`; the values of longer rows are computed again. Remarks show the values that
    are kept, or give the reason why the values of a kernel are not kept.

    - **Needs**: kernels with labelled expressions (the end of the te stage).
    - **Keeps**: kernels that have a schedule, unless it names an expression that is missing: the
      schedule is then for the expressions that this pass makes.
    - **Gives up**: nothing.

    ```mlir
    // Before
    te.kernel @k(%x: tensor<5x370xf32>) -> tensor<5x370xf32> {
      %s = te.compute @sum (d0: 5) reduce (d1: 370) init (0.0 : f32) {
        %v = te.read %x[d0, d1] : tensor<5x370xf32>
        %e = math.exp %v : f32
        te.yield %e : f32
      } combine arith.addf : tensor<5xf32>
      %y = te.compute @y (d0: 5, d1: 370) {
        %v = te.read %x[d0, d1] : tensor<5x370xf32>
        %e = math.exp %v : f32
        %t = te.read %s[d0] : tensor<5xf32>
        %r = arith.divf %e, %t : f32
        te.yield %r : f32
      } : tensor<5x370xf32>
      te.return %y : tensor<5x370xf32>
    }

    // After
    te.kernel @k(%x: tensor<5x370xf32>) -> tensor<5x370xf32> {
      %0 = te.compute @kept0 (d0: 5, d1: 370) {
        %3 = te.read %x[d0, d1] : tensor<5x370xf32>
        %4 = math.exp %3 : f32
        te.yield %4 : f32
      } : tensor<5x370xf32>
      %1 = te.compute @sum (d0: 5) reduce (d1: 370) init (0.0 : f32) {
        %3 = te.read %0[d0, d1] : tensor<5x370xf32>
        te.yield %3 : f32
      } combine arith.addf : tensor<5xf32>
      %2 = te.compute @y (d0: 5, d1: 370) {
        %3 = te.read %0[d0, d1] : tensor<5x370xf32>
        %4 = te.read %1[d0] : tensor<5xf32>
        %5 = arith.divf %3, %4 : f32
        te.yield %5 : f32
      } : tensor<5x370xf32>
      te.return %2 : tensor<5x370xf32>
    }
    ```
  }];
  let options = [
    Option<"elements", "elements", "int64_t", "4096",
           "greatest number of elements of a row whose values are kept">];
  let statistics = [Statistic<"numKept", "kept", "values kept for a row">];
}

#endif // DIALECTS_LAYOUT_TRANSFORMS_PASSES
