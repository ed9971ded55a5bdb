//===- TEOps.td - operations of the te dialect ------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_TEOPS
#define DIALECTS_TE_IR_TEOPS

include "dialects/te/IR/TEAttributes.td"
include "dialects/te/IR/TEInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

def TE_ComputeOp : TE_Op<"compute", [
    Pure, AffineScope, DeclareOpInterfaceMethods<TE_ExpressionOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "give every element of one or more tensors as an expression";
  let description = [{
    The domain is a box of dims `d0 .. dP-1` (parallel), which are the dims of
    the results in order, followed by reduction dims `dP .. dP+R-1`. Sizes are
    constants or SSA values of type index.

    A *piece* is a body that gives the value at a point of the domain. With more
    than one piece each has a `where` set over the parallel dims; the sets are
    disjoint and cover the domain. Bodies read tensors with `te.read` and compute
    with `arith` and `math` on scalars; values defined above may be used.

    With reduction dims, the values of all reduction points are joined by the
    `combine` region, starting from `init`; the order is not specified, so the
    combiner is associative and commutative up to rounding. The optional `then`
    region (the epilogue) runs once per result element on the joined values; its
    index expressions use parallel dims only.

    Several results share one domain: a tuple of accumulators (arg-max with its
    index, the maximum and sum of a softmax, Welford's mean and M2).

    Constraints:
    - (C1) every result is a ranked tensor of the sizes of the parallel dims; there are
      at most 64 dims.
    - (C2) there is at least one piece; with several, one `where` set for each,
      over the parallel dims.
    - (C3) with reduction dims there is a combiner, and one `init` value per
      accumulator; without, neither, and no epilogue.
    - (C4) a body yields the accumulators with reduction dims, else one scalar per
      result of its element type.
    - (C5) the combiner takes two tuples of accumulators and yields one.
    - (C6) the epilogue takes the accumulators and yields one scalar per result of
      its element type; without an epilogue accumulators and results agree.

    Example:
    ```mlir
    %y = te.compute @conv (d0: %n, d1: 16, d2: 32, d3: 32) reduce (d4: 3, d5: 3, d6: 3) init (0.0 : f32) {
      %a = te.read %x[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<?x3x32x32xf32>
             where (d2 + d5 - 1 >= 0, -d2 - d5 + 32 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 32 >= 0) else 0.0
      %b = te.read %w[d1, d4, d5, d6] : tensor<16x3x3x3xf32>
      %p = arith.mulf %a, %b : f32
      te.yield %p : f32
    } combine arith.addf then (%sum: f32) {
      %t = te.read %bias[d1] : tensor<16xf32>
      %r = arith.addf %sum, %t : f32
      te.yield %r : f32
    } : tensor<?x16x32x32xf32>
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$dynamic_sizes,
    DenseI64ArrayAttr:$static_sizes,
    I64Attr:$num_parallel,
    OptionalAttr<ArrayAttr>:$init,
    OptionalAttr<ArrayAttr>:$where,
    OptionalAttr<StrAttr>:$label);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region AnyRegion:$combiner, AnyRegion:$epilogue,
                        VariadicRegion<SizedRegion<1>>:$pieces);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1 to C6
  let extraClassDeclaration = [{
    unsigned getNumDims() { return getStaticSizes().size(); }
    unsigned getNumReduction() { return getNumDims() - getNumParallel(); }
    bool hasReduction() { return getNumReduction() != 0; }
    bool hasEpilogue() { return !getEpilogue().empty(); }
    ::llvm::SmallVector<::mlir::OpFoldResult> getParallelSizes();
    ::llvm::SmallVector<::mlir::OpFoldResult> getReductionSizes();
    ::mlir::Block *getPieceBlock(unsigned piece = 0) { return &getPieces()[piece].front(); }
    /// The piece's set over the parallel dims, symbol-free; null for the only
    /// piece.
    ::mlir::IntegerSet getPieceSet(unsigned piece);
    ::llvm::SmallVector<::mlir::Type> getAccumulatorTypes();
  }];
}

def TE_ReadOp : TE_Op<"read", [Pure]> {
  let summary = "read one element of a tensor at an index expression";
  let description = [{
    Stands in a body of `te.compute` or `te.update`. `where` is a guard over the
    same dims and symbols as the index expressions: where it does not hold the
    value is the `else` constant and nothing is read.

    A symbol defined inside of the body is an opaque index. If an opaque index is
    out of bounds where the guard holds, the run fails with an error; all other
    indexes are in bounds for every point of the domain where the guard holds
    (checked by `te-check-bounds`).

    Constraints:
    - (C1) one index expression per dim of the source; no dim that the enclosing
      body does not have; one symbol operand per symbol, at most 256; constants above
      -2^63.
    - (C2) `where` and `else` come together; `else` has the element type.

    Example:
    ```mlir
    %i = te.read %ids[d0] : tensor<?xi64>
    %k = arith.index_cast %i : i64 to index
    %v = te.read %table[s0, d1](%k) : tensor<30522x768xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$symbols,
    AffineMapAttr:$map, OptionalAttr<IntegerSetAttr>:$guard,
    OptionalAttr<TypedAttrInterface>:$pad);
  let results = (outs AnyType:$value);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1, C2
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getSourceType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getSource().getType());
    }
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::AffineMap":$map,
      CArg<"::mlir::ValueRange", "{}">:$symbols,
      CArg<"::mlir::IntegerSet", "{}">:$guard,
      CArg<"::mlir::TypedAttr", "{}">:$pad)>];
}

