//===- Artifact.h - one ELF file: code, manifest, weights ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An artifact is the linked shared object, followed by sections that the dynamic linker does not
/// load:
///
///     [code: the linked ELF][.tssa.manifest][0...][.tssa.weights]...[0...][.tssa.image]...[tail]
///     ^0                    ^64                   ^page                   ^64
///
/// The marks are alignments in bytes; the tail is the section names and headers.
///
/// Each variant of the program has weights, and each variant for devices has images. Identical
/// weights or images are stored once. Appending moves no byte that the linker loads. Of the ELF
/// header, only e_shoff, e_shnum and e_shstrndx are rewritten, before the code part is hashed.
/// Every byte of the file is covered by a hash in the manifest or by the manifest's own hash, or is
/// checked to be zero.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_ARTIFACT_H
#define TSSA_RUNTIME_ARTIFACT_H

#include "tssa/Runtime/Manifest.h"

#include <memory>

namespace tssa::runtime {

class File;

/// A constant: `size` bytes at `data`, to be stored at `offset` of the weights. Offsets
/// ascend and are multiples of 64, and constants do not overlap. Bytes between constants
/// are zero.
struct WeightChunk {
  uint64_t offset = 0;
  uint64_t size = 0;
  const void *data = nullptr;
};

/// What the artifact stores for one variant besides the code.
struct VariantContent {
  std::vector<WeightChunk> weights;
  std::vector<std::string> images; ///< in the order of `Variant::images`
};

struct WriteOptions {
  /// Weights larger than this are written to a file beside the artifact, named
  /// `<name>.weights` followed by the variant's suffix.
  uint64_t embedLimit = uint64_t(1) << 30;
};

/// Writes an artifact to `path`. `code` is the linked shared object, `manifest` is filled
/// by the compiler, and `contents` has one entry per variant. The file is written under a
/// temporary name and renamed, so `path` never has a partial file. Equal arguments produce
/// equal bytes.
Status writeArtifact(const std::string &path, std::string_view code, Manifest manifest,
                     const std::vector<VariantContent> &contents, const WriteOptions &options = {});

/// A callback that takes the path of a temporary file.
using PendingFileObserver = void (*)(const std::string &path);

/// Installs callbacks that tell a process which temporary files to remove if a signal ends it.
/// `created` is called for each temporary file that is written for an artifact, and `gone` when
/// that file has been renamed or removed. Call this at the start of a program; it is not
/// thread-safe.
void observePendingFiles(PendingFileObserver created, PendingFileObserver gone);

/// Whether the hash of weights is checked before they are used.
enum class VerifyWeights { Always, Never };

/// An artifact that has been read and whose hashes have been verified, except those of the
/// weights. None of its code has been executed.
class Artifact {
public:
  /// Opens and checks `path`. `artifact` is set only on success.
  static Status open(const std::string &path, std::unique_ptr<Artifact> &artifact);
  ~Artifact();
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;

  const Manifest &getManifest() const { return manifest; }
  /// Returns the verified code part, in private memory.
  std::string_view getCode() const { return code; }
  /// Returns the verified bytes of the images of variant `variant`.
  const std::vector<std::string> &getImages(size_t variant) const { return images[variant]; }
  /// Releases the code, the images and the open file, but not the weights.
  void dropCode();
  const std::string &getPath() const { return path; }

  /// Unmaps the weights that are mapped, maps those of variant `variant`, and checks their
  /// hash according to `verify`.
  Status mapWeights(size_t variant, VerifyWeights verify);
  /// Returns the first byte of the mapped weights, page-aligned; never null.
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

/// Checks that this CPU has `features`, in LLVM's spelling, for code that was compiled for `cpu`,
/// and that the operating system saves what they add to the state of a thread. `what` the code is:
/// "program". The error names what is missing.
Status checkCPU(const std::string &what, const std::string &cpu,
                const std::vector<std::string> &features);

/// Checks that this machine and runtime meet the requirements of a variant's host code: ABI
/// version, architecture and CPU features. The error names what is missing.
Status checkHost(const Manifest &manifest, const Variant &variant);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_ARTIFACT_H
