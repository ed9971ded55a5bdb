//===- ControlFlow.cpp - If and Loop -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/SequenceLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Builder/LoopBuilder.h"

using namespace mlir;

namespace tssa::operators {

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

namespace {

/// A branch of an If, built into a separate block.
struct Branch {
  Subgraph &body;
  Block *block;
  Tensors results;
  /// If all runs that take this branch fail, the error that they report; else empty.
  std::string error;

  bool fails() const { return !error.empty(); }
};

/// Builds an If whose condition is known only at run time.
class IfBuilder {
public:
  IfBuilder(Builder &b, const Node &node) : b(b), node(node) {}

  FailureOr<Tensors> run(Subgraph &then, Subgraph &otherwise);

private:
  LogicalResult build(Branch &branch);
  std::optional<unsigned> findMismatch() const;
  LogicalResult reportMismatch(unsigned output);
  LogicalResult makeCompatible();
  TensorForm joinForms(unsigned output) const;
  LogicalResult failRun(Branch &branch, ArrayRef<TensorForm> forms);
  Tensors close(scf::IfOp draft, ArrayRef<TensorForm> forms);

  Builder &b;
  const Node &node;
  SmallVector<Branch, 2> branches;
};

} // namespace

LogicalResult IfBuilder::build(Branch &branch) {
  OpBuilder::InsertionGuard guard(b.ops);
  Location loc = b.loc();
  b.ops.setInsertionPointToEnd(branch.block);
  FailureOr<Tensors> results = branch.body.build(b, {});
  b.setLoc(loc);
  if (failed(results) || failed(requirePlain(b, *results, "a branch")))
    return failure();
  branch.results = std::move(*results);
  return success();
}

/// Returns the first output for which the results of the branches have no common type.
std::optional<unsigned> IfBuilder::findMismatch() const {
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip_equal(branches[0].results, branches[1].results))) {
    auto &[left, right] = pair;
    if (left.dtype() != right.dtype() || left.rank() != right.rank())
      return i;
  }
  return std::nullopt;
}

LogicalResult IfBuilder::reportMismatch(unsigned output) {
  return b.needsValue(node.inputs[0],
                      "the branches give " + branches[0].results[output].str() + " and " +
                          branches[1].results[output].str() + " for output " + Twine(output) +
                          "; if the condition depends on sizes, compile for known sizes");
}

/// Makes the types of the branches' results compatible. If they differ, builds the rest of the
/// graph in each branch, so that the branches yield the results of the graph.
LogicalResult IfBuilder::makeCompatible() {
  std::optional<unsigned> mismatch = findMismatch();
  if (!mismatch)
    return success();
  if (!node.continueGraph)
    return reportMismatch(*mismatch);
  for (Branch &branch : branches) {
    OpBuilder::InsertionGuard guard(b.ops);
    b.ops.setInsertionPointToEnd(branch.block);
    Location loc = b.loc();
    FailureOr<Continuation> rest = node.continueGraph(b, branch.results);
    b.setLoc(loc);
    if (failed(rest) || failed(requirePlain(b, rest->results, "a branch")))
      return failure();
    branch.results = std::move(rest->results);
    branch.error = std::move(rest->error);
  }
  if (branches[0].fails() && branches[1].fails())
    return b.error("the nodes after it are wrong with the results of either branch: " +
                   branches[0].error);
  bool bothRun = !branches[0].fails() && !branches[1].fails();
  if (std::optional<unsigned> output = bothRun ? findMismatch() : std::nullopt)
    return reportMismatch(*output);
  return success();
}

/// Returns the form of a result of the If: a size is known if it is the same in both branches. If
/// one branch always fails, returns the form that the result has in the other branch.
TensorForm IfBuilder::joinForms(unsigned output) const {
  const Branch &left = branches[branches[0].fails()], &right = branches[!branches[1].fails()];
  TensorForm form{left.results[output].dtype(), {}};
  for (auto [l, r] : llvm::zip_equal(left.results[output].shape(), right.results[output].shape()))
    form.shape.push_back(l == r && b.isVisible(l) ? std::optional(l) : std::nullopt);
  return form;
}

/// Adds to the branch a check that fails the run. Lets the branch yield zeros of the required
/// forms, in which sizes that are not known are 0.
LogicalResult IfBuilder::failRun(Branch &branch, ArrayRef<TensorForm> forms) {
  OpBuilder::InsertionGuard guard(b.ops);
  b.ops.setInsertionPointToEnd(branch.block);
  b.check(arith::ConstantIntOp::create(b.ops, b.loc(), 0, 1), branch.error);
  for (const TensorForm &form : forms) {
    SmallVector<Size> shape;
    for (const std::optional<Size> &size : form.shape)
      shape.push_back(size.value_or(Size(0)));
    FailureOr<Tensor> result = b.fill(form.type, shape, 0);
    if (failed(result))
      return failure();
    branch.results.push_back(*result);
  }
  return success();
}

