//===- Arguments.h - checks and binds the caller's tensors ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_ARGUMENTS_H
#define TSSA_LIB_RUNTIME_ARGUMENTS_H

#include "tssa/Runtime/Options.h"

namespace tssa::runtime {

/// Returns "input 'x'" or "output 'y'".
std::string nameOf(const Port &port);
/// These return a text such as "f32[N,3,32,32]" for a port, or "f64[1,3]" for a tensor.
std::string describe(const Manifest &manifest, const Port &port);
std::string describe(const tssa_tensor &tensor);

/// The arguments of a run, in the program's order. `args` are contiguous, aligned to their
/// elements and never null. All lists but `sizes` have one entry per input.
struct BoundInputs {
  std::vector<tssa_tensor> args;
  std::vector<int64_t> bytes;
  std::vector<int64_t> sizes;     ///< one per symbol
  std::vector<tssa_tensor> given; ///< the caller's tensors
  /// Contiguous copies of the caller's tensors that cannot be used as they are; else empty.
  std::vector<Buffer> copies;

  bool isCopied(size_t input) const { return copies[input].getSize() != 0; }
  /// Writes the elements of a copied argument back to the caller's tensor.
  void copyBack(size_t input) const;
};

/// Checks names, dtypes, ranks and sizes of all inputs before it copies any.
Status bindInputs(const Manifest &manifest, const std::vector<NamedTensor> &inputs,
                  BoundInputs &bound);

/// An output and the request for it, if any.
struct BoundOutput {
  std::optional<size_t> request;
  std::optional<tssa_tensor> into;
};

/// Checks the requests against the manifest and the sizes of this run. A buffer that cannot
/// hold its result is refused, as far as the result's sizes are known.
Status bindOutputs(const Manifest &manifest, const std::vector<OutputRequest> &requests,
                   const BoundInputs &inputs, std::vector<BoundOutput> &bound);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_ARGUMENTS_H
