//===- Catalogue.h - all operators -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_OPERATORS_CATALOGUE_H
#define TSSA_OPERATORS_CATALOGUE_H

#include "tssa/Operators/OperatorRow.h"

namespace tssa::operators {

/// The row that builds this version of an operator, null if there is none.
const OperatorRow *findOperator(llvm::StringRef domain, llvm::StringRef name, int64_t version);

/// What to do instead of using an operator; empty if nothing is known.
llvm::StringRef findHint(llvm::StringRef domain, llvm::StringRef name);

struct ListedOperator {
  std::string domain; ///< empty for the standard one
  const OperatorRow *row;
};
/// The rows of all operators that are supported, sorted by domain, name and version.
std::vector<ListedOperator> listOperators();

} // namespace tssa::operators

#endif // TSSA_OPERATORS_CATALOGUE_H
