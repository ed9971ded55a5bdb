//===- Scatter.cpp - gather and scatter -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For each element of a tensor of indexes, gather reads one element of another tensor, and the
/// scatter operators write one. The position of that element is the position of the index in the
/// tensor of indexes, except along one dim: there, the position is the index itself. Negative
/// indexes are out of bounds. Tensors of rank 0 are treated as tensors of one element.
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
using tssa::operators::te::Combiner;

namespace tssa::pytorch {

static FailureOr<Tensor> readWithDims(Importer &importer, const Value &value) {
  FailureOr<Tensor> tensor = importer.read(value);
  if (failed(tensor) || tensor->rank() > 0)
    return tensor;
  return importer.b.reshape(*tensor, Size(1));
}

namespace {
/// The arguments (self, dim, index) that all these operators have.
struct IndexArguments {
  Tensor self, indexes;
  int64_t axis, rank;
  bool isEmpty() const { return indexes.numElements().isConstant(0); }

  /// Returns, for the current point of the body, the index of the element in self.
  SmallVector<mlir::AffineExpr> getTarget(Body &body) const;
};
} // namespace

SmallVector<mlir::AffineExpr> IndexArguments::getTarget(Body &body) const {
  SmallVector<mlir::AffineExpr> at = body.dims(0, self.rank());
  Scalar index = operators::toScalar(body, body.read(indexes, at), indexes.dtype());
  // As an unsigned number, a negative index is too large.
  at[axis] = body.opaque(toIndex(convert(index, body.ops.getI64Type(), /*isUnsigned=*/true)));
  return at;
}

/// Requires that `points` is no larger than `tensor` along each dim except `except`: reports an
/// error now, or builds a check at run time.
static mlir::LogicalResult requireInside(Importer &importer, const Tensor &points,
                                         const Tensor &tensor, std::optional<int64_t> except) {
  if (tensor.rank() != points.rank())
    return importer.b.error("expected indexes of rank " + Twine(tensor.rank()) + ", got " +
                            points.str());
  for (int64_t dim = 0; dim < tensor.rank(); ++dim)
    if (dim != except && failed(importer.b.requireNonNegative(
                             tensor.dim(dim) - points.dim(dim),
                             "dim " + Twine(dim) + " of the tensor minus that of the indexes")))
      return failure();
  return mlir::success();
}

static FailureOr<IndexArguments> readIndexArguments(Importer &importer, const Call &call) {
  FailureOr<TensorRef> ref = importer.getTensor(call[0]);
  FailureOr<Tensor> self = readWithDims(importer, call[0]),
                    indexes = readWithDims(importer, call[2]);
  if (failed(ref) || failed(self) || failed(indexes))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[1], self->rank());
  if (failed(axis))
    return failure();
  if (!operators::isInteger(indexes->dtype()))
    return importer.b.error(Twine("expected integers as indexes, got ") +
                            getName(indexes->dtype()));
  IndexArguments arguments{*self, *indexes, *axis, ref->rank()};
  if (!arguments.isEmpty() && failed(requireInside(importer, *indexes, *self, *axis)))
    return failure();
  return arguments;
}

