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
#include <memory>

namespace tssa::runtime {

class ResultPool;

/// Uninitialised memory, aligned to 64 bytes and on huge pages if it is large. The 64 bytes
/// before and after it are readable too. The destructor frees the memory, or returns it to the
/// ResultPool that it is from.
class Buffer {
public:
  Buffer() = default;
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer();

  /// Returns false if the memory cannot be allocated; the buffer is then empty.
  bool allocate(uint64_t size);
  /// Returns the first byte. It is never null: an empty buffer points to 64 unused bytes.
  void *getData() const;
  /// Returns the number of bytes that were requested; memory from a ResultPool may be larger.
  uint64_t getSize() const { return size; }

private:
  friend ResultPool;
  void *block = nullptr; ///< the allocation that contains the data
  uint64_t size = 0, capacity = 0;
  std::shared_ptr<ResultPool> pool; ///< null if the destructor frees the memory
};

/// A dense row-major tensor, in its own storage or in memory that another object owns.
struct Tensor {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  void *data = nullptr;
  Buffer storage; ///< empty if another object owns `data`

  /// Returns a view of this tensor. It is valid as long as the tensor lives and keeps its rank.
  tssa_tensor asABI();
  int64_t getByteSize() const;

  /// Sets `tensor` to a zero-filled tensor in its own storage.
  static Status allocate(DType dtype, std::vector<int64_t> shape, Tensor &tensor);
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_TENSOR_H
