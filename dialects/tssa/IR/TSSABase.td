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
    A `!tssa.ref` is a reference: a tensor with identity, which is a view of a
    storage. A builtin tensor is a value. `tssa.alloc` creates a reference,
    `tssa.view` derives one from another, `tssa.read` reads the elements and
    `tssa.write`, the only op that writes, overwrites them. `tssa.access` and
    `tssa.assign` are the counterparts of view and write on values. After
    functionalization only these two are left.

    Views, accesses and assigns select elements by a path, a list of view steps.
    An integer of a step is a constant, or `?` for the next index operand.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def TSSA_RefType : TypeDef<TSSA_Dialect, "Ref"> {
  let mnemonic = "ref";
  let summary = "a reference to a tensor: a view of a storage";
  let description = [{
    Sizes are static or `?`. The sizes of a ref never change during a run.

    Example: `!tssa.ref<4x?xf32>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tensor), [{
    return $_get(tensor.getContext(), tensor.getShape(), tensor.getElementType());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the type of the tensor that `tssa.read` of this ref gives.
    ::mlir::RankedTensorType getTensorType() const {
      return ::mlir::RankedTensorType::get(getShape(), getElementType());
    }
    int64_t getRank() const { return getShape().size(); }
  }];
}

/// A view step: a name and a list of integers, written `name(1, ?)` in a path.
/// `overridden` lists the methods that replace a default of the interface.
class TSSA_Step<string name, string stepName, list<string> overridden>
    : AttrDef<TSSA_Dialect, name, [DeclareAttrInterfaceMethods<ViewStep, overridden>]> {
  let mnemonic = stepName;
  let parameters = (ins ArrayRefParameter<"int64_t">:$integers);
  let assemblyFormat = "`<` custom<StepIntegers>($integers) `>`";
  let genVerifyDecl = 1;
}

def TSSA_SelectAttr : TSSA_Step<"Select", "select",
    ["mayVary", "coversBase", "narrow"]> {
  let summary = "takes element `index` of dim `dim` and drops the dim: select(dim, index)";
  let description = [{
    `index` is at least 0 and below the size of the dim. Front ends add the size to a
    negative index.
  }];
}

def TSSA_SliceAttr : TSSA_Step<"Slice", "slice",
    ["mayVary", "coversBase", "compose", "narrow"]> {
  let summary = "takes `size` elements of dim `dim`: slice(dim, start, size, step)";
  let description = [{
    Takes the elements start, start + step, and so on. All of them must exist;
    front ends clamp. The stride `step` is a constant of at least 1.
  }];
}

def TSSA_PermuteAttr : TSSA_Step<"Permute", "permute",
    ["compose", "narrow"]> {
  let summary = "reorders the dims: dim i of the view is dim p_i of the base: permute(p0, p1, ...)";
}

def TSSA_UnsqueezeAttr : TSSA_Step<"Unsqueeze", "unsqueeze",
    ["narrow"]> {
  let summary = "inserts a dim of size 1 at position `dim`: unsqueeze(dim)";
}

def TSSA_SqueezeAttr : TSSA_Step<"Squeeze", "squeeze",
    ["narrow"]> {
  let summary = "removes dim `dim`, which has size 1: squeeze(dim)";
}

def TSSA_ExpandAttr : TSSA_Step<"Expand", "expand",
    ["mayVary", "isInjective", "coversBase"]> {
  let summary = "repeats dim `dim`, which has size 1, `size` times: expand(dim, size)";
  let description = [{
    No write may go through an expanded view, because several elements of the view
    are the same element of the base.
  }];
}

def TSSA_ReshapeAttr : TSSA_Step<"Reshape", "reshape",
    ["mayVary", "compose"]> {
  let summary = "changes the sizes and keeps the row-major order of the elements: reshape(s0, s1, ...)";
}

#endif // DIALECTS_TSSA_IR_TSSABASE
