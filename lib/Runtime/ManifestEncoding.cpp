//===- ManifestEncoding.cpp - the bytes of a manifest --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Header: magic (8), major and minor version (u16 each), zero (u32), payload
/// size (u64), SHA-256 of those 24 bytes and the payload (32). Payload: the
/// fields of `Manifest` in the order of `visitManifest`; a string or a list is
/// its count (u32) and its elements. One visitor describes both directions, so
/// reader and writer cannot differ.
///
//===----------------------------------------------------------------------===//
#include "ManifestCheck.h"

#include "tssa/Runtime/SHA256.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

using namespace tssa::runtime;

static constexpr char magic[8] = {'T', 'S', 'S', 'A', '-', 'M', 'A', 'N'};
static constexpr uint16_t majorVersion = 7;
static constexpr uint16_t minorVersion = 0;
static constexpr size_t hashedHeader = 24;
static constexpr size_t headerSize = hashedHeader + sizeof(Digest);

namespace {

class Encoder {
public:
  std::string bytes;

  template <typename T> void number(const T &value) {
    uint64_t bits;
    if constexpr (std::is_enum_v<T>)
      bits = uint64_t(std::underlying_type_t<T>(value));
    else
      bits = uint64_t(value);
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes += char(bits >> (8 * i));
  }
  void flag(const bool &value) { bytes += char(value); }
  void enumeration(const uint8_t &value, unsigned) { bytes += char(value); }
  void string(const std::string &value) {
    number(uint32_t(value.size()));
    bytes += value;
  }
  template <size_t size> void hash(const std::array<uint8_t, size> &value) {
    bytes.append(reinterpret_cast<const char *>(value.data()), value.size());
  }
  template <typename T, typename Visit>
  void list(const std::vector<T> &values, size_t, Visit visit) {
    number(uint32_t(values.size()));
    for (const T &value : values)
      visit(value);
  }
};

/// Reads a manifest and checks bounds. After the first fault, every read gives zero.
class Decoder {
public:
  explicit Decoder(std::string_view bytes) : bytes(bytes) {}
  bool failed = false;
  size_t left() const { return bytes.size(); }

  template <typename T> void number(T &value) {
    std::string_view raw = take(sizeof(T));
    uint64_t bits = 0;
    for (size_t i = 0; i < raw.size(); ++i)
      bits |= uint64_t(uint8_t(raw[i])) << (8 * i);
    value = T(bits);
  }
  void flag(bool &value) {
    uint8_t raw = 0;
    enumeration(raw, 2);
    value = raw;
  }
  void enumeration(uint8_t &value, unsigned count) {
    number(value);
    if (value >= count) {
      failed = true;
      value = 0;
    }
  }
  void string(std::string &value) {
    uint32_t size = 0;
    number(size);
    value = std::string(take(size));
  }
  template <size_t size> void hash(std::array<uint8_t, size> &value) {
    std::string_view raw = take(value.size());
    std::copy(raw.begin(), raw.end(), value.begin());
  }
  /// Reads a list. `least` is the smallest size of an encoded element, so that an impossible
  /// count is refused before memory is allocated for it.
  template <typename T, typename Visit>
  void list(std::vector<T> &values, size_t least, Visit visit) {
    uint32_t count = 0;
    number(count);
    if (count > bytes.size() / least) {
      failed = true;
      return;
    }
    values.resize(count);
    for (T &value : values)
      visit(value);
  }

private:
  std::string_view bytes;

