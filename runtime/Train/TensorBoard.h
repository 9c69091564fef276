// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Event files that TensorBoard reads.
#ifndef MPC_RUNTIME_TRAIN_TENSORBOARD_H
#define MPC_RUNTIME_TRAIN_TENSORBOARD_H

#include "runtime/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace mpc::rt {

/// Writes scalars to a new event file in a folder. A resumed run writes another
/// file there, and TensorBoard joins them by step.
class TensorBoardWriter {
public:
  /// Makes the folder if only its last component is missing. `wallTime` is in
  /// seconds since 1970.
  static Result<TensorBoardWriter> create(const std::string &folder,
                                          double wallTime);
  TensorBoardWriter(TensorBoardWriter &&other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  TensorBoardWriter &operator=(TensorBoardWriter &&other) noexcept {
    std::swap(path_, other.path_);
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~TensorBoardWriter();

  Status scalar(std::string_view tag, int64_t step, float value,
                double wallTime);
  [[nodiscard]] const std::string &path() const { return path_; }

private:
  TensorBoardWriter(std::string path, int fd)
      : path_(std::move(path)), fd_(fd) {}
  Status record(const std::string &event);

  std::string path_;
  int fd_ = -1;
};

/// The checksum of a part of a record: CRC-32C, rotated and shifted, so that
/// data which contains checksums has a sound checksum too.
[[nodiscard]] uint32_t maskedCrc32c(std::string_view data);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_TENSORBOARD_H
