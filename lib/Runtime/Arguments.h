//===- Arguments.h - from the caller's tensors to the program's ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_ARGUMENTS_H
#define TSSA_LIB_RUNTIME_ARGUMENTS_H

#include "tssa/Runtime/Session.h"

namespace tssa::runtime {

/// "f32[N,3,32,32]" for a port, "f64[1,3]" for a tensor.
std::string describe(const Manifest &manifest, const Port &port);
std::string describe(const tssa_tensor &tensor);

/// A range of the caller's memory.
struct ByteRange {
  const char *begin = nullptr;
  const char *end = nullptr;
  bool overlaps(const ByteRange &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// Inputs in the program's order: contiguous, aligned to their elements, never
/// null. `copies` holds those that the caller's layout did not allow as they are.
struct BoundInputs {
  std::vector<tssa_tensor> args;
  std::vector<int64_t> sizes; ///< one per symbol
  std::vector<ByteRange> ranges;
  std::vector<Buffer> copies;
};

/// Checks names, dtypes, ranks and sizes of all inputs before it copies any.
Status bindInputs(const Manifest &manifest,
                  const std::vector<NamedTensor> &inputs, BoundInputs &bound);

/// An output and the request for it, if any.
struct BoundOutput {
  std::optional<size_t> request;
  std::optional<tssa_tensor> into;
};

/// Checks the requests against the manifest and the sizes of this run: a buffer
/// that cannot hold its result is refused here as far as sizes are known.
Status bindOutputs(const Manifest &manifest,
                   const std::vector<OutputRequest> &requests,
                   const BoundInputs &inputs, std::vector<BoundOutput> &bound);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_ARGUMENTS_H
