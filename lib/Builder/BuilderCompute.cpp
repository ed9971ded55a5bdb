//===- BuilderCompute.cpp - te ops from operators -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Builder/Fold.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Builder/Builder.h"
#include "tssa/Builder/Elements.h"

using namespace mlir;

namespace tssa::operators {

/// The maximal number of elements of one fold, and of all folds of a program together.
static constexpr int64_t maxFoldElements = 16384;
static constexpr int64_t maxFoldedElements = 1 << 20;

LogicalResult Builder::checkShape(ArrayRef<Size> shape) {
  for (auto [i, size] : llvm::enumerate(shape))
    if (failed(requireNonNegative(size, "size of dim " + Twine(i) + " of the result")))
      return failure();
  // No element is larger than 8 bytes. Dynamic sizes are checked at run time. As in
  // CheckedSize, a size of 0 is left out of the product.
  Size bytes = 8;
  for (const Size &size : shape)
    bytes = bytes * (size.constant() && !size.isConstant(0) ? size : Size(1));
  if (bytes.overflowed())
    return error("a result of " + Tensor(DType::F32, shape).str() + " is too large");
  return success();
}

static SmallVector<Type> getElementTypes(MLIRContext *context, ArrayRef<DType> types) {
  return llvm::map_to_vector(types, [&](DType type) { return getElementType(context, type); });
}

Tensors Builder::finish(te::ComputeOp op, ArrayRef<DType> types, ArrayRef<Size> shape) {
  Tensors results;
  std::optional<int64_t> count = product(shape).constant();
  if (count && *count <= maxFoldElements && foldedElements + *count <= maxFoldedElements) {
    std::optional<SmallVector<ElementsAttr>> folded = foldCompute(op);
    if (folded) {
      foldedElements += *count;
      for (auto [type, elements] : llvm::zip_equal(types, *folded))
        results.push_back(constant(type, elements));
      op.erase();
      return results;
    }
  }
  for (auto [type, result] : llvm::zip_equal(types, op.getResults()))
    results.push_back(wrap(result, type, shape));
  return results;
}

FailureOr<Tensors> Builder::compute(ArrayRef<DType> types, ArrayRef<Size> shape,
                                    ElementFn element) {
  if (failed(checkShape(shape)))
    return failure();
  te::ComputeOp op =
      te::buildCompute(ops, location, materialize(shape), getElementTypes(context(), types),
                       [&](OpBuilder &, Location) {
                         Body body(*this, ops, location);
                         return element(body);
                       });
  if (fault() != Fault::None)
    return failure();
  return finish(op, types, shape);
}

FailureOr<Tensor> Builder::compute(DType type, ArrayRef<Size> shape, ScalarFn element) {
  FailureOr<Tensors> results =
      compute(type, shape, [&](Body &body) -> SmallVector<Value> { return {element(body)}; });
  if (failed(results))
    return failure();
  return results->front();
}

FailureOr<Tensor> Builder::pieces(DType type, ArrayRef<Size> shape, const te::PieceSets &where,
                                  ArrayRef<ScalarFn> elements) {
  if (failed(checkShape(shape)))
    return failure();
  using PieceFn = std::function<SmallVector<Value>(OpBuilder &, Location)>;
  std::vector<PieceFn> functions;
  for (ScalarFn element : elements)
    functions.push_back([this, element](OpBuilder &, Location) -> SmallVector<Value> {
      Body body(*this, ops, location);
      return {element(body)};
    });
  SmallVector<te::BodyFn> bodies(functions.begin(), functions.end());
  te::ComputeOp op = te::buildPieces(ops, location, materialize(shape),
                                     getElementType(context(), type), where, bodies);
  if (fault() != Fault::None)
    return failure();
  return finish(op, type, shape).front();
}

FailureOr<Tensors> Builder::reduce(ArrayRef<TypedAttr> init, ArrayRef<DType> types,
                                   ArrayRef<Size> shape, ArrayRef<Size> reduced, ElementFn element,
                                   AccumulatorFn combiner, AccumulatorFn epilogue) {
  if (reduced.empty())
    return compute(types, shape, [&](Body &body) {
      SmallVector<Value> values = element(body);
      return epilogue ? epilogue(body, values) : values;
    });
  if (failed(checkShape(shape)) || failed(checkShape(reduced)))
    return failure();
  auto wrap = [this](AccumulatorFn fn) {
    return [this, fn](OpBuilder &, Location, ValueRange values) {
      Body body(*this, ops, location);
      return fn(body, values);
    };
  };
  auto wrappedEpilogue = wrap(epilogue);
  te::ComputeOp op = te::buildReduce(
      ops, location, materialize(shape), materialize(reduced), init,
      getElementTypes(context(), types),
      [&](OpBuilder &, Location) {
        Body body(*this, ops, location);
        return element(body);
      },
      wrap(combiner), epilogue ? te::ArgsBodyFn(wrappedEpilogue) : te::ArgsBodyFn());
  if (fault() != Fault::None)
    return failure();
  return finish(op, types, shape);
}

FailureOr<Tensor> Builder::reduce(te::Combiner combiner, DType accumulator, DType type,
                                  ArrayRef<Size> shape, ArrayRef<Size> reduced, ScalarFn element,
                                  MapFn epilogue) {
  Type accumulatorType = getElementType(context(), accumulator);
  bool isUnsignedType = isUnsigned(accumulator);
  auto combine = [&](Body &body, ValueRange values) -> SmallVector<Value> {
    return {te::combine(ops, location, combiner, isUnsignedType, values[0], values[1])};
  };
  auto finishElement = [&](Body &body, ValueRange values) -> SmallVector<Value> {
    if (epilogue)
      return {epilogue(body, values)};
    return {body.cast(values[0], accumulator, type)};
  };
  bool needsEpilogue = epilogue || accumulator != type;
  FailureOr<Tensors> results = reduce(
      te::getIdentity(combiner, accumulatorType, isUnsignedType), type, shape, reduced,
      [&](Body &body) -> SmallVector<Value> { return {element(body)}; }, combine,
      needsEpilogue ? AccumulatorFn(finishElement) : AccumulatorFn());
  if (failed(results))
    return failure();
  return results->front();
}

FailureOr<Tensor> Builder::update(const Tensor &base, ArrayRef<Size> domain,
                                  function_ref<Write(Body &)> write, AccumulatorFn combiner) {
  if (failed(checkShape(domain)))
    return failure();
  SmallVector<Value> outside, opaque;
  AffineMap map;
  IntegerSet set;
  auto fillBody = [&](OpBuilder &, Location) -> SmallVector<Value> {
    Body body(*this, ops, location);
    Write target = write(body);
    body.makeWrite(target.target, target.guard, map, set, outside, opaque);
    SmallVector<Value> yielded = {target.value};
    llvm::append_range(yielded, opaque);
    return yielded;
  };
  auto combine = [&](OpBuilder &, Location, ValueRange values) {
    Body body(*this, ops, location);
    return combiner(body, values);
  };
  Value baseValue = value(base);
  AffineMap placeholder = AffineMap::get(domain.size(), 0, {}, context());
  te::UpdateOp op =
      te::buildUpdate(ops, location, baseValue, materialize(domain), placeholder, {}, IntegerSet(),
                      fillBody, combiner ? te::ArgsBodyFn(combine) : te::ArgsBodyFn());
  if (fault() != Fault::None)
    return failure();
  op.setMap(AffineMap::get(domain.size(), map.getNumSymbols(), map.getResults(), context()));
  op.getSymbolsMutable().assign(outside);
  if (set)
    op.setGuard(IntegerSet::get(domain.size(), set.getNumSymbols(), set.getConstraints(),
                                set.getEqFlags()));
  return wrap(op.getResult(), base.dtype(), base.shape());
}

Tensor Builder::scan(const Tensor &source, int64_t axis, te::Combiner combiner, bool exclusive,
                     bool reverse) {
  te::ScanOp op = te::buildScan(ops, location, value(source), axis, combiner,
                                isUnsigned(source.dtype()), exclusive, reverse);
  return wrap(op.getResult(), source.dtype(), source.shape());
}

FailureOr<Tensors> Builder::callExtern(StringRef callee, ArrayRef<Tensor> inputs,
                                       ArrayRef<ExternResult> results,
                                       const ExternAttributes &attributes) {
  SmallVector<Value> operands;
  for (const Tensor &input : inputs)
    operands.push_back(value(input));
  return callExtern(callee, ValueRange(operands), results, attributes);
}

FailureOr<Tensors> Builder::callExtern(StringRef callee, ValueRange operands,
                                       ArrayRef<ExternResult> results,
                                       const ExternAttributes &attributes) {
  SmallVector<Value> resultSizes;
  SmallVector<Type> types;
  SmallVector<int64_t> sizeIndex;
  for (const ExternResult &result : results) {
    SmallVector<int64_t> extents;
    for (const std::optional<Size> &size : result.shape) {
      std::optional<int64_t> constant = size ? size->constant() : std::nullopt;
      extents.push_back(constant.value_or(ShapedType::kDynamic));
      if (size && failed(checkShape(*size)))
        return failure();
      if (constant)
        continue;
      sizeIndex.push_back(size ? static_cast<int64_t>(resultSizes.size()) : -1);
      if (size)
        resultSizes.push_back(materializeValue(*size));
    }
    types.push_back(RankedTensorType::get(extents, getElementType(context(), result.type)));
  }
  auto op = te::ExternOp::create(
      ops, location, types, callee, operands, resultSizes,
      /*outs=*/mlir::ValueRange(), sizeIndex,
      attributes.axis ? ops.getI64IntegerAttr(*attributes.axis) : mlir::IntegerAttr(),
      attributes.centerPointBox, attributes.isUnsigned, attributes.largest, attributes.sorted);
  Tensors tensors;
  for (auto [value, result] : llvm::zip_equal(op.getResults(), results)) {
    SmallVector<Size> shape;
    for (auto [i, size] : llvm::enumerate(result.shape)) {
      if (size) {
        shape.push_back(*size);
        continue;
      }
      Value dim = tensor::DimOp::create(ops, location, value, static_cast<int64_t>(i));
      shape.push_back(sizes.get(dim, /*nonNegative=*/true));
    }
    tensors.push_back(wrap(value, result.type, shape));
  }
  return tensors;
}

} // namespace tssa::operators
