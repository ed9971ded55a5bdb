//===- Constants.cpp - tensors from attributes ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tssa/Reference/Evaluator.h"

#include <cstring>

using namespace mlir;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;
using llvm::Expected;

/// Sets all elements of `tensor` to `value`.
static void fill(HostTensor &tensor, Scalar value) {
  uint8_t *data = tensor.getMutableData();
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    storeElement(tensor.getKind(), data, i, value);
}

static Scalar getElement(ElementKind kind, const APInt &bits) {
  if (kind == ElementKind::F64)
    return makeFloat(llvm::bit_cast<double>(bits.getZExtValue()));
  if (kind == ElementKind::F32)
    return makeFloat(llvm::bit_cast<float>(static_cast<uint32_t>(bits.getZExtValue())));
  if (isFloat(kind)) {
    auto half = static_cast<uint16_t>(bits.getZExtValue());
    return loadElement(kind, reinterpret_cast<const uint8_t *>(&half), 0);
  }
  return makeInt(bits.getSExtValue());
}

static Expected<HostTensor> getDense(DenseElementsAttr attribute, ElementKind kind,
                                     ArrayRef<int64_t> shape) {
  if (!attribute.isSplat() && kind != ElementKind::I1)
    return HostTensor::borrow(kind, shape, attribute.getRawData().data());
  Expected<HostTensor> tensor = HostTensor::create(kind, shape);
  if (!tensor)
    return tensor;
  if (kind == ElementKind::I1) {
    uint8_t *data = tensor->getMutableData();
    for (bool element : attribute.getValues<bool>())
      *data++ = element;
  } else if (tensor->getNumElements()) {
    APInt bits = isFloat(kind) ? attribute.getSplatValue<APFloat>().bitcastToAPInt()
                               : attribute.getSplatValue<APInt>();
    fill(*tensor, getElement(kind, bits));
  }
  return tensor;
}

Expected<HostTensor> reference::getConstantTensor(ElementsAttr attribute) {
  auto type = cast<ShapedType>(attribute.getType());
  Expected<ElementKind> kind = getElementKind(type.getElementType());
  if (!kind)
    return kind.takeError();
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return getDense(dense, *kind, type.getShape());
  auto resource = dyn_cast<DenseResourceElementsAttr>(attribute);
  if (!resource)
    return llvm::createStringError("expected a constant that is dense or dense_resource");
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  std::string name = resource.getRawHandle().getKey().str();
  if (!blob)
    return llvm::createStringError("the data of constant '" + name + "' is missing");
  Expected<HostTensor> tensor = HostTensor::borrow(*kind, type.getShape(), blob->getData().data());
  if (tensor && static_cast<size_t>(tensor->getNumBytes()) != blob->getData().size())
    return llvm::createStringError("expected " + std::to_string(tensor->getNumBytes()) +
                                   " bytes of constant '" + name + "', got " +
                                   std::to_string(blob->getData().size()));
  return tensor;
}
