//===- WeightCollector.h - constants of a program, each once ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_WEIGHTCOLLECTOR_H
#define DIALECTS_TE_TRANSFORMS_WEIGHTCOLLECTOR_H

#include "dialects/te/IR/Program.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace mlir::tssa::te {

/// The elements of a constant as they lie in memory: little-endian, row-major,
/// i1 as bytes. Points into the attribute where it can.
class ConstantBytes {
public:
  static FailureOr<ConstantBytes> get(ElementsAttr value);
  ArrayRef<char> getBytes() const { return bytes; }

private:
  ArrayRef<char> bytes;
  std::shared_ptr<SmallVector<char, 0>> storage;
};

/// Gives every constant its offset in the weights; equal bytes lie there once.
class WeightCollector {
public:
  /// Fails when the attribute gives no access to its elements.
  FailureOr<int64_t> add(ElementsAttr value);
  /// The table of the module, by ascending offset.
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
