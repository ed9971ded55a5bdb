//===- TEHostOps.td - te ops of the host program ----------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_TEHOSTOPS
#define DIALECTS_TE_IR_TEHOSTOPS

include "dialects/te/IR/TEBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TE_ConstantOp : TE_Op<"constant", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor that is known at compile time";
  let description = [{
    A small tensor is `dense<...>`. A large one is `dense_resource<...>`: its bytes
    may be mapped from a file, are not uniqued, and are not printed in full.

    Example: `%w = te.constant dense_resource<conv.weight> : tensor<16x3x3x3xf32>`
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "attr-dict $value";
}

def TE_ExternOp : TE_Op<"extern", [AttrSizedOperandSegments]> {
  let summary = "call a library routine that cannot be a tensor expression";
  let description = [{
    `callee` names one of the routines of lib/Externs: `topk`, `unique`, `nonzero`,
    `compress`, `non_max_suppression` or `det`; or one of a foreign object that a user
    gives to the compiler (`--operators`). Some dynamic dims of the results
    have a size that is known before the call; `result_sizes` has these sizes.
    `size_index` has, for each dynamic dim, the position of its size in
    `result_sizes`, or -1 if the size is known only after the call. In that case
    `tensor.dim` of the result gives the size.

    After `te-plan-buffers`, the operands are memrefs, and the routine fills the
    memrefs `outs`. The sizes of the other results are known only after the call;
    these results are memrefs that the routine allocates.

    The routine gets the attributes that it knows: `axis`, a dim of the first input
    (all elements if it is absent), whether the `largest` elements are wanted, whether
    they are `sorted`, whether integers are unsigned (`is_unsigned`), and whether boxes
    are given by their centers (`center_point_box`).

    Constraints:
    - (C1) `size_index` has one entry for each dynamic dim of all results, in order,
      which is -1 or a position in `result_sizes`.
    - (C2) if there are `outs`, no operand or result is a tensor.
    - (C3) `axis` is a dim of the first input; `topk` has one.
    - (C4) every other attribute has the name of a dialect in its name.

    Example:
    ```mlir
    %v, %i = te.extern @topk(%x, %k) sizes (%kk) [0, 0] {axis = 1 : i64} : (tensor<3x9xf32>, tensor<1xi64>) -> (tensor<3x?xf32>, tensor<3x?xi64>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
    Variadic<Index>:$result_sizes, Variadic<AnyMemRef>:$outs, DenseI64ArrayAttr:$size_index,
    OptionalAttr<I64Attr>:$axis, UnitAttr:$center_point_box, UnitAttr:$is_unsigned,
    DefaultValuedAttr<BoolAttr, "true">:$largest, DefaultValuedAttr<BoolAttr, "true">:$sorted);
  let results = (outs Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `sizes` `(` $result_sizes `)` $size_index
    (`outs` `(` $outs^ `:` type($outs) `)`)? attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1; // C1 to C4
  let extraClassDeclaration = [{
    /// Returns whether `te-plan-buffers` has assigned buffers to the results.
    bool isOnMemory() {
      return !getOuts().empty() ||
             ::llvm::any_of(getResultTypes(), ::llvm::IsaPred<::mlir::MemRefType>);
    }
  }];
}

def TE_JoinOp : TE_Op<"join", [Pure]> {
  let summary = "tensors one after the other along a dim, in one tensor";
  let description = [{
    The elements of the result are those of the parts, one part after the other along
    dim `axis`. The op occurs in the host program once `layout-place-joins` has decided
    that the parts are computed in the memory of the result. `te-plan-buffers` gives
    each part its place there, and nothing is copied.

    Constraints:
    - (C1) there are two parts or more. They have the element type of the result, and
      its sizes in all dims but `axis`.
    - (C2) `axis` is a dim of the result. Its size is a constant, and the sum of those of
      the parts.

    Example: `%c = te.join %a, %b axis 1 : (tensor<?x3xf32>, tensor<?x4xf32>) -> tensor<?x7xf32>`
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$parts, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$parts `axis` $axis attr-dict `:` functional-type($parts, $result)";
  let hasVerifier = 1; // C1, C2
}

def TE_CheckOp : TE_Op<"check"> {
  let summary = "fail the run unless a condition holds";
  let description = [{
    This op occurs in the host program. The user sees the message and the name of
    the node in the model; this name is the location of the op.

    Example: `te.check %same, "expected equal sizes for dim 'N'"`
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def TE_PollOp : TE_Op<"poll"> {
  let summary = "end the run if its caller has cancelled it";
  let description = [{
    This op occurs in loops of the host program that launch nothing. A launch
    does the same check itself.

    Example: `te.poll`
  }];
  let assemblyFormat = "attr-dict";
}

def TE_RandomKeyOp : TE_Op<"random_key"> {
  let summary = "the key from which a node computes its random numbers";
  let description = [{
    This op occurs in the host program. Each execution returns another key, in this
    run and in later ones, so the op has an effect and is never merged with another.
    `stream` identifies the node. With a `seed`, the key depends on this seed, the
    run, and the number of earlier executions of the node in the run. Without one,
    it depends on the seed of the session and on `stream`, too.

    Example: `%key = te.random_key 17 seed 42`
  }];
  let arguments = (ins I64Attr:$stream, OptionalAttr<I64Attr>:$seed);
  let results = (outs I64:$key);
  let assemblyFormat = "$stream (`seed` $seed^)? attr-dict";
}

def TE_ResultOp : TE_Op<"result"> {
  let summary = "the buffer of a result of the program";
  let description = [{
    The buffer has the given sizes. The caller provides it, or the runtime allocates
    it. `number` is the index of the result among the results of the host program.
    `te-plan-buffers` creates this op.

    Constraints:
    - (C1) there is one size for each dynamic dim.
    - (C2) the enclosing function has a result `number` of the same rank and element
      type.

    Example: `%y = te.result 0 (%n) : memref<?x4xf32>`
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$number, Variadic<Index>:$sizes);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "$number `(` $sizes `)` attr-dict `:` type($buffer)";
  let hasVerifier = 1; // C1, C2
}

#endif // DIALECTS_TE_IR_TEHOSTOPS
