//===- SelectedRefs.cpp - refs that are one of several -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/SelectedRefs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

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
  Selected made{{from.choice.tag, {}}, from.name, from.path};
  made.path.append(path);
  for (Value ref : from.choice.refs)
    made.choice.refs.push_back(
        path.empty() ? ref : ViewOp::create(builder, view.getLoc(), ref, path).getRef());
  selected[view] = std::move(made);
}

void SelectedRefs::rewrite(Operation *op) {
  builder.setInsertionPoint(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ViewOp view) {
        if (!contains(view.getSource()))
          return;
        addView(view.getRef(), view.getSource(), view.getBoundPath());
        // The op stays until it is dead, since later ops name its result.
        view.getSourceMutable().assign(getChoice(view.getSource()).refs[0]);
      })
      .Case([&](ReadOp read) {
        if (!contains(read.getRef()))
          return;
        read.getValue().replaceAllUsesWith(this->read(read.getLoc(), read.getRef()));
        read.erase();
      })
      .Case([&](WriteOp write) {
        if (!contains(write.getRef()))
          return;
        Choice choice = getChoice(write.getRef());
        branch(builder, write.getLoc(), choice, {}, [&](OpBuilder &inner, unsigned number) {
          WriteOp::create(inner, write.getLoc(), write.getValue(), choice.refs[number]);
          return SmallVector<Value>();
        });
        write.erase();
      })
      .Case([&](DimOp dim) {
        if (!contains(dim.getRef()))
          return;
        Choice choice = getChoice(dim.getRef());
        Value size;
        for (auto [number, ref] : llvm::reverse(llvm::enumerate(choice.refs))) {
          Value own =
              DimOp::create(builder, dim.getLoc(), dim.getSize().getType(), ref, dim.getDimAttr());
          size = size ? selectByTag(builder, dim.getLoc(), choice.tag, number, own, size) : own;
        }
        dim.getSize().replaceAllUsesWith(size);
        dim.erase();
      });
}
