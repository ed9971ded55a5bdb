//===- Artifact.h - one ELF file: code, manifest, weights ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An artifact is the linked shared object with sections appended that the dynamic
/// linker does not load:
///
///     [code: the linked ELF][.tssa.manifest][0...][.tssa.weights]...[0...][.tssa.image]...[names,
///     headers] ^0                    ^64                   ^page                   ^64
///
/// There are weights for each variant of the program and images for those of
/// devices; equal ones are in the file once. No loaded byte moves; only e_shoff, e_shnum and
/// e_shstrndx of the ELF header are rewritten, before the code part is hashed. Every byte of the
/// file is under a hash in the manifest, under the manifest's own hash, or is checked zero.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_ARTIFACT_H
#define TSSA_RUNTIME_ARTIFACT_H

#include "tssa/Runtime/Manifest.h"

#include <memory>

namespace tssa::runtime {

class File;

/// A constant: `size` bytes at `data`, to lie at `offset` of the weights. Bytes
/// between constants are zero. Offsets ascend, are multiples of 64, and do not
/// overlap.
struct WeightChunk {
  uint64_t offset = 0;
  uint64_t size = 0;
  const void *data = nullptr;
};

/// What goes into the file for a variant beside its code.
struct VariantContent {
  std::vector<WeightChunk> weights;
  std::vector<std::string> images; ///< in the order of `Variant::images`
};

struct WriteOptions {
  /// Weights larger than this go beside the artifact, into `<name>.weights` followed
  /// by the variant's suffix.
  uint64_t embedLimit = uint64_t(1) << 30;
};

/// Writes `path`: `code` is the linked shared object, `manifest` as filled by the
/// compiler, `contents` one entry per variant. Written under a temporary name and
/// renamed: there is never a partial file at `path`. Equal arguments give equal
/// bytes.
Status writeArtifact(const std::string &path, std::string_view code, Manifest manifest,
                     const std::vector<VariantContent> &contents, const WriteOptions &options = {});

/// Takes the name of a temporary file.
using PendingFileObserver = void (*)(const std::string &path);

/// From now on, `created` is told of each temporary file that is written for an artifact
/// and `gone` when it has its name or is removed: for processes that may be ended by a
/// signal. For the start of a program; not thread-safe.
void observePendingFiles(PendingFileObserver created, PendingFileObserver gone);

enum class VerifyWeights {
  Auto, ///< up to 1 GiB where the CPU hashes at memory speed, else up to 64 MiB
  Always,
  Never
};

/// An artifact that was read and whose hashes hold, those of the weights aside.
/// Nothing of it was executed.
class Artifact {
public:
  /// Opens and checks `path`. `artifact` is set only on success.
  static Status open(const std::string &path, std::unique_ptr<Artifact> &artifact);
  ~Artifact();
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;

  const Manifest &getManifest() const { return manifest; }
  /// The verified code part, in private memory.
  std::string_view getCode() const { return code; }
  /// The verified bytes of the images of variant `variant`.
  const std::vector<std::string> &getImages(size_t variant) const { return images[variant]; }
  /// Releases code, images and the open file, not the weights.
  void dropCode();
  const std::string &getPath() const { return path; }

  /// Maps the weights of variant `variant` in place of those mapped before, and
  /// checks their hash as `verify` says.
  Status mapWeights(size_t variant, VerifyWeights verify);
  /// First byte of the mapped weights, page-aligned; never null.
  const void *getWeights() const;
  bool weightsVerified() const { return verified; }
  void unmapWeights();

private:
  Artifact() = default;
  std::string path;
  std::unique_ptr<File> file;
  Manifest manifest;
  std::string code;
  std::vector<std::vector<std::string>> images; ///< by variant
  void *mapping = nullptr;
  size_t mappingSize = 0;
  bool verified = false;

  Status read();
  Status readPart(const Part &part, std::string &bytes, const char *what);
};

/// Compares what the host's code of a variant needs with the machine at hand: ABI
/// version, architecture, CPU features. The message names what is missing.
Status checkHost(const Manifest &manifest, const Variant &variant);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_ARTIFACT_H
