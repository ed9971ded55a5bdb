//===- NpzTest.cpp -------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include "tssa/Runtime/Elements.h"
#include "tssa/Runtime/Npz.h"
#include "tssa/Runtime/SmallFloat.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace tssa::runtime;
using namespace tssa::runtime::test;

static NpzEntry makeEntry(std::string name, DType dtype, std::vector<int64_t> shape) {
  NpzEntry entry;
  entry.name = std::move(name);
  EXPECT_OK(Tensor::allocate(dtype, std::move(shape), entry.tensor));
  for (int64_t i = 0; i < entry.tensor.getByteSize() / getByteSize(dtype); ++i)
    setElement(entry.tensor, i, double(i % 2));
  return entry;
}

static Status read(const std::string &path, std::vector<NpzEntry> &entries) {
  return readNpz(path, entries);
}

TEST(Npz, RoundTripOfEveryType) {
  TemporaryFolder folder;
  std::string path = folder.file("x.npz");
  std::vector<NpzEntry> entries, back;
  for (unsigned i = 0; i < numDTypes; ++i)
    entries.push_back(makeEntry(getName(DType(i)), DType(i), {2, 3}));
  entries.push_back(makeEntry("scalar", DType::F32, {}));
  entries.push_back(makeEntry("vector", DType::I64, {5}));
  entries.push_back(makeEntry("empty", DType::F64, {3, 0, 2}));
  entries.push_back(makeEntry("a/b:c \xc3\xa9.npy", DType::U8, {1}));
  ASSERT_OK(writeNpz(path, entries));
  ASSERT_OK(read(path, back));
  ASSERT_EQ(back.size(), entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(back[i].name, entries[i].name);
    EXPECT_EQ(back[i].tensor.dtype, entries[i].tensor.dtype);
    EXPECT_EQ(back[i].tensor.shape, entries[i].tensor.shape);
    EXPECT_EQ(std::memcmp(back[i].tensor.data, entries[i].tensor.data,
                          size_t(entries[i].tensor.getByteSize())),
              0);
  }
  EXPECT_EQ(folder.list(), std::vector<std::string>{"x.npz"});
}

static std::string npy(const std::string &dictionary, const std::string &data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {version, 0, char(dictionary.size()), char(dictionary.size() >> 8)};
  if (version > 1)
    bytes += std::string(2, '\0');
  return bytes + dictionary + data;
}

TEST(Npy, Headers) {
  Tensor tensor;
  std::string four = std::string(16, 'x');
  EXPECT_OK(decodeNpy(npy("{'descr': '<f4', 'fortran_order': False, "
                          "'shape': (4,), }   \n",
                          four),
                      tensor));
  EXPECT_OK(decodeNpy(npy("{'shape':(2,2),'fortran_order':False,'descr':'<i4'}", four, 2), tensor));
  EXPECT_EQ(tensor.shape, (std::vector<int64_t>{2, 2}));
  EXPECT_OK(
      decodeNpy(npy("{'shape': (), 'fortran_order': False, 'descr': '|b1'}", "\1", 3), tensor));
  EXPECT_TRUE(tensor.shape.empty());
}

TEST(Npy, FortranOrder) {
  Tensor tensor;
  ASSERT_OK(
      decodeNpy(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", "adbecf"), tensor));
  EXPECT_EQ(std::memcmp(tensor.data, "abcdef", 6), 0);
}

TEST(Npy, Refuses) {
  auto expectRefused = [](const std::string &bytes, const char *text) {
    Tensor tensor;
    EXPECT_FAULT(TSSA_INVALID_ARGUMENT, text, decodeNpy(bytes, tensor));
  };
  expectRefused("", "no header");
  expectRefused("\x93NUMPY\1", "no header");
  expectRefused(npy("{}", "", 9), "version 9");
  std::string cut = npy("{'descr': '<f4'", "");
  expectRefused(cut.substr(0, cut.size() - 3), "truncated header");
  const char *malformed[] = {
      "",
      "{",
      "{}",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
      "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
      "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x"};
  for (const char *header : malformed)
    expectRefused(npy(header, ""), "malformed header");
  auto shaped = [](const char *type, const char *shape) {
    return std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': " + shape + "}";
  };
  for (const char *type : {">f4", "|O", "<c8", "<U3", "", "<f3", "<m8"})
    expectRefused(npy(shaped(type, "()"), "xxxx"), "is not supported");
  expectRefused(npy(shaped("<f4", "(3,)"), "xxxx"), "4 bytes of data, its shape needs 12");
  expectRefused(npy(shaped("<f4", "(0,)"), "xxxx"), "4 bytes of data");
  expectRefused(npy(shaped("<f4", "(4611686018427387904, 4)"), ""), "needs too many");
  expectRefused(npy(shaped("<f4", "(0, 4611686018427387904, 4)"), ""), "needs too many");
}

TEST(Npz, RefusesDamage) {
  TemporaryFolder folder;
  std::string path = folder.file("x.npz"), damaged = folder.file("y.npz");
  std::vector<NpzEntry> entries, back;
  entries.push_back(makeEntry("x", DType::F32, {20}));
  entries.push_back(makeEntry("y", DType::BF16, {3}));
  ASSERT_OK(writeNpz(path, entries));
  std::string good = readFile(path);
  for (size_t size = 0; size < good.size(); ++size) {
    writeFile(damaged, good.substr(0, size));
    ASSERT_FALSE(read(damaged, back).ok()) << size;
  }
  // A flipped bit may be harmless (in a time stamp), but must never cause a crash.
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = good;
    for (unsigned flips = 1 + random() % 3; flips; --flips)
      bytes[random() % bytes.size()] = char(random());
    writeFile(damaged, bytes);
    (void)read(damaged, back);
  }
  EXPECT_FAULT(TSSA_IO, "cannot open", read(folder.file("none"), back));
  writeFile(damaged, std::string(5000, 'x'));
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "no zip end record", read(damaged, back));
}

