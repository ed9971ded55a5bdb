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
    InterfaceMethod<"Returns the size of each dim of the iteration domain, as an IndexAttr or a value of type index. A size is null if no value holds it, which is never the case in a kernel.",
      "::llvm::SmallVector<::mlir::OpFoldResult>", "getIterationDomain">,
    InterfaceMethod<"Returns the order in which the points along dim `dim` of the iteration domain may run.",
      "::mlir::tssa::te::DimKind", "getDimKind", (ins "unsigned":$dim)>,
    InterfaceMethod<"Returns the regions that run at points, in order, without the combiner.",
      "::llvm::SmallVector<::mlir::tssa::te::ExpressionBody>", "getBodies">,
    InterfaceMethod<"Returns the region that combines two values of one element. It is empty if no values are combined.",
      "::mlir::Region &", "getCombiner">,
    InterfaceMethod<"Returns the elements that the points read. The elements of a base that no point writes do not count as read.",
      "::llvm::SmallVector<::mlir::tssa::te::TensorAccess>", "getReads", (ins), [{}],
      [{ return ::mlir::tssa::te::collectReadAccesses($_op); }]>,
    InterfaceMethod<"Returns the elements that the points write, for each result.",
      "::llvm::SmallVector<::mlir::tssa::te::TensorAccess>", "getWrites">,
    InterfaceMethod<"Returns the size of dim `dim` of the results, as an IndexAttr or a value, or null if no value holds it.",
      "::mlir::OpFoldResult", "findResultSize", (ins "unsigned":$dim)>,
    InterfaceMethod<"Returns the name by which the schedule of the kernel refers to the expression, or null if it has none yet.",
      "::mlir::StringAttr", "getLabelAttr">,
    InterfaceMethod<"Sets the label.", "void", "setLabelAttr", (ins "::mlir::StringAttr":$label)>,
  ];
}

#endif // DIALECTS_TE_IR_TEINTERFACES
