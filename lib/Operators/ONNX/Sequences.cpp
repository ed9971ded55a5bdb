//===- Sequences.cpp - lists of tensors and optional tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The length of a sequence, and whether an optional has a tensor, are known while the program is
/// built. The program itself has neither sequences nor optionals.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/LoopBuilder.h"
#include "tssa/Builder/Shapes.h"

using namespace mlir;

namespace tssa::operators {

/// The maximal number of elements of a sequence that an operator builds.
static constexpr int64_t maxElements = 4096;

static FailureOr<DType> getElementDType(Builder &builder, const Node &node, StringRef attribute) {
  int64_t code = node.getInt(attribute, 1);
  if (std::optional<DType> type = fromONNX(code))
    return *type;
  return builder.unsupported("element type " + Twine(code) + " of '" + attribute + "'");
}

/// Returns a position in a sequence, normalised to [0, limit). A negative position counts from the
/// end. Returns `otherwise` if `position` is null.
static FailureOr<int64_t> getPosition(Builder &builder, const Tensor &position, int64_t limit,
                                      int64_t length, int64_t otherwise) {
  if (!position)
    return otherwise;
  FailureOr<SmallVector<int64_t>> known =
      builder.requireConstantInts(position, "a position in a sequence");
  if (failed(known))
    return failure();
  if (known->size() != 1)
    return builder.error("expected one number as position, got " + position.str());
  int64_t index = known->front() < 0 ? known->front() + length : known->front();
  if (index < 0 || index >= limit)
    return builder.error("position " + Twine(known->front()) + " in a sequence of " +
                         Twine(length));
  return index;
}

static FailureOr<Tensors> buildConstruct(Builder &builder, const Node &node) {
  return Tensors{Tensor::makeSequence(node.inputs.front().dtype(), node.inputs)};
}

static FailureOr<Tensors> buildEmpty(Builder &builder, const Node &node) {
  FailureOr<DType> type = getElementDType(builder, node, "dtype");
  if (failed(type))
    return failure();
  return Tensors{Tensor::makeSequence(*type, {})};
}

static FailureOr<Tensors> buildInsert(Builder &builder, const Node &node) {
  const Tensor &sequence = node.inputs[0], &tensor = node.inputs[1];
  if (tensor.dtype() != sequence.dtype())
    return builder.error("expected a tensor of " + Twine(getName(sequence.dtype())) + ", got " +
                         tensor.str());
  std::vector<Tensor> elements = sequence.elements().vec();
  int64_t length = elements.size();
  if (length >= maxElements)
    return builder.limit("a sequence of more than " + Twine(maxElements) + " tensors");
  FailureOr<int64_t> position = getPosition(builder, node.input(2), length + 1, length, length);
  if (failed(position))
    return failure();
  elements.insert(elements.begin() + *position, tensor);
  return Tensors{Tensor::makeSequence(sequence.dtype(), elements)};
}

static FailureOr<Tensors> buildErase(Builder &builder, const Node &node) {
  std::vector<Tensor> elements = node.inputs[0].elements().vec();
  int64_t length = elements.size();
  if (length == 0)
    return builder.error("the sequence is empty");
  FailureOr<int64_t> position = getPosition(builder, node.input(1), length, length, length - 1);
  if (failed(position))
    return failure();
  elements.erase(elements.begin() + *position);
  return Tensors{Tensor::makeSequence(node.inputs[0].dtype(), elements)};
}

static FailureOr<Tensors> buildAt(Builder &builder, const Node &node) {
  ArrayRef<Tensor> elements = node.inputs[0].elements();
  int64_t length = elements.size();
  FailureOr<int64_t> position = getPosition(builder, node.inputs[1], length, length, 0);
  if (failed(position))
    return failure();
  return Tensors{elements[*position]};
}

static FailureOr<Tensors> buildLength(Builder &builder, const Node &node) {
  return Tensors{builder.fromSizes(DType::I64, {}, Size(node.inputs[0].elements().size()))};
}

//===----------------------------------------------------------------------===//
// Splitting and concatenation
//===----------------------------------------------------------------------===//

/// Returns the lengths of the parts into which a dim of `extent` elements is split.
static FailureOr<SmallVector<Size>> getLengths(Builder &builder, const Tensor &given,
                                               const Size &extent) {
  if (given && given.rank() == 1)
    return builder.requireSizes(given, "the lengths of the parts");
  int64_t length = 1;
  if (given) {
    FailureOr<SmallVector<int64_t>> known =
        builder.requireConstantInts(given, "the length of a part");
    if (failed(known))
      return failure();
    if (known->size() != 1 || known->front() < 1)
      return builder.error("expected a positive length of a part");
    length = known->front();
  }
  std::optional<int64_t> total = extent.constant();
  if (!total)
    return builder.unsupported("how many parts there are must be known when the model is compiled");
  if (llvm::divideCeil(*total, length) > maxElements)
    return builder.limit("a sequence of more than " + Twine(maxElements) + " tensors");
  SmallVector<Size> lengths;
  for (int64_t begin = 0; begin < *total; begin += length)
    lengths.push_back(std::min(length, *total - begin));
  return lengths;
}

static FailureOr<Tensors> buildSplit(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  Tensor lengths = node.input(1);
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), x.rank());
  if (failed(axis))
    return failure();
  FailureOr<SmallVector<Size>> known = getLengths(builder, lengths, x.dim(*axis));
  if (failed(known))
    return failure();
  FailureOr<Tensors> parts = split(builder, x, *axis, *known);
  if (failed(parts))
    return failure();
  bool dropsAxis = !lengths && node.getInt("keepdims", 1) == 0;
  std::vector<Tensor> elements(parts->begin(), parts->end());
  if (dropsAxis) {
    SmallVector<Size> shape(x.shape());
    shape.erase(shape.begin() + *axis);
    for (Tensor &element : elements) {
      FailureOr<Tensor> reshaped = builder.reshape(element, shape);
      if (failed(reshaped))
        return failure();
      element = *reshaped;
    }
  }
  return Tensors{Tensor::makeSequence(x.dtype(), elements)};
}

