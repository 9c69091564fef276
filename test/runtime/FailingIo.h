// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// File calls of which the n-th fails, for walking through every fault.
#ifndef MPC_TEST_RUNTIME_FAILINGIO_H
#define MPC_TEST_RUNTIME_FAILINGIO_H

#include "runtime/Support/File.h"

#include <cerrno>

namespace mpc::rt {

class FailingIo : public Io {
public:
  /// Call number `failAt` (from 0, over all kinds but close and unlink) fails
  /// with `error`; -1 never. Writes are cut to `maxWrite` bytes.
  FailingIo(int failAt, int error, size_t maxWrite = SIZE_MAX)
      : failAt_(failAt), error_(error), maxWrite_(maxWrite) {}

  int open(const char *path, int flags, mode_t mode) const override {
    return fails() ? -1 : Io::open(path, flags, mode);
  }
  ssize_t write(int fd, const void *data, size_t bytes) const override {
    return fails() ? -1 : Io::write(fd, data, std::min(bytes, maxWrite_));
  }
  int fsync(int fd) const override { return fails() ? -1 : Io::fsync(fd); }
  int rename(const char *from, const char *to) const override {
    return fails() ? -1 : Io::rename(from, to);
  }

  int calls() const { return calls_; }

private:
  bool fails() const {
    if (calls_++ != failAt_)
      return false;
    errno = error_;
    return true;
  }

  int failAt_;
  int error_;
  size_t maxWrite_;
  mutable int calls_ = 0;
};

} // namespace mpc::rt

#endif // MPC_TEST_RUNTIME_FAILINGIO_H