  std::string_view take(size_t size) {
    if (size > bytes.size()) {
      failed = true;
      bytes = {};
    }
    std::string_view taken = failed ? std::string_view() : bytes.substr(0, size);
    bytes.remove_prefix(taken.size());
    return taken;
  }
};

/// `Const<Coder, T>` is T for a decoder and const T for an encoder.
template <typename Coder, typename T>
using Const = std::conditional_t<std::is_same_v<Coder, Encoder>, const T, T>;

template <typename Coder, typename E> void visitEnum(Coder &coder, E &value, unsigned count) {
  uint8_t raw = uint8_t(value);
  coder.enumeration(raw, count);
  if constexpr (!std::is_const_v<E>)
    value = E(raw);
}

template <typename Coder> void visitPort(Coder &coder, Const<Coder, Port> &port) {
  coder.string(port.name);
  visitEnum(coder, port.dtype, numDTypes);
  visitEnum(coder, port.kind, 4);
  coder.list(port.dims, 13, [&](auto &dim) {
    visitEnum(coder, dim.kind, 3);
    coder.number(dim.value);
    coder.string(dim.text);
  });
  coder.number(port.aliasOf);
  visitEnum(coder, port.labels.kind, 4);
  coder.list(port.labels.strings, 4, [&](auto &text) { coder.string(text); });
  coder.list(port.labels.ints, 8, [&](auto &key) { coder.number(key); });
}

template <typename Coder> void visitPart(Coder &coder, Const<Coder, Part> &part) {
  coder.number(part.offset);
  coder.number(part.size);
  coder.hash(part.sha256);
}

template <typename Coder> void visitWeights(Coder &coder, Const<Coder, Weights> &weights) {
  coder.number(weights.offset);
  coder.number(weights.size);
  coder.hash(weights.xxh3);
}

template <typename Coder> void visitLaunches(Coder &coder, Const<Coder, Variant> &variant) {
  coder.list(variant.launches, 24, [&](auto &launch) {
    coder.string(launch.kernel);
    coder.list(launch.nodes, 4, [&](auto &node) { coder.number(node); });
    coder.number(launch.flops);
    coder.number(launch.bytes);
  });
  coder.list(variant.kernels, 32, [&](auto &kernel) {
    coder.string(kernel.name);
    coder.number(kernel.parameters);
    coder.number(kernel.threads);
    coder.number(kernel.sharedBytes);
    coder.number(kernel.registers);
    coder.number(kernel.spillBytes);
  });
  coder.list(variant.images, 53, [&](auto &image) {
    visitEnum(coder, image.kind, 2);
    coder.string(image.arch);
    visitPart(coder, image.part);
  });
}

template <typename Coder> void visitVariant(Coder &coder, Const<Coder, Variant> &variant) {
  coder.string(variant.target);
  coder.string(variant.suffix);
  coder.string(variant.triple);
  coder.string(variant.cpu);
  coder.list(variant.cpuFeatures, 4, [&](auto &name) { coder.string(name); });
  coder.string(variant.machine);
  visitLaunches(coder, variant);
  coder.number(variant.memory.constantBytes);
  coder.number(variant.memory.arenaBytes);
  coder.number(variant.memory.scratchBytes);
  coder.flag(variant.memory.growable);
  visitWeights(coder, variant.weights);
  coder.string(variant.weightsFile);
}

template <typename Coder> void visitManifest(Coder &coder, Const<Coder, Manifest> &manifest) {
  coder.number(manifest.abiVersion);
  coder.string(manifest.toolBuild);
  coder.string(manifest.modelName);
  coder.string(manifest.producer);
  auto port = [&](auto &value) { visitPort(coder, value); };
  coder.list(manifest.inputs, 23, port);
  coder.list(manifest.outputs, 23, port);
  coder.list(manifest.symbols, 28, [&](auto &symbol) {
    coder.string(symbol.name);
    coder.number(symbol.input);
    coder.number(symbol.dim);
    coder.number(symbol.min);
    coder.number(symbol.max);
  });
  coder.list(manifest.nodes, 8, [&](auto &node) {
    coder.string(node.name);
    coder.string(node.op);
  });
  coder.list(manifest.variants, 97, [&](auto &variant) { visitVariant(coder, variant); });
  visitPart(coder, manifest.code);
  visitPart(coder, manifest.tail);
}

} // namespace

static Digest hashManifest(std::string_view header, std::string_view payload) {
  SHA256 sha;
  sha.update(header);
  sha.update(payload);
  return sha.final();
}

std::string tssa::runtime::encodeManifest(const Manifest &manifest) {
  Encoder payload;
  visitManifest(payload, manifest);
  Encoder header;
  header.bytes.assign(magic, sizeof(magic));
  header.number(majorVersion);
  header.number(minorVersion);
  header.number(uint32_t(0));
  header.number(uint64_t(payload.bytes.size()));
  header.hash(hashManifest(header.bytes, payload.bytes));
  return header.bytes + payload.bytes;
}

Status tssa::runtime::decodeManifest(std::string_view bytes, Manifest &manifest) {
  if (bytes.size() < headerSize || std::memcmp(bytes.data(), magic, sizeof(magic)) != 0)
    return makeError(TSSA_CORRUPT, "not a tssa manifest");
  Decoder header(bytes.substr(sizeof(magic), headerSize - sizeof(magic)));
  uint16_t major = 0, minor = 0;
  uint32_t zero = 0;
  uint64_t payloadSize = 0;
  Digest expected{};
  header.number(major);
  header.number(minor);
  header.number(zero);
  header.number(payloadSize);
  header.hash(expected);
  std::string_view payload = bytes.substr(headerSize);
  if (payloadSize != payload.size())
    return makeError(TSSA_CORRUPT, "manifest: " + std::to_string(payloadSize) +
                                       " bytes expected, " + std::to_string(payload.size()) +
                                       " there");
  if (hashManifest(bytes.substr(0, hashedHeader), payload) != expected)
    return makeError(TSSA_CORRUPT, "manifest: its hash does not match");
  if (major != majorVersion || zero != 0)
    return makeError(TSSA_INCOMPATIBLE,
                     "made in version " + std::to_string(major) +
                         " of the artifact format, this runtime reads version " +
                         std::to_string(majorVersion) +
                         (major < majorVersion ? ": compile the model again"
                                               : ": update the runtime, or compile the model "
                                                 "with the compiler of this version"));
  Manifest decoded;
  Decoder decoder(payload);
  visitManifest(decoder, decoded);
  // A later minor version appends fields, which are ignored here.
  if (decoder.failed || (decoder.left() != 0 && minor <= minorVersion))
    return makeError(TSSA_CORRUPT, "manifest: malformed");
  if (Status status = checkManifest(decoded); !status.ok())
    return status;
  manifest = std::move(decoded);
  return Status::success();
}
