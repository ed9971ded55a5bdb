//===- Manifest.h - what an artifact says of itself ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The manifest is a plain value: the compiler fills it, the runtime reads it.
/// Its encoding (`encodeManifest`) is little-endian, pointer-free and versioned;
/// the decoder trusts no length and no count. See lib/Runtime/README.md for the
/// bytes.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_MANIFEST_H
#define TSSA_RUNTIME_MANIFEST_H

#include "tssa/Runtime/Status.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tssa::runtime {

/// Element types of arguments and results. The numbers are part of the format. Those
/// of less than a byte take one: integers with their sign extended, floats in the low
/// bits (SmallFloat.h).
enum class DType : uint8_t {
  F32 = 0,
  F64 = 1,
  F16 = 2,
  BF16 = 3,
  Bool = 4,
  I8 = 5,
  U8 = 6,
  I16 = 7,
  U16 = 8,
  I32 = 9,
  U32 = 10,
  I64 = 11,
  U64 = 12,
  F8E4M3FN = 13,
  F8E4M3FNUZ = 14,
  F8E5M2 = 15,
  F8E5M2FNUZ = 16,
  F8E8M0 = 17,
  F4E2M1 = 18,
  I4 = 19,
  U4 = 20,
  I2 = 21,
  U2 = 22
};
constexpr unsigned numDTypes = 23;

unsigned getByteSize(DType type);
/// "f32", "bool", "u8" ...
const char *getName(DType type);
tssa_dtype toABI(DType type);
std::optional<DType> fromABI(tssa_dtype type);

/// One dimension of an argument or a result.
struct Dim {
  enum Kind : uint8_t {
    Static = 0, ///< `value` elements
    Symbol = 1, ///< the size of `symbols[value]`
    Derived = 2 ///< known only when the program runs; results only
  };
  Kind kind = Static;
  int64_t value = 0;
  /// How a derived size comes about, for people; may be empty.
  std::string text;

  static Dim fixed(int64_t size) { return {Static, size, {}}; }
  static Dim symbol(int64_t index) { return {Symbol, index, {}}; }
  static Dim derived(std::string text = {}) { return {Derived, -1, std::move(text)}; }
};

/// Dims of a port, and of a tensor that a kernel outside the program is given.
constexpr size_t maxRank = 64;

/// An argument or a result of the program.
struct Port {
  enum Kind : uint8_t {
    In = 0,    ///< read
    Out = 1,   ///< written
    InOut = 2, ///< an argument that is read and then overwritten
    Alias = 3  ///< a result that is the storage of argument `aliasOf`
  };
  std::string name;
  DType dtype = DType::F32;
  Kind kind = In;
  std::vector<Dim> dims;
  int32_t aliasOf = -1;
};

/// A size that is read once at entry, from its first occurrence, and checked to
/// be the same at every other one.
struct Symbol {
  std::string name;
  int32_t input = 0; ///< first occurrence: index into `inputs` ...
  int32_t dim = 0;   ///< ... and the dimension there
  int64_t min = 0;
  int64_t max = INT64_MAX;
};

/// A node of the user's model, for errors and profiles.
struct ModelNode {
  std::string name;
  std::string op; ///< such as "Conv"
};

/// One kernel launch of the host program, in the order of its launch numbers.
struct Launch {
  std::string kernel;
  std::vector<int32_t> nodes; ///< into the node table
  int64_t flops = -1;         ///< -1: depends on sizes
  int64_t bytes = -1;
};

struct Memory {
  int64_t constantBytes = 0; ///< filled by writeArtifact
  int64_t arenaBytes = -1;   ///< -1: depends on sizes, ask tssa_plan
  bool growable = false;     ///< the program may call tssa_host::grow
};

using Digest = std::array<uint8_t, 32>;

/// Where a part lies in the artifact and what its bytes must hash to.
struct Part {
  uint64_t offset = 0;
  uint64_t size = 0;
  Digest sha256{};
};

/// A kernel of a variant for devices.
struct Kernel {
  std::string name;        ///< of the entry function
  int32_t parameters = 0;  ///< the last of which is the error word's address
  int32_t threads = 0;     ///< in a block
  int64_t sharedBytes = 0; ///< dynamic shared memory of a block
  /// As the assembler reports them; -1: unknown.
  int32_t registers = -1;
  int64_t spillBytes = -1;
};

/// The kernels as a device's driver takes them.
struct Image {
  enum Kind : uint8_t { PTX = 0, Cubin = 1 };
  Kind kind = PTX;
  int32_t arch = 0; ///< 90 for sm_90
  Part part;        ///< filled by writeArtifact
};

/// The program for one target: its own code, launches and weights. Nodes, inputs,
/// outputs and symbols are the model's and the same for all.
struct Variant {
  std::string target = "cpu"; ///< "cpu", "cuda:sm_90", "cuda-emu"
  /// What the names of its exports end with: `tssa_run` + suffix. Empty for the
  /// first variant, `_1`, `_2` ... for the others.
  std::string suffix;
  std::string triple; ///< of its code on the host: "x86_64-unknown-linux-gnu"
  std::string cpu;    ///< "x86-64-v4"
  /// What that code needs, in LLVM's spelling ("avx512f"); checked at load.
  std::vector<std::string> cpuFeatures;
  std::vector<Launch> launches;
  Memory memory;
  std::vector<Kernel> kernels; ///< empty for CPUs; names are unique
  std::vector<Image> images;   ///< for `cuda:`; at most one of a kind and arch

  // Filled by writeArtifact.
  Part weights; ///< in this file, or in `weightsFile`
  /// Name of the file beside the artifact that holds the weights; empty when
  /// they are in the artifact.
  std::string weightsFile;
};

/// Everything the runtime knows of a program. The caller of `writeArtifact`
/// fills all but the last group.
struct Manifest {
  uint32_t abiVersion = TSSA_ABI_VERSION;
  std::string toolBuild; ///< identifies the compiler, such as "tssa 0.1.0"
  std::string modelName;
  std::string producer; ///< who made the model, such as "pytorch 2.13.0"

  std::vector<Port> inputs;  ///< order of tssa_run's args
  std::vector<Port> outputs; ///< order of tssa_run's results
  /// Order of the sizes given to tssa_plan.
  std::vector<Symbol> symbols;
  std::vector<ModelNode> nodes;
  std::vector<Variant> variants; ///< at least one

  // Filled by writeArtifact.
  Part code; ///< from the file's first byte to the manifest
  Part tail; ///< section names and headers, to the end of the file
};

/// The bytes of `.tssa.manifest`. Their number does not depend on the values of
/// offsets, sizes and hashes.
std::string encodeManifest(const Manifest &manifest);

/// Reads what `encodeManifest` wrote. Checks the hash, every count and length,
/// and that indices point into their tables.
Status decodeManifest(std::string_view bytes, Manifest &manifest);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_MANIFEST_H
