//===- StructuralHash.cpp - a hash of regions by their structure -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/StructuralHash.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Region.h"

using namespace mlir;
using namespace mlir::tssa;

namespace {
class Hasher {
public:
  llvm::hash_code hash(Operation *op) {
    llvm::hash_code code =
        llvm::hash_combine(op->getName(), op->getDiscardableAttrDictionary(), op->hashProperties(),
                           op->getNumOperands(), op->getNumResults());
    for (Value operand : op->getOperands())
      code = llvm::hash_combine(code, hash(operand));
    for (Value result : op->getResults()) {
      code = llvm::hash_combine(code, result.getType());
      define(result);
    }
    for (Region &region : op->getRegions())
      code = llvm::hash_combine(code, hash(region));
    return code;
  }

  llvm::hash_code hash(Region &region) {
    llvm::hash_code code = llvm::hash_value(region.getBlocks().size());
    for (Block &block : region) {
      for (Value argument : block.getArguments()) {
        code = llvm::hash_combine(code, argument.getType());
        define(argument);
      }
      for (Operation &op : block)
        code = llvm::hash_combine(code, hash(&op));
    }
    return code;
  }

private:
  void define(Value value) { numbers.try_emplace(value, numbers.size()); }

  llvm::hash_code hash(Value value) {
    auto it = numbers.find(value);
    return it != numbers.end() ? llvm::hash_combine(0, it->second)
                               : llvm::hash_combine(1, value.getAsOpaquePointer());
  }

  llvm::DenseMap<Value, size_t> numbers;
};
} // namespace

llvm::hash_code te::hashRegion(Region &region) { return Hasher().hash(region); }

llvm::hash_code te::hashOperation(Operation *op) { return Hasher().hash(op); }
