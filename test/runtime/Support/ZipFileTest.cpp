// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Archives as they are, and damaged ones: refused, or read as they were.
#include "runtime/Support/ZipFile.h"

#include "runtime/Support/Random.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/ZipWriter.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

using test::patch;
using test::ZipWriter;

const std::string kText = "a text that is long enough, long enough, to pack";

class ZipFileTest : public testing::Test {
protected:
  Result<ZipFile> open(const std::string &bytes) {
    writeText(path_, bytes);
    return open();
  }
  Result<ZipFile> open() {
    Result<MappedFile> file = MappedFile::open(path_);
    EXPECT_TRUE(file.ok());
    return ZipFile::open(*std::move(file));
  }

  /// What opening says behind the file's name, or "".
  std::string fault(const std::string &bytes) {
    Result<ZipFile> zip = open(bytes);
    return zip.ok() ? "" : withoutPath(zip.status().message());
  }

  /// What reading the first member says, or "".
  std::string readFault(const std::string &bytes) {
    Result<ZipFile> zip = open(bytes);
    EXPECT_TRUE(zip.ok()) << zip.status().message();
    if (!zip.ok())
      return "";
    Result<SharedBytes> content = zip->read(zip->members()[0]);
    return content.ok() ? "" : withoutPath(content.status().message());
  }

  /// Whether the file is; each member of one that is not is kText.
  bool isRefused() {
    Result<ZipFile> zip = open();
    for (size_t i = 0; zip.ok() && i < zip->members().size(); ++i) {
      Result<SharedBytes> content = zip->read(zip->members()[i]);
      if (!content.ok())
        return true;
      EXPECT_EQ(textOf(content), kText);
    }
    return !zip.ok();
  }

  std::string withoutPath(const std::string &message) {
    EXPECT_TRUE(message.starts_with(path_ + ": ")) << message;
    return message.substr(path_.size() + 2);
  }

  static std::string textOf(const Result<SharedBytes> &bytes) {
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    if (!bytes.ok())
      return "";
    return {reinterpret_cast<const char *>(bytes->data()), bytes->size()};
  }

  TempFolder folder_;
  std::string path_ = folder_.path("a.zip");
};

TEST_F(ZipFileTest, ReadsStoredAndDeflatedMembers) {
  for (bool isZip64 : {false, true}) {
    ZipWriter writer(isZip64);
    writer.add("stored", kText).add("packed", kText, true).add("empty", "");
    for (const char *comment : {"", "a comment PK\5\6 that misleads"}) {
      Result<ZipFile> zip = open(writer.bytes(comment));
      ASSERT_TRUE(zip.ok()) << zip.status().message();
      ASSERT_EQ(zip->members().size(), 3u);
      EXPECT_FALSE(zip->members()[0].isDeflated);
      EXPECT_TRUE(zip->members()[1].isDeflated);
      EXPECT_EQ(textOf(zip->read(zip->members()[0])), kText);
      EXPECT_EQ(textOf(zip->read(zip->members()[1])), kText);
      EXPECT_EQ(textOf(zip->read(zip->members()[2])), "");
      for (size_t member : {0, 1}) {
        auto start = zip->readStart(zip->members()[member], 6);
        ASSERT_TRUE(start.ok());
        EXPECT_EQ(std::memcmp(start->data(), "a text", 6), 0);
        EXPECT_EQ(zip->readStart(zip->members()[member], 999)->size(),
                  kText.size());
      }
    }
  }
}

TEST_F(ZipFileTest, ContentOfManyPiecesIsWhole) {
  // Larger than a piece, and than what is kept in memory.
  std::string large(ZipFile::kMaxInMemory + 12345, '\0');
  for (size_t i = 0; i < large.size(); i += 4096)
    large[i] = static_cast<char>(i >> 12);
  Result<ZipFile> zip =
      open(ZipWriter().add("large", large, /*isDeflated=*/true).bytes());
  ASSERT_TRUE(zip.ok());
  EXPECT_EQ(textOf(zip->read(zip->members()[0])), large);
}

