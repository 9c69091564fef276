// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Archives as they are, and damaged ones: refused, or read as they were.
#include "runtime/Support/ZipFile.h"

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
              "member 'x': is damaged: its checksum is another");
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
