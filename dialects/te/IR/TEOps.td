//===- TEOps.td - operations of the te dialect ------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_TEOPS
#define DIALECTS_TE_IR_TEOPS

include "dialects/te/IR/TEAttributes.td"
include "dialects/te/IR/TEHostOps.td"
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
    Pure, AffineScope, AttrSizedOperandSegments, DeclareOpInterfaceMethods<TE_ExpressionOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "define each element of one or more tensors by an expression";
  let description = [{
    The iteration domain is a box. Its parallel dims `d0 .. dP-1` are the dims of
    the results, in order. The reduction dims `dP .. dP+R-1` follow. Sizes are
    constants or SSA values of type index.

    A *piece* is a body that computes the value at a point of the domain. If there
    are several pieces, each has a `where` set over the parallel dims and over
    `symbols`, values of type index from outside of the op; the sets are disjoint
    and cover the domain. A body reads tensors with `te.read` and
    computes with `arith` and `math` on scalars. It may use values defined above
    the op.

    With reduction dims, the `combine` region combines the values of all reduction
    points, starting from `init`. The order is not specified, so the combiner must
    be associative and commutative up to rounding. The optional `then` region, the
    epilogue, runs once for each result element on the combined values. Its index
    expressions use parallel dims only.

    Several results share one domain, and a reduction may have a tuple of
    accumulators: an arg-max and its index, the maximum and the sum of a softmax,
    or Welford's mean and M2.

    Constraints:
    - (C1) each result is a ranked tensor with the sizes of the parallel dims; there
      are at most 64 dims.
    - (C2) there is at least one piece. If there are several, each has one `where`
      set over the parallel dims and all symbols. Without sets, there are no symbols.
    - (C3) with reduction dims, there is a combiner and one `init` value for each
      accumulator. Without reduction dims, there is no combiner, `init` or epilogue.
    - (C4) with reduction dims, a body yields the accumulators. Without reduction
      dims, it yields one scalar of the element type for each result.
    - (C5) the combiner takes two tuples of accumulators and yields one tuple.
    - (C6) the epilogue takes the accumulators and yields one scalar of the element
      type for each result. Without an epilogue, the accumulators have the element
      types of the results.

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
    %joined = te.compute (d0: %sum) symbols (%n) where (-d0 + s0 - 1 >= 0) {
      %l = te.read %left[d0] : tensor<?xf32>
      te.yield %l : f32
    } where (d0 - s0 >= 0) {
      %e = te.read %right[d0 - s0](%n) : tensor<?xf32>
      te.yield %e : f32
    } : tensor<?xf32>
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$dynamic_sizes, Variadic<Index>:$symbols,
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
    /// Returns the piece's set over the parallel dims and the symbols, or null if
    /// the op has no sets.
    ::mlir::IntegerSet getPieceSet(unsigned piece);
    ::llvm::SmallVector<::mlir::Type> getAccumulatorTypes();
  }];
}

