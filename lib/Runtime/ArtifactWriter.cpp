//===- ArtifactWriter.cpp - appends manifest and weights to an ELF -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Checked.h"
#include "ELFSections.h"
#include "File.h"
#include "ManifestCheck.h"

#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/SHA256.h"
#include "tssa/Runtime/XXH3.h"

#include <algorithm>
#include <cstring>

using namespace tssa::runtime;
using tssa::CheckedSize;

static constexpr uint64_t pageSize = 4096;
static constexpr uint64_t manifestAlignment = 64;
static constexpr uint64_t weightAlignment = 64;
static constexpr uint64_t imageAlignment = 64;

static Digest hashPieces(std::string_view first, uint64_t zeros) {
  SHA256 sha;
  sha.update(first);
  sha.update(std::string(zeros, '\0'));
  return sha.final();
}

/// Checks the order of the chunks, and sets `size` to the end of the last one.
static Status measureWeights(const std::vector<WeightChunk> &chunks, uint64_t &size) {
  size = 0;
  for (const WeightChunk &chunk : chunks) {
    CheckedSize end = CheckedSize(chunk.offset) + CheckedSize(chunk.size);
    if (chunk.offset % weightAlignment != 0 || chunk.offset < size || !end.fits(INT64_MAX / 2))
      return makeError(TSSA_INTERNAL, "constant at weight offset " + std::to_string(chunk.offset) +
                                          " is misaligned, out of order or too large");
    size = uint64_t(*end.get());
  }
  return Status::success();
}

/// Calls `visit(data, size)` for the chunks' bytes in order, with zeros for the gaps.
template <typename Visit>
static void visitWeights(const std::vector<WeightChunk> &chunks, Visit visit) {
  const std::string zeros(pageSize, '\0');
  uint64_t position = 0;
  for (const WeightChunk &chunk : chunks) {
    while (position < chunk.offset) {
      uint64_t count = std::min(chunk.offset - position, pageSize);
      visit(zeros.data(), count);
      position += count;
    }
    visit(chunk.data, chunk.size);
    position = chunk.offset + chunk.size;
  }
}

static Checksum hashWeights(const std::vector<WeightChunk> &chunks) {
  XXH3 hash;
  visitWeights(chunks, [&](const void *data, uint64_t size) { hash.update(data, size); });
  return hash.final();
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

  void addSection(const std::string &name, uint64_t offset, uint64_t size, uint64_t alignment) {
    Elf64_Shdr section{};
    section.sh_name = addName(name);
    section.sh_type = SHT_PROGBITS;
    section.sh_offset = offset;
    section.sh_size = size;
    section.sh_addralign = alignment;
    elf.sections.push_back(section);
  }

  /// Returns the bytes to write at `offset`, a multiple of 8, and completes `header`.
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

  uint32_t addName(const std::string &name) {
    uint32_t offset = uint32_t(elf.names.size());
    elf.names.append(name.c_str(), name.size() + 1);
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
  for (const Elf64_Shdr &section : elf.sections) {
    std::string_view name = elf.getName(section);
    if (name.substr(0, std::strlen(sectionPrefix)) == sectionPrefix)
      return makeError(TSSA_INTERNAL,
                       "the linked code has a section " + std::string(name) + " already");
  }
  return Status::success();
}

namespace {

/// Bytes that are stored in the artifact or in a file beside it.
struct Piece {
  Extent extent;
  Digest sha256{}; ///< of an image
  Checksum xxh3{}; ///< of weights
  std::string section;
  uint64_t alignment = 1;
  std::string beside; ///< suffix of the file beside the artifact; empty: in the artifact
  const std::vector<WeightChunk> *weights = nullptr; ///< either these ...
  std::string_view bytes;                            ///< ... or these

  template <typename Visit> void visit(Visit visit) const {
    if (weights)
      visitWeights(*weights, visit);
    else
      visit(bytes.data(), bytes.size());
  }
};

/// The contents of an artifact between the manifest and the tail. Pieces with identical bytes are
/// stored once.
class Pieces {
public:
  /// Measures and hashes the contents of all variants.
  Status collect(const Manifest &manifest, const std::vector<VariantContent> &contents,
                 const WriteOptions &options);
  /// Assigns offsets from `end` on to the pieces in the artifact. Returns the end of the last
  /// piece.
  uint64_t assignOffsets(uint64_t end);
  /// Sets the parts in the manifest; `name` is the name of the artifact's file.
  void fill(Manifest &manifest, const std::string &name) const;
  void addSections(Tail &tail) const;
  /// Writes all pieces to `file` and to files beside `path`.
  Status write(const PendingFile &file, const std::string &path);
  /// Renames the files beside the artifact to their final names.
  Status commit();

private:
  std::vector<Piece> pieces;
  std::vector<std::optional<size_t>> weights; ///< by variant
  std::vector<std::vector<size_t>> images;    ///< by variant
  std::vector<std::unique_ptr<PendingFile>> filesBeside;

  size_t add(Piece piece);
};

} // namespace

size_t Pieces::add(Piece piece) {
  for (size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].extent.size == piece.extent.size && pieces[i].sha256 == piece.sha256 &&
        pieces[i].xxh3 == piece.xxh3 && pieces[i].alignment == piece.alignment)
      return i;
  pieces.push_back(std::move(piece));
  return pieces.size() - 1;
}

