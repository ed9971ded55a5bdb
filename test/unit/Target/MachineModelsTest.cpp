//===- MachineModelsTest.cpp - models of CPUs, and caches of a host --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Target/CPU/MachineModels.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tssa::cpu;
using mlir::tssa::layout::MachineModel;

namespace {
/// A folder like /sys/devices/system/cpu/cpu0/cache.
class CacheFolder : public testing::Test {
public:
  CacheFolder() { EXPECT_FALSE(sys::fs::createUniqueDirectory("caches", folder)); }
  ~CacheFolder() override { sys::fs::remove_directories(folder); }

  void add(const Twine &name, StringRef level, StringRef type, StringRef size, StringRef ways) {
    write(name, "level", level);
    write(name, "type", type);
    write(name, "size", size);
    write(name, "ways_of_associativity", ways);
    write(name, "coherency_line_size", "64");
  }

  MachineModel read() const {
    MachineModel model = *lookupMachineModel("x86-64-v3", 32);
    readCaches(folder, model);
    return model;
  }

private:
  SmallString<128> folder;

  void write(const Twine &cache, StringRef name, StringRef text) {
    SmallString<128> path = folder;
    sys::path::append(path, cache);
    EXPECT_FALSE(sys::fs::create_directories(path));
    sys::path::append(path, name);
    std::error_code error;
    raw_fd_ostream(path, error) << text << '\n';
    EXPECT_FALSE(error);
  }
};
} // namespace

TEST_F(CacheFolder, IsRead) {
  add("index0", "1", "Data", "48K", "12");
  add("index1", "1", "Instruction", "64K", "16");
  add("index2", "2", "Unified", "2048K", "16");
  add("index3", "3", "Unified", "105M", "15");
  MachineModel model = read();
  EXPECT_EQ(model.l1Bytes, 48 << 10);
  EXPECT_EQ(model.l1Ways, 12);
  EXPECT_EQ(model.getL1WayBytes(), 4096);
  EXPECT_EQ(model.l2Bytes, 2 << 20);
  EXPECT_EQ(model.l3Bytes, 105 << 20);
  EXPECT_EQ(model.lanes, 8);
}

TEST_F(CacheFolder, IsIgnoredIfItLacksACache) {
  EXPECT_TRUE(read() == *lookupMachineModel("x86-64-v3", 32));
  add("index0", "1", "Data", "48K", "12");
  add("index1", "2", "Unified", "2048K", "16");
  EXPECT_TRUE(read() == *lookupMachineModel("x86-64-v3", 32));
}

TEST_F(CacheFolder, IsIgnoredIfItSaysWhatCannotBe) {
  add("index0", "1", "Data", "48K", "0");
  add("index1", "2", "Unified", "2048K", "16");
  add("index2", "3", "Unified", "99999999999999999999G", "15");
  EXPECT_TRUE(read() == *lookupMachineModel("x86-64-v3", 32));
}

TEST(MachineModels, AreWithinTheLimits) {
  for (const char *cpu :
       {"x86-64-v3", "x86-64-v4", "haswell", "skylake", "skylake-avx512", "icelake-server",
        "sapphirerapids", "znver2", "znver3", "znver4", "znver5"})
    for (unsigned vectorBytes : {32, 64}) {
      std::optional<MachineModel> model = lookupMachineModel(cpu, vectorBytes);
      ASSERT_TRUE(model) << cpu;
      EXPECT_TRUE(succeeded(checkMachineModel(
          *model, [&](const Twine &reason) { ADD_FAILURE() << cpu << ": " << reason.str(); })));
      EXPECT_EQ(model->lanes * 4, vectorBytes);
    }
  EXPECT_FALSE(lookupMachineModel("core-avx2", 32));
}

// The rates of dot products are those of the CPU, where it has the instructions.
TEST(MachineModels, DotProducts) {
  auto get = [](const char *cpu, unsigned vectorBytes, std::vector<std::string> features) {
    MachineModel model = *lookupMachineModel(cpu, vectorBytes);
    setDotProducts(cpu, features, model);
    return std::pair(model.bf16Products, model.byteProducts);
  };
  std::vector<std::string> all = {"avx512bf16", "avx512f", "avx512vl", "avx512vnni"};
  using Rates = std::pair<int64_t, int64_t>;
  EXPECT_EQ(get("znver5", 64, all), Rates(64, 128));
  EXPECT_EQ(get("znver4", 64, all), Rates(32, 64));
  EXPECT_EQ(get("sapphirerapids", 64, all), Rates(16, 128)); // fewer than of f32
  EXPECT_EQ(get("znver5", 64, {"avx512f", "avx512vl"}), Rates(0, 0));
  EXPECT_EQ(get("cascadelake", 64, {"avx512f", "avx512vl", "avx512vnni"}), Rates(0, 128));
  EXPECT_EQ(get("x86-64-v4", 64, all), Rates(0, 128)); // an unknown CPU
  EXPECT_EQ(get("alderlake", 32, {"avx2", "avxvnni"}), Rates(0, 64));
}

TEST(MachineModels, ProductsOfMatrices) {
  MachineModel model = *lookupMachineModel("sapphirerapids", 64);
  setDotProducts("sapphirerapids", {"amx-bf16", "amx-tile"}, model);
  EXPECT_EQ(std::pair(model.bf16MatrixProducts, model.byteMatrixProducts),
            std::pair(int64_t(512), int64_t(0)));
  setDotProducts("znver5", {"avx512bf16", "avx512f", "avx512vl"}, model);
  EXPECT_EQ(model.bf16MatrixProducts, 0);
}

// What a module without the attribute has is the machine of x86-64-v4.
TEST(MachineModels, HostIsNoOlderThanItsFeatures) {
  EXPECT_EQ(nameHost("rocketlake", /*hasFP16=*/true), "sapphirerapids");
  EXPECT_EQ(nameHost("rocketlake", /*hasFP16=*/false), "rocketlake");
  EXPECT_EQ(nameHost("graniterapids", /*hasFP16=*/true), "graniterapids");
  EXPECT_EQ(nameHost("znver5", /*hasFP16=*/true), "znver5");
}

TEST(MachineModels, Default) {
  EXPECT_TRUE(MachineModel() == *lookupMachineModel("x86-64-v4", 64));
}
