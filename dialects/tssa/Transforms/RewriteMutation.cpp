//===- RewriteMutation.cpp - writes as assigns, and updates of each view -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The first part of Algorithm 1 of the paper. Each ref becomes a tensor, and each view an
/// access. A write of w to v, in program order, is rewritten in two steps:
///
///   1. Up: v has the new contents w. From v to the root t, if x is a view of y and has the new
///      contents x', then y has the new contents y' = assign(y, x').
///   2. Down: from t on, each x gets an update(x', x), and each view c of x that dominates the
///      write gets the new contents c' = access(x').
///
/// A `tssa.alloc` and a `tssa.read` become accesses with an empty path. The access gives the
/// storage a value of its own, so that an update renames neither the source of the alloc nor a
/// value that was read before.
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Analysis/Storages.h"
#include "dialects/tssa/Transforms/Boundary.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSAREWRITEMUTATION
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

namespace {
class MutationRewriter {
public:
  explicit MutationRewriter(func::FuncOp function)
      : function(function), builder(function.getContext()) {}
  void run();

private:
  void makeTensor(Operation *op);
  /// Builds the new contents of the root of the written ref and returns them.
  Value passUp(WriteOp write);
  /// Builds an update of the tensor of `ref` to `contents`, and then updates of the views of `ref`
  /// that dominate `write`.
  void passDown(WriteOp write, Value ref, Value contents);

  func::FuncOp function;
  OpBuilder builder;
  /// The tensor that replaces each ref.
  DenseMap<Value, Value> tensors;
  SmallVector<WriteOp> writes;
  SmallVector<Operation *> dead;
};
} // namespace

void MutationRewriter::makeTensor(Operation *op) {
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    tensors[alloc.getRef()] = AccessOp::create(builder, loc, alloc.getSource(), Path());
  } else if (auto view = dyn_cast<ViewOp>(op)) {
    tensors[view.getRef()] =
        AccessOp::create(builder, loc, tensors.lookup(view.getSource()), view.getBoundPath());
  } else if (auto read = dyn_cast<ReadOp>(op)) {
    read.getValue().replaceAllUsesWith(
        AccessOp::create(builder, loc, tensors.lookup(read.getRef()), Path()).getResult());
  } else if (auto dim = dyn_cast<DimOp>(op)) {
    Value size = tensor::DimOp::create(builder, loc, tensors.lookup(dim.getRef()), dim.getDim());
    dim.getSize().replaceAllUsesWith(size);
  } else if (auto write = dyn_cast<WriteOp>(op)) {
    writes.push_back(write);
  } else {
    return;
  }
  dead.push_back(op);
}

Value MutationRewriter::passUp(WriteOp write) {
  Value ref = write.getRef(), contents = write.getValue();
  while (auto view = ref.getDefiningOp<ViewOp>()) {
    contents = AssignOp::create(builder, write.getLoc(), contents, tensors.lookup(view.getSource()),
                                view.getBoundPath());
    ref = view.getSource();
  }
  return contents;
}

void MutationRewriter::passDown(WriteOp write, Value ref, Value contents) {
  VersionOp::create(builder, write.getLoc(), contents, tensors.lookup(ref));
  DominanceInfo dominance(function);
  SmallVector<ViewOp> views;
  for (Operation *user : ref.getUsers())
    if (auto view = dyn_cast<ViewOp>(user); view && dominance.properlyDominates(user, write))
      views.push_back(view);
  // Users are listed in reverse order of creation.
  for (ViewOp view : llvm::reverse(views)) {
    Value access = AccessOp::create(builder, write.getLoc(), contents, view.getBoundPath());
    passDown(write, view.getRef(), access);
  }
}

void MutationRewriter::run() {
  Boundary boundary(function);
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { makeTensor(op); });
  for (WriteOp write : writes) {
    builder.setInsertionPoint(write);
    Value contents = passUp(write);
    passDown(write, getRoot(write.getRef()), contents);
  }
  boundary.close(builder, [&](Value ref) { return tensors.lookup(ref); });
  for (Operation *op : llvm::reverse(dead))
    op->erase();
}

namespace {
struct RewriteMutation : refs::impl::TSSARewriteMutationBase<RewriteMutation> {
  void runOnOperation() override {
    if (failed(checkReferences(getOperation())))
      return signalPassFailure();
    MutationRewriter(getOperation()).run();
  }
};
} // namespace
