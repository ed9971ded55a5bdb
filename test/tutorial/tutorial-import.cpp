//===- tutorial-import.cpp - print what the tutorial's operator builds -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: tutorial-import TYPE TYPE
/// Builds a program around SquaredLoss for two tensors of f32 or f64, such as
/// `tensor<?x4xf32>`, and prints it.
///
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "test/tutorial/SquaredLoss.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ::tssa::operators;

static DType getDType(Value tensor) {
  return getElementTypeOrSelf(tensor).isF64() ? DType::F64 : DType::F32;
}

/// Fills `main`, a function of two arguments, with the operator.
static LogicalResult buildProgram(OpBuilder &ops, func::FuncOp main) {
  OperatorRows rows = getSquaredLossRows();
  SizeTable sizes;
  ::tssa::operators::Builder builder(ops, sizes);
  Node node;
  for (Value argument : main.getArguments())
    node.inputs.push_back(builder.wrap(argument, getDType(argument)));
  FailureOr<Tensors> results = rows.front().build(builder, node);
  if (failed(results)) {
    llvm::errs() << "error: " << builder.faultText() << "\n";
    return failure();
  }
  Value result = builder.value(results->front());
  func::ReturnOp::create(ops, main.getLoc(), result);
  main.setFunctionType(ops.getFunctionType(main.getArgumentTypes(), result.getType()));
  return success();
}

int main(int argc, char **argv) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, tensor::TensorDialect,
                      mlir::tssa::te::TEDialect>();
  SmallVector<Type> types;
  for (const char *text : llvm::ArrayRef(argv, argc).drop_front())
    types.push_back(parseType(text, &context));
  auto isTensorOfFloats = [](Type type) {
    Type element = isa_and_present<RankedTensorType>(type) ? getElementTypeOrSelf(type) : Type();
    return element && (element.isF32() || element.isF64());
  };
  if (types.size() != 2 || !llvm::all_of(types, isTensorOfFloats)) {
    llvm::errs() << "usage: tutorial-import TYPE TYPE\n";
    return 2;
  }
  OpBuilder ops(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(ops, ops.getUnknownLoc());
  ops.setInsertionPointToEnd(module->getBody());
  auto main =
      func::FuncOp::create(ops, ops.getUnknownLoc(), "main", ops.getFunctionType(types, {}));
  ops.setInsertionPointToStart(main.addEntryBlock());
  if (failed(buildProgram(ops, main)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
