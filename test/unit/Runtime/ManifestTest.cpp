//===- ManifestTest.cpp --------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include "tssa/Runtime/SHA256.h"
#include "tssa/Runtime/XXH3.h"

#include <cstring>
#include <random>

using namespace tssa::runtime;
using namespace tssa::runtime::test;

/// Corrects the hash of an encoded manifest whose bytes were changed.
static void sealManifest(std::string &bytes) {
  SHA256 sha;
  sha.update(bytes.data(), 24);
  sha.update(bytes.data() + 56, bytes.size() - 56);
  Digest digest = sha.final();
  std::memcpy(bytes.data() + 24, digest.data(), digest.size());
}

TEST(Manifest, RoundTrip) {
  Manifest manifest = makeAddManifest();
  manifest.producer = "somebody";
  manifest.variants[0].machine = "{cpu = \"x86-64\"}";
  manifest.outputs[0].labels = {Labels::IntKeys, {}, {7, -1, INT64_MIN}};
  manifest.code = {{0, 4096}, SHA256::hash("code")};
  Variant &variant = manifest.variants.emplace_back(manifest.variants[0]);
  variant.target = "cuda:sm_90";
  variant.suffix = "_1";
  variant.weights = {{8192, 12}, XXH3::hash("weights")};
  variant.kernels = {{"add", 5, 256, 49152, 40, 8}};
  variant.images = {{Image::Cubin, "sm_90", {{4096, 99}, SHA256::hash("image")}}};
  std::string bytes = encodeManifest(manifest);
  Manifest read;
  ASSERT_OK(decodeManifest(bytes, read));
  EXPECT_EQ(encodeManifest(read), bytes);
  EXPECT_EQ(read.producer, "somebody");
  EXPECT_EQ(read.variants[1].machine, "{cpu = \"x86-64\"}");
  EXPECT_EQ(read.outputs[1].dims[0].kind, Dim::Derived);
  EXPECT_EQ(read.outputs[0].labels.ints, (std::vector<int64_t>{7, -1, INT64_MIN}));
  EXPECT_EQ(read.outputs[1].labels.kind, Labels::Strings);
  EXPECT_EQ(read.outputs[1].labels.strings, manifest.outputs[1].labels.strings);
  EXPECT_EQ(read.symbols[0].max, 1 << 20);
  EXPECT_EQ(read.variants[0].launches[0].nodes, std::vector<int32_t>{0});
  ASSERT_EQ(read.variants.size(), 2u);
  EXPECT_EQ(read.variants[1].weights.xxh3, XXH3::hash("weights"));
  EXPECT_EQ(read.variants[1].kernels[0].sharedBytes, 49152);
  EXPECT_EQ(read.variants[1].images[0].arch, "sm_90");
}

TEST(Manifest, SizeDoesNotDependOnPlaces) {
  Manifest manifest = makeAddManifest();
  size_t size = encodeManifest(manifest).size();
  manifest.code = {{~0ull, ~0ull}, SHA256::hash("x")};
  EXPECT_EQ(encodeManifest(manifest).size(), size);
}

TEST(Manifest, EveryPrefixIsRefused) {
  std::string bytes = encodeManifest(makeAddManifest());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Manifest read;
    EXPECT_EQ(decodeManifest(bytes.substr(0, size), read).code, TSSA_CORRUPT);
  }
}

// The hash is valid, so the decoder itself must detect the damage.
TEST(Manifest, DamageUnderAValidHashNeverCrashes) {
  const std::string good = encodeManifest(makeAddManifest());
  std::mt19937 random(1);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (unsigned flips = 1 + random() % 4; flips; --flips)
      bytes[56 + random() % (bytes.size() - 56)] = char(random());
    if (random() % 4 == 0)
      bytes.resize(56 + random() % (bytes.size() - 56));
    uint64_t payload = bytes.size() - 56;
    std::memcpy(bytes.data() + 16, &payload, sizeof(payload));
    sealManifest(bytes);
    Manifest read;
    accepted += decodeManifest(bytes, read).ok();
  }
  EXPECT_LT(accepted, 20000);
}

TEST(Manifest, OtherMajorVersion) {
  std::string bytes = encodeManifest(makeAddManifest());
  bytes[8] = 2;
  sealManifest(bytes);
  Manifest read;
  EXPECT_FAULT(TSSA_INCOMPATIBLE,
               "made in version 2 of the artifact format, this runtime reads version 7: compile "
               "the model again",
               decodeManifest(bytes, read));
  bytes[8] = 8;
  sealManifest(bytes);
  EXPECT_FAULT(TSSA_INCOMPATIBLE, "this runtime reads version 7: update the runtime",
               decodeManifest(bytes, read));
}

TEST(Manifest, LaterMinorVersionMayAppend) {
  std::string bytes = encodeManifest(makeAddManifest());
  bytes += "more";
  uint64_t payload = bytes.size() - 56;
  std::memcpy(bytes.data() + 16, &payload, sizeof(payload));
  sealManifest(bytes);
  Manifest read;
  EXPECT_FAULT(TSSA_CORRUPT, "malformed", decodeManifest(bytes, read));
  bytes[10] = 1;
  sealManifest(bytes);
  EXPECT_OK(decodeManifest(bytes, read));
}

