//===- WeightCollector.h - collects constants without duplicates ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_WEIGHTCOLLECTOR_H
#define DIALECTS_TE_TRANSFORMS_WEIGHTCOLLECTOR_H

#include "dialects/te/IR/Program.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace mlir::tssa::te {

/// The elements of a constant as they are in memory: little-endian, row-major, with one byte for an
/// i1. Refers to the bytes of the attribute where possible.
class ConstantBytes {
public:
  /// Fails if the attribute does not give access to its elements, or if the number of their bytes
  /// is wrong or overflows.
  static FailureOr<ConstantBytes> get(ElementsAttr value);
  ArrayRef<char> getBytes() const { return bytes; }

private:
  ArrayRef<char> bytes;
  std::shared_ptr<SmallVector<char, 0>> storage;
};

/// Returns a constant of `type`, whose elements have whole bytes, with the bytes of `blob`. A large
/// one is a resource named after `name`.
ElementsAttr makeConstant(RankedTensorType type, StringRef name, AsmResourceBlob blob);

/// Assigns each constant an offset in the weights. Constants with equal bytes share an offset.
class WeightCollector {
public:
  WeightCollector() = default;
  /// Begins with the weights of another program, in the order of their offsets, which they keep.
  explicit WeightCollector(ArrayRef<WeightAttr> known);

  /// Returns the offset of `value`. Fails if the attribute does not give access to its elements.
  FailureOr<int64_t> add(ElementsAttr value);
  /// Returns the entries of the module's table, in the order of their offsets.
  SmallVector<WeightAttr> getWeights() const;

private:
  struct Entry {
    ElementsAttr value;
    int64_t offset, size;
  };
  SmallVector<Entry> entries;
  DenseMap<Attribute, int64_t> offsetOf;
  llvm::DenseMap<uint64_t, SmallVector<unsigned, 1>> byHash;
  int64_t next = 0;
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_WEIGHTCOLLECTOR_H