def TE_IndexOp : TE_Op<"index", [Pure]> {
  let summary = "the value of an index expression at this point";
  let description = [{
    Constraints:
    - (C1) the map has one result and one operand per symbol; no dim that the
      enclosing body does not have.

    Example: `%i = te.index d0 * 2 + s0(%n)`
  }];
  let arguments = (ins Variadic<Index>:$symbols, AffineMapAttr:$map);
  let results = (outs Index:$value);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1
  let hasFolder = 1;
}

def TE_InsideOp : TE_Op<"inside", [Pure]> {
  let summary = "whether this point lies in a set";
  let description = [{
    Constraints:
    - (C1) one operand per symbol; no dim that the enclosing body does not have.

    Example: `%c = te.inside (d0 - d1 >= 0)`
  }];
  let arguments = (ins Variadic<Index>:$symbols, IntegerSetAttr:$set);
  let results = (outs I1:$value);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1
  let hasFolder = 1;
}

def TE_UpdateOp : TE_Op<"update", [
    Pure, AffineScope, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TE_ExpressionOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "a tensor with some of its elements written anew";
  let description = [{
    The only write. For every point of the domain, in row-major order, the body
    yields a value and, after it, the opaque part of its target: the map from
    dims and symbols to an element of `base`, whose symbols are the operands of
    the map followed by the yielded indexes. Points outside of `where` write
    nothing. With `combine` the new element is combine(old, value), else value.
    All other elements are those of `base`.

    An opaque target out of bounds makes the run fail with an error.

    `injective` states that no two points write the same element, so that their order
    does not matter. Whoever builds the op has proven it; evaluating an update for which
    it does not hold is an error.

    Constraints:
    - (C1) the result has the type of `base`; one index expression per dim of it.
    - (C2) the body yields a scalar of the element type and one index per symbol
      of the map beyond the symbol operands.
    - (C3) `combine` takes (old, value) and yields one scalar of the element type.
    - (C4) `where` has the dims and symbol operands of the map, no yielded ones.
    - (C5) with `injective`, and neither a `where` nor yielded indexes, the map depends on
      every dim that has two points or more.

    Example:
    ```mlir
    %r = te.update (d0: 5, d1: 8) into %base[s0, d1] {
      %i = te.read %ids[d0] : tensor<5xi64>
      %k = arith.index_cast %i : i64 to index
      %v = te.read %src[d0, d1] : tensor<5x8xf32>
      te.yield %v, %k : f32, index
    } combine arith.addf : tensor<100x8xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$base,
    Variadic<Index>:$dynamic_sizes, Variadic<Index>:$symbols,
    DenseI64ArrayAttr:$static_sizes,
    AffineMapAttr:$map, OptionalAttr<IntegerSetAttr>:$guard, UnitAttr:$injective,
    OptionalAttr<StrAttr>:$label);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$combiner);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1 to C5
  let extraClassDeclaration = [{
    unsigned getNumDims() { return getStaticSizes().size(); }
    /// Symbols of the map that the body yields.
    unsigned getNumOpaque() { return getMap().getNumSymbols() - getSymbols().size(); }
    bool hasCombiner() { return !getCombiner().empty(); }
  }];
}

def TE_ScanOp : TE_Op<"scan", [
    Pure, DeclareOpInterfaceMethods<TE_ExpressionOpInterface, ["getReads"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "running combination along one dim (CumSum, CumProd)";
  let description = [{
    result[.., i, ..] = combine over j <= i (or j < i when exclusive; j >= i when
    reverse) of source[.., j, ..], starting from `init`.

    Constraints:
    - (C1) `axis` is a dim of the source; source and result types agree.
    - (C2) `init` and the combiner have the element type.

    Example: `%y = te.scan @sum %x axis 1 init 0.0 exclusive combine arith.addf : tensor<2x?xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$axis,
    TypedAttrInterface:$init, UnitAttr:$exclusive, UnitAttr:$reverse,
    OptionalAttr<StrAttr>:$label);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$combiner);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1, C2
}

