//===- Misc.cpp - relatives of standard operators -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/Microsoft/Standard.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Operators/Catalogue.h"

using namespace mlir;

namespace tssa::operators {

static FailureOr<Tensors> buildExpandDims(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<SmallVector<int64_t>> given = builder.requireConstantInts(node.inputs[1], "axis");
  if (failed(given))
    return failure();
  if (given->size() != 1)
    return builder.error("expected one axis, got " + Twine(given->size()));
  FailureOr<int64_t> axis = builder.normalizeAxis(given->front(), x.rank() + 1);
  if (failed(axis))
    return failure();
  SmallVector<Size> shape(x.shape());
  shape.insert(shape.begin() + *axis, Size(1));
  return single(builder.reshape(x, shape));
}

static FailureOr<Tensors> buildRange(Builder &builder, const Node &node) {
  Tensors inputs = {node.inputs[0], node.inputs[1], node.input(2)};
  if (!inputs[2]) {
    FailureOr<Tensor> one = builder.fill(inputs[0].dtype(), {}, 1);
    if (failed(one))
      return failure();
    inputs[2] = *one;
  }
  return buildStandard(builder, "Range", 11, inputs);
}

/// Returns three lists: the different elements, in order of first appearance; for each element of
/// the input, its index in the first list; how often each different element occurs.
static FailureOr<Tensors> buildUnique(Builder &builder, const Node &node) {
  if (node.inputs[0].rank() != 1)
    return builder.error("expected a tensor of rank 1, got " + Twine(node.inputs[0].str()));
  Node inner = node;
  inner.domain.clear();
  inner.version = 11;
  inner.outputs.assign(4, true);
  inner.attributes.set("sorted", builder.ops.getI64IntegerAttr(0));
  FailureOr<Tensors> results = findOperator("", "Unique", 11)->build(builder, inner);
  if (failed(results))
    return failure();
  return Tensors{(*results)[0], (*results)[2], (*results)[3]};
}

/// Builds the distances between the rows of A and the rows of B.
static FailureOr<Tensors> buildCDist(Builder &builder, const Node &node) {
  const Tensor &a = node.inputs[0], &b = node.inputs[1];
  StringRef metric = node.getString("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean")
    return builder.unsupported("metric '" + Twine(metric) + "'");
  if (a.rank() != 2 || b.rank() != 2 ||
      failed(builder.requireEqual(a.dim(1), b.dim(1), "columns of A and B")))
    return builder.error("expected A and B of rank 2, got " + Twine(a.str()) + " and " + b.str());
  ReducedDims reduced(2);
  unsigned slot = reduced.add(a.dim(1));
  auto finish = [](Body &, Scalar total) { return sqrt(total); };
  return single(sum(
      builder, a.dtype(), a.dtype(), {a.dim(0), b.dim(0)}, reduced,
      [&](Body &body) {
        AffineExpr k = reduced.expr(body, slot);
        Scalar distance =
            readScalar(body, a, {body.dim(0), k}) - readScalar(body, b, {body.dim(1), k});
        return distance * distance;
      },
      metric == "euclidean" ? EpilogueFn(finish) : EpilogueFn()));
}

/// Builds the product of A and B, tensors of complex numbers. Their last dim has the real and the
/// imaginary part. With `conjugates`, multiplies A by the conjugate of B.
static FailureOr<Tensors> buildComplexMul(Builder &builder, const Node &node, bool conjugates) {
  const Tensor &a = node.inputs[0], &b = node.inputs[1];
  for (const Tensor &x : {a, b})
    if (x.rank() < 1 || failed(builder.requireEqual(x.shape().back(), 2, "the last dim and 2")))
      return builder.error("expected a last dim of 2, got " + x.str());
  FailureOr<SmallVector<Size>> shape = builder.broadcast({a, b});
  if (failed(shape))
    return failure();
  unsigned last = shape->size() - 1;
  return single(builder.compute(a.dtype(), *shape, [&](Body &body) {
    auto read = [&](const Tensor &x, int64_t part) {
      SmallVector<AffineExpr> at = body.dims(0, last);
      at.push_back(body.constantExpr(part));
      return widen(toScalar(body, body.readBroadcast(x, *shape, at), x.dtype()));
    };
    Scalar ar = read(a, 0), ai = read(a, 1), br = read(b, 0), bi = read(b, 1);
    if (conjugates)
      bi = -bi;
    Scalar isReal = indexScalar(body, body.dim(last), DType::I64) == 0.0;
    return toElement(body, select(isReal, ar * br - ai * bi, ar * bi + ai * br), a.dtype());
  }));
}

/// Adds a bias, which broadcasts, to the scores. Builds the softmax of the sum over the dims from
/// `axis` on.
static FailureOr<Tensors> buildBiasSoftmax(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<Tensors> total = buildStandard(builder, "Add", 14, {x, node.inputs[1]});
  if (failed(total))
    return failure();
  if (total->front().shape() != x.shape())
    return builder.error("expected a bias that broadcasts to " + Twine(x.str()) + ", got " +
                         node.inputs[1].str());
  NamedAttrList attributes;
  attributes.set("axis", builder.ops.getI64IntegerAttr(node.getInt("axis", 1)));
  return buildStandard(builder, "Softmax", 11, *total, attributes);
}

OperatorRows getMicrosoftMiscRows() {
  return {
      {"ExpandDims", Signature{"X:any axis:index"}, buildExpandDims},
      {"Range", Signature{"start:S limit:S delta?:S"}, buildRange},
      {"Unique", Signature{"x:any"}, buildUnique},
      {"CDist", Signature{"A:f32|f64 B:f32|f64", "metric:string"}, buildCDist},
      {"BiasSoftmax", Signature{"data:T bias:T", "axis:int is_inner_broadcast:int"},
       buildBiasSoftmax},
      {"ComplexMul", Signature{"A:T B:T"}, bindBack(buildComplexMul, /*conjugates=*/false)},
      {"ComplexMulConj", Signature{"A:T B:T"}, bindBack(buildComplexMul, /*conjugates=*/true)},
      {"Trilu", Signature{"X:any k?:i64", "upper:int"}, asStandard("Trilu", 14)},
      {"GatherND", Signature{"data:any indices:index"}, asStandard("GatherND", 11)},
      {"GridSample", Signature{"X:T Grid:T", "mode:string padding_mode:string align_corners:int"},
       asStandard("GridSample", 16)},
      {"Pad", Signature{"data:S pads:i64 value?:S", "mode:string"}, asStandard("Pad", 11)},
  };
}

} // namespace tssa::operators
