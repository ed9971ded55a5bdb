//===- Explanation.cpp - what each launch of a program does --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"
#include "SizeNames.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::compile {

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

struct Explanation::Listener : remark::detail::MLIRRemarkStreamerBase {
  explicit Listener(std::shared_ptr<Reasons> reasons) : reasons(std::move(reasons)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (remark.getRemarkName() != "stored")
      return;
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      if (argument.key == "Reason")
        reasons->try_emplace(remark.getLocation(), argument.val);
  }

  std::shared_ptr<Reasons> reasons;
};

Explanation::Explanation(MLIRContext &context) {
  remark::RemarkCategories categories;
  categories.missed = categories.analysis = "te-merge";
  LogicalResult enabled = remark::enableOptimizationRemarks(
      context, std::make_unique<Listener>(reasons),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  if (failed(enabled))
    llvm::report_fatal_error("remarks cannot be enabled");
}

void Explanation::keepReasons(ModuleOp module) {
  Reasons kept;
  module.walk([&](te::LaunchOp launch) {
    if (auto reason = reasons->find(launch.getLoc()); reason != reasons->end())
      kept.insert(*reason);
  });
  *reasons = std::move(kept);
}

/// Returns the reasons for all that a launch stores.
std::string Explanation::findReasons(Location loc) const {
  llvm::SmallSetVector<StringRef, 4> found;
  loc->walk([&](Location nested) {
    if (auto reason = reasons->find(nested); reason != reasons->end())
      found.insert(reason->second);
    return WalkResult::advance();
  });
  return llvm::join(found, "; ");
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Returns the name of a step, its number if it is a launch, and the nodes that it computes.
static std::string describe(const LaunchInfo &step) {
  std::string text = step.number ? std::to_string(*step.number) + ". " + step.name
                                 : "   " + step.name +
                                       (step.isRoutine ? ", a routine" : ", done in place");
  if (step.step->getParentOfType<LoopLikeOpInterface>())
    text += " in a loop";
  if (step.nodes.empty())
    return text + ": no node, it moves data to another layout or shape";
  auto names = llvm::map_range(step.nodes, [](const NodeName &node) { return node.name; });
  return text + ": " + llvm::join(names, ", ");
}

/// Returns the launches and routines that depend on a step.
static std::string describeReaders(const LaunchList &launches, unsigned index) {
  SmallVector<std::string> readers;
  for (const LaunchInfo &step : launches.getSteps())
    if (llvm::is_contained(step.predecessors, index))
      readers.push_back(step.number ? std::to_string(*step.number) : step.name);
  return llvm::join(readers, ", ");
}

static void printAmounts(const LaunchList &launches, const LaunchInfo &step, SizeNames &names,
                         raw_ostream &stream) {
  const te::KernelAmounts &amounts = step.amounts;
  stream << "     " << names.getSum(amounts.operations, amounts.symbols, "") << " operations, "
         << (amounts.isExact ? "" : "at most ")
         << names.getSum(amounts.getReadBytes(), amounts.symbols, "B") << " read, "
         << names.getSum(amounts.getWrittenBytes(), amounts.symbols, "B") << " written\n     "
         << (launches.isMeasured() ? "" : "about ") << printMs(step.ms)
         << llvm::format(", %.1f %%\n", 100 * launches.getShare(step));
}

void Explanation::print(const LaunchList &launches, raw_ostream &stream) const {
  SizeNames names(launches.getModule());
  std::string text;
  llvm::raw_string_ostream body(text);
  for (auto [index, step] : llvm::enumerate(launches.getSteps())) {
    body << describe(step) << '\n';
    if (step.number)
      printAmounts(launches, step, names, body);
    if (std::string readers = describeReaders(launches, index); !readers.empty())
      body << "     read by " << readers << '\n';
    if (std::string why = findReasons(step.step->getLoc()); !why.empty())
      body << "     stored: " << why << '\n';
  }
  stream << text << launches.describeTimes() << '\n';
  if (std::string sizes = names.printDefinitions(); !sizes.empty())
    stream << "sizes:\n" << sizes;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Value toJSON(const te::Polynomial &amount) {
  std::optional<int64_t> constant = amount.getConstant();
  return constant ? llvm::json::Value(*constant) : llvm::json::Value(nullptr);
}

static llvm::json::Object toJSON(const LaunchList &launches, const LaunchInfo &step) {
  llvm::json::Array nodes;
  for (const NodeName &node : step.nodes)
    nodes.push_back(llvm::json::Object{{"name", node.name}, {"op", node.op}});
  llvm::json::Object object{{"kernel", step.name}, {"nodes", std::move(nodes)}};
  if (!step.number) {
    object["launch"] = nullptr;
    return object;
  }
  object["launch"] = static_cast<int64_t>(*step.number);
  object["operations"] = toJSON(step.amounts.operations);
  object["read_bytes"] = toJSON(step.amounts.getReadBytes());
  object["written_bytes"] = toJSON(step.amounts.getWrittenBytes());
  object["exact"] = step.amounts.isExact;
  object[launches.isMeasured() ? "ms" : "estimated_ms"] = step.ms;
  return object;
}

void Explanation::printJSON(const LaunchList &launches, raw_ostream &stream) const {
  llvm::json::Array list;
  for (const LaunchInfo &step : launches.getSteps()) {
    llvm::json::Object object = toJSON(launches, step);
    if (std::string why = findReasons(step.step->getLoc()); !why.empty())
      object["stored"] = why;
    list.push_back(std::move(object));
  }
  stream << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(list)));
}

} // namespace tssa::compile
