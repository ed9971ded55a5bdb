//===- ValueNames.cpp - names of values in printed text -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/ValueNames.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

ValueNames::ValueNames(ModuleOp module) : state(module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    EntrySymbols symbols(function);
    function.walk([&](tensor::DimOp op) {
      auto argument = dyn_cast<BlockArgument>(op.getSource());
      std::optional<int64_t> dim = op.getConstantIndex();
      if (!argument || argument.getOwner() != &function.front() || !dim)
        return;
      if (std::optional<unsigned> symbol = symbols.lookup(argument.getArgNumber(), *dim))
        entrySizes[op.getResult()] = symbols.get()[*symbol].name;
    });
  }
}

std::string ValueNames::get(Value value) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  value.printAsOperand(stream, state);
  return name;
}

std::string ValueNames::getStep(Operation *op) {
  if (auto expression = dyn_cast<ExpressionOpInterface>(op))
    if (StringAttr label = expression.getLabelAttr())
      return "@" + label.str();
  return op->getNumResults() == 0 ? op->getName().getStringRef().str() : get(op->getResult(0));
}

std::string ValueNames::getSize(OpFoldResult size) {
  if (!size)
    return "?";
  if (std::optional<int64_t> constant = getConstantSize(size))
    return std::to_string(*constant);
  return getEntrySize(cast<Value>(size)).value_or(get(cast<Value>(size)));
}

std::optional<std::string> ValueNames::getEntrySize(Value size) const {
  auto known = entrySizes.find(size);
  return known == entrySizes.end() ? std::nullopt : std::optional(known->second);
}

std::string ValueNames::getExpr(AffineExpr expr, ArrayRef<Value> symbols) {
  std::string text, result;
  llvm::raw_string_ostream stream(text);
  expr.print(stream);
  for (size_t at = 0; at < text.size();) {
    if (text[at] != 's' || at + 1 == text.size() || !llvm::isDigit(text[at + 1])) {
      result += text[at++];
      continue;
    }
    unsigned number = 0;
    for (++at; at < text.size() && llvm::isDigit(text[at]); ++at)
      number = 10 * number + (text[at] - '0');
    result += getSize(symbols[number]);
  }
  return result;
}

std::string ValueNames::getSum(const Polynomial &polynomial, ArrayRef<Value> symbols) {
  if (!polynomial.isValid())
    return "?";
  std::string text;
  for (const Term &term : polynomial.getTerms()) {
    int64_t factor = term.coefficient;
    if (!text.empty())
      text += factor < 0 ? " - " : " + ";
    if (!text.empty() && factor < 0)
      factor = -factor;
    SmallVector<std::string> factors;
    if (factor != 1 || term.isConstant())
      factors.push_back(std::to_string(factor));
    for (AffineExpr atom : term.atoms) {
      Value value = symbols[cast<AffineSymbolExpr>(atom).getPosition()];
      factors.push_back(value ? getSize(value) : "?");
    }
    text += llvm::join(factors, "*");
  }
  return text.empty() ? "0" : text;
}

void te::collectNodes(Location loc, llvm::SetVector<StringRef> &nodes) {
  loc->walk([&](Location nested) {
    if (auto name = dyn_cast<NameLoc>(nested))
      nodes.insert(name.getName());
    return WalkResult::advance();
  });
}
