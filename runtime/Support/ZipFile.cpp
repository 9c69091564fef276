// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zip archives, by PKWARE's APPNOTE.TXT 6.3: the directory at the end of the
// file (4.3.12 to 4.3.16), and zlib for deflated members. Files are not
// trusted: each number of a file is checked against the file before it is used.
#include "runtime/Support/ZipFile.h"

#include "runtime/Support/ScratchFile.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <zlib.h>

namespace mpc::rt {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50,
                   kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kEnd64Locator = 0x07064b50;
constexpr size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22,
                 kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr uint16_t kZip64Extra = 1;
/// The value of a field whose number is in the zip64 extra.
constexpr uint32_t kIn64 = 0xffffffff;
constexpr uint16_t kEncrypted = 1;
constexpr uint16_t kStored = 0, kDeflated = 8;
/// The greatest ratio of unpacked to packed bytes of a deflated stream.
constexpr uint64_t kMaxRatio = 1032, kRatioSlack = 64;
constexpr size_t kPiece = size_t(1) << 20;

/// The little-endian number at `offset`, which must lie inside.
template <typename T>
T at(Bytes bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// Bytes `offset` to `offset` + `size`; empty unless they lie inside.
std::optional<Bytes> part(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    return std::nullopt;
  return bytes.subspan(offset, size);
}

std::string_view textOf(Bytes bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// The place of the directory, and the number of its members.
struct Directory {
  uint64_t offset, bytes, members;
  uint64_t end; ///< The place at which the records after it begin.
};

/// The place of the last record of an archive, after which a comment may
/// follow.
std::optional<size_t> findEnd(Bytes file) {
  constexpr size_t kMaxComment = 0xffff;
  for (size_t back = kEndBytes;
       back <= std::min(file.size(), kEndBytes + kMaxComment); ++back) {
    size_t place = file.size() - back;
    if (at<uint32_t>(file, place) == kEnd &&
        at<uint16_t>(file, place + 20) == back - kEndBytes)
      return place;
  }
  return std::nullopt;
}

/// The directory by the zip64 record in front of `end`.
Result<Directory> readDirectory64(Bytes file, size_t end) {
  auto damaged = [] { return invalidInput("zip64 directory is damaged"); };
  if (end < kLocatorBytes ||
      at<uint32_t>(file, end - kLocatorBytes) != kEnd64Locator)
    return damaged();
  auto place = at<uint64_t>(file, end - kLocatorBytes + 8);
  std::optional<Bytes> record = part(file, place, kEnd64Bytes);
  if (!record || at<uint32_t>(*record, 0) != kEnd64 ||
      at<uint64_t>(*record, 24) != at<uint64_t>(*record, 32))
    return damaged();
  return Directory{at<uint64_t>(*record, 48), at<uint64_t>(*record, 40),
                   at<uint64_t>(*record, 32), place};
}

Result<Directory> readDirectory(Bytes file) {
  std::optional<size_t> end = findEnd(file);
  if (!end)
    return invalidInput("has no directory at its end: the archive is cut off");
  Directory directory = {at<uint32_t>(file, *end + 16),
                         at<uint32_t>(file, *end + 12),
                         at<uint16_t>(file, *end + 10), *end};
  if (at<uint16_t>(file, *end + 4) != at<uint16_t>(file, *end + 6))
    return invalidInput("is one of several parts of an archive");
  if (directory.offset == kIn64 || directory.bytes == kIn64 ||
      directory.members == 0xffff) {
    MPC_ASSIGN_OR_RETURN(directory, readDirectory64(file, *end));
  }
  if (directory.offset > directory.end ||
      directory.bytes > directory.end - directory.offset)
    return invalidInput("directory does not lie in the file");
  return directory;
}

/// A member, and the place of its local header.
struct Entry {
  ZipMember member;
  uint64_t header = 0;
};

/// Reads from the zip64 extra, in its order, the numbers that the fixed fields
/// lack.
bool readExtra64(Bytes extra, Entry &entry) {
  while (extra.size() >= 4) {
    auto id = at<uint16_t>(extra, 0);
    std::optional<Bytes> content = part(extra, 4, at<uint16_t>(extra, 2));
    if (!content)
      return false;
    extra = extra.subspan(4 + content->size());
    if (id != kZip64Extra)
      continue;
    for (uint64_t *value :
         {&entry.member.bytes, &entry.member.packedBytes, &entry.header})
      if (*value == kIn64) {
        if (content->size() < 8)
          return false;
        *value = at<uint64_t>(*content, 0);
        content = content->subspan(8);
      }
  }
  return true;
}

Status checkMember(const ZipMember &member, uint16_t flags, uint16_t method) {
  if (flags & kEncrypted)
    return invalidInput("is encrypted");
  if (method != kStored && method != kDeflated)
    return invalidInput(fmt::format(
        "is packed by method {}; stored and deflated members are read",
        method));
  if (!member.isDeflated && member.packedBytes != member.bytes)
    return invalidInput(fmt::format("is stored, and said to have {} bytes and "
                                    "{} unpacked",
                                    member.packedBytes, member.bytes));
  if (member.isDeflated &&
      member.bytes / kMaxRatio > member.packedBytes + kRatioSlack)
    return invalidInput(
        fmt::format("is said to have {} bytes, which {} do not unpack to",
                    member.bytes, member.packedBytes));
  return {};
}

/// The next entry of the directory, which is removed from `directory`.
Result<Entry> readEntry(Bytes &directory) {
  auto damaged = [] { return invalidInput("directory is damaged"); };
  if (directory.size() < kEntryBytes ||
      at<uint32_t>(directory, 0) != kDirectoryEntry)
    return damaged();
  auto nameBytes = at<uint16_t>(directory, 28);
  auto extraBytes = at<uint16_t>(directory, 30);
  size_t whole =
      kEntryBytes + nameBytes + extraBytes + at<uint16_t>(directory, 32);
  if (whole > directory.size())
    return damaged();
  Entry entry;
  ZipMember &member = entry.member;
  member.name = textOf(directory.subspan(kEntryBytes, nameBytes));
  auto method = at<uint16_t>(directory, 10);
  member.isDeflated = method == kDeflated;
  member.crc = at<uint32_t>(directory, 16);
  member.packedBytes = at<uint32_t>(directory, 20);
  member.bytes = at<uint32_t>(directory, 24);
  entry.header = at<uint32_t>(directory, 42);
  if (!readExtra64(directory.subspan(kEntryBytes + nameBytes, extraBytes),
                   entry))
    return damaged();
  MPC_RETURN_IF_ERROR(checkMember(member, at<uint16_t>(directory, 8), method)
                          .withContext("member " + quote(member.name)));
  directory = directory.subspan(whole);
  return entry;
}

/// Finds the bytes after a member's local header, and checks that the header is
/// the member's.
Status locate(Bytes file, Entry &entry) {
  ZipMember &member = entry.member;
  auto fault = [&](const char *what) {
    return invalidInput(fmt::format("member {} {}", quote(member.name), what));
  };
  std::optional<Bytes> header = part(file, entry.header, kLocalBytes);
  if (!header || at<uint32_t>(*header, 0) != kLocalHeader)
    return fault("is not where the directory says");
  auto nameBytes = at<uint16_t>(*header, 26);
  std::optional<Bytes> name = part(file, entry.header + kLocalBytes, nameBytes);
  if (!name || textOf(*name) != member.name)
    return fault("has another name than the directory says");
  member.offset =
      entry.header + kLocalBytes + nameBytes + at<uint16_t>(*header, 28);
  if (!part(file, member.offset, member.packedBytes))
    return fault("does not lie in the file: the archive is cut off");
  return {};
}

/// Checks that members share no bytes. Members that do could unpack to more
/// than any file has.
Status checkApart(std::vector<Entry> entries, uint64_t directory) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.header < b.header; });
  for (size_t i = 0; i < entries.size(); ++i) {
    const ZipMember &member = entries[i].member;
    uint64_t next = i + 1 < entries.size() ? entries[i + 1].header : directory;
    if (member.offset + member.packedBytes > next)
      return invalidInput(fmt::format("member {} overlaps what follows it",
                                      quote(member.name)));
  }
  return {};
}

