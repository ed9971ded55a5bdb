//===- Tensor.h - aligned memory and the tensors in it -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_TENSOR_H
#define TSSA_RUNTIME_TENSOR_H

#include "tssa/Runtime/Manifest.h"

#include <cstddef>

namespace tssa::runtime {

/// Memory aligned to 64 bytes (on huge pages when large), uninitialised. 64 bytes before and
/// behind it can be read, too.
class Buffer {
public:
  Buffer() = default;
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer();

  /// False when the memory cannot be had; the buffer is then empty.
  bool allocate(uint64_t size);
  /// Never null: an empty buffer points at 64 bytes that hold nothing.
  void *getData() const;
  uint64_t getSize() const { return size; }

private:
  void *block = nullptr; ///< what was allocated; the data lie within
  uint64_t size = 0;
};

/// A dense row-major tensor, in its own storage or in somebody else's.
struct Tensor {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  void *data = nullptr;
  Buffer storage; ///< empty when `data` belongs to another

  /// Refers to this tensor; valid while it lives and its rank stays.
  tssa_tensor asABI();
  int64_t getByteSize() const;

  /// A zero-filled tensor in its own storage.
  static Status allocate(DType dtype, std::vector<int64_t> shape, Tensor &tensor);
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_TENSOR_H
