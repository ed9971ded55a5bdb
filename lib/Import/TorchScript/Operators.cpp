//===- Operators.cpp - which function imports which operator -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/TorchScript/Operators.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tssa::torchscript {

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

const Operator *OperatorTable::lookup(StringRef name, StringRef overload) const {
  auto it = operators.find(name);
  if (it == operators.end())
    return nullptr;
  for (const Operator &op : it->second)
    if (op.hasOverload(overload))
      return &op;
  return nullptr;
}

std::optional<Use> OperatorTable::find(StringRef op) const {
  auto [name, overload] = op.split('.');
  if (const Operator *found = lookup(name, overload))
    return Use{found, name.str(), overload.str(), Use::Functional};
  if (name.ends_with("_") && !name.ends_with("__")) {
    StringRef functional = name.drop_back();
    if (const Operator *found = lookup(functional, overload); found && found->compute)
      return Use{found, functional.str(), overload.str(), Use::InPlace};
  }
  // In-place operators of Python: a += b on tensors is __iadd__.
  if (name.consume_front("aten::__i") && name.consume_back("__"))
    if (const Operator *found = lookup(("aten::__" + name + "__").str(), overload);
        found && found->compute)
      return Use{found, ("aten::__" + name + "__").str(), overload.str(), Use::InPlace};
  name = op.split('.').first;
  if (overload != "out" && !overload.consume_back("_out"))
    return std::nullopt;
  // "out" stands for the overload on tensors.
  for (StringRef candidate : {overload == "out" ? StringRef("Tensor") : overload, StringRef()})
    if (const Operator *found = lookup(name, candidate); found && found->compute)
      return Use{found, name.str(), candidate.str(), Use::Out};
  return std::nullopt;
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

} // namespace tssa::torchscript
