//===- TEAttributes.cpp - attributes of the te dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/TEAttributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::tssa::te;

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

PortAttr PortAttr::withLabels(ArrayAttr strings, ArrayAttr keys) const {
  return get(getContext(), getName(), getType(), getDims(), getExample(), getWritesBack(),
             getAliasOf(), getPath(), getIndexes(), strings, keys);
}

PortAttr PortAttr::writingBack(unsigned argument) const {
  return get(getContext(), getName(), getType(), getDims(), {}, argument, std::nullopt, {},
             std::nullopt, getStrings(), getKeys());
}

PortAttr PortAttr::aliasing(unsigned argument, ArrayAttr path,
                            std::optional<unsigned> indexes) const {
  return get(getContext(), getName(), getType(), getDims(), {}, std::nullopt, argument, path,
             indexes, getStrings(), getKeys());
}

static bool isElementType(Type type) {
  return isa<FloatType>(type) || (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 64);
}

static bool isDim(Attribute dim) {
  if (auto size = dyn_cast<IntegerAttr>(dim))
    return size.getType().isInteger(64) && size.getInt() >= 0;
  return isa<StringAttr>(dim);
}

static bool areStrings(ArrayAttr values) { return llvm::all_of(values, llvm::IsaPred<StringAttr>); }

static bool areIntegers(ArrayAttr values) {
  return llvm::all_of(values, [](Attribute value) {
    auto integer = dyn_cast<IntegerAttr>(value);
    return integer && integer.getType().isSignlessInteger(64);
  });
}

LogicalResult PortAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr, Type type,
                               ArrayAttr dims, DenseI64ArrayAttr example,
                               std::optional<unsigned> writesBack, std::optional<unsigned> aliasOf,
                               ArrayAttr path, std::optional<unsigned> indexes, ArrayAttr strings,
                               ArrayAttr keys) {
  if (type && !isElementType(type)) // C1
    return emitError() << "expected a port of integer or float type, got " << type;
  for (Attribute dim : dims ? dims.getValue() : ArrayRef<Attribute>()) // C2
    if (!isDim(dim))
      return emitError() << "expected a dim of a port to be a name or a size, got " << dim;
  if (example && (!dims || static_cast<size_t>(example.size()) != dims.size())) // C2
    return emitError() << "expected 'example' of a port to have one size for each dim";
  if (writesBack && aliasOf) // C3
    return emitError() << "expected a port not to have both 'writes_back' and 'alias_of'";
  if ((path && !aliasOf) || (indexes && !path)) // C3
    return emitError()
           << "expected 'path' of a port only with 'alias_of', and 'indexes' only with 'path'";
  if (strings && keys) // C4
    return emitError() << "expected a port not to have both 'strings' and 'keys'";
  if (strings && (!areStrings(strings) || !type || !type.isSignlessInteger(64))) // C4
    return emitError() << "expected 'strings' of a port to be strings, with type i64";
  if (keys && !areStrings(keys) && !areIntegers(keys)) // C4
    return emitError() << "expected 'keys' of a port to be strings only or i64 only";
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

LogicalResult WindowAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 DenseI64ArrayAttr sizes, DenseI64ArrayAttr at) {
  if (sizes.size() != at.size() ||
      llvm::any_of(at.asArrayRef(), [](int64_t begin) { return begin < 0; })) // C1
    return emitError() << "expected a window to have a size and an index of at least 0 for each "
                          "dim, got "
                       << sizes << " and " << at;
  for (auto [size, begin] : llvm::zip(sizes.asArrayRef(), at.asArrayRef()))
    if (size < -1 || (size == -1 && begin != 0)) // C2
      return emitError() << "expected a window of size " << size << " not to begin at " << begin;
  return success();
}

//===----------------------------------------------------------------------===//
// Entries of tables
//===----------------------------------------------------------------------===//

LogicalResult WeightAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t offset,
                                 ElementsAttr) {
  if (offset < 0) // C1
    return emitError() << "expected the offset of a weight to be at least 0, got " << offset;
  return success();
}

LogicalResult LaunchRecordAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr,
                                       DenseI32ArrayAttr nodes, std::optional<int64_t> flops) {
  if (flops.value_or(0) < 0 ||
      llvm::any_of(nodes.asArrayRef(), [](int32_t node) { return node < 0; })) // C1
    return emitError() << "expected the node numbers and the 'flops' of a launch to be at least 0";
  return success();
}

LogicalResult BlockAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t threads,
                                int64_t sharedBytes) {
  if (threads < 1 || sharedBytes < 0) // C1
    return emitError() << "expected a block of at least one thread and of at least 0 bytes, got "
                       << threads << " and " << sharedBytes;
  return success();
}

LogicalResult DeviceKernelAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr,
                                       int64_t parameters, BlockAttr) {
  if (parameters < 0) // C1
    return emitError() << "expected a kernel to have at least 0 parameters, got " << parameters;
  return success();
}