/// Expects that a manifest is refused after a change.
template <typename Change> static void expectFault(const char *text, Change change) {
  Manifest manifest = makeAddManifest(), read;
  change(manifest);
  EXPECT_FAULT(TSSA_CORRUPT, text, decodeManifest(encodeManifest(manifest), read));
}

TEST(Manifest, InconsistentLabels) {
  expectFault("input 'a' has labels, which only an output may have",
              [](Manifest &m) { m.inputs[0].labels.kind = Labels::Strings; });
  expectFault("output 'found' has labels of the wrong kind",
              [](Manifest &m) { m.outputs[1].labels.kind = Labels::None; });
  expectFault("output 'found' has labels of the wrong kind",
              [](Manifest &m) { m.outputs[1].labels.ints = {1}; });
  expectFault("output 'sum' has strings, but its elements are not indexes of type i64",
              [](Manifest &m) { m.outputs[0].labels.kind = Labels::Strings; });
  expectFault("output 'sum' does not have a column for each of its 2 keys",
              [](Manifest &m) { m.outputs[0].labels = {Labels::StringKeys, {"a", "b"}, {}}; });
  expectFault("output 'found' does not have a column for each of its 0 keys",
              [](Manifest &m) { m.outputs[1].labels = {Labels::IntKeys, {}, {}}; });
}

TEST(Manifest, Inconsistencies) {
  expectFault("has a machine that is not one line of text",
              [](Manifest &m) { m.variants[0].machine = "one\ntwo"; });
  expectFault("has a machine that is not one line of text",
              [](Manifest &m) { m.variants[0].machine = std::string(4097, 'x'); });
  expectFault("two inputs are named 'a'", [](Manifest &m) { m.inputs[1].name = "a"; });
  expectFault("has no name", [](Manifest &m) { m.outputs[0].name = ""; });
  expectFault("wrong kind", [](Manifest &m) { m.inputs[0].kind = Port::Out; });
  expectFault("symbol that does not exist", [](Manifest &m) { m.inputs[0].dims[0].value = 1; });
  expectFault("a size that only a run could compute",
              [](Manifest &m) { m.inputs[1].dims[0] = Dim::derived(); });
  expectFault("impossible size", [](Manifest &m) { m.inputs[0].dims[1].value = -1; });
  expectFault("impossible size",
              [](Manifest &m) { m.inputs[0].dims.assign(3, Dim::fixed(int64_t(1) << 40)); });
  expectFault("rank 65", [](Manifest &m) { m.inputs[1].dims.assign(65, Dim::fixed(1)); });
  expectFault("empty range", [](Manifest &m) { m.symbols[0].min = 1 << 21; });
  expectFault("does not occur in the dimension that it names",
              [](Manifest &m) { m.symbols[0].dim = 1; });
  expectFault("an input that does not exist", [](Manifest &m) { m.symbols[0].input = 3; });
  expectFault("names a node that does not exist",
              [](Manifest &m) { m.variants[0].launches[0].nodes = {2}; });
  expectFault("aliases an input that does not exist", [](Manifest &m) {
    m.outputs[0].kind = Port::Alias;
    m.outputs[0].aliasOf = 9;
  });
  expectFault("aliases an input of another type", [](Manifest &m) {
    m.outputs[1].kind = Port::Alias;
    m.outputs[1].aliasOf = 0;
  });
  expectFault("has a negative memory size",
              [](Manifest &m) { m.variants[0].memory.arenaBytes = -2; });
  expectFault("has an image for '90'",
              [](Manifest &m) { m.variants[0].images = {{Image::PTX, "90", {}}}; });
  expectFault("scratch memory of an invalid size",
              [](Manifest &m) { m.variants[0].memory.scratchBytes = 8; });
  expectFault("not a plain file name", [](Manifest &m) { m.variants[0].weightsFile = "../x"; });
  expectFault("no variant", [](Manifest &m) { m.variants.clear(); });
  expectFault("two variants are for 'cpu'",
              [](Manifest &m) { m.variants.resize(2, m.variants[0]); });
  expectFault("or have the same exports", [](Manifest &m) {
    m.variants.resize(2, m.variants[0]);
    m.variants[1].target = "cuda-emu";
  });
  expectFault("exports with invalid names", [](Manifest &m) { m.variants[0].suffix = "@1"; });
  expectFault("two kernels 'k'",
              [](Manifest &m) { m.variants[0].kernels = {{"k", 1, 1}, {"k", 1, 2}}; });
  expectFault("no threads", [](Manifest &m) { m.variants[0].kernels = {{"k", 1, 0}}; });
  expectFault("no parameters", [](Manifest &m) { m.variants[0].kernels = {{"k", 0, 1}}; });
  expectFault("two images for sm_90",
              [](Manifest &m) { m.variants[0].images.resize(2, {Image::PTX, "sm_90", {}}); });
}
