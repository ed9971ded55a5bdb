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

static std::unique_ptr<Artifact> open(const std::string &path, VerifyWeights verify = {}) {
  std::unique_ptr<Artifact> artifact;
  EXPECT_OK(Artifact::open(path, artifact));
  if (artifact)
    EXPECT_OK(artifact->mapWeights(0, verify));
  return artifact;
}

static Status tryOpen(const std::string &path, VerifyWeights verify = {}) {
  std::unique_ptr<Artifact> artifact;
  Status status = Artifact::open(path, artifact);
  return status.ok() ? artifact->mapWeights(0, verify) : status;
}

TEST(Artifact, RoundTrip) {
  TemporaryFolder folder;
  std::string path = folder.file("add.so");
  writeAddArtifact(path);
  std::unique_ptr<Artifact> artifact = open(path);
  ASSERT_TRUE(artifact);
  EXPECT_EQ(artifact->getManifest().modelName, "add");
  EXPECT_TRUE(artifact->weightsVerified());
  EXPECT_EQ(artifact->getManifest().variants[0].memory.constantBytes, 12);
  EXPECT_EQ(static_cast<const float *>(artifact->getWeights())[2], 2);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(artifact->getWeights()) % 4096, 0u);
  EXPECT_EQ(folder.list(), std::vector<std::string>{"add.so"});
}

// Only three fields of the ELF header differ from the linker's output.
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
                          content({{64, 1, &first}, {8192, 100, second}})));
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
  ASSERT_OK(writeArtifact(path, readModel("add_model"), makeAddManifest(), content()));
  EXPECT_NE(open(path)->getWeights(), nullptr);
}

TEST(Artifact, WeightsBeside) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so");
  WriteOptions options;
  options.embedLimit = 8;
  writeAddArtifact(path, options);
  EXPECT_EQ(folder.list(), (std::vector<std::string>{"x.so", "x.so.weights"}));
  EXPECT_EQ(static_cast<const float *>(open(path)->getWeights())[1], 1);
  writeFile(path + ".weights", "123456789abc");
  EXPECT_FAULT(TSSA_CORRUPT, "the weights' hash does not match", tryOpen(path));
  EXPECT_OK(tryOpen(path, VerifyWeights::Never));
  writeFile(path + ".weights", "short");
  EXPECT_FAULT(TSSA_CORRUPT, "weights of 12 bytes expected, got 5", tryOpen(path));
  unlink((path + ".weights").c_str());
  EXPECT_FAULT(TSSA_IO, "cannot open", tryOpen(path));
}

TEST(Artifact, DamagedWeights) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so");
  writeAddArtifact(path);
  std::string bytes = readFile(path);
  bytes[open(path)->getManifest().variants[0].weights.offset] ^= 1;
  writeFile(path, bytes);
  EXPECT_FAULT(TSSA_CORRUPT, "the weights' hash does not match", tryOpen(path));
  EXPECT_FALSE(open(path, VerifyWeights::Never)->weightsVerified());
}

/// Writes the add program with one variant for a CPU and two for devices, all with the same
/// weights.
static void writeVariants(const std::string &path, const std::string &image,
                          const WriteOptions &options = {}) {
  Manifest manifest = makeAddManifest();
  manifest.variants.resize(3, manifest.variants[0]);
  manifest.variants[1].target = "cuda:sm_90";
  manifest.variants[1].suffix = "_1";
  manifest.variants[1].kernels = {{"add", 4, 128, 0, 32, 0}};
  manifest.variants[1].images = {{Image::PTX, "sm_90", {}}, {Image::Cubin, "sm_90", {}}};
  manifest.variants[2] = manifest.variants[1];
  manifest.variants[2].target = "cuda:sm_80";
  manifest.variants[2].suffix = "_2";
  manifest.variants[2].images = {{Image::PTX, "sm_80", {}}};
  static const float bias[3] = {1, 2, 3}, other[3] = {4, 5, 6};
  ASSERT_OK(writeArtifact(path, readModel("add_model"), manifest,
                          {{{{0, sizeof(bias), bias}}, {}},
                           {{{0, sizeof(other), other}}, {image, "cubin"}},
                           {{{0, sizeof(other), other}}, {image}}},
                          options));
}

TEST(Artifact, VariantsShareEqualBytes) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so"), image(5000, 'p');
  writeVariants(path, image);
  std::unique_ptr<Artifact> artifact = open(path);
  ASSERT_TRUE(artifact);
  const std::vector<Variant> &variants = artifact->getManifest().variants;
  EXPECT_EQ(static_cast<const float *>(artifact->getWeights())[2], 3);
  for (size_t i : {1, 2}) {
    ASSERT_OK(artifact->mapWeights(i, VerifyWeights::Always));
    EXPECT_EQ(static_cast<const float *>(artifact->getWeights())[2], 6);
    EXPECT_EQ(artifact->getImages(i)[0], image);
  }
  EXPECT_EQ(artifact->getImages(1)[1], "cubin");
  EXPECT_NE(variants[0].weights.offset, variants[1].weights.offset);
  EXPECT_EQ(variants[1].weights.offset, variants[2].weights.offset);
  EXPECT_EQ(variants[1].images[0].part.offset, variants[2].images[0].part.offset);
  EXPECT_EQ(variants[1].kernels[0].registers, 32);
  writeVariants(folder.file("y.so"), image);
  EXPECT_EQ(readFile(path), readFile(folder.file("y.so")));
}

