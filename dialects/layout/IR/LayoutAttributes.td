//===- LayoutAttributes.td - how tensors are stored -------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_LAYOUTATTRIBUTES
#define DIALECTS_LAYOUT_IR_LAYOUTATTRIBUTES

include "dialects/layout/IR/LayoutBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Layout_MapAttr : AttrDef<Layout_Dialect, "Map"> {
  let mnemonic = "map";
  let summary = "how the elements of a tensor are stored, for any shape";
  let description = [{
    A list of primitives, each of which takes a tensor and gives one of another
    shape. The last gives what lies in memory, in row-major order.

    - `split(k, [*, 16])` cuts dim `k` into dims of these sizes; `*` is what remains.
    - `fuse(k, k+1)` makes one dim of the adjacent dims that it lists.
    - `reorder(0, 2, 1)` lists all dims in their new order.
    - `pad(k, 1, 2)` adds cells before and after; `pad(k, to 16)` adds cells after, up
      to a multiple. `unpad(k, 1, 2)` drops them.
    - `unfold(k, 18, 16)` stores overlapping tiles of 18 indexes, 16 apart.
      `fold(k, 50, 16)` undoes this: it makes one dim of size 50 from such tiles.

    The map has no shape. Whether it fits a tensor is checked where it is applied.
    dialects/layout/Algebra/LayoutMap.h has the index expressions and the laws.

    Constraints:
    - (C1) the numbers of every primitive are in range, and there is a tensor rank
      for which all primitives can be applied one after the other. There are at most
      64 primitives, 64 dims, and 6 unfolds and folds together.

    Example: `#layout.map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "as LayoutMap::toIntegers gives them">:$integers);
  let builders = [
    AttrBuilder<(ins "const LayoutMap &":$map), "return $_get($_ctxt, map.toIntegers());">];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1; // C1
  let extraClassDeclaration = [{
    LayoutMap getMap() const;
  }];
}

def Layout_MachineAttr : AttrDef<Layout_Dialect, "Machine"> {
  let mnemonic = "machine";
  let summary = "the machine for which layouts and schedules are chosen";
  let description = [{
    The numbers of a machine, by name and in any order. All must be given, but for
    `bf16Products`, `byteProducts`, `bf16MatrixProducts` and `byteMatrixProducts`: a
    machine without them has no dot products, or no registers of matrices.
    dialects/layout/IR/MachineModel.h says what each means, and in which unit. A
    module carries its machine as `layout.machine`. A module without this attribute
    has the machine of the example.

    Constraints:
    - (C1) all numbers are positive and not absurdly large; `lanes` and `lineBytes`
      are powers of 2.
    - (C2) `l1Bytes` is a multiple of `l1Ways` * `lineBytes`.

    Example: `#layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>`
  }];
  let parameters = (ins AttrParameter<"MachineModel", "the numbers">:$model);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1; // C1, C2
}

def Layout_DeviceAttr : AttrDef<Layout_Dialect, "Device"> {
  let mnemonic = "device";
  let summary = "the GPU for which schedules are chosen";
  let description = [{
    The numbers of a GPU, by name and in any order. All must be given.
    dialects/layout/IR/DeviceModel.h says what each means, and in which unit. A
    module of a program for a GPU carries it as `layout.device`. A module without
    this attribute has the GPU of the example, an A100.

    Constraints:
    - (C1) all numbers are positive and not absurdly large.
    - (C2) `blockSharedBytes` is at most `sharedBytes`.

    Example: `#layout.device<processors = 108, megahertz = 1410, registers = 65536, threads = 2048, blocks = 32, sharedBytes = 167936, blockSharedBytes = 166912, multiplyAdds = 64, matrixMultiplyAdds = 1024, l2CycleBytes = 47, l2Bytes = 41943040, memoryMegabytes = 1555000, l2Latency = 262, memoryLatency = 466, launchNanoseconds = 3200>`
  }];
  let parameters = (ins AttrParameter<"DeviceModel", "the numbers">:$model);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1; // C1, C2
}

def Layout_Level : I32Enum<"Level", "a level of parallelism, on which iterations run at the same time", [
  I32EnumCase<"Parallel", 0, "parallel">, I32EnumCase<"Block", 1, "block">,
  I32EnumCase<"Lane", 2, "lane">, I32EnumCase<"Warp", 3, "warp">
]> {
  let cppNamespace = "::mlir::tssa::layout";
}

def Layout_LevelAttr : EnumAttr<Layout_Dialect, Layout_Level, "level"> {
  let summary = "a level of parallelism";
  let description = [{
    `parallel` are the threads of a CPU, `block` the blocks of a GPU, `lane` the
    threads of a block, `warp` the warps of a block: 32 neighbouring threads each.

    Example: `#layout<level lane>`
  }];
  let assemblyFormat = "$value";
}

#endif // DIALECTS_LAYOUT_IR_LAYOUTATTRIBUTES