def TE_ConstantOp : TE_Op<"constant", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor known at compile time";
  let description = [{
    Small tensors are `dense<...>`; large ones `dense_resource<...>`, whose bytes
    may be mapped from a file, are not uniqued and are not printed in full.

    Example: `%w = te.constant dense_resource<conv.weight> : tensor<16x3x3x3xf32>`
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "attr-dict $value";
}

def TE_ExternOp : TE_Op<"extern", [AttrSizedOperandSegments]> {
  let summary = "call a library routine that is no tensor expression";
  let description = [{
    `callee` names one of the routines of lib/Externs: `topk`, `sort`, `unique`,
    `nonzero`, `compress`, `non_max_suppression`, `det`, `random_normal`,
    `random_uniform`. Sizes of the results that are known before the call are
    given in `result_sizes` for the dynamic dims that have one, in order; a
    dim with none in the type's place is `-1` in `size_index` and known after the
    call (read it with `tensor.dim`).

    After `te-plan-buffers`: operands are memrefs, `outs` are results to be
    filled, and the op's own results, of a size that is known only after the call,
    are memrefs that the routine has allocated.

    Constraints:
    - (C1) `size_index` has one entry per dynamic dim of all results in order,
      each -1 or an index of `result_sizes`.
    - (C2) where there are `outs`, all operands and results are memrefs.

    Example:
    ```mlir
    %v, %i = te.extern @topk(%x, %k) sizes (%kk) [0, 0] {axis = 1 : i64} : (tensor<3x9xf32>, tensor<1xi64>) -> (tensor<3x?xf32>, tensor<3x?xi64>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
    Variadic<Index>:$result_sizes, Variadic<AnyMemRef>:$outs, DenseI64ArrayAttr:$size_index);
  let results = (outs Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `sizes` `(` $result_sizes `)` $size_index
    (`outs` `(` $outs^ `:` type($outs) `)`)? attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1; // C1, C2
  let extraClassDeclaration = [{
    /// Whether `te-plan-buffers` has given the op its buffers.
    bool isOnMemory() {
      return !getOuts().empty() ||
             ::llvm::any_of(getResultTypes(), ::llvm::IsaPred<::mlir::MemRefType>);
    }
  }];
}

def TE_CheckOp : TE_Op<"check"> {
  let summary = "fail the run unless a condition holds";
  let description = [{
    Stands in the host program. The message goes to the user together with the
    name of the source node, which is the op's location.

    Example: `te.check %same, "expected equal sizes for dim 'N'"`
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def TE_PollOp : TE_Op<"poll"> {
  let summary = "end the run where its caller has cancelled it";
  let description = [{
    Stands in loops of the host program that launch nothing: a launch asks by
    itself.

    Example: `te.poll`
  }];
  let assemblyFormat = "attr-dict";
}

def TE_ResultOp : TE_Op<"result"> {
  let summary = "the buffer of a result of the program";
  let description = [{
    The caller gives the buffer or lets the runtime allocate it, in these sizes.
    `number` is the result of the host program; `te-plan-buffers` makes the op.

    Constraints:
    - (C1) there is one size per dynamic dim.
    - (C2) the function around it has a result `number` of the same rank and
      element type.

    Example: `%y = te.result 0 (%n) : memref<?x4xf32>`
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$number, Variadic<Index>:$sizes);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "$number `(` $sizes `)` attr-dict `:` type($buffer)";
  let hasVerifier = 1; // C1, C2
}

def TE_YieldOp : TE_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the values of a body, a combiner or an epilogue";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* nothing */ }]>];
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def TE_KernelOp : TE_Op<"kernel", [
    IsolatedFromAbove, Symbol, NoTerminator]> {
  let summary = "tensor expressions that run as one kernel";
  let description = [{
    A symbol. Parameters are tensors, sizes (index) and scalars; a parameter that
    is a tensor with dynamic dims has the attribute `te.sizes`: for every dim the
    number of the index parameter that holds its size, or -1 for a static dim. A
    parameter of floats with `te.finite` has no infinity and no NaN in any launch.
    Results are tensors. The body is a list of te expressions ended by
    `te.return`; the second region, `schedule`, belongs to the layout dialect and
    says how the loops of the labelled expressions run.

    Constraints:
    - (C1) `te.return` matches the result types; the schedule is a block without
      arguments.
    - (C2) every dynamic dim of a tensor parameter has its `te.sizes` entry, which
      names a parameter of type index; other parameters have no `te.sizes`.
    - (C3) `te.finite` is a unit attribute of a parameter that is a tensor of floats.

    Example:
    ```mlir
    te.kernel @scale(%x: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) -> tensor<?xf32> {
      %y = te.compute @y (d0: %n) { ... } : tensor<?xf32>
      te.return %y : tensor<?xf32>
    } schedule {
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$schedule);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1 to C3
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    unsigned getNumArguments() { return getFunctionType().getNumInputs(); }
    ::mlir::BlockArgument getArgument(unsigned i) { return getBody().getArgument(i); }
    ::mlir::Block &getBodyBlock() { return getBody().front(); }
    /// Sizes entry of a tensor parameter with dynamic dims; null if it has none.
    ::mlir::DenseI64ArrayAttr getSizesAttr(unsigned arg);
    void setSizes(unsigned arg, ::llvm::ArrayRef<int64_t> sizes);
    /// The entry for a list of attributes of a parameter.
    static ::mlir::NamedAttribute makeSizesAttr(::mlir::Builder &builder,
                                                ::llvm::ArrayRef<int64_t> sizes);
    /// Whether parameter `arg` is known to have neither infinities nor NaNs.
    bool isFinite(unsigned arg);
    void setFinite(unsigned arg);
    /// Size of dim `dim` of tensor parameter `arg` as an IndexAttr or a
    /// parameter of type index.
    ::mlir::OpFoldResult getArgumentSize(unsigned arg, unsigned dim);
  }];
}

def TE_ReturnOp : TE_Op<"return", [Pure, HasParent<"KernelOp">, Terminator]> {
  let summary = "the results of a kernel";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def TE_LaunchOp : TE_Op<"launch", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "run a kernel";
  let description = [{
    Before buffers are planned: operands as the kernel's parameters, results as
    its results; `result_sizes` are the sizes of the dynamic dims of the results,
    in order. After `te-plan-buffers`: operands are memrefs for tensors, `outs`
    holds one memref per kernel result, and there are no results.

    Constraints:
    - (C1) the kernel exists and parameter types match operands (a memref for a
      tensor of the same shape and element type once there are outs).
    - (C2) one result size per dynamic dim of the results.

    Example: `%y = te.launch @scale(%x, %n) sizes (%n) : (tensor<?xf32>, index) -> tensor<?xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs,
    Variadic<Index>:$result_sizes, Variadic<AnyMemRef>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` (`sizes` `(` $result_sizes^ `)`)? (`outs` `(` $outs^ `:` type($outs) `)`)? attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1; // C2
}

#endif // DIALECTS_TE_IR_TEOPS
