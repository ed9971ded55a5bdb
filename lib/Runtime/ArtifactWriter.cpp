//===- ArtifactWriter.cpp - appends manifest and weights to an ELF -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ELFSections.h"
#include "Checked.h"
#include "File.h"
#include "ManifestCheck.h"

#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/SHA256.h"

#include <algorithm>
#include <cstring>

using namespace tssa::runtime;

static constexpr uint64_t pageSize = 4096;
static constexpr uint64_t manifestAlignment = 64;
static constexpr uint64_t weightAlignment = 64;

static Digest hashPieces(std::string_view first, uint64_t zeros) {
  SHA256 sha;
  sha.update(first);
  sha.update(std::string(zeros, '\0'));
  return sha.final();
}

/// Checks the chunks' order and returns their extent.
static Status measureWeights(const std::vector<WeightChunk> &chunks,
                             uint64_t &size) {
  size = 0;
  for (const WeightChunk &chunk : chunks) {
    std::optional<uint64_t> end = checkedAdd(chunk.offset, chunk.size);
    if (chunk.offset % weightAlignment != 0 || chunk.offset < size || !end ||
        *end > uint64_t(INT64_MAX) / 2)
      return makeError(TSSA_INTERNAL,
                       "constant at weight offset " +
                           std::to_string(chunk.offset) +
                           " is misaligned, out of order or too large");
    size = *end;
  }
  return Status::success();
}

/// Writes the chunks from `base` on and hashes them, gaps as zeros.
static Status writeWeights(const PendingFile &file, uint64_t base,
                           const std::vector<WeightChunk> &chunks,
                           Digest &digest) {
  SHA256 sha;
  const std::string zeros(pageSize, '\0');
  uint64_t position = 0;
  for (const WeightChunk &chunk : chunks) {
    while (position < chunk.offset) {
      uint64_t count = std::min(chunk.offset - position, pageSize);
      sha.update(zeros.data(), count);
      position += count;
    }
    sha.update(chunk.data, chunk.size);
    if (Status status =
            file.writeAt(base + chunk.offset, chunk.data, chunk.size);
        !status.ok())
      return status;
    position = chunk.offset + chunk.size;
  }
  digest = sha.final();
  return Status::success();
}

namespace {

/// Builds the section names and headers that end the artifact.
class Tail {
public:
  explicit Tail(ELFSections elf) : elf(std::move(elf)) {
    if (this->elf.sections.empty()) {
      this->elf.sections.resize(2);
      this->elf.names.assign(1, '\0');
      this->elf.sections[1].sh_type = SHT_STRTAB;
      this->elf.sections[1].sh_name = addName(".shstrtab");
      this->elf.header.e_shstrndx = 1;
    }
  }

  void addSection(const char *name, uint64_t offset, uint64_t size,
                  uint64_t alignment) {
    Elf64_Shdr section{};
    section.sh_name = addName(name);
    section.sh_type = SHT_PROGBITS;
    section.sh_offset = offset;
    section.sh_size = size;
    section.sh_addralign = alignment;
    elf.sections.push_back(section);
  }

  /// The bytes to put at `offset`, a multiple of 8; completes `header`.
  std::string finish(uint64_t offset, Elf64_Ehdr &header) {
    Elf64_Shdr &names = elf.sections[elf.header.e_shstrndx];
    names.sh_offset = offset;
    names.sh_size = elf.names.size();
    std::string bytes = elf.names;
    bytes.resize(alignTo(bytes.size(), 8));
    elf.header.e_shoff = offset + bytes.size();
    elf.header.e_shnum = uint16_t(elf.sections.size());
    elf.header.e_shentsize = sizeof(Elf64_Shdr);
    bytes.append(reinterpret_cast<const char *>(elf.sections.data()),
                 elf.sections.size() * sizeof(Elf64_Shdr));
    header = elf.header;
    return bytes;
  }

private:
  ELFSections elf;

  uint32_t addName(const char *name) {
    uint32_t offset = uint32_t(elf.names.size());
    elf.names.append(name, std::strlen(name) + 1);
    return offset;
  }
};

} // namespace

static Status readInput(std::string_view code, ELFSections &elf) {
  ReadAt read = [&](uint64_t offset, void *data, size_t size) {
    std::memcpy(data, code.data() + offset, size);
    return Status::success();
  };
  if (Status status = readSections(code.size(), read, elf); !status.ok())
    return status;
  for (const char *name : {manifestSectionName, weightsSectionName})
    if (elf.find(name))
      return makeError(TSSA_INTERNAL, std::string("the linked code has a "
                                                  "section ") +
                                          name + " already");
  return Status::success();
}

Status tssa::runtime::writeArtifact(const std::string &path,
                                    std::string_view code, Manifest manifest,
                                    const std::vector<WeightChunk> &weights,
                                    const WriteOptions &options) {
  ELFSections elf;
  if (Status status = readInput(code, elf); !status.ok())
    return status;
  uint64_t weightsSize;
  if (Status status = measureWeights(weights, weightsSize); !status.ok())
    return status;
  bool beside = weightsSize > options.embedLimit;
  manifest.weightsFile =
      beside ? path.substr(path.rfind('/') + 1) + ".weights" : "";
  manifest.memory.constantBytes = int64_t(weightsSize);
  if (Status status = checkManifest(manifest); !status.ok())
    return makeError(TSSA_INTERNAL, status.message);

  // Places. The manifest's size does not depend on what is filled in later.
  uint64_t manifestOffset = alignTo(code.size(), manifestAlignment);
  uint64_t manifestSize = encodeManifest(manifest).size();
  uint64_t end = manifestOffset + manifestSize;
  manifest.weights.offset = beside || !weightsSize ? 0 : alignTo(end, pageSize);
  manifest.weights.size = weightsSize;
  if (manifest.weights.offset)
    end = manifest.weights.offset + weightsSize;
  Tail tail(std::move(elf));
  tail.addSection(manifestSectionName, manifestOffset, manifestSize,
                  manifestAlignment);
  if (manifest.weights.offset)
    tail.addSection(weightsSectionName, manifest.weights.offset, weightsSize,
                    pageSize);
  Elf64_Ehdr header;
  manifest.tail.offset = alignTo(end, 8);
  std::string tailBytes = tail.finish(manifest.tail.offset, header);
  manifest.tail.size = tailBytes.size();
  manifest.tail.sha256 = SHA256::hash(tailBytes);
  std::string patched(code);
  std::memcpy(patched.data(), &header, sizeof(header));
  manifest.code.offset = 0;
  manifest.code.size = manifestOffset;
  manifest.code.sha256 = hashPieces(patched, manifestOffset - code.size());

  PendingFile file, weightsFile;
  if (Status status = file.create(path); !status.ok())
    return status;
  if (beside)
    if (Status status = weightsFile.create(path + ".weights"); !status.ok())
      return status;
  if (Status status =
          writeWeights(beside ? weightsFile : file, manifest.weights.offset,
                       weights, manifest.weights.sha256);
      !status.ok())
    return status;
  std::string manifestBytes = encodeManifest(manifest);
  for (auto [offset, bytes] :
       {std::pair<uint64_t, std::string_view>(0, patched),
        {manifestOffset, manifestBytes},
        {manifest.tail.offset, tailBytes}})
    if (Status status = file.writeAt(offset, bytes.data(), bytes.size());
        !status.ok())
      return status;
  if (beside)
    if (Status status = weightsFile.commit(); !status.ok())
      return status;
  return file.commit();
}