TEST_F(ZipFileTest, CutOffArchivesAreRefused) {
  for (bool isZip64 : {false, true}) {
    std::string whole = ZipWriter(isZip64)
                            .add("stored", kText)
                            .add("packed", kText, true)
                            .bytes();
    writeText(path_, whole);
    for (size_t size = whole.size(); size-- > 0;) {
      std::filesystem::resize_file(path_, size);
      EXPECT_FALSE(open().ok()) << size;
    }
  }
  EXPECT_EQ(fault(""), "has no directory at its end: the archive is cut off");
}

TEST_F(ZipFileTest, ADamagedByteIsSeenOrChangesNothing) {
  for (bool isZip64 : {false, true}) {
    std::string whole = ZipWriter(isZip64)
                            .add("stored", kText)
                            .add("packed", kText, true)
                            .bytes();
    writeText(path_, whole);
    size_t seen = 0;
    for (size_t place = 0; place < whole.size(); ++place) {
      for (unsigned change : {1u, 0x80u, 0xffu}) {
        writeByte(path_, place, static_cast<char>(whole[place] ^ change));
        seen += isRefused();
      }
      writeByte(path_, place, whole[place]);
    }
    // Not times, versions, and what local headers say once more.
    EXPECT_GT(seen, whole.size() * 3 / 2);
  }
}

TEST_F(ZipFileTest, SizesThatLie) {
  EXPECT_EQ(fault(ZipWriter().add("x", kText, false, 5).bytes()),
            "member 'x': is stored, and said to have 48 bytes and 5 unpacked");
  EXPECT_EQ(readFault(ZipWriter().add("x", kText, true, 5).bytes()),
            "member 'x': unpacks to more than the 5 bytes that the archive "
            "says");
  EXPECT_EQ(readFault(ZipWriter().add("x", kText, true, 49).bytes()),
            "member 'x': unpacks to fewer than the 49 bytes that the archive "
            "says");
  // 10 MiB of zeros, of which the archive says 1 TiB.
  std::string zeros(size_t(10) << 20, '\0');
  std::string bomb =
      ZipWriter(true).add("x", zeros, true, int64_t(1) << 40).bytes();
  std::string packed = std::to_string(test::deflate(zeros).size());
  EXPECT_EQ(fault(bomb), "member 'x': is said to have 1099511627776 bytes, "
                         "which " +
                             packed + " do not unpack to");
}

TEST_F(ZipFileTest, WrongChecksums) {
  for (bool isDeflated : {false, true}) {
    ZipWriter writer;
    writer.add("x", kText, isDeflated);
    std::string bytes = writer.bytes();
    patch(bytes, writer.directoryOffset() + 16, 0x12345678, 4);
    EXPECT_EQ(readFault(bytes),
              "member 'x': is damaged: its checksum does not match");
  }
}

TEST_F(ZipFileTest, ADamagedStream) {
  std::string bytes = ZipWriter().add("x", kText, true).bytes();
  patch(bytes, 31, 0xffffffff, 4);
  EXPECT_EQ(readFault(bytes), "member 'x': cannot be unpacked: it is damaged");
}

TEST_F(ZipFileTest, OverlappingMembers) {
  // The first goes on into the second, header and all.
  ZipWriter writer;
  writer.add("x", kText).add("y", kText);
  std::string bytes = writer.bytes();
  size_t entry = writer.directoryOffset();
  patch(bytes, entry + 20, kText.size() + 40, 4);
  patch(bytes, entry + 24, kText.size() + 40, 4);
  EXPECT_EQ(fault(bytes), "member 'x' overlaps what follows it");
  // The last goes on into the directory.
  bytes = writer.bytes();
  entry += 46 + 1;
  patch(bytes, entry + 20, kText.size() + 1, 4);
  patch(bytes, entry + 24, kText.size() + 1, 4);
  EXPECT_EQ(fault(bytes), "member 'y' overlaps what follows it");
  // Both are one.
  bytes = writer.bytes();
  patch(bytes, entry + 42, 0, 4);
  EXPECT_EQ(fault(bytes),
            "member 'y' has another name than the directory says");
}

