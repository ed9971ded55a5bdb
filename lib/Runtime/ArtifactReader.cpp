//===- ArtifactReader.cpp - opens an artifact and checks all of it -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ELFSections.h"
#include "Checked.h"
#include "File.h"

#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/SHA256.h"

#include <algorithm>
#include <sys/mman.h>

using namespace tssa::runtime;

static constexpr uint64_t maxManifest = 256 << 20;
static constexpr uint64_t pageSize = 4096;
static constexpr uint64_t autoLimitAccelerated = uint64_t(1) << 30;
static constexpr uint64_t autoLimitPlain = uint64_t(64) << 20;

static Status corrupt(const std::string &path, const std::string &what) {
  return makeError(TSSA_CORRUPT, "'" + path + "': " + what);
}

static bool matches(std::string_view bytes, const Part &part) {
  return SHA256::hash(bytes) == part.sha256;
}

/// Checks that the parts cover the file in order, with gaps below a page.
static Status checkParts(const Manifest &manifest, const Elf64_Shdr &section,
                         const Elf64_Shdr *weightsSection, uint64_t fileSize) {
  uint64_t end = section.sh_offset + section.sh_size;
  const Part &weights = manifest.weights;
  bool embedded = manifest.weightsFile.empty() && weights.size != 0;
  bool good = manifest.code.offset == 0 &&
              manifest.code.size == section.sh_offset &&
              embedded == (weightsSection != nullptr);
  if (embedded && good) {
    good = weights.offset == weightsSection->sh_offset &&
           weights.size == weightsSection->sh_size &&
           weights.offset % pageSize == 0 && weights.offset >= end &&
           weights.offset - end < pageSize && weights.offset <= fileSize &&
           weights.size <= fileSize - weights.offset;
    end = weights.offset + weights.size;
  }
  const Part &tail = manifest.tail;
  good = good && tail.offset >= end && tail.offset - end < pageSize &&
         tail.offset <= fileSize && tail.size == fileSize - tail.offset;
  if (!good)
    return makeError(TSSA_CORRUPT, "the manifest and the sections disagree");
  return Status::success();
}

Artifact::~Artifact() {
  if (mapping)
    ::munmap(mapping, mappingSize);
}

const void *Artifact::getWeights() const {
  alignas(64) static const char none[64] = {};
  return mapping ? mapping : none;
}

void Artifact::dropCode() { std::string().swap(code); }

Status Artifact::open(const std::string &path, const ReadOptions &options,
                      std::unique_ptr<Artifact> &result) {
  std::unique_ptr<Artifact> artifact(new Artifact);
  artifact->path = path;
  if (Status status = artifact->read(options); !status.ok())
    return status;
  result = std::move(artifact);
  return Status::success();
}

Status Artifact::read(const ReadOptions &options) {
  File file;
  uint64_t fileSize;
  if (Status status = File::openRegular(path, file, fileSize); !status.ok())
    return status;
  ELFSections elf;
  ReadAt read = [&](uint64_t offset, void *data, size_t size) {
    return file.readAt(path, offset, data, size);
  };
  if (Status status = readSections(fileSize, read, elf); !status.ok())
    return corrupt(path, status.message);
  const Elf64_Shdr *section = elf.find(manifestSectionName);
  if (!section)
    return corrupt(path, "not made by tssa-compile, or damaged: no manifest");
  if (section->sh_size > maxManifest || section->sh_offset > fileSize ||
      section->sh_size > fileSize - section->sh_offset)
    return corrupt(path, "the manifest lies beyond the end");
  std::string bytes(section->sh_size, '\0');
  if (Status status = read(section->sh_offset, bytes.data(), bytes.size());
      !status.ok())
    return status;
  if (Status status = decodeManifest(bytes, manifest); !status.ok()) {
    status.message = "'" + path + "': " + status.message;
    return status;
  }
  if (Status status = checkParts(manifest, *section,
                                 elf.find(weightsSectionName), fileSize);
      !status.ok())
    return corrupt(path, status.message);

  bytes.resize(manifest.tail.size);
  if (Status status = read(manifest.tail.offset, bytes.data(), bytes.size());
      !status.ok())
    return status;
  if (!matches(bytes, manifest.tail))
    return corrupt(path, "the section table's hash does not match");
  code.resize(manifest.code.size);
  if (Status status = read(0, code.data(), code.size()); !status.ok())
    return status;
  if (!matches(code, manifest.code))
    return corrupt(path, "the code's hash does not match");
  uint64_t end = section->sh_offset + section->sh_size;
  for (uint64_t next : {manifest.weights.offset, manifest.tail.offset}) {
    if (next < end)
      continue;
    bytes.resize(next - end);
    if (Status status = read(end, bytes.data(), bytes.size()); !status.ok())
      return status;
    if (!std::all_of(bytes.begin(), bytes.end(), [](char c) { return !c; }))
      return corrupt(path, "bytes between its parts are not zero");
    end = next + manifest.weights.size;
  }
  return mapWeights(file.get(), options);
}

/// Maps the weights of this file (`fd`) or of the one beside it.
Status Artifact::mapWeights(int fd, const ReadOptions &options) {
  const Part &part = manifest.weights;
  if (part.size == 0)
    return Status::success();
  File beside;
  std::string from = path;
  if (!manifest.weightsFile.empty()) {
    from = path.substr(0, path.rfind('/') + 1) + manifest.weightsFile;
    uint64_t size;
    if (Status status = File::openRegular(from, beside, size); !status.ok())
      return status;
    if (part.offset != 0 || size != part.size)
      return corrupt(from, "weights of " + std::to_string(part.size) +
                               " bytes expected, got " + std::to_string(size));
    fd = beside.get();
  }
  void *memory = ::mmap(nullptr, part.size, PROT_READ, MAP_PRIVATE, fd,
                        off_t(part.offset));
  if (memory == MAP_FAILED)
    return ioError(from, "cannot map the weights");
  mapping = memory;
  mappingSize = part.size;
  uint64_t limit =
      SHA256::isAccelerated() ? autoLimitAccelerated : autoLimitPlain;
  if (options.verifyWeights == VerifyWeights::Never ||
      (options.verifyWeights == VerifyWeights::Auto && part.size > limit))
    return Status::success();
  if (!matches({static_cast<const char *>(mapping), mappingSize}, part))
    return corrupt(from, "the weights' hash does not match");
  verified = true;
  return Status::success();
}