TEST(Npz, RefusesDuplicatesAndWrongBF16) {
  TemporaryFolder folder;
  std::string path = folder.file("x.npz");
  std::vector<NpzEntry> entries, back;
  entries.push_back(makeEntry("x", DType::F32, {1}));
  entries.push_back(makeEntry("x", DType::F32, {1}));
  ASSERT_OK(writeNpz(path, entries));
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "two members are named 'x.npy'", read(path, back));
  entries.pop_back();
  entries[0].name = "x:bf16";
  ASSERT_OK(writeNpz(path, entries));
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "bf16 is stored as u16, got f32", read(path, back));
}

TEST(Elements, SmallFloatRoundTrip) {
  for (unsigned i = 0; i < numDTypes; ++i) {
    DType type = DType(i);
    for (unsigned bits = 0; isSmallFloat(type) && bits < 1u << getValueBits(type); ++bits) {
      float value = decodeSmallFloat(type, uint8_t(bits));
      uint8_t back = encodeSmallFloat(type, value);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decodeSmallFloat(type, back))) << getName(type);
      else if (std::isinf(value)) // the largest number replaces it
        EXPECT_TRUE(std::isfinite(decodeSmallFloat(type, back))) << getName(type);
      else
        ASSERT_EQ(back, bits) << getName(type);
    }
  }
}

TEST(Elements, SmallFloatsOfKnownNumbers) {
  EXPECT_EQ(decodeSmallFloat(DType::F8E4M3FN, 0x7e), 448);
  EXPECT_EQ(decodeSmallFloat(DType::F8E4M3FNUZ, 0x7f), 240);
  EXPECT_EQ(decodeSmallFloat(DType::F8E5M2, 0x7b), 57344);
  EXPECT_EQ(decodeSmallFloat(DType::F8E5M2FNUZ, 0xff), -57344);
  EXPECT_EQ(decodeSmallFloat(DType::F4E2M1, 0xf), -6);
  EXPECT_EQ(decodeSmallFloat(DType::F8E8M0, 130), 8);
  EXPECT_EQ(encodeSmallFloat(DType::F8E4M3FN, 1e9f), 0x7e);
  EXPECT_EQ(encodeSmallFloat(DType::F4E2M1, 2.5f), 0x4) << "ties go to even";
  EXPECT_EQ(encodeSmallFloat(DType::F8E5M2FNUZ, -0.0f), 0) << "there is no -0";
}

TEST(Elements, LowBitsOfSubBytesCount) {
  uint8_t bytes[] = {0x0f, 0x18, 0x07};
  EXPECT_FALSE(areCanonical(DType::I4, bytes, 3));
  makeCanonical(DType::I4, bytes, 3);
  EXPECT_TRUE(areCanonical(DType::I4, bytes, 3));
  EXPECT_EQ(bytes[0], 0xff);
  EXPECT_EQ(bytes[1], 0xf8);
  EXPECT_EQ(bytes[2], 0x07);
  makeCanonical(DType::U2, bytes, 3);
  EXPECT_EQ(bytes[0], 3);
  EXPECT_EQ(bytes[1], 0);
}

TEST(Elements, HalfRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = halfToFloat(uint16_t(bits));
    uint16_t back = floatToHalf(value);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(halfToFloat(back)));
    else
      ASSERT_EQ(back, bits);
  }
}

TEST(Elements, HalfRounding) {
  EXPECT_EQ(floatToHalf(1.0f + 0x1p-11f), 0x3c00);            // tie to even
  EXPECT_EQ(floatToHalf(1.0f + 3 * 0x1p-11f), 0x3c02);        // tie to even
  EXPECT_EQ(floatToHalf(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01); // above the tie
  EXPECT_EQ(floatToHalf(65519.9f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(1e9f), 0x7c00);
  EXPECT_EQ(floatToHalf(-0.0f), 0x8000);
  EXPECT_EQ(floatToHalf(0x1p-25f), 0); // tie to even
  EXPECT_EQ(floatToHalf(0x1.8p-25f), 1);
  EXPECT_EQ(floatToBFloat(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(floatToBFloat(1.0f + 3 * 0x1p-8f), 0x3f82);
}
