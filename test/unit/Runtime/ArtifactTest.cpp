//===- ArtifactTest.cpp --------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include <cstring>
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tssa::runtime;
using namespace tssa::runtime::test;

static std::unique_ptr<Artifact> open(const std::string &path,
                                      VerifyWeights verify = {}) {
  ReadOptions options;
  options.verifyWeights = verify;
  std::unique_ptr<Artifact> artifact;
  EXPECT_OK(Artifact::open(path, options, artifact));
  return artifact;
}

static Status tryOpen(const std::string &path, VerifyWeights verify = {}) {
  ReadOptions options;
  options.verifyWeights = verify;
  std::unique_ptr<Artifact> artifact;
  return Artifact::open(path, options, artifact);
}

TEST(Artifact, RoundTrip) {
  TemporaryFolder folder;
  std::string path = folder.file("add.so");
  writeAddArtifact(path);
  std::unique_ptr<Artifact> artifact = open(path);
  ASSERT_TRUE(artifact);
  EXPECT_EQ(artifact->getManifest().modelName, "add");
  EXPECT_TRUE(artifact->weightsVerified());
  EXPECT_EQ(artifact->getManifest().memory.constantBytes, 12);
  EXPECT_EQ(static_cast<const float *>(artifact->getWeights())[2], 2);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(artifact->getWeights()) % 4096, 0u);
  EXPECT_EQ(folder.list(), std::vector<std::string>{"add.so"});
}

// Only three fields of the ELF header differ from what the linker made.
TEST(Artifact, NoLoadedByteMoves) {
  TemporaryFolder folder;
  std::string path = folder.file("add.so"), code = readModel("add_model");
  writeAddArtifact(path);
  std::string bytes = readFile(path);
  ASSERT_GT(bytes.size(), code.size());
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  EXPECT_EQ(header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr), bytes.size());
  EXPECT_EQ(bytes.substr(sizeof(header), code.size() - sizeof(header)),
            code.substr(sizeof(header)));
}

TEST(Artifact, EqualArgumentsGiveEqualBytes) {
  TemporaryFolder one, two;
  writeAddArtifact(one.file("x.so"));
  writeAddArtifact(two.file("x.so"));
  EXPECT_EQ(readFile(one.file("x.so")), readFile(two.file("x.so")));
}

TEST(Artifact, GapsBetweenWeightsAreZero) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so");
  char first = 'a', second[100] = {'b'};
  ASSERT_OK(writeArtifact(path, readModel("add_model"), makeAddManifest(),
                          {{64, 1, &first}, {8192, 100, second}}));
  std::unique_ptr<Artifact> artifact = open(path, VerifyWeights::Always);
  const char *weights = static_cast<const char *>(artifact->getWeights());
  EXPECT_EQ(weights[63], 0);
  EXPECT_EQ(weights[64], 'a');
  EXPECT_EQ(weights[8191], 0);
  EXPECT_EQ(weights[8192], 'b');
}

TEST(Artifact, NoWeights) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so");
  ASSERT_OK(
      writeArtifact(path, readModel("add_model"), makeAddManifest(), {}));
  EXPECT_NE(open(path)->getWeights(), nullptr);
}

TEST(Artifact, WeightsBeside) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so");
  WriteOptions options;
  options.embedLimit = 8;
  writeAddArtifact(path, options);
  EXPECT_EQ(folder.list(),
            (std::vector<std::string>{"x.so", "x.so.weights"}));
  EXPECT_EQ(static_cast<const float *>(open(path)->getWeights())[1], 1);
  writeFile(path + ".weights", "123456789abc");
  EXPECT_FAULT(TSSA_CORRUPT, "the weights' hash does not match", tryOpen(path));
  EXPECT_OK(tryOpen(path, VerifyWeights::Never));
  writeFile(path + ".weights", "short");
  EXPECT_FAULT(TSSA_CORRUPT, "weights of 12 bytes expected, got 5",
               tryOpen(path));
  unlink((path + ".weights").c_str());
  EXPECT_FAULT(TSSA_IO, "cannot open", tryOpen(path));
}

