//===- Signature.cpp - symbolic sizes of a program's arguments -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Signature.h"
#include "dialects/te/IR/Program.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tssa::te {

EntrySymbols::EntrySymbols(func::FuncOp function) {
  llvm::StringMap<unsigned> byName;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    numbers.emplace_back();
    sizes.emplace_back();
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasRank())
      continue;
    PortAttr port = getArgumentPort(function, i);
    for (auto [d, size] : llvm::enumerate(shaped.getShape())) {
      Attribute dim = port ? port.getDim(d) : Attribute();
      auto constant = dyn_cast_or_null<IntegerAttr>(dim);
      auto name = dyn_cast_or_null<StringAttr>(dim);
      if (ShapedType::isStatic(size) || constant) {
        numbers.back().push_back(-1);
        sizes.back().push_back(ShapedType::isStatic(size) ? size : constant.getInt());
        continue;
      }
      std::string text = name && !name.empty()
                             ? name.str()
                             : getName(port, "arg" + Twine(i)) + "." + std::to_string(d);
      auto [entry, isNew] = byName.try_emplace(text, symbols.size());
      if (isNew)
        symbols.push_back({text, unsigned(i), unsigned(d)});
      numbers.back().push_back(entry->second);
      sizes.back().push_back(ShapedType::kDynamic);
    }
  }
}

std::optional<unsigned> EntrySymbols::lookup(unsigned argument, unsigned dim) const {
  if (numbers[argument][dim] < 0)
    return std::nullopt;
  return numbers[argument][dim];
}

std::optional<int64_t> EntrySymbols::lookupStatic(unsigned argument, unsigned dim) const {
  if (numbers[argument][dim] >= 0)
    return std::nullopt;
  return sizes[argument][dim];
}

std::optional<unsigned> EntrySymbols::lookup(StringRef name) const {
  for (auto [i, symbol] : llvm::enumerate(symbols))
    if (symbol.name == name)
      return i;
  return std::nullopt;
}

} // namespace mlir::tssa::te
