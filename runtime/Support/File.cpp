// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic writing and mapped reading of files over POSIX.
#include "runtime/Support/File.h"

#include "runtime/Support/Text.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

namespace mpc::rt {
namespace {

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string freeSpace(const std::string &folder) {
  struct statvfs info;
  if (::statvfs(folder.c_str(), &info) != 0)
    return "unknown";
  return formatBytes(static_cast<uint64_t>(info.f_bavail) * info.f_frsize);
}

/// The name is short, so that a target's name of 255 bytes works.
std::string newTempName() {
  // std::random_device requires glibc 2.36 in a program that links it.
  // getrandom() never returns fewer than these few bytes.
  std::array<uint32_t, 2> drawn{};
  (void)::getrandom(drawn.data(), sizeof drawn, 0);
  return fmt::format("{}{}-{:08x}{:08x}", AtomicFile::kTempPrefix, ::getpid(),
                     drawn[0], drawn[1]);
}

/// Makes the entries of `folder` durable. Returns 0 or an errno value.
int syncFolder(const Io &io, const std::string &folder) {
  int fd = io.open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0)
    return errno;
  int error = io.fsync(fd) == 0 ? 0 : errno;
  io.close(fd);
  // Some file systems cannot sync a folder and return EINVAL.
  return error == EINVAL ? 0 : error;
}

constexpr const char *kStandardInput = "standard input";

/// A missing file is the caller's fault; a failing disk is the environment's.
Status readFailure(const std::string &path, const std::string &what,
                   int error) {
  std::string message = fmt::format("{}: {}", escape(path), what);
  return error == EIO || error == ENOMEM || error == EACCES
             ? environmentError(std::move(message))
             : invalidInput(std::move(message));
}

bool isOrphan(std::string_view name) {
  if (!name.starts_with(AtomicFile::kTempPrefix))
    return false;
  name.remove_prefix(AtomicFile::kTempPrefix.size());
  pid_t pid = 0;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || pid <= 0)
    return false;
  return pid == ::getpid() || (::kill(pid, 0) != 0 && errno == ESRCH);
}

} // namespace

int Io::open(const char *path, int flags, mode_t mode) const {
  return ::open(path, flags, mode);
}
ssize_t Io::write(int fd, const void *data, size_t bytes) const {
  return ::write(fd, data, bytes);
}
int Io::fsync(int fd) const { return ::fsync(fd); }
int Io::close(int fd) const { return ::close(fd); }
int Io::rename(const char *from, const char *to) const {
  return ::rename(from, to);
}
int Io::unlink(const char *path) const { return ::unlink(path); }

const Io &Io::system() {
  static const Io kIo;
  return kIo;
}

int writeAll(const Io &io, int fd, const void *data, size_t bytes) {
  const char *begin = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t count = io.write(fd, begin, bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0 ? errno : EIO;
    begin += count;
    bytes -= static_cast<size_t>(count);
  }
  return 0;
}

Result<AtomicFile> AtomicFile::create(std::string path, uint64_t expectedBytes,
                                      const Io &io) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return environmentError(
        fmt::format("{}: cannot write: is a folder", escape(path)));
  std::string temp = folderOf(path) + "/" + newTempName();
  int fd = io.open(temp.c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0)
    return environmentError(fmt::format("{}: cannot create: {}", escape(path),
                                        errnoMessage(errno)));
  return AtomicFile(std::move(path), std::move(temp), expectedBytes, fd, io);
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path_(std::move(other.path_)), temp_(std::exchange(other.temp_, {})),
      expectedBytes_(other.expectedBytes_), written_(other.written_),
      fd_(std::exchange(other.fd_, -1)), io_(other.io_) {}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (fd_ >= 0)
    io_->close(std::exchange(fd_, -1));
  if (!temp_.empty())
    io_->unlink(temp_.c_str());
  temp_.clear();
}

Status AtomicFile::failure(const char *what, int error) const {
  std::string message = fmt::format("{}: cannot {}: {}", escape(path_), what,
                                    errnoMessage(error));
  if (error == ENOSPC || error == EDQUOT)
    message += fmt::format(" (needs {}, wrote {}, {} free)",
                           formatBytes(std::max(expectedBytes_, written_)),
                           formatBytes(written_), freeSpace(folderOf(path_)));
  return environmentError(std::move(message));
}

Status AtomicFile::append(const void *data, size_t bytes) {
  if (int error = writeAll(*io_, fd_, data, bytes)) {
    Status status = failure("write", error);
    discard();
    return status;
  }
  written_ += bytes;
  return {};
}

