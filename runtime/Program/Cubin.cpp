// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of an ELF file for a GPU.
#include "runtime/Program/Cubin.h"

#include <cstring>
#include <elf.h>
#include <optional>
#include <string_view>
#include <vector>

namespace mpc::rt {
namespace {

constexpr uint16_t kMachine = 190; ///< EM_CUDA, which glibc's elf.h lacks.
constexpr size_t kInstructionBytes = 16;

/// An attribute of .nv.info with a list of numbers, and two attributes that are
/// read: a kernel's symbol with its registers, and with its stack.
constexpr uint8_t kListFormat = 4;
constexpr uint8_t kRegisters = 0x2f, kStackBytes = 0x12;

struct Section {
  std::string_view name;
  Elf64_Shdr header;
  /// The bytes; empty for a section without any.
  std::span<const std::byte> content;
};

/// Reads within a file. Everything outside of it counts as missing.
class Reader {
public:
  explicit Reader(std::span<const std::byte> file) : file_(file) {}

  template <typename T>
  [[nodiscard]] std::optional<T> at(uint64_t offset) const {
    T value;
    if (offset > file_.size() || file_.size() - offset < sizeof(T))
      return std::nullopt;
    std::memcpy(&value, file_.data() + offset, sizeof(T));
    return value;
  }

  [[nodiscard]] std::optional<std::span<const std::byte>>
  range(uint64_t offset, uint64_t bytes) const {
    if (offset > file_.size() || file_.size() - offset < bytes)
      return std::nullopt;
    return file_.subspan(offset, bytes);
  }

private:
  std::span<const std::byte> file_;
};

/// The text at that offset; empty where it has no end.
std::string_view textAt(std::span<const std::byte> table, uint64_t offset) {
  if (offset >= table.size())
    return {};
  const auto *begin = reinterpret_cast<const char *>(table.data()) + offset;
  const void *end = std::memchr(begin, 0, table.size() - offset);
  return end ? std::string_view(begin, static_cast<const char *>(end) - begin)
             : std::string_view();
}

class CubinReader {
public:
  explicit CubinReader(std::span<const std::byte> file) : file_(file) {}

  Result<std::map<std::string, CubinKernel>> read() {
    if (!readSections())
      return invalidInput("is not machine code of a GPU, or is damaged");
    for (const Section &section : sections_)
      if (section.name == ".nv.info")
        readInfo(section.content);
    for (const Section &section : sections_)
      readCode(section);
    return std::move(kernels_);
  }

private:
  bool readSections();
  std::optional<Section> readSection(uint64_t offset) const;
  void readInfo(std::span<const std::byte> content);
  void readAttribute(uint8_t attribute, uint32_t symbol, uint32_t value);
  void readCode(const Section &section);
  [[nodiscard]] CubinKernel *kernelOf(std::string_view section,
                                      std::string_view prefix);

  Reader file_;
  std::vector<Section> sections_;
  std::map<std::string, CubinKernel> kernels_;
};

std::optional<Section> CubinReader::readSection(uint64_t offset) const {
  auto header = file_.at<Elf64_Shdr>(offset);
  if (!header)
    return std::nullopt;
  Section section{{}, *header, {}};
  if (header->sh_type == SHT_NOBITS)
    return section;
  auto content = file_.range(header->sh_offset, header->sh_size);
  if (!content)
    return std::nullopt;
  section.content = *content;
  return section;
}

bool CubinReader::readSections() {
  auto header = file_.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != kMachine)
    return false;
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    uint64_t offset = i * sizeof(Elf64_Shdr);
    if (__builtin_add_overflow(offset, header->e_shoff, &offset))
      return false;
    std::optional<Section> section = readSection(offset);
    if (!section)
      return false;
    sections_.push_back(*section);
  }
  if (header->e_shstrndx >= sections_.size())
    return false;
  std::span<const std::byte> names = sections_[header->e_shstrndx].content;
  for (Section &section : sections_)
    section.name = textAt(names, section.header.sh_name);
  return true;
}

void CubinReader::readAttribute(uint8_t attribute, uint32_t symbol,
                                uint32_t value) {
  for (const Section &section : sections_) {
    if (section.header.sh_type != SHT_SYMTAB ||
        section.header.sh_link >= sections_.size())
      continue;
    auto found =
        Reader(section.content).at<Elf64_Sym>(symbol * sizeof(Elf64_Sym));
    if (!found)
      return;
    std::string name(
        textAt(sections_[section.header.sh_link].content, found->st_name));
    if (attribute == kRegisters)
      kernels_[name].registers = value;
    else if (attribute == kStackBytes)
      kernels_[name].localBytes = value;
  }
}

void CubinReader::readInfo(std::span<const std::byte> content) {
  struct Head {
    uint8_t format, attribute;
    /// The number of bytes; for other formats the value itself.
    uint16_t bytes;
  };
  Reader info(content);
  uint64_t offset = 0;
  while (auto head = info.at<Head>(offset)) {
    offset += sizeof(Head);
    if (head->format != kListFormat)
      continue;
    auto symbol = info.at<uint32_t>(offset),
         value = info.at<uint32_t>(offset + 4);
    if (symbol && value && head->bytes == 8)
      readAttribute(head->attribute, *symbol, *value);
    offset += head->bytes;
  }
}

/// The class of an instruction by its opcode, the low twelve bits.
uint64_t CubinKernel::*classOf(uint64_t opcode) {
  switch (opcode & 0xfff) {
  case 0x23c: // HMMA
  case 0x237: // IMMA
  case 0x9f0: // HGMMA
    return &CubinKernel::products;
  case 0x381: // LDG
  case 0x981:
  case 0x386: // STG
  case 0x986:
  case 0xfae: // LDGSTS
    return &CubinKernel::globalAccesses;
  case 0x984: // LDS
  case 0x988: // STS
  case 0x388:
  case 0x83b: // LDSM
    return &CubinKernel::sharedAccesses;
  case 0x983: // LDL
  case 0x987: // STL
  case 0x387:
    return &CubinKernel::localAccesses;
  default:
    return nullptr;
  }
}

/// A kernel's text is padded with this instruction.
constexpr uint64_t kNop = 0x918;

CubinKernel *CubinReader::kernelOf(std::string_view section,
                                   std::string_view prefix) {
  if (!section.starts_with(prefix))
    return nullptr;
  auto it = kernels_.find(std::string(section.substr(prefix.size())));
  return it == kernels_.end() ? nullptr : &it->second;
}

void CubinReader::readCode(const Section &section) {
  if (CubinKernel *kernel = kernelOf(section.name, ".nv.shared."))
    kernel->sharedBytes = section.header.sh_size;
  CubinKernel *kernel = kernelOf(section.name, ".text.");
  if (!kernel)
    return;
  Reader code(section.content);
  for (uint64_t i = 0; auto opcode = code.at<uint64_t>(i * kInstructionBytes);
       ++i) {
    kernel->instructions += (*opcode & 0xfff) != kNop;
    if (auto member = classOf(*opcode))
      ++(kernel->*member);
  }
}

} // namespace

Result<std::map<std::string, CubinKernel>>
readCubin(std::span<const std::byte> file) {
  return CubinReader(file).read();
}

} // namespace mpc::rt
