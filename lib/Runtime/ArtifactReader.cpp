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

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <tuple>

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

/// Returns the parts of the file between the manifest and the tail, in order and without
/// duplicates.
static std::vector<Part> listParts(const Manifest &manifest) {
  std::vector<Part> parts;
  for (const Variant &variant : manifest.variants) {
    if (variant.weightsFile.empty() && variant.weights.size)
      parts.push_back(variant.weights);
    for (const Image &image : variant.images)
      parts.push_back(image.part);
  }
  std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) {
    return std::tie(a.offset, a.size) < std::tie(b.offset, b.size);
  });
  auto same = [](const Part &a, const Part &b) {
    return a.offset == b.offset && a.size == b.size && a.sha256 == b.sha256;
  };
  parts.erase(std::unique(parts.begin(), parts.end(), same), parts.end());
  return parts;
}

/// Returns whether the sections whose names begin with `sectionPrefix` are exactly the manifest and
/// the parts.
static bool matchSections(const ELFSections &elf, const std::vector<Part> &parts) {
  std::vector<std::pair<uint64_t, uint64_t>> sections, expected;
  for (const Elf64_Shdr &section : elf.sections) {
    std::string_view name = elf.getName(section);
    if (name.substr(0, std::strlen(sectionPrefix)) == sectionPrefix && name != manifestSectionName)
      sections.emplace_back(section.sh_offset, section.sh_size);
  }
  for (const Part &part : parts)
    expected.emplace_back(part.offset, part.size);
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
  std::vector<Part> parts = listParts(manifest);
  bool good = manifest.code.offset == 0 && manifest.code.size == section.sh_offset &&
              matchSections(elf, parts) && areMappable(manifest);
  parts.push_back(manifest.tail);
  uint64_t end = section.sh_offset + section.sh_size;
  for (const Part &part : parts) {
    good = good && part.size != 0 && part.offset >= end && part.offset - end < pageSize &&
           part.offset <= fileSize && part.size <= fileSize - part.offset;
    end = part.offset + part.size;
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
  if (!matches(bytes, part))
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
  std::vector<Part> parts = listParts(manifest);
  parts.push_back(manifest.tail);
  for (const Part &part : parts) {
    std::string bytes(part.offset - end, '\0');
    if (Status status = read(end, bytes.data(), bytes.size()); !status.ok())
      return status;
    if (!std::all_of(bytes.begin(), bytes.end(), [](char c) { return !c; }))
      return corrupt(path, "bytes between its parts are not zero");
    end = part.offset + part.size;
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
  const Part &part = variant.weights;
  unmapWeights();
  if (part.size == 0)
    return Status::success();
  File beside;
  int fd = file->get();
  std::string from = path;
  if (!variant.weightsFile.empty()) {
    from = path.substr(0, path.rfind('/') + 1) + variant.weightsFile;
    uint64_t size;
    if (Status status = File::openRegular(from, beside, size); !status.ok())
      return status;
    if (part.offset != 0 || size != part.size)
      return corrupt(from, "weights of " + std::to_string(part.size) + " bytes expected, got " +
                               std::to_string(size));
    fd = beside.get();
  }
  void *memory = ::mmap(nullptr, part.size, PROT_READ, MAP_PRIVATE, fd, off_t(part.offset));
  if (memory == MAP_FAILED)
    return ioError(from, "cannot map the weights");
  mapping = memory;
  mappingSize = part.size;
  uint64_t limit = SHA256::isAccelerated() ? autoLimitAccelerated : autoLimitPlain;
  if (verify == VerifyWeights::Never || (verify == VerifyWeights::Auto && part.size > limit))
    return Status::success();
  if (!matches({static_cast<const char *>(mapping), mappingSize}, part))
    return corrupt(from, "the weights' hash does not match");
  verified = true;
  return Status::success();
}
