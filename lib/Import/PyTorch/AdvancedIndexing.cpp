//===- AdvancedIndexing.cpp - reads and writes at tensors of indexes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// index and index_put take, for each dim, a tensor of indexes or None. The tensors broadcast to a
/// common shape. If the indexed dims are adjacent, the dims of the common shape replace them;
/// otherwise the dims of the common shape come first. A mask (a bool or u8 tensor) of n dims stands
/// for n tensors, which have the indexes of its true elements.
///
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"
#include "tssa/Builder/Indexing.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using tssa::operators::Body;
using tssa::operators::Scalar;
using tssa::operators::single;

namespace tssa::pytorch {
namespace {

/// The indexes of an index or index_put.
class Indexes {
public:
  Indexes(Importer &importer, const TensorRef &self) : importer(importer), self(self) {}

  /// Reads a list of tensors and Nones.
  mlir::LogicalResult read(const Value &list);
  /// Returns the iteration domain: one point for each element that is read or written.
  Sizes getDomain() const;
  /// Returns, for the current point of the body, the index of the element in the tensor.
  SmallVector<mlir::AffineExpr> getTarget(Body &body) const;
  /// Returns the only indexed dim, or nothing if there is not exactly one.
  std::optional<int64_t> getOnlyDim() const;
  const Tensor &getIndex(int64_t dim) const { return *perDim[dim]; }

private:
  mlir::LogicalResult addMask(const TensorRef &mask);
  mlir::LogicalResult finish();

