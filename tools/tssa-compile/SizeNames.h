//===- SizeNames.h - sizes and amounts in words -----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_SIZENAMES_H
#define TOOLS_TSSA_COMPILE_SIZENAMES_H

#include "dialects/te/Analysis/Polynomial.h"
#include "dialects/te/Analysis/ValueNames.h"
#include "llvm/ADT/MapVector.h"

namespace tssa::compile {

/// Returns a number with three digits and a prefix of the SI, such as "25.7 k", and then the unit.
std::string printAmount(double amount, llvm::StringRef unit);

/// The names of the open sizes of a program for its user: those of the model's dims, and `s1`, `s2`
/// and so on for sizes that are computed from others or that data decides.
class SizeNames {
public:
  explicit SizeNames(mlir::ModuleOp module) : values(module) {}

  /// Returns a constant or a name.
  std::string get(mlir::OpFoldResult size);
  /// Returns a sum such as `52.1 kB*batch + 1.79 kB`, in which symbol i is `symbols[i]`.
  std::string getSum(const mlir::tssa::te::Polynomial &polynomial,
                     llvm::ArrayRef<mlir::Value> symbols, llvm::StringRef unit);
  /// Returns a line for each name that is not one of the model, in the order of their first use.
  std::string printDefinitions() const;

private:
  std::string define(mlir::Value size);
  std::string getOperand(mlir::Value size);

  mlir::tssa::te::ValueNames values;
  /// The names and definitions of computed sizes.
  llvm::MapVector<mlir::Value, std::pair<std::string, std::string>> computed;
};

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_SIZENAMES_H
