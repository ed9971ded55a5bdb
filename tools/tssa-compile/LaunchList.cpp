//===- LaunchList.cpp - the launches of a program -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchList.h"
#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/Partition/CostModel.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tssa;
using llvm::Twine;

namespace tssa::compile {

std::string printMs(double ms) {
  int digits = ms >= 99.95 ? 0 : ms >= 9.995 ? 1 : ms >= 0.9995 ? 2 : 4;
  return llvm::formatv("{0} ms", llvm::format("%.*f", digits, ms));
}

/// Adds the nodes of the model in a location, each once.
static void collectNodes(Location loc, StringRef op, SmallVector<NodeName> &nodes) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    if (llvm::none_of(nodes, [&](const NodeName &node) { return node.name == name.getName(); }))
      nodes.push_back({name.getName().getValue(), op});
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    auto metadata = dyn_cast_or_null<StringAttr>(fused.getMetadata());
    for (Location nested : fused.getLocations())
      collectNodes(nested, metadata ? metadata.getValue() : op, nodes);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collectNodes(call.getCallee(), op, nodes);
  }
}

/// Returns the amounts of a launch, in sizes of the program.
static te::KernelAmounts getAmounts(te::LaunchOp launch, te::KernelOp kernel) {
  te::KernelAmounts amounts = te::getAmounts(kernel);
  for (Value &size : amounts.symbols)
    if (auto parameter = dyn_cast_or_null<BlockArgument>(size))
      size = launch.getInputs()[parameter.getArgNumber()];
  return amounts;
}

static double estimateMs(const te::KernelAmounts &amounts, double trips) {
  const te::CostModel model;
  double computing = te::assumeSizes(amounts.operations) / model.opsPerCycle, moving = 0;
  for (const te::Polynomial &bytes :
       llvm::concat<const te::Polynomial>(amounts.reads, amounts.writes))
    moving += model.getMoving(te::assumeSizes(bytes), te::assumeSizes(bytes));
  double cycles = model.launchCycles + model.getRunning(computing, moving);
  return trips * te::CostModel::getMs(cycles);
}

LaunchList::LaunchList(ModuleOp given) : module(given.clone()) {
  SymbolTable symbols(*module);
  te::StepGraph graph(symbols.lookup<func::FuncOp>("main"));
  for (auto [number, step] : llvm::enumerate(graph.getSteps())) {
    LaunchInfo &info = steps.emplace_back();
    info.step = step;
    collectNodes(step->getLoc(), "", info.nodes);
    info.trips = te::countTrips(step);
    ArrayRef<unsigned> predecessors = graph.getPredecessors(number);
    info.predecessors.assign(predecessors.begin(), predecessors.end());
    auto launch = dyn_cast<te::LaunchOp>(step);
    if (!launch) {
      info.name = cast<te::ExternOp>(step).getCallee().str();
      info.isRoutine = true;
      continue;
    }
    info.name = launch.getKernel().str();
    info.amounts = getAmounts(launch, symbols.lookup<te::KernelOp>(launch.getKernel()));
    info.ms = estimateMs(info.amounts, info.trips);
  }
}

llvm::Error LaunchList::number(ModuleOp buffers) {
  auto next = steps.begin();
  WalkResult result = buffers.walk([&](te::LaunchOp launch) {
    auto isSame = [&](const LaunchInfo &step) {
      return step.name == launch.getKernel() && step.step->getLoc() == launch.getLoc();
    };
    next = std::find_if(next, steps.end(), isSame);
    if (next == steps.end())
      return WalkResult::interrupt();
    (next++)->number = numLaunches++;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return llvm::createStringError("stage buffers has other launches than stage layout");
  for (LaunchInfo &step : steps)
    if (!step.number)
      step.ms = 0;
  return llvm::Error::success();
}

llvm::Error LaunchList::setTimes(ArrayRef<LaunchTime> times) {
  if (times.size() != numLaunches)
    return llvm::createStringError("--times: the profile has " + Twine(times.size()) +
                                   " launches, the program " + Twine(numLaunches));
  for (LaunchInfo &step : steps) {
    if (!step.number)
      continue;
    const LaunchTime &time = times[*step.number];
    if (time.kernel != step.name)
      return llvm::createStringError("--times: launch " + Twine(*step.number) + " is '" +
                                     time.kernel + "' in the profile, and '" + step.name +
                                     "' in the program");
    step.ms = time.ms;
  }
  measured = true;
  return llvm::Error::success();
}

bool LaunchList::hasOpenSizes() const {
  return llvm::any_of(steps, [](const LaunchInfo &step) { return !step.amounts.symbols.empty(); });
}

double LaunchList::getTotal() const {
  double total = 0;
  for (const LaunchInfo &step : steps)
    total += step.ms;
  return total;
}

double LaunchList::getShare(const LaunchInfo &step) const {
  double total = getTotal();
  return total > 0 ? step.ms / total : 0;
}

std::string LaunchList::describeTimes() const {
  std::string text = std::to_string(numLaunches) +
                     (numLaunches == 1 ? " launch, " : " launches, ") + printMs(getTotal());
  if (measured)
    return text + " as measured";
  text += " as estimated for two threads at 3 GHz";
  if (hasOpenSizes())
    text += ", open sizes as " + std::to_string(te::assumedSize);
  return text + " (measured ones: --times)";
}

} // namespace tssa::compile