static FailureOr<Tensors> buildConcat(Builder &builder, const Node &node) {
  ArrayRef<Tensor> elements = node.inputs[0].elements();
  if (elements.empty())
    return builder.error("the sequence is empty");
  bool isNew = node.getInt("new_axis", 0) != 0;
  int64_t rank = elements.front().rank();
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), rank + (isNew ? 1 : 0));
  if (failed(axis))
    return failure();
  SmallVector<Tensor> parts;
  for (const Tensor &element : elements) {
    if (element.rank() != rank)
      return builder.error("expected tensors of one rank, got " + elements.front().str() + " and " +
                           element.str());
    SmallVector<Size> shape(element.shape());
    if (isNew)
      shape.insert(shape.begin() + *axis, Size(1));
    FailureOr<Tensor> part = builder.reshape(element, shape);
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  return single(builder.concat(parts, *axis));
}

/// Builds SequenceMap: a copy of the body for each tensor of the first sequence.
static FailureOr<Tensors> buildMap(Builder &builder, const Node &node) {
  Subgraph &body = *node.subgraphs.lookup("body");
  if (body.numInputs() != node.inputs.size())
    return builder.error("the body has " + Twine(body.numInputs()) + " inputs, expected " +
                         Twine(node.inputs.size()));
  size_t length = node.inputs.front().elements().size();
  if (length == 0)
    return builder.unsupported("an empty sequence");
  std::vector<std::vector<Tensor>> results(body.numOutputs());
  for (size_t i = 0; i < length; ++i) {
    Tensors inputs;
    for (const Tensor &input : node.inputs) {
      if (input.isSequence() && input.elements().size() != length)
        return builder.error("expected sequences of one length, got " + node.inputs.front().str() +
                             " and " + input.str());
      inputs.push_back(input.isSequence() ? input.elements()[i] : input);
    }
    Location loc = builder.loc();
    FailureOr<Tensors> outputs = body.build(builder, inputs);
    builder.setLoc(loc);
    if (failed(outputs) || failed(requirePlain(builder, *outputs, "the body")))
      return failure();
    for (auto [result, output] : llvm::zip_equal(results, *outputs))
      result.push_back(output);
  }
  Tensors sequences;
  for (const std::vector<Tensor> &result : results)
    sequences.push_back(Tensor::makeSequence(result.front().dtype(), result));
  return sequences;
}

//===----------------------------------------------------------------------===//
// Optionals
//===----------------------------------------------------------------------===//

static FailureOr<Tensors> buildOptional(Builder &builder, const Node &node) {
  if (Tensor given = node.input(0))
    return Tensors{given};
  FailureOr<DType> type = getElementDType(builder, node, "type");
  if (failed(type))
    return failure();
  return Tensors{Tensor::makeAbsent(*type)};
}

static FailureOr<Tensors> buildHasElement(Builder &builder, const Node &node) {
  Tensor given = node.input(0);
  bool hasElement = given && !given.isAbsent();
  return Tensors{builder.fromSizes(DType::Bool, {}, Size(hasElement))};
}

static FailureOr<Tensors> buildGetElement(Builder &builder, const Node &node) {
  if (node.inputs.front().isAbsent())
    return builder.error("the optional has no element");
  return Tensors{node.inputs.front()};
}

OperatorRows getSequencesRows() {
  return {
      {"ConcatFromSequence", buildConcat},
      {"Optional", buildOptional},
      {"OptionalGetElement", buildGetElement},
      {"OptionalHasElement", buildHasElement},
      {"SequenceAt", buildAt},
      {"SequenceConstruct", buildConstruct},
      {"SequenceEmpty", buildEmpty},
      {"SequenceErase", buildErase},
      {"SequenceInsert", buildInsert},
      {"SequenceLength", buildLength},
      {"SequenceMap", buildMap},
      {"SplitToSequence", buildSplit},
  };
}

} // namespace tssa::operators
