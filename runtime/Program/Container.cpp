// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Header, table and sections of a program file.
#include "runtime/Program/Container.h"

#include "runtime/Support/Hash.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

static_assert(std::endian::native == std::endian::little,
              "a program file is little-endian and mapped as it is");

constexpr char kMagic[8] = {'\x89', 'M', 'P', 'C', '\r', '\n', '\x1a', '\n'};

/// The beginning of the file.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t numSections;
  uint64_t fileBytes;
  uint64_t reserved; ///< Always zero.
  /// The ContentHash of the header, with zeros in this field, and of the table.
  char hash[ContentHash::kDigits];
};
static_assert(sizeof(Header) == 64);

/// A section in the table after the header.
struct TableEntry {
  uint32_t kind;
  uint32_t reserved; ///< Always zero.
  uint64_t offset;   ///< From the beginning of the file.
  uint64_t bytes;
  uint64_t reserved2; ///< Always zero.
  char hash[ContentHash::kDigits];
};
static_assert(sizeof(TableEntry) == 64);

constexpr uint64_t alignSection(uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment *
         kSectionAlignment;
}

std::string hashOf(Header header, std::span<const TableEntry> table) {
  std::memset(header.hash, 0, sizeof header.hash);
  ContentHash hash;
  hash.update(&header, sizeof header);
  hash.update(table.data(), table.size_bytes());
  return hash.digest();
}

std::string_view textOf(const char (&hash)[ContentHash::kDigits]) {
  return {hash, sizeof hash};
}

/// The header, if it belongs to a file that can be read.
Result<Header> readHeader(std::span<const std::byte> file) {
  if (file.size() < sizeof(Header))
    return invalidInput(
        fmt::format("is too short for a program file ({} bytes)", file.size()));
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    return invalidInput("is not a program file: it does not begin as one");
  if (header.version > kContainerVersion)
    return invalidInput(fmt::format(
        "is a program file of version {}, and this mpc reads up to version {}: "
        "use a newer mpc, or compile it anew",
        header.version, kContainerVersion));
  if (header.version < kOldestContainerVersion)
    return invalidInput(fmt::format(
        "is a program file of version {}, and this mpc reads from version {} "
        "on: compile it anew",
        header.version, kOldestContainerVersion));
  if (header.fileBytes != file.size())
    return invalidInput(
        fmt::format("is damaged: it has {} bytes, its header says {}",
                    file.size(), header.fileBytes));
  return header;
}

Result<std::vector<TableEntry>> readTable(const Header &header,
                                          std::span<const std::byte> file) {
  if (header.numSections == 0 ||
      header.numSections > (file.size() - sizeof header) / sizeof(TableEntry))
    return invalidInput(
        fmt::format("is damaged: no room for its table of {} sections",
                    header.numSections));
  std::vector<TableEntry> table(header.numSections);
  std::memcpy(table.data(), file.data() + sizeof header,
              table.size() * sizeof(TableEntry));
  if (hashOf(header, table) != textOf(header.hash) || header.reserved != 0)
    return invalidInput(
        "is damaged: the hash of its header and table does not match");
  return table;
}

bool isKnown(uint32_t kind) {
  return kind >= static_cast<uint32_t>(SectionKind::Manifest) &&
         kind <= static_cast<uint32_t>(SectionKind::DeviceSource);
}

bool isZero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

/// The fault of a section that must begin after `end`; empty for none.
std::string faultOf(const TableEntry &entry, uint64_t end,
                    std::span<const std::byte> file) {
  if (!isKnown(entry.kind))
    return fmt::format("is of the unknown kind {}", entry.kind);
  // The caller has checked that `end` lies in the file.
  if (entry.offset != alignSection(end) || entry.offset > file.size() ||
      entry.bytes > file.size() - entry.offset)
    return "does not lie at its place";
  if (entry.reserved != 0 || entry.reserved2 != 0 ||
      !isZero(file.subspan(end, entry.offset - end)))
    return "has other bytes where zeros are expected";
  if (ContentHash::of(file.data() + entry.offset, entry.bytes) !=
      textOf(entry.hash))
    return "does not match its hash in the table";
  return "";
}

} // namespace

Result<std::vector<Section>> parseContainer(const SharedBytes &file) {
  MPC_ASSIGN_OR_RETURN(Header header, readHeader(file.view()));
  MPC_ASSIGN_OR_RETURN(std::vector<TableEntry> table,
                       readTable(header, file.view()));
  std::vector<Section> sections;
  uint64_t end = sizeof header + table.size() * sizeof(TableEntry);
  for (const TableEntry &entry : table) {
    std::string fault = faultOf(entry, end, file.view());
    if (!fault.empty())
      return invalidInput(
          fmt::format("is damaged: section {} {}", sections.size(), fault));
    sections.push_back({static_cast<SectionKind>(entry.kind),
                        file.slice(entry.offset, entry.bytes),
                        std::string(textOf(entry.hash))});
    end = entry.offset + entry.bytes;
  }
  if (end != file.size())
    return invalidInput(fmt::format(
        "is damaged: {} bytes follow its last section", file.size() - end));
  return sections;
}

/// The position of each section, and the hash of its bytes.
static std::vector<TableEntry> tableOf(const std::vector<Section> &sections) {
  std::vector<TableEntry> table;
  uint64_t end = sizeof(Header) + sections.size() * sizeof(TableEntry);
  for (const Section &section : sections) {
    TableEntry entry{};
    entry.kind = static_cast<uint32_t>(section.kind);
    entry.offset = alignSection(end);
    entry.bytes = section.bytes.size();
    std::string hash =
        ContentHash::of(section.bytes.data(), section.bytes.size());
    std::memcpy(entry.hash, hash.data(), sizeof entry.hash);
    end = entry.offset + entry.bytes;
    table.push_back(entry);
  }
  return table;
}

static Header headerOf(std::span<const TableEntry> table) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kContainerVersion;
  header.numSections = static_cast<uint32_t>(table.size());
  header.fileBytes =
      table.empty() ? sizeof(Header) : table.back().offset + table.back().bytes;
  std::string hash = hashOf(header, table);
  std::memcpy(header.hash, hash.data(), sizeof header.hash);
  return header;
}

Status appendContainer(const std::vector<Section> &sections,
                       const std::function<Status(std::string_view)> &append) {
  std::vector<TableEntry> table = tableOf(sections);
  Header header = headerOf(table);
  auto add = [&](const void *data, size_t bytes) {
    return append({static_cast<const char *>(data), bytes});
  };
  MPC_RETURN_IF_ERROR(add(&header, sizeof header));
  MPC_RETURN_IF_ERROR(add(table.data(), table.size() * sizeof(TableEntry)));
  uint64_t end = sizeof header + table.size() * sizeof(TableEntry);
  for (size_t i = 0; i < sections.size(); ++i) {
    std::string gap(table[i].offset - end, '\0');
    MPC_RETURN_IF_ERROR(append(gap));
    MPC_RETURN_IF_ERROR(
        add(sections[i].bytes.data(), sections[i].bytes.size()));
    end = table[i].offset + table[i].bytes;
  }
  return {};
}

std::string encodeContainer(const std::vector<Section> &sections) {
  std::string file;
  size_t most = sizeof(Header);
  for (const Section &section : sections)
    most += sizeof(TableEntry) + kSectionAlignment + section.bytes.size();
  file.reserve(most);
  (void)appendContainer(sections, [&](std::string_view bytes) -> Status {
    file += bytes;
    return {};
  });
  return file;
}

} // namespace mpc::rt
