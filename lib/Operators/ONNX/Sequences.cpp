//===- Sequences.cpp - lists of tensors and optional tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The program itself has neither sequences nor optionals. Whether an optional has a tensor is
/// known while the program is built, unless it is an input of the model: then it is one tensor with
/// one row or none. A sequence is a list of tensors as long as its length and all
/// positions in it are known, and one tensor with its parts as rows if only a run knows them.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/StackedSequences.h"
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

/// Requires that the parts of `sequence` are known before the loop around the node ends.
static LogicalResult requireParts(Builder &builder, const Tensor &sequence) {
  if (!sequence.isCarried())
    return success();
  return builder.unsupported(
      "a loop that runs an unknown number of times may only append to a sequence that it carries; "
      "read the sequence after the loop, or carry a tensor instead");
}

/// Returns whether a node at `position` needs the rows of `sequence`: only a run knows the length
/// or the position.
static bool needsRows(Builder &builder, const Tensor &sequence, const Tensor &position) {
  return sequence.isStacked() || (position && !builder.constantInts(position));
}

/// Returns a position in a list, normalised to [0, limit). A negative position counts from the end.
/// Returns `otherwise` if `position` is null.
static FailureOr<int64_t> getPosition(Builder &builder, const Tensor &position, int64_t limit,
                                      int64_t length, int64_t otherwise) {
  if (!position)
    return otherwise;
  FailureOr<Size> index = getRowPosition(builder, position, limit, length);
  if (failed(index))
    return failure();
  return *index->constant();
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

static FailureOr<Tensors> insertRow(Builder &builder, const Tensor &sequence, const Tensor &tensor,
                                    const Tensor &given) {
  FailureOr<Tensor> rows = toRows(builder, sequence);
  if (failed(rows))
    return failure();
  const Size &length = rows->dim(0);
  FailureOr<Size> position =
      given ? getRowPosition(builder, given, length + 1, length) : FailureOr<Size>(length);
  if (failed(position))
    return failure();
  FailureOr<Tensor> longer = replaceRows(builder, *rows, *position, 0, tensor);
  if (failed(longer))
    return failure();
  return Tensors{Tensor::makeStacked(*longer)};
}

static FailureOr<Tensors> buildInsert(Builder &builder, const Node &node) {
  const Tensor &sequence = node.inputs[0], &tensor = node.inputs[1];
  if (tensor.dtype() != sequence.dtype())
    return builder.error("expected a tensor of " + Twine(getName(sequence.dtype())) + ", got " +
                         tensor.str());
  if (node.input(2) && failed(requireParts(builder, sequence)))
    return failure();
  if (needsRows(builder, sequence, node.input(2)))
    return insertRow(builder, sequence, tensor, node.input(2));
  std::vector<Tensor> elements = sequence.elements().vec();
  int64_t length = elements.size();
  if (length >= maxElements)
    return builder.limit("a sequence of more than " + Twine(maxElements) + " tensors");
  FailureOr<int64_t> position = getPosition(builder, node.input(2), length + 1, length, length);
  if (failed(position))
    return failure();
  elements.insert(elements.begin() + *position, tensor);
  if (sequence.isCarried())
    return Tensors{Tensor::makeCarried(sequence.dtype(), sequence.origin(), elements)};
  return Tensors{Tensor::makeSequence(sequence.dtype(), elements)};
}

static FailureOr<Tensors> eraseRow(Builder &builder, const Tensor &sequence, const Tensor &given) {
  FailureOr<Tensor> rows = toRows(builder, sequence);
  if (failed(rows))
    return failure();
  const Size &length = rows->dim(0);
  Tensor last = builder.fromSizes(DType::I64, {}, Size(-1));
  FailureOr<Size> position = getRowPosition(builder, given ? given : last, length, length);
  if (failed(position))
    return failure();
  FailureOr<Tensor> shorter = replaceRows(builder, *rows, *position, 1, Tensor());
  if (failed(shorter))
    return failure();
  return Tensors{Tensor::makeStacked(*shorter)};
}

static FailureOr<Tensors> buildErase(Builder &builder, const Node &node) {
  const Tensor &sequence = node.inputs[0];
  if (failed(requireParts(builder, sequence)))
    return failure();
  if (needsRows(builder, sequence, node.input(1)))
    return eraseRow(builder, sequence, node.input(1));
  std::vector<Tensor> elements = sequence.elements().vec();
  int64_t length = elements.size();
  if (length == 0)
    return builder.error("the sequence is empty");
  FailureOr<int64_t> position = getPosition(builder, node.input(1), length, length, length - 1);
  if (failed(position))
    return failure();
  elements.erase(elements.begin() + *position);
  return Tensors{Tensor::makeSequence(sequence.dtype(), elements)};
}

static FailureOr<Tensors> buildAt(Builder &builder, const Node &node) {
  const Tensor &sequence = node.inputs[0], &given = node.inputs[1];
  if (failed(requireParts(builder, sequence)))
    return failure();
  if (needsRows(builder, sequence, given)) {
    FailureOr<Tensor> rows = toRows(builder, sequence);
    if (failed(rows))
      return failure();
    FailureOr<Size> position = getRowPosition(builder, given, rows->dim(0), rows->dim(0));
    if (failed(position))
      return failure();
    return single(getRow(builder, *rows, *position));
  }
  ArrayRef<Tensor> elements = sequence.elements();
  int64_t length = elements.size();
  FailureOr<int64_t> position = getPosition(builder, given, length, length, 0);
  if (failed(position))
    return failure();
  return Tensors{elements[*position]};
}

static FailureOr<Tensors> buildLength(Builder &builder, const Node &node) {
  const Tensor &sequence = node.inputs[0];
  if (failed(requireParts(builder, sequence)))
    return failure();
  Size length = sequence.isStacked() ? sequence.rows().dim(0) : Size(sequence.elements().size());
  return Tensors{builder.fromSizes(DType::I64, {}, length)};
}

//===----------------------------------------------------------------------===//
// Splitting and concatenation
//===----------------------------------------------------------------------===//

/// Returns the length of all parts but the last, which may be shorter.
static FailureOr<int64_t> getLength(Builder &builder, const Tensor &given) {
  if (!given)
    return 1;
  FailureOr<SmallVector<int64_t>> known =
      builder.requireConstantInts(given, "the length of a part");
  if (failed(known))
    return failure();
  if (known->size() != 1 || known->front() < 1)
    return builder.error("expected a positive length of a part");
  return known->front();
}

/// Returns the lengths of the parts into which a dim of `extent` elements is split. Returns nothing
/// if too many parts, or a number of them that only a run knows, have the length `length`.
static std::optional<SmallVector<Size>> listLengths(const Size &extent, int64_t length) {
  std::optional<int64_t> total = extent.constant();
  if (!total || llvm::divideCeil(*total, length) > maxElements)
    return std::nullopt;
  SmallVector<Size> lengths;
  for (int64_t left = *total; left > 0; left -= std::min(length, left))
    lengths.push_back(std::min(length, left));
  return lengths;
}

/// Returns `part` without its dim `axis` of one element.
static FailureOr<Tensor> dropDim(Builder &builder, const Tensor &part, int64_t axis) {
  SmallVector<Size> shape(part.shape());
  shape.erase(shape.begin() + axis);
  return builder.reshape(part, shape);
}

static FailureOr<Tensors> splitIntoList(Builder &builder, const Tensor &x, int64_t axis,
                                        ArrayRef<Size> lengths, bool dropsAxis) {
  FailureOr<Tensors> parts = split(builder, x, axis, lengths);
  if (failed(parts))
    return failure();
  if (dropsAxis)
    for (Tensor &part : *parts) {
      FailureOr<Tensor> reshaped = dropDim(builder, part, axis);
      if (failed(reshaped))
        return failure();
      part = *reshaped;
    }
  return Tensors{Tensor::makeSequence(x.dtype(), *parts)};
}

static FailureOr<Tensors> buildSplit(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  Tensor given = node.input(1);
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), x.rank());
  if (failed(axis))
    return failure();
  if (given && given.rank() == 1) {
    FailureOr<SmallVector<Size>> lengths = builder.requireSizes(given, "the lengths of the parts");
    if (failed(lengths))
      return failure();
    return splitIntoList(builder, x, *axis, *lengths, /*dropsAxis=*/false);
  }
  FailureOr<int64_t> length = getLength(builder, given);
  if (failed(length))
    return failure();
  bool dropsAxis = !given && node.getInt("keepdims", 1) == 0;
  if (std::optional<SmallVector<Size>> lengths = listLengths(x.dim(*axis), *length))
    return splitIntoList(builder, x, *axis, *lengths, dropsAxis);
  if (std::optional<int64_t> total = x.dim(*axis).constant(); total && *total % *length != 0)
    return builder.limit("a sequence of more than " + Twine(maxElements) +
                         " tensors that are not of one size");
  FailureOr<Tensor> rows = splitIntoRows(builder, x, *axis, *length);
  if (succeeded(rows) && dropsAxis)
    rows = dropDim(builder, *rows, *axis + 1);
  if (failed(rows))
    return failure();
  return Tensors{Tensor::makeStacked(*rows)};
}

