// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Resolves the paths that a user gives for outputs, and writes there. Files
/// that mpc names itself, as checkpoints, are AtomicFiles.
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

/// The place of an output path, after its symbolic links were followed.
class OutputPlace {
public:
  enum class Kind : uint8_t {
    File,       ///< A regular file, or a path at which nothing exists.
    Special,    ///< A device, a FIFO or a socket, which is never replaced.
    Descriptor, ///< A descriptor that is open: "-", /dev/stdout, /dev/fd/N.
  };

  /// A folder is an error, and so is an endless chain of links.
  static Result<OutputPlace> find(const std::string &path);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// Whether a later output replaces an earlier one.
  [[nodiscard]] bool isFile() const { return kind_ == Kind::File; }
  /// The path after all links.
  [[nodiscard]] const std::string &target() const { return target_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// The path as the user wrote it, for messages.
  [[nodiscard]] const std::string &name() const { return name_; }

private:
  Kind kind_ = Kind::File;
  std::string name_, target_;
  int descriptor_ = -1;
};

/// An output that is written step by step: a table, lines of a report.
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
  /// Truncates a file; does nothing for other outputs.
  Status cut(uint64_t bytes);
  /// Forces all to disk, where the output is on a disk.
  Status sync();

private:
  OutputStream(std::string name, int fd, const Io &io)
      : name_(std::move(name)), fd_(fd), io_(&io) {}

  std::string name_;
  int fd_ = -1;
  const Io *io_;
};

/// An output that is written once and whole. A file appears under its name on
/// commit(), as an AtomicFile. Other outputs are written directly.
class OutputFile {
public:
  /// `expectedBytes` is only for the message when the disk is full.
  static Result<OutputFile> create(const std::string &path,
                                   uint64_t expectedBytes = 0,
                                   const Io &io = Io::system());
  Status append(std::string_view text);
  /// It is called at most once, as the last call.
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

/// Whether an output can be written, as far as that is known without writing. A
/// FIFO is not opened, since its reader would take the closing for the end.
Status checkOutput(const std::string &path);

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_OUTPUT_H
