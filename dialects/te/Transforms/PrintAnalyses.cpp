//===- PrintAnalyses.cpp - passes that print analyses of expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Character.h"
#include "dialects/te/Analysis/Dependence.h"
#include "dialects/te/Analysis/Sharing.h"
#include "dialects/te/Analysis/ValueNames.h"
#include "dialects/te/Partition/PartitionPrinter.h"
#include "dialects/te/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace mlir::tssa::te {

#define GEN_PASS_DEF_TEPRINTSHARING
#define GEN_PASS_DEF_TEPRINTDEPENDENCE
#define GEN_PASS_DEF_TEPRINTCHARACTER
#define GEN_PASS_DEF_TEPRINTPARTITION
#include "dialects/te/Transforms/Passes.h.inc"

namespace {

/// Prints the name of each function and kernel, and then calls `print` for it.
void forEachProgram(ModuleOp module, function_ref<void(Operation *)> print) {
  for (Operation &op : module.getOps()) {
    if (!isa<func::FuncOp, KernelOp>(op) || op.getRegion(0).empty())
      continue;
    llvm::outs() << (isa<KernelOp>(op) ? "kernel @" : "function @")
                 << SymbolTable::getSymbolName(&op).getValue() << '\n';
    print(&op);
  }
}

void forEachExpression(ModuleOp module, function_ref<void(ExpressionOpInterface)> print) {
  forEachProgram(module, [&](Operation *program) {
    program->walk<WalkOrder::PreOrder>([&](ExpressionOpInterface expression) {
      print(expression);
      return WalkResult::skip();
    });
  });
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

std::string describe(const Reader &reader, ValueNames &names) {
  std::string text = names.getStep(reader.step);
  if (reader.depth)
    text += " at depth " + std::to_string(*reader.depth);
  return reader.isRepeated ? text + " in a loop" : text;
}

struct PrintSharing : impl::TEPrintSharingBase<PrintSharing> {
  void runOnOperation() override {
    ValueNames names(getOperation());
    forEachProgram(getOperation(), [&](Operation *program) {
      Sharing sharing(program);
      for (const SharedTensor &shared : sharing.get())
        print(shared, names);
    });
  }

  static void print(const SharedTensor &shared, ValueNames &names) {
    SmallVector<std::string> spatial, temporal, parts;
    for (const Reader &reader : shared.readers)
      (reader.isTemporal() ? temporal : spatial).push_back(describe(reader, names));
    if (!spatial.empty())
      parts.push_back((spatial.size() == 1 ? "read by " : "spatial ") + llvm::join(spatial, ", "));
    if (!temporal.empty())
      parts.push_back("temporal " + llvm::join(temporal, ", "));
    llvm::outs() << "  " << names.get(shared.tensor) << ": " << llvm::join(parts, "; ") << '\n';
  }
};

//===----------------------------------------------------------------------===//
// Dependence
//===----------------------------------------------------------------------===//

std::string describe(AffineMap map, ArrayRef<Value> symbols, const llvm::SmallBitVector &opaque,
                     ValueNames &names) {
  SmallVector<std::string> indexes;
  for (auto [number, expr] : llvm::enumerate(map.getResults()))
    indexes.push_back(opaque[number] ? "any" : names.getExpr(expr, symbols));
  return "[" + llvm::join(indexes, ", ") + "]";
}

void addConstraints(IntegerSet set, ArrayRef<Value> symbols, ValueNames &names,
                    SmallVectorImpl<std::string> &constraints) {
  for (unsigned i = 0; set && i < set.getNumConstraints(); ++i)
    constraints.push_back(names.getExpr(set.getConstraint(i), symbols) +
                          (set.isEq(i) ? " = 0" : " >= 0"));
}

std::string describe(const ElementDependence &dependence, ValueNames &names) {
  std::string text =
      "{ " + describe(dependence.result, dependence.resultSymbols, dependence.resultOpaque, names) +
      " -> " + describe(dependence.source, dependence.symbols, dependence.opaque, names);
  SmallVector<std::string> constraints;
  for (unsigned dim : dependence.ranged)
    constraints.push_back(
        (Twine("0 <= d") + Twine(dim) + " < " + names.getSize(dependence.sizes[dim])).str());
  addConstraints(dependence.piece, dependence.pieceSymbols, names, constraints);
  addConstraints(dependence.guard, dependence.symbols, names, constraints);
  if (!constraints.empty())
    text += " : " + llvm::join(constraints, " and ");
  return text + " }";
}

struct PrintDependence : impl::TEPrintDependenceBase<PrintDependence> {
  void runOnOperation() override {
    ValueNames names(getOperation());
    forEachExpression(getOperation(), [&](ExpressionOpInterface expression) {
      for (const ElementDependence &dependence : getDependences(expression))
        llvm::outs() << "  " << names.getStep(expression) << " relies on "
                     << (dependence.isMany ? "many elements of " : "one element of ")
                     << names.get(dependence.tensor) << ": " << describe(dependence, names) << '\n';
    });
  }
};

//===----------------------------------------------------------------------===//
// Character
//===----------------------------------------------------------------------===//

struct PrintCharacter : impl::TEPrintCharacterBase<PrintCharacter> {
  using TEPrintCharacterBase::TEPrintCharacterBase;

  void runOnOperation() override {
    ValueNames names(getOperation());
    SizeTable sizes(&getContext());
    forEachExpression(getOperation(), [&](ExpressionOpInterface expression) {
      Character character = getCharacter(expression, sizes);
      auto sum = [&](const Polynomial &value) { return names.getSum(value, sizes.getValues()); };
      llvm::outs() << "  " << names.getStep(expression) << ": " << sum(character.points)
                   << " points, " << sum(character.operations) << " operations, "
                   << sum(character.transcendental) << " of them transcendental\n";
      print("reads ", character.reads, sum);
      print("writes ", character.writes, sum);
      llvm::outs() << "    ratio " << llvm::format("%.3g", character.getRatio()) << ", reuse "
                   << llvm::format("%.3g", character.getReuse());
      if (character.isOpen())
        llvm::outs() << " for open sizes of " << assumedSize;
      llvm::outs() << (character.isComputeIntensive(rule) ? ": compute-intensive\n"
                                                          : ": memory-intensive\n");
    });
  }

  static void print(StringRef verb, ArrayRef<TensorTraffic> traffics,
                    function_ref<std::string(const Polynomial &)> describe) {
    Polynomial elements, bytes;
    bool isExact = true;
    for (const TensorTraffic &traffic : traffics) {
      elements = elements + traffic.elements;
      bytes = bytes + traffic.elements * Polynomial(traffic.elementBytes);
      isExact &= traffic.isExact;
    }
    llvm::outs() << "    " << verb << (isExact ? "" : "at most ") << describe(elements)
                 << " elements, " << describe(bytes) << " bytes\n";
  }
};

//===----------------------------------------------------------------------===//
// Partition
//===----------------------------------------------------------------------===//

struct PrintPartition : impl::TEPrintPartitionBase<PrintPartition> {
  using TEPrintPartitionBase::TEPrintPartitionBase;

  void runOnOperation() override {
    ValueNames names(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Partition groups(function, partition, maxBodyOps, boxes);
      if (graph) {
        printPartitionGraph(groups, names, llvm::outs());
        continue;
      }
      llvm::outs() << "function @" << function.getSymName() << '\n';
      printPartition(groups, names, llvm::outs());
    }
  }
};

} // namespace
} // namespace mlir::tssa::te
