//===- HostTensor.cpp - tensors as plain bytes ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Reference/HostTensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace reference = ::tssa::reference;
using namespace ::tssa::reference;

llvm::Expected<ElementKind> reference::getElementKind(mlir::Type type) {
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF64())
    return ElementKind::F64;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isIndex())
    return ElementKind::Index;
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return ElementKind::I1;
    case 8:
      return ElementKind::I8;
    case 16:
      return ElementKind::I16;
    case 32:
      return ElementKind::I32;
    case 64:
      return ElementKind::I64;
    }
  std::string text;
  llvm::raw_string_ostream(text) << "cannot evaluate elements of type " << type;
  return llvm::createStringError(text);
}

unsigned reference::getByteSize(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
  case ElementKind::I8:
    return 1;
  case ElementKind::F16:
  case ElementKind::BF16:
  case ElementKind::I16:
    return 2;
  case ElementKind::F32:
  case ElementKind::I32:
    return 4;
  case ElementKind::F64:
  case ElementKind::I64:
  case ElementKind::Index:
    return 8;
  }
  llvm_unreachable("all kinds are handled");
}

llvm::StringRef reference::getName(ElementKind kind) {
  static constexpr llvm::StringLiteral names[] = {"f32", "f64", "f16", "bf16", "i1",
                                                  "i8",  "i16", "i32", "i64",  "index"};
  return names[static_cast<unsigned>(kind)];
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Rounds to a binary format of `precision` bits whose least normal exponent is
/// `minExponent`. Scaling by powers of two is exact, so there is one rounding.
static double roundToFormat(double value, int precision, int minExponent, double largest) {
  if (!std::isfinite(value) || value == 0)
    return value;
  int exponent = std::max(std::ilogb(value), minExponent) - (precision - 1);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
  if (std::fabs(rounded) > largest)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

static double roundToF16(double value) { return roundToFormat(value, 11, -14, 65504.0); }
static double roundToBF16(double value) { return roundToFormat(value, 8, -126, 0x1.FEp127); }

double reference::roundTo(ElementKind kind, double value) {
  switch (kind) {
  case ElementKind::F32:
    return static_cast<float>(value);
  case ElementKind::F16:
    return roundToF16(value);
  case ElementKind::BF16:
    return roundToBF16(value);
  default:
    return value;
  }
}

static double decodeF16(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  int mantissa = bits & 1023;
  double value;
  if (exponent == 31)
    value = mantissa ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(mantissa, -24);
  else
    value = std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

/// Returns the bits of a value that f16 can represent.
static uint16_t encodeF16(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7E00;
  double magnitude = std::fabs(value);
  if (std::isinf(value))
    return sign | 0x7C00;
  if (magnitude < 0x1p-14)
    return sign | static_cast<uint16_t>(std::ldexp(magnitude, 24));
  int exponent = std::ilogb(magnitude);
  auto mantissa = static_cast<uint16_t>(std::ldexp(magnitude, 10 - exponent)) - 1024;
  return sign | ((exponent + 15) << 10) | mantissa;
}

static double decodeBF16(uint16_t bits) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Returns the bits of a value that bf16 can represent.
static uint16_t encodeBF16(double value) {
  return llvm::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename T> static T loadAs(const uint8_t *data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> static void storeAs(uint8_t *data, int64_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

Scalar reference::loadElement(ElementKind kind, const uint8_t *data, int64_t index) {
  switch (kind) {
  case ElementKind::F32:
    return makeFloat(loadAs<float>(data, index));
  case ElementKind::F64:
    return makeFloat(loadAs<double>(data, index));
  case ElementKind::F16:
    return makeFloat(decodeF16(loadAs<uint16_t>(data, index)));
  case ElementKind::BF16:
    return makeFloat(decodeBF16(loadAs<uint16_t>(data, index)));
  case ElementKind::I1:
    return makeInt(data[index] ? -1 : 0);
  case ElementKind::I8:
    return makeInt(loadAs<int8_t>(data, index));
  case ElementKind::I16:
    return makeInt(loadAs<int16_t>(data, index));
  case ElementKind::I32:
    return makeInt(loadAs<int32_t>(data, index));
  case ElementKind::I64:
  case ElementKind::Index:
    return makeInt(loadAs<int64_t>(data, index));
  }
  llvm_unreachable("all kinds are handled");
}

void reference::storeElement(ElementKind kind, uint8_t *data, int64_t index, Scalar value) {
  switch (kind) {
  case ElementKind::F32:
    return storeAs(data, index, static_cast<float>(value.f));
  case ElementKind::F64:
    return storeAs(data, index, value.f);
  case ElementKind::F16:
    return storeAs(data, index, encodeF16(roundToF16(value.f)));
  case ElementKind::BF16:
    return storeAs(data, index, encodeBF16(roundToBF16(value.f)));
  case ElementKind::I1:
    data[index] = value.i & 1;
    return;
  case ElementKind::I8:
    return storeAs(data, index, static_cast<int8_t>(value.i));
  case ElementKind::I16:
    return storeAs(data, index, static_cast<int16_t>(value.i));
  case ElementKind::I32:
    return storeAs(data, index, static_cast<int32_t>(value.i));
  case ElementKind::I64:
  case ElementKind::Index:
    return storeAs(data, index, value.i);
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::optional<int64_t> reference::countElements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    overflow |= llvm::MulOverflow(count, size, count);
  }
  if (llvm::is_contained(shape, 0))
    return 0;
  return overflow ? std::nullopt : std::optional(count);
}

static std::string describe(ElementKind kind, llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t size : shape)
    stream << size << 'x';
  stream << getName(kind);
  return text;
}

llvm::Expected<HostTensor> HostTensor::borrow(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                                              const void *data) {
  HostTensor tensor;
  std::optional<int64_t> count = countElements(shape);
  int64_t elementBytes = tssa::reference::getByteSize(kind), numBytes;
  if (!count || llvm::MulOverflow(*count, elementBytes, numBytes))
    return llvm::createStringError("a tensor of " + describe(kind, shape) +
                                   " has more bytes than there are addresses");
  tensor.kind = kind;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.numElements = *count;
  tensor.borrowed = true;
  auto *bytes = const_cast<uint8_t *>(static_cast<const uint8_t *>(data));
  tensor.bytes = std::shared_ptr<uint8_t[]>(std::shared_ptr<uint8_t[]>(), bytes);
  return tensor;
}

llvm::Expected<HostTensor> HostTensor::create(ElementKind kind, llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<HostTensor> tensor = borrow(kind, shape, nullptr);
  if (!tensor)
    return tensor;
  auto *bytes = static_cast<uint8_t *>(std::calloc(std::max<int64_t>(tensor->getNumBytes(), 1), 1));
  if (!bytes)
    return llvm::createStringError("no memory for a tensor of " + tensor->describeType());
  tensor->bytes = std::shared_ptr<uint8_t[]>(bytes, std::free);
  tensor->borrowed = false;
  return tensor;
}

uint8_t *HostTensor::getMutableData() {
  if (!borrowed && bytes.use_count() == 1)
    return bytes.get();
  std::shared_ptr<uint8_t[]> copy(new uint8_t[std::max<int64_t>(getNumBytes(), 1)]);
  if (numElements)
    std::memcpy(copy.get(), bytes.get(), getNumBytes());
  bytes = std::move(copy);
  borrowed = false;
  return bytes.get();
}

std::string HostTensor::describeType() const { return describe(kind, shape); }

void reference::printScalar(llvm::raw_ostream &stream, ElementKind kind, Scalar value) {
  if (!isFloat(kind)) {
    if (kind == ElementKind::I1)
      stream << (value.i ? "true" : "false");
    else
      stream << value.i;
    return;
  }
  char text[64];
  std::to_chars_result end =
      kind == ElementKind::F64
          ? std::to_chars(text, text + sizeof(text), value.f)
          : std::to_chars(text, text + sizeof(text), static_cast<float>(value.f));
  stream << llvm::StringRef(text, end.ptr - text);
}

static void printDim(llvm::raw_ostream &stream, const HostTensor &tensor, unsigned dim,
                     int64_t first, int64_t stride, int64_t limit) {
  if (dim == tensor.getShape().size())
    return printScalar(stream, tensor.getKind(), tensor.get(first));
  int64_t size = tensor.getShape()[dim];
  int64_t inner = size ? stride / size : 0;
  stream << '[';
  for (int64_t i = 0; i < std::min(size, limit); ++i) {
    if (i)
      stream << ", ";
    printDim(stream, tensor, dim + 1, first + i * inner, inner, limit);
  }
  stream << (size > limit ? ", ...]" : "]");
}

void HostTensor::print(llvm::raw_ostream &stream, int64_t limit) const {
  if (numElements == 0)
    stream << "[]";
  else
    printDim(stream, *this, 0, 0, numElements, limit);
}
