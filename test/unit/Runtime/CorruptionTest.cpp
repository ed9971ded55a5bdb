//===- CorruptionTest.cpp - damaged artifacts are never executed ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <random>
#include <unistd.h>

using namespace tssa::runtime;
using namespace tssa::runtime::test;

namespace {

/// A fixture with artifacts of trap_model.c. If any of their code runs, it opens descriptor 1000.
class Corruption : public ::testing::Test {
protected:
  static constexpr int mark = 1000;
  TemporaryFolder folder;
  std::string path = folder.file("trap.so"), damaged = folder.file("damaged.so");
  std::string good;
  Part manifestPart;

  void SetUp() override {
    Manifest manifest = makeAddManifest();
    manifest.variants.resize(2, manifest.variants[0]);
    manifest.variants[1].target = "cuda:sm_90";
    manifest.variants[1].suffix = "_1";
    manifest.variants[1].kernels = {{"add", 4, 128, 0, -1, -1}};
    manifest.variants[1].images = {{Image::PTX, "sm_90", {}}};
    std::vector<char> weights(20000, 'w');
    std::vector<WeightChunk> chunks = {{0, weights.size(), weights.data()}};
    ASSERT_OK(writeArtifact(path, readModel("trap_model"), manifest,
                            {{chunks, {}}, {chunks, {std::string(3000, 'p')}}}));
    good = readFile(path);
    std::unique_ptr<Artifact> artifact;
    ASSERT_OK(Artifact::open(path, artifact));
    manifestPart.offset = artifact->getManifest().code.size;
    manifestPart.size = encodeManifest(artifact->getManifest()).size();
  }

  static bool marked() { return fcntl(mark, F_GETFD) != -1; }

  Status load(const std::string &bytes) {
    writeFile(damaged, bytes);
    SessionOptions options;
    options.threads = 1;
    std::unique_ptr<Session> session;
    return Session::load(damaged, options, session);
  }

  void expectRefused(const std::string &bytes, const std::string &what) {
    Status status = load(bytes);
    EXPECT_TRUE(status.code == TSSA_CORRUPT || status.code == TSSA_INCOMPATIBLE)
        << what << ": " << status.code;
    EXPECT_NE(status.message, "") << what;
    ASSERT_FALSE(marked()) << what << " was executed";
  }
};

} // namespace

TEST_F(Corruption, TheTrapWorks) {
  ASSERT_FALSE(marked());
  EXPECT_OK(load(good));
  EXPECT_TRUE(marked());
  close(mark);
}

TEST_F(Corruption, TruncationAtEveryPage) {
  for (size_t size = 0; size < good.size(); size += 4096)
    expectRefused(good.substr(0, size), "truncated to " + std::to_string(size));
  for (size_t less : {1, 2, 8, 63, 64, 65, 500})
    expectRefused(good.substr(0, good.size() - less), "cut at the end");
  expectRefused(good + '\0', "with a byte appended");
}

TEST_F(Corruption, AThousandByteFlips) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = good;
    size_t at = random() % bytes.size();
    bytes[at] = char(bytes[at] ^ (1 << random() % 8));
    expectRefused(bytes, "flip at " + std::to_string(at));
  }
}

TEST_F(Corruption, EveryByteOfTheHeaderAndTheManifest) {
  for (size_t at = 0; at < good.size(); ++at) {
    if (at == sizeof(Elf64_Ehdr))
      at = manifestPart.offset;
    if (at == manifestPart.offset + manifestPart.size)
      break;
    for (int bit : {0, 7}) {
      std::string bytes = good;
      bytes[at] = char(bytes[at] ^ (1 << bit));
      expectRefused(bytes, "flip at " + std::to_string(at));
    }
  }
}

TEST_F(Corruption, HeaderFieldsAtTheirExtremes) {
  for (size_t at = 16; at < sizeof(Elf64_Ehdr); at += 2)
    for (uint16_t value : {0, 1, 0x7fff, 0xffff}) {
      std::string bytes = good;
      std::memcpy(bytes.data() + at, &value, sizeof(value));
      if (bytes != good)
        expectRefused(bytes, "header field at " + std::to_string(at));
    }
}

TEST_F(Corruption, EveryByteOfTheSectionTable) {
  Elf64_Ehdr header;
  std::memcpy(&header, good.data(), sizeof(header));
  for (size_t at = header.e_shoff; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = char(bytes[at] ^ 0xff);
    expectRefused(bytes, "section table at " + std::to_string(at));
  }
}

// The parts of two valid artifacts do not make a valid one.
TEST_F(Corruption, PartsOfTwoArtifacts) {
  std::string other = folder.file("add.so");
  writeAddArtifact(other);
  std::string bytes = readFile(other);
  std::memcpy(bytes.data() + sizeof(Elf64_Ehdr), good.data() + sizeof(Elf64_Ehdr), 4096);
  expectRefused(bytes, "code of another artifact");
}
