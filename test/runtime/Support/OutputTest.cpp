// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs to files, links, pipes, devices and descriptors.
#include "runtime/Support/Output.h"

#include "test/runtime/FailingIo.h"
#include "test/runtime/TempFolder.h"

#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>

namespace mpc::rt {
namespace {

mode_t typeOf(const std::string &path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

/// What arrives at the other end of a FIFO until its writer closes it.
std::string received(const std::string &fifo, Status (*write)(std::string)) {
  std::string text;
  std::thread reader([&] { text = readText(fifo); });
  Status status = write(fifo);
  reader.join();
  EXPECT_TRUE(status.ok()) << status.message();
  return text;
}

TEST(Output, FileAppearsWhole) {
  TempFolder folder;
  {
    Result<OutputFile> file = OutputFile::create(folder.path("a"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->append("text").ok());
    EXPECT_EQ(typeOf(folder.path("a")), mode_t(0));
  }
  EXPECT_TRUE(folder.names().empty());
  ASSERT_TRUE(writeOutput(folder.path("a"), "old").ok());
  ASSERT_TRUE(writeOutput(folder.path("a"), "text").ok());
  EXPECT_EQ(readText(folder.path("a")), "text");
  EXPECT_EQ(folder.names().size(), 1u);
}

TEST(Output, LinksAreFollowed) {
  TempFolder folder;
  ASSERT_EQ(::mkdir(folder.path("far").c_str(), 0700), 0);
  ASSERT_EQ(::symlink("far/b", folder.path("a").c_str()), 0);
  ASSERT_EQ(::symlink("c", folder.path("far/b").c_str()), 0);
  for (const char *text : {"new", "again"}) {
    ASSERT_TRUE(writeOutput(folder.path("a"), text).ok());
    EXPECT_EQ(typeOf(folder.path("a")), mode_t(S_IFLNK));
    EXPECT_EQ(typeOf(folder.path("far/b")), mode_t(S_IFLNK));
    EXPECT_EQ(typeOf(folder.path("far/c")), mode_t(S_IFREG));
    EXPECT_EQ(readText(folder.path("a")), text);
  }
}

TEST(Output, TheTemporaryFileLiesBesideTheTarget) {
  TempFolder folder;
  ASSERT_EQ(::mkdir(folder.path("far").c_str(), 0700), 0);
  ASSERT_EQ(::symlink("far/b", folder.path("a").c_str()), 0);
  Result<OutputFile> file = OutputFile::create(folder.path("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(folder.names().size(), 2u);
  EXPECT_FALSE(std::filesystem::is_empty(folder.path("far")));
}

TEST(Output, LinksWithoutAnEndAndFolders) {
  TempFolder folder;
  ASSERT_EQ(::symlink("b", folder.path("a").c_str()), 0);
  ASSERT_EQ(::symlink("a", folder.path("b").c_str()), 0);
  EXPECT_EQ(writeOutput(folder.path("a"), "x").message(),
            folder.path("a") +
                ": cannot write: Too many levels of symbolic links");
  EXPECT_EQ(writeOutput(folder.path(), "x").message(),
            folder.path() + ": cannot write: is a folder");
  EXPECT_EQ(OutputStream::open(folder.path()).status().message(),
            folder.path() + ": cannot write: is a folder");
  EXPECT_EQ(writeOutput(folder.path("none/a"), "x").message(),
            folder.path("none/a") +
                ": cannot create: No such file or directory");
}

TEST(Output, FifosStayAndGetTheText) {
  TempFolder folder;
  std::string fifo = folder.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(checkOutput(fifo).ok()); // Would wait if it opened it.
  EXPECT_EQ(
      received(fifo,
               [](std::string path) { return writeOutput(path, "whole"); }),
      "whole");
  EXPECT_EQ(received(fifo,
                     [](std::string path) {
                       MPC_ASSIGN_OR_RETURN(OutputStream stream,
                                            OutputStream::open(path));
                       MPC_RETURN_IF_ERROR(stream.append("line\n"));
                       MPC_RETURN_IF_ERROR(stream.sync());
                       MPC_RETURN_IF_ERROR(stream.cut(0));
                       return stream.append("line\n");
                     }),
            "line\nline\n");
  EXPECT_EQ(typeOf(fifo), mode_t(S_IFIFO));
  EXPECT_EQ(folder.names().size(), 1u);
}

TEST(Output, DevicesStay) {
  TempFolder folder;
  std::string node = folder.path("node");
  if (::mknod(node.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0 ||
      ::access(node.c_str(), W_OK) != 0)
    GTEST_SKIP() << "only root may make a device";
  if (int fd = ::open(node.c_str(), O_WRONLY); fd >= 0)
    ::close(fd);
  else
    GTEST_SKIP() << "this file system has no devices";
  EXPECT_TRUE(checkOutput(node).ok());
  EXPECT_TRUE(writeOutput(node, "text").ok());
  EXPECT_TRUE(OutputStream::open(node).ok());
  EXPECT_EQ(typeOf(node), mode_t(S_IFCHR));
  EXPECT_EQ(folder.names().size(), 1u);
}

TEST(Output, DescriptorsAreWrittenWhereTheyStand) {
  TempFolder folder;
  for (const char *form : {"/dev/fd/{}", "/proc/self/fd/{}"}) {
    int fd =
        ::open(folder.path("a").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT_GE(fd, 0);
    std::string path = fmt::format(fmt::runtime(form), fd);
    ASSERT_EQ(::write(fd, "before ", 7), 7);
    ASSERT_TRUE(checkOutput(path).ok());
    ASSERT_TRUE(writeOutput(path, "text").ok());
    ASSERT_EQ(::write(fd, " after", 6), 6);
    ASSERT_EQ(::close(fd), 0);
    EXPECT_EQ(readText(folder.path("a")), "before text after");
    EXPECT_EQ(folder.names().size(), 1u);
  }
  std::array<int, 2> pipe;
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ASSERT_TRUE(writeOutput(fmt::format("/dev/fd/{}", pipe[1]), "text").ok());
  std::array<char, 8> read{};
  EXPECT_EQ(::read(pipe[0], read.data(), read.size()), 4);
  EXPECT_EQ(std::string(read.data()), "text");
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(Output, StreamsBeginAnewOrGoOn) {
  TempFolder folder;
  std::string path = folder.path("a");
  using Begin = OutputStream::Begin;
  auto write = [&](Begin begin, uint64_t keep) {
    Result<OutputStream> stream = OutputStream::open(path, begin);
    ASSERT_TRUE(stream.ok());
    EXPECT_TRUE(begin == Begin::New || stream->cut(keep).ok());
    EXPECT_TRUE(stream->append("abc").ok());
    EXPECT_TRUE(stream->sync().ok());
  };
  write(Begin::New, 0);
  write(Begin::Continue, 2);
  EXPECT_EQ(readText(path), "ababc");
  write(Begin::New, 0);
  EXPECT_EQ(readText(path), "abc");
}

TEST(Output, AnyFailingCallIsAnErrorThatNamesTheOutput) {
  TempFolder folder;
  writeText(folder.path("b"), "old");
  ASSERT_EQ(::symlink("b", folder.path("a").c_str()), 0);
  int failAt = 0;
  for (bool done = false; !done; ++failAt) {
    FailingIo io(failAt, EIO);
    Status status = writeOutput(folder.path("a"), "new", io);
    done = status.ok();
    EXPECT_EQ(folder.names().size(), 2u) << status.message();
    if (!done) {
      EXPECT_TRUE(status.message().starts_with(folder.path("a") + ": "));
    }
  }
  EXPECT_EQ(failAt, 7); // open, write, fsync, rename, open, fsync, and none
  EXPECT_EQ(readText(folder.path("b")), "new");
}

} // namespace
} // namespace mpc::rt