Status Pieces::collect(const Manifest &manifest, const std::vector<VariantContent> &contents,
                       const WriteOptions &options) {
  if (contents.size() != manifest.variants.size())
    return makeError(TSSA_INTERNAL, "contents for " + std::to_string(contents.size()) +
                                        " variants, the manifest has " +
                                        std::to_string(manifest.variants.size()));
  for (size_t i = 0; i < contents.size(); ++i) {
    const Variant &variant = manifest.variants[i];
    Piece piece;
    piece.weights = &contents[i].weights;
    piece.section = weightsSectionName + variant.suffix;
    piece.alignment = pageSize;
    if (Status status = measureWeights(*piece.weights, piece.extent.size); !status.ok())
      return status;
    piece.xxh3 = hashWeights(*piece.weights);
    if (piece.extent.size > options.embedLimit)
      piece.beside = ".weights" + variant.suffix;
    weights.emplace_back();
    if (piece.extent.size)
      weights.back() = add(std::move(piece));
    images.emplace_back();
    if (contents[i].images.size() != variant.images.size())
      return makeError(TSSA_INTERNAL, "variant '" + variant.target +
                                          "' has another number of images than its contents");
    for (const std::string &bytes : contents[i].images) {
      if (bytes.empty())
        return makeError(TSSA_INTERNAL, "variant '" + variant.target + "' has an empty image");
      Piece image;
      image.bytes = bytes;
      image.extent.size = bytes.size();
      image.sha256 = SHA256::hash(bytes);
      image.alignment = imageAlignment;
      image.section = imageSectionName + std::to_string(pieces.size());
      images.back().push_back(add(std::move(image)));
    }
  }
  return Status::success();
}

uint64_t Pieces::assignOffsets(uint64_t end) {
  for (Piece &piece : pieces) {
    if (!piece.beside.empty())
      continue;
    piece.extent.offset = alignTo(end, piece.alignment);
    end = piece.extent.offset + piece.extent.size;
  }
  return end;
}

void Pieces::fill(Manifest &manifest, const std::string &name) const {
  for (size_t i = 0; i < manifest.variants.size(); ++i) {
    Variant &variant = manifest.variants[i];
    variant.weights = {};
    variant.weightsFile.clear();
    if (weights[i]) {
      const Piece &piece = pieces[*weights[i]];
      variant.weights = {piece.extent, piece.xxh3};
      if (!piece.beside.empty())
        variant.weightsFile = name + piece.beside;
    }
    variant.memory.constantBytes = int64_t(variant.weights.size);
    for (size_t image = 0; image < images[i].size(); ++image)
      variant.images[image].part = {pieces[images[i][image]].extent,
                                    pieces[images[i][image]].sha256};
  }
}

