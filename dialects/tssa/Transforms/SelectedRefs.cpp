//===- SelectedRefs.cpp - refs that are one of several -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/SelectedRefs.h"
#include "dialects/tssa/Analysis/Storages.h"
#include "dialects/tssa/Transforms/CarriedValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

/// Returns whether `tag` is `number` as the condition of the branch that yields two constants as
/// `tag`, or as its negation; null if no branch does.
static Value getCondition(OpBuilder &builder, Location loc, Value tag, unsigned number) {
  auto branch = tag.getDefiningOp<scf::IfOp>();
  if (!branch)
    return {};
  unsigned result = cast<OpResult>(tag).getResultNumber();
  std::optional<int64_t> whenTrue = getConstantIntValue(branch.thenYield().getOperand(result));
  std::optional<int64_t> whenFalse = getConstantIntValue(branch.elseYield().getOperand(result));
  if (!whenTrue || !whenFalse || (*whenTrue == number) == (*whenFalse == number))
    return {};
  if (*whenTrue == number)
    return branch.getCondition();
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  return arith::XOrIOp::create(builder, loc, branch.getCondition(), yes);
}

static Value isTag(OpBuilder &builder, Location loc, Value tag, unsigned number) {
  if (Value condition = getCondition(builder, loc, tag, number))
    return condition;
  Value constant = arith::ConstantIndexOp::create(builder, loc, number);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, tag, constant);
}

Value refs::selectByTag(OpBuilder &builder, Location loc, Value tag, unsigned number,
                        Value whenTrue, Value whenFalse) {
  if (whenTrue == whenFalse)
    return whenTrue;
  return arith::SelectOp::create(builder, loc, isTag(builder, loc, tag, number), whenTrue,
                                 whenFalse);
}

void SelectedRefs::add(Value name, Choice choice) {
  for (Value ref : choice.refs)
    roots.insert(getRoot(ref));
  selected[name] = {std::move(choice), {}};
}

Choice SelectedRefs::getChoice(Value ref) const {
  auto found = selected.find(ref);
  return found == selected.end() ? Choice{{}, {ref}} : found->second.choice;
}

/// Builds the arms of the refs from `first` on.
static SmallVector<Value> branchFrom(OpBuilder &builder, Location loc, const Choice &choice,
                                     TypeRange types, SelectedRefs::Emit emit, unsigned first) {
  if (first + 1 == choice.refs.size())
    return emit(builder, first);
  auto arm = [&](auto build) {
    return
        [&, build](OpBuilder &inner, Location) { scf::YieldOp::create(inner, loc, build(inner)); };
  };
  auto build = scf::IfOp::create(builder, loc, isTag(builder, loc, choice.tag, first),
                                 arm([&](OpBuilder &inner) { return emit(inner, first); }),
                                 arm([&](OpBuilder &inner) {
                                   return branchFrom(inner, loc, choice, types, emit, first + 1);
                                 }));
  return SmallVector<Value>(build.getResults());
}

SmallVector<Value> SelectedRefs::branch(OpBuilder &builder, Location loc, const Choice &choice,
                                        TypeRange types, Emit emit) {
  return branchFrom(builder, loc, choice, types, emit, 0);
}

Value SelectedRefs::read(Location loc, Value ref) {
  Type type = cast<RefType>(ref.getType()).getTensorType();
  Choice choice = getChoice(ref);
  return branch(builder, loc, choice, type, [&](OpBuilder &inner, unsigned number) {
    return SmallVector<Value>{ReadOp::create(inner, loc, choice.refs[number])};
  })[0];
}

void SelectedRefs::addView(Value view, Value source, const Path &path) {
  const Selected &from = selected.find(source)->second;
  Selected made{{from.choice.tag, {}}, from.path};
  made.path.append(path);
  for (Value ref : from.choice.refs)
    made.choice.refs.push_back(
        path.empty() ? ref : ViewOp::create(builder, view.getLoc(), ref, path).getRef());
  selected[view] = std::move(made);
}

