//===- ControlFlow.cpp - If and Loop -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/LoopBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Operators/Registry.h"

using namespace mlir;

namespace tssa::operators {

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Builds a branch into a block of its own.
static FailureOr<Tensors> buildBranch(Builder &b, Subgraph &branch, Block *block) {
  OpBuilder::InsertionGuard guard(b.ops);
  Location loc = b.loc();
  b.ops.setInsertionPointToEnd(block);
  FailureOr<Tensors> results = branch.build(b, {});
  b.setLoc(loc);
  return results;
}

/// What both branches agree on.
static FailureOr<TensorForm> joinForms(Builder &b, unsigned output, const Tensor &left,
                                       const Tensor &right) {
  if (left.dtype() != right.dtype() || left.rank() != right.rank())
    return b.unsupported("the branches give " + left.str() + " and " + right.str() +
                         " for output " + Twine(output) +
                         "; where sizes decide, compile for known ones");
  TensorForm form{left.dtype(), {}};
  for (auto [l, r] : llvm::zip_equal(left.shape(), right.shape()))
    form.shape.push_back(l == r && b.isVisible(l) ? std::optional(l) : std::nullopt);
  return form;
}

static FailureOr<Tensors> buildIf(Builder &b, const Node &node) {
  Subgraph &then = *node.subgraphs.lookup("then_branch");
  Subgraph &otherwise = *node.subgraphs.lookup("else_branch");
  const Tensor &condition = node.inputs[0];
  for (Subgraph *branch : {&then, &otherwise})
    if (branch->numInputs() != 0)
      return b.error("a branch takes no inputs, this has " + Twine(branch->numInputs()));
  if (then.numOutputs() != otherwise.numOutputs())
    return b.error("the branches have " + Twine(then.numOutputs()) + " and " +
                   Twine(otherwise.numOutputs()) + " outputs");
  std::optional<SmallVector<int64_t>> known = b.constantInts(condition);
  if (known && known->size() == 1)
    return (known->front() ? then : otherwise).build(b, {});

  FailureOr<Value> extracted = extractFlag(b, condition);
  if (failed(extracted))
    return failure();
  Value flag = *extracted;
  auto draft = scf::IfOp::create(b.ops, b.loc(), TypeRange(), flag, /*withElseRegion=*/true);
  for (Block *block : {draft.thenBlock(), draft.elseBlock()})
    block->getTerminator()->erase();
  FailureOr<Tensors> left = buildBranch(b, then, draft.thenBlock());
  if (failed(left))
    return failure();
  FailureOr<Tensors> right = buildBranch(b, otherwise, draft.elseBlock());
  if (failed(right) || failed(requirePlain(b, *left, "a branch")) ||
      failed(requirePlain(b, *right, "a branch")))
    return failure();
  SmallVector<TensorForm> forms;
  SmallVector<Type> types;
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(*left, *right))) {
    FailureOr<TensorForm> form = joinForms(b, i, std::get<0>(pair), std::get<1>(pair));
    if (failed(form))
      return failure();
    forms.push_back(*form);
    types.push_back(getType(b, *form));
  }
  for (auto [block, tensors] :
       {std::pair(draft.thenBlock(), &*left), {draft.elseBlock(), &*right}}) {
    OpBuilder::InsertionGuard guard(b.ops);
    b.ops.setInsertionPointToEnd(block);
    SmallVector<Value> values;
    for (auto [tensor, type] : llvm::zip_equal(*tensors, types))
      values.push_back(conform(b, tensor, type));
    scf::YieldOp::create(b.ops, b.loc(), values);
  }
  auto op = scf::IfOp::create(b.ops, b.loc(), types, flag, /*addThenBlock=*/false,
                              /*addElseBlock=*/false);
  op.getThenRegion().takeBody(draft.getThenRegion());
  op.getElseRegion().takeBody(draft.getElseRegion());
  draft.erase();
  Tensors results;
  for (auto [value, form] : llvm::zip_equal(op.getResults(), forms))
    results.push_back(wrap(b, value, form));
  return results;
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// The tensors on top of each other along a new first dim.
static FailureOr<Tensor> stack(Builder &b, ArrayRef<Tensor> tensors) {
  Tensors rows;
  for (const Tensor &tensor : tensors) {
    SmallVector<Size> shape(tensor.shape());
    shape.insert(shape.begin(), Size(1));
    FailureOr<Tensor> row = b.reshape(tensor, shape);
    if (failed(row))
      return failure();
    rows.push_back(*row);
  }
  return b.concat(rows, 0);
}

