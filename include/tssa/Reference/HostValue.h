//===- HostValue.h - what a value holds while a program is evaluated -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_REFERENCE_HOSTVALUE_H
#define TSSA_REFERENCE_HOSTVALUE_H

#include "tssa/Reference/HostTensor.h"

#include <optional>
#include <vector>

namespace tssa::reference {

/// A range of elements in a memory that other values may share.
struct HostMemory {
  struct Storage {
    std::vector<uint8_t> bytes;
    bool released = false;
  };
  std::shared_ptr<Storage> storage;
  int64_t offset = 0;
  ElementKind kind = ElementKind::I8;
  llvm::SmallVector<int64_t> shape;

  uint8_t *getData() const { return storage->bytes.data() + offset; }
  int64_t getNumBytes() const { return countElements(shape).value_or(0) * getByteSize(kind); }
};

/// A view of a storage that other refs may share.
struct HostRef {
  std::shared_ptr<HostTensor> storage;
  llvm::SmallVector<int64_t> shape;
  /// For each element of the view, in row-major order, its index in the storage.
  std::vector<int64_t> elements;

  /// Returns a ref to all elements of a new storage with `contents`.
  static HostRef makeStorage(const HostTensor &contents);
  llvm::Expected<HostTensor> read() const;
};

/// The elements of a tensor that are computed when they are read.
class ElementSource {
public:
  virtual ~ElementSource() = default;
  /// Returns the element with this position in row-major order.
  virtual llvm::Expected<Scalar> get(int64_t element) = 0;
};

/// The value of an SSA value: a tensor, memory, a ref, or a scalar.
struct HostValue {
  std::optional<HostTensor> tensor;
  /// If set, `tensor` has a type but no bytes.
  std::shared_ptr<ElementSource> elements;
  std::optional<HostMemory> memory;
  std::shared_ptr<const HostRef> ref;
  Scalar scalar = makeInt(0);

  HostValue() = default;
  HostValue(HostTensor tensor) : tensor(std::move(tensor)) {}
  HostValue(HostMemory memory) : memory(std::move(memory)) {}
  HostValue(HostRef ref) : ref(std::make_shared<const HostRef>(std::move(ref))) {}
  HostValue(Scalar scalar) : scalar(scalar) {}
};

} // namespace tssa::reference

#endif // TSSA_REFERENCE_HOSTVALUE_H