/// gather(self, dim, index, sparse_grad)
static FailureOr<Tensors> buildGather(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  FailureOr<IndexArguments> arguments = readIndexArguments(importer, call);
  FailureOr<TensorRef> indexes = importer.getTensor(call[2]);
  if (failed(arguments) || failed(indexes))
    return failure();
  DType type = arguments->self.dtype();
  if (arguments->isEmpty())
    return single(b.fill(type, indexes->shape, 0));
  FailureOr<Tensor> read = b.compute(type, arguments->indexes.shape(), [&](Body &body) {
    return body.read(arguments->self, arguments->getTarget(body));
  });
  if (failed(read))
    return failure();
  return single(b.reshape(*read, indexes->shape));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Returns `combiner`, or for bools the logical combiner with the same effect.
static Combiner adapt(Combiner combiner, DType type) {
  if (type != DType::Bool)
    return combiner;
  return combiner == Combiner::Add || combiner == Combiner::Max ? Combiner::Or : Combiner::And;
}

using ElementOf = function_ref<mlir::Value(Body &)>;

/// Writes `element` to `base` for each index. With a combiner, writes the combination of the old
/// element and `element`.
static FailureOr<Tensor> writeAt(Importer &importer, const IndexArguments &arguments,
                                 const Tensor &base, std::optional<Combiner> combiner,
                                 ElementOf element) {
  DType type = base.dtype();
  auto write = [&](Body &body) {
    return operators::Builder::Write{element(body), arguments.getTarget(body), {}};
  };
  if (!combiner)
    return importer.b.update(base, arguments.indexes.shape(), write);
  auto combine = [&](Body &body, mlir::ValueRange pair) -> SmallVector<mlir::Value> {
    return {operators::te::combine(body.ops, body.loc, adapt(*combiner, type),
                                   operators::isUnsigned(type), pair[0], pair[1])};
  };
  return importer.b.update(base, arguments.indexes.shape(), write, combine);
}

/// Returns the results of an operator. If self has rank 0, reshapes the result to rank 0.
static FailureOr<Tensors> finish(Importer &importer, const IndexArguments &arguments,
                                 FailureOr<Tensor> written) {
  if (failed(written) || arguments.rank > 0)
    return single(written);
  return single(importer.b.reshape(*written, {}));
}

static FailureOr<Tensors> scatter(Importer &importer, const Call &call,
                                  std::optional<Combiner> combiner) {
  FailureOr<IndexArguments> arguments = readIndexArguments(importer, call);
  if (failed(arguments))
    return failure();
  DType type = arguments->self.dtype();
  if (arguments->isEmpty())
    return finish(importer, *arguments, arguments->self);
  if (call[3].isNumber())
    return finish(importer, *arguments,
                  writeAt(importer, *arguments, arguments->self, combiner, [&](Body &body) {
                    return makeScalar(importer, body, call[3], type).getValue();
                  }));
  FailureOr<Tensor> source = readWithDims(importer, call[3]);
  if (failed(source) || failed(requireInside(importer, arguments->indexes, *source, std::nullopt)))
    return failure();
  if (source->dtype() != type)
    return importer.b.error(Twine("expected a source of type ") + getName(type) + ", got " +
                            getName(source->dtype()));
  return finish(importer, *arguments,
                writeAt(importer, *arguments, arguments->self, combiner, [&](Body &body) {
                  return body.read(*source, body.dims(0, source->rank()));
                }));
}

/// scatter(self, dim, index, src or value, reduce)
static FailureOr<Tensors> buildScatter(Importer &importer, const Call &call) {
  if (call.size() < 5)
    return scatter(importer, call, std::nullopt);
  if (!call[4].is(Value::String))
    return importer.b.error("expected a reduction");
  StringRef name = call[4].getText();
  if (name != "add" && name != "multiply")
    return importer.b.error("expected add or multiply as reduction, got " + name);
  return scatter(importer, call, name == "add" ? Combiner::Add : Combiner::Mul);
}

static FailureOr<Tensors> buildScatterAdd(Importer &importer, const Call &call) {
  return scatter(importer, call, Combiner::Add);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Returns the number of terms of each sum.
static FailureOr<Tensor> countTerms(Importer &importer, const IndexArguments &arguments,
                                    bool includesSelf) {
  FailureOr<Tensor> zeros =
      importer.b.fill(DType::I64, arguments.self.shape(), includesSelf ? 1 : 0);
  if (failed(zeros))
    return failure();
  return writeAt(importer, arguments, *zeros, Combiner::Add,
                 [&](Body &body) { return body.constant(DType::I64, static_cast<int64_t>(1)); });
}

/// Replaces the elements that an index refers to by 0.
static FailureOr<Tensor> clearCounted(Importer &importer, const Tensor &self,
                                      const Tensor &counts) {
  return importer.b.compute(self.dtype(), self.shape(), [&](Body &body) {
    SmallVector<mlir::AffineExpr> at = body.dims(0, self.rank());
    Scalar element = operators::readScalar(body, self, at);
    Scalar isCounted = operators::readScalar(body, counts, at) > 0.0;
    return operators::toElement(body, select(isCounted, element.constant(0), element),
                                self.dtype());
  });
}

/// Divides each sum by the number of its terms, and rounds integers down. Elements that no index
/// refers to do not change.
static FailureOr<Tensor> divideByCounts(Importer &importer, const Tensor &sums,
                                        const Tensor &counts) {
  DType type = sums.dtype();
  return importer.b.compute(type, sums.shape(), [&](Body &body) {
    SmallVector<mlir::AffineExpr> at = body.dims(0, sums.rank());
    Scalar sum = operators::readScalar(body, sums, at);
    Scalar count = atLeast(operators::readScalar(body, counts, at), 1.0);
    count = convert(count, sum.getType(), sum.isUnsigned());
    if (sum.isFloat())
      return operators::toElement(body, sum / count, type);
    Scalar rest = floorMod(sum, count);
    return operators::toElement(body, (sum - rest) / count, type);
  });
}

/// scatter_reduce(self, dim, index, src, reduce, include_self)
static FailureOr<Tensors> buildScatterReduce(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  FailureOr<IndexArguments> arguments = readIndexArguments(importer, call);
  FailureOr<Tensor> source = readWithDims(importer, call[3]);
  FailureOr<bool> includesSelf = importer.getFlag(call[5], "include_self");
  if (failed(arguments) || failed(source) || failed(includesSelf))
    return failure();
  StringRef name = call[4].is(Value::String) ? call[4].getText() : "";
  std::optional<Combiner> combiner = StringSwitch<std::optional<Combiner>>(name)
                                         .Cases({"sum", "mean"}, Combiner::Add)
                                         .Case("prod", Combiner::Mul)
                                         .Case("amax", Combiner::Max)
                                         .Case("amin", Combiner::Min)
                                         .Default(std::nullopt);
  if (!combiner)
    return b.error("expected sum, prod, mean, amax or amin as reduction");
  if (arguments->isEmpty())
    return finish(importer, *arguments, arguments->self);
  DType type = arguments->self.dtype();
  if (failed(requireInside(importer, arguments->indexes, *source, std::nullopt)))
    return failure();
  if (source->dtype() != type)
    return b.error(Twine("expected a source of type ") + getName(type) + ", got " +
                   getName(source->dtype()));
  FailureOr<Tensor> result = arguments->self, counts = arguments->self;
  bool isMean = name == "mean";
  if (isMean)
    counts = countTerms(importer, *arguments, *includesSelf);
  if (failed(counts))
    return failure();
  if (!*includesSelf && isMean)
    result = clearCounted(importer, *result, *counts);
  else if (!*includesSelf)
    result = writeAt(importer, *arguments, *result, std::nullopt, [&](Body &body) -> mlir::Value {
      mlir::TypedAttr identity = operators::te::getIdentity(
          adapt(*combiner, type), operators::getElementType(b.context(), type),
          operators::isUnsigned(type));
      return mlir::arith::ConstantOp::create(body.ops, body.loc, identity);
    });
  if (failed(result))
    return failure();
  result = writeAt(importer, *arguments, *result, *combiner,
                   [&](Body &body) { return body.read(*source, body.dims(0, source->rank())); });
  if (isMean && succeeded(result))
    result = divideByCounts(importer, *result, *counts);
  return finish(importer, *arguments, result);
}

void registerScatter(OperatorTable &table) {
  table.compute("aten::gather", "-", buildGather, Layout::Contiguous);
  table.compute("aten::scatter", "src value reduce value_reduce", buildScatter);
  table.compute("aten::scatter_add", "-", buildScatterAdd);
  table.compute("aten::scatter_reduce", "two", buildScatterReduce);
}

} // namespace tssa::pytorch
