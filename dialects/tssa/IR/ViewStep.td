//===- ViewStep.td - what every step of a view path can do -*- tablegen -*-===//
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
    One step of a view path. The rule of a view stands here once; `tssa.view`,
    `tssa.access` and `tssa.assign` share it. A new kind of view is one attribute.

    In all methods `integers` are those of `getIntegers`, with what stands for each
    `?`; sizes and integers of maps are affine constants or symbols.
  }];
  let methods = [
    InterfaceMethod<"The word for the step in a path.",
      "::llvm::StringRef", "getStepName", (ins), [{}], [{ return ConcreteAttr::getMnemonic(); }]>,
    InterfaceMethod<"The integers of the step, ShapedType::kDynamic for `?`.",
      "::llvm::ArrayRef<int64_t>", "getIntegers">,
    InterfaceMethod<"Whether integer `position` may be a `?`.",
      "bool", "mayVary", (ins "unsigned":$position), [{}], [{ return false; }]>,
    InterfaceMethod<"The same step with other integers.",
      "::mlir::tssa::refs::ViewStep", "withIntegers", (ins "::llvm::ArrayRef<int64_t>":$integers)>,
    InterfaceMethod<"The shape of the view of a tensor of shape `shape`; fails, with an error, where the step does not fit it.",
      "::mlir::FailureOr<::llvm::SmallVector<int64_t>>", "inferShape",
      (ins "::llvm::ArrayRef<int64_t>":$shape,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<"The sizes of the view of a tensor of sizes `sizes`.",
      "::llvm::SmallVector<::mlir::OpFoldResult>", "reifyShape",
      (ins "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
           "::llvm::ArrayRef<::mlir::OpFoldResult>":$integers)>,
    InterfaceMethod<"Where in the base, of sizes `sizes`, the element at `point` of the view lies.",
      "::llvm::SmallVector<::mlir::AffineExpr>", "mapOut",
      (ins "::llvm::ArrayRef<::mlir::AffineExpr>":$point,
           "::llvm::ArrayRef<::mlir::AffineExpr>":$integers,
           "::llvm::ArrayRef<::mlir::AffineExpr>":$sizes,
           "::mlir::MLIRContext *":$context)>,
    InterfaceMethod<"The inverse: which element of the view the element at `point` of the base is, and when it is one. Nothing when there may be several.",
      "::std::optional<::mlir::tssa::refs::InverseMap>", "mapIn",
      (ins "::llvm::ArrayRef<::mlir::AffineExpr>":$point,
           "::llvm::ArrayRef<::mlir::AffineExpr>":$integers,
           "::llvm::ArrayRef<::mlir::AffineExpr>":$sizes,
           "::mlir::MLIRContext *":$context)>,
    InterfaceMethod<"Whether different elements of the view are different elements of the base.",
      "bool", "isInjective", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<"Whether every element of the base is in the view.",
      "bool", "coversBase", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<"One step that does this one and then `next`, if there is one.",
      "::std::optional<::mlir::tssa::refs::BoundStep>", "compose",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::llvm::ArrayRef<::mlir::OpFoldResult>":$integers,
           "const ::mlir::tssa::refs::BoundStep &":$next),
      [{}], [{ return std::nullopt; }]>,
    InterfaceMethod<"Makes of the box of a view the box of this view of it; false where that is none.",
      "bool", "narrow",
      (ins "::mlir::tssa::refs::Box &":$box, "::llvm::ArrayRef<::mlir::OpFoldResult>":$integers),
      [{}], [{ return false; }]>,
  ];
}

#endif // DIALECTS_TSSA_IR_VIEWSTEP
