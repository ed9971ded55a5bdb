//===- HostTensor.h - tensors as plain bytes -------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tensor of the evaluator: element type, shape, and bytes in row-major order. Copies share the
/// bytes until one of them is written.
///
/// A scalar is a 64-bit slot. Floats of any type are held as double, which represents all of them
/// exactly. Integers are held sign-extended, so that an i1 is 0 or -1 (in memory it is a byte, 0 or
/// 1).
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

/// Returns the kind of elements of type `type`. Fails for types that no tensor may have.
llvm::Expected<ElementKind> getElementKind(mlir::Type type);
unsigned getByteSize(ElementKind kind);
/// Returns the name of `kind`, such as "f32", "i1" or "index".
llvm::StringRef getName(ElementKind kind);
inline bool isFloat(ElementKind kind) { return kind <= ElementKind::BF16; }

/// Rounds `value` to the nearest value of `kind`, ties to even.
double roundTo(ElementKind kind, double value);
/// Truncates `value` to its low `width` bits and sign-extends them.
inline int64_t signExtend(int64_t value, unsigned width) {
  return width >= 64
             ? value
             : static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - width)) >> (64 - width);
}
/// Returns the low `width` bits of `value` as an unsigned number.
inline uint64_t zeroExtend(int64_t value, unsigned width) {
  return width >= 64 ? static_cast<uint64_t>(value)
                     : static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
}

/// Returns element `index` of an array of `kind`.
Scalar loadElement(ElementKind kind, const uint8_t *data, int64_t index);
/// Stores `value`, rounded or truncated to `kind`, as element `index` of an array.
void storeElement(ElementKind kind, uint8_t *data, int64_t index, Scalar value);

class HostTensor {
public:
  HostTensor() = default;

  /// Creates a tensor of zeros. Fails if its bytes cannot be counted or allocated.
  static llvm::Expected<HostTensor> create(ElementKind kind, llvm::ArrayRef<int64_t> shape);
  /// Creates a tensor on bytes that must outlive it. They are copied before a write.
  static llvm::Expected<HostTensor> borrow(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                                           const void *data);

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return numElements; }
  int64_t getNumBytes() const { return numElements * getByteSize(kind); }
  const uint8_t *getData() const { return bytes.get(); }
  /// Returns the bytes for writing. They are copied first if another tensor shares them.
  uint8_t *getMutableData();

  Scalar get(int64_t index) const { return loadElement(kind, bytes.get(), index); }
  void set(int64_t index, Scalar value) { storeElement(kind, getMutableData(), index, value); }

  /// Returns shape and element type, such as "2x3xf32".
  std::string describeType() const;
  /// Prints nested lists of elements, each with enough digits to distinguish it from its
  /// neighbours. Lists longer than `limit` are cut.
  void print(llvm::raw_ostream &stream, int64_t limit = 64) const;

private:
  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<int64_t> shape;
  int64_t numElements = 0;
  bool borrowed = false;
  std::shared_ptr<uint8_t[]> bytes;
};

/// Returns the number of elements of `shape`, or nothing if a size is negative or if the number is
/// too large.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// Prints one element as `HostTensor::print` does.
void printScalar(llvm::raw_ostream &stream, ElementKind kind, Scalar value);

} // namespace tssa::reference

#endif // TSSA_REFERENCE_HOSTTENSOR_H
