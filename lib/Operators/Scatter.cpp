//===- Scatter.cpp - writes at indexes that are data -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Indexing.h"
#include "tssa/Operators/Registry.h"

using namespace mlir;

namespace tssa::operators {

/// What joins an old and a new element; nothing for a plain write.
using ElementJoin = std::optional<te::Combiner>;

static FailureOr<ElementJoin> getReduction(Builder &builder, const Node &node) {
  StringRef name = node.getString("reduction", "none");
  if (name == "none")
    return ElementJoin();
  if (name == "add")
    return ElementJoin(te::Combiner::Add);
  if (name == "mul")
    return ElementJoin(te::Combiner::Mul);
  if (name == "max")
    return ElementJoin(te::Combiner::Max);
  if (name == "min")
    return ElementJoin(te::Combiner::Min);
  return builder.error("unknown 'reduction' \"" + name + "\"");
}

static FailureOr<Tensor> scatter(Builder &builder, const Tensor &base, ArrayRef<Size> domain,
                                 ElementJoin reduction,
                                 llvm::function_ref<Builder::Write(Body &)> write) {
  if (!reduction)
    return builder.update(base, domain, write);
  DType type = base.dtype();
  auto join = [&](Body &body, ValueRange pair) -> SmallVector<Value> {
    return {te::combine(body.ops, body.loc, *reduction, isUnsigned(type), pair[0], pair[1])};
  };
  return builder.update(base, domain, write, join);
}

static FailureOr<Tensors> buildScatterElements(Builder &builder, const Node &node) {
  const Tensor &data = node.inputs[0], &indices = node.inputs[1], &updates = node.inputs[2];
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), data.rank());
  FailureOr<ElementJoin> reduction = getReduction(builder, node);
  if (failed(axis) || failed(reduction))
    return failure();
  if (indices.rank() != data.rank() || updates.rank() != data.rank())
    return builder.error("expected indices and updates of rank " + Twine(data.rank()) +
                         ", got " + indices.str() + " and " + updates.str());
  for (int64_t i = 0; i < data.rank(); ++i)
    if (failed(builder.requireEqual(indices.dim(i), updates.dim(i),
                                    "dim " + Twine(i) + " of indices and updates")))
      return failure();
  return single(scatter(builder, data, indices.shape(), *reduction, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, data.rank());
    Builder::Write write{body.read(updates, at), at, {}};
    write.target[*axis] = dataIndex(body, indices, at, data.dim(*axis));
    return write;
  }));
}

static FailureOr<Tensors> buildScatterND(Builder &builder, const Node &node) {
  const Tensor &data = node.inputs[0], &indices = node.inputs[1], &updates = node.inputs[2];
  FailureOr<ElementJoin> reduction = getReduction(builder, node);
  if (failed(reduction))
    return failure();
  if (indices.rank() < 1)
    return builder.error("expected indices of rank 1 or more, got " + Twine(indices.str()));
  std::optional<int64_t> depth = indices.shape().back().constant();
  if (!depth)
    return builder.unsupported("indices whose last dim is not known");
  if (*depth < 0 || *depth > data.rank())
    return builder.error("expected a last dim of indices of at most " + Twine(data.rank()) +
                         ", got " + Twine(*depth));
  SmallVector<Size> domain(indices.shape().drop_back());
  int64_t numOuter = domain.size();
  domain.append(data.shape().begin() + *depth, data.shape().end());
  if (updates.rank() != static_cast<int64_t>(domain.size()))
    return builder.error("expected updates of rank " + Twine(domain.size()) + ", got " +
                         updates.str());
  for (auto [i, size] : llvm::enumerate(domain))
    if (failed(builder.requireEqual(size, updates.dim(i), "dim " + Twine(i) + " of updates")))
      return failure();
  return single(scatter(builder, data, domain, *reduction, [&](Body &body) {
    Builder::Write write{body.read(updates, body.dims(0, domain.size())), {}, {}};
    for (int64_t i = 0; i < *depth; ++i) {
      SmallVector<AffineExpr> at = body.dims(0, numOuter);
      at.push_back(body.constantExpr(i));
      write.target.push_back(dataIndex(body, indices, at, data.dim(i)));
    }
    write.target.append(body.dims(numOuter, domain.size()));
    return write;
  }));
}

/// Writes a stretch of each sample at its own position along an axis.
static FailureOr<Tensors> buildTensorScatter(Builder &builder, const Node &node) {
  const Tensor &cache = node.inputs[0], &update = node.inputs[1];
  Tensor starts = node.input(2);
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", -2), cache.rank());
  if (failed(axis))
    return failure();
  if (*axis == 0 || update.rank() != cache.rank())
    return builder.error("expected an axis that is not the batch and an update of rank " +
                         Twine(cache.rank()) + ", got " + Twine(*axis) + " and " + update.str());
  bool isCircular = node.getString("mode", "linear") == "circular";
  return single(builder.update(cache, update.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, cache.rank());
    Builder::Write write{body.read(update, at), at, {}};
    Scalar position = indexScalar(body, at[*axis], DType::I64);
    if (starts)
      position = position + convert(readScalar(body, starts, at[0]), body.ops.getI64Type());
    if (isCircular)
      position = floorMod(position, sizeScalar(body, cache.dim(*axis)));
    write.target[*axis] = body.opaque(toIndex(position));
    return write;
  }));
}

void registerScatter(Registry &registry) {
  registry.add("Scatter", buildScatterElements, 9);
  registry.add("ScatterElements", buildScatterElements);
  registry.add("ScatterND", buildScatterND);
  registry.add("TensorScatter", buildTensorScatter);
}

} // namespace tssa::operators