Status AtomicFile::commit() {
  if (fd_ < 0)
    return internalError(fmt::format("{}: committed twice", escape(path_)));
  const char *what = "sync";
  // A failed fsync has dropped the dirty pages, so that a second one would
  // succeed without them.
  int error = io_->fsync(fd_) == 0 ? 0 : errno;
  if (io_->close(std::exchange(fd_, -1)) != 0 && !error)
    error = errno, what = "close";
  if (!error && io_->rename(temp_.c_str(), path_.c_str()) != 0)
    error = errno, what = "rename to it";
  if (error) {
    Status status = failure(what, error);
    discard();
    return status;
  }
  temp_.clear();
  if (int syncError = syncFolder(*io_, folderOf(path_)))
    return failure("sync the folder of it", syncError);
  return {};
}

Result<std::string> readInput(const std::string &path) {
  bool isInput = path == "-";
  int fd = isInput ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  char buffer[65536];
  ssize_t count = fd < 0 ? -1 : ::read(fd, buffer, sizeof(buffer));
  for (; count > 0 || (fd >= 0 && count < 0 && errno == EINTR);
       count = ::read(fd, buffer, sizeof(buffer)))
    text.append(buffer, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  int error = count < 0 ? errno : 0;
  if (!isInput && fd >= 0)
    ::close(fd);
  if (error)
    return readFailure(isInput ? kStandardInput : path,
                       "cannot read: " + errnoMessage(error), error);
  return text;
}

void removeOrphanTempFiles(const std::string &folder, const Io &io) {
  std::error_code error;
  std::filesystem::directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error))
    if (isOrphan(it->path().filename().native()))
      io.unlink(it->path().c_str());
}

bool isPrivate(const struct stat &info) {
  return info.st_uid == ::geteuid() &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Result<MappedFile> MappedFile::open(std::string path) {
  return map(std::move(path), 0, /*wantsPrivate=*/false);
}

Result<MappedFile> MappedFile::openPrivate(std::string path) {
  return map(std::move(path), O_NOFOLLOW, /*wantsPrivate=*/true);
}

namespace {

/// Where files are mapped in this process.
class Mappings {
public:
  /// Stays until the process ends, later than any mapping.
  static Mappings &get() {
    static auto &mappings = *new Mappings;
    return mappings;
  }

  void add(std::span<const std::byte> bytes) {
    std::lock_guard lock(mutex_);
    ends_[bytes.data()] = bytes.data() + bytes.size();
  }
  void remove(const std::byte *data) {
    std::lock_guard lock(mutex_);
    ends_.erase(data);
  }
  /// Calls `act` while the mapping around `bytes` stays, if there is one.
  template <typename Act>
  void withMapped(std::span<const std::byte> bytes, Act act) {
    std::lock_guard lock(mutex_);
    auto next = ends_.upper_bound(bytes.data());
    if (next != ends_.begin() &&
        bytes.data() + bytes.size() <= std::prev(next)->second)
      act();
  }

private:
  std::mutex mutex_;
  std::map<const std::byte *, const std::byte *> ends_;
};

} // namespace

void MappedFile::giveBack(std::span<const std::byte> bytes) {
  static const auto kPage = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  // Neighbours may be in use in the first and the last page.
  uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  uintptr_t last = (begin + bytes.size()) / kPage * kPage;
  if (first < last)
    Mappings::get().withMapped(bytes, [&] {
      (void)::madvise(reinterpret_cast<void *>(first), last - first,
                      MADV_DONTNEED);
    });
}

Result<MappedFile> MappedFile::map(std::string path, int flags,
                                   bool wantsPrivate) {
  auto failure = [&](const std::string &what, int error) {
    return readFailure(path, what, error);
  };
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags);
  if (fd < 0)
    return failure("cannot open: " + errnoMessage(errno), errno);
  struct stat info;
  Status status;
  void *data = nullptr;
  if (::fstat(fd, &info) != 0)
    status = failure("cannot stat: " + errnoMessage(errno), errno);
  else if (!S_ISREG(info.st_mode))
    status = failure("is not a regular file", 0);
  else if (wantsPrivate && !isPrivate(info))
    status = failure("other users own it or can write to it", 0);
  else if (info.st_size > 0) {
    data = ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ,
                  MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
      status = failure("cannot map: " + errnoMessage(errno), errno);
  }
  ::close(fd);
  if (!status.ok())
    return status;
  MappedFile file(std::move(path), static_cast<const std::byte *>(data),
                  static_cast<size_t>(info.st_size));
  if (data)
    Mappings::get().add(file.bytes());
  return file;
}

Result<MappedFile> MappedFile::readStandardInput() {
  MPC_ASSIGN_OR_RETURN(std::string text, readInput("-"));
  void *data = nullptr;
  if (!text.empty()) {
    data = ::mmap(nullptr, text.size(), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
      return environmentError("standard input: " + errnoMessage(errno));
    std::memcpy(data, text.data(), text.size());
  }
  return MappedFile(kStandardInput, static_cast<const std::byte *>(data),
                    text.size());
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!data_)
    return;
  Mappings::get().remove(data_);
  ::munmap(const_cast<std::byte *>(data_), size_);
}

} // namespace mpc::rt
