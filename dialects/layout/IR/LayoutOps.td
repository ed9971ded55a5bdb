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

class Layout_Op<string mnemonic, list<Trait> traits = []> : Op<Layout_Dialect, mnemonic, traits>;

def Layout_LaunchesOp : Layout_Op<"launches"> {
  let summary = "the launches of the kernel that the schedule is for";
  let description = [{
    This op occurs in files of schedules only. A program launches a kernel several
    times, and the launches may need different schedules, such as different stores.
    The positions count the launches of the kernel in program order. A schedule
    without this op is for all launches.

    Constraints:
    - (C1) there is at least one position; positions are not negative and ascend.
    - (C2) this op is the first of the schedule.

    Example: `layout.launches [0, 2]`
  }];
  let arguments = (ins DenseI64ArrayAttr:$positions);
  let assemblyFormat = "$positions attr-dict";
  let hasVerifier = 1; // C1, C2
}

def Layout_StoreOp : Layout_Op<"store"> {
  let summary = "store a tensor of the kernel in another layout";
  let description = [{
    The operand is the index of a parameter of the kernel, or the label of one of
    its expressions, whose results are stored. The body of the kernel keeps its
    logical types until `layout-materialize-stores` rewrites it. That pass also
    checks that the map fits the tensor.

    Constraints:
    - (C1) there is either a parameter or a label; the parameter is not negative.
    - (C2) only `layout.launches` and other stores are before this op in the schedule.
    - (C3) no two ops store the same operand.

    Example:
    ```mlir
    layout.store 1 as map<pad(0, to 16), split(0, [*, 16]), reorder(0, 2, 1)>
    layout.store @conv as map<reorder(0, 2, 3, 1)>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$parameter, OptionalAttr<FlatSymbolRefAttr>:$label,
      Layout_MapAttr:$map);
  let assemblyFormat = "custom<Stored>($parameter, $label) `as` `map` `` $map attr-dict";
  let hasVerifier = 1; // C1 to C3
}

def Layout_LoopsOp : Layout_Op<"loops"> {
  let summary = "return the loops of a labelled expression, one for each dim";
  let description = [{
    The loops of the parallel dims come first, then those of the reduction dims.

    Example: `%n, %o, %c = layout.loops @matmul : !layout.loop, !layout.loop, !layout.loop`
  }];
  let arguments = (ins FlatSymbolRefAttr:$label);
  let results = (outs Variadic<Layout_LoopType>:$loops);
  let assemblyFormat = "$label attr-dict `:` type($loops)";
}

def Layout_SplitOp : Layout_Op<"split"> {
  let summary = "replace a loop by nested loops";
  let description = [{
    `factors` are the extents of the inner loops, outermost first. The extent of
    the outermost loop, printed `*`, is the extent of the loop divided by all
    factors, rounded up. If the factors do not divide the extent, the last outer
    iteration is shorter.

    Constraints:
    - (C1) each factor is at least 1, and there is one more result than factors.

    Example: `%o, %m, %i = layout.split %l [*, 4, 16]`
  }];
  let arguments = (ins Layout_LoopType:$loop, DenseI64ArrayAttr:$factors);
  let results = (outs Variadic<Layout_LoopType>:$loops);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1
}

def Layout_FuseOp : Layout_Op<"fuse"> {
  let summary = "replace two loops by one loop over all pairs of iterations";
  let description = [{
    Example: `%f = layout.fuse %outer, %inner`
  }];
  let arguments = (ins Layout_LoopType:$outer, Layout_LoopType:$inner);
  let results = (outs Layout_LoopType:$loop);
  let assemblyFormat = "$outer `,` $inner attr-dict";
}

def Layout_ReorderOp : Layout_Op<"reorder"> {
  let summary = "set the order of all loops of an expression, outermost first";
  let description = [{
    Example: `layout.reorder %n, %o, %k, %i`
  }];
  let arguments = (ins Variadic<Layout_LoopType>:$loops);
  let assemblyFormat = "$loops attr-dict";
}

def Layout_BindOp : Layout_Op<"bind"> {
  let summary = "run the iterations of loops on a level of parallelism";
  let description = [{
    The levels `parallel` (the threads of a CPU) and `block` are for outermost loops
    over parallel dims. The level `lane` (the threads of a block) is for loops of
    constant extent anywhere. Lanes over a reduction dim hold partial results, which
    are combined at the end. They are the innermost lanes, and their number is a
    power of two or a multiple of 32. Lanes without work wait. The level `warp` takes
    the place of `lane` where the lanes of a warp compute a `layout.atom` together.

    Example: `layout.bind %n, %o to parallel`
  }];
  let arguments = (ins Variadic<Layout_LoopType>:$loops, Layout_LevelAttr:$level);
  let assemblyFormat = "$loops `to` `` $level attr-dict";
}

def Layout_RegisterTileOp : Layout_Op<"register_tile"> {
  let summary = "unroll loops and keep all their accumulators in registers";
  let description = [{
    The loops have constant extents and are innermost. Loops over reduction dims
    may be outside of them.

    Example: `layout.register_tile %rows, %vectors`
  }];
  let arguments = (ins Variadic<Layout_LoopType>:$loops);
  let assemblyFormat = "$loops attr-dict";
}

def Layout_VectorizeOp : Layout_Op<"vectorize"> {
  let summary = "run the iterations of a loop as the lanes of a vector";
  let description = [{
    The loop is the innermost and has a constant extent. If it is a loop over a
    reduction dim, the lanes hold partial results, which are combined at the end.

    Example: `layout.vectorize %i`
  }];
  let arguments = (ins Layout_LoopType:$loop);
  let assemblyFormat = "$loop attr-dict";
}

def Layout_CacheOp : Layout_Op<"cache"> {
  let summary = "keep in shared memory the part of an operand that a loop iteration needs";
  let description = [{
    `operand` is the index of an operand of the op whose result the body yields,
    such as 1 for the right factor of a product. `loop` is a serial loop over a
    reduction dim. At the start of each iteration of this loop, the lanes of a block
    compute each distinct value of the operand once and store it in shared memory.
    The body then reads it from there.

    Constraints:
    - (C1) `operand` is not negative; `level` is `shared`.
    - (C2) the operand depends on dims of the expression only through reads and
      indexes, and has no opaque index. This is checked when the schedule is
      applied.

    Example: `layout.cache 0 at %k to shared`
  }];
  let arguments = (ins I64Attr:$operand, Layout_LoopType:$loop, StrAttr:$level);
  let assemblyFormat = "$operand `at` $loop `to` custom<Keyword>($level) attr-dict";
  let hasVerifier = 1; // C1
}

def Layout_AtomOp : Layout_Op<"atom"> {
  let summary = "compute a tile of a product by instructions that multiply matrices, or by dot products";
  let description = [{
    The loops are those of the rows, the columns and the steps of a tile of a
    product, which the instruction covers in parts; that of a CPU has only the loop
    of the steps, which it makes a loop of the register tile. Its name says how large
    the parts are:

    | instruction | rows, columns, steps | factors | sums | computed by |
    |---|---|---|---|---|
    | mma.m16n8k16 | 16, 8, 16 | f16 or bf16, extended to f32 | f32 | a warp (PTX ISA, mma.sync) |
    | mma.m16n8k8 | 16, 8, 8 | f32, in products with `te.tf32` | f32 | a warp (mma.sync of tf32) |
    | amx.bf16 | up to 16, 16, 32 | bf16, extended to f32 | f32 | registers of matrices (Intel SDM, TDPBF16PS) |
    | amx.int8 | up to 16, 16, 64 | u8 or s8 each, extended to i32 | i32 | registers of matrices (TDPBSSD and others) |
    | avx512.bf16 | 1, 16, 2 | bf16, extended to f32 | f32 | a vector (Intel SDM, VDPBF16PS) |
    | avx512.vnni | 1, 16, 4 | u8 and s8, extended to i32 | i32 | a vector (VPDPBUSD) |
    | avx.vnni | 1, 8, 4 | u8 and s8, extended to i32 | i32 | a vector (VPDPBUSD) |

    Accumulators stay in registers. For a warp, `layout.pipeline` brings factors to
    shared memory. A dot product loads words of both factors: the elements for its
    steps, which are the same for all lanes in one factor and adjacent from lane to
    lane in the other. Elements that are no words in memory are joined to words:
    those that all lanes share one by one, others by interleaving the vectors of the
    steps. Registers of matrices are loaded from both factors where their rows and
    their words lie so in memory, and else from copies that are made in the same way;
    their rows are those of the register tile, in parts of up to 16.

    Constraints:
    - (C1) the instruction is one of the table, and there are three loops for a warp,
      or one.

    Constraints, which are checked when the schedule is applied:
    - (C2) the loops of a warp's instruction are the innermost of their expression,
      the first two over parallel dims and the third over a reduction dim; their
      extents are multiples of those of the instruction. No loop is tiled or
      vectorized. The loop of a CPU's is the innermost one of a reduction dim, of a
      multiple of its steps (of matrices: of its steps), and a vector of as many lanes
      as it has columns is over a parallel dim. The sums of matrices and what they are
      multiplied from fit into eight registers.
    - (C3) the expression adds products of two values of the types of the table,
      which have no opaque index. For a warp, both are cached at the innermost loop
      around the atom, which is pipelined. For a CPU, both are reads; where one
      differs from lane to lane, the elements of its steps or of its lanes are
      adjacent. For matrices, one is the same for all lanes, and the other for all
      rows.
    - (C4) the threads of a block are warps (`layout.bind`).

    Example: `layout.atom %m, %n, %k "mma.m16n8k16"`
  }];
  let arguments = (ins Variadic<Layout_LoopType>:$loops, StrAttr:$instruction);
  let assemblyFormat = "$loops $instruction attr-dict";
  let hasVerifier = 1; // C1
}

def Layout_PipelineOp : Layout_Op<"pipeline"> {
  let summary = "bring the cached operands of a loop to shared memory some iterations ahead";
  let description = [{
    While an iteration of `loop` computes, the operands of the next `depth - 1`
    iterations are on their way from memory (PTX ISA, cp.async). There are `depth`
    buffers of each operand. Elements that do not exist are zero.

    Copies bring an operand that is a read if the tensor lies in runs of 16 bytes
    along a dim of the box, which begin at multiples of 16 bytes and exist as a whole
    or not at all, and if the threads share the runs evenly. Elements of other
    operands are computed by the threads, as those of any cached operand.

    Constraints:
    - (C1) `depth` is 2 to 8.

    Constraints, which are checked when the schedule is applied:
    - (C2) `loop` is the innermost loop around a `layout.atom`, at which both factors
      are cached, and nothing else is computed at it.

    Example: `layout.pipeline %k depth 3`
  }];
  let arguments = (ins Layout_LoopType:$loop, I64Attr:$depth);
  let assemblyFormat = "$loop `depth` $depth attr-dict";
  let hasVerifier = 1; // C1
}

def Layout_ComputeAtOp : Layout_Op<"compute_at"> {
  let summary = "compute the needed part of an expression in a loop of its reader";
  let description = [{
    The part of the expression `label` that one iteration of `loop` reads is
    computed at the start of that iteration, into a buffer of the thread.
    This part is a box: along each dim of `label`, the indexes from the least to
    the greatest that the iteration reads, itself or through other expressions
    that are computed for it. Indexes that do not exist, beyond the last block or
    before the first element of a window, are not computed. Elements that two
    iterations read are computed twice. Where no constant bounds the indexes of a
    dim, all of them are computed.

    Lanes that compute a box together compute one index of a dim, or all.

    The loop may be one of an expression that is itself computed at a loop. What is
    computed there and read by others too is kept for all iterations of that
    expression.

    Constraints, which are checked when the schedule is applied:
    - (C1) each label has at most one such op. `loop` is neither tiled nor
      vectorized, and not split or fused. It may be a part of a split. Where there
      are lanes, it belongs to an expression without such an op and is over no
      reduction dim. The expression of `loop` comes after `label` in the kernel.
    - (C2) the box begins at an index that depends on `loop`, unless `loop` has
      one iteration. Otherwise each iteration would compute the same elements
      again.
    - (C3) what `label` reads is computed at `loop` or a loop around it, or at one
      of its own loops.
    - (C4) a box has a constant size, and those of a kernel have at most 64 MiB
      together, on a device 64 KiB.
    - (C5) `label` has one piece. If it is a result of the kernel, `loop` is one of
      an expression of one piece without such an op, there are no lanes, and each
      element is in the box of exactly one iteration: it is computed into the
      result. Only that expression and what is computed for it read `label`.
    - (C6) an expression that is computed at a loop reads all that others read of
      what is computed at its own loops, without gaps.

    Example: `layout.compute_at @max, %row`
  }];
  let arguments = (ins FlatSymbolRefAttr:$label, Layout_LoopType:$loop);
  let assemblyFormat = "$label `,` $loop attr-dict";
}

def Layout_ComputeAfterOp : Layout_Op<"compute_after"> {
  let summary = "compute an expression from what an iteration of its source has written";
  let description = [{
    The elements of the expression `label` that read what one iteration of the bound
    loops wrote are computed at the end of that iteration, while it is in the cache.
    `label` is a result of the kernel too. Parts of rows are summed like this behind
    the product that computes the rows (Souffle, Figure 1).

    Constraints, which are checked when the schedule is applied:
    - (C1) each label has at most one such op. `loop` is the innermost loop of an
      expression that is bound to threads; there are no lanes.
    - (C2) one iteration writes a box of consecutive elements. `label` reads the
      expression at an own parallel dim, at `dim * n + r` with a reduction dim `r` of
      size n that divides the box, at a reduction dim that covers the whole dim, or
      at 0 in a dim of size 1. It has one piece.
    - (C3) `label` reads other expressions only if they are computed after the same
      loop, before it, and at its own parallel dims.

    Example: `layout.compute_after @parts, %tile`
  }];
  let arguments = (ins FlatSymbolRefAttr:$label, Layout_LoopType:$loop);
  let assemblyFormat = "$label `,` $loop attr-dict";
}

def Layout_InlineOp : Layout_Op<"inline"> {
  let summary = "compute an expression at each of its reads";
  let description = [{
    The expression must have one piece and no reduction. This is checked when the
    schedule is applied.

    Example: `layout.inline @scaled`
  }];
  let arguments = (ins FlatSymbolRefAttr:$label);
  let assemblyFormat = "$label attr-dict";
}

#endif // DIALECTS_LAYOUT_IR_LAYOUTOPS
