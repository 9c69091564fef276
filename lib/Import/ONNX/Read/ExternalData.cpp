// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Opens, checks and maps the files of a model's external data.
#include "lib/Import/ONNX/Read/ExternalData.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA1.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace mpc::onnx {

namespace {

/// A file descriptor that is closed on destruction.
class Descriptor {
public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor &&other) : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor &operator=(Descriptor &&other) {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

private:
  int fd_;
};

Error refused(StringRef location, const Twine &why) {
  return invalidModel("external data '" + printable(location) + "': " + why);
}

Error systemFault(StringRef location, int code) {
  std::string text =
      "external data '" + printable(location) + "': " + sys::StrError(code);
  bool environment = code == EACCES || code == EMFILE || code == ENFILE ||
                     code == EIO || code == ENOMEM;
  return environment ? environmentFault(text) : invalidModel(text);
}

/// Refuses forms of a location that are forbidden on every file system.
Error checkForm(StringRef location, ArrayRef<StringRef> parts) {
  if (location.empty())
    return refused(location, "the location is empty");
  if (location.contains('\0') || location.contains('\\') ||
      location.contains(':') || location.contains('%'))
    return refused(location,
                   "the location is not a plain relative path of this folder");
  if (location.starts_with("/") || location.starts_with("~"))
    return refused(location, "the location must be relative to the model's "
                             "folder");
  for (StringRef part : parts)
    if (part == ".." || part == "." || part.empty())
      return refused(location, "the location may not leave the model's folder, "
                               "nor hold '.', '..' or empty parts");
  return Error::success();
}

Expected<Descriptor> openBelow(StringRef folder, StringRef location) {
  SmallVector<StringRef> parts;
  location.split(parts, '/');
  MPC_TRY(checkForm(location, parts));
  Descriptor at(::open(folder.empty() ? "." : folder.str().c_str(),
                       O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!at.ok())
    return systemFault(location, errno);
  for (auto [index, part] : enumerate(parts)) {
    bool last = index + 1 == parts.size();
    // The flags prevent blocking on a pipe, and following a link.
    int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    Descriptor next(::openat(at.get(), part.str().c_str(),
                             last ? flags : flags | O_DIRECTORY));
    if (!next.ok() && (errno == ELOOP || (errno == ENOTDIR && !last)))
      return refused(location, "'" + printable(part) +
                                   "' is a link or not a folder; links are "
                                   "not followed");
    if (!next.ok())
      return systemFault(location, errno);
    at = std::move(next);
  }
  return std::move(at);
}

} // namespace

Expected<ArrayRef<char>> ExternalData::file(StringRef location) {
  auto known = files_.find(location);
  if (known != files_.end())
    return known->second;
  if (folder_.empty())
    return refused(location, "a model without a folder has no external data");
  Expected<Descriptor> descriptor = openBelow(folder_, location);
  if (!descriptor)
    return descriptor.takeError();
  struct stat status;
  if (::fstat(descriptor->get(), &status) != 0)
    return systemFault(location, errno);
  if (!S_ISREG(status.st_mode))
    return refused(location, "not a regular file");
  if (status.st_nlink > 1)
    return refused(location, "the file has a second (hard) link, maybe from "
                             "outside the model's folder");
  storage_.externalFiles.push_back(folder_ + "/" + location.str());
  if (status.st_size == 0)
    return files_[location] = ArrayRef<char>();
  auto buffer = MemoryBuffer::getOpenFile(
      sys::fs::convertFDToNativeFile(descriptor->get()), location,
      status.st_size, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return systemFault(location, buffer.getError().value());
  return files_[location] = storage_.keep(std::move(*buffer));
}

Expected<ArrayRef<char>> ExternalData::slice(StringRef location,
                                             uint64_t offset,
                                             std::optional<uint64_t> length) {
  Expected<ArrayRef<char>> whole = file(location);
  if (!whole)
    return whole.takeError();
  uint64_t size = whole->size();
  if (offset > size || (length && *length > size - offset)) {
    std::string extent = "offset " + std::to_string(offset);
    if (length)
      extent += " and length " + std::to_string(*length);
    return refused(location, extent + " reach past the end of the file (" +
                                 Twine(size) + " bytes)");
  }
  return whole->slice(offset, length.value_or(size - offset));
}

Error ExternalData::checkDigest(StringRef location, StringRef digest) {
  if (digest.size() != 40 || !all_of(digest, isHexDigit))
    return refused(location, "checksum '" + printable(digest) +
                                 "' is not a SHA-1 of 40 hexadecimal digits");
  Expected<ArrayRef<char>> whole = file(location);
  if (!whole)
    return whole.takeError();
  auto [known, isNew] = digests_.try_emplace(location);
  if (isNew) {
    auto *first = reinterpret_cast<const uint8_t *>(whole->data());
    known->second = toHex(SHA1::hash(ArrayRef(first, whole->size())),
                          /*LowerCase=*/true);
  }
  if (digest.equals_insensitive(known->second))
    return Error::success();
  return refused(location, "the file's SHA-1 is " + known->second +
                               ", the model says checksum " + digest);
}

} // namespace mpc::onnx
