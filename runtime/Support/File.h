// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Files that appear whole or not at all, and files mapped for reading.
#ifndef MPC_RUNTIME_SUPPORT_FILE_H
#define MPC_RUNTIME_SUPPORT_FILE_H

#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/types.h>

namespace mpc::rt {

/// The runtime's calls that write files, in one place, so that a test can make
/// each of them fail. Results and errno are POSIX'.
class Io {
public:
  virtual ~Io() = default;
  virtual int open(const char *path, int flags, mode_t mode) const;
  virtual ssize_t write(int fd, const void *data, size_t bytes) const;
  virtual int fsync(int fd) const;
  virtual int close(int fd) const;
  virtual int rename(const char *from, const char *to) const;
  virtual int unlink(const char *path) const;

  /// The operating system's calls.
  static const Io &system();
};

/// Writes all of `bytes` to `fd`, in spite of short writes and EINTR. Returns 0
/// or an errno value.
[[nodiscard]] int writeAll(const Io &io, int fd, const void *data,
                           size_t bytes);

/// A file that appears under its name only once it is whole and on disk. It is
/// written to a temporary file in the same folder, synced, and renamed. A
/// symbolic link of that name is replaced and never followed.
class AtomicFile {
public:
  /// The prefix of names of temporary files. The writer's process id follows.
  static constexpr std::string_view kTempPrefix = ".mpc-tmp-";

  /// `expectedBytes` is only for the message when the disk is full.
  static Result<AtomicFile> create(std::string path, uint64_t expectedBytes = 0,
                                   const Io &io = Io::system());
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  /// Removes the temporary file unless committed.
  ~AtomicFile();

  Status append(const void *data, size_t bytes);
  Status append(std::string_view text) {
    return append(text.data(), text.size());
  }
  /// Makes the file visible under its name. It is called at most once, as the
  /// last call.
  Status commit();

private:
  AtomicFile(std::string path, std::string temp, uint64_t expectedBytes, int fd,
             const Io &io)
      : path_(std::move(path)), temp_(std::move(temp)),
        expectedBytes_(expectedBytes), fd_(fd), io_(&io) {}
  Status failure(const char *what, int error) const;
  void discard();

  std::string path_;
  std::string temp_; ///< The temporary file; empty once it is gone.
  uint64_t expectedBytes_ = 0;
  uint64_t written_ = 0;
  int fd_ = -1;
  const Io *io_;
};

/// The content of a file, or of a pipe; "-" is standard input.
Result<std::string> readInput(const std::string &path);

/// Whether the file belongs to this user, and nobody else can write to it.
bool isPrivate(const struct stat &info);

/// Removes temporary files of dead writers in `folder`. Their process has
/// ended, or it was an earlier one with this process's id.
void removeOrphanTempFiles(const std::string &folder,
                           const Io &io = Io::system());

/// A regular file mapped for reading, or a copy of standard input. Nothing may
/// truncate the file meanwhile.
class MappedFile {
public:
  static Result<MappedFile> open(std::string path);
  /// Opens a file that belongs to this user and that nobody else can write. A
  /// symbolic link is not followed.
  static Result<MappedFile> openPrivate(std::string path);
  /// The rest of standard input; its path is "standard input".
  static Result<MappedFile> readStandardInput();
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  [[nodiscard]] const std::string &path() const { return path_; }
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return {data_, size_};
  }

  /// Gives back the memory that holds `bytes`, where some file is mapped there:
  /// whoever asks for them again gets them from the file. Other bytes stay.
  static void giveBack(std::span<const std::byte> bytes);

private:
  static Result<MappedFile> map(std::string path, int flags, bool wantsPrivate);
  MappedFile(std::string path, const std::byte *data, size_t size)
      : path_(std::move(path)), data_(data), size_(size) {}

  std::string path_;
  /// The mapped bytes; null for an empty file.
  const std::byte *data_ = nullptr;
  size_t size_ = 0;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_FILE_H
