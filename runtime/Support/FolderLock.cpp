// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lock of a folder over flock().
#include "runtime/Support/FolderLock.h"

#include "runtime/Support/File.h"
#include "runtime/Support/Text.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

std::string thisProcess() {
  char host[256] = "unknown";
  (void)::gethostname(host, sizeof host - 1);
  return fmt::format("process {} on host {}", ::getpid(), host);
}

std::string readHolder(int fd) {
  char text[400];
  ssize_t size = ::pread(fd, text, sizeof text, 0);
  return size > 0 ? escape({text, static_cast<size_t>(size)})
                  : "another process";
}

} // namespace

Result<FolderLock> FolderLock::take(const std::string &folder) {
  std::string path = folder + "/" + kFileName;
  int fd =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0)
    return environmentError(fmt::format("{}: cannot create: {}", escape(path),
                                        errnoMessage(errno)));
  FolderLock lock(fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return environmentError(fmt::format("{}: cannot lock: {}", escape(path),
                                          errnoMessage(errno)));
    return environmentError(
        fmt::format("{}: in use by {}", escape(folder), readHolder(fd)));
  }
  std::string holder = thisProcess();
  int error = ::ftruncate(fd, 0) == 0 ? 0 : errno;
  if (!error)
    error = writeAll(Io::system(), fd, holder.data(), holder.size());
  if (error)
    return environmentError(
        fmt::format("{}: cannot write: {}", escape(path), errnoMessage(error)));
  return lock;
}

FolderLock::~FolderLock() {
  if (fd_ < 0)
    return;
  // The file stays, because removing it would race with a process that has
  // opened it.
  (void)!::ftruncate(fd_, 0);
  ::close(fd_);
}

} // namespace mpc::rt
