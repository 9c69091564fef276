// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that are kept, and files in the cache that are not used.
#include "runtime/Program/ProgramCache.h"

#include "test/runtime/Program/Damage.h"
#include "test/runtime/Program/FileOfTestProgram.h"
#include "test/runtime/TempFolder.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

namespace fs = std::filesystem;

class ProgramCacheTest : public testing::Test {
protected:
  ProgramCache open() {
    Result<ProgramCache> cache = ProgramCache::open(path_);
    EXPECT_TRUE(cache.ok()) << cache.status().message();
    return *cache;
  }

  void store() {
    ASSERT_TRUE(open().store("key", test::makeFullProgram("host")).ok());
  }

  std::string read() {
    std::ifstream file(path_ + "/key.mpc", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void write(const std::string &text) {
    std::ofstream(path_ + "/key.mpc", std::ios::binary) << text;
  }

  TempFolder folder_;
  std::string path_ = folder_.path("a/b");
};

TEST_F(ProgramCacheTest, GivesBackWhatWasStored) {
  EXPECT_EQ(open().find("key"), nullptr);
  store();
  auto program = open().find("key");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program->recipe, "--precision=fp16");
  EXPECT_EQ(open().find("other"), nullptr);
}

TEST_F(ProgramCacheTest, WhatWasNotUsedForLongestIsRemoved) {
  open();
  auto program = test::makeFullProgram("host");
  auto storeIn = [&](uint64_t limit, const char *key) {
    Result<ProgramCache> cache = ProgramCache::open(path_, limit);
    ASSERT_TRUE(cache.ok() && cache->store(key, program).ok());
  };
  storeIn(uint64_t(1) << 30, "a");
  uint64_t bytes = fs::file_size(path_ + "/a.mpc");
  storeIn(3 * bytes, "b");
  storeIn(3 * bytes, "c");
  std::ofstream(path_ + "/notes.txt") << "not ours";
  auto hour = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const char *name : {"/a.mpc", "/b.mpc", "/c.mpc"})
    fs::last_write_time(path_ + name, hour += std::chrono::minutes(1));
  // The oldest is used again, so that b is the one.
  EXPECT_NE(open().find("a"), nullptr);
  storeIn(3 * bytes, "d");
  for (const char *name : {"/a.mpc", "/c.mpc", "/d.mpc", "/notes.txt"})
    EXPECT_TRUE(fs::exists(path_ + name)) << name;
  EXPECT_FALSE(fs::exists(path_ + "/b.mpc"));
  // What is stored stays, though it alone is too large.
  storeIn(0, "e");
  EXPECT_NE(open().find("e"), nullptr);
  EXPECT_EQ(open().find("d"), nullptr);
}

TEST_F(ProgramCacheTest, TheLimitIsSaidInMiB) {
  ::setenv("MPC_CACHE_SIZE", "3", 1);
  EXPECT_EQ(*CacheFolder::defaultLimit(), 3u << 20);
  for (const char *text : {"-1", "1G", " 1", "99999999999999999999"}) {
    ::setenv("MPC_CACHE_SIZE", text, 1);
    EXPECT_EQ(CacheFolder::defaultLimit().status().message(),
              "MPC_CACHE_SIZE='" + std::string(text) +
                  "' is not a number of MiB");
  }
  ::unsetenv("MPC_CACHE_SIZE");
  EXPECT_EQ(*CacheFolder::defaultLimit(), CacheFolder::kDefaultLimit);
}

TEST_F(ProgramCacheTest, TheFolderIsMadeForThisUserAlone) {
  open();
  struct stat info;
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(ProgramCacheTest, AFolderThatOthersCanWriteIsNotUsed) {
  open();
  ASSERT_EQ(::chmod(path_.c_str(), 0777), 0);
  EXPECT_EQ(ProgramCache::open(path_).status().message(),
            path_ +
                ": is not used, since other users own it or can write to it");
}

TEST_F(ProgramCacheTest, WhatIsNoFolderIsNotUsed) {
  fs::create_directories(folder_.path("a"));
  std::ofstream(path_) << "text";
  EXPECT_EQ(ProgramCache::open(path_).status().message(),
            path_ + ": is not a folder");
}

TEST_F(ProgramCacheTest, AFileThatOthersCanWriteIsNotUsed) {
  store();
  ASSERT_EQ(::chmod((path_ + "/key.mpc").c_str(), 0666), 0);
  EXPECT_EQ(open().find("key"), nullptr);
}

TEST_F(ProgramCacheTest, ALinkIsNotFollowed) {
  store();
  fs::rename(path_ + "/key.mpc", path_ + "/other");
  fs::create_symlink("other", path_ + "/key.mpc");
  EXPECT_EQ(open().find("key"), nullptr);
}

TEST_F(ProgramCacheTest, NoDamagedEntryIsUsed) {
  store();
  std::string whole = read();
  ProgramCache cache = open();
  size_t tried = 0;
  test::DamageCampaign campaign(whole, [&](const std::string &copy) {
    write(copy);
    ++tried;
    return cache.find("key") == nullptr;
  });
  campaign.run();
  EXPECT_GE(tried, 700u);
  EXPECT_EQ(campaign.faults(), std::vector<std::string>());
  // And a new one takes its place.
  store();
  EXPECT_NE(open().find("key"), nullptr);
}

TEST_F(ProgramCacheTest, ManyProcessesEndWithOneEntry) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 5; ++round) {
        auto cache = ProgramCache::open(path_);
        good = good && cache.ok() &&
               cache->store("key", test::makeFullProgram("host")).ok() &&
               cache->find("key") != nullptr;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(path_), {}), 1);
}

TEST(ProgramCache, OfNoFolderIsEmptyAndStaysSo) {
  Result<ProgramCache> cache = ProgramCache::open("");
  ASSERT_TRUE(cache.ok());
  EXPECT_TRUE(cache->store("key", test::makeFullProgram("host")).ok());
  EXPECT_EQ(cache->find("key"), nullptr);
}

TEST(ProgramCache, TheEnvironmentNamesItsFolder) {
  ::unsetenv("MPC_CACHE_DIR");
  ::setenv("HOME", "/home/me", 1);
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(CacheFolder::defaultPath(), "/home/me/.cache/mpc");
  ::setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(CacheFolder::defaultPath(), "/caches/mpc");
  ::setenv("MPC_CACHE_DIR", "/mine", 1);
  EXPECT_EQ(CacheFolder::defaultPath(), "/mine");
  ::setenv("MPC_CACHE_DIR", "", 1);
  EXPECT_EQ(CacheFolder::defaultPath(), "");
}

} // namespace
} // namespace mpc::rt
