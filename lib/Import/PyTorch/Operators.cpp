//===- Operators.cpp - the table of operators and their functions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tssa::pytorch {

bool Operator::hasOverload(StringRef overload) const {
  return is_contained(overloads, overload.empty() ? "-" : overload);
}

static std::vector<std::string> splitOverloads(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ' ');
  return std::vector<std::string>(parts.begin(), parts.end());
}

void OperatorTable::compute(const Twine &name, StringRef overloads, Compute fn, Layout layout) {
  operators[name.str()].push_back({splitOverloads(overloads), std::move(fn), nullptr, layout});
}

void OperatorTable::evaluate(const Twine &name, StringRef overloads, Evaluate fn) {
  operators[name.str()].push_back({splitOverloads(overloads), nullptr, std::move(fn)});
}

const Operator *OperatorTable::find(StringRef op) const {
  auto [name, overload] = op.split('.');
  auto it = operators.find(name);
  if (it == operators.end())
    return nullptr;
  for (const Operator &candidate : it->second)
    if (candidate.hasOverload(overload))
      return &candidate;
  return nullptr;
}

std::vector<std::string> OperatorTable::list() const {
  std::vector<std::string> names;
  for (const auto &entry : operators)
    for (const Operator &op : entry.second)
      for (const std::string &overload : op.overloads)
        names.push_back(overload == "-" ? entry.getKey().str()
                                        : (entry.getKey() + "." + overload).str());
  llvm::sort(names);
  return names;
}

const OperatorTable &OperatorTable::get() {
  static const OperatorTable table = [] {
    OperatorTable made;
    registerAdvancedIndexing(made);
    registerContainers(made);
    registerCopies(made);
    registerElementwise(made);
    registerFactories(made);
    registerFourier(made);
    registerIndexing(made);
    registerNetwork(made);
    registerNumbers(made);
    registerReductions(made);
    registerScans(made);
    registerScatter(made);
    registerSorting(made);
    registerViews(made);
    registerWindows(made);
    return made;
  }();
  return table;
}

} // namespace tssa::pytorch
