//===- SizeNames.cpp - sizes and amounts in words -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeNames.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
namespace te = mlir::tssa::te;
namespace arith = mlir::arith;

namespace tssa::compile {

std::string printAmount(double amount, StringRef unit) {
  static constexpr const char *prefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  double scaled = std::abs(amount);
  for (; scaled >= 999.5 && prefix + 1 < std::size(prefixes); scaled /= 1000)
    ++prefix;
  bool isWhole = prefix == 0 && scaled == std::floor(scaled);
  int digits = isWhole || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  std::string text = formatv("{0}", format("%.*f", digits, amount < 0 ? -scaled : scaled));
  if (*prefixes[prefix] || !unit.empty())
    text += " ";
  return text + prefixes[prefix] + unit.str();
}

static mlir::Value dropCasts(mlir::Value size) {
  while (auto cast = size.getDefiningOp<arith::IndexCastOp>())
    size = cast.getIn();
  return size;
}

/// Returns whether a definition says how an operation computes a size.
static bool isFormula(mlir::Operation *op) {
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivUIOp,
                         arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivUIOp,
                         arith::CeilDivSIOp, arith::RemUIOp, arith::RemSIOp, arith::MaxSIOp,
                         arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(op);
}

std::string SizeNames::get(mlir::OpFoldResult size) {
  if (!size)
    return "?";
  if (std::optional<int64_t> constant = te::getConstantSize(size))
    return std::to_string(*constant);
  mlir::Value value = dropCasts(cast<mlir::Value>(size));
  if (std::optional<std::string> name = values.getEntrySize(value))
    return *name;
  auto known = computed.find(value);
  if (known != computed.end())
    return known->second.first;
  std::string definition = define(value); // may name others before
  std::string name = "s" + std::to_string(computed.size() + 1);
  computed.insert({value, {name, definition}});
  return name;
}

/// Returns an operand of a definition: a formula without a name stands in it as it is.
std::string SizeNames::getOperand(mlir::Value size) {
  size = dropCasts(size);
  bool isNamed = values.getEntrySize(size) || computed.count(size);
  return !isNamed && isFormula(size.getDefiningOp()) ? define(size) : get(size);
}

std::string SizeNames::define(mlir::Value size) {
  mlir::Operation *op = size.getDefiningOp();
  if (!op)
    return "a size that a loop or branch decides";
  auto join = [&](const char *sign) {
    return "(" + getOperand(op->getOperand(0)) + sign + getOperand(op->getOperand(1)) + ")";
  };
  auto call = [&](const char *name) {
    return name + ("(" + getOperand(op->getOperand(0))) + ", " + getOperand(op->getOperand(1)) +
           ")";
  };
  return TypeSwitch<mlir::Operation *, std::string>(op)
      .Case<arith::AddIOp>([&](auto) { return join(" + "); })
      .Case<arith::SubIOp>([&](auto) { return join(" - "); })
      .Case<arith::MulIOp>([&](auto) { return join("*"); })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
          [&](auto) { return call("floordiv"); })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](auto) { return call("ceildiv"); })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) { return call("mod"); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return call("max"); })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return call("min"); })
      .Default([](mlir::Operation *op) {
        SetVector<StringRef> nodes;
        te::collectNodes(op->getLoc(), nodes);
        return nodes.empty() ? std::string("a size that a run finds")
                             : "a size that a run finds in " + llvm::join(nodes, ", ");
      });
}

std::string SizeNames::getSum(const te::Polynomial &polynomial, ArrayRef<mlir::Value> symbols,
                              StringRef unit) {
  if (!polynomial.isValid())
    return "?";
  std::string text;
  for (const te::Term &term : polynomial.getTerms()) {
    double factor = static_cast<double>(term.coefficient);
    if (!text.empty())
      text += factor < 0 ? " - " : " + ";
    text += printAmount(text.empty() ? factor : std::abs(factor), unit);
    for (mlir::AffineExpr atom : term.atoms) {
      mlir::Value value = symbols[cast<mlir::AffineSymbolExpr>(atom).getPosition()];
      text += "*" + (value ? get(value) : "?");
    }
  }
  return text.empty() ? printAmount(0, unit) : text;
}

std::string SizeNames::printDefinitions() const {
  std::string text;
  for (const auto &[value, named] : computed) {
    StringRef definition = named.second;
    if (definition.consume_front("("))
      definition.consume_back(")");
    text += "   " + named.first + " = " + definition.str() + "\n";
  }
  return text;
}

} // namespace tssa::compile
