//===- OperandStores.h - the order of an operand of a product -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A product of two tensors that are no constants, such as the scores of attention, may read both
/// along the sum: then the lanes of a vector of results lie a row apart in either operand. One of
/// them may be stored in the order in which these lanes are adjacent, either by the kernel that
/// computes it or by a conversion, if the predicted times of all kernels that read it say so.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_OPERANDSTORES_H
#define DIALECTS_LAYOUT_TRANSFORMS_OPERANDSTORES_H

#include "dialects/layout/Transforms/DataStore.h"
#include "dialects/layout/Transforms/ResultStore.h"

namespace mlir::tssa::layout {

/// A parameter of a product, and the layout in which the lanes of the product are adjacent there.
struct OperandOrder {
  unsigned parameter = 0;
  LayoutMap map;
  double kernel = 0, conversion = 0; ///< predicted cycles with it

  double getCycles() const { return kernel + conversion; }
};

/// Chooses the orders of operands of products. A product has at most one such operand, that with
/// the shortest time of kernel and conversion.
class OperandStores {
public:
  /// A conversion that is in `conversions` takes no time; one that is chosen is added.
  OperandStores(const SymbolTable &symbols, StoreCosts &costs, KnownConversions &conversions)
      : symbols(symbols), costs(costs), conversions(conversions) {}

  /// Sets the layout of the operand of `launch` in `stores` if a conversion pays for all launches
  /// that read the tensor.
  void chooseConversion(te::LaunchOp launch, LaunchStores &stores);

  /// Returns the layout in which the only result of `launch` should be stored for the products that
  /// read it, or an empty map. It must take less time than `stores`, even if these products convert
  /// the result. All users must be launches of kernels that only read elements, whose results have
  /// the orders that `chooseResults` chooses.
  LayoutMap chooseResult(te::LaunchOp launch, const LaunchStores &stores,
                         ChooseResults chooseResults);

  /// Returns whether `map` is the order of lanes of this parameter. The results of the kernel then
  /// keep theirs.
  bool isOrderOfLanes(te::LaunchOp launch, unsigned parameter, const LayoutMap &map);

private:
  /// Predicted cycles of launches that read a tensor.
  struct Readers {
    double asIs = 0, stored = 0;
    double best = 0; ///< if each of those that may get a conversion does so where it is faster
  };

  std::optional<OperandOrder> findOrder(te::LaunchOp launch);
  std::optional<OperandOrder> computeOrder(te::LaunchOp launch, te::KernelOp kernel);
  std::optional<double> predictReader(te::LaunchOp launch, Value tensor, const LayoutMap &map,
                                      ChooseResults chooseResults);
  std::optional<Readers> predictReaders(Value tensor, const LayoutMap &asIs, const LayoutMap &map,
                                        ChooseResults chooseResults);
  bool isOperand(te::LaunchOp launch, Value tensor, const LayoutMap &map);
  double predictConversion(Value tensor, const LayoutMap &map);

  const SymbolTable &symbols;
  StoreCosts &costs;
  KnownConversions &conversions;
  DenseMap<te::LaunchOp, std::optional<OperandOrder>> orders;
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_OPERANDSTORES_H
