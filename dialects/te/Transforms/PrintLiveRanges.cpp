//===- PrintLiveRanges.cpp - prints when the tensors of a program live -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Image.h"
#include "dialects/te/Analysis/ValueNames.h"
#include "dialects/te/Transforms/BufferProgram.h"
#include "dialects/te/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::tssa::te {

#define GEN_PASS_DEF_TEPRINTLIVERANGES
#include "dialects/te/Transforms/Passes.h.inc"

namespace {

/// Prints the live ranges of the variables of a host program.
class LiveRangePrinter {
public:
  LiveRangePrinter(const BufferProgram &program, func::FuncOp function, ValueNames &names)
      : program(program), names(names), sizes(function.getContext()) {
    function.walk([&](LaunchOp launch) { launches.push_back(program.getTime(launch)); });
    for (const Variable &variable : program.getVariables())
      bytes.push_back(countBytes(variable));
  }

  void print() {
    for (auto [number, variable] : llvm::enumerate(program.getVariables()))
      if (variable.kind != Variable::ReadOnly)
        llvm::outs() << "  " << getName(variable) << ": " << describe(variable.live) << ", "
                     << names.getSum(bytes[number], sizes.getValues()) << " bytes\n";
    printPeak();
  }

private:
  const BufferProgram &program;
  ValueNames &names;
  SizeTable sizes;
  SmallVector<unsigned> launches; ///< the time at which each launch begins
  SmallVector<Polynomial, 0> bytes;

  std::string getName(const Variable &variable) {
    SmallVector<std::string> values;
    for (Value value : variable.values)
      values.push_back(names.get(value));
    if (variable.result >= 0)
      values.push_back("result " + std::to_string(variable.result));
    return llvm::join(values, ", ");
  }

  /// Returns the bytes of a variable, by the one of its tensors of which most sizes are known.
  Polynomial countBytes(const Variable &variable) {
    SmallVector<Value> tensors = llvm::to_vector(variable.values);
    for (const Copy &copy : program.getCopies())
      if (&program.getVariables()[copy.target] == &variable)
        tensors.push_back(copy.value);
    auto countUnknown = [](Value tensor) { return llvm::count(findSizes(tensor), OpFoldResult()); };
    Value best = *llvm::min_element(
        tensors, [&](Value a, Value b) { return countUnknown(a) < countUnknown(b); });
    Type element = cast<RankedTensorType>(best.getType()).getElementType();
    return sizes.getProduct(findSizes(best)) * Polynomial(getElementBytes(element));
  }

  /// Returns the number of launches that begin before `time`.
  unsigned countLaunches(unsigned time) const {
    return llvm::lower_bound(launches, time) - launches.begin();
  }

  std::string describe(const LiveRange &live) const {
    if (live.getIntervals().empty())
      return "no launch";
    // A launch takes four times.
    unsigned begin = live.getIntervals().front().first, end = live.getIntervals().back().second;
    unsigned first = countLaunches(begin < 3 ? 0 : begin - 3) + 1, last = countLaunches(end);
    if (first > last)
      return "no launch";
    if (first == last)
      return "launch " + std::to_string(first);
    return "launches " + std::to_string(first) + " to " + std::to_string(last);
  }

  bool isLive(const Variable &variable, unsigned time) const {
    return variable.kind != Variable::ReadOnly &&
           llvm::any_of(variable.live.getIntervals(), [&](LiveRange::Interval interval) {
             return interval.first <= time && time < interval.second;
           });
  }

  Polynomial sumAt(unsigned time) const {
    Polynomial sum;
    for (auto [number, variable] : llvm::enumerate(program.getVariables()))
      if (isLive(variable, time))
        sum = sum + bytes[number];
    return sum;
  }

  void printPeak() {
    Polynomial peak;
    unsigned at = 0;
    for (const Variable &variable : program.getVariables())
      for (LiveRange::Interval interval : variable.live.getIntervals()) {
        Polynomial sum = sumAt(interval.first);
        if (assumeSizes(sum) > assumeSizes(peak)) {
          peak = sum;
          at = interval.first;
        }
      }
    llvm::outs() << "  peak: " << names.getSum(peak, sizes.getValues()) << " bytes";
    if (unsigned launch = countLaunches(at + 1))
      llvm::outs() << " in launch " << launch;
    if (!peak.getConstant())
      llvm::outs() << " for open sizes of " << assumedSize;
    llvm::outs() << '\n';
  }
};

struct PrintLiveRanges : impl::TEPrintLiveRangesBase<PrintLiveRanges> {
  void runOnOperation() override {
    // BufferProgram computes sizes in the program that it is asked about.
    OwningOpRef<ModuleOp> copy(getOperation().clone());
    auto function = copy->lookupSymbol<func::FuncOp>("main");
    if (!function || !function.getBody().hasOneBlock()) {
      getOperation().emitError("expected a host program '@main' with one block");
      return signalPassFailure();
    }
    expandSelects(function);
    ValueNames names(*copy);
    EntrySymbols symbols(function);
    EntrySizes sizes(function, symbols);
    SymbolTableCollection tables;
    BufferProgram program(function, sizes, tables);
    if (failed(checkLaunches(function, tables)) || failed(program.build()))
      return signalPassFailure();
    llvm::outs() << "function @main\n";
    LiveRangePrinter(program, function, names).print();
  }
};

} // namespace
} // namespace mlir::tssa::te
