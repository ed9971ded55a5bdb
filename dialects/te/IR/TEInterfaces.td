//===- TEInterfaces.td - the interface of tensor expressions -*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_TEINTERFACES
#define DIALECTS_TE_IR_TEINTERFACES

include "mlir/IR/OpBase.td"

def TE_ExpressionOpInterface : OpInterface<"ExpressionOpInterface"> {
  let cppNamespace = "::mlir::tssa::te";
  let description = [{
    A tensor expression: an op whose results are defined element by element over an
    iteration domain. Analyses, schedulers and lowerings use this interface. It leaves out
    what only one of the ops has: the base of an update, the pieces of a te.compute, the
    direction of a scan.

    The iteration domain is a box of dims. `getDimKind` says in which order the points
    along a dim may run. Bodies are the regions that compute on scalars at a point;
    accesses are the elements that a point reads and writes (Expression.h).
  }];
  let methods = [
    InterfaceMethod<"The size of each dim of the iteration domain: an IndexAttr, or a value of type index. Null where no value holds the size, which does not happen in a kernel.",
      "::llvm::SmallVector<::mlir::OpFoldResult>", "getIterationDomain">,
    InterfaceMethod<"In which order the points along dim `dim` of the iteration domain may run.",
      "::mlir::tssa::te::DimKind", "getDimKind", (ins "unsigned":$dim)>,
    InterfaceMethod<"The regions that run at points, in order, without the combiner.",
      "::llvm::SmallVector<::mlir::tssa::te::ExpressionBody>", "getBodies">,
    InterfaceMethod<"The region that combines two values of one element; empty if none are combined.",
      "::mlir::Region &", "getCombiner">,
    InterfaceMethod<"The elements that the points read. Elements of a base that no point writes are kept, not read.",
      "::llvm::SmallVector<::mlir::tssa::te::TensorAccess>", "getReads", (ins), [{}],
      [{ return ::mlir::tssa::te::collectReadAccesses($_op); }]>,
    InterfaceMethod<"The elements that the points write, for each result.",
      "::llvm::SmallVector<::mlir::tssa::te::TensorAccess>", "getWrites">,
    InterfaceMethod<"The size of dim `dim` of the results: an IndexAttr, a value, or null where no value holds it.",
      "::mlir::OpFoldResult", "findResultSize", (ins "unsigned":$dim)>,
    InterfaceMethod<"The name by which the schedule of its kernel refers to the expression; null before it has one.",
      "::mlir::StringAttr", "getLabelAttr">,
    InterfaceMethod<"Sets the label.", "void", "setLabelAttr", (ins "::mlir::StringAttr":$label)>,
  ];
}

#endif // DIALECTS_TE_IR_TEINTERFACES