Result<std::vector<ZipMember>> readMembers(Bytes file) {
  MPC_ASSIGN_OR_RETURN(Directory directory, readDirectory(file));
  Bytes left = file.subspan(directory.offset, directory.bytes);
  std::vector<Entry> entries;
  std::set<std::string_view> names;
  for (uint64_t i = 0; i < directory.members; ++i) {
    MPC_ASSIGN_OR_RETURN(Entry entry, readEntry(left));
    MPC_RETURN_IF_ERROR(locate(file, entry));
    entries.push_back(std::move(entry));
  }
  for (const Entry &entry : entries)
    if (!names.insert(entry.member.name).second)
      return invalidInput(
          fmt::format("has two members {}", quote(entry.member.name)));
  MPC_RETURN_IF_ERROR(checkApart(entries, directory.offset));
  std::vector<ZipMember> members;
  for (Entry &entry : entries)
    members.push_back(std::move(entry.member));
  return members;
}

/// Unpacks a deflated stream piece by piece.
class Inflater {
public:
  explicit Inflater(Bytes packed) : left_(packed) {
    // A negative value is for a stream without zlib's own header.
    isOpen_ = ::inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
  }
  ~Inflater() {
    if (isOpen_)
      ::inflateEnd(&stream_);
  }
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;

  /// Fills `out` and returns the number of bytes, which is smaller at the end
  /// of the stream.
  Result<size_t> read(std::span<std::byte> out) {
    if (!isOpen_)
      return environmentError("out of memory");
    stream_.next_out = reinterpret_cast<Bytef *>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out > 0 && !isDone_) {
      feed();
      int code = ::inflate(&stream_, Z_NO_FLUSH);
      isDone_ = code == Z_STREAM_END;
      if (code == Z_MEM_ERROR)
        return environmentError("out of memory");
      if (code != Z_OK && !isDone_)
        return invalidInput("cannot be unpacked: it is damaged");
    }
    return out.size() - stream_.avail_out;
  }

