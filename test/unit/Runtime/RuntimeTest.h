//===- RuntimeTest.h - shared by the runtime's tests ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TEST_UNIT_RUNTIME_RUNTIMETEST_H
#define TSSA_TEST_UNIT_RUNTIME_RUNTIMETEST_H

#include "tssa/Runtime/Session.h"

#include <gtest/gtest.h>

namespace tssa::runtime::test {

inline constexpr const char *hostTriple = "x86_64-unknown-linux-gnu";

/// The modes of Inputs/add_model.c.
enum Mode : int32_t {
  Normal,
  FailAtNode,
  GrowForEver,
  LoopForEver,
  SilentFailure,
  NoResult,
  WrongShape,
  UseMath,
  DrawKey,
  DrawOwnKey,
  UseScratch,
  AskForScratch
};

/// A temporary folder that is removed with the object.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string file(const std::string &name) const { return path + "/" + name; }
  std::vector<std::string> list() const;

private:
  std::string path;
};

std::string readFile(const std::string &path);
void writeFile(const std::string &path, std::string_view bytes);

/// Returns the linked code of Inputs/<name>.c.
std::string readModel(const std::string &name);

/// Returns the manifest of Inputs/add_model.c.
Manifest makeAddManifest();

/// Returns the contents of a program with one variant.
std::vector<VariantContent> content(std::vector<WeightChunk> weights = {});

/// Writes the add program with its weights (a bias of 0.5, 1, 2).
void writeAddArtifact(const std::string &path, const WriteOptions &options = {});

/// The modes of Inputs/device_model.c; the value of its third input.
enum How : int32_t { InPlace, AsResult, IndexError, OutOfBounds, Endless, OnHost, NoLaunch };

/// Writes the program of Inputs/device_model.c, with a weight of 0.5 and variants for `targets`:
/// "cpu", "cuda-emu" and at most one "cuda:sm_<number>".
void writeDeviceArtifact(const std::string &path, const std::vector<std::string> &targets);

/// Returns a row-major view of `data`.
tssa_tensor view(DType dtype, std::vector<int64_t> &shape, void *data);

/// Arguments of the add program for N rows, with a = 0, 1, 2 ... and b = 10, 20 ...
struct AddArguments {
  explicit AddArguments(int64_t rows, int32_t mode = Normal);
  std::vector<int64_t> shape, scalar;
  std::vector<float> a, b;
  int32_t mode;
  std::vector<NamedTensor> get();
};

#define EXPECT_OK(...)                                                                             \
  do {                                                                                             \
    ::tssa::runtime::Status status_ = (__VA_ARGS__);                                               \
    EXPECT_TRUE(status_.ok()) << status_.message;                                                  \
  } while (false)

#define ASSERT_OK(...)                                                                             \
  do {                                                                                             \
    ::tssa::runtime::Status status_ = (__VA_ARGS__);                                               \
    ASSERT_TRUE(status_.ok()) << status_.message;                                                  \
  } while (false)

#define EXPECT_FAULT(expectedCode, text, ...)                                                      \
  do {                                                                                             \
    ::tssa::runtime::Status status_ = (__VA_ARGS__);                                               \
    EXPECT_EQ(status_.code, expectedCode) << status_.message;                                      \
    EXPECT_NE(status_.message.find(text), std::string::npos) << status_.message;                   \
  } while (false)

} // namespace tssa::runtime::test

#endif // TSSA_TEST_UNIT_RUNTIME_RUNTIMETEST_H
