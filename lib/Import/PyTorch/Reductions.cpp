//===- Reductions.cpp - operators that reduce dims -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"
#include "tssa/Builder/BodyScalar.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using tssa::operators::single;

namespace tssa::pytorch {
namespace {

/// The dims of a reduction, and whether they are kept with size 1.
struct Dims {
  SmallVector<int64_t> axes;
  bool keep = false;
};

} // namespace

/// Reads the dims from argument `at`; None and an empty list mean all dims.
static FailureOr<Dims> readDims(Importer &importer, const Call &call, const TensorRef &self,
                                size_t at) {
  Dims dims;
  bool isGiven = at < call.size() && !call[at].is(Value::None);
  if (isGiven) {
    FailureOr<SmallVector<int64_t>> given = importer.getInts(call[at], "a dim");
    if (failed(given))
      return failure();
    if (self.rank() > 0 || given->empty()) {
      FailureOr<SmallVector<int64_t>> axes = importer.b.normalizeAxes(*given, self.rank());
      if (failed(axes))
        return failure();
      dims.axes = *axes;
    }
  }
  if (dims.axes.empty())
    dims.axes = llvm::to_vector(llvm::seq<int64_t>(0, self.rank()));
  return dims;
}

static FailureOr<Tensor> reduce(Importer &importer, StringRef op, const Tensor &tensor,
                                const Dims &dims) {
  mlir::Builder &ops = importer.b.ops;
  SmallVector<mlir::NamedAttribute> attributes = {
      ops.getNamedAttr("keepdims", ops.getI64IntegerAttr(dims.keep))};
  if (tensor.rank() == 0)
    return tensor;
  attributes.push_back(ops.getNamedAttr("axes", ops.getDenseI64ArrayAttr(dims.axes)));
  FailureOr<Tensors> result = importer.call(op, 11, tensor, attributes);
  if (failed(result))
    return failure();
  return result->front();
}

/// Extremes of no elements are an error, as in eager mode.
static mlir::LogicalResult requireElements(Importer &importer, const Call &call,
                                           const TensorRef &tensor, ArrayRef<int64_t> axes) {
  operators::Builder &b = importer.b;
  for (int64_t axis : axes) {
    const Size &size = tensor.shape[axis];
    std::string text = (Twine(call.name) + ": expected at least one element in dim " +
                        Twine(axis) + ", which is reduced")
                           .str();
    std::optional<bool> has = importer.guards.isAtMost(1, size);
    if (has == false)
      return b.error(text);
    if (!has && failed(b.require(b.isLess(0, size), text)))
      return failure();
  }
  return mlir::success();
}

namespace {
struct Reduction {
  const char *name, *overloads;
  const char *op;
  enum Type {
    Sum,   ///< integers are summed in i64; a dtype may be given
    Float, ///< floats only; a dtype may be given
    Same,
    Bool
  } type;
};
} // namespace

static const Reduction reductions[] = {
    {"aten::sum", "- dim_IntList", "ReduceSum", Reduction::Sum},
    {"aten::prod", "- dim_int", "ReduceProd", Reduction::Sum},
    {"aten::mean", "- dim", "ReduceMean", Reduction::Float},
    {"aten::amax", "-", "ReduceMax", Reduction::Same},
    {"aten::amin", "-", "ReduceMin", Reduction::Same},
    {"aten::max", "-", "ReduceMax", Reduction::Same},
    {"aten::min", "-", "ReduceMin", Reduction::Same},
    {"aten::all", "- dim dims", "ReduceMin", Reduction::Bool},
    {"aten::any", "- dim dims", "ReduceMax", Reduction::Bool},
};

/// Returns the type in which elements are reduced, given the type of the input and the requested
/// type.
static FailureOr<DType> getType(Importer &importer, const Reduction &row, DType self,
                                const Value &dtype) {
  bool isWhole = !operators::isFloat(self);
  switch (row.type) {
  case Reduction::Sum:
    return importer.getDType(dtype, isWhole ? DType::I64 : self);
  case Reduction::Float: {
    FailureOr<DType> type = importer.getDType(dtype, self);
    if (succeeded(type) && !operators::isFloat(*type))
      return importer.b.error(Twine("expected floats, got ") + getName(*type));
    return type;
  }
  case Reduction::Same:
    return self;
  case Reduction::Bool:
    return DType::Bool;
  }
  return failure();
}

static FailureOr<Tensors> buildReduction(Importer &importer, const Call &call,
                                         const Reduction &row) {
  operators::Builder &b = importer.b;
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  if (failed(self))
    return failure();
  StringRef name = row.name;
  bool hasDims = !call.overload.empty() || name == "aten::amax" || name == "aten::amin";
  FailureOr<Dims> dims = readDims(importer, call, *self, hasDims ? 1 : call.size());
  if (failed(dims))
    return failure();
  if (hasDims) {
    FailureOr<bool> keep = importer.getFlag(call[2], "keepdim");
    if (failed(keep))
      return failure();
    dims->keep = *keep;
  }
  if (row.type == Reduction::Same && failed(requireElements(importer, call, *self, dims->axes)))
    return failure();
  FailureOr<DType> type = getType(importer, row, self->dtype, call[hasDims ? 3 : 1]);
  if (failed(type))
    return failure();
  FailureOr<Tensor> input = b.cast(importer.read(*self), *type);
  if (failed(input))
    return failure();
  // Bools are reduced as bytes.
  bool isBool = *type == DType::Bool;
  if (isBool)
    input = b.cast(*input, DType::U8);
  if (failed(input))
    return failure();
  FailureOr<Tensor> result = reduce(importer, row.op, *input, *dims);
  if (failed(result) || !isBool)
    return single(result);
  bool isU8 = row.type == Reduction::Bool && self->dtype == DType::U8;
  return single(b.cast(*result, isU8 ? DType::U8 : DType::Bool));
}

//===----------------------------------------------------------------------===//
// Variance
//===----------------------------------------------------------------------===//

/// Returns the squared differences of the elements from the mean over `dims`.
static FailureOr<Tensor> squareDeviations(Importer &importer, const Tensor &input,
                                          const Dims &dims) {
  FailureOr<Tensor> mean = reduce(importer, "ReduceMean", input, {dims.axes, /*keep=*/true});
  if (failed(mean))
    return failure();
  FailureOr<Tensors> deviation = importer.call("Sub", 14, {input, *mean});
  if (failed(deviation))
    return failure();
  FailureOr<Tensors> square = importer.call("Mul", 14, {deviation->front(), deviation->front()});
  if (failed(square))
    return failure();
  return square->front();
}

/// var(self, dim, correction, keepdim), which is computed in f32 for f16 and bf16.
static FailureOr<Tensors> buildVariance(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  FailureOr<bool> keep = importer.getFlag(call[3], "keepdim");
  if (failed(self) || failed(keep))
    return failure();
  if (!operators::isFloat(self->dtype))
    return b.error(Twine("expected floats, got ") + getName(self->dtype));
  FailureOr<Dims> dims = readDims(importer, call, *self, 1);
  if (failed(dims))
    return failure();
  dims->keep = *keep;
  Size count = 1;
  for (int64_t axis : dims->axes)
    count = count * self->shape[axis];
  DType type = self->dtype == DType::F64 ? DType::F64 : DType::F32;
  FailureOr<Tensor> input = b.cast(importer.read(*self), type);
  if (failed(input))
    return failure();
  FailureOr<Tensor> squares = squareDeviations(importer, *input, *dims);
  if (failed(squares))
    return failure();
  FailureOr<Tensor> sum = reduce(importer, "ReduceSum", *squares, *dims);
  if (failed(sum))
    return failure();
  Value correction = call[2].is(Value::None) ? Value::integer(1) : call[2];
  FailureOr<Tensor> variance = b.compute(type, sum->shape(), [&](operators::Body &body) {
    operators::Scalar total(body.ops, body.loc, body.read(*sum, body.dims(0, sum->rank())));
    operators::Scalar degrees = makeScalar(importer, body, Value::integer(count), type) -
                                makeScalar(importer, body, correction, type);
    return (total / atLeast(degrees, 0.0)).getValue();
  });
  if (failed(variance))
    return failure();
  return single(b.cast(*variance, self->dtype));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> findExtreme(Importer &importer, StringRef op, const Tensor &tensor,
                                     int64_t axis, bool keep) {
  mlir::Builder &ops = importer.b.ops;
  FailureOr<Tensors> result =
      importer.call(op, 13, tensor,
                    {ops.getNamedAttr("axis", ops.getI64IntegerAttr(axis)),
                     ops.getNamedAttr("keepdims", ops.getI64IntegerAttr(keep))});
  if (failed(result))
    return failure();
  return result->front();
}

/// argmax(self, dim, keepdim) and argmin. Of several equal extremes, the first counts.
static FailureOr<Tensors> buildArg(Importer &importer, const Call &call, StringRef op) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  FailureOr<bool> keep = importer.getFlag(call[2], "keepdim");
  if (failed(self) || failed(keep))
    return failure();
  Tensor tensor = importer.read(*self);
  if (call[1].is(Value::None)) {
    if (*keep)
      return importer.b.unsupported("keepdim without a dim");
    auto axes = llvm::to_vector(llvm::seq<int64_t>(0, self->rank()));
    if (failed(requireElements(importer, call, *self, axes)))
      return failure();
    FailureOr<Tensor> flat = importer.b.reshape(tensor, tensor.numElements());
    if (failed(flat))
      return failure();
    return single(findExtreme(importer, op, *flat, 0, /*keep=*/false));
  }
  FailureOr<int64_t> axis = importer.getDim(call[1], self->rank());
  if (failed(axis))
    return failure();
  if (self->rank() == 0)
    return single(importer.b.fill(DType::I64, {}, 0));
  if (failed(requireElements(importer, call, *self, *axis)))
    return failure();
  return single(findExtreme(importer, op, tensor, *axis, *keep));
}

/// max(self, dim, keepdim): values and positions.
static FailureOr<Tensors> buildExtreme(Importer &importer, const Call &call, StringRef reduction,
                                       StringRef op) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  FailureOr<bool> keep = importer.getFlag(call[2], "keepdim");
  if (failed(self) || failed(keep))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[1], self->rank());
  if (failed(axis))
    return failure();
  Tensor tensor = importer.read(*self);
  if (self->rank() == 0) {
    FailureOr<Tensor> first = importer.b.fill(DType::I64, {}, 0);
    return failed(first) ? FailureOr<Tensors>(failure()) : Tensors{tensor, *first};
  }
  if (failed(requireElements(importer, call, *self, *axis)))
    return failure();
  // Bools are compared as bytes.
  bool isBool = self->dtype == DType::Bool;
  FailureOr<Tensor> input = isBool ? importer.b.cast(tensor, DType::U8) : tensor;
  if (failed(input))
    return failure();
  FailureOr<Tensor> value = reduce(importer, reduction, *input, {{*axis}, *keep});
  FailureOr<Tensor> position = findExtreme(importer, op, *input, *axis, *keep);
  if (succeeded(value) && isBool)
    value = importer.b.cast(*value, DType::Bool);
  if (failed(value) || failed(position))
    return failure();
  return Tensors{*value, *position};
}

void registerReductions(OperatorTable &table) {
  for (const Reduction &row : reductions)
    table.compute(row.name, row.overloads, [&row](Importer &importer, const Call &call) {
      return buildReduction(importer, call, row);
    });
  table.compute("aten::var", "correction", buildVariance);
  table.compute("aten::argmax", "-", [](Importer &importer, const Call &call) {
    return buildArg(importer, call, "ArgMax");
  });
  table.compute("aten::argmin", "-", [](Importer &importer, const Call &call) {
    return buildArg(importer, call, "ArgMin");
  });
  table.compute("aten::max", "dim", [](Importer &importer, const Call &call) {
    return buildExtreme(importer, call, "ReduceMax", "ArgMax");
  });
  table.compute("aten::min", "dim", [](Importer &importer, const Call &call) {
    return buildExtreme(importer, call, "ReduceMin", "ArgMin");
  });
}

} // namespace tssa::pytorch
