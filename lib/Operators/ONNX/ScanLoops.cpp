//===- ScanLoops.cpp - Scan: loops over the elements of tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/LoopBuilder.h"

using namespace mlir;

namespace tssa::operators {

/// Returns the slice at `position` of dim `axis`. The result does not have this dim.
static FailureOr<Tensor> take(Builder &b, const Tensor &x, int64_t axis, const Size &position) {
  SmallVector<Size> shape(x.shape());
  shape.erase(shape.begin() + axis);
  return b.compute(x.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, shape.size());
    at.insert(at.begin() + axis, body.size(position));
    return body.read(x, at);
  });
}

/// Moves dim 0 of the scan outputs to the axes that the node specifies.
static LogicalResult moveScanAxes(Builder &b, const Node &node, MutableArrayRef<Tensor> outputs) {
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

namespace {
/// The initial states, and the scanned tensors with their axes and directions.
struct ScanInputs {
  ArrayRef<Tensor> states, scanned;
  SmallVector<int64_t> axes; ///< the axis of each scanned tensor, in [0, rank)
  SmallVector<int64_t> directions, outputDirections;
};
} // namespace

/// Builds the loop. Returns the final states, then the scan outputs, stacked along dim 0.
static FailureOr<Tensors> runScan(Builder &b, Subgraph &body, const ScanInputs &inputs) {
  LoopSpec spec(body, inputs.states);
  for (auto [tensor, axis] : llvm::zip_equal(inputs.scanned, inputs.axes)) {
    const Size &length = tensor.dim(axis);
    if (spec.count && failed(b.requireEqual(*spec.count, length, "length of the scan inputs")))
      return failure();
    spec.count = spec.count.value_or(length);
  }
  for (int64_t direction : inputs.outputDirections)
    spec.reversed.push_back(direction == 1);
  spec.makeInputs = [&](const Size &position, ArrayRef<Tensor> carried) -> FailureOr<Tensors> {
    Tensors result(carried);
    for (auto [i, tensor] : llvm::enumerate(inputs.scanned)) {
      bool isReversed = i < inputs.directions.size() && inputs.directions[i] == 1;
      FailureOr<Tensor> element =
          take(b, tensor, inputs.axes[i], isReversed ? *spec.count - 1 - position : position);
      if (failed(element))
        return failure();
      result.push_back(*element);
    }
    return result;
  };
  return LoopBuilder(b, spec).run();
}

/// Returns the number of states among the `numInputs` inputs; the other inputs are scanned tensors.
/// Fails if the numbers of inputs and outputs of the body do not fit these inputs.
static FailureOr<int64_t> countStates(Builder &b, const Node &node, Subgraph &body,
                                      int64_t numInputs) {
  int64_t numScanned = node.getInt("num_scan_inputs", 0);
  if (numScanned < 1 || numScanned > numInputs || body.numInputs() != numInputs ||
      body.numOutputs() < numInputs - numScanned)
    return b.error("the body has " + Twine(body.numInputs()) + " inputs and " +
                   Twine(body.numOutputs()) + " outputs for " + Twine(numInputs) +
                   " states and scan inputs, " + Twine(numScanned) + " of them scan inputs");
  return numInputs - numScanned;
}

static FailureOr<Tensors> buildScan(Builder &b, const Node &node) {
  Subgraph &body = *node.subgraphs.lookup("body");
  FailureOr<int64_t> numStates = countStates(b, node, body, node.inputs.size());
  if (failed(numStates))
    return failure();
  ArrayRef<Tensor> all = node.inputs;
  ScanInputs inputs{all.take_front(*numStates),
                    all.drop_front(*numStates),
                    {},
                    node.getInts("scan_input_directions"),
                    node.getInts("scan_output_directions")};
  SmallVector<int64_t> given = node.getInts("scan_input_axes");
  for (auto [i, tensor] : llvm::enumerate(inputs.scanned)) {
    FailureOr<int64_t> axis = b.normalizeAxis(i < given.size() ? given[i] : 0, tensor.rank());
    if (failed(axis))
      return failure();
    inputs.axes.push_back(*axis);
  }
  FailureOr<Tensors> results = runScan(b, body, inputs);
  if (failed(results) ||
      failed(moveScanAxes(b, node, MutableArrayRef<Tensor>(*results).drop_front(*numStates))))
    return failure();
  return results;
}

//===----------------------------------------------------------------------===//
// Version 8: a scan for each element of a batch
//===----------------------------------------------------------------------===//

namespace {
/// The body of a loop over the batch, which scans one element of the batch.
class ElementScan : public Subgraph {
public:
  ElementScan(Subgraph &body, int64_t numStates, ArrayRef<int64_t> directions)
      : body(body), numStates(numStates), directions(directions) {}
  unsigned numInputs() const override { return body.numInputs(); }
  unsigned numOutputs() const override { return body.numOutputs(); }
  std::optional<unsigned> getForwardedInput(unsigned) const override { return std::nullopt; }
  bool isAlwaysTrue(unsigned) const override { return false; }
  FailureOr<Tensors> build(Builder &b, ArrayRef<Tensor> inputs) override {
    ScanInputs parts{
        inputs.take_front(numStates), inputs.drop_front(numStates), {}, directions, {}};
    parts.axes.assign(parts.scanned.size(), 0);
    return runScan(b, body, parts);
  }

private:
  Subgraph &body;
  int64_t numStates;
  SmallVector<int64_t> directions;
};
} // namespace

static FailureOr<Tensors> buildBatchedScan(Builder &b, const Node &node) {
  if (node.inputs[0])
    return b.unsupported("sequences of different lengths in one batch");
  Subgraph &body = *node.subgraphs.lookup("body");
  ArrayRef<Tensor> all = ArrayRef(node.inputs).drop_front();
  FailureOr<int64_t> numStates = countStates(b, node, body, all.size());
  if (failed(numStates))
    return failure();
  for (const Tensor &tensor : all)
    if (tensor.rank() < 1)
      return b.error("expected tensors with a batch as first dim, got " + tensor.str());
  for (const Tensor &tensor : all.drop_front(*numStates))
    if (tensor.rank() < 2)
      return b.error("expected scan inputs of rank 2 or more, got " + tensor.str());
  ElementScan element(body, *numStates, node.getInts("directions"));
  LoopSpec spec(element, {});
  spec.count = all.front().dim(0);
  for (const Tensor &tensor : all)
    if (failed(b.requireEqual(*spec.count, tensor.dim(0), "sizes of the batch")))
      return failure();
  spec.makeInputs = [&](const Size &position, ArrayRef<Tensor>) -> FailureOr<Tensors> {
    Tensors result;
    for (const Tensor &tensor : all) {
      FailureOr<Tensor> part = take(b, tensor, 0, position);
      if (failed(part))
        return failure();
      result.push_back(*part);
    }
    return result;
  };
  return LoopBuilder(b, spec).run();
}

OperatorRows getScanLoopsRows() {
  return {
      {"Scan", Versions{8, 8}, buildBatchedScan},
      {"Scan", Versions{9}, buildScan},
  };
}

} // namespace tssa::operators