TEST(Artifact, DamagedImage) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so");
  writeVariants(path, std::string(5000, 'p'));
  std::string bytes = readFile(path);
  bytes[open(path)->getManifest().variants[1].images[0].part.offset + 7] ^= 1;
  writeFile(path, bytes);
  EXPECT_FAULT(TSSA_CORRUPT, "the image's hash does not match", tryOpen(path));
}

TEST(Artifact, WeightsOfVariantsBeside) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so");
  WriteOptions options;
  options.embedLimit = 8;
  writeVariants(path, "image", options);
  EXPECT_EQ(folder.list(), (std::vector<std::string>{"x.so", "x.so.weights", "x.so.weights_1"}));
  std::unique_ptr<Artifact> artifact = open(path);
  ASSERT_OK(artifact->mapWeights(2, VerifyWeights::Always));
  EXPECT_EQ(static_cast<const float *>(artifact->getWeights())[0], 4);
}

TEST(Artifact, WriterRefuses) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so"), code = readModel("add_model");
  Manifest manifest = makeAddManifest();
  char byte = 0;
  EXPECT_FAULT(TSSA_CORRUPT, "not a shared object",
               writeArtifact(path, "text", manifest, content()));
  EXPECT_FAULT(TSSA_INTERNAL, "weight offset 1",
               writeArtifact(path, code, manifest, content({{1, 1, &byte}})));
  EXPECT_FAULT(TSSA_INTERNAL, "out of order",
               writeArtifact(path, code, manifest, content({{64, 1, &byte}, {0, 1, &byte}})));
  EXPECT_FAULT(TSSA_INTERNAL, "contents for 0 variants, the manifest has 1",
               writeArtifact(path, code, manifest, {}));
  EXPECT_FAULT(TSSA_INTERNAL, "another number of images",
               writeArtifact(path, code, manifest, {{{}, {"image"}}}));
  manifest.variants[0].images = {{Image::PTX, "sm_90", {}}};
  EXPECT_FAULT(TSSA_INTERNAL, "has an empty image",
               writeArtifact(path, code, manifest, {{{}, {""}}}));
  manifest.variants[0].images.clear();
  manifest.symbols.clear();
  EXPECT_FAULT(TSSA_INTERNAL, "symbol that does not exist",
               writeArtifact(path, code, manifest, content()));
  writeAddArtifact(path);
  EXPECT_FAULT(TSSA_INTERNAL, "has a section .tssa.manifest already",
               writeArtifact(path, readFile(path), makeAddManifest(), content()));
}

TEST(Artifact, NoPartialOutput) {
  TemporaryFolder folder;
  std::string code = readModel("add_model");
  EXPECT_FAULT(TSSA_IO, "cannot create",
               writeArtifact(folder.file("no/x.so"), code, makeAddManifest(), content()));
  mkdir(folder.file("d").c_str(), 0777);
  EXPECT_FAULT(TSSA_IO, "not a regular file",
               writeArtifact(folder.file("d"), code, makeAddManifest(), content()));
  EXPECT_FAULT(TSSA_IO, "not a regular file",
               writeArtifact("/dev/full", code, makeAddManifest(), content()));
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
  EXPECT_OK(checkHost(manifest, manifest.variants[0]));
  manifest.variants[0].cpuFeatures = {"sse2", "avx10.9-4096"};
  EXPECT_FAULT(TSSA_INCOMPATIBLE, "cannot check: avx10.9-4096",
               checkHost(manifest, manifest.variants[0]));
  // No CPU has both AMX and TBM or SSE4a.
  manifest.variants[0].cpuFeatures = {"sse4a", "tbm", "amx-tile", "amx-fp16"};
  manifest.variants[0].cpu = "dream";
  EXPECT_FAULT(TSSA_INCOMPATIBLE,
               "the program is for CPU 'dream'; this CPU "
               "lacks ",
               checkHost(manifest, manifest.variants[0]));
  manifest = makeAddManifest();
  manifest.variants[0].triple = "riscv64-unknown-linux-gnu";
  EXPECT_FAULT(TSSA_INCOMPATIBLE,
               "is for 'riscv64-unknown-linux-gnu', this "
               "machine is x86_64 linux",
               checkHost(manifest, manifest.variants[0]));
  manifest = makeAddManifest();
  manifest.abiVersion = 99;
  EXPECT_FAULT(TSSA_INCOMPATIBLE, "needs runtime ABI 99",
               checkHost(manifest, manifest.variants[0]));
}