/// Adds the yields to the branches, and moves the blocks of `draft` into a new scf.if, which has
/// results.
Tensors IfBuilder::close(scf::IfOp draft, ArrayRef<TensorForm> forms) {
  SmallVector<Type> types;
  for (const TensorForm &form : forms)
    types.push_back(getType(b, form));
  for (Branch &branch : branches) {
    OpBuilder::InsertionGuard guard(b.ops);
    b.ops.setInsertionPointToEnd(branch.block);
    SmallVector<Value> values;
    for (auto [tensor, type] : llvm::zip_equal(branch.results, types))
      values.push_back(conform(b, tensor, type));
    scf::YieldOp::create(b.ops, b.loc(), values);
  }
  auto op = scf::IfOp::create(b.ops, b.loc(), types, draft.getCondition(),
                              /*addThenBlock=*/false, /*addElseBlock=*/false);
  op.getThenRegion().takeBody(draft.getThenRegion());
  op.getElseRegion().takeBody(draft.getElseRegion());
  draft.erase();
  Tensors results;
  for (auto [value, form] : llvm::zip_equal(op.getResults(), forms))
    results.push_back(wrap(b, value, form));
  return results;
}

FailureOr<Tensors> IfBuilder::run(Subgraph &then, Subgraph &otherwise) {
  FailureOr<Value> flag = extractFlag(b, node.inputs[0]);
  if (failed(flag))
    return failure();
  auto draft = scf::IfOp::create(b.ops, b.loc(), TypeRange(), *flag, /*withElseRegion=*/true);
  branches = {{then, draft.thenBlock(), {}, {}}, {otherwise, draft.elseBlock(), {}, {}}};
  for (Branch &branch : branches)
    branch.block->getTerminator()->erase();
  if (failed(build(branches[0])) || failed(build(branches[1])) || failed(makeCompatible()))
    return failure();
  SmallVector<TensorForm> forms;
  for (unsigned output = 0; output < branches[branches[0].fails()].results.size(); ++output)
    forms.push_back(joinForms(output));
  for (Branch &branch : branches)
    if (branch.fails() && failed(failRun(branch, forms)))
      return failure();
  return close(draft, forms);
}

static FailureOr<Tensors> buildIf(Builder &b, const Node &node) {
  Subgraph &then = *node.subgraphs.lookup("then_branch");
  Subgraph &otherwise = *node.subgraphs.lookup("else_branch");
  for (Subgraph *branch : {&then, &otherwise})
    if (branch->numInputs() != 0)
      return b.error("expected a branch without inputs, got " + Twine(branch->numInputs()) +
                     " inputs");
  if (then.numOutputs() != otherwise.numOutputs())
    return b.error("the branches have " + Twine(then.numOutputs()) + " and " +
                   Twine(otherwise.numOutputs()) + " outputs");
  std::optional<SmallVector<int64_t>> known = b.constantInts(node.inputs[0]);
  if (known && known->size() == 1)
    return (known->front() ? then : otherwise).build(b, {});
  return IfBuilder(b, node).run(then, otherwise);
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

static FailureOr<Tensors> buildLoop(Builder &b, const Node &node) {
  Subgraph &body = *node.subgraphs.lookup("body");
  ArrayRef<Tensor> initial = ArrayRef<Tensor>(node.inputs).drop_front(2);
  if (body.numInputs() != initial.size() + 2 || body.numOutputs() < initial.size() + 1)
    return b.error("the body has " + Twine(body.numInputs()) + " inputs and " +
                   Twine(body.numOutputs()) + " outputs for " + Twine(initial.size()) +
                   " carried values");
  if (llvm::any_of(initial, [](const Tensor &tensor) { return !tensor.isPlain(); }))
    return buildSequenceLoop(b, node, body, buildLoop);
  LoopSpec spec(body, initial);
  spec.firstOutput = 1;
  if (Tensor count = node.input(0)) {
    FailureOr<Size> size = b.requireSize(count, "the trip count");
    if (failed(size))
      return failure();
    spec.count = Size::max(*size, 0);
  }
  Tensor condition = node.input(1);
  if (!condition)
    condition = b.fromSizes(DType::Bool, {}, Size(1));
  FailureOr<Value> flag = extractFlag(b, condition);
  if (failed(flag))
    return failure();
  std::optional<SmallVector<int64_t>> known = b.constantInts(condition);
  bool startsTrue = known && known->front() != 0;
  bool staysTrue = body.isAlwaysTrue(0) || body.getForwardedInput(0) == 1;
  if (!spec.count || !startsTrue || !staysTrue)
    spec.condition = *flag;
  spec.makeInputs = [&](const Size &position, ArrayRef<Tensor> carried) -> FailureOr<Tensors> {
    // The body runs only if the condition holds.
    ArrayRef<Size> shape = node.input(0) ? node.input(0).shape() : ArrayRef<Size>();
    Tensors inputs = {b.fromSizes(DType::I64, shape, position),
                      b.fromSizes(DType::Bool, condition.shape(), Size(1))};
    inputs.append(carried.begin(), carried.end());
    return inputs;
  };
  return LoopBuilder(b, spec).run();
}

OperatorRows getControlFlowRows() {
  return {
      {"If", buildIf},
      {"Loop", buildLoop},
  };
}

} // namespace tssa::operators
