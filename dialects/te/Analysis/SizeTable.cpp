//===- SizeTable.cpp - products and sums of sizes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/SizeTable.h"
#include "dialects/te/IR/Sizes.h"
#include <limits>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

Polynomial SizeTable::get(OpFoldResult size) {
  if (size)
    if (std::optional<int64_t> constant = getConstantSize(size))
      return Polynomial(*constant);
  AffineExpr next = getAffineSymbolExpr(values.size(), context);
  if (!size) {
    values.push_back({});
    return Polynomial(next);
  }
  auto [entry, isNew] = symbols.try_emplace(cast<Value>(size), next);
  if (isNew)
    values.push_back(cast<Value>(size));
  return Polynomial(entry->second);
}

Polynomial SizeTable::getProduct(ArrayRef<OpFoldResult> sizes) {
  Polynomial product(1);
  for (OpFoldResult size : sizes)
    product = product * get(size);
  return product;
}

double te::assumeSizes(const Polynomial &polynomial) {
  if (!polynomial.isValid())
    return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const Term &term : polynomial.getTerms()) {
    double product = term.coefficient;
    for (size_t i = 0; i < term.atoms.size(); ++i)
      product *= assumedSize;
    sum += product;
  }
  return sum;
}