TEST(Artifact, DamagedWeights) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so");
  writeAddArtifact(path);
  std::string bytes = readFile(path);
  bytes[open(path)->getManifest().weights.offset] ^= 1;
  writeFile(path, bytes);
  EXPECT_FAULT(TSSA_CORRUPT, "the weights' hash does not match", tryOpen(path));
  EXPECT_FALSE(open(path, VerifyWeights::Never)->weightsVerified());
}

TEST(Artifact, WriterRefuses) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so"), code = readModel("add_model");
  Manifest manifest = makeAddManifest();
  char byte = 0;
  EXPECT_FAULT(TSSA_CORRUPT, "not a shared object",
               writeArtifact(path, "text", manifest, {}));
  EXPECT_FAULT(TSSA_INTERNAL, "weight offset 1",
               writeArtifact(path, code, manifest, {{1, 1, &byte}}));
  EXPECT_FAULT(TSSA_INTERNAL, "out of order",
               writeArtifact(path, code, manifest,
                             {{64, 1, &byte}, {0, 1, &byte}}));
  manifest.symbols.clear();
  EXPECT_FAULT(TSSA_INTERNAL, "symbol that does not exist",
               writeArtifact(path, code, manifest, {}));
  writeAddArtifact(path);
  EXPECT_FAULT(TSSA_INTERNAL, "has a section .tssa.manifest already",
               writeArtifact(path, readFile(path), makeAddManifest(), {}));
}

TEST(Artifact, NoPartialOutput) {
  TemporaryFolder folder;
  std::string code = readModel("add_model");
  EXPECT_FAULT(TSSA_IO, "cannot create",
               writeArtifact(folder.file("no/x.so"), code, makeAddManifest(),
                             {}));
  mkdir(folder.file("d").c_str(), 0777);
  EXPECT_FAULT(TSSA_IO, "not a regular file",
               writeArtifact(folder.file("d"), code, makeAddManifest(), {}));
  EXPECT_FAULT(TSSA_IO, "not a regular file",
               writeArtifact("/dev/full", code, makeAddManifest(), {}));
  EXPECT_EQ(folder.list(), std::vector<std::string>{"d"});
}

TEST(Artifact, ReaderRefusesOtherFiles) {
  TemporaryFolder folder;
  std::string path = folder.file("x");
  EXPECT_FAULT(TSSA_IO, "No such file", tryOpen(path));
  writeFile(path, "");
  EXPECT_FAULT(TSSA_CORRUPT, "empty file", tryOpen(path));
  writeFile(path, std::string(10000, 'x'));
  EXPECT_FAULT(TSSA_CORRUPT, "no ELF header", tryOpen(path));
  writeFile(path, readModel("add_model"));
  EXPECT_FAULT(TSSA_CORRUPT, "no manifest", tryOpen(path));
  EXPECT_FAULT(TSSA_IO, "not a regular file", tryOpen("/"));
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_FAULT(TSSA_IO, "not a regular file", tryOpen(folder.file("pipe")));
}

TEST(Artifact, HostCheck) {
  Manifest manifest = makeAddManifest();
  EXPECT_OK(checkHost(manifest));
  manifest.cpuFeatures = {"sse2", "avx10.9-4096"};
  EXPECT_FAULT(TSSA_INCOMPATIBLE, "cannot check: avx10.9-4096",
               checkHost(manifest));
  // TBM and SSE4a were never in one CPU with AMX.
  manifest.cpuFeatures = {"sse4a", "tbm", "amx-tile", "amx-fp16"};
  manifest.cpu = "dream";
  EXPECT_FAULT(TSSA_INCOMPATIBLE, "the program is for CPU 'dream'; this CPU "
                                  "lacks ",
               checkHost(manifest));
  manifest = makeAddManifest();
  manifest.targetTriple = "riscv64-unknown-linux-gnu";
  EXPECT_FAULT(TSSA_INCOMPATIBLE, "is for 'riscv64-unknown-linux-gnu', this "
                                  "machine is x86_64 linux",
               checkHost(manifest));
  manifest = makeAddManifest();
  manifest.abiVersion = 99;
  EXPECT_FAULT(TSSA_INCOMPATIBLE, "needs runtime ABI 99", checkHost(manifest));
}
