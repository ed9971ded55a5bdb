//===- Npz.h - tensors in NumPy's .npz files -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An .npz is a zip of .npy members, one per tensor, stored or deflated. NumPy has no
/// bfloat16, so a tensor NAME of that type is stored as u16 under the key `NAME:bf16`.
/// Small floats and integers of less than a byte are stored in the same way, with one byte per
/// element: `NAME:f8e4m3fn` as u8, `NAME:i4` as i8. The reader trusts nothing: it checks sizes,
/// offsets and counts against the file, requires unique names, and requires that a member inflates
/// to exactly the size in its header.
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

/// Reads all tensors, in the order of the file.
Status readNpz(const std::string &path, std::vector<NpzEntry> &entries);

/// Writes `entries` without compression, to a temporary file that is then renamed to `path`. Equal
/// tensors produce equal bytes.
Status writeNpz(const std::string &path, const std::vector<NpzEntry> &entries);

/// Decodes the bytes of one .npy file: header and elements.
Status decodeNpy(std::string_view bytes, Tensor &tensor);
std::string encodeNpyHeader(DType dtype, const std::vector<int64_t> &shape);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_NPZ_H
