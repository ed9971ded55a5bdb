//===- SequenceLoops.cpp - loops that carry sequences -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/SequenceLoops.h"
#include "lib/Operators/ONNX/StackedSequences.h"
#include "tssa/Builder/LoopBuilder.h"

using namespace mlir;

namespace tssa::operators {

/// The maximal number of iterations of a loop that is unrolled.
static constexpr int64_t maxUnrolled = 256;

//===----------------------------------------------------------------------===//
// Unrolled loops
//===----------------------------------------------------------------------===//

/// Returns the number of iterations if the loop can be unrolled, else nothing. A loop that never
/// runs cannot: the shape of a scan output without elements is known only from the body.
static std::optional<int64_t> findUnrolledCount(Builder &b, const Node &node, Subgraph &body,
                                                bool hasScans) {
  auto known = [&](const Tensor &tensor) {
    auto numbers = tensor ? b.constantInts(tensor) : std::nullopt;
    return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
  };
  std::optional<int64_t> count = known(node.input(0));
  std::optional<int64_t> condition =
      node.input(1) ? known(node.input(1)) : std::optional<int64_t>(1);
  bool staysTrue = body.isAlwaysTrue(0) || body.getForwardedInput(0) == 1;
  if (!count || !condition || !staysTrue || *count > maxUnrolled)
    return std::nullopt;
  bool runs = *condition != 0 && *count > 0;
  if (!runs && hasScans)
    return std::nullopt;
  return runs ? *count : 0;
}

static FailureOr<Tensors> unrollLoop(Builder &b, Subgraph &body, ArrayRef<Tensor> initial,
                                     int64_t count) {
  Tensors carried(initial);
  std::vector<Tensors> scanned(body.numOutputs() - initial.size() - 1);
  for (int64_t i = 0; i < count; ++i) {
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
    FailureOr<Tensor> rows = stackParts(b, list);
    if (failed(rows))
      return failure();
    carried.push_back(*rows);
  }
  return carried;
}

//===----------------------------------------------------------------------===//
// Loops that append
//===----------------------------------------------------------------------===//

namespace {
/// The body of a loop that carries sequences, as the body of a loop that carries only tensors. What
/// an iteration appends to a sequence is one more scan output: the new parts, stacked.
class AppendingBody : public Subgraph {
public:
  AppendingBody(Subgraph &body, ArrayRef<Tensor> initial);

  /// Returns the carried values that are tensors.
  Tensors getPlain() const;
  /// Returns the results of the loop with sequences, given those of the loop without them.
  FailureOr<Tensors> makeResults(Builder &builder, ArrayRef<Tensor> results) const;

  unsigned numInputs() const override { return 2 + getPlain().size(); }
  unsigned numOutputs() const override;
  std::optional<unsigned> getForwardedInput(unsigned i) const override;
  bool isAlwaysTrue(unsigned i) const override { return i == 0 && body.isAlwaysTrue(0); }
  FailureOr<Tensors> build(Builder &builder, ArrayRef<Tensor> inputs) override;

private:
  enum class Role { Plain, Unchanged, Appended };
  struct Slot {
    Role role;
    Tensor initial;
  };

  FailureOr<Tensor> getAppended(Builder &builder, const Slot &slot, const Tensor &output) const;

