// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code of a GPU, as ELF and by NVIDIA's attributes, and what is none.
// Code of a compiler is read in SassTest.cpp.
#include "runtime/Program/Cubin.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace mpc::rt {
namespace {

template <typename T>
std::string bytesOf(const T &value) {
  return {reinterpret_cast<const char *>(&value), sizeof value};
}

/// Instructions of 16 bytes with these opcodes, and bits beside them.
std::string codeOf(const std::vector<uint64_t> &opcodes) {
  std::string code;
  for (uint64_t opcode : opcodes)
    code += bytesOf(opcode | 0xabcd000) + std::string(8, '\x5a');
  return code;
}

/// A list attribute of .nv.info: a symbol and a value.
std::string attribute(uint8_t which, uint32_t symbol, uint32_t value) {
  return std::string("\4", 1) + bytesOf(which) + bytesOf(uint16_t(8)) +
         bytesOf(symbol) + bytesOf(value);
}

/// A file of sections as they are added, behind their table.
class ElfWriter {
public:
  ElfWriter() { add("", SHT_NULL, ""); }

  /// The section's number.
  size_t add(const std::string &name, uint32_t type, const std::string &content,
             uint32_t link = 0, uint64_t size = 0) {
    Elf64_Shdr header = {};
    header.sh_name = static_cast<uint32_t>(names_.size());
    header.sh_type = type;
    header.sh_offset = body_.size(); // from the end of the table on
    header.sh_size = size == 0 ? content.size() : size;
    header.sh_link = link;
    names_ += name + '\0';
    body_ += content;
    headers_.push_back(header);
    return headers_.size() - 1;
  }

  [[nodiscard]] std::string bytes() {
    add(".shstrtab", SHT_STRTAB, names_ + ".shstrtab" + '\0');
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = 190;
    header.e_shoff = sizeof header;
    header.e_shnum = static_cast<uint16_t>(headers_.size());
    header.e_shstrndx = static_cast<uint16_t>(headers_.size() - 1);
    std::string table;
    for (Elf64_Shdr section : headers_) {
      section.sh_offset += sizeof header + headers_.size() * sizeof section;
      table += bytesOf(section);
    }
    return bytesOf(header) + table + body_;
  }

private:
  std::string names_, body_;
  std::vector<Elf64_Shdr> headers_;
};

/// Kernels "first" and "second", of which the first has all that is read.
std::string makeCubin() {
  ElfWriter writer;
  const std::string names = std::string("\0first\0second\0", 14);
  auto strings =
      static_cast<uint32_t>(writer.add(".strtab", SHT_STRTAB, names));
  std::string symbols;
  for (uint32_t name : {0, 1, 7}) {
    Elf64_Sym symbol = {};
    symbol.st_name = name;
    symbols += bytesOf(symbol);
  }
  writer.add(".symtab", SHT_SYMTAB, symbols, strings);
  // An attribute with its value in its head, a list of another length, one
  // that says something else; then those that count.
  std::string info = std::string("\3\x2f\x63\0", 4) +
                     std::string("\4\x2f\4\0", 4) + bytesOf(uint32_t(1)) +
                     attribute(0x11, 1, 99) + attribute(0x2f, 1, 40) +
                     attribute(0x12, 1, 24) + attribute(0x2f, 2, 16) +
                     attribute(0x2f, 3, 77); // There is no such symbol.
  writer.add(".nv.info", SHT_PROGBITS, info);
  writer.add(".text.first", SHT_PROGBITS,
             codeOf({0x23c, 0x237, 0x9f0,               // products
                     0x381, 0x981, 0x386, 0x986, 0xfae, // global
                     0x984, 0x988, 0x388, 0x83b,        // shared
                     0x983, 0x987, 0x387,               // local
                     0x221, 0x918, 0x918}));            // FFMA, and padding
  writer.add(".nv.shared.first", SHT_NOBITS, "", 0, 1 << 20);
  writer.add(".text.second", SHT_PROGBITS, codeOf({0x221}) + "the rest");
  writer.add(".text.unknown", SHT_PROGBITS, codeOf({0x221}));
  return writer.bytes();
}

Result<std::map<std::string, CubinKernel>> read(const std::string &text) {
  return readCubin(std::as_bytes(std::span(text)));
}

TEST(Cubin, CountsWhatAKernelTakesAndDoes) {
  auto kernels = read(makeCubin());
  ASSERT_TRUE(kernels.ok()) << kernels.status().message();
  ASSERT_TRUE(kernels->contains("first") && kernels->contains("second"));
  const CubinKernel &first = kernels->at("first");
  EXPECT_EQ(first.registers, 40u);
  EXPECT_EQ(first.localBytes, 24u);
  EXPECT_EQ(first.sharedBytes, 1u << 20);
  EXPECT_EQ(first.instructions, 16u);
  EXPECT_EQ(first.products, 3u);
  EXPECT_EQ(first.globalAccesses, 5u);
  EXPECT_EQ(first.sharedAccesses, 4u);
  EXPECT_EQ(first.localAccesses, 3u);
  const CubinKernel &second = kernels->at("second");
  EXPECT_EQ(second.registers, 16u);
  EXPECT_EQ(second.localBytes, 0u);
  EXPECT_EQ(second.sharedBytes, 0u);
  EXPECT_FALSE(kernels->contains("unknown"));
}

// Of one without bytes, as shared memory is, it does not matter where it is.
TEST(Cubin, ASectionThatDoesNotLieInTheFileIsRefused) {
  const std::string whole = makeCubin();
  constexpr size_t kSections = 9, kShared = 5;
  for (size_t i = 0; i < kSections; ++i) {
    std::string text = whole;
    uint64_t outside = whole.size() + 1;
    std::memcpy(text.data() + sizeof(Elf64_Ehdr) + i * sizeof(Elf64_Shdr) +
                    offsetof(Elf64_Shdr, sh_offset),
                &outside, sizeof outside);
    EXPECT_EQ(read(text).ok(), i == kShared) << i;
  }
}

TEST(Cubin, CutOffFilesAreRefused) {
  const std::string whole = makeCubin();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read(whole.substr(0, size)).ok()) << size;
}

TEST(Cubin, AnotherFileIsRefused) {
  auto expectRefused = [](const std::string &text) {
    EXPECT_EQ(read(text).status().message(),
              "is not machine code of a GPU, or is damaged");
  };
  for (const std::string &text : {std::string(),
                                  std::string("\x7f"
                                              "ELF"),
                                  std::string(4096, 'x'),
                                  "\x7f"
                                  "ELF" +
                                      std::string(4096, '\xff')})
    expectRefused(text);
  // Of 32 bits, of another machine, with names in a section that is none.
  for (auto [place, value] : {std::pair(EI_CLASS, ELFCLASS32),
                              {offsetof(Elf64_Ehdr, e_machine), EM_X86_64},
                              {offsetof(Elf64_Ehdr, e_shstrndx), 9}}) {
    std::string text = makeCubin();
    text[static_cast<size_t>(place)] = static_cast<char>(value);
    expectRefused(text);
  }
}

} // namespace
} // namespace mpc::rt
