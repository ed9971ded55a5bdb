//===- Artifact.h - one ELF file: code, manifest, weights ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An artifact is the linked shared object with two sections appended that the
/// dynamic linker does not load:
///
///     [code: the linked ELF][.tssa.manifest][0...][.tssa.weights][names, headers]
///     ^0                    ^64                   ^page
///
/// No loaded byte moves; only e_shoff, e_shnum and e_shstrndx of the ELF header
/// are rewritten, before the code part is hashed. Every byte of the file is under
/// a hash in the manifest, under the manifest's own hash, or is checked zero.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_ARTIFACT_H
#define TSSA_RUNTIME_ARTIFACT_H

#include "tssa/Runtime/Manifest.h"

#include <memory>

namespace tssa::runtime {

/// A constant: `size` bytes at `data`, to lie at `offset` of the weights. Bytes
/// between constants are zero. Offsets ascend, are multiples of 64, and do not
/// overlap.
struct WeightChunk {
  uint64_t offset = 0;
  uint64_t size = 0;
  const void *data = nullptr;
};

struct WriteOptions {
  /// Weights larger than this go to `<name>.weights` beside the artifact.
  uint64_t embedLimit = uint64_t(1) << 30;
};

/// Writes `path`: `code` is the linked shared object, `manifest` as filled by the
/// compiler. Written under a temporary name and renamed: there is never a partial
/// file at `path`. Equal arguments give equal bytes.
Status writeArtifact(const std::string &path, std::string_view code,
                     Manifest manifest,
                     const std::vector<WeightChunk> &weights,
                     const WriteOptions &options = {});

enum class VerifyWeights {
  Auto, ///< up to 1 GiB where the CPU hashes at memory speed, else up to 64 MiB
  Always,
  Never
};

struct ReadOptions {
  VerifyWeights verifyWeights = VerifyWeights::Auto;
};

/// An artifact that was read and whose hashes hold. Nothing of it was executed.
class Artifact {
public:
  /// Opens and checks `path`. `artifact` is set only on success.
  static Status open(const std::string &path, const ReadOptions &options,
                     std::unique_ptr<Artifact> &artifact);
  ~Artifact();
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;

  const Manifest &getManifest() const { return manifest; }
  /// The verified code part, in private memory; released by `dropCode`.
  std::string_view getCode() const { return code; }
  void dropCode();
  /// First byte of the mapped weights, page-aligned; never null.
  const void *getWeights() const;
  bool weightsVerified() const { return verified; }
  const std::string &getPath() const { return path; }

private:
  Artifact() = default;
  std::string path;
  Manifest manifest;
  std::string code;
  void *mapping = nullptr;
  size_t mappingSize = 0;
  bool verified = false;

  Status read(const ReadOptions &options);
  Status mapWeights(int fd, const ReadOptions &options);
};

/// Compares what the code needs with the machine at hand: ABI version,
/// architecture, CPU features. The message names what is missing.
Status checkHost(const Manifest &manifest);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_ARTIFACT_H