def TE_ReadOp : TE_Op<"read", [Pure]> {
  let summary = "read one element of a tensor at an index expression";
  let description = [{
    This op occurs in a body of `te.compute` or `te.update`. `where` is a guard over
    the dims and symbols of the index expressions. Where the guard does not hold,
    nothing is read, and the value is the `else` constant.

    A symbol that is defined inside of the body is an opaque index. If an opaque
    index is out of bounds where the guard holds, the run fails with an error.
    All other indexes are in bounds at each point of the domain where the guard
    holds; `te-check-bounds` checks this.

    Constraints:
    - (C1) there is one index expression for each dim of the source, and one symbol
      operand for each symbol. There are at most 256 symbols. All dims in the
      expressions are dims of the enclosing body, and all constants are above -2^63.
    - (C2) `where` requires `else` and `else` requires `where`; `else` has the
      element type.

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
  let summary = "compute an index expression at the current point of the domain";
  let description = [{
    Constraints:
    - (C1) the map has one result and one operand for each symbol. It uses only dims
      of the enclosing body.

    Example: `%i = te.index d0 * 2 + s0(%n)`
  }];
  let arguments = (ins Variadic<Index>:$symbols, AffineMapAttr:$map);
  let results = (outs Index:$value);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1
  let hasFolder = 1;
}

def TE_InsideOp : TE_Op<"inside", [Pure]> {
  let summary = "test whether the current point of the domain is in a set";
  let description = [{
    Constraints:
    - (C1) the set has one operand for each symbol. It uses only dims of the
      enclosing body.

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
  let summary = "a copy of a tensor with some of its elements overwritten";
  let description = [{
    This is the only op of the dialect that writes. The result is `base` with new
    values for some elements. At each point of the domain, in row-major order, the
    body yields a value and then the opaque indexes. The map sends the point to the
    element of `base` that is written; its symbols are the symbol operands followed
    by the yielded indexes. Points outside of `where` write nothing. The new element
    is combine(old, value) if there is a `combine` region, and value otherwise.

    If an opaque index is out of bounds, the run fails with an error.

    `injective` states that no two points write the same element, so that their
    order does not matter. The code that sets `injective` must have proven this. If
    two points write the same element nevertheless, it is an error to evaluate the
    update.

    Constraints:
    - (C1) the result has the type of `base`, and there is one index expression for
      each of its dims.
    - (C2) the body yields a scalar of the element type and one index for each
      symbol of the map beyond the symbol operands.
    - (C3) `combine` takes (old, value) and yields one scalar of the element type.
    - (C4) `where` uses the dims and symbol operands of the map, but no yielded
      indexes.
    - (C5) if the update is `injective` and has neither `where` nor yielded indexes,
      the map depends on each dim whose size is a constant of 2 or more.

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
    /// Returns the number of symbols of the map that the body yields.
    unsigned getNumOpaque() { return getMap().getNumSymbols() - getSymbols().size(); }
    bool hasCombiner() { return !getCombiner().empty(); }
  }];
}

def TE_ScanOp : TE_Op<"scan", [
    Pure, DeclareOpInterfaceMethods<TE_ExpressionOpInterface, ["getReads"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "combine the elements up to each index of one dim (CumSum, CumProd)";
  let description = [{
    result[.., i, ..] combines source[.., j, ..] over all j <= i, starting from
    `init`. With `exclusive` the range is j < i, with `reverse` it is j >= i, and
    with both it is j > i.

    Constraints:
    - (C1) `axis` is a dim of the source; the result has the type of the source.
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
    The parameters are tensors, sizes (index) and scalars. A tensor parameter with
    dynamic dims has the attribute `te.sizes`: for each dim, the position of the
    index parameter that holds its size, or -1 if the dim is static. A parameter
    with `te.finite` has no infinity and no NaN in any launch. The results are
    tensors. A parameter or a result with `te.window` lies in the memory of a larger
    tensor (#te.window), which a launch passes for it. The body is a list of te expressions, followed by `te.return`. The
    second region, `schedule`, has ops of the layout dialect that say how the loops
    of the labelled expressions run.

    Constraints:
    - (C1) `te.return` has the result types; the schedule is one block without
      arguments.
    - (C2) each dynamic dim of a tensor parameter has an entry in `te.sizes` that is
      the position of a parameter of type index. A parameter that is not a tensor
      has no `te.sizes`.
    - (C3) `te.finite` is a unit attribute of a parameter that is a tensor of
      floats.
    - (C4) `te.window` is a #te.window of a tensor. It has one entry for each dim, and
      the tensor fits into it: a dim of dynamic size has the size -1.

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
  let hasVerifier = 1; // C1 to C4
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    unsigned getNumArguments() { return getFunctionType().getNumInputs(); }
    ::mlir::BlockArgument getArgument(unsigned i) { return getBody().getArgument(i); }
    ::mlir::Block &getBodyBlock() { return getBody().front(); }
    /// Returns the `te.sizes` of a parameter, or null if it has none.
    ::mlir::DenseI64ArrayAttr getSizesAttr(unsigned arg);
    void setSizes(unsigned arg, ::llvm::ArrayRef<int64_t> sizes);
    /// Returns `te.sizes` as an entry of the attributes of a parameter.
    static ::mlir::NamedAttribute makeSizesAttr(::mlir::Builder &builder,
                                                ::llvm::ArrayRef<int64_t> sizes);
    /// Returns whether parameter `arg` is known to have no infinities and no NaNs.
    bool isFinite(unsigned arg);
    void setFinite(unsigned arg);
    /// Returns the `te.window` of a parameter or of a result, or null if it has none.
    WindowAttr getArgumentWindow(unsigned arg);
    WindowAttr getResultWindow(unsigned result);
    void setArgumentWindow(unsigned arg, WindowAttr window);
    void setResultWindow(unsigned result, WindowAttr window);
    /// Returns the size of dim `dim` of tensor parameter `arg`, as an IndexAttr or
    /// a parameter of type index.
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
    Before `te-plan-buffers`, the operands and results have the types of the
    kernel's parameters and results, and `result_sizes` are the sizes of the
    dynamic dims of the results, in order. After `te-plan-buffers`, operands that
    were tensors are memrefs, `outs` has one memref for each result of the kernel,
    and the op has no results.

    Constraints:
    - (C1) the kernel exists, and its types match the operands and results. A memref
      matches a tensor of the same shape and element type, or the larger tensor of its
      `te.window`. A dim that is dynamic here matches any size that the kernel knows:
      the program launches the kernel only where the dim has this size.
    - (C2) there is one result size for each dynamic dim of the results.

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
