// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of an event file against hand-made ones.
#include "runtime/Train/TensorBoard.h"

#include "test/runtime/EventFile.h"
#include "test/runtime/TempFolder.h"

#include <cstring>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

TEST(TensorBoard, ChecksumsOfKnownData) {
  auto unmask = [](uint32_t masked) {
    uint32_t rotated = masked - 0xa282ead8;
    return rotated >> 17 | rotated << 15;
  };
  // RFC 3720, appendix B.4.
  EXPECT_EQ(unmask(maskedCrc32c(std::string(32, '\0'))), 0x8a9136aau);
  EXPECT_EQ(unmask(maskedCrc32c(std::string(32, '\xff'))), 0x62a8ab43u);
  EXPECT_EQ(unmask(maskedCrc32c("123456789")), 0xe3069283u);
}

// Features: L11.
TEST(TensorBoard, WritesAVersionAndScalars) {
  TempFolder folder;
  auto writer = TensorBoardWriter::create(folder.path("logs"), 1.0);
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  ASSERT_TRUE(writer->scalar("loss", 300, 1.0f, 1.0).ok());
  std::vector<std::string> records = recordsOf(readText(writer->path()));
  ASSERT_EQ(records.size(), 2u);
  const std::string one("\x09\0\0\0\0\0\0\xf0\x3f", 9); // field 1, 1.0
  EXPECT_EQ(records[0], one + std::string("\x10\0", 2) +
                            "\x1a\x0d"
                            "brain.Event:2");
  EXPECT_EQ(records[1], one +
                            "\x10\xac\x02"   // step 300
                            "\x2a\x0d"       // summary, 13 bytes
                            "\x0a\x0b"       // value, 11 bytes
                            "\x0a\x04loss" + // tag
                            std::string("\x15\0\0\x80\x3f", 5)); // 1.0f
}

TEST(TensorBoard, AMissingParentIsNamed) {
  EXPECT_EQ(TensorBoardWriter::create("/nonexistent/a", 0).status().message(),
            "/nonexistent/a: cannot create the folder: No such file or "
            "directory");
}

} // namespace
} // namespace mpc::rt
