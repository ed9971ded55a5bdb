//===- TSSABase.td - the tssa dialect, its type and view steps -*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_IR_TSSABASE
#define DIALECTS_TSSA_IR_TSSABASE

include "dialects/tssa/IR/ViewStep.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def TSSA_Dialect : Dialect {
  let name = "tssa";
  let cppNamespace = "::mlir::tssa::refs";
  let summary = "imperative tensor programs: references, views and writes";
  let description = [{
    A `!tssa.ref` is a tensor with identity: a name for a window on a storage. A
    builtin tensor is a value. Refs are made by `tssa.alloc`, narrowed by
    `tssa.view`, looked at by `tssa.read` and changed by `tssa.write`, the only
    write. `tssa.access` and `tssa.assign` are view and write on values: what is
    left when no ref is.

    Views, accesses and assigns name their window by a path, a list of steps. An
    integer of a step is a constant, or `?` for the next index operand.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def TSSA_RefType : TypeDef<TSSA_Dialect, "Ref"> {
  let mnemonic = "ref";
  let summary = "a window on a storage of tensor elements";
  let description = [{
    Sizes are static or `?`; the size of a ref never changes.

    Example: `!tssa.ref<4x?xf32>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tensor), [{
    return $_get(tensor.getContext(), tensor.getShape(), tensor.getElementType());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The type of what a read of the whole ref gives.
    ::mlir::RankedTensorType getTensorType() const {
      return ::mlir::RankedTensorType::get(getShape(), getElementType());
    }
    int64_t getRank() const { return getShape().size(); }
  }];
}

/// A step is its name and a list of integers, written `name(1, ?)` in a path.
/// `overridden` names the methods that it does not have from the interface.
class TSSA_Step<string name, string stepName, list<string> overridden>
    : AttrDef<TSSA_Dialect, name, [DeclareAttrInterfaceMethods<ViewStep, overridden>]> {
  let mnemonic = stepName;
  let parameters = (ins ArrayRefParameter<"int64_t">:$integers);
  let assemblyFormat = "`<` custom<StepIntegers>($integers) `>`";
  let genVerifyDecl = 1;
}

def TSSA_SelectAttr : TSSA_Step<"Select", "select",
    ["mayVary", "coversBase", "narrow"]> {
  let summary = "element `index` of dim `dim`, which goes: select(dim, index)";
  let description = [{ 0 <= index < size; front ends add the size to a negative index. }];
}

def TSSA_SliceAttr : TSSA_Step<"Slice", "slice",
    ["mayVary", "coversBase", "compose", "narrow"]> {
  let summary = "`size` elements of dim `dim`: slice(dim, start, size, step)";
  let description = [{
    Elements start, start + step, ..., all of which exist; front ends clamp. The
    step is a constant of at least 1.
  }];
}

def TSSA_PermuteAttr : TSSA_Step<"Permute", "permute",
    ["compose", "narrow"]> {
  let summary = "dims in another order: dim i is dim permute(p0, p1, ...)[i] of the base";
}

def TSSA_UnsqueezeAttr : TSSA_Step<"Unsqueeze", "unsqueeze",
    ["narrow"]> {
  let summary = "a new dim of size 1 at `dim`: unsqueeze(dim)";
}

def TSSA_SqueezeAttr : TSSA_Step<"Squeeze", "squeeze",
    ["narrow"]> {
  let summary = "without dim `dim`, of size 1: squeeze(dim)";
}

def TSSA_ExpandAttr : TSSA_Step<"Expand", "expand",
    ["mayVary", "isInjective", "coversBase"]> {
  let summary = "dim `dim`, of size 1, repeated `size` times: expand(dim, size)";
  let description = [{ No write goes through it: several elements are one. }];
}

def TSSA_ReshapeAttr : TSSA_Step<"Reshape", "reshape",
    ["mayVary", "compose"]> {
  let summary = "the same elements in row-major order in other sizes: reshape(s0, s1, ...)";
}

#endif // DIALECTS_TSSA_IR_TSSABASE
