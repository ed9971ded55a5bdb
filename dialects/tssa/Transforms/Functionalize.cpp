//===- Functionalize.cpp - versions of storages instead of writes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The contents of each storage are one variable. A ref is a pair of a storage and a path. The
/// integers of the path are SSA values, so they are fixed when the view is created. Then
///
///   read v       is  access(contents, path of v)
///   write w, v   is  contents := assign(contents, w, path of v)
///
/// What remains is SSA construction for these variables over structured control flow: a region
/// that writes a storage allocated outside of it carries the contents of the storage.
///
/// At each program point the value of v equals access(contents, path of v), because sizes never
/// change and an injective assign is the whole effect of a write.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEDialect.h"
#include "dialects/tssa/Analysis/Storages.h"
#include "dialects/tssa/Transforms/Boundary.h"
#include "dialects/tssa/Transforms/CarriedValues.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSAFUNCTIONALIZE
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

namespace {
class Functionalizer {
public:
  explicit Functionalizer(func::FuncOp function)
      : function(function), builder(function.getContext()) {}
  void run();

private:
  void rewriteBlock(Block &block);
  void rewrite(AllocOp op) { contents[op.getRef()] = op.getSource(); }
  void rewrite(ReadOp op);
  void rewrite(WriteOp op);
  void rewrite(DimOp op);
  void rewriteControlFlow(Operation *op);
  /// Returns the current value of `ref`.
  Value read(Location loc, Value ref);
  /// Returns the storages that are allocated outside of `op` and written inside, in the order of
  /// their first write.
  SmallVector<Value> findWritten(Operation *op);

  func::FuncOp function;
  OpBuilder builder;
  /// The current contents of each storage.
  DenseMap<Value, Value> contents;
  SmallVector<Operation *> dead;
};
} // namespace

Value Functionalizer::read(Location loc, Value ref) {
  Value now = contents.lookup(getRoot(ref));
  Path path = getPathFromRoot(ref);
  return path.empty() ? now : AccessOp::create(builder, loc, now, path).getResult();
}

void Functionalizer::rewrite(ReadOp op) {
  op.getValue().replaceAllUsesWith(read(op.getLoc(), op.getRef()));
}

void Functionalizer::rewrite(WriteOp op) {
  Value &now = contents[getRoot(op.getRef())];
  Path path = getPathFromRoot(op.getRef());
  now = path.empty() ? op.getValue()
                     : AssignOp::create(builder, op.getLoc(), op.getValue(), now, path).getResult();
}

void Functionalizer::rewrite(DimOp op) {
  auto storage = getRoot(op.getRef()).getDefiningOp<AllocOp>();
  SmallVector<OpFoldResult> sizes = te::getSizes(builder, op.getLoc(), storage.getSource());
  OpFoldResult size = reifyShape(getPathFromRoot(op.getRef()), sizes)[op.getDim()];
  op.getSize().replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, op.getLoc(), size));
}

SmallVector<Value> Functionalizer::findWritten(Operation *op) {
  SetVector<Value> written;
  op->walk([&](WriteOp write) {
    Value root = getRoot(write.getRef());
    if (contents.contains(root))
      written.insert(root);
  });
  return written.takeVector();
}

void Functionalizer::rewriteControlFlow(Operation *op) {
  SmallVector<Value> written = findWritten(op);
  auto getContents = [&] {
    return llvm::map_to_vector(written, [&](Value root) { return contents.lookup(root); });
  };
  auto setContents = [&](ValueRange values) {
    for (auto [root, value] : llvm::zip_equal(written, values.take_back(written.size())))
      contents[root] = value;
  };
  SmallVector<Value> before = getContents();
  Operation *carrying = op;
  if (!written.empty()) {
    carrying = addCarried(builder, op, before, TypeRange(ValueRange(before)));
    op->replaceAllUsesWith(carrying->getResults().take_front(op->getNumResults()));
    op->erase();
  }
  for (Region &region : carrying->getRegions()) {
    if (region.empty())
      continue;
    if (isa<scf::IfOp>(carrying))
      setContents(before);
    else
      setContents(region.getArguments());
    rewriteBlock(region.front());
    getYielded(region).append(getContents());
  }
  setContents(carrying->getResults());
}

void Functionalizer::rewriteBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    builder.setInsertionPoint(&op);
    if (isControlFlow(&op)) {
      rewriteControlFlow(&op);
      continue;
    }
    llvm::TypeSwitch<Operation *>(&op).Case<AllocOp, ReadOp, WriteOp, DimOp>(
        [&](auto typed) { rewrite(typed); });
    if (isa<AllocOp, ViewOp, ReadOp, WriteOp, DimOp>(op))
      dead.push_back(&op);
  }
}

void Functionalizer::run() {
  Boundary boundary(function);
  rewriteBlock(function.getBody().front());
  Location loc = function.getBody().front().getTerminator()->getLoc();
  boundary.close(builder, [&](Value ref) { return read(loc, ref); });
  for (Operation *op : llvm::reverse(dead))
    op->erase();
}

namespace {
struct Functionalize : refs::impl::TSSAFunctionalizeBase<Functionalize> {
  void runOnOperation() override {
    if (failed(checkReferences(getOperation())))
      return signalPassFailure();
    Functionalizer(getOperation()).run();
  }
};
} // namespace