// Each of them is right; a byte more is not.
TEST_F(ZipFileTest, SizesAreHeldAgainstTheFileToTheByte) {
  EXPECT_EQ(readFault(ZipWriter().add("x", kText, true, 47).bytes()),
            "member 'x': unpacks to more than the 47 bytes that the archive "
            "says");
  ZipWriter writer;
  writer.add("x", kText);
  std::string whole = writer.bytes(), bytes = whole;
  size_t end = whole.size() - 22;
  auto size = static_cast<uint32_t>(end - writer.directoryOffset());
  EXPECT_EQ(fault(whole), "");
  patch(bytes, end + 12, size + 1, 4);
  EXPECT_EQ(fault(bytes), "directory does not lie in the file");
  patch(bytes, end + 12, size - 1, 4);
  EXPECT_EQ(fault(bytes), "directory is damaged");
  bytes = whole;
  patch(bytes, end + 16, end, 4);
  patch(bytes, end + 12, 0, 4);
  EXPECT_EQ(fault(bytes), "directory is damaged");
  patch(bytes, end + 16, end + 1, 4);
  EXPECT_EQ(fault(bytes), "directory does not lie in the file");
  // A member's bytes up to the end of the file, header and name too.
  bytes = whole;
  size_t entry = writer.directoryOffset();
  uint64_t rest = whole.size() - 31;
  patch(bytes, entry + 20, rest, 4);
  patch(bytes, entry + 24, rest, 4);
  EXPECT_EQ(fault(bytes), "member 'x' overlaps what follows it");
  patch(bytes, entry + 20, rest + 1, 4);
  patch(bytes, entry + 24, rest + 1, 4);
  EXPECT_EQ(fault(bytes),
            "member 'x' does not lie in the file: the archive is cut off");
}

// A deflated stream of n bytes unpacks to 1032 n at most (zlib, "Technical
// Details"), and what says little more is found when it is read.
TEST_F(ZipFileTest, HowLongAStreamCanBeUnpacked) {
  uint64_t packed = test::deflate(kText).size();
  uint64_t most = (packed + 64) * 1032 + 1031;
  auto bytes = [&](uint64_t said) {
    return ZipWriter().add("x", kText, true, int64_t(said)).bytes();
  };
  EXPECT_EQ(fault(bytes(most)), "");
  EXPECT_EQ(fault(bytes(most + 1)),
            "member 'x': is said to have " + std::to_string(most + 1) +
                " bytes, which " + std::to_string(packed) +
                " do not unpack to");
}

TEST_F(ZipFileTest, ContentOfWholePieces) {
  // Of as many bytes as are unpacked at once, of one more, and twice as many;
  // what cannot be packed has its last byte left over behind a piece.
  for (size_t size : {size_t(1) << 20, (size_t(1) << 20) + 1, size_t(2) << 20})
    for (uint64_t bound : {1, 256}) {
      std::string text(size, 'a');
      Random random(size);
      for (char &letter : text)
        letter = static_cast<char>(random.below(bound));
      Result<ZipFile> zip = open(ZipWriter().add("x", text, true).bytes());
      ASSERT_TRUE(zip.ok());
      EXPECT_TRUE(textOf(zip->read(zip->members()[0])) == text) << size;
    }
}

TEST_F(ZipFileTest, AnArchiveMayBeEmptyAndHaveTheLongestComment) {
  for (size_t comment : {0, 0xffff}) {
    Result<ZipFile> zip = open(ZipWriter().bytes(std::string(comment, 'c')));
    ASSERT_TRUE(zip.ok()) << zip.status().message();
    EXPECT_TRUE(zip->members().empty());
  }
}