static FailureOr<Tensors> buildConcat(Builder &builder, const Node &node) {
  const Tensor &sequence = node.inputs[0];
  if (failed(requireParts(builder, sequence)))
    return failure();
  ArrayRef<Tensor> elements = sequence.elements();
  if (elements.empty())
    return builder.error("the sequence is empty");
  bool isNew = node.getInt("new_axis", 0) != 0;
  int64_t rank = sequence.isStacked() ? sequence.rows().rank() - 1 : elements.front().rank();
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), rank + (isNew ? 1 : 0));
  if (failed(axis))
    return failure();
  if (sequence.isStacked())
    return single(concatRows(builder, sequence.rows(), *axis, isNew));
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

/// Builds SequenceMap as a loop over the rows of sequences.
static FailureOr<Tensors> mapStacked(Builder &builder, const Node &node, Subgraph &body) {
  Tensors inputs;
  SmallVector<bool> areRows;
  for (const Tensor &input : node.inputs) {
    areRows.push_back(input.isSequence());
    FailureOr<Tensor> rows = input.isSequence() ? toRows(builder, input) : input;
    if (failed(rows))
      return failure();
    inputs.push_back(*rows);
  }
  FailureOr<Tensors> results = mapRows(builder, body, inputs, areRows);
  if (failed(results))
    return failure();
  Tensors sequences;
  for (const Tensor &rows : *results)
    sequences.push_back(Tensor::makeStacked(rows));
  return sequences;
}

