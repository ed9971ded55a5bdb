//===- Catalogue.cpp - all operators -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/Catalogue.h"
#include "lib/Operators/Families.h"

using namespace mlir;

namespace tssa::operators {

static std::string getKey(StringRef domain, StringRef op) {
  bool isStandard = domain.empty() || domain == "ai.onnx";
  return ((isStandard ? StringRef() : domain) + ":" + op).str();
}

static const llvm::StringMap<OperatorRows> &getCatalogue() {
  static const llvm::StringMap<OperatorRows> catalogue = [] {
    llvm::StringMap<OperatorRows> result;
    auto add = [&](StringRef domain, OperatorRows rows) {
      for (OperatorRow &row : rows)
        result[getKey(row.domain ? row.domain->name : domain, row.name)].push_back(std::move(row));
    };
#define FAMILY(DOMAIN, NAME) add(DOMAIN, get##NAME##Rows());
#include "lib/Operators/Families.def"
    return result;
  }();
  return catalogue;
}

static ArrayRef<OperatorRow> findRows(StringRef domain, StringRef name) {
  auto it = getCatalogue().find(getKey(domain, name));
  return it == getCatalogue().end() ? ArrayRef<OperatorRow>() : ArrayRef(it->second);
}

const OperatorRow *findOperator(StringRef domain, StringRef name, int64_t version) {
  for (const OperatorRow &row : findRows(domain, name))
    if (row.function && row.versions.since <= version && version <= row.versions.until)
      return &row;
  return nullptr;
}

bool hasDomain(StringRef domain) {
  std::string start = getKey(domain, "");
  return llvm::any_of(getCatalogue().keys(), [&](StringRef key) { return key.starts_with(start); });
}

StringRef findHint(StringRef domain, StringRef name) {
  for (StringRef key : {name, StringRef()})
    for (const OperatorRow &row : findRows(domain, key))
      if (!row.hint.text.empty())
        return row.hint.text;
  return "";
}

std::vector<ListedOperator> listOperators() {
  std::vector<ListedOperator> listed;
  for (const auto &[key, rows] : getCatalogue())
    for (const OperatorRow &row : rows)
      if (row.function)
        listed.push_back({StringRef(key).split(':').first.str(), &row});
  llvm::sort(listed, [](const ListedOperator &a, const ListedOperator &b) {
    return std::tie(a.domain, a.row->name, a.row->versions.since) <
           std::tie(b.domain, b.row->name, b.row->versions.since);
  });
  return listed;
}

} // namespace tssa::operators
