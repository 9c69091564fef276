// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic files under every failing call; mapped files of every odd kind.
#include "runtime/Support/File.h"

#include "test/runtime/FailingIo.h"
#include "test/runtime/MappedMemory.h"
#include "test/runtime/TempFolder.h"

#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

Status replaceFile(const std::string &path, std::string_view text,
                   const Io &io = Io::system()) {
  MPC_ASSIGN_OR_RETURN(AtomicFile file,
                       AtomicFile::create(path, text.size(), io));
  MPC_RETURN_IF_ERROR(file.append(text));
  return file.commit();
}

TEST(AtomicFile, ReplacesTheFile) {
  TempFolder folder;
  ASSERT_TRUE(replaceFile(folder.path("a"), "one").ok());
  ASSERT_TRUE(replaceFile(folder.path("a"), "two").ok());
  EXPECT_EQ(readText(folder.path("a")), "two");
  EXPECT_EQ(folder.names().size(), 1u);
}

TEST(AtomicFile, AnyFailingCallLeavesOldOrNewAndNoTempFile) {
  for (int error : {ENOSPC, EIO, EDQUOT, EACCES}) {
    int failAt = 0;
    for (bool done = false; !done; ++failAt) {
      TempFolder folder;
      writeText(folder.path("a"), "old");
      FailingIo io(failAt, error, /*maxWrite=*/1);
      Status status = replaceFile(folder.path("a"), "new", io);
      done = status.ok();
      EXPECT_EQ(folder.names().size(), 1u) << status.message();
      std::string text = readText(folder.path("a"));
      EXPECT_TRUE(text == "new" || (text == "old" && !done)) << text;
      if (done)
        break;
      EXPECT_EQ(status.code(), StatusCode::Environment);
      EXPECT_NE(status.message().find(folder.path("a")), std::string::npos);
    }
    EXPECT_EQ(failAt, 8); // open, 3 writes, fsync, rename, open, fsync
  }
}

TEST(AtomicFile, InterruptedAndShortWritesGoOn) {
  TempFolder folder;
  FailingIo io(2, EINTR, /*maxWrite=*/2);
  ASSERT_TRUE(replaceFile(folder.path("a"), "abcdefg", io).ok());
  EXPECT_EQ(readText(folder.path("a")), "abcdefg");
}

TEST(AtomicFile, DiskFullSaysNeedAndFree) {
  TempFolder folder;
  FailingIo io(1, ENOSPC);
  Status status = replaceFile(folder.path("a"), "12345", io);
  EXPECT_NE(status.message().find("needs 5 bytes, wrote 0 bytes"),
            std::string::npos)
      << status.message();
}

TEST(AtomicFile, OddTargets) {
  TempFolder folder;
  EXPECT_EQ(replaceFile(folder.path("missing/a"), "x").code(),
            StatusCode::Environment);
  EXPECT_EQ(replaceFile(folder.path(), "x").message(),
            folder.path() + ": cannot write: is a folder");
  EXPECT_TRUE(replaceFile(folder.path(std::string(255, 'n')), "x").ok());
  EXPECT_EQ(replaceFile(folder.path(std::string(256, 'n')), "x").code(),
            StatusCode::Environment);
  writeText(folder.path("real"), "real");
  ASSERT_EQ(::symlink("real", folder.path("link").c_str()), 0);
  EXPECT_TRUE(replaceFile(folder.path("link"), "x").ok());
  EXPECT_EQ(readText(folder.path("real")), "real");
}

TEST(Input, FilesPipesAndFaults) {
  TempFolder folder;
  writeText(folder.path("a"), std::string(200000, 'x'));
  Result<std::string> text = readInput(folder.path("a"));
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, std::string(200000, 'x'));
  Status missing = readInput(folder.path("c")).status();
  EXPECT_EQ(missing.code(), StatusCode::InvalidInput);
  EXPECT_EQ(missing.message(),
            folder.path("c") + ": cannot read: No such file or directory");
  EXPECT_EQ(readInput(folder.path()).status().message(),
            folder.path() + ": cannot read: Is a directory");
}

TEST(Status, ContextIsSaidOnce) {
  Status status = invalidInput("fault").withContext("file");
  EXPECT_EQ(status.message(), "file: fault");
  EXPECT_EQ(status.withContext("file").message(), "file: fault");
  EXPECT_EQ(invalidInput("file:3: fault").withContext("file").message(),
            "file:3: fault");
  EXPECT_EQ(status.withContext("fil").message(), "fil: file: fault");
}

TEST(AtomicFile, DroppedBeforeCommitLeavesNothing) {
  TempFolder folder;
  {
    Result<AtomicFile> file = AtomicFile::create(folder.path("a"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->append("text").ok());
    EXPECT_EQ(folder.names().size(), 1u);
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(OrphanTempFiles, OnlyThoseOfDeadWritersGo) {
  TempFolder folder;
  std::string alive = fmt::format(".mpc-tmp-{}-0", ::getppid());
  for (const std::string &name :
       {std::string(".mpc-tmp-999999999-0"), std::string("other"), alive,
        fmt::format(".mpc-tmp-{}-0", ::getpid())})
    writeText(folder.path(name), "");
  removeOrphanTempFiles(folder.path());
  std::vector<std::string> names = folder.names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{alive, "other"}));
}

TEST(MappedFile, ReadsRegularFilesOnly) {
  TempFolder folder;
  writeText(folder.path("a"), "abc");
  writeText(folder.path("empty"), "");
  Result<MappedFile> file = MappedFile::open(folder.path("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->bytes().size(), 3u);
  ASSERT_TRUE(MappedFile::open(folder.path("empty")).ok());
  EXPECT_EQ(MappedFile::open(folder.path()).status().message(),
            folder.path() + ": is not a regular file");
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(folder.path("pipe")).status().message(),
            folder.path("pipe") + ": is not a regular file");
  EXPECT_EQ(MappedFile::open(folder.path("no")).status().message(),
            folder.path("no") + ": cannot open: No such file or directory");
}

TEST(MappedFile, GivesBackWhatIsReadAgainWhenAskedFor) {
  constexpr size_t kSize = 8 << 20;
  TempFolder folder;
  std::string text(kSize, 'x');
  writeText(folder.path("a"), text);
  Result<MappedFile> file = MappedFile::open(folder.path("a"));
  ASSERT_TRUE(file.ok());
  auto isWhole = [&] {
    return std::memcmp(file->bytes().data(), text.data(), kSize) == 0;
  };
  ASSERT_TRUE(isWhole());
  size_t before = mappedInMemory();
  MappedFile::giveBack(file->bytes().subspan(5, kSize - 9));
  EXPECT_LT(mappedInMemory() + kSize / 2, before);
  EXPECT_TRUE(isWhole());
  // Memory of no file has nowhere to be read from again.
  MappedFile::giveBack(std::as_bytes(std::span(text)));
  EXPECT_EQ(text, std::string(kSize, 'x'));
}

} // namespace
} // namespace mpc::rt
