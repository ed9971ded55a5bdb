//===- KernelMemory.h - the buffers of one launch ---------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The arguments of a kernel that runs alone: copies of its inputs and room for its results. Each
/// buffer lies between guard bytes, so that writes outside of it are found.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_KERNELMEMORY_H
#define TSSA_PIPELINE_KERNELMEMORY_H

#include "mlir/IR/Types.h"
#include "tssa/Reference/HostValue.h"

#include <vector>

namespace tssa {

/// A buffer between two runs of guard bytes.
class GuardedBuffer {
public:
  /// Without `contents` the bytes are garbage. Fails with std::errc::not_enough_memory.
  static llvm::Expected<GuardedBuffer> create(size_t size, const void *contents = nullptr);

  uint8_t *get() const { return bytes.get() + guard; }
  /// Whether no guard byte was overwritten.
  bool isIntact() const;
  /// Returns the bytes that a buffer of `size` bytes takes, with its guards.
  static constexpr size_t getFootprint(size_t size) { return (size + 63) / 64 * 64 + 2 * guard; }

private:
  explicit GuardedBuffer(size_t size, uint8_t *bytes) : size(size), bytes(bytes) {}

  static constexpr size_t guard = 256;
  /// As a float of any width, this pattern is a NaN. It is not a valid size or index either.
  static constexpr uint8_t pattern = 0xFF;
  struct Free {
    void operator()(uint8_t *pointer) const { std::free(pointer); }
  };
  size_t size;
  std::unique_ptr<uint8_t, Free> bytes;
};

/// The inputs that have several copies. A launch with a copy reads none of the others, so that a
/// sequence of launches finds no input in a cache that the copies do not fit into.
struct InputCopies {
  /// The positions of these inputs, which are tensors.
  llvm::SmallVector<unsigned> inputs;
  unsigned count = 1;
};

class KernelMemory {
public:
  /// `types` are the types of the kernel's parameters. The results have the types of `like`. Fails
  /// with std::errc::not_enough_memory.
  static llvm::Expected<KernelMemory> create(llvm::ArrayRef<mlir::Type> types,
                                             llvm::ArrayRef<reference::HostValue> inputs,
                                             llvm::ArrayRef<reference::HostTensor> like,
                                             const InputCopies &copies = {});

  /// Returns the kernel's arguments, each in 8 bytes, with this copy of the inputs. The last two
  /// are room for the begin and the end of the parallel iterations.
  llvm::ArrayRef<uint64_t> getSlots(unsigned copy = 0) const { return slots[copy]; }
  /// Returns the arguments of the extent function.
  llvm::ArrayRef<uint64_t> getScalars() const { return scalars; }
  unsigned getNumCopies() const { return slots.size(); }

  /// Fails if the kernel reported an error, guard bytes were overwritten, or the first copy of an
  /// input differs from `inputs`, with which this was created.
  llvm::Error check(llvm::ArrayRef<reference::HostValue> inputs) const;
  /// Returns the results, on the bytes of this object.
  llvm::Expected<std::vector<reference::HostTensor>> borrowResults() const;
  /// Fills the results with garbage.
  void clearResults();

private:
  KernelMemory() = default;

  llvm::Error addInput(unsigned index, mlir::Type type, const reference::HostValue &input,
                       const InputCopies &copies);
  llvm::Error addResult(const reference::HostTensor &like);

  struct Input {
    unsigned index;
    std::vector<GuardedBuffer> copies;
  };
  struct Result {
    reference::ElementKind kind;
    llvm::SmallVector<int64_t> shape;
    size_t size;
    GuardedBuffer buffer;
  };
  std::vector<Input> tensors;
  std::vector<Result> results;
  std::vector<llvm::SmallVector<uint64_t>> slots;
  llvm::SmallVector<uint64_t> scalars;
  std::unique_ptr<int32_t> error = std::make_unique<int32_t>(0);
};

} // namespace tssa

#endif // TSSA_PIPELINE_KERNELMEMORY_H
