//===- Npz.h - tensors in NumPy's .npz files -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An .npz is a zip of .npy members, one per tensor, stored or deflated. NumPy
/// has no bfloat16: a tensor NAME of that type travels as u16 under the key
/// `NAME:bf16`. So do small floats and integers of less than a byte, one element a
/// byte: `NAME:f8e4m3fn` as u8, `NAME:i4` as i8. Readers trust nothing: sizes, offsets and counts
/// are checked against the file, names must be unique, and a member inflates to exactly what its
/// header says.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_NPZ_H
#define TSSA_RUNTIME_NPZ_H

#include "tssa/Runtime/Tensor.h"

namespace tssa::runtime {

struct NpzEntry {
  std::string name;
  Tensor tensor;
};

/// Reads all tensors, in the file's order.
Status readNpz(const std::string &path, std::vector<NpzEntry> &entries);

/// Writes them stored, under a temporary name that is renamed; equal tensors
/// give equal bytes.
Status writeNpz(const std::string &path, const std::vector<NpzEntry> &entries);

/// One .npy: header and elements.
Status decodeNpy(std::string_view bytes, Tensor &tensor);
std::string encodeNpyHeader(DType dtype, const std::vector<int64_t> &shape);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_NPZ_H