/// Builds SequenceMap: a copy of the body for each tensor of the first sequence, if its length is
/// known.
static FailureOr<Tensors> buildMap(Builder &builder, const Node &node) {
  Subgraph &body = *node.subgraphs.lookup("body");
  if (body.numInputs() != node.inputs.size())
    return builder.error("the body has " + Twine(body.numInputs()) + " inputs, expected " +
                         Twine(node.inputs.size()));
  for (const Tensor &input : node.inputs)
    if (failed(requireParts(builder, input)))
      return failure();
  if (llvm::any_of(node.inputs, [](const Tensor &input) { return input.isStacked(); }))
    return mapStacked(builder, node, body);
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
  if (given && given.isOptional())
    return Tensors{builder.fromSizes(DType::Bool, {}, given.rows().dim(0))};
  bool hasElement = given && !given.isAbsent();
  return Tensors{builder.fromSizes(DType::Bool, {}, Size(hasElement))};
}

static FailureOr<Tensors> buildGetElement(Builder &builder, const Node &node) {
  const Tensor &given = node.inputs.front();
  std::string text = "the optional has no element";
  if (given.isAbsent())
    return builder.error(text);
  if (!given.isOptional())
    return Tensors{given};
  if (failed(builder.require(builder.isLess(0, given.rows().dim(0)), text)))
    return failure();
  return single(getRow(builder, given.rows(), 0));
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
