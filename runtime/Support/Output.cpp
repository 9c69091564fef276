// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output paths over POSIX.
#include "runtime/Support/Output.h"

#include "runtime/Support/Text.h"

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

/// Linux' limit for one path (path_resolution(7)).
constexpr int kMaxLinks = 40;

Status failure(const std::string &name, const char *what, int error) {
  return environmentError(fmt::format("{}: cannot {}: {}", escape(name), what,
                                      errnoMessage(error)));
}

struct Split {
  std::string folder; ///< The folder without links; empty where there is none.
  std::string name;
};

Split splitPath(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "."
                       : slash == 0               ? "/"
                                                  : path.substr(0, slash);
  std::unique_ptr<char, decltype(&std::free)> real(
      ::realpath(folder.c_str(), nullptr), &std::free);
  return {real ? real.get() : "",
          slash == std::string::npos ? path : path.substr(slash + 1)};
}

/// The number N for /proc/PID/fd/N, to which /dev/stdout and /dev/fd/N lead.
/// The link is not followed, because opening the file anew would write from its
/// beginning.
std::optional<int> descriptorOf(const Split &path) {
  if (!path.folder.starts_with("/proc/") || !path.folder.ends_with("/fd"))
    return std::nullopt;
  int fd = -1;
  const char *end = path.name.data() + path.name.size();
  auto [last, error] = std::from_chars(path.name.data(), end, fd);
  if (error != std::errc() || last != end || ::fcntl(fd, F_GETFD) < 0)
    return std::nullopt;
  return fd;
}

std::optional<std::string> readLink(const std::string &path) {
  char text[PATH_MAX];
  ssize_t size = ::readlink(path.c_str(), text, sizeof text);
  if (size < 0)
    return std::nullopt;
  return std::string(text, static_cast<size_t>(size));
}

} // namespace

Result<OutputPlace> OutputPlace::find(const std::string &path) {
  OutputPlace place;
  place.name_ = path == "-" ? "standard output" : path;
  place.target_ = path;
  if (path == "-") {
    place.kind_ = Kind::Descriptor;
    place.descriptor_ = STDOUT_FILENO;
    return place;
  }
  for (int links = 0;; ++links) {
    Split split = splitPath(place.target_);
    if (std::optional<int> fd = descriptorOf(split)) {
      place.kind_ = Kind::Descriptor;
      place.descriptor_ = *fd;
      return place;
    }
    std::optional<std::string> next = readLink(place.target_);
    if (!next)
      break;
    if (links == kMaxLinks)
      return failure(path, "write", ELOOP);
    place.target_ = next->starts_with("/") ? *next : split.folder + "/" + *next;
  }
  struct stat info;
  bool exists = ::stat(place.target_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return environmentError(
        fmt::format("{}: cannot write: is a folder", escape(path)));
  place.kind_ = exists && !S_ISREG(info.st_mode) ? Kind::Special : Kind::File;
  return place;
}

Result<OutputStream> OutputStream::open(const std::string &path, Begin begin,
                                        const Io &io) {
  MPC_ASSIGN_OR_RETURN(OutputPlace place, OutputPlace::find(path));
  int fd = -1;
  if (place.kind() == OutputPlace::Kind::Descriptor) {
    fd = ::fcntl(place.descriptor(), F_DUPFD_CLOEXEC, 0);
  } else {
    int flags = O_WRONLY | O_CLOEXEC;
    if (place.isFile())
      flags |= O_CREAT | (begin == Begin::New ? O_TRUNC : O_APPEND);
    fd = io.open(place.target().c_str(), flags, 0644);
  }
  if (fd < 0)
    return failure(place.name(), place.isFile() ? "create" : "open", errno);
  return OutputStream(place.name(), fd, io);
}

OutputStream &OutputStream::operator=(OutputStream &&other) noexcept {
  std::swap(name_, other.name_);
  std::swap(fd_, other.fd_);
  std::swap(io_, other.io_);
  return *this;
}

OutputStream::~OutputStream() {
  if (fd_ >= 0)
    io_->close(fd_);
}

Status OutputStream::append(std::string_view text) {
  int error = writeAll(*io_, fd_, text.data(), text.size());
  return error ? failure(name_, "write", error) : Status();
}

Status OutputStream::cut(uint64_t bytes) {
  if (::ftruncate(fd_, static_cast<off_t>(bytes)) == 0 || errno == EINVAL)
    return {};
  return failure(name_, "cut", errno);
}

Status OutputStream::sync() {
  // Pipes, terminals and devices cannot be synced and return these errors.
  if (io_->fsync(fd_) == 0 || errno == EINVAL || errno == EROFS ||
      errno == ENOTSUP)
    return {};
  return failure(name_, "sync", errno);
}

Result<OutputFile> OutputFile::create(const std::string &path,
                                      uint64_t expectedBytes, const Io &io) {
  MPC_ASSIGN_OR_RETURN(OutputPlace place, OutputPlace::find(path));
  if (!place.isFile()) {
    MPC_ASSIGN_OR_RETURN(
        OutputStream stream,
        OutputStream::open(path, OutputStream::Begin::New, io));
    return OutputFile(place.name(), std::nullopt, std::move(stream));
  }
  Result<AtomicFile> file =
      AtomicFile::create(place.target(), expectedBytes, io);
  if (!file.ok())
    return file.status().withContext(escape(path));
  return OutputFile(place.name(), *std::move(file), std::nullopt);
}

Status OutputFile::append(std::string_view text) {
  return stream_ ? stream_->append(text)
                 : file_->append(text).withContext(escape(name_));
}

Status OutputFile::commit() {
  return stream_ ? Status() : file_->commit().withContext(escape(name_));
}

Status writeOutput(const std::string &path, std::string_view text,
                   const Io &io) {
  MPC_ASSIGN_OR_RETURN(OutputFile file,
                       OutputFile::create(path, text.size(), io));
  MPC_RETURN_IF_ERROR(file.append(text));
  return file.commit();
}

Status checkOutput(const std::string &path) {
  MPC_ASSIGN_OR_RETURN(OutputPlace place, OutputPlace::find(path));
  if (place.isFile())
    return OutputFile::create(path).status();
  if (place.kind() == OutputPlace::Kind::Special &&
      ::access(place.target().c_str(), W_OK) != 0)
    return failure(place.name(), "open", errno);
  return {};
}

} // namespace mpc::rt
