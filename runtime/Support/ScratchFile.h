// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Bytes that are written once and read often, in memory or on disk.
#ifndef MPC_RUNTIME_SUPPORT_SCRATCHFILE_H
#define MPC_RUNTIME_SUPPORT_SCRATCHFILE_H

#include "runtime/Support/SharedBytes.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mpc::rt {

/// A file without a name in the folder for temporary files ($TMPDIR, else
/// /tmp). It vanishes with its last reader, or with the process.
class ScratchFile {
public:
  /// Fails where the disk has less than `bytes` free.
  static Result<ScratchFile> create(uint64_t bytes);
  ScratchFile(ScratchFile &&other) noexcept;
  ScratchFile &operator=(ScratchFile &&) = delete;
  ~ScratchFile();

  Status append(std::span<const std::byte> bytes);
  /// Maps all that was appended. It is called at most once, as the last call.
  Result<SharedBytes> map();

private:
  explicit ScratchFile(int fd) : fd_(fd) {}

  int fd_ = -1;
  uint64_t written_ = 0;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_SCRATCHFILE_H
