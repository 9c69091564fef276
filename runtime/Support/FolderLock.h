// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Locks a folder for one writer.
#ifndef MPC_RUNTIME_SUPPORT_FOLDERLOCK_H
#define MPC_RUNTIME_SUPPORT_FOLDERLOCK_H

#include "runtime/Support/Status.h"

#include <string>
#include <utility>

namespace mpc::rt {

/// Holds the lock of a folder during its lifetime. The kernel releases the lock
/// of a process that dies, so that a stale lock file is simply taken over. The
/// file's content (process and host) is only for the message.
class FolderLock {
public:
  static constexpr const char *kFileName = ".mpc-lock";

  static Result<FolderLock> take(const std::string &folder);
  FolderLock(FolderLock &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock &operator=(FolderLock &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FolderLock();

private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_FOLDERLOCK_H
