//===- TEOps.cpp - operations of the te dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/TEOps.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tssa::te;

#define GET_OP_CLASSES
#include "dialects/te/IR/TEOps.cpp.inc"

//===----------------------------------------------------------------------===//
// compute
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> ComputeOp::getParallelSizes() {
  SmallVector<OpFoldResult> sizes = getIterationDomain();
  sizes.truncate(getNumParallel());
  return sizes;
}

SmallVector<OpFoldResult> ComputeOp::getReductionSizes() {
  return llvm::to_vector(llvm::drop_begin(getIterationDomain(), getNumParallel()));
}

IntegerSet ComputeOp::getPieceSet(unsigned piece) {
  return getWhereAttr() ? cast<IntegerSetAttr>(getWhereAttr()[piece]).getValue() : IntegerSet();
}

SmallVector<Type> ComputeOp::getAccumulatorTypes() {
  SmallVector<Type> types;
  if (getInitAttr())
    for (Attribute value : getInitAttr())
      types.push_back(cast<TypedAttr>(value).getType());
  return types;
}

//===----------------------------------------------------------------------===//
// read, index, inside
//===----------------------------------------------------------------------===//

void ReadOp::build(OpBuilder &builder, OperationState &state, Value source, AffineMap map,
                   ValueRange symbols, IntegerSet guard, TypedAttr pad) {
  build(builder, state, cast<RankedTensorType>(source.getType()).getElementType(), source, symbols,
        AffineMapAttr::get(map), guard ? IntegerSetAttr::get(guard) : IntegerSetAttr(), pad);
}

OpFoldResult IndexOp::fold(FoldAdaptor) {
  if (auto constant = dyn_cast<AffineConstantExpr>(getMap().getResult(0)))
    return IntegerAttr::get(IndexType::get(getContext()), constant.getValue());
  return {};
}

OpFoldResult InsideOp::fold(FoldAdaptor) {
  IntegerSet set = getSet();
  bool all = true;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    auto constant = dyn_cast<AffineConstantExpr>(set.getConstraint(i));
    if (!constant) {
      all = false;
      continue;
    }
    bool holds = set.isEq(i) ? constant.getValue() == 0 : constant.getValue() >= 0;
    if (!holds)
      return BoolAttr::get(getContext(), false);
  }
  return all ? OpFoldResult(BoolAttr::get(getContext(), true)) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// kernel, launch
//===----------------------------------------------------------------------===//

DenseI64ArrayAttr KernelOp::getSizesAttr(unsigned arg) {
  ArrayAttr attrs = getArgAttrsAttr();
  return attrs ? cast<DictionaryAttr>(attrs[arg]).getAs<DenseI64ArrayAttr>("te.sizes")
               : DenseI64ArrayAttr();
}

NamedAttribute KernelOp::makeSizesAttr(Builder &builder, ArrayRef<int64_t> sizes) {
  return builder.getNamedAttr("te.sizes", builder.getDenseI64ArrayAttr(sizes));
}

bool KernelOp::isFinite(unsigned arg) {
  ArrayAttr attrs = getArgAttrsAttr();
  return attrs && cast<DictionaryAttr>(attrs[arg]).contains("te.finite");
}

/// Returns `old`, the attributes of `count` parameters or results, with an attribute of number
/// `index` set.
static ArrayAttr withAttr(ArrayAttr old, unsigned count, unsigned index, NamedAttribute attribute) {
  Builder builder(attribute.getName().getContext());
  SmallVector<Attribute> attrs(count, builder.getDictionaryAttr({}));
  if (old)
    attrs.assign(old.begin(), old.end());
  NamedAttrList list(cast<DictionaryAttr>(attrs[index]));
  list.set(attribute.getName(), attribute.getValue());
  attrs[index] = list.getDictionary(builder.getContext());
  return builder.getArrayAttr(attrs);
}

/// Sets an attribute of a parameter.
static void setArgAttr(KernelOp kernel, unsigned arg, NamedAttribute attribute) {
  kernel.setArgAttrsAttr(
      withAttr(kernel.getArgAttrsAttr(), kernel.getNumArguments(), arg, attribute));
}

void KernelOp::setSizes(unsigned arg, ArrayRef<int64_t> sizes) {
  Builder builder(getContext());
  setArgAttr(*this, arg, makeSizesAttr(builder, sizes));
}

void KernelOp::setFinite(unsigned arg) {
  Builder builder(getContext());
  setArgAttr(*this, arg, builder.getNamedAttr("te.finite", builder.getUnitAttr()));
}

static WindowAttr getWindow(ArrayAttr attrs, unsigned index) {
  return attrs ? cast<DictionaryAttr>(attrs[index]).getAs<WindowAttr>("te.window") : WindowAttr();
}

WindowAttr KernelOp::getArgumentWindow(unsigned arg) { return getWindow(getArgAttrsAttr(), arg); }
WindowAttr KernelOp::getResultWindow(unsigned result) {
  return getWindow(getResAttrsAttr(), result);
}

void KernelOp::setArgumentWindow(unsigned arg, WindowAttr window) {
  setArgAttr(*this, arg, Builder(getContext()).getNamedAttr("te.window", window));
}

void KernelOp::setResultWindow(unsigned result, WindowAttr window) {
  NamedAttribute attribute = Builder(getContext()).getNamedAttr("te.window", window);
  setResAttrsAttr(withAttr(getResAttrsAttr(), getResultTypes().size(), result, attribute));
}

OpFoldResult KernelOp::getArgumentSize(unsigned arg, unsigned dim) {
  auto type = cast<RankedTensorType>(getArgumentTypes()[arg]);
  if (!type.isDynamicDim(dim))
    return IntegerAttr::get(IndexType::get(getContext()), type.getDimSize(dim));
  return getBody().getArgument(getSizesAttr(arg)[dim]);
}

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &out : getOutsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &out);
}

LogicalResult LaunchOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  for (Value result : getResults())
    shapes.push_back(getSizes(builder, getLoc(), result));
  return success();
}
