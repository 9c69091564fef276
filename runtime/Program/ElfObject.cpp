// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a code image as an object file.
#include "runtime/Program/Inspection.h"

#include <cstring>
#include <elf.h>

namespace mpc::rt {
namespace {

/// The numbers of sections; 0 is no section.
enum Section : uint16_t { kText = 1, kSymbols, kStrings, kNames, kNumSections };

void append(std::string &file, const auto &value) {
  file.append(reinterpret_cast<const char *>(&value), sizeof value);
}

Elf64_Sym symbolOf(const KernelCode &kernel, size_t name) {
  Elf64_Sym symbol{};
  symbol.st_name = static_cast<Elf64_Word>(name);
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = kText;
  symbol.st_value = kernel.offset;
  symbol.st_size = kernel.bytes;
  return symbol;
}

Elf64_Ehdr headerOf(uint64_t sectionTable) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = sectionTable;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kNumSections;
  header.e_shstrndx = kNames;
  return header;
}

/// Writes sections one after the other.
class ElfWriter {
public:
  void add(Section number, const char *name, uint32_t type,
           const std::string &content) {
    Elf64_Shdr &header = headers_[number];
    header.sh_name = static_cast<Elf64_Word>(names_.size());
    header.sh_type = type;
    header.sh_offset = sizeof(Elf64_Ehdr) + body_.size();
    header.sh_size = content.size();
    header.sh_addralign = 8;
    names_ += std::string(name) + '\0';
    body_ += content + std::string((8 - content.size() % 8) % 8, '\0');
  }

  Elf64_Shdr &header(Section number) { return headers_[number]; }

  std::string finish() {
    std::string names = names_ + std::string(".shstrtab") + '\0';
    add(kNames, ".shstrtab", SHT_STRTAB, names);
    std::string file;
    append(file, headerOf(sizeof(Elf64_Ehdr) + body_.size()));
    file += body_;
    for (const Elf64_Shdr &header : headers_)
      append(file, header);
    return file;
  }

private:
  Elf64_Shdr headers_[kNumSections] = {};
  std::string names_ = std::string(1, '\0'), body_;
};

} // namespace

std::string makeElfObject(const Program &program) {
  std::string symbols, strings(1, '\0');
  append(symbols, Elf64_Sym{});
  for (const KernelCode &kernel : listKernels(program)) {
    append(symbols, symbolOf(kernel, strings.size()));
    strings += kernel.symbol + '\0';
  }
  const SharedBytes code = program.cpu() ? program.cpu()->image : SharedBytes();
  ElfWriter writer;
  writer.add(kText, ".text", SHT_PROGBITS,
             {reinterpret_cast<const char *>(code.data()), code.size()});
  writer.header(kText).sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  writer.add(kSymbols, ".symtab", SHT_SYMTAB, symbols);
  writer.header(kSymbols).sh_entsize = sizeof(Elf64_Sym);
  writer.header(kSymbols).sh_link = kStrings;
  writer.header(kSymbols).sh_info = 1; // The index of the first global symbol.
  writer.add(kStrings, ".strtab", SHT_STRTAB, strings);
  return writer.finish();
}

} // namespace mpc::rt