void Pieces::addSections(Tail &tail) const {
  for (const Piece &piece : pieces)
    if (piece.beside.empty())
      tail.addSection(piece.section, piece.extent.offset, piece.extent.size, piece.alignment);
}

/// Writes bytes to a new file, except blocks of zeros. In a new file, the bytes that are not
/// written are zero and take no space on the disk.
static Status writeSparse(const PendingFile &file, uint64_t position, const char *bytes,
                          uint64_t size) {
  static const char zeros[pageSize] = {};
  uint64_t begin = 0; // the first byte that is not written yet
  auto flush = [&](uint64_t end) {
    return begin == end ? Status::success()
                        : file.writeAt(position + begin, bytes + begin, end - begin);
  };
  for (uint64_t at = 0; at < size; at += pageSize) {
    uint64_t count = std::min(pageSize, size - at);
    if (std::memcmp(bytes + at, zeros, count) != 0)
      continue;
    if (Status status = flush(at); !status.ok())
      return status;
    begin = at + count;
  }
  return flush(size);
}

Status Pieces::write(const PendingFile &file, const std::string &path) {
  for (const Piece &piece : pieces) {
    const PendingFile *target = &file;
    if (!piece.beside.empty()) {
      filesBeside.push_back(std::make_unique<PendingFile>());
      target = filesBeside.back().get();
      if (Status status = filesBeside.back()->create(path + piece.beside); !status.ok())
        return status;
      if (Status status = target->setSize(piece.extent.size); !status.ok())
        return status;
    }
    uint64_t position = piece.extent.offset;
    Status status;
    piece.visit([&](const void *data, uint64_t size) {
      if (status.ok())
        status = writeSparse(*target, position, static_cast<const char *>(data), size);
      position += size;
    });
    if (!status.ok())
      return status;
  }
  return Status::success();
}

Status Pieces::commit() {
  for (auto &file : filesBeside)
    if (Status status = file->commit(); !status.ok())
      return status;
  return Status::success();
}

Status tssa::runtime::writeArtifact(const std::string &path, std::string_view code,
                                    Manifest manifest, const std::vector<VariantContent> &contents,
                                    const WriteOptions &options) {
  ELFSections elf;
  if (Status status = readInput(code, elf); !status.ok())
    return status;
  Pieces pieces;
  if (Status status = pieces.collect(manifest, contents, options); !status.ok())
    return status;
  const std::string name = path.substr(path.rfind('/') + 1);
  pieces.fill(manifest, name);
  if (Status status = checkManifest(manifest); !status.ok())
    return makeError(TSSA_INTERNAL, status.message);

  // Assign offsets. The manifest's size does not depend on the values that are filled in later.
  uint64_t manifestOffset = alignTo(code.size(), manifestAlignment);
  uint64_t manifestSize = encodeManifest(manifest).size();
  uint64_t end = pieces.assignOffsets(manifestOffset + manifestSize);
  pieces.fill(manifest, name);
  Tail tail(std::move(elf));
  tail.addSection(manifestSectionName, manifestOffset, manifestSize, manifestAlignment);
  pieces.addSections(tail);
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

  PendingFile file;
  if (Status status = file.create(path); !status.ok())
    return status;
  if (Status status = pieces.write(file, path); !status.ok())
    return status;
  std::string manifestBytes = encodeManifest(manifest);
  for (auto [offset, bytes] : {std::pair<uint64_t, std::string_view>(0, patched),
                               {manifestOffset, manifestBytes},
                               {manifest.tail.offset, tailBytes}})
    if (Status status = file.writeAt(offset, bytes.data(), bytes.size()); !status.ok())
      return status;
  // All files are complete by now; only the renames are left.
  if (Status status = pieces.commit(); !status.ok())
    return status;
  return file.commit();
}
