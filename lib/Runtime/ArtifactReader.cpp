//===- ArtifactReader.cpp - opens an artifact and checks all of it -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Checked.h"
#include "ELFSections.h"
#include "File.h"

#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/SHA256.h"
#include "tssa/Runtime/XXH3.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <tuple>

using namespace tssa::runtime;

static constexpr uint64_t maxManifest = 256 << 20;
static constexpr uint64_t pageSize = 4096;
/// Pages of weights of this size are released after their hash is checked: a run may touch few.
static constexpr uint64_t largeWeights = uint64_t(1) << 30;

static Status corrupt(const std::string &path, const std::string &what) {
  return makeError(TSSA_CORRUPT, "'" + path + "': " + what);
}

/// Returns the places of weights and images between the manifest and the tail, in order and
/// without duplicates.
static std::vector<Extent> listExtents(const Manifest &manifest) {
  std::vector<Extent> extents;
  for (const Variant &variant : manifest.variants) {
    if (variant.weightsFile.empty() && variant.weights.size)
      extents.push_back(variant.weights);
    for (const Image &image : variant.images)
      extents.push_back(image.part);
  }
  std::sort(extents.begin(), extents.end(), [](const Extent &a, const Extent &b) {
    return std::tie(a.offset, a.size) < std::tie(b.offset, b.size);
  });
  auto same = [](const Extent &a, const Extent &b) {
    return a.offset == b.offset && a.size == b.size;
  };
  extents.erase(std::unique(extents.begin(), extents.end(), same), extents.end());
  return extents;
}

/// Returns whether the sections whose names begin with `sectionPrefix` are exactly the manifest and
/// `extents`.
static bool matchSections(const ELFSections &elf, const std::vector<Extent> &extents) {
  std::vector<std::pair<uint64_t, uint64_t>> sections, expected;
  for (const Elf64_Shdr &section : elf.sections) {
    std::string_view name = elf.getName(section);
    if (name.substr(0, std::strlen(sectionPrefix)) == sectionPrefix && name != manifestSectionName)
      sections.emplace_back(section.sh_offset, section.sh_size);
  }
  for (const Extent &extent : extents)
    expected.emplace_back(extent.offset, extent.size);
  std::sort(sections.begin(), sections.end());
  return sections == expected;
}

/// Returns whether all weights in the file begin at the start of a page.
static bool areMappable(const Manifest &manifest) {
  return std::all_of(manifest.variants.begin(), manifest.variants.end(),
                     [](const Variant &variant) { return variant.weights.offset % pageSize == 0; });
}

/// Checks that the parts cover the file in order, with gaps of less than a page.
static Status checkParts(const Manifest &manifest, const ELFSections &elf,
                         const Elf64_Shdr &section, uint64_t fileSize) {
  std::vector<Extent> extents = listExtents(manifest);
  bool good = manifest.code.offset == 0 && manifest.code.size == section.sh_offset &&
              matchSections(elf, extents) && areMappable(manifest);
  extents.push_back(manifest.tail);
  uint64_t end = section.sh_offset + section.sh_size;
  for (auto [offset, size] : extents) {
    good = good && size != 0 && offset >= end && offset - end < pageSize && offset <= fileSize &&
           size <= fileSize - offset;
    end = offset + size;
  }
  if (!good || end != fileSize)
    return makeError(TSSA_CORRUPT, "the manifest and the sections disagree");
  return Status::success();
}

Artifact::~Artifact() { unmapWeights(); }

void Artifact::unmapWeights() {
  if (mapping)
    ::munmap(mapping, mappingSize);
  mapping = nullptr;
  mappingSize = 0;
  verified = false;
}

const void *Artifact::getWeights() const {
  alignas(64) static const char none[64] = {};
  return mapping ? mapping : none;
}

void Artifact::dropCode() {
  std::string().swap(code);
  images.clear();
  file.reset();
}

Status Artifact::open(const std::string &path, std::unique_ptr<Artifact> &result) {
  std::unique_ptr<Artifact> artifact(new Artifact);
  artifact->path = path;
  if (Status status = artifact->read(); !status.ok())
    return status;
  result = std::move(artifact);
  return Status::success();
}

/// Reads a part, whose range has been checked, and verifies its hash.
Status Artifact::readPart(const Part &part, std::string &bytes, const char *what) {
  bytes.resize(part.size);
  if (Status status = file->readAt(path, part.offset, bytes.data(), part.size); !status.ok())
    return status;
  if (SHA256::hash(bytes) != part.sha256)
    return corrupt(path, std::string("the ") + what + "'s hash does not match");
  return Status::success();
}

