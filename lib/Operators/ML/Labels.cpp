//===- Labels.cpp - LabelEncoder: mapping keys to values -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ML/Scores.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Indexing.h"
#include "tssa/Builder/Limits.h"

using namespace mlir;

namespace tssa::operators {

/// Returns the strings of a constant tensor of strings, in the order of its elements.
static FailureOr<std::vector<std::string>> readStrings(Builder &builder, const Tensor &tensor) {
  FailureOr<SmallVector<int64_t>> indexes = builder.requireConstantInts(tensor, "the strings");
  if (failed(indexes))
    return failure();
  std::vector<std::string> strings;
  for (int64_t index : *indexes)
    strings.push_back(tensor.labels()->strings[index]);
  return strings;
}

/// Reads the keys or the values of a LabelEncoder from an attribute, which has strings, integers,
/// floats or a tensor. Returns a null Tensor if there is no such attribute.
static FailureOr<Tensor> readList(Builder &builder, const Node &node, StringRef name) {
  if (Tensor tensor = node.getTensor((name + "_tensor").str())) {
    if (tensor.rank() != 1)
      return builder.error("expected a tensor of rank 1 for '" + name + "_tensor', got " +
                           tensor.str());
    return tensor;
  }
  SmallVector<std::string> strings = node.getStrings((name + "_strings").str());
  if (!strings.empty())
    return makeStringVector(builder, {strings.begin(), strings.end()});
  std::string ints = (name + "_int64s").str(), floats = (name + "_floats").str();
  if (node.has(floats))
    return makeVector(builder, DType::F32, node.getFloats(floats));
  SmallVector<int64_t> values = node.getInts(ints);
  if (values.empty())
    return Tensor();
  return makeIntVector(builder, DType::I64, values);
}

/// Reads the default number, to which elements that are not among the keys are mapped.
static FailureOr<double> readDefault(Builder &builder, const Node &node, DType type) {
  if (Tensor tensor = node.getTensor("default_tensor")) {
    FailureOr<SmallVector<double>> values = builder.requireConstantFloats(tensor, "default_tensor");
    if (failed(values))
      return failure();
    if (values->size() != 1 || tensor.dtype() != type || tensor.hasStrings())
      return builder.error("expected a single default, with the type of the values");
    return values->front();
  }
  return isFloat(type) ? node.getFloat("default_float", -0.0)
                       : static_cast<double>(node.getInt("default_int64", -1));
}

/// Reads the default string, as readDefault does.
static FailureOr<std::string> readDefaultString(Builder &builder, const Node &node) {
  Tensor tensor = node.getTensor("default_tensor");
  if (!tensor)
    return node.getString("default_string", "_Unused").str();
  if (!tensor.hasStrings() || !tensor.numElements().isConstant(1))
    return builder.error("expected a single default, with the type of the values");
  FailureOr<std::vector<std::string>> strings = readStrings(builder, tensor);
  if (failed(strings))
    return failure();
  return strings->front();
}

static Scalar isSame(Scalar x, Scalar key) {
  return x.isFloat() ? (x == key) | (isNaN(x) & isNaN(key)) : x == key;
}

/// Returns for each element of `x`, numbers, the position of the first key that equals it, or the
/// number of keys if no key does.
static FailureOr<Tensor> findNumbers(Builder &builder, const Tensor &x, const Tensor &keys) {
  int64_t count = *keys.dim(0).constant();
  ReducedDims reduced(x.rank());
  unsigned slot = reduced.add(keys.dim(0));
  return combine(
      builder, te::Combiner::Min, DType::I64, DType::I64, x.shape(), reduced, [&](Body &body) {
        AffineExpr k = reduced.expr(body, slot);
        Scalar isHere =
            isSame(readScalar(body, x, body.dims(0, x.rank())), readScalar(body, keys, k));
        Scalar index = indexScalar(body, k, DType::I64);
        return select(isHere, index, index.constant(count));
      });
}

/// Returns what findNumbers does, for strings. The positions of the strings that `x` may have are
/// found now, so that a run looks them up.
static FailureOr<Tensor> findStrings(Builder &builder, const Tensor &x, const Tensor &keys) {
  FailureOr<std::vector<std::string>> names = readStrings(builder, keys);
  if (failed(names))
    return failure();
  if (x.labels()->size() > maxJoinedStrings)
    return builder.limit(Twine(x.labels()->size()) + " strings in a table");
  llvm::StringMap<int64_t> places;
  for (const auto &[i, name] : llvm::enumerate(*names))
    places.try_emplace(name, i);
  SmallVector<int64_t> positions;
  for (const std::string &text : x.labels()->strings) {
    auto place = places.find(text);
    positions.push_back(place == places.end() ? names->size() : place->second);
  }
  Tensor table = makeIntVector(builder, DType::I64, positions);
  return builder.compute(DType::I64, x.shape(), [&](Body &body) {
    return body.read(table, body.opaque(toIndex(readScalar(body, x, body.dims(0, x.rank())))));
  });
}

static FailureOr<Tensors> buildLabelEncoder(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<Tensor> keys = readList(builder, node, "keys"),
                    values = readList(builder, node, "values");
  if (failed(keys) || failed(values))
    return failure();
  if (!*keys || !*values || keys->dim(0).isConstant(0))
    return builder.error("expected keys and values");
  if (keys->dim(0) != values->dim(0) || keys->dtype() != x.dtype() ||
      keys->hasStrings() != x.hasStrings())
    return builder.error("expected keys of the input's type, as many as values, got " +
                         keys->str() + " and " + values->str());
  FailureOr<Tensor> position =
      keys->hasStrings() ? findStrings(builder, x, *keys) : findNumbers(builder, x, *keys);
  if (failed(position))
    return failure();
  if (values->hasStrings()) { // the default is the last string, to which the last position points
    FailureOr<std::vector<std::string>> strings = readStrings(builder, *values);
    FailureOr<std::string> otherwise = readDefaultString(builder, node);
    if (failed(strings) || failed(otherwise))
      return failure();
    strings->push_back(*otherwise);
    return Tensors{position->withStrings(
        std::make_shared<const Labels>(Labels{Labels::Strings, std::move(*strings), {}}))};
  }
  DType type = values->dtype();
  FailureOr<double> otherwise = readDefault(builder, node, type);
  if (failed(otherwise))
    return failure();
  int64_t count = *keys->dim(0).constant();
  return single(builder.compute(type, x.shape(), [&](Body &body) {
    Scalar index = readScalar(body, *position, body.dims(0, x.rank()));
    Scalar inside = min(index, index.constant(count - 1));
    Scalar value = toScalar(body, body.read(*values, body.opaque(toIndex(inside))), type);
    Scalar chosen = select(index < static_cast<double>(count), value, value.constant(*otherwise));
    return toElement(body, chosen, type);
  }));
}

static FailureOr<Tensors> buildOneHotEncoder(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  if (!node.getStrings("cats_strings").empty())
    return builder.unsupported(
        "attribute 'cats_strings' has strings: encode them before the model");
  if (node.getInt("zeros", 1) == 0)
    return builder.unsupported("zeros = 0");
  SmallVector<int64_t> categories = node.getInts("cats_int64s");
  if (categories.empty())
    return builder.error("expected categories");
  Tensor table = makeIntVector(builder, DType::I64, categories);
  SmallVector<Size> shape(x.shape());
  shape.push_back(table.dim(0));
  return single(builder.compute(DType::F32, shape, [&](Body &body) {
    Scalar category = readScalar(body, table, body.dim(x.rank()));
    Scalar element = readScalar(body, x, body.dims(0, x.rank()));
    return toElement(body, convert(element, category.getType()) == category, DType::F32);
  }));
}

/// Builds the maps from labels to scores, one for each row. Scores of rank 1 are one row.
static FailureOr<Tensors> buildZipMap(Builder &builder, const Node &node) {
  Tensor scores = node.inputs[0];
  FailureOr<ClassLabels> labels =
      getLabels(builder, node, "classlabels_int64s", "classlabels_strings");
  if (failed(labels))
    return failure();
  if (scores.rank() == 0 || scores.rank() > 2)
    return builder.error("expected scores of rank 1 or 2, got " + scores.str());
  if (failed(builder.requireEqual(scores.shape().back(), static_cast<int64_t>(labels->size()),
                                  "scores and class labels")))
    return failure();
  if (scores.rank() == 1) {
    FailureOr<Tensor> row = builder.reshape(scores, {Size(1), scores.dim(0)});
    if (failed(row))
      return failure();
    scores = *row;
  }
  Labels keys{Labels::IntKeys, {}, {labels->numbers.begin(), labels->numbers.end()}};
  if (labels->strings)
    keys = {Labels::StringKeys, labels->strings->strings, {}};
  return Tensors{Tensor::makeMaps(scores, std::make_shared<const Labels>(std::move(keys)))};
}

OperatorRows getMLLabelsRows() {
  return {
      {"LabelEncoder", Versions{2}, buildLabelEncoder, readsStrings},
      {"OneHotEncoder", buildOneHotEncoder},
      {"ZipMap", buildZipMap},
  };
}

} // namespace tssa::operators
