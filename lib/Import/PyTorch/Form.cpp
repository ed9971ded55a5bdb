//===- Form.cpp - values that cross regions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Form.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace llvm;

namespace refs = mlir::tssa::refs;

namespace tssa::pytorch {

static bool isContiguous(const TensorRef &tensor) {
  return tensor.strides && *tensor.strides == getContiguousStrides(tensor.shape);
}

Form Form::get(const Value &leaf) {
  Form form;
  form.kind = leaf.kind();
  if (leaf.is(Value::Int))
    form.isNonNegative = leaf.getSize().isAtLeast(0);
  if (!leaf.is(Value::Tensor))
    return form;
  const TensorRef &tensor = leaf.getTensor();
  form.type = tensor.ref.getType();
  form.dtype = tensor.dtype;
  form.shape.assign(tensor.shape.begin(), tensor.shape.end());
  form.isContiguous = pytorch::isContiguous(tensor);
  form.isRowMajor = tensor.isRowMajor;
  return form;
}

/// Clears `flag` unless `holds` is true. Sets `learned` if `flag` has changed.
static void forget(bool &flag, bool holds, bool &learned) {
  if (flag && !holds) {
    flag = false;
    learned = true;
  }
}

static ArrayRef<int64_t> getExtents(mlir::Type ref) {
  return cast<refs::RefType>(ref).getTensorType().getShape();
}

/// Returns the type of refs whose dims are static where both types have the same extent.
static mlir::Type getCommonType(mlir::Type lhs, mlir::Type rhs) {
  SmallVector<int64_t> extents(getExtents(lhs));
  for (auto [extent, other] : llvm::zip_equal(extents, getExtents(rhs)))
    if (extent != other)
      extent = mlir::ShapedType::kDynamic;
  return refs::RefType::get(cast<refs::RefType>(lhs).getTensorType().clone(extents));
}

/// Returns a view of the whole tensor whose type is `type`, which has fewer static dims.
static mlir::Value makeDynamic(Importer &importer, mlir::Value ref, mlir::Type type) {
  operators::Builder &b = importer.b;
  refs::Path path;
  for (auto [dim, extents] :
       llvm::enumerate(llvm::zip_equal(getExtents(ref.getType()), getExtents(type)))) {
    auto [extent, wanted] = extents;
    if (extent == wanted)
      continue;
    mlir::Value size = refs::DimOp::create(b.ops, b.loc(), b.ops.getIndexType(), ref, dim);
    path.push_back(refs::makeSlice(b.context(), dim, b.ops.getIndexAttr(0), size, 1));
  }
  return path.empty() ? ref : refs::ViewOp::create(b.ops, b.loc(), ref, path);
}

bool Form::join(Importer &importer, const Value &leaf, bool &learned) {
  if (leaf.kind() != kind ||
      (kind != Value::Int && kind != Value::Float && kind != Value::Bool && kind != Value::Tensor))
    return false;
  if (kind == Value::Int)
    forget(isNonNegative, leaf.getSize().isAtLeast(0), learned);
  if (kind != Value::Tensor)
    return true;
  const TensorRef &tensor = leaf.getTensor();
  if (tensor.dtype != dtype || tensor.rank() != static_cast<int64_t>(shape.size()))
    return false;
  if (mlir::Type common = getCommonType(type, tensor.ref.getType()); common != type) {
    type = common;
    learned = true;
  }
  for (auto [known, size] : llvm::zip_equal(shape, tensor.shape))
    if (known && (*known != size || !importer.b.isVisible(size))) {
      known = std::nullopt;
      learned = true;
    }
  forget(isContiguous, pytorch::isContiguous(tensor), learned);
  forget(isRowMajor, tensor.isRowMajor, learned);
  return true;
}

void Form::forgetSize(size_t dim) {
  SmallVector<int64_t> extents(getExtents(type));
  extents[dim] = mlir::ShapedType::kDynamic;
  type = refs::RefType::get(cast<refs::RefType>(type).getTensorType().clone(extents));
  shape[dim] = std::nullopt;
}

mlir::Type Form::getType(mlir::Builder &builder) const {
  if (kind == Value::Int)
    return builder.getIndexType();
  if (kind == Value::Float)
    return builder.getF64Type();
  return kind == Value::Bool ? builder.getI1Type() : type;
}

mlir::Value Form::build(Importer &importer, const Value &leaf) const {
  if (kind == Value::Int)
    return importer.b.materializeValue(leaf.getSize());
  if (kind == Value::Float)
    return importer.getNumber(leaf);
  if (kind == Value::Bool)
    return importer.getTruth(leaf);
  return makeDynamic(importer, leaf.getTensor().ref, type);
}

Value Form::makePlaceholder(Importer &importer) const {
  if (kind == Value::Int)
    return Value::integer(0);
  if (kind == Value::Float)
    return Value::number(0.0);
  if (kind == Value::Bool)
    return Value::truth(false);
  operators::Builder &b = importer.b;
  mlir::RankedTensorType tensorType = cast<refs::RefType>(type).getTensorType();
  SmallVector<mlir::Value> sizes;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (tensorType.isDynamicDim(dim))
      sizes.push_back(b.materializeValue(size.value_or(0)));
  mlir::Value empty = mlir::tensor::EmptyOp::create(b.ops, b.loc(), tensorType, sizes);
  TensorRef tensor;
  tensor.ref = refs::AllocOp::create(b.ops, b.loc(), empty);
  return Value::tensor(tensor);
}

Value Form::wrap(Importer &importer, mlir::Value value) const {
  operators::Builder &b = importer.b;
  if (kind == Value::Int)
    return Value::integer(b.sizes.get(value, isNonNegative));
  if (kind == Value::Float)
    return Value::number(value);
  if (kind == Value::Bool)
    return Value::truth(value);
  TensorRef tensor;
  tensor.ref = value;
  tensor.dtype = dtype;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size) {
      tensor.shape.push_back(*size);
      continue;
    }
    mlir::Value extent = refs::DimOp::create(b.ops, b.loc(), b.ops.getIndexType(), value,
                                             static_cast<uint64_t>(dim));
    tensor.shape.push_back(b.sizes.get(extent, /*nonNegative=*/true));
  }
  tensor.isRowMajor = isRowMajor;
  if (isContiguous)
    tensor.strides = getContiguousStrides(tensor.shape);
  return Value::tensor(tensor);
}

} // namespace tssa::pytorch