  Subgraph &body;
  std::vector<Slot> slots; ///< one for each carried value
};
} // namespace

AppendingBody::AppendingBody(Subgraph &body, ArrayRef<Tensor> initial) : body(body) {
  for (auto [i, tensor] : llvm::enumerate(initial)) {
    bool isUnchanged = body.getForwardedInput(1 + i) == 2 + i;
    slots.push_back({tensor.isPlain() ? Role::Plain
                     : isUnchanged    ? Role::Unchanged
                                      : Role::Appended,
                     tensor});
  }
}

Tensors AppendingBody::getPlain() const {
  Tensors plain;
  for (const Slot &slot : slots)
    if (slot.role == Role::Plain)
      plain.push_back(slot.initial);
  return plain;
}

unsigned AppendingBody::numOutputs() const {
  return body.numOutputs() -
         llvm::count_if(slots, [](const Slot &slot) { return slot.role == Role::Unchanged; });
}

std::optional<unsigned> AppendingBody::getForwardedInput(unsigned i) const {
  std::optional<unsigned> input = i == 0 ? body.getForwardedInput(0) : std::nullopt;
  return input && *input < 2 ? input : std::nullopt;
}

/// Returns the stacked parts that an iteration has appended.
FailureOr<Tensor> AppendingBody::getAppended(Builder &builder, const Slot &slot,
                                             const Tensor &output) const {
  if (!output.isCarried() || output.origin() != &slot || output.elements().empty())
    return builder.unsupported(
        "a loop that carries a sequence and runs an unknown number of times, or more than " +
        Twine(maxUnrolled) + ", must append to the sequence in each iteration, got a " +
        output.str() + "; carry a tensor instead");
  return stackParts(builder, output.elements());
}

FailureOr<Tensors> AppendingBody::build(Builder &builder, ArrayRef<Tensor> inputs) {
  Tensors all(inputs.take_front(2));
  ArrayRef<Tensor> plain = inputs.drop_front(2);
  for (const Slot &slot : slots) {
    if (slot.role == Role::Plain) {
      all.push_back(plain.front());
      plain = plain.drop_front();
    } else if (slot.role == Role::Unchanged || !slot.initial.isSequence()) {
      all.push_back(slot.initial);
    } else {
      all.push_back(Tensor::makeCarried(slot.initial.dtype(), &slot, {}));
    }
  }
  FailureOr<Tensors> outputs = body.build(builder, all);
  if (failed(outputs))
    return failure();
  Tensors results = {outputs->front()}, appended;
  ArrayRef<Tensor> rest = ArrayRef(*outputs).drop_front();
  for (auto [slot, output] : llvm::zip(slots, rest)) {
    if (slot.role == Role::Plain)
      results.push_back(output);
    if (slot.role != Role::Appended)
      continue;
    FailureOr<Tensor> parts = getAppended(builder, slot, output);
    if (failed(parts))
      return failure();
    appended.push_back(*parts);
  }
  llvm::append_range(results, rest.drop_front(slots.size()));
  llvm::append_range(results, appended);
  return results;
}

/// Returns the sequence that starts with the parts of `initial`, followed by the parts that each
/// iteration has appended.
static FailureOr<Tensor> extend(Builder &b, const Tensor &initial, const Tensor &appended) {
  if (initial.isCarried())
    return b.unsupported("expected a sequence with known parts, got a " + initial.str() +
                         " around this one; start with an empty sequence");
  SmallVector<Size> shape(appended.shape().drop_front());
  shape.front() = shape.front() * appended.dim(0);
  FailureOr<Tensor> rows = b.reshape(appended, shape);
  if (failed(rows))
    return failure();
  if (initial.isList() && initial.elements().empty())
    return Tensor::makeStacked(*rows);
  FailureOr<Tensor> first = toRows(b, initial);
  if (failed(first))
    return failure();
  FailureOr<Tensor> joined = joinRows(b, {*first, *rows});
  if (failed(joined))
    return failure();
  return Tensor::makeStacked(*joined);
}

FailureOr<Tensors> AppendingBody::makeResults(Builder &builder, ArrayRef<Tensor> results) const {
  size_t numAppended =
      llvm::count_if(slots, [](const Slot &slot) { return slot.role == Role::Appended; });
  ArrayRef<Tensor> plain = results, appended = results.take_back(numAppended);
  Tensors all;
  for (const Slot &slot : slots) {
    if (slot.role == Role::Plain) {
      all.push_back(plain.front());
      plain = plain.drop_front();
    } else if (slot.role == Role::Unchanged) {
      all.push_back(slot.initial);
    } else {
      FailureOr<Tensor> sequence = extend(builder, slot.initial, appended.front());
      if (failed(sequence))
        return failure();
      all.push_back(*sequence);
      appended = appended.drop_front();
    }
  }
  llvm::append_range(all, plain.drop_back(numAppended));
  return all;
}

FailureOr<Tensors>
buildSequenceLoop(Builder &builder, const Node &node, Subgraph &body,
                  llvm::function_ref<FailureOr<Tensors>(Builder &, const Node &)> buildPlain) {
  ArrayRef<Tensor> initial = ArrayRef<Tensor>(node.inputs).drop_front(2);
  bool hasScans = body.numOutputs() > initial.size() + 1;
  if (std::optional<int64_t> count = findUnrolledCount(builder, node, body, hasScans))
    return unrollLoop(builder, body, initial, *count);
  auto appending = std::make_shared<AppendingBody>(body, initial);
  Node plain = node;
  plain.inputs.truncate(2);
  llvm::append_range(plain.inputs, appending->getPlain());
  plain.subgraphs["body"] = appending;
  FailureOr<Tensors> results = buildPlain(builder, plain);
  if (failed(results))
    return failure();
  return appending->makeResults(builder, *results);
}

} // namespace tssa::operators
