//===- Scatter.cpp - writes at data-dependent indexes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/Indexing.h"
#include "tssa/Builder/KnownIndexes.h"
#include "tssa/Builder/Shapes.h"

using namespace mlir;

namespace tssa::operators {

/// The combiner of an old element and a new element; nothing for a plain write.
using ElementCombiner = std::optional<te::Combiner>;

static FailureOr<ElementCombiner> getReduction(Builder &builder, const Node &node) {
  StringRef name = node.getString("reduction", "none");
  if (name == "none")
    return ElementCombiner();
  if (name == "add")
    return ElementCombiner(te::Combiner::Add);
  if (name == "mul")
    return ElementCombiner(te::Combiner::Mul);
  if (name == "max")
    return ElementCombiner(te::Combiner::Max);
  if (name == "min")
    return ElementCombiner(te::Combiner::Min);
  return builder.error("unknown 'reduction' \"" + name + "\"");
}

static FailureOr<Tensor> scatter(Builder &builder, const Tensor &base, ArrayRef<Size> domain,
                                 ElementCombiner reduction,
                                 llvm::function_ref<Builder::Write(Body &)> write) {
  if (!reduction)
    return builder.update(base, domain, write);
  DType type = base.dtype();
  auto combine = [&](Body &body, ValueRange pair) -> SmallVector<Value> {
    return {te::combine(body.ops, body.loc, *reduction, isUnsigned(type), pair[0], pair[1])};
  };
  return builder.update(base, domain, write, combine);
}

static FailureOr<Tensors> buildScatterElements(Builder &builder, const Node &node) {
  const Tensor &data = node.inputs[0], &indices = node.inputs[1], &updates = node.inputs[2];
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), data.rank());
  FailureOr<ElementCombiner> reduction = getReduction(builder, node);
  if (failed(axis) || failed(reduction) || failed(requireInside(builder, data, indices, *axis)))
    return failure();
  if (updates.rank() != indices.rank())
    return builder.error("expected updates of rank " + Twine(indices.rank()) + ", got " +
                         updates.str());
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

namespace {
/// A ScatterND. The last dim of indices has index tuples for the first `depth` dims of data.
/// Updates have the first `numOuter` dims of indices, and then the other dims of data.
struct ScatterND {
  Tensor data, indices, updates;
  int64_t depth, numOuter;
  SmallVector<Size> domain;
  std::optional<SmallVector<AffineIndex>> affine;
};
} // namespace

static FailureOr<ScatterND> getScatterND(Builder &builder, const Node &node) {
  ScatterND scatter{node.inputs[0], node.inputs[1], node.inputs[2], 0, 0, {}, {}};
  const Tensor &data = scatter.data, &indices = scatter.indices, &updates = scatter.updates;
  if (indices.rank() < 1)
    return builder.error("expected indices of rank 1 or more, got " + Twine(indices.str()));
  std::optional<int64_t> depth = indices.shape().back().constant();
  if (!depth)
    return builder.unsupported("indices whose last dim is not known");
  if (*depth < 0 || *depth > data.rank())
    return builder.error("expected the last dim of indices to be at most " + Twine(data.rank()) +
                         ", got " + Twine(*depth));
  scatter.depth = *depth;
  scatter.domain.assign(indices.shape().begin(), indices.shape().end() - 1);
  scatter.numOuter = scatter.domain.size();
  scatter.domain.append(data.shape().begin() + *depth, data.shape().end());
  if (updates.rank() != static_cast<int64_t>(scatter.domain.size()))
    return builder.error("expected updates of rank " + Twine(scatter.domain.size()) + ", got " +
                         updates.str());
  for (auto [i, size] : llvm::enumerate(scatter.domain))
    if (failed(builder.requireEqual(size, updates.dim(i), "dim " + Twine(i) + " of updates")))
      return failure();
  scatter.affine = matchAffineIndexes(builder, indices, data.shape().take_front(*depth),
                                      /*isScalar=*/false);
  return scatter;
}

/// If the writes fill a box of data, returns for each of the first `numOuter` dims of updates the
/// dim of data along which it runs, with stride 1. A dim of size 1 may run along no dim; its entry
/// is then -1. Returns nothing if the writes do not fill a box.
static std::optional<SmallVector<int64_t>> matchBox(const ScatterND &scatter) {
  if (!scatter.affine)
    return std::nullopt;
  SmallVector<int64_t> alongDim(scatter.numOuter, -1);
  for (auto [component, index] : llvm::enumerate(*scatter.affine)) {
    bool isTaken = false;
    for (auto [dim, stride] : llvm::enumerate(index.strides)) {
      if (stride == 0)
        continue;
      if (stride != 1 || isTaken || alongDim[dim] >= 0)
        return std::nullopt;
      isTaken = true;
      alongDim[dim] = component;
    }
  }
  for (auto [dim, along] : llvm::enumerate(alongDim))
    if (along < 0 && !scatter.domain[dim].isConstant(1))
      return std::nullopt;
  return alongDim;
}

