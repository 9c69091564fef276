// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outer form of a program file, byte by byte.
#include "runtime/Program/Container.h"

#include "runtime/Support/Hash.h"

#include <cstring>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

SharedBytes bytesOf(const std::string &text) {
  return SharedBytes::of(std::vector<char>(text.begin(), text.end()));
}

std::string textOf(const SharedBytes &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string makeFile() {
  return encodeContainer({{SectionKind::Manifest, bytesOf("{}"), ""},
                          {SectionKind::Data, bytesOf(""), ""},
                          {SectionKind::CpuCode, bytesOf("code"), ""}});
}

template <typename Number>
Number read(const std::string &file, size_t offset) {
  Number number;
  std::memcpy(&number, file.data() + offset, sizeof number);
  return number;
}

/// Sets bytes of the header or the table and mends their hash, as another
/// writer would have written them.
std::string rewrite(std::string file, size_t offset, auto value) {
  std::memcpy(file.data() + offset, &value, sizeof value);
  std::memset(file.data() + 32, 0, 32);
  std::string hash = ContentHash::of(file.data(), 64 * 4);
  std::memcpy(file.data() + 32, hash.data(), 32);
  return file;
}

std::string faultOf(const std::string &file) {
  return parseContainer(bytesOf(file)).status().message();
}

TEST(Container, LiesAsThePageSays) {
  std::string file = makeFile();
  EXPECT_EQ(file.substr(0, 8), "\x89MPC\r\n\x1a\n");
  EXPECT_EQ(read<uint32_t>(file, 8), 2u);
  EXPECT_EQ(read<uint32_t>(file, 12), 3u);
  EXPECT_EQ(read<uint64_t>(file, 16), file.size());
  // Three entries of 64 bytes behind the header of 64.
  EXPECT_EQ(read<uint32_t>(file, 64), 1u);
  EXPECT_EQ(read<uint64_t>(file, 64 + 8), 256u);
  EXPECT_EQ(read<uint64_t>(file, 64 + 16), 2u);
  EXPECT_EQ(file.substr(64 + 32, 32), ContentHash::of("{}", 2));
  EXPECT_EQ(read<uint64_t>(file, 192 + 8), 320u);
  EXPECT_EQ(file.substr(320), "code");
}

TEST(Container, GivesBackItsSections) {
  auto sections = parseContainer(bytesOf(makeFile()));
  ASSERT_TRUE(sections.ok()) << sections.status().message();
  ASSERT_EQ(sections->size(), 3u);
  EXPECT_EQ((*sections)[2].kind, SectionKind::CpuCode);
  EXPECT_EQ(textOf((*sections)[2].bytes), "code");
  EXPECT_EQ((*sections)[2].hash, ContentHash::of("code", 4));
  EXPECT_TRUE((*sections)[1].bytes.empty());
}

TEST(Container, AnotherVersionIsRefusedByName) {
  std::string file = makeFile();
  EXPECT_EQ(faultOf(rewrite(file, 8, uint32_t(3))),
            "is a program file of version 3, and this mpc reads up to version "
            "2: use a newer mpc, or compile it anew");
  EXPECT_EQ(faultOf(rewrite(file, 8, uint32_t(1))),
            "is a program file of version 1, and this mpc reads from version 2 "
            "on: compile it anew");
}

TEST(Container, AnotherFileIsRefused) {
  EXPECT_EQ(faultOf("short"), "is too short for a program file (5 bytes)");
  EXPECT_EQ(faultOf(std::string(64, 'x')),
            "is not a program file: it does not begin as one");
}

TEST(Container, WholeHashesDoNotMakeItRight) {
  std::string file = makeFile();
  EXPECT_EQ(faultOf(rewrite(file, 16, uint64_t(4096))),
            "is damaged: it has 324 bytes, its header says 4096");
  EXPECT_EQ(faultOf(rewrite(file, 12, uint32_t(0xffffffff))),
            "is damaged: no room for its table of 4294967295 sections");
  EXPECT_EQ(faultOf(rewrite(file, 192, uint32_t(9))),
            "is damaged: section 2 is of the unknown kind 9");
  EXPECT_EQ(faultOf(rewrite(file, 192 + 8, uint64_t(256))),
            "is damaged: section 2 does not lie at its place");
  EXPECT_EQ(faultOf(rewrite(file, 192 + 16, ~uint64_t(0))),
            "is damaged: section 2 does not lie at its place");
  EXPECT_EQ(faultOf(rewrite(file, 192 + 16, uint64_t(3))),
            "is damaged: section 2 does not match its hash in the table");
  EXPECT_EQ(faultOf(rewrite(file, 192 + 24, uint64_t(1))),
            "is damaged: section 2 has other bytes where zeros are expected");
  EXPECT_EQ(faultOf(rewrite(file + "x", 16, uint64_t(file.size() + 1))),
            "is damaged: 1 bytes follow its last section");
  file.back() ^= 1;
  EXPECT_EQ(faultOf(file),
            "is damaged: section 2 does not match its hash in the table");
}

TEST(Container, ItsOwnHashIsThatOfHeaderAndTable) {
  std::string file = makeFile();
  file[32] = file[32] == '0' ? '1' : '0';
  EXPECT_EQ(faultOf(file),
            "is damaged: the hash of its header and table does not match");
}

} // namespace
} // namespace mpc::rt