  Importer &importer;
  const TensorRef &self;
  SmallVector<std::optional<Tensor>> perDim;
  Sizes common;
  /// The position of the first dim of `common` among the dims of the domain.
  int64_t position = 0;
};

} // namespace

static bool isMask(const TensorRef &tensor) {
  return tensor.dtype == DType::Bool || tensor.dtype == DType::U8;
}

/// Adds a mask as 1-D tensors, one for each of its dims, with the indexes of its true elements in
/// order.
mlir::LogicalResult Indexes::addMask(const TensorRef &mask) {
  operators::Builder &b = importer.b;
  int64_t begin = perDim.size();
  if (mask.rank() == 0)
    return b.unsupported("a mask without dims as an index");
  if (begin + mask.rank() > self.rank())
    return b.error("the mask has more dims than are left of the tensor");
  for (int64_t i = 0; i < mask.rank(); ++i)
    if (failed(importer.requireEqual(mask.shape[i], self.shape[begin + i],
                                     "dim " + Twine(i) + " of the mask")))
      return failure();
  FailureOr<Tensors> positions = importer.call("NonZero", 13, importer.read(mask));
  if (failed(positions))
    return failure();
  Size count = positions->front().dim(1);
  for (int64_t i = 0; i < mask.rank(); ++i) {
    FailureOr<Tensor> row = b.slice(positions->front(), 0, i, 1);
    if (succeeded(row))
      row = b.reshape(*row, count);
    if (failed(row))
      return failure();
    perDim.push_back(*row);
  }
  return mlir::success();
}

mlir::LogicalResult Indexes::read(const Value &list) {
  operators::Builder &b = importer.b;
  if (!list.isSequence())
    return b.error("expected a list of indexes");
  for (const Value &value : list.getElements()) {
    if (value.is(Value::None)) {
      perDim.push_back(std::nullopt);
      continue;
    }
    FailureOr<TensorRef> tensor = importer.getTensor(value);
    if (failed(tensor))
      return failure();
    if (isMask(*tensor)) {
      if (failed(addMask(*tensor)))
        return failure();
      continue;
    }
    if (!operators::isInteger(tensor->dtype))
      return b.error(Twine("expected integers or bools as indexes, got ") + getName(tensor->dtype));
    FailureOr<Tensor> index = b.cast(importer.read(*tensor), DType::I64);
    if (failed(index))
      return failure();
    perDim.push_back(*index);
  }
  return finish();
}

mlir::LogicalResult Indexes::finish() {
  if (static_cast<int64_t>(perDim.size()) > self.rank())
    return importer.b.error("got " + Twine(perDim.size()) + " indexes for a tensor of " +
                            Twine(self.rank()) + " dims");
  perDim.resize(self.rank());
  SmallVector<Sizes> shapes;
  SmallVector<int64_t> dims;
  for (auto [dim, index] : llvm::enumerate(perDim))
    if (index) {
      shapes.emplace_back(index->shape());
      dims.push_back(dim);
    }
  if (dims.empty())
    return importer.b.error("expected an index that is not None");
  FailureOr<Sizes> shape = importer.broadcast(shapes);
  if (failed(shape))
    return failure();
  common = *shape;
  for (int64_t dim : dims)
    perDim[dim] = importer.refine(*perDim[dim], common);
  bool areNeighbours = dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
  position = areNeighbours ? dims.front() : 0;
  return mlir::success();
}

Sizes Indexes::getDomain() const {
  Sizes domain;
  for (auto [dim, index] : llvm::enumerate(perDim))
    if (!index)
      domain.push_back(self.shape[dim]);
  domain.insert(domain.begin() + position, common.begin(), common.end());
  return domain;
}

SmallVector<mlir::AffineExpr> Indexes::getTarget(Body &body) const {
  int64_t end = position + common.size(), next = 0;
  SmallVector<mlir::AffineExpr> target;
  for (auto [dim, index] : llvm::enumerate(perDim)) {
    if (!index) {
      next = next == position ? end : next;
      target.push_back(body.dim(next++));
      continue;
    }
    mlir::Value element = body.readBroadcast(*index, common, body.dims(position, end));
    target.push_back(
        dataIndex(body, operators::toScalar(body, element, DType::I64), self.shape[dim]));
  }
  return target;
}

std::optional<int64_t> Indexes::getOnlyDim() const {
  if (llvm::count_if(perDim, [](const auto &index) { return index.has_value(); }) != 1)
    return std::nullopt;
  return llvm::find_if(perDim, [](const auto &index) { return index.has_value(); }) -
         perDim.begin();
}

/// index(self, indexes)
static FailureOr<Tensors> buildIndex(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  if (failed(self))
    return failure();
  Indexes indexes(importer, *self);
  if (failed(indexes.read(call[1])))
    return failure();
  Tensor tensor = importer.read(*self);
  // Gather has a simpler form for constant indexes.
  if (std::optional<int64_t> dim = indexes.getOnlyDim()) {
    mlir::Builder &ops = importer.b.ops;
    return importer.call("Gather", 13, {tensor, indexes.getIndex(*dim)},
                         ops.getNamedAttr("axis", ops.getI64IntegerAttr(*dim)));
  }
  return single(importer.b.compute(self->dtype, indexes.getDomain(), [&](Body &body) {
    return body.read(tensor, indexes.getTarget(body));
  }));
}

/// Returns the mask if the call is index_put(self, [mask], values) and `values` has one element.
/// Such a call is computed element by element. Returns nothing for other calls.
static std::optional<TensorRef> getFillMask(const Value &list, const TensorRef &self,
                                            const TensorRef &values) {
  if (!list.isSequence() || list.getElements().size() != 1 ||
      !operators::product(values.shape).isConstant(1))
    return std::nullopt;
  const Value &index = list.getElements().front();
  if (!index.is(Value::Tensor) || !isMask(index.getTensor()) ||
      index.getTensor().rank() > self.rank())
    return std::nullopt;
  return index.getTensor();
}

/// Returns the sum of two elements, or the disjunction of two bools.
static mlir::Value addElements(Body &body, DType type, mlir::Value lhs, mlir::Value rhs) {
  namespace te = operators::te;
  te::Combiner combiner = type == DType::Bool ? te::Combiner::Or : te::Combiner::Add;
  return te::combine(body.ops, body.loc, combiner, operators::isUnsigned(type), lhs, rhs);
}

static FailureOr<Tensor> fillMasked(Importer &importer, const TensorRef &self,
                                    const TensorRef &mask, const TensorRef &values,
                                    bool accumulates) {
  for (int64_t i = 0; i < mask.rank(); ++i)
    if (failed(importer.requireEqual(mask.shape[i], self.shape[i],
                                     "dim " + Twine(i) + " of the mask")))
      return failure();
  Tensor old = importer.read(self), where = importer.read(mask), value = importer.read(values);
  return importer.b.compute(self.dtype, self.shape, [&](Body &body) {
    SmallVector<mlir::AffineExpr> at = body.dims(0, self.rank());
    SmallVector<mlir::AffineExpr> zero(values.rank(), body.constantExpr(0));
    Scalar element(body.ops, body.loc, body.read(old, at));
    Scalar filled = element.with(body.read(value, zero));
    if (accumulates)
      filled = filled.with(addElements(body, self.dtype, element.getValue(), filled.getValue()));
    Scalar condition = operators::toScalar(
        body, body.read(where, ArrayRef(at).take_front(mask.rank())), mask.dtype);
    return select(condition != 0.0, filled, element).getValue();
  });
}

/// index_put(self, indexes, values, accumulate)
static FailureOr<Tensors> buildIndexPut(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  FailureOr<TensorRef> self = importer.getTensor(call[0]), values = importer.getTensor(call[2]);
  FailureOr<bool> accumulates =
      call.size() > 3 ? importer.getFlag(call[3], "accumulate") : FailureOr<bool>(false);
  if (failed(self) || failed(values) || failed(accumulates))
    return failure();
  if (values->dtype != self->dtype)
    return b.error(Twine("expected values of type ") + getName(self->dtype) + ", got " +
                   getName(values->dtype));
  if (std::optional<TensorRef> mask = getFillMask(call[1], *self, *values))
    return single(fillMasked(importer, *self, *mask, *values, *accumulates));
  Indexes indexes(importer, *self);
  if (failed(indexes.read(call[1])))
    return failure();
  Sizes domain = indexes.getDomain();
  FailureOr<Tensor> source = importer.broadcastTo(importer.read(*values), domain);
  if (failed(source))
    return failure();
  auto write = [&](Body &body) {
    return operators::Builder::Write{
        body.read(*source, body.dims(0, domain.size())), indexes.getTarget(body), {}};
  };
  auto combine = [&](Body &body, mlir::ValueRange pair) -> SmallVector<mlir::Value> {
    return {addElements(body, self->dtype, pair[0], pair[1])};
  };
  Tensor base = importer.read(*self);
  return single(*accumulates ? b.update(base, domain, write, combine)
                             : b.update(base, domain, write));
}

void registerAdvancedIndexing(OperatorTable &table) {
  table.compute("aten::index", "Tensor", buildIndex, Layout::Contiguous);
  table.compute("aten::index_put", "-", buildIndexPut);
  table.compute("aten::_unsafe_index_put", "-", buildIndexPut);
  table.compute("aten::_index_put_impl", "-", buildIndexPut);
}

} // namespace tssa::pytorch