/// Builds a te.compute that selects an element of updates inside the box and an element of data
/// outside. Unlike a te.update, it can be merged and folded. It is used for constant data, which a
/// te.update would have to copy anyway.
static FailureOr<Tensor> selectBox(Builder &builder, const ScatterND &scatter,
                                   ArrayRef<int64_t> alongDim) {
  const Tensor &data = scatter.data;
  DType type = data.dtype();
  TypedAttr zero = builder.ops.getZeroAttr(getElementType(builder.context(), type));
  return builder.compute(type, data.shape(), [&](Body &body) {
    SmallVector<AffineExpr> guard, from;
    for (auto [component, index] : llvm::enumerate(*scatter.affine)) {
      AffineExpr offset = body.dim(component) - index.base;
      Size extent = 1;
      for (auto [dim, along] : llvm::enumerate(alongDim))
        if (along == static_cast<int64_t>(component))
          extent = scatter.domain[dim];
      if (index.base != 0)
        guard.push_back(offset);
      if (data.dim(component) != extent + index.base)
        guard.push_back(body.size(extent) - 1 - offset);
    }
    for (int64_t along : alongDim)
      from.push_back(along < 0 ? body.constantExpr(0)
                               : body.dim(along) - (*scatter.affine)[along].base);
    from.append(body.dims(scatter.depth, data.rank()));
    Scalar update = toScalar(body, body.read(scatter.updates, from, guard, zero), type);
    if (guard.empty())
      return update.getValue();
    Scalar old = toScalar(body, body.read(data, body.dims(0, data.rank())), type);
    Scalar isInside = toScalar(body, body.inside(guard), DType::Bool);
    return select(isInside, update, old).getValue();
  });
}

static FailureOr<Tensors> buildScatterND(Builder &builder, const Node &node) {
  FailureOr<ElementCombiner> reduction = getReduction(builder, node);
  FailureOr<ScatterND> nd = getScatterND(builder, node);
  if (failed(reduction) || failed(nd))
    return failure();
  if (!*reduction && nd->data.constant())
    if (std::optional<SmallVector<int64_t>> alongDim = matchBox(*nd))
      return single(selectBox(builder, *nd, *alongDim));
  return single(scatter(builder, nd->data, nd->domain, *reduction, [&](Body &body) {
    Builder::Write write{body.read(nd->updates, body.dims(0, nd->domain.size())), {}, {}};
    for (int64_t i = 0; i < nd->depth; ++i) {
      SmallVector<AffineExpr> at = body.dims(0, nd->numOuter);
      at.push_back(body.constantExpr(i));
      write.target.push_back(nd->affine ? (*nd->affine)[i].expr(body, 0)
                                        : dataIndex(body, nd->indices, at, nd->data.dim(i)));
    }
    write.target.append(body.dims(nd->numOuter, nd->domain.size()));
    return write;
  }));
}

/// Builds TensorScatter, which writes a slice to each sample, at the sample's position along an
/// axis.
static FailureOr<Tensors> buildTensorScatter(Builder &builder, const Node &node) {
  const Tensor &cache = node.inputs[0], &update = node.inputs[1];
  Tensor starts = node.input(2);
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", -2), cache.rank());
  if (failed(axis))
    return failure();
  if (*axis == 0 || update.rank() != cache.rank())
    return builder.error("expected an axis other than the batch, and an update of rank " +
                         Twine(cache.rank()) + ", got " + Twine(*axis) + " and " + update.str());
  for (int64_t i = 0; i < cache.rank(); ++i)
    if (i != *axis && failed(builder.requireEqual(cache.dim(i), update.dim(i),
                                                  "dim " + Twine(i) + " of cache and update")))
      return failure();
  if (starts && (starts.rank() != 1 ||
                 failed(builder.requireEqual(starts.dim(0), cache.dim(0), "positions and batch"))))
    return builder.error("expected one position per sample, got " + starts.str());
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

/// Returns the length of the index tuples of a ScatterND.
static std::optional<int64_t> numIndexed(const NodeFacts &facts) {
  return facts.rank() + facts.rank(1) - 1 - facts.rank(2);
}

OperatorRows getScatterRows() {
  return {
      {"Scatter", Versions{9}, buildScatterElements},
      {"ScatterElements", buildScatterElements},
      {"ScatterND", buildScatterND, List{1, numIndexed}},
      {"TensorScatter", buildTensorScatter},
  };
}

} // namespace tssa::operators
