//===- Random.cpp - pseudo-random numbers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A random number is a function of a key, which each execution of a node gets from te.random_key,
/// and of the number's index in the result. So the numbers are the same on all devices and for any
/// number of threads. The stream of the key is derived from the name of the node and its position
/// in the model.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/TEOps.h"
#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Builder/Indexing.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace tssa::operators {

/// Builds the key of the random numbers of `node`, an i64.
static Value buildKey(Builder &builder, const Node &node) {
  std::string position;
  llvm::raw_string_ostream(position) << builder.loc();
  int64_t stream = llvm::xxh3_64bits(position);
  IntegerAttr seed;
  if (node.has("seed"))
    seed = builder.ops.getI64IntegerAttr(llvm::bit_cast<int64_t>(node.getFloat("seed", 0)));
  return te::RandomKeyOp::create(builder.ops, builder.loc(), builder.ops.getI64Type(),
                                 builder.ops.getI64IntegerAttr(stream), seed);
}

/// Returns a hash of `x`. Each of its 64 bits depends on all bits of `x`.
static Scalar mix(Scalar x) {
  auto fold = [](Scalar x, unsigned bits) {
    Scalar amount = x.constant(static_cast<double>(bits));
    return x ^ x.with(arith::ShRUIOp::create(x.getBuilder(), x.getLoc(), x.getValue(),
                                             amount.getValue()));
  };
  x = fold(x, 30) * x.constant(APInt(64, 0xbf58476d1ce4e5b9));
  x = fold(x, 27) * x.constant(APInt(64, 0x94d049bb133111eb));
  return fold(x, 31);
}

/// Returns the linear index of `at` as an i64.
static Scalar flatten(Body &body, ArrayRef<Size> shape, ArrayRef<AffineExpr> at) {
  Scalar position = constantScalar(body, DType::I64, 0);
  for (auto [size, index] : llvm::zip_equal(shape, at))
    position = position * sizeScalar(body, size) + indexScalar(body, index, DType::I64);
  return position;
}

/// Returns random number `index` of the numbers with key `key`, in [0, 1), as f32 or f64.
static Scalar draw(Body &body, Value key, Scalar index, DType wide) {
  Scalar bits = mix(index.with(key) + index * index.constant(APInt(64, 0x9e3779b97f4a7c15)));
  int kept = wide == DType::F64 ? 53 : 24;
  Scalar amount = bits.constant(static_cast<double>(64 - kept));
  Scalar top =
      bits.with(arith::ShRUIOp::create(body.ops, body.loc, bits.getValue(), amount.getValue()));
  return convert(top, getElementType(body.ops.getContext(), wide)) * std::ldexp(1.0, -kept);
}

namespace {
struct Distribution {
  bool isNormal;
  double first, second; ///< low and high, or mean and scale
};
} // namespace

static FailureOr<Tensors> fillRandom(Builder &builder, const Node &node, DType type,
                                     ArrayRef<Size> shape, const Distribution &distribution) {
  Value key = buildKey(builder, node);
  DType wide = type == DType::F64 ? DType::F64 : DType::F32;
  return single(builder.compute(type, shape, [&](Body &body) {
    Scalar position = flatten(body, shape, body.dims(0, shape.size()));
    if (!distribution.isNormal) {
      double range = distribution.second - distribution.first;
      return toElement(body, draw(body, key, position, wide) * range + distribution.first, type);
    }
    Scalar radius = sqrt(log(1.0 - draw(body, key, position + position, wide)) * -2.0);
    Scalar angle = draw(body, key, position + position + 1.0, wide) * (2 * llvm::numbers::pi);
    return toElement(body, radius * cos(angle) * distribution.second + distribution.first, type);
  }));
}

static FailureOr<Tensors> buildRandom(Builder &builder, const Node &node, bool isNormal,
                                      bool isLike) {
  DType type = isLike ? node.inputs[0].dtype() : DType::F32;
  if (node.has("dtype")) {
    std::optional<DType> given = fromONNX(node.getInt("dtype", 0));
    if (!given)
      return builder.unsupported("element type " + Twine(node.getInt("dtype", 0)) + " of 'dtype'");
    type = *given;
  }
  if (!isFloat(type))
    return builder.unsupported(Twine("random numbers of type ") + getName(type));
  SmallVector<Size> shape;
  if (isLike)
    shape.assign(node.inputs[0].shape().begin(), node.inputs[0].shape().end());
  else
    for (int64_t size : node.getInts("shape"))
      shape.push_back(size);
  Distribution distribution{isNormal, node.getFloat(isNormal ? "mean" : "low", 0),
                            node.getFloat(isNormal ? "scale" : "high", 1)};
  return fillRandom(builder, node, type, shape, distribution);
}

/// Builds Multinomial: samples the class for which log(weight) plus Gumbel noise is largest.
static FailureOr<Tensors> buildMultinomial(Builder &builder, const Node &node) {
  const Tensor &weights = node.inputs[0];
  int64_t samples = node.getInt("sample_size", 1), code = node.getInt("dtype", 6);
  if (weights.rank() != 2 || samples < 1)
    return builder.error("expected an input of rank 2 and a positive 'sample_size', got " +
                         weights.str() + " and " + Twine(samples));
  std::optional<DType> type = fromONNX(code);
  if (type != DType::I32 && type != DType::I64)
    return builder.unsupported("element type " + Twine(code) + " of 'dtype'");
  Value key = buildKey(builder, node);
  SmallVector<Size> shape = {weights.dim(0), Size(samples)};
  DType wide = getAccumulator(weights.dtype());
  ReducedDims reduced(2);
  unsigned slot = reduced.add(weights.dim(1));
  auto point = [&](Body &body) -> SmallVector<Value> {
    AffineExpr index = reduced.expr(body, slot);
    Scalar position =
        flatten(body, {shape[0], shape[1], weights.dim(1)}, {body.dim(0), body.dim(1), index});
    Scalar chance = atLeast(draw(body, key, position, wide), 1e-30);
    Scalar score = readScalar(body, weights, {body.dim(0), index}) - log(-log(chance));
    return {score.getValue(), indexScalar(body, index, DType::I64).getValue()};
  };
  FailureOr<Tensors> best = reduceExtremum(builder, weights.dtype(), shape, reduced, /*isMax=*/true,
                                           /*isLast=*/false, point, /*withValue=*/false);
  if (failed(best))
    return failure();
  return single(builder.cast(best->front(), *type));
}

OperatorRows getRandomRows() {
  return {
      {"RandomUniform", bindBack(buildRandom, /*isNormal=*/false, /*isLike=*/false)},
      {"RandomUniformLike", bindBack(buildRandom, /*isNormal=*/false, /*isLike=*/true)},
      {"RandomNormal", bindBack(buildRandom, /*isNormal=*/true, /*isLike=*/false)},
      {"RandomNormalLike", bindBack(buildRandom, /*isNormal=*/true, /*isLike=*/true)},
      {"Multinomial", buildMultinomial},
  };
}

} // namespace tssa::operators
