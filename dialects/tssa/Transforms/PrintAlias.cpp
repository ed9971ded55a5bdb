//===- PrintAlias.cpp - prints the results of the alias analysis -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Analysis/Selections.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSAPRINTALIAS
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

namespace {
class AliasPrinter {
public:
  AliasPrinter(func::FuncOp function, raw_ostream &stream)
      : function(function), aliases(function), selections(aliases), state(function),
        stream(stream) {}
  void print();

private:
  void printRoot(Value root);
  /// Prints the names, views and writes whose root is `root`, in program order.
  void printMembers(Value root);
  void printCandidates(Value name);
  void printConflict(const Conflict &conflict);
  void printValue(Value value) { value.printAsOperand(stream, state); }

  func::FuncOp function;
  Aliases aliases;
  Selections selections;
  AsmState state;
  raw_ostream &stream;
};
} // namespace

void AliasPrinter::printMembers(Value root) {
  auto printRef = [&](Value ref) {
    printValue(ref);
    stream << ' ';
    writePath(stream, aliases.getRootedPath(ref).path);
    stream << '\n';
  };
  for (Value name : aliases.getNames())
    if (name != root && aliases.getRootedPath(name).root == root) {
      stream << "  name ";
      printRef(name);
    }
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto view = dyn_cast<ViewOp>(op);
        view && aliases.getRootedPath(view.getRef()).root == root) {
      stream << "  view ";
      printRef(view.getRef());
    } else if (auto write = dyn_cast<WriteOp>(op);
               write && aliases.getRootedPath(write.getRef()).root == root) {
      stream << "  write ";
      printRef(write.getRef());
    }
  });
}

void AliasPrinter::printCandidates(Value name) {
  stream << " is one of ";
  llvm::interleaveComma(selections.getCandidates(name), stream, [&](const RootedPath &candidate) {
    if (candidate.root == name) {
      stream << "its slot";
      return;
    }
    printValue(candidate.root);
    if (candidate.path.empty())
      return;
    stream << ' ';
    writePath(stream, candidate.path);
  });
}

void AliasPrinter::printRoot(Value root) {
  bool isName = !isStorage(root), isSelected = selections.isSelected(root);
  stream << (isSelected ? "selected name "
             : isName   ? "name with a storage of its own "
                        : "storage ");
  printValue(root);
  stream << " : " << root.getType();
  if (isSelected) {
    printCandidates(root);
  } else if (isName) {
    stream << " from ";
    llvm::interleaveComma(getIncomingOperands(root), stream,
                          [&](OpOperand *incoming) { printValue(incoming->get()); });
  }
  stream << '\n';
  printMembers(root);
}

void AliasPrinter::printConflict(const Conflict &conflict) {
  stream << "refused: ";
  printValue(conflict.name);
  stream << " may be ";
  printValue(conflict.other);
  stream << ", and one is written while the other is used\n";
}

void AliasPrinter::print() {
  stream << "function @" << function.getSymName() << '\n';
  auto printIfRoot = [&](Value value) {
    if (isa<RefType>(value.getType()) &&
        (isStorage(value) || llvm::is_contained(aliases.getNames(), value)) &&
        aliases.getRootedPath(value).root == value)
      printRoot(value);
  };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), printIfRoot);
    llvm::for_each(op->getResults(), printIfRoot);
  });
  if (selections.getConflict())
    printConflict(*selections.getConflict());
}

namespace {
struct PrintAlias : refs::impl::TSSAPrintAliasBase<PrintAlias> {
  void runOnOperation() override {
    if (!getOperation().isDeclaration())
      AliasPrinter(getOperation(), llvm::outs()).print();
    markAllAnalysesPreserved();
  }
};
} // namespace
