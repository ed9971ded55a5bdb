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

using namespace mlir;

namespace tssa::operators {

static LogicalResult refuseStrings(Builder &builder, const Node &node, ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (node.has(name) && !node.getStrings(name).empty())
      return builder.unsupported("attribute '" + Twine(name) +
                                 "' has strings: encode them before the model");
  return success();
}

/// Reads the keys or the values of a LabelEncoder from an attribute, which has integers, floats or
/// a tensor. Returns a null Tensor if there is no such attribute.
static FailureOr<Tensor> readList(Builder &builder, const Node &node, StringRef name) {
  if (Tensor tensor = node.getTensor((name + "_tensor").str())) {
    if (tensor.rank() != 1)
      return builder.error("expected a tensor of rank 1 for '" + name + "_tensor', got " +
                           tensor.str());
    return tensor;
  }
  std::string ints = (name + "_int64s").str(), floats = (name + "_floats").str();
  if (node.has(floats))
    return makeVector(builder, DType::F32, node.getFloats(floats));
  SmallVector<int64_t> values = node.getInts(ints);
  if (values.empty())
    return Tensor();
  return makeIntVector(builder, DType::I64, values);
}

/// Reads the default value, to which elements that are not among the keys are mapped.
static FailureOr<double> readDefault(Builder &builder, const Node &node, DType type) {
  if (Tensor tensor = node.getTensor("default_tensor")) {
    FailureOr<SmallVector<double>> values = builder.requireConstantFloats(tensor, "default_tensor");
    if (failed(values))
      return failure();
    if (values->size() != 1 || tensor.dtype() != type)
      return builder.error("expected a single default, with the type of the values");
    return values->front();
  }
  return isFloat(type) ? node.getFloat("default_float", -0.0)
                       : static_cast<double>(node.getInt("default_int64", -1));
}

static Scalar isSame(Scalar x, Scalar key) {
  return x.isFloat() ? (x == key) | (isNaN(x) & isNaN(key)) : x == key;
}

static FailureOr<Tensors> buildLabelEncoder(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  if (failed(refuseStrings(builder, node, {"keys_strings", "values_strings", "classes_strings"})))
    return failure();
  FailureOr<Tensor> keys = readList(builder, node, "keys"),
                    values = readList(builder, node, "values");
  if (failed(keys) || failed(values))
    return failure();
  if (!*keys || !*values || keys->dim(0).isConstant(0))
    return builder.error("expected keys and values");
  if (keys->dim(0) != values->dim(0) || keys->dtype() != x.dtype())
    return builder.error("expected keys of the input's type, as many as values, got " +
                         keys->str() + " and " + values->str());
  DType type = values->dtype();
  FailureOr<double> otherwise = readDefault(builder, node, type);
  if (failed(otherwise))
    return failure();
  // The position of the first key that equals the element, or the number of keys if no key does.
  int64_t count = *keys->dim(0).constant();
  ReducedDims reduced(x.rank());
  unsigned slot = reduced.add(keys->dim(0));
  FailureOr<Tensor> position = combine(
      builder, te::Combiner::Min, DType::I64, DType::I64, x.shape(), reduced, [&](Body &body) {
        AffineExpr k = reduced.expr(body, slot);
        Scalar isHere =
            isSame(readScalar(body, x, body.dims(0, x.rank())), readScalar(body, *keys, k));
        Scalar index = indexScalar(body, k, DType::I64);
        return select(isHere, index, index.constant(count));
      });
  if (failed(position))
    return failure();
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
  if (failed(refuseStrings(builder, node, {"cats_strings"})))
    return failure();
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

/// The scores keep their form, one column for each class label: maps would have the labels as keys.
/// The importer warns where such a result is an output.
static FailureOr<Tensors> buildZipMap(Builder &builder, const Node &node) {
  const Tensor &scores = node.inputs[0];
  int64_t labels = std::max(node.getInts("classlabels_int64s").size(),
                            node.getStrings("classlabels_strings").size());
  if (scores.rank() == 0 || scores.rank() > 2)
    return builder.error("expected scores of rank 1 or 2, got " + scores.str());
  if (failed(builder.requireEqual(scores.shape().back(), labels, "scores and class labels")))
    return failure();
  return single(scores);
}

OperatorRows getMLLabelsRows() {
  return {
      {"LabelEncoder", Versions{2}, buildLabelEncoder},
      {"OneHotEncoder", buildOneHotEncoder},
      {"ZipMap", buildZipMap},
  };
}

} // namespace tssa::operators