/// Reads and decodes the manifest and compares the file's layout with it.
static Status readManifest(const std::string &path, uint64_t fileSize, const ReadAt &read,
                           Manifest &manifest, uint64_t &end) {
  ELFSections elf;
  if (Status status = readSections(fileSize, read, elf); !status.ok())
    return corrupt(path, status.message);
  const Elf64_Shdr *section = elf.find(manifestSectionName);
  if (!section)
    return corrupt(path, "not made by tssa-compile, or damaged: no manifest");
  if (section->sh_size > maxManifest || section->sh_offset > fileSize ||
      section->sh_size > fileSize - section->sh_offset)
    return corrupt(path, "the manifest lies beyond the end");
  std::string bytes(section->sh_size, '\0');
  if (Status status = read(section->sh_offset, bytes.data(), bytes.size()); !status.ok())
    return status;
  if (Status status = decodeManifest(bytes, manifest); !status.ok()) {
    status.message = "'" + path + "': " + status.message;
    return status;
  }
  if (Status status = checkParts(manifest, elf, *section, fileSize); !status.ok())
    return corrupt(path, status.message);
  end = section->sh_offset + section->sh_size;
  return Status::success();
}

/// Checks that the manifest, which ends at `end`, is followed only by parts and by zeros.
static Status checkGaps(const std::string &path, const ReadAt &read, const Manifest &manifest,
                        uint64_t end) {
  std::vector<Extent> extents = listExtents(manifest);
  extents.push_back(manifest.tail);
  for (auto [offset, size] : extents) {
    std::string bytes(offset - end, '\0');
    if (Status status = read(end, bytes.data(), bytes.size()); !status.ok())
      return status;
    if (!std::all_of(bytes.begin(), bytes.end(), [](char c) { return !c; }))
      return corrupt(path, "bytes between its parts are not zero");
    end = offset + size;
  }
  return Status::success();
}

Status Artifact::read() {
  file = std::make_unique<File>();
  uint64_t fileSize, end;
  if (Status status = File::openRegular(path, *file, fileSize); !status.ok())
    return status;
  ReadAt read = [&](uint64_t offset, void *data, size_t size) {
    return file->readAt(path, offset, data, size);
  };
  if (Status status = readManifest(path, fileSize, read, manifest, end); !status.ok())
    return status;
  std::string tail;
  if (Status status = readPart(manifest.tail, tail, "section table"); !status.ok())
    return status;
  if (Status status = readPart(manifest.code, code, "code"); !status.ok())
    return status;
  for (const Variant &variant : manifest.variants) {
    std::vector<std::string> &bytes = images.emplace_back();
    for (const Image &image : variant.images)
      if (Status status = readPart(image.part, bytes.emplace_back(), "image"); !status.ok())
        return status;
  }
  return checkGaps(path, read, manifest, end);
}

Status Artifact::mapWeights(size_t index, VerifyWeights verify) {
  const Variant &variant = manifest.variants[index];
  const Weights &weights = variant.weights;
  unmapWeights();
  if (weights.size == 0)
    return Status::success();
  File beside;
  int fd = file->get();
  std::string from = path;
  if (!variant.weightsFile.empty()) {
    from = path.substr(0, path.rfind('/') + 1) + variant.weightsFile;
    uint64_t size;
    if (Status status = File::openRegular(from, beside, size); !status.ok())
      return status;
    if (weights.offset != 0 || size != weights.size)
      return corrupt(from, "weights of " + std::to_string(weights.size) + " bytes expected, got " +
                               std::to_string(size));
    fd = beside.get();
  }
  void *memory = ::mmap(nullptr, weights.size, PROT_READ, MAP_PRIVATE, fd, off_t(weights.offset));
  if (memory == MAP_FAILED)
    return ioError(from, "cannot map the weights");
  mapping = memory;
  mappingSize = weights.size;
  if (verify == VerifyWeights::Never)
    return Status::success();
  if (XXH3::hash({static_cast<const char *>(mapping), mappingSize}) != weights.xxh3)
    return corrupt(from, "the weights' hash does not match");
  if (mappingSize >= largeWeights)
    ::madvise(mapping, mappingSize, MADV_DONTNEED);
  verified = true;
  return Status::success();
}
