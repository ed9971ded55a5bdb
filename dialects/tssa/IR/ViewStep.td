//===- ViewStep.td - the interface of view steps ----------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_IR_VIEWSTEP
#define DIALECTS_TSSA_IR_VIEWSTEP

include "mlir/IR/OpBase.td"

def ViewStep : AttrInterface<"ViewStep"> {
  let cppNamespace = "::mlir::tssa::refs";
  let description = [{
    One step of a view path. `tssa.view`, `tssa.access` and `tssa.assign` share
    the implementation of each step, so that a new kind of view is one attribute.

    In all methods `integers` are those of `getIntegers` with a value bound to each
    `?`. The sizes and integers of `mapOut` and `mapIn` are affine constants or
    symbols.
  }];
  let methods = [
    InterfaceMethod<"Returns the keyword of the step in the text of a path.",
      "::llvm::StringRef", "getStepName", (ins), [{}], [{ return ConcreteAttr::getMnemonic(); }]>,
    InterfaceMethod<"Returns the integers of the step, with ShapedType::kDynamic for `?`.",
      "::llvm::ArrayRef<int64_t>", "getIntegers">,
    InterfaceMethod<"Returns whether integer `position` may be a `?`.",
      "bool", "mayVary", (ins "unsigned":$position), [{}], [{ return false; }]>,
    InterfaceMethod<"Returns the same step with other integers.",
      "::mlir::tssa::refs::ViewStep", "withIntegers", (ins "::llvm::ArrayRef<int64_t>":$integers)>,
    InterfaceMethod<"Returns the shape of the view of a tensor of shape `shape`. Emits an error and fails if the step does not fit.",
      "::mlir::FailureOr<::llvm::SmallVector<int64_t>>", "inferShape",
      (ins "::llvm::ArrayRef<int64_t>":$shape,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<"Returns the sizes of the view of a tensor of sizes `sizes`.",
      "::llvm::SmallVector<::mlir::OpFoldResult>", "reifyShape",
      (ins "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
           "::llvm::ArrayRef<::mlir::OpFoldResult>":$integers)>,
    InterfaceMethod<"Returns the index in the base of the element that the view has at `point`. The base has the sizes `sizes`.",
      "::llvm::SmallVector<::mlir::AffineExpr>", "mapOut",
      (ins "::llvm::ArrayRef<::mlir::AffineExpr>":$point,
           "::llvm::ArrayRef<::mlir::AffineExpr>":$integers,
           "::llvm::ArrayRef<::mlir::AffineExpr>":$sizes,
           "::mlir::MLIRContext *":$context)>,
    InterfaceMethod<"Inverse of `mapOut`: returns the index in the view of the element that the base has at `point`, with the constraints under which the element is in the view. Returns nothing if the view may have the element at several indexes.",
      "::std::optional<::mlir::tssa::refs::InverseMap>", "mapIn",
      (ins "::llvm::ArrayRef<::mlir::AffineExpr>":$point,
           "::llvm::ArrayRef<::mlir::AffineExpr>":$integers,
           "::llvm::ArrayRef<::mlir::AffineExpr>":$sizes,
           "::mlir::MLIRContext *":$context)>,
    InterfaceMethod<"Returns whether different elements of the view are different elements of the base.",
      "bool", "isInjective", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<"Returns whether each element of the base is in the view.",
      "bool", "coversBase", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<"Returns one step that does this step and then `next`, or nothing if there is no such step.",
      "::std::optional<::mlir::tssa::refs::BoundStep>", "compose",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::llvm::ArrayRef<::mlir::OpFoldResult>":$integers,
           "const ::mlir::tssa::refs::BoundStep &":$next),
      [{}], [{ return std::nullopt; }]>,
    InterfaceMethod<"Changes `box`, the box of a view, to the box of this step applied to that view. Returns false if the result is not a box.",
      "bool", "narrow",
      (ins "::mlir::tssa::refs::Box &":$box, "::llvm::ArrayRef<::mlir::OpFoldResult>":$integers),
      [{}], [{ return false; }]>,
  ];
}

#endif // DIALECTS_TSSA_IR_VIEWSTEP
