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

/// Returns the row that builds version `version` of an operator, or null if there is no such row.
const OperatorRow *findOperator(llvm::StringRef domain, llvm::StringRef name, int64_t version);

/// Returns whether there are rows for a domain; "" is the standard domain.
bool hasDomain(llvm::StringRef domain);

/// Returns advice on what to use instead of an unsupported operator; empty if there is no advice.
llvm::StringRef findHint(llvm::StringRef domain, llvm::StringRef name);

struct ListedOperator {
  std::string domain; ///< empty for the standard domain
  const OperatorRow *row;
};
/// Returns the rows of all supported operators, sorted by domain, name and version.
std::vector<ListedOperator> listOperators();

} // namespace tssa::operators

#endif // TSSA_OPERATORS_CATALOGUE_H
