//===- ControlFlow.cpp - If, Loop and Scan -===//
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
                         " for output " + Twine(output));
  TensorForm form{left.dtype(), {}};
  for (auto [l, r] : llvm::zip_equal(left.shape(), right.shape()))
    form.shape.push_back(l == r && b.isVisible(l) ? std::optional(l) : std::nullopt);
  return form;
}

static FailureOr<Tensors> buildIf(Builder &b, const Node &node) {
  Subgraph &then = *node.subgraphs.lookup("then_branch");
  Subgraph &otherwise = *node.subgraphs.lookup("else_branch");
  const Tensor &condition = node.inputs[0];
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
  if (failed(right))
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
  for (auto [block, tensors] : {std::pair(draft.thenBlock(), &*left), {draft.elseBlock(), &*right}}) {
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
// Loop and Scan
//===----------------------------------------------------------------------===//

static FailureOr<Tensors> buildLoop(Builder &b, const Node &node) {
  Subgraph &body = *node.subgraphs.lookup("body");
  ArrayRef<Tensor> initial = ArrayRef<Tensor>(node.inputs).drop_front(2);
  if (body.numInputs() != initial.size() + 2 || body.numOutputs() < initial.size() + 1)
    return b.error("the body has " + Twine(body.numInputs()) + " inputs and " +
                   Twine(body.numOutputs()) + " outputs for " + Twine(initial.size()) +
                   " carried values");
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

/// Element `position` of dim `axis`, which vanishes.
static FailureOr<Tensor> take(Builder &b, const Tensor &x, int64_t axis, const Size &position) {
  SmallVector<Size> shape(x.shape());
  shape.erase(shape.begin() + axis);
  return b.compute(x.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, shape.size());
    at.insert(at.begin() + axis, body.size(position));
    return body.read(x, at);
  });
}

/// Moves dim 0 of the scan outputs to where the operator wants it.
static LogicalResult placeScanAxes(Builder &b, const Node &node, MutableArrayRef<Tensor> outputs) {
  SmallVector<int64_t> axes = node.getInts("scan_output_axes");
  for (auto [i, tensor] : llvm::enumerate(outputs)) {
    FailureOr<int64_t> axis = b.normalizeAxis(i < axes.size() ? axes[i] : 0, tensor.rank());
    if (failed(axis))
      return failure();
    SmallVector<int64_t> permutation;
    for (int64_t dim = 1; dim < tensor.rank(); ++dim)
      permutation.push_back(dim);
    permutation.insert(permutation.begin() + *axis, 0);
    FailureOr<Tensor> moved = b.transpose(tensor, permutation);
    if (failed(moved))
      return failure();
    tensor = *moved;
  }
  return success();
}

static FailureOr<Tensors> buildScan(Builder &b, const Node &node) {
  Subgraph &body = *node.subgraphs.lookup("body");
  int64_t numScanned = node.getInt("num_scan_inputs", 0);
  int64_t numCarried = static_cast<int64_t>(node.inputs.size()) - numScanned;
  if (numScanned < 1 || numCarried < 0 || body.numInputs() != node.inputs.size() ||
      body.numOutputs() < static_cast<size_t>(numCarried))
    return b.error("the body has " + Twine(body.numInputs()) + " inputs and " +
                   Twine(body.numOutputs()) + " outputs for " + Twine(numCarried) +
                   " states and " + Twine(numScanned) + " scan inputs");
  ArrayRef<Tensor> inputs = node.inputs, scanned = inputs.drop_front(numCarried);
  SmallVector<int64_t> given = node.getInts("scan_input_axes"), axes;
  SmallVector<int64_t> directions = node.getInts("scan_input_directions");
  SmallVector<int64_t> outputDirections = node.getInts("scan_output_directions");
  LoopSpec spec(body, inputs.take_front(numCarried));
  for (auto [i, tensor] : llvm::enumerate(scanned)) {
    FailureOr<int64_t> axis = b.normalizeAxis(i < given.size() ? given[i] : 0, tensor.rank());
    if (failed(axis))
      return failure();
    axes.push_back(*axis);
    if (i == 0)
      spec.count = tensor.dim(*axis);
    else if (failed(b.requireEqual(*spec.count, tensor.dim(*axis), "length of the scan inputs")))
      return failure();
  }
  for (int64_t direction : outputDirections)
    spec.reversed.push_back(direction == 1);
  spec.makeInputs = [&](const Size &position, ArrayRef<Tensor> carried) -> FailureOr<Tensors> {
    Tensors result(carried);
    for (auto [i, tensor] : llvm::enumerate(scanned)) {
      bool isReversed = i < directions.size() && directions[i] == 1;
      FailureOr<Tensor> element =
          take(b, tensor, axes[i], isReversed ? *spec.count - 1 - position : position);
      if (failed(element))
        return failure();
      result.push_back(*element);
    }
    return result;
  };
  FailureOr<Tensors> results = LoopBuilder(b, spec).run();
  if (failed(results) ||
      failed(placeScanAxes(b, node, MutableArrayRef<Tensor>(*results).drop_front(numCarried))))
    return failure();
  return results;
}

void registerControlFlow(Registry &registry) {
  registry.add("If", buildIf);
  registry.add("Loop", buildLoop);
  registry.add("Scan", buildScan, 9);
}

} // namespace tssa::operators