private:
  /// zlib's counts have 32 bits.
  void feed() {
    if (stream_.avail_in > 0)
      return;
    size_t size = std::min<size_t>(left_.size(), size_t(1) << 30);
    stream_.next_in =
        const_cast<Bytef *>(reinterpret_cast<const Bytef *>(left_.data()));
    stream_.avail_in = static_cast<uInt>(size);
    left_ = left_.subspan(size);
  }

  Bytes left_;
  z_stream stream_ = {};
  bool isOpen_ = false, isDone_ = false;
};

/// Passes a stream to `take`, piece by piece, and checks its size and checksum.
Status unpackTo(Bytes packed, const ZipMember &member,
                const std::function<Status(Bytes)> &take) {
  Inflater inflater(packed);
  std::vector<std::byte> piece(kPiece);
  uint64_t done = 0;
  uLong crc = ::crc32(0, nullptr, 0);
  for (size_t count = kPiece; count == kPiece;) {
    MPC_ASSIGN_OR_RETURN(count, inflater.read(piece));
    done += count;
    if (done > member.bytes)
      break;
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef *>(piece.data()), count);
    MPC_RETURN_IF_ERROR(take(Bytes(piece.data(), count)));
  }
  if (done != member.bytes)
    return invalidInput(fmt::format("unpacks to {} than the {} bytes that the "
                                    "archive says",
                                    done > member.bytes ? "more" : "fewer",
                                    member.bytes));
  if (crc != member.crc)
    return invalidInput("is damaged: its checksum does not match");
  return {};
}

} // namespace

bool ZipFile::isZip(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(uint32_t))
    return false;
  auto signature = at<uint32_t>(bytes, 0);
  return signature == kLocalHeader || signature == kEnd;
}

Result<ZipFile> ZipFile::open(MappedFile file) {
  ZipFile zip;
  zip.file_ = std::make_shared<const MappedFile>(std::move(file));
  Result<std::vector<ZipMember>> members = readMembers(zip.file_->bytes());
  if (!members.ok())
    return members.status().withContext(escape(zip.path()));
  zip.members_ = *std::move(members);
  return zip;
}

std::string ZipFile::nameOf(const ZipMember &member) const {
  return fmt::format("{}: member {}", escape(path()), quote(member.name));
}

Result<std::vector<std::byte>> ZipFile::readStart(const ZipMember &member,
                                                  size_t count) const {
  count = static_cast<size_t>(std::min<uint64_t>(count, member.bytes));
  Bytes source = packed(member);
  std::vector<std::byte> start(count);
  if (!member.isDeflated) {
    std::copy_n(source.begin(), count, start.begin());
    return start;
  }
  Inflater inflater(source);
  Result<size_t> found = inflater.read(start);
  if (!found.ok())
    return found.status().withContext(nameOf(member));
  start.resize(*found);
  return start;
}

Result<SharedBytes> ZipFile::unpack(const ZipMember &member) const {
  if (member.bytes > kMaxInMemory) {
    MPC_ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::create(member.bytes));
    MPC_RETURN_IF_ERROR(unpackTo(packed(member), member, [&](Bytes piece) {
      return file.append(piece);
    }));
    return file.map();
  }
  std::vector<std::byte> content;
  MPC_RETURN_IF_ERROR(
      unpackTo(packed(member), member, [&](Bytes piece) -> Status {
        content.insert(content.end(), piece.begin(), piece.end());
        return {};
      }));
  return SharedBytes::of(std::move(content));
}

Result<SharedBytes> ZipFile::read(const ZipMember &member) const {
  if (member.isDeflated) {
    Result<SharedBytes> content = unpack(member);
    return content.ok() ? content
                        : content.status().withContext(nameOf(member));
  }
  Bytes content = packed(member);
  if (content.size() <= kMaxChecked &&
      ::crc32_z(::crc32(0, nullptr, 0),
                reinterpret_cast<const Bytef *>(content.data()),
                content.size()) != member.crc)
    return invalidInput("is damaged: its checksum does not match")
        .withContext(nameOf(member));
  return SharedBytes(file_, content);
}

} // namespace mpc::rt