// Fields of others stand beside those of sizes in 64 bits, as times do, and a
// comment behind them.
TEST_F(ZipFileTest, ExtraFieldsOfOthersAndCommentsArePassedOver) {
  std::string field = test::littleEndian(0x5455, 2) + test::littleEndian(5, 2) +
                      std::string(5, 't');
  std::string empty = test::littleEndian(0x7777, 2) + test::littleEndian(0, 2);
  for (bool isZip64 : {false, true})
    for (const std::string &extra :
         {field, empty, field + field, empty + field + empty}) {
      ZipWriter writer(isZip64);
      writer.setExtra(extra, extra, "a comment")
          .add("x", kText)
          .add("y", kText, true);
      Result<ZipFile> zip = open(writer.bytes());
      ASSERT_TRUE(zip.ok()) << zip.status().message();
      ASSERT_EQ(zip->members().size(), 2u);
      EXPECT_EQ(textOf(zip->read(zip->members()[0])), kText);
      EXPECT_EQ(textOf(zip->read(zip->members()[1])), kText);
    }
  // One that is longer than what is left, and one without the size it is for.
  ZipWriter longer;
  longer.setExtra("", test::littleEndian(0x5455, 2) + test::littleEndian(6, 2) +
                          std::string(5, 't'));
  EXPECT_EQ(fault(longer.add("x", kText).bytes()), "directory is damaged");
  for (uint64_t size : {0, 7}) {
    ZipWriter without;
    without.setExtra("", test::littleEndian(1, 2) +
                             test::littleEndian(size, 2) +
                             std::string(size, '\0'));
    std::string bytes = without.add("x", kText).bytes();
    patch(bytes, without.directoryOffset() + 24, 0xffffffff, 4);
    EXPECT_EQ(fault(bytes), "directory is damaged") << size;
  }
}

TEST(ZipFile, IsKnownByItsFirstFourBytes) {
  auto isZip = [](const char *text, size_t size) {
    return ZipFile::isZip(std::as_bytes(std::span(text, size)));
  };
  EXPECT_TRUE(isZip("PK\3\4", 4));
  EXPECT_TRUE(isZip("PK\5\6", 4));
  EXPECT_FALSE(isZip("PK\1\2", 4));
  EXPECT_FALSE(isZip("PK\3\4", 3));
  EXPECT_FALSE(isZip("", 0));
}

TEST_F(ZipFileTest, WhatIsNotRead) {
  ZipWriter writer;
  writer.add("x", kText);
  std::string whole = writer.bytes(), bytes = whole;
  size_t entry = writer.directoryOffset();
  patch(bytes, entry + 10, 12, 2);
  EXPECT_EQ(fault(bytes), "member 'x': is packed by method 12; stored and "
                          "deflated members are read");
  bytes = whole;
  patch(bytes, entry + 8, 1, 2);
  EXPECT_EQ(fault(bytes), "member 'x': is encrypted");
  bytes = whole;
  patch(bytes, entry + 42, 7, 4);
  EXPECT_EQ(fault(bytes), "member 'x' is not where the directory says");
  bytes = whole;
  patch(bytes, entry + 20, 9999, 4);
  patch(bytes, entry + 24, 9999, 4);
  EXPECT_EQ(fault(bytes),
            "member 'x' does not lie in the file: the archive is cut off");
  bytes = whole;
  patch(bytes, whole.size() - 22 + 4, 1, 2);
  EXPECT_EQ(fault(bytes), "is one of several parts of an archive");
  bytes = whole;
  patch(bytes, whole.size() - 22 + 16, whole.size() + 9, 4);
  EXPECT_EQ(fault(bytes), "directory does not lie in the file");
  bytes = whole;
  patch(bytes, whole.size() - 22 + 10, 2, 2);
  EXPECT_EQ(fault(bytes), "directory is damaged");
  bytes = whole;
  patch(bytes, whole.size() - 22 + 10, 0xffff, 2);
  EXPECT_EQ(fault(bytes), "zip64 directory is damaged");
  EXPECT_EQ(fault(ZipWriter().add("x", "1").add("x", "2").bytes()),
            "has two members 'x'");
}

} // namespace
} // namespace mpc::rt
