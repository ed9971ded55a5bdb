//===- KernelAmounts.cpp - what a launch computes and moves ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/KernelAmounts.h"
#include "dialects/te/Analysis/Character.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

Polynomial KernelAmounts::add(ArrayRef<Polynomial> terms) {
  Polynomial sum;
  for (const Polynomial &term : terms)
    sum = sum + term;
  return sum;
}

KernelAmounts te::getAmounts(KernelOp kernel) {
  KernelAmounts amounts;
  SizeTable sizes(kernel.getContext());
  llvm::MapVector<Value, TensorTraffic> read;
  Operation *terminator = kernel.getBodyBlock().getTerminator();
  auto getBytes = [&](const TensorTraffic &traffic) {
    amounts.isExact &= traffic.isExact;
    return traffic.elements * Polynomial(traffic.elementBytes);
  };
  for (auto expression : kernel.getBodyBlock().getOps<ExpressionOpInterface>()) {
    Character character = getCharacter(expression, sizes);
    amounts.operations = amounts.operations + character.operations;
    for (const TensorTraffic &traffic : character.reads)
      if (isa<BlockArgument>(traffic.tensor)) {
        auto [entry, isNew] = read.try_emplace(traffic.tensor, traffic);
        if (!isNew && assumeSizes(entry->second.elements) < assumeSizes(traffic.elements))
          entry->second = traffic;
      }
    for (const TensorTraffic &traffic : character.writes)
      if (llvm::is_contained(traffic.tensor.getUsers(), terminator))
        amounts.writes.push_back(getBytes(traffic));
  }
  for (const auto &entry : read)
    amounts.reads.push_back(getBytes(entry.second));
  amounts.symbols = llvm::to_vector(sizes.getValues());
  return amounts;
}
