//===- ResultStore.cpp - whether another order of results pays for their readers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/ResultStore.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
class ResultStoreChooser {
public:
  ResultStoreChooser(Value tensor, const SymbolTable &symbols, StoreCosts &costs,
                     ChooseResults chooseResults)
      : tensor(tensor), symbols(symbols), costs(costs), chooseResults(chooseResults) {}

  /// Returns the cycles of the readers if the tensor is stored by `map`.
  std::optional<double> predictReaders(const LayoutMap &map) {
    llvm::SmallSetVector<Operation *, 4> readers(tensor.user_begin(), tensor.user_end());
    double sum = 0;
    for (Operation *reader : readers) {
      std::optional<double> cycles = predictReader(cast<te::LaunchOp>(reader), map);
      if (!cycles)
        return std::nullopt;
      sum += *cycles;
    }
    return sum;
  }

private:
  std::optional<double> predictReader(te::LaunchOp launch, const LayoutMap &map) {
    LaunchStores stores(launch);
    for (auto [number, input] : llvm::enumerate(launch.getInputs()))
      if (input == tensor)
        stores.inputs[number] = map;
    auto kernel = symbols.lookup<te::KernelOp>(launch.getKernel());
    chooseResults(launch, kernel, stores);
    return costs.predict(launch, kernel, stores);
  }

  Value tensor;
  const SymbolTable &symbols;
  StoreCosts &costs;
  ChooseResults chooseResults;
};
} // namespace

bool layout::paysForReaders(te::LaunchOp launch, te::KernelOp kernel, const LaunchStores &asIs,
                            const LaunchStores &stored, const SymbolTable &symbols,
                            StoreCosts &costs, ChooseResults chooseResults) {
  ResultStoreChooser chooser(launch.getResult(0), symbols, costs, chooseResults);
  std::optional<double> own = costs.predict(launch, kernel, asIs);
  std::optional<double> ownStored = costs.predict(launch, kernel, stored);
  std::optional<double> readers = chooser.predictReaders(asIs.outputs.front());
  std::optional<double> readersStored = chooser.predictReaders(stored.outputs.front());
  if (!own || !ownStored || !readers || !readersStored)
    return true;
  bool pays = *ownStored + *readersStored < *own + *readers;
  auto options = remark::RemarkOpts::name("ordered").category("layout-choose-stores");
  auto report = [&](auto &&remark) {
    remark << remark::metric("CyclesAsIs", static_cast<int64_t>(*own))
           << remark::metric("CyclesStored", static_cast<int64_t>(*ownStored))
           << remark::metric("ReadersAsIs", static_cast<int64_t>(*readers))
           << remark::metric("ReadersStored", static_cast<int64_t>(*readersStored));
  };
  if (pays)
    report(remark::passed(launch.getLoc(), options));
  else
    report(remark::missed(launch.getLoc(), options));
  return pays;
}
