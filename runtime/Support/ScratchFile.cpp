// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Temporary files without a name.
#include "runtime/Support/ScratchFile.h"

#include "runtime/Support/File.h"
#include "runtime/Support/Text.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

namespace mpc::rt {
namespace {

Status failure(const char *what, int error) {
  return environmentError(
      fmt::format("temporary file: cannot {}: {}", what, errnoMessage(error)));
}

Status checkSpace(const std::string &folder, uint64_t bytes) {
  struct statvfs info;
  if (::statvfs(folder.c_str(), &info) != 0)
    return {}; // An error shows when the file is written.
  uint64_t free = static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
  if (bytes <= free)
    return {};
  return environmentError(fmt::format(
      "{}: {} are needed for a temporary file, {} are free; TMPDIR names "
      "another folder",
      escape(folder), formatBytes(bytes), formatBytes(free)));
}

} // namespace

Result<ScratchFile> ScratchFile::create(uint64_t bytes) {
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error).string();
  if (error)
    folder = "/tmp";
  MPC_RETURN_IF_ERROR(checkSpace(folder, bytes));
  std::string path = folder + "/mpc-scratch-XXXXXX";
  int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0)
    return failure("create", errno).withContext(escape(folder));
  ::unlink(path.c_str());
  return ScratchFile(fd);
}

ScratchFile::ScratchFile(ScratchFile &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)), written_(other.written_) {}

ScratchFile::~ScratchFile() {
  if (fd_ >= 0)
    ::close(fd_);
}

Status ScratchFile::append(std::span<const std::byte> bytes) {
  if (int error = writeAll(Io::system(), fd_, bytes.data(), bytes.size()))
    return failure("write", error);
  written_ += bytes.size();
  return {};
}

Result<SharedBytes> ScratchFile::map() {
  if (written_ == 0)
    return SharedBytes();
  size_t size = written_;
  void *data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd_, 0);
  if (data == MAP_FAILED)
    return failure("map", errno);
  std::shared_ptr<const void> owner(
      data, [size](void *mapped) { ::munmap(mapped, size); });
  return SharedBytes(owner, {static_cast<const std::byte *>(data), size});
}

} // namespace mpc::rt
