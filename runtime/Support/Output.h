// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the paths that a user names for outputs lead, and writing there. Files
/// of our own, as checkpoints, are AtomicFiles.
#ifndef MPC_RUNTIME_SUPPORT_OUTPUT_H
#define MPC_RUNTIME_SUPPORT_OUTPUT_H

#include "runtime/Support/File.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace mpc::rt {

/// What an output path stands for, once its symbolic links are followed.
class OutputPlace {
public:
  enum class Kind : uint8_t {
    File,       ///< A regular file, or none yet.
    Special,    ///< A device, a FIFO, a socket: never replaced.
    Descriptor, ///< Open already: "-", /dev/stdout, /dev/fd/N.
  };

  /// A folder is an error, and so is a chain of links that does not end.
  static Result<OutputPlace> find(const std::string &path);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// Whether what is written later stands in place of what was written before.
  [[nodiscard]] bool isFile() const { return kind_ == Kind::File; }
  /// The path behind the links.
  [[nodiscard]] const std::string &target() const { return target_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// As the user wrote it, for messages.
  [[nodiscard]] const std::string &name() const { return name_; }

private:
  Kind kind_ = Kind::File;
  std::string name_, target_;
  int descriptor_ = -1;
};

/// An output that is written as it comes: a table, lines of a report.
class OutputStream {
public:
  enum class Begin : uint8_t {
    New,      ///< A file is emptied.
    Continue, ///< A file is appended to.
  };

  static Result<OutputStream> open(const std::string &path,
                                   Begin begin = Begin::New,
                                   const Io &io = Io::system());
  OutputStream(OutputStream &&other) noexcept
      : name_(std::move(other.name_)), fd_(std::exchange(other.fd_, -1)),
        io_(other.io_) {}
  OutputStream &operator=(OutputStream &&other) noexcept;
  ~OutputStream();

  Status append(std::string_view text);
  /// Cuts a file; for what is no file it does nothing.
  Status cut(uint64_t bytes);
  /// Forces all to disk, where there is a disk.
  Status sync();

private:
  OutputStream(std::string name, int fd, const Io &io)
      : name_(std::move(name)), fd_(fd), io_(&io) {}

  std::string name_;
  int fd_ = -1;
  const Io *io_;
};

/// An output that is written once, whole: a file appears under its name on
/// commit(), as an AtomicFile; anything else is written to as it is.
class OutputFile {
public:
  /// `expectedBytes` only serves the message when the disk is full.
  static Result<OutputFile> create(const std::string &path,
                                   uint64_t expectedBytes = 0,
                                   const Io &io = Io::system());
  Status append(std::string_view text);
  /// At most once, and last.
  Status commit();

private:
  OutputFile(std::string name, std::optional<AtomicFile> file,
             std::optional<OutputStream> stream)
      : name_(std::move(name)), file_(std::move(file)),
        stream_(std::move(stream)) {}

  std::string name_;
  std::optional<AtomicFile> file_;
  std::optional<OutputStream> stream_;
};

/// Writes `text` as the whole of an output.
Status writeOutput(const std::string &path, std::string_view text,
                   const Io &io = Io::system());

/// Whether an output can be written, as far as that can be told without doing
/// so: a FIFO is not opened, since its reader would take the end for the end.
Status checkOutput(const std::string &path);

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_OUTPUT_H
