// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reading of zip archives: stored and deflated members, and zip64.
#ifndef MPC_RUNTIME_SUPPORT_ZIPFILE_H
#define MPC_RUNTIME_SUPPORT_ZIPFILE_H

#include "runtime/Support/File.h"
#include "runtime/Support/SharedBytes.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

struct ZipMember {
  std::string name;
  /// Whether the member is deflated; else it is stored.
  bool isDeflated = false;
  uint64_t bytes = 0; ///< The size of its content, by the archive.
  uint64_t packedBytes = 0;
  uint64_t offset = 0; ///< The place of the packed bytes in the file.
  uint32_t crc = 0;
};

/// A checked, mapped archive: its members lie in the file, do not overlap, and
/// have different names. Their content is checked when it is read. Copies share
/// the file.
class ZipFile {
public:
  /// Whether a file that begins with these bytes is an archive.
  static bool isZip(std::span<const std::byte> bytes);
  /// Errors name the file and, where there is one, the member.
  static Result<ZipFile> open(MappedFile file);

  [[nodiscard]] const std::string &path() const { return file_->path(); }
  [[nodiscard]] const std::vector<ZipMember> &members() const {
    return members_;
  }

  /// The first `count` bytes of a member's content, or all of them.
  Result<std::vector<std::byte>> readStart(const ZipMember &member,
                                           size_t count) const;
  /// A member's content: in place if it is stored, else unpacked, to memory or,
  /// beyond kMaxInMemory, to a file that nobody else sees. Fails where the
  /// content does not have the archive's size and checksum. The checksum of a
  /// stored member beyond kMaxChecked is not compared, since that would read
  /// all of it.
  Result<SharedBytes> read(const ZipMember &member) const;

  static constexpr uint64_t kMaxInMemory = uint64_t(64) << 20;
  static constexpr uint64_t kMaxChecked = uint64_t(1) << 30;

private:
  ZipFile() = default;
  [[nodiscard]] std::span<const std::byte>
  packed(const ZipMember &member) const {
    return file_->bytes().subspan(member.offset, member.packedBytes);
  }
  [[nodiscard]] std::string nameOf(const ZipMember &member) const;
  Result<SharedBytes> unpack(const ZipMember &member) const;

  std::shared_ptr<const MappedFile> file_;
  std::vector<ZipMember> members_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_ZIPFILE_H
