//===- ControlFlow.cpp - prim::If and prim::Loop -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A branch on a condition that is known at import is replaced by its arm. Any other branch is
/// an scf.if, whose results are the values that differ between the arms.
///
/// A loop is an scf.for or scf.while. To find the values that the loop changes, the importer builds
/// the body as a trial. In the first trial it assumes that no value changes. If some values do
/// change, the loop must carry them: the importer discards the trial and builds the body again.
///
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Form.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;

namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace tssa::pytorch {

/// The maximal number of trials in a program, for all loops together.
static constexpr size_t maxTrials = 2000;

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Returns the arm that only raises an exception, or nothing.
static std::optional<unsigned> findRaisingArm(const RecordedNode &node) {
  for (unsigned arm = 0; arm < 2; ++arm)
    for (const RecordedNode &inner : node.blocks[arm].nodes)
      if (inner.is("prim::RaiseException"))
        return arm;
  return std::nullopt;
}

static FailureOr<Values> importArm(Importer &importer, const Block &arm) {
  if (failed(importer.importBlock(arm)))
    return failure();
  return importer.getValues(arm.outputs);
}

/// Builds a check that fails if a run takes the arm that raises. Then builds the other arm.
static FailureOr<Values> importAssertion(Importer &importer, const RecordedNode &node,
                                         mlir::Value flag, unsigned raising) {
  operators::Builder &b = importer.b;
  if (raising == 0) {
    mlir::Value one = arith::ConstantIntOp::create(b.ops, b.loc(), 1, 1);
    flag = arith::XOrIOp::create(b.ops, b.loc(), flag, one);
  }
  b.check(flag, "the program raised an exception");
  return importArm(importer, node.blocks[1 - raising]);
}

static Values importInBlock(Importer &importer, const Block &arm, mlir::Block *block,
                            LogicalResult &result) {
  operators::Builder &b = importer.b;
  mlir::OpBuilder::InsertionGuard guard(b.ops);
  mlir::Location loc = b.loc();
  b.ops.setInsertionPointToEnd(block);
  FailureOr<Values> values = importArm(importer, arm);
  b.setLoc(loc);
  result = failed(values) ? failure() : success();
  return failed(values) ? Values() : *values;
}

/// Returns whether a leaf that was built in an arm can be used after the branch.
static bool isVisible(Importer &importer, const Value &leaf) {
  auto isAround = [&](mlir::Value value) {
    return value.getParentRegion()->isAncestor(importer.b.ops.getInsertionBlock()->getParent());
  };
  if (leaf.is(Value::Int))
    return importer.b.isVisible(leaf.getSize());
  if (leaf.is(Value::Tensor))
    return isAround(leaf.getTensor().ref) &&
           llvm::all_of(leaf.getTensor().shape,
                        [&](const Size &size) { return importer.b.isVisible(size); });
  return !leaf.getScalar() || isAround(leaf.getScalar());
}

/// Determines the forms of the results of a branch. A leaf that is the same in both arms is no
/// result: its entry in `forms` is null, and `left` has its value.
static LogicalResult joinArms(Importer &importer, MutableArrayRef<Value> left,
                              ArrayRef<Value> right, SmallVectorImpl<std::optional<Form>> &forms) {
  for (auto [l, r] : llvm::zip_equal(left, right)) {
    if (l.isSame(r) && isVisible(importer, l)) {
      forms.push_back(std::nullopt);
      continue;
    }
    if (l.is(Value::Uninitialized) || r.is(Value::Uninitialized)) {
      // An uninitialised value is never read, so the value of the other arm may replace it.
      const Value &known = l.is(Value::Uninitialized) ? r : l;
      if (isVisible(importer, known)) {
        l = known;
        forms.push_back(std::nullopt);
        continue;
      }
      Form form = Form::get(known);
      bool learned = false;
      form.isNonNegative = false;
      if (!form.join(importer, known, learned))
        return importer.b.unsupported("a branch leaves a value undefined");
      forms.push_back(form);
      continue;
    }
    Form form = Form::get(l);
    bool learned = false;
    if (!form.join(importer, l, learned) || !form.join(importer, r, learned))
      return importer.b.unsupported("a value is " + l.describe() + " in one branch and " +
                                    r.describe() +
                                    " in the other (two tensors must have the same element type and rank)");
    forms.push_back(form);
  }
  return success();
}

static void yieldLeaves(Importer &importer, mlir::Block *block, ArrayRef<Value> leaves,
                        ArrayRef<std::optional<Form>> forms) {
  operators::Builder &b = importer.b;
  mlir::OpBuilder::InsertionGuard guard(b.ops);
  b.ops.setInsertionPointToEnd(block);
  SmallVector<mlir::Value> values;
  for (auto [leaf, form] : llvm::zip_equal(leaves, forms)) {
    if (!form)
      continue;
    Value given = leaf;
    if (leaf.is(Value::Uninitialized))
      given = form->makePlaceholder(importer);
    values.push_back(form->build(importer, given));
  }
  scf::YieldOp::create(b.ops, b.loc(), values);
}

/// Moves the arms of `draft`, which is an scf.if without results, into an scf.if with results.
static Values finishIf(Importer &importer, scf::IfOp draft, ArrayRef<Value> leaves,
                       ArrayRef<std::optional<Form>> forms) {
  operators::Builder &b = importer.b;
  SmallVector<mlir::Type> types;
  for (const std::optional<Form> &form : forms)
    if (form)
      types.push_back(form->getType(b.ops));
  auto op = scf::IfOp::create(b.ops, b.loc(), types, draft.getCondition(),
                              /*addThenBlock=*/false, /*addElseBlock=*/false);
  op.getThenRegion().takeBody(draft.getThenRegion());
  op.getElseRegion().takeBody(draft.getElseRegion());
  draft.erase();
  Values results;
  unsigned next = 0;
  for (auto [leaf, form] : llvm::zip_equal(leaves, forms))
    results.push_back(form ? form->wrap(importer, op.getResult(next++)) : leaf);
  return results;
}

static FailureOr<Values> importBranches(Importer &importer, const RecordedNode &node,
                                        mlir::Value flag) {
  operators::Builder &b = importer.b;
  auto draft = scf::IfOp::create(b.ops, b.loc(), mlir::TypeRange(), flag,
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  mlir::Block *blocks[] = {draft.thenBlock(), draft.elseBlock()};
  Values arms[2];
  LogicalResult result = success();
  for (unsigned arm = 0; arm < 2 && succeeded(result); ++arm) {
    if (!blocks[arm]->empty())
      blocks[arm]->back().erase();
    arms[arm] = importInBlock(importer, node.blocks[arm], blocks[arm], result);
  }
  if (succeeded(result) && arms[0].size() != arms[1].size())
    result = b.error("expected branches with equally many outputs");
  SmallVector<std::optional<Form>> forms;
  auto &[left, right] = arms;
  if (failed(result) || failed(joinArms(importer, left, right, forms))) {
    b.discard(draft);
    return failure();
  }
  yieldLeaves(importer, blocks[0], left, forms);
  yieldLeaves(importer, blocks[1], right, forms);
  return finishIf(importer, draft, left, forms);
}

FailureOr<Values> importIf(Importer &importer, const RecordedNode &node) {
  if (node.inputs.size() != 1 || node.blocks.size() != 2)
    return importer.b.error("expected one condition and two blocks");
  const Value &condition = importer.getValue(node.inputs[0]);
  if (!condition.is(Value::Bool))
    return importer.b.error("expected a bool as condition, got " + condition.describe());
  if (std::optional<bool> known = condition.getConstantBool())
    return importArm(importer, node.blocks[*known ? 0 : 1]);
  mlir::Value flag = importer.getTruth(condition);
  if (std::optional<unsigned> raising = findRaisingArm(node))
    return importAssertion(importer, node, flag, *raising);
  return importBranches(importer, node, flag);
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

namespace {
class LoopImporter {
public:
  LoopImporter(Importer &importer, const RecordedNode &node)
      : importer(importer), b(importer.b), body(node.blocks.front()),
        leaves(importer.getValues(ArrayRef<ValueId>(node.inputs).drop_front(2))),
        forms(leaves.size()) {}

  FailureOr<Values> run(const Value &count, const Value &condition);

private:
  /// The result of a trial: nothing if the body must be built again.
  using Trial = FailureOr<std::optional<Values>>;

  Trial tryLoop();
  Trial tryFor();
  Trial tryWhile();
  /// Builds the body for an iteration number and the given values of the carried leaves. Returns
  /// the new values, or nothing if the body must be built again.
  FailureOr<std::optional<SmallVector<mlir::Value>>>
  buildBody(const Size &position, mlir::ValueRange carried, mlir::Value *goesOn);
  mlir::LogicalResult openDims();
  FailureOr<bool> learn(ArrayRef<Value> next);
  SmallVector<mlir::Value> getInitialValues();
  Values wrapLeaves(mlir::ValueRange carried);
  void fillCondition(mlir::Block *before);

  Importer &importer;
  operators::Builder &b;
  const Block &body;
  Values leaves;
  /// The forms of the carried leaves; null for leaves that the loop does not change.
  SmallVector<std::optional<Form>> forms;
  std::optional<Size> count; ///< the maximal number of iterations
  mlir::Value flag;          ///< whether the first iteration runs
  bool isWhile = false;      ///< whether the condition may change
  mlir::Block *outside = nullptr;
};
} // namespace

SmallVector<mlir::Value> LoopImporter::getInitialValues() {
  SmallVector<mlir::Value> values;
  for (auto [leaf, form] : llvm::zip_equal(leaves, forms))
    if (form)
      values.push_back(form->build(
          importer, leaf.is(Value::Uninitialized) ? form->makePlaceholder(importer) : leaf));
  return values;
}

/// Returns all leaves. The carried leaves have the values in `carried`.
Values LoopImporter::wrapLeaves(mlir::ValueRange carried) {
  Values wrapped;
  unsigned next = 0;
  for (auto [leaf, form] : llvm::zip_equal(leaves, forms))
    wrapped.push_back(form ? form->wrap(importer, carried[next++]) : leaf);
  return wrapped;
}

/// Lets the loop carry the tensors that the program says have other sizes in later iterations.
mlir::LogicalResult LoopImporter::openDims() {
  for (const Block::OpenDim &open : body.openDims) {
    if (open.input == 0)
      return b.error("expected a value that the loop carries as 'open', got its iteration");
    const Value &leaf = leaves[open.input - 1];
    if (leaf.is(Value::Uninitialized))
      continue; // the first trial finds its form
    if (!leaf.is(Value::Tensor) || static_cast<int64_t>(open.dim) >= leaf.getTensor().rank())
      return b.error("expected a dim of a tensor as 'open', got dim " + Twine(open.dim) + " of " +
                     leaf.describe());
    std::optional<Form> &form = forms[open.input - 1];
    if (!form)
      form = Form::get(leaf);
    form->forgetSize(open.dim);
  }
  return mlir::success();
}

/// Compares the outputs of the body with its inputs, and updates the forms. Returns true if the
/// body must be built again.
FailureOr<bool> LoopImporter::learn(ArrayRef<Value> next) {
  mlir::OpBuilder::InsertionGuard guard(b.ops);
  b.ops.setInsertionPointToEnd(outside);
  bool learned = false;
  for (auto [leaf, form, value] : llvm::zip_equal(leaves, forms, next)) {
    if (!form) {
      if (value.isSame(leaf))
        continue;
      // An uninitialised value is never read, so it may have the form of the next value.
      form = Form::get(leaf.is(Value::Uninitialized) ? value : leaf);
      learned = true;
    }
    if (!form->join(importer, value, learned))
      return b.unsupported("a value is " + leaf.describe() + " before a loop and " +
                           value.describe() +
                           " after an iteration (two tensors must have the same element type and rank)");
  }
  return learned;
}

FailureOr<std::optional<SmallVector<mlir::Value>>>
LoopImporter::buildBody(const Size &position, mlir::ValueRange carried, mlir::Value *goesOn) {
  importer.setValue(body.inputs[0], Value::integer(position));
  importer.setValues(ArrayRef<ValueId>(body.inputs).drop_front(), wrapLeaves(carried));
  mlir::Location loc = b.loc();
  if (failed(importer.importBlock(body)))
    return failure();
  b.setLoc(loc);
  Values outputs = importer.getValues(body.outputs);
  ArrayRef<Value> next = ArrayRef<Value>(outputs).drop_front();
  FailureOr<bool> learned = learn(next);
  if (failed(learned))
    return failure();
  if (!outputs.front().is(Value::Bool))
    return b.error("expected a bool as condition of a loop");
  if (!goesOn && outputs.front().getConstantBool() != true)
    learned = isWhile = true;
  if (*learned)
    return std::optional<SmallVector<mlir::Value>>();
  if (goesOn)
    *goesOn = importer.getTruth(outputs.front());
  SmallVector<mlir::Value> values;
  for (auto [leaf, form] : llvm::zip_equal(next, forms))
    if (form)
      values.push_back(form->build(importer, leaf));
  return std::optional(values);
}

LoopImporter::Trial LoopImporter::tryFor() {
  mlir::Value zero = b.materializeValue(0), one = b.materializeValue(1);
  auto loop =
      scf::ForOp::create(b.ops, b.loc(), zero, b.materializeValue(*count), one, getInitialValues());
  auto fill = [&]() -> FailureOr<bool> {
    mlir::OpBuilder::InsertionGuard guard(b.ops);
    mlir::Block *block = loop.getBody();
    if (!block->empty())
      block->back().erase();
    b.ops.setInsertionPointToEnd(block);
    Size position = b.sizes.getPosition(loop.getInductionVar(), *count);
    auto next = buildBody(position, loop.getRegionIterArgs(), nullptr);
    if (failed(next))
      return failure();
    if (*next)
      scf::YieldOp::create(b.ops, b.loc(), **next);
    return next->has_value();
  };
  FailureOr<bool> isDone = fill();
  if (failed(isDone) || !*isDone) {
    b.discard(loop);
    return failed(isDone) ? Trial(failure()) : Trial(std::nullopt);
  }
  return Trial(wrapLeaves(loop.getResults()));
}

/// Builds the condition of the loop: the iteration number is less than the count, and the flag is
/// true.
void LoopImporter::fillCondition(mlir::Block *before) {
  mlir::OpBuilder::InsertionGuard guard(b.ops);
  b.ops.setInsertionPointToEnd(before);
  mlir::Value goesOn = before->getArgument(1);
  if (count) {
    mlir::Value isBelow = arith::CmpIOp::create(b.ops, b.loc(), arith::CmpIPredicate::slt,
                                                before->getArgument(0), b.materializeValue(*count));
    goesOn = arith::AndIOp::create(b.ops, b.loc(), isBelow, goesOn);
  }
  scf::ConditionOp::create(b.ops, b.loc(), goesOn, before->getArguments());
}

LoopImporter::Trial LoopImporter::tryWhile() {
  SmallVector<mlir::Value> start = {b.materializeValue(0), flag};
  llvm::append_range(start, getInitialValues());
  if (count)
    b.materializeValue(*count);
  SmallVector<mlir::Type> types(mlir::ValueRange(start).getTypes());
  SmallVector<mlir::Location> locs(types.size(), b.loc());
  auto loop = scf::WhileOp::create(b.ops, b.loc(), types, start);
  auto fill = [&]() -> FailureOr<bool> {
    mlir::OpBuilder::InsertionGuard guard(b.ops);
    fillCondition(b.ops.createBlock(&loop.getBefore(), {}, types, locs));
    mlir::Block *block = b.ops.createBlock(&loop.getAfter(), {}, types, locs);
    mlir::Value index = block->getArgument(0);
    Size position =
        count ? b.sizes.getPosition(index, *count) : b.sizes.get(index, /*nonNegative=*/true);
    mlir::Value goesOn;
    auto next = buildBody(position, block->getArguments().drop_front(2), &goesOn);
    if (failed(next))
      return failure();
    if (!*next)
      return false;
    SmallVector<mlir::Value> values = {b.materializeValue(position + 1), goesOn};
    llvm::append_range(values, **next);
    scf::YieldOp::create(b.ops, b.loc(), values);
    return true;
  };
  FailureOr<bool> isDone = fill();
  if (failed(isDone) || !*isDone) {
    b.discard(loop);
    return failed(isDone) ? Trial(failure()) : Trial(std::nullopt);
  }
  return Trial(wrapLeaves(loop.getResults().drop_front(2)));
}

LoopImporter::Trial LoopImporter::tryLoop() { return isWhile ? tryWhile() : tryFor(); }

FailureOr<Values> LoopImporter::run(const Value &trips, const Value &condition) {
  if (condition.getConstantBool() == false)
    return leaves;
  FailureOr<Size> size = importer.getSize(trips);
  if (failed(size))
    return failure();
  if (!size->isConstant(INT64_MAX))
    count = Size::max(*size, 0);
  if (count && count->isConstant(0))
    return leaves;
  outside = b.ops.getInsertionBlock();
  isWhile = !count || !condition.getConstantBool();
  flag = importer.getTruth(condition);
  if (failed(openDims()))
    return failure();
  while (b.numDiscarded() < maxTrials) {
    Trial trial = tryLoop();
    if (failed(trial))
      return failure();
    if (*trial)
      return **trial;
  }
  return b.limit("loops are nested too deeply to find out what they carry");
}

FailureOr<Values> importLoop(Importer &importer, const RecordedNode &node) {
  operators::Builder &b = importer.b;
  if (node.inputs.size() < 2 || node.blocks.size() != 1)
    return b.error("expected a trip count, a condition and a block");
  const Block &body = node.blocks.front();
  size_t numCarried = node.inputs.size() - 2;
  if (body.inputs.size() != numCarried + 1 || body.outputs.size() != numCarried + 1)
    return b.error("expected a block with " + Twine(numCarried + 1) + " inputs and outputs");
  const Value &condition = importer.getValue(node.inputs[1]);
  if (!condition.is(Value::Bool))
    return b.error("expected a bool as condition of a loop, got " + condition.describe());
  return LoopImporter(importer, node).run(importer.getValue(node.inputs[0]), condition);
}

} // namespace tssa::pytorch
