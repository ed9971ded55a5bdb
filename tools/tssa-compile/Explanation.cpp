//===- Explanation.cpp - what each launch of a program does --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"
#include "dialects/te/Analysis/Character.h"
#include "dialects/te/Analysis/StepGraph.h"
#include "dialects/te/Analysis/ValueNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

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

//===----------------------------------------------------------------------===//
// Numbers of a kernel
//===----------------------------------------------------------------------===//

namespace {

/// What a kernel computes, and which elements of its parameters and results it moves.
struct KernelCharacter {
  te::Polynomial operations, readBytes, writtenBytes;
  bool isExact = true;             ///< Otherwise the bytes are upper bounds.
  bool isComputeIntensive = false; ///< some expression is
};

} // namespace

/// Each parameter counts once, with the expression that reads the most of it.
static KernelCharacter getCharacter(te::KernelOp kernel, te::SizeTable &sizes) {
  KernelCharacter sum;
  llvm::MapVector<Value, te::TensorTraffic> read;
  Operation *terminator = kernel.getBody().front().getTerminator();
  auto getBytes = [&](const te::TensorTraffic &traffic) {
    sum.isExact &= traffic.isExact;
    return traffic.elements * te::Polynomial(traffic.elementBytes);
  };
  kernel.walk([&](te::ExpressionOpInterface expression) {
    te::Character character = te::getCharacter(expression, sizes);
    sum.operations = sum.operations + character.operations;
    sum.isComputeIntensive |= character.isComputeIntensive(te::CharacterRule::Reuse);
    for (const te::TensorTraffic &traffic : character.reads)
      if (isa<BlockArgument>(traffic.tensor)) {
        auto [entry, isNew] = read.try_emplace(traffic.tensor, traffic);
        if (!isNew && assumeSizes(entry->second.elements) < assumeSizes(traffic.elements))
          entry->second = traffic;
      }
    for (const te::TensorTraffic &traffic : character.writes)
      if (llvm::is_contained(traffic.tensor.getUsers(), terminator))
        sum.writtenBytes = sum.writtenBytes + getBytes(traffic);
  });
  for (const auto &entry : read)
    sum.readBytes = sum.readBytes + getBytes(entry.second);
  return sum;
}

/// Returns the values of open sizes where the kernel is launched.
static SmallVector<Value> getSizesOf(te::LaunchOp launch, ArrayRef<Value> sizes) {
  return llvm::map_to_vector(sizes, [&](Value size) {
    auto parameter = dyn_cast_or_null<BlockArgument>(size);
    return parameter ? Value(launch.getInputs()[parameter.getArgNumber()]) : size;
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Returns the name of the kernel or routine that `step` calls, and the nodes of the model that it
/// computes.
static std::string describe(Operation *step) {
  llvm::SetVector<StringRef> nodes;
  te::collectNodes(step->getLoc(), nodes);
  std::string text = "@";
  if (auto launch = dyn_cast<te::LaunchOp>(step))
    text += launch.getKernel();
  else
    text += (cast<te::ExternOp>(step).getCallee() + ", a library routine").str();
  if (step->getParentOfType<LoopLikeOpInterface>())
    text += " in a loop";
  return text + ": " + (nodes.empty() ? "no node" : llvm::join(nodes, ", "));
}

/// Returns the launches and routines that depend on step `number`.
static std::string describeReaders(const te::StepGraph &graph, unsigned number) {
  SmallVector<std::string> readers;
  for (unsigned step = 0; step < graph.getSteps().size(); ++step)
    if (llvm::is_contained(graph.getPredecessors(step), number))
      readers.push_back(std::to_string(step + 1));
  return llvm::join(readers, ", ");
}

static void printNumbers(te::LaunchOp launch, te::KernelOp kernel, te::ValueNames &names,
                         raw_ostream &stream) {
  te::SizeTable sizes(kernel.getContext());
  KernelCharacter character = getCharacter(kernel, sizes);
  SmallVector<Value> values = getSizesOf(launch, sizes.getValues());
  stream << "     " << (character.isComputeIntensive ? "compute" : "memory")
         << "-intensive: " << names.getSum(character.operations, values) << " operations, "
         << (character.isExact ? "" : "at most ") << names.getSum(character.readBytes, values)
         << " bytes read, " << names.getSum(character.writtenBytes, values) << " written\n";
}

void Explanation::print(ModuleOp module, raw_ostream &stream) const {
  te::ValueNames names(module);
  SymbolTable symbols(module);
  auto main = symbols.lookup<func::FuncOp>("main");
  te::StepGraph graph(main);
  for (auto [number, step] : llvm::enumerate(graph.getSteps())) {
    stream << number + 1 << ". " << describe(step) << '\n';
    if (auto launch = dyn_cast<te::LaunchOp>(step))
      printNumbers(launch, symbols.lookup<te::KernelOp>(launch.getKernel()), names, stream);
    if (std::string readers = describeReaders(graph, number); !readers.empty())
      stream << "     read by " << readers << '\n';
    if (auto reason = reasons->find(step->getLoc()); reason != reasons->end())
      stream << "     stored: " << reason->second << '\n';
  }
}

} // namespace tssa::compile
