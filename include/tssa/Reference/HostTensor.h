//===- HostTensor.h - tensors as plain bytes -------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tensor as the evaluator sees it: element type, shape, and bytes in row-major
/// order. Copies share the bytes until one of them is written.
///
/// A scalar is a 64-bit slot. Floats of every type are held as double, which
/// represents each of them exactly; integers are held sign-extended, so that an
/// i1 is 0 or -1 (in memory it is a byte, 0 or 1).
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_REFERENCE_HOSTTENSOR_H
#define TSSA_REFERENCE_HOSTTENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mlir {
class Type;
}

namespace tssa::reference {

enum class ElementKind : uint8_t { F32, F64, F16, BF16, I1, I8, I16, I32, I64, Index };

union Scalar {
  int64_t i;
  double f;
};

inline Scalar makeInt(int64_t value) {
  Scalar scalar;
  scalar.i = value;
  return scalar;
}
inline Scalar makeFloat(double value) {
  Scalar scalar;
  scalar.f = value;
  return scalar;
}

/// The kind that holds elements of `type`; an error for a type no tensor has.
llvm::Expected<ElementKind> getElementKind(mlir::Type type);
unsigned getByteSize(ElementKind kind);
/// "f32", "i1", "index".
llvm::StringRef getName(ElementKind kind);
inline bool isFloat(ElementKind kind) { return kind <= ElementKind::BF16; }

/// `value` rounded to a value of `kind`, ties to even.
double roundTo(ElementKind kind, double value);
/// `value` cut to its low `width` bits and sign-extended.
inline int64_t signExtend(int64_t value, unsigned width) {
  return width >= 64
             ? value
             : static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - width)) >> (64 - width);
}
/// The low `width` bits of `value` as an unsigned number.
inline uint64_t zeroExtend(int64_t value, unsigned width) {
  return width >= 64 ? static_cast<uint64_t>(value)
                     : static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
}

/// Element `index` of an array of `kind`.
Scalar loadElement(ElementKind kind, const uint8_t *data, int64_t index);
/// Stores `value`, rounded or cut to `kind`.
void storeElement(ElementKind kind, uint8_t *data, int64_t index, Scalar value);

class HostTensor {
public:
  HostTensor() = default;

  /// All elements zero. An error when the bytes cannot be counted or had.
  static llvm::Expected<HostTensor> create(ElementKind kind, llvm::ArrayRef<int64_t> shape);
  /// A tensor over bytes that outlive it and are not written through it.
  static llvm::Expected<HostTensor> borrow(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                                           const void *data);

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return numElements; }
  int64_t getNumBytes() const { return numElements * getByteSize(kind); }
  const uint8_t *getData() const { return bytes.get(); }
  /// The bytes for writing; copied first when another tensor shares them.
  uint8_t *getMutableData();

  Scalar get(int64_t index) const { return loadElement(kind, bytes.get(), index); }
  void set(int64_t index, Scalar value) { storeElement(kind, getMutableData(), index, value); }

  /// "2x3xf32".
  std::string describeType() const;
  /// Nested lists of elements, each with the digits that tell it from its
  /// neighbours; lists longer than `limit` are cut.
  void print(llvm::raw_ostream &stream, int64_t limit = 64) const;

private:
  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<int64_t> shape;
  int64_t numElements = 0;
  bool borrowed = false;
  std::shared_ptr<uint8_t[]> bytes;
};

/// Number of elements of `shape`, or nothing when it is negative or too large.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// One element, as `HostTensor::print` shows it.
void printScalar(llvm::raw_ostream &stream, ElementKind kind, Scalar value);

} // namespace tssa::reference

#endif // TSSA_REFERENCE_HOSTTENSOR_H
