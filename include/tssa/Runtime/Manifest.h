//===- Manifest.h - the description of an artifact -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The manifest is a plain value that the compiler fills and the runtime reads. Its
/// encoding (`encodeManifest`) is little-endian, pointer-free and versioned; the decoder
/// checks every length and count. lib/Runtime/README.md describes the bytes.
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

/// The element types of arguments and results. The values of the enumerators are part of the
/// format. An element of less than a byte takes one byte: a signed integer is sign-extended, an
/// unsigned integer is zero-extended, and a float is in the low bits (SmallFloat.h).
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
/// Returns the name of a type: "f32", "bool", "u8" ...
const char *getName(DType type);
tssa_dtype toABI(DType type);
std::optional<DType> fromABI(tssa_dtype type);

/// One dimension of an argument or a result.
struct Dim {
  enum Kind : uint8_t {
    Static = 0, ///< `value` elements
    Symbol = 1, ///< the size of `symbols[value]`
    Derived = 2 ///< known only at run time; results only
  };
  Kind kind = Static;
  int64_t value = 0;
  /// A readable description of how a derived size is computed; may be empty.
  std::string text;

  static Dim fixed(int64_t size) { return {Static, size, {}}; }
  static Dim symbol(int64_t index) { return {Symbol, index, {}}; }
  static Dim derived(std::string text = {}) { return {Derived, -1, std::move(text)}; }
};

/// The maximal rank of a port, and of a tensor that a host program passes to a routine.
constexpr size_t maxRank = 64;

/// What the elements of a result stand for, if they are not just numbers.
struct Labels {
  enum Kind : uint8_t {
    None = 0,       ///< numbers
    Strings = 1,    ///< an element is an index into `strings`
    StringKeys = 2, ///< a row is a map whose keys are `strings`, one for each column
    IntKeys = 3     ///< a row is a map whose keys are `ints`, one for each column
  };
  Kind kind = None;
  std::vector<std::string> strings; ///< any bytes; usually UTF-8
  std::vector<int64_t> ints;
  bool areKeys() const { return kind == StringKeys || kind == IntKeys; }
  size_t size() const { return kind == IntKeys ? ints.size() : strings.size(); }
};

/// An argument or a result of the program.
struct Port {
  enum Kind : uint8_t {
    In = 0,    ///< an argument that is only read
    Out = 1,   ///< a result
    InOut = 2, ///< an argument that is read and then overwritten
    Alias = 3  ///< a result that is the storage of argument `aliasOf`
  };
  std::string name;
  DType dtype = DType::F32;
  Kind kind = In;
  std::vector<Dim> dims;
  int32_t aliasOf = -1;
  Labels labels; ///< of a result
};

/// A size that is read at entry from its first occurrence in the inputs. All its other
/// occurrences are checked to be equal.
struct Symbol {
  std::string name;
  int32_t input = 0; ///< first occurrence: index into `inputs` ...
  int32_t dim = 0;   ///< ... and the dimension there
  int64_t min = 0;
  int64_t max = INT64_MAX;
};

/// A row of the node table: the name and operator of a node of the user's model, for errors
/// and profiles.
struct ModelNode {
  std::string name;
  std::string op; ///< such as "Conv"
};

/// A row of the launch table: one kernel launch of the host program.
struct Launch {
  std::string kernel;
  std::vector<int32_t> nodes; ///< indexes into the node table
  int64_t flops = -1;         ///< -1: depends on sizes
  int64_t bytes = -1;         ///< of operands and results, at most; -1: depends on sizes
};

struct Memory {
  int64_t constantBytes = 0; ///< filled by writeArtifact
  int64_t arenaBytes = -1;   ///< -1: depends on sizes, ask tssa_plan
  int64_t scratchBytes = 0;  ///< of each thread that runs kernels; a multiple of 64
  bool growable = false;     ///< the program may call tssa_host's grow or reserve_scratch
};

using Digest = std::array<uint8_t, 32>;   ///< SHA-256
using Checksum = std::array<uint8_t, 16>; ///< XXH3-128

/// A range of bytes of a file.
struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// The position of a part of the artifact, and the expected hash of its bytes.
struct Part : Extent {
  Digest sha256{};
};

/// The position of weights. They are most of the bytes of an artifact, so their hash is one that
/// is computed at the speed of memory.
struct Weights : Extent {
  Checksum xxh3{};
};

/// A kernel of a variant for devices.
struct Kernel {
  std::string name;        ///< of the entry function
  int32_t parameters = 0;  ///< their number, including the last one: the address of the error word
  int32_t threads = 0;     ///< in a block
  int64_t sharedBytes = 0; ///< dynamic shared memory of a block
  /// As the assembler reports them; -1: unknown.
  int32_t registers = -1;
  int64_t spillBytes = -1;
};

/// The kernels of a variant in a form that a device's driver loads.
struct Image {
  enum Kind : uint8_t { PTX = 0, Cubin = 1 };
  Kind kind = PTX;
  std::string arch; ///< "sm_90" (Support/GPUArch.h)
  Part part;        ///< filled by writeArtifact
};

/// The program compiled for one target, with its own code, launches and weights. All
/// variants share the nodes, inputs, outputs and symbols of the manifest.
struct Variant {
  std::string target = "cpu"; ///< "cpu", "cuda:sm_90", "cuda-emu"
  /// The suffix of the names of its exports: `tssa_run` + suffix. It is empty for the first
  /// variant and `_1`, `_2` ... for the others.
  std::string suffix;
  std::string triple; ///< of its host code: "x86_64-unknown-linux-gnu"
  std::string cpu;    ///< "x86-64-v4"
  /// The features that the host code needs, in LLVM's spelling ("avx512f"); checked at load.
  std::vector<std::string> cpuFeatures;
  /// The machine for which schedules were chosen, as `tssa-compile --machine` reads it: one line of
  /// text, or empty. A run does not depend on it.
  std::string machine;
  std::vector<Launch> launches;
  Memory memory;
  std::vector<Kernel> kernels; ///< empty for CPUs; names are unique
  std::vector<Image> images;   ///< for `cuda:`; at most one per kind and arch

  // Filled by writeArtifact.
  Weights weights; ///< in this file, or in `weightsFile`
  /// The name of a file in the artifact's folder that has the weights; empty if the artifact has
  /// them.
  std::string weightsFile;
};

/// All information that the runtime has about a program. The caller of `writeArtifact` fills all
/// members except the last group.
struct Manifest {
  uint32_t abiVersion = TSSA_ABI_VERSION;
  std::string toolBuild; ///< identifies the compiler, such as "tssa 0.1.0"
  std::string modelName;
  std::string producer; ///< what exported the model, such as "pytorch 2.13.0"

  std::vector<Port> inputs;  ///< order of tssa_run's args
  std::vector<Port> outputs; ///< order of tssa_run's results
  /// In the order of the sizes given to tssa_plan.
  std::vector<Symbol> symbols;
  std::vector<ModelNode> nodes;
  std::vector<Variant> variants; ///< at least one

  // Filled by writeArtifact.
  Part code; ///< from the file's first byte to the manifest
  Part tail; ///< section names and headers, to the end of the file
};

/// Returns the bytes of `.tssa.manifest`. Their number does not depend on the values of
/// offsets, sizes and hashes.
std::string encodeManifest(const Manifest &manifest);

/// Decodes what `encodeManifest` wrote. Checks the hash, every count and length, and that
/// all indices are within their tables.
Status decodeManifest(std::string_view bytes, Manifest &manifest);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_MANIFEST_H