/// Returns whether `op` may write to a storage.
static bool mayWrite(Operation &op) {
  return op.walk([](WriteOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

Value SelectedRefs::findTag(Value ref) const {
  while (!contains(ref)) {
    auto view = ref.getDefiningOp<ViewOp>();
    if (!view)
      return {};
    ref = view.getSource();
  }
  return getChoice(ref).tag;
}

bool SelectedRefs::canMoveTo(Operation *op, WriteOp write) const {
  // No write is between `op` and `write`.
  if (auto read = dyn_cast<ReadOp>(op)) {
    Value tag = findTag(read.getRef());
    return !tag || tag == findTag(write.getRef());
  }
  if (auto alloc = dyn_cast<AllocOp>(op))
    return !roots.contains(alloc.getRef());
  if (auto view = dyn_cast<ViewOp>(op))
    return !findTag(view.getRef()) && !roots.contains(getRoot(view.getRef()));
  return isMemoryEffectFree(op) && !isControlFlow(op);
}

SmallVector<Operation *> SelectedRefs::findSlice(WriteOp write) const {
  llvm::SetVector<Operation *> slice;
  bool readsTag = false;
  auto serves = [&](Operation *user) {
    Operation *ancestor = write->getBlock()->findAncestorOpInBlock(*user);
    return ancestor == write || slice.contains(ancestor);
  };
  for (Operation *op = write->getPrevNode(); op && !mayWrite(*op); op = op->getPrevNode()) {
    if (op->use_empty() || !canMoveTo(op, write) || !llvm::all_of(op->getUsers(), serves))
      continue;
    auto read = dyn_cast<ReadOp>(op);
    readsTag |= read && findTag(read.getRef());
    slice.insert(op);
  }
  return readsTag ? SmallVector<Operation *>(llvm::reverse(slice)) : SmallVector<Operation *>();
}

bool SelectedRefs::isPartOfWrite(ReadOp read) const {
  Operation *next = read->getNextNode();
  while (next && !mayWrite(*next))
    next = next->getNextNode();
  auto write = dyn_cast_or_null<WriteOp>(next);
  return write && findTag(write.getRef()) && llvm::is_contained(findSlice(write), read);
}

void SelectedRefs::rewriteRead(ReadOp read) {
  if (isPartOfWrite(read))
    return; // it is replaced with the write
  read.getValue().replaceAllUsesWith(this->read(read.getLoc(), read.getRef()));
  read.erase();
}

void SelectedRefs::rewriteWrite(WriteOp write) {
  Choice choice = getChoice(write.getRef());
  SmallVector<Operation *> slice = findSlice(write);
  branch(builder, write.getLoc(), choice, {}, [&](OpBuilder &inner, unsigned number) {
    IRMapping values;
    for (Operation *op : slice)
      if (auto read = dyn_cast<ReadOp>(op); read && contains(read.getRef()))
        values.map(
            read.getValue(),
            ReadOp::create(inner, read.getLoc(), getChoice(read.getRef()).refs[number]).getValue());
      else
        inner.clone(*op, values);
    WriteOp::create(inner, write.getLoc(), values.lookupOrDefault(write.getValue()),
                    choice.refs[number]);
    return SmallVector<Value>();
  });
  write.erase();
  for (Operation *op : llvm::reverse(slice))
    op->erase();
}

void SelectedRefs::rewriteDim(DimOp dim) {
  Choice choice = getChoice(dim.getRef());
  Value size;
  for (unsigned number = choice.refs.size(); number-- > 0;) {
    Value own = DimOp::create(builder, dim.getLoc(), dim.getSize().getType(), choice.refs[number],
                              dim.getDimAttr());
    size = size ? selectByTag(builder, dim.getLoc(), choice.tag, number, own, size) : own;
  }
  dim.getSize().replaceAllUsesWith(size);
  dim.erase();
}

void SelectedRefs::rewrite(Operation *op) {
  builder.setInsertionPoint(op);
  if (auto view = dyn_cast<ViewOp>(op); view && contains(view.getSource())) {
    addView(view.getRef(), view.getSource(), view.getBoundPath());
    // The op stays until it is dead, since later ops name its result.
    view.getSourceMutable().assign(getChoice(view.getSource()).refs[0]);
  } else if (auto read = dyn_cast<ReadOp>(op); read && contains(read.getRef())) {
    rewriteRead(read);
  } else if (auto write = dyn_cast<WriteOp>(op); write && contains(write.getRef())) {
    rewriteWrite(write);
  } else if (auto dim = dyn_cast<DimOp>(op); dim && contains(dim.getRef())) {
    rewriteDim(dim);
  }
}
