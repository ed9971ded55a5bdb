//===- BuildIDTest.cpp ---------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/BuildID.h"

#include <cctype>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tssa::runtime;

TEST(BuildID, IsThatOfTheLinker) {
  std::string id, again;
  ASSERT_TRUE(readBuildID("/proc/self/exe", id).ok());
  EXPECT_EQ(id.size(), 40u); // SHA-1
  for (char digit : id)
    EXPECT_TRUE(std::isxdigit(static_cast<unsigned char>(digit)));
  ASSERT_TRUE(readBuildID("/proc/self/exe", again).ok());
  EXPECT_EQ(id, again);
}

TEST(BuildID, OfAFileThatIsNoProgram) {
  std::string path = testing::TempDir() + "tssa-build-id-" + std::to_string(::getpid()), id;
  std::ofstream(path) << "#!/bin/sh\nexit 0\n";
  Status status = readBuildID(path, id);
  EXPECT_FALSE(status.ok());
  std::remove(path.c_str());
  EXPECT_FALSE(readBuildID(path, id).ok());
}
