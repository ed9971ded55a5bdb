//===- Tensor.cpp --------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/Tensor.h"

#include "Checked.h"
#include "Watched.h"
#include "tssa/Runtime/BufferPool.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <utility>

using namespace tssa::runtime;

static constexpr uint64_t alignment = 64;
static constexpr uint64_t hugePage = 2 << 20;
static constexpr uint64_t hugeFrom = 4 << 20;
/// The number of readable bytes before and after the data. A masked vector load of a compiled
/// kernel may extend this far beyond its buffer. Masked-off lanes read nothing, but cost hundreds
/// of cycles if they lie in a page that was never accessed.
static constexpr uint64_t slack = alignment;

Buffer::Buffer(Buffer &&other) noexcept
    : block(std::exchange(other.block, nullptr)), size(std::exchange(other.size, 0)),
      capacity(std::exchange(other.capacity, 0)), pool(std::move(other.pool)) {}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  std::swap(block, other.block);
  std::swap(size, other.size);
  std::swap(capacity, other.capacity);
  std::swap(pool, other.pool);
  return *this;
}

Buffer::~Buffer() {
  if (std::shared_ptr<ResultPool> origin = std::move(pool))
    origin->release(std::move(*this));
  std::free(block);
}

bool Buffer::allocate(uint64_t bytes) {
  { Buffer old = std::move(*this); }
  if (bytes == 0)
    return true;
  if (bytes > uint64_t(INT64_MAX) - hugePage - 2 * slack)
    return false;
  uint64_t whole = bytes + 2 * slack;
  bool huge = whole >= hugeFrom;
  uint64_t rounded = alignTo(whole, huge ? hugePage : alignment);
  if (::posix_memalign(&block, huge ? hugePage : alignment, rounded) != 0) {
    block = nullptr;
    return false;
  }
  if (huge)
    (void)::madvise(block, rounded, MADV_HUGEPAGE); // advice may be declined
  char *data = static_cast<char *>(block) + slack;
  std::memset(block, 0, slack);
  std::memset(data + bytes, 0, slack);
  forbid(block, slack);
  forbid(data + bytes, rounded - slack - bytes);
  size = capacity = bytes;
  return true;
}

void *Buffer::getData() const {
  alignas(alignment) static char nothing[alignment];
  return block ? static_cast<char *>(block) + slack : nothing;
}

tssa_tensor Tensor::asABI() {
  return tssa_tensor{data, {1, 0}, int32_t(shape.size()), toABI(dtype), shape.data(), nullptr, 0};
}

int64_t Tensor::getByteSize() const {
  return checkedBytes(shape.data(), int32_t(shape.size()), tssa::runtime::getByteSize(dtype))
      .value_or(0);
}

Status Tensor::allocate(DType dtype, std::vector<int64_t> shape, Tensor &tensor) {
  std::optional<int64_t> bytes =
      checkedBytes(shape.data(), int32_t(shape.size()), tssa::runtime::getByteSize(dtype));
  Tensor made;
  made.dtype = dtype;
  made.shape = std::move(shape);
  if (!bytes || !made.storage.allocate(uint64_t(*bytes)))
    return makeError(TSSA_OUT_OF_MEMORY, "a tensor does not fit in memory");
  made.data = made.storage.getData();
  if (*bytes)
    std::memset(made.data, 0, size_t(*bytes));
  tensor = std::move(made);
  return Status::success();
}
