//===- Boundary.cpp - refs in the signature of a function -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/Boundary.h"
#include "dialects/te/IR/Program.h"
#include "dialects/tssa/Analysis/Storages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

Boundary::Boundary(func::FuncOp function) : function(function) {
  Block &body = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (BlockArgument argument : body.getArguments()) {
    auto type = dyn_cast<RefType>(argument.getType());
    if (!type)
      continue;
    argument.setType(type.getTensorType());
    auto storage = AllocOp::create(builder, argument.getLoc(), argument);
    argument.replaceAllUsesExcept(storage.getRef(), storage);
    arguments[storage.getRef()] = argument.getArgNumber();
  }
  findWritten();
}

void Boundary::findWritten() {
  llvm::SmallDenseSet<Value> roots;
  function.walk([&](WriteOp write) { roots.insert(getRoot(write.getRef())); });
  for (auto [storage, number] : arguments)
    if (roots.contains(storage))
      written.push_back({number, storage});
  llvm::sort(written, [](auto &left, auto &right) { return left.first < right.first; });
}

SmallVector<Boundary::Returned> Boundary::findReturned() const {
  SmallVector<Returned> returned;
  Operation *terminator = func::FuncOp(function).getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(terminator->getOperands())) {
    auto argument = arguments.find(isa<RefType>(value.getType()) ? getRoot(value) : Value());
    if (argument == arguments.end())
      continue;
    Returned result{static_cast<unsigned>(number), argument->second, {}, {}};
    result.path = splitPath(terminator->getContext(), getPathFromRoot(value), result.indexes);
    returned.push_back(std::move(result));
  }
  return returned;
}

/// Builds a tensor<kxi64> that holds the `indexes`.
static Value makeTensor(OpBuilder &builder, Location loc, ValueRange indexes) {
  Type type = builder.getI64Type();
  SmallVector<Value> elements = llvm::map_to_vector(indexes, [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, type, index);
  });
  return tensor::FromElementsOp::create(builder, loc, elements);
}

void Boundary::close(OpBuilder &builder, function_ref<Value(Value ref)> read) {
  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  builder.setInsertionPoint(terminator);
  SmallVector<Returned> returned = findReturned();
  SmallVector<Value> results;
  for (Value value : terminator->getOperands())
    results.push_back(isa<RefType>(value.getType()) ? read(value) : value);
  for (auto [argument, storage] : written)
    results.push_back(read(storage));
  for (Returned &alias : returned)
    if (!alias.indexes.empty())
      results.push_back(makeTensor(builder, terminator->getLoc(), alias.indexes));
  unsigned next = terminator->getNumOperands();
  terminator->setOperands(results);

  SmallVector<DictionaryAttr> attributes;
  function.getAllResultAttrs(attributes);
  attributes.resize(results.size(), builder.getDictionaryAttr({}));
  function.setType(builder.getFunctionType(body.getArgumentTypes(), terminator->getOperandTypes()));
  function.setAllResultAttrs(attributes);
  for (auto [argument, storage] : written) {
    te::PortAttr port = te::getArgumentPort(function, argument);
    port = port ? port : te::PortAttr::get(function.getContext());
    te::setResultPort(function, next++, port.writingBack(argument));
  }
  for (Returned &alias : returned) {
    te::PortAttr port = te::getResultPort(function, alias.result);
    port = port ? port : te::PortAttr::get(function.getContext());
    std::optional<unsigned> indexes;
    if (!alias.indexes.empty())
      indexes = next++;
    te::setResultPort(
        function, alias.result,
        port.aliasing(alias.argument, alias.path.empty() ? ArrayAttr() : alias.path, indexes));
  }
}
