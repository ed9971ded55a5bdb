//===- CacheTest.cpp - tests of cache folders and entries -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Runtime/Cache.h"
#include "gtest/gtest.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace tssa::runtime;

namespace {

class CacheTest : public testing::Test {
protected:
  fs::path folder = fs::temp_directory_path() / ("tssa-cache-" + std::to_string(::getpid()));

  void SetUp() override {
    fs::remove_all(folder);
    CacheFolderState state;
    ASSERT_TRUE(openCacheFolder(folder, state).ok());
    EXPECT_EQ(state, CacheFolderState::Usable);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const std::string &name) const { return folder / name; }
  size_t countFiles() const {
    return size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
};

TEST_F(CacheTest, FoldersBelongToTheirUser) {
  struct stat info;
  ASSERT_EQ(::stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  CacheFolderState state;
  EXPECT_EQ(openCacheFolder(folder, state).code, TSSA_IO);
  EXPECT_EQ(state, CacheFolderState::Unsafe);
  std::ofstream(path("file")) << "text";
  EXPECT_EQ(openCacheFolder(path("file"), state).code, TSSA_IO);
  EXPECT_EQ(state, CacheFolderState::Missing);
}

TEST_F(CacheTest, ReadsWhatWasWritten) {
  std::string content, written(10000, 'x');
  ASSERT_TRUE(writeCacheEntry(path("a"), "key", written).ok());
  ASSERT_TRUE(readCacheEntry(path("a"), "key", content).ok());
  EXPECT_EQ(content, written);
  ASSERT_TRUE(writeCacheEntry(path("a"), "key", "").ok());
  ASSERT_TRUE(readCacheEntry(path("a"), "key", content).ok());
  EXPECT_EQ(content, "");
  EXPECT_EQ(readCacheEntry(path("b"), "key", content).code, TSSA_IO);
  EXPECT_EQ(readCacheEntry(path("a"), "other key", content).code, TSSA_CORRUPT);
}

TEST_F(CacheTest, FindsEveryDamagedByte) {
  std::string content;
  ASSERT_TRUE(writeCacheEntry(path("a"), "key", "some code").ok());
  uint64_t size = fs::file_size(path("a"));
  for (uint64_t i = 0; i < size; ++i) {
    for (int turn = 0; turn < 2; ++turn) {
      std::fstream file(path("a"), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(std::streamoff(i));
      char byte = char(file.get() ^ 4);
      file.seekp(std::streamoff(i));
      file.put(byte);
      file.close();
      EXPECT_EQ(readCacheEntry(path("a"), "key", content).code,
                turn == 0 ? TSSA_CORRUPT : TSSA_OK)
          << "byte " << i;
    }
  }
  for (uint64_t left = 0; left < size; ++left) {
    ASSERT_TRUE(writeCacheEntry(path("a"), "key", "some code").ok());
    fs::resize_file(path("a"), left);
    EXPECT_EQ(readCacheEntry(path("a"), "key", content).code, TSSA_CORRUPT) << left << " bytes";
  }
}

TEST_F(CacheTest, LeavesNothingHalfWritten) {
  EXPECT_EQ(writeCacheEntry(path("no/such/a"), "key", "code").code, TSSA_IO);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small{1024, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Status status = writeCacheEntry(path("a"), "key", std::string(4096, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(status.code, TSSA_IO);
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(CacheTest, RemovesTheLeastRecentlyUsed) {
  for (const char *name : {"a.kernel", "b.kernel", "c.kernel", "d.kernel"})
    ASSERT_TRUE(writeCacheEntry(path(name), name, std::string(1000, 'x')).ok());
  std::ofstream(path("e.so")) << std::string(100000, 'x');
  using namespace std::chrono_literals;
  auto now = fs::file_time_type::clock::now();
  fs::last_write_time(path("a.kernel"), now - 1h);
  fs::last_write_time(path("b.kernel"), now - 3h);
  fs::last_write_time(path("c.kernel"), now - 2h);
  fs::last_write_time(path("d.kernel"), now - 4h);
  touchCacheFile(path("b.kernel"));
  evictCacheFiles(path("d.kernel"), 3 * 1100);
  EXPECT_FALSE(fs::exists(path("c.kernel")));
  EXPECT_EQ(countFiles(), 4u);
  evictCacheFiles(path("d.kernel"), 0);
  EXPECT_TRUE(fs::exists(path("d.kernel")));
  EXPECT_TRUE(fs::exists(path("e.so")));
  EXPECT_EQ(countFiles(), 2u);
}

} // namespace
