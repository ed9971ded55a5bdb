//===- LayoutOps.td - schedules of the layout dialect         -*- tablegen -* -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_LAYOUTOPS
#define DIALECTS_LAYOUT_IR_LAYOUTOPS

include "dialects/layout/IR/LayoutAttributes.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"

def Layout_LoopType : TypeDef<Layout_Dialect, "Loop"> {
  let mnemonic = "loop";
  let summary = "a loop of a te.compute";
}

class Layout_Op<string mnemonic, list<Trait> traits = []>
    : Op<Layout_Dialect, mnemonic, traits>;

def Layout_LoopsOp : Layout_Op<"loops"> {
  let summary = "the loops of a labelled expression, one per dim";
  let description = [{
    Parallel dims first, then reduction dims, outermost first.

    Example: `%n, %o, %c = layout.loops @matmul : !layout.loop, !layout.loop, !layout.loop`
  }];
  let arguments = (ins FlatSymbolRefAttr:$label);
  let results = (outs Variadic<Layout_LoopType>:$loops);
  let assemblyFormat = "$label attr-dict `:` type($loops)";
}

def Layout_SplitOp : Layout_Op<"split"> {
  let summary = "replace a loop by nested loops";
  let description = [{
    `factors` are the extents of the inner loops, outermost first; the extent of
    the outermost, printed `*`, is what remains, rounded up. Where the factors
    do not divide the extent the last outer iteration is shorter.

    Constraints:
    - (C1) every factor is at least 1 and there is a result more than factors.

    Example: `%o, %m, %i = layout.split %l [*, 4, 16]`
  }];
  let arguments = (ins Layout_LoopType:$loop, DenseI64ArrayAttr:$factors);
  let results = (outs Variadic<Layout_LoopType>:$loops);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1
}

def Layout_FuseOp : Layout_Op<"fuse"> {
  let summary = "replace two loops by one over all pairs";
  let description = [{
    Example: `%f = layout.fuse %outer, %inner`
  }];
  let arguments = (ins Layout_LoopType:$outer, Layout_LoopType:$inner);
  let results = (outs Layout_LoopType:$loop);
  let assemblyFormat = "$outer `,` $inner attr-dict";
}

def Layout_ReorderOp : Layout_Op<"reorder"> {
  let summary = "the order of all loops of an expression, outermost first";
  let description = [{
    Example: `layout.reorder %n, %o, %k, %i`
  }];
  let arguments = (ins Variadic<Layout_LoopType>:$loops);
  let assemblyFormat = "$loops attr-dict";
}

def Layout_BindOp : Layout_Op<"bind"> {
  let summary = "run the iterations of loops on the workers of a level";
  let description = [{
    Levels: `parallel` (the threads of a CPU) and `block` for loops that are
    outermost and run over parallel dims; `lane` (the threads of a block) for loops
    of constant extent anywhere. Lanes over a reduction dim hold partial results
    that are joined at the end; they are the innermost lanes, and a power of two or
    a multiple of 32. Where lanes have nothing to do they wait.

    Constraints:
    - (C1) `level` is one of the levels.

    Example: `layout.bind %n, %o to parallel`
  }];
  let arguments = (ins Variadic<Layout_LoopType>:$loops, StrAttr:$level);
  let assemblyFormat = "$loops `to` custom<Keyword>($level) attr-dict";
  let hasVerifier = 1; // C1
}

def Layout_RegisterTileOp : Layout_Op<"register_tile"> {
  let summary = "unroll loops and keep all their accumulators in registers";
  let description = [{
    The loops have constant extents and are innermost; loops over reduction dims
    may stand outside of them.

    Example: `layout.register_tile %rows, %vectors`
  }];
  let arguments = (ins Variadic<Layout_LoopType>:$loops);
  let assemblyFormat = "$loops attr-dict";
}

def Layout_VectorizeOp : Layout_Op<"vectorize"> {
  let summary = "run the iterations of a loop as the lanes of a vector";
  let description = [{
    The loop is the innermost and has a constant extent; over a reduction dim the
    lanes hold partial results that are combined at the end.

    Example: `layout.vectorize %i`
  }];
  let arguments = (ins Layout_LoopType:$loop);
  let assemblyFormat = "$loop attr-dict";
}

def Layout_CacheOp : Layout_Op<"cache"> {
  let summary = "keep what an iteration of a loop needs of an operand in shared memory";
  let description = [{
    `operand` is a number of an operand of the op that makes the value which the
    body yields, such as 1 for the right factor of a product. At the start of each
    iteration of `loop`, a serial loop over a reduction dim, the lanes compute the
    operand once for every point of the block that differs in it; the body then
    reads it from there.

    Constraints:
    - (C1) `operand` is not negative; `level` is `shared`.
    - the operand depends on dims of the expression by way of its reads and indexes
      only, and checks no index from data (checked where the schedule is applied).

    Example: `layout.cache 0 at %k to shared`
  }];
  let arguments = (ins I64Attr:$operand, Layout_LoopType:$loop, StrAttr:$level);
  let assemblyFormat = "$operand `at` $loop `to` custom<Keyword>($level) attr-dict";
  let hasVerifier = 1; // C1
}

def Layout_ComputeAtOp : Layout_Op<"compute_at"> {
  let summary = "compute what is needed of an expression inside of a loop of its reader";
  let description = [{
    The part of `label` that one iteration of `loop` reads is computed at the start
    of that iteration. Dims of `label` that the reads fix by loops up to `loop` are
    fixed, the others run over their whole size.

    Example: `layout.compute_at @max, %row`
  }];
  let arguments = (ins FlatSymbolRefAttr:$label, Layout_LoopType:$loop);
  let assemblyFormat = "$label `,` $loop attr-dict";
}

def Layout_InlineOp : Layout_Op<"inline"> {
  let summary = "compute an expression anew at each of its reads";
  let description = [{
    Constraints: the expression has one piece and no reduction (checked where the
    schedule is applied).

    Example: `layout.inline @scaled`
  }];
  let arguments = (ins FlatSymbolRefAttr:$label);
  let assemblyFormat = "$label attr-dict";
}

#endif // DIALECTS_LAYOUT_IR_LAYOUTOPS