/// A loop that carries a sequence: its body as often as it runs, which must be known.
static FailureOr<Tensors> unrollLoop(Builder &b, const Node &node, Subgraph &body,
                                     ArrayRef<Tensor> initial) {
  constexpr int64_t maxUnrolled = 256;
  auto known = [&](const Tensor &tensor) {
    auto numbers = tensor ? b.constantInts(tensor) : std::nullopt;
    return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
  };
  std::optional<int64_t> count = known(node.input(0));
  std::optional<int64_t> condition =
      node.input(1) ? known(node.input(1)) : std::optional<int64_t>(1);
  bool staysTrue = body.isAlwaysTrue(0) || body.getForwardedInput(0) == 1;
  if (!count || !condition || !staysTrue || *count > maxUnrolled)
    return b.unsupported(
        "a loop that carries a sequence must run a known number of times, at most " +
        Twine(maxUnrolled));
  Tensors carried(initial);
  std::vector<Tensors> scanned(body.numOutputs() - initial.size() - 1);
  if ((*count < 1 || *condition == 0) && !scanned.empty())
    return b.unsupported("a loop that carries a sequence and never runs");
  for (int64_t i = 0; *condition != 0 && i < *count; ++i) {
    Tensors inputs = {b.fromSizes(DType::I64, {}, Size(i)), b.fromSizes(DType::Bool, {}, Size(1))};
    inputs.append(carried.begin(), carried.end());
    Location loc = b.loc();
    FailureOr<Tensors> outputs = body.build(b, inputs);
    b.setLoc(loc);
    if (failed(outputs))
      return failure();
    carried.assign(outputs->begin() + 1, outputs->begin() + 1 + initial.size());
    ArrayRef<Tensor> elements = ArrayRef(*outputs).drop_front(1 + initial.size());
    if (failed(requirePlain(b, elements, "a scan output")))
      return failure();
    for (auto [list, element] : llvm::zip_equal(scanned, elements))
      list.push_back(element);
  }
  for (ArrayRef<Tensor> list : scanned) {
    FailureOr<Tensor> rows = stack(b, list);
    if (failed(rows))
      return failure();
    carried.push_back(*rows);
  }
  return carried;
}

static FailureOr<Tensors> buildLoop(Builder &b, const Node &node) {
  Subgraph &body = *node.subgraphs.lookup("body");
  ArrayRef<Tensor> initial = ArrayRef<Tensor>(node.inputs).drop_front(2);
  if (body.numInputs() != initial.size() + 2 || body.numOutputs() < initial.size() + 1)
    return b.error("the body has " + Twine(body.numInputs()) + " inputs and " +
                   Twine(body.numOutputs()) + " outputs for " + Twine(initial.size()) +
                   " carried values");
  if (llvm::any_of(initial, [](const Tensor &tensor) { return !tensor.isPlain(); }))
    return unrollLoop(b, node, body, initial);
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
    // Where the body runs, the condition holds.
    ArrayRef<Size> shape = node.input(0) ? node.input(0).shape() : ArrayRef<Size>();
    Tensors inputs = {b.fromSizes(DType::I64, shape, position),
                      b.fromSizes(DType::Bool, condition.shape(), Size(1))};
    inputs.append(carried.begin(), carried.end());
    return inputs;
  };
  return LoopBuilder(b, spec).run();
}

void registerControlFlow(Registry &registry) {
  registry.add("If", buildIf);
  registry.add("Loop", buildLoop);
  registerScanLoops(registry);
}

} // namespace tssa::operators
