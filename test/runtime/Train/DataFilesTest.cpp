// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which files words name, and what their tensors are together.
#include "runtime/Train/DataFiles.h"

#include "test/runtime/TempFolder.h"
#include "test/runtime/ZipWriter.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

class DataFilesTest : public testing::Test {
protected:
  /// An array of bytes, of this shape.
  std::string write(const std::string &name, const std::string &shape,
                    const std::string &data) {
    writeText(folder_.path(name), test::npy("|u1", shape, data));
    return folder_.path(name);
  }

  Result<DataFiles> open(std::vector<std::string> words) {
    return DataFiles::open(words);
  }

  /// All bytes of a tensor, part by part.
  std::string read(const std::vector<std::string> &words,
                   const std::string &name) {
    Result<DataFiles> files = open(words);
    EXPECT_TRUE(files.ok()) << files.status().message();
    Result<std::vector<DataPart>> parts = files->read(name);
    EXPECT_TRUE(parts.ok()) << parts.status().message();
    std::string text;
    std::vector<std::byte> scratch;
    for (const DataPart &part : *parts) {
      EXPECT_EQ(part.firstSample, static_cast<int64_t>(text.size()));
      text.append(reinterpret_cast<const char *>(part.tensor.all(scratch)),
                  part.tensor.desc().numBytes());
    }
    return text;
  }

  std::string fault(const std::vector<std::string> &words) {
    Result<DataFiles> files = open(words);
    return files.ok() ? "" : files.status().message();
  }

  TempFolder folder_;
};

TEST_F(DataFilesTest, WordsArePathsPatternsAndNames) {
  write("x10.npy", "(1,)", "c");
  write("x9.npy", "(2,)", "ab");
  write("a=b.npy", "(1,)", "d");
  write("[odd].npy", "(1,)", "e");
  std::string all = folder_.path("x*.npy");
  // In the order of their bytes: 1 is in front of 9.
  EXPECT_EQ(read({"x=" + all}, "x"), "cab");
  EXPECT_EQ(read({"x=" + folder_.path("x[9].npy"), "x=" + all}, "x"), "abcab");
  EXPECT_EQ(read({all}, "x9"), "ab");
  EXPECT_EQ(read({folder_.path("x?.npy")}, "x9"), "ab");
  // What is there as it is written is that file.
  EXPECT_EQ(read({folder_.path("a=b.npy")}, "a=b"), "d");
  EXPECT_EQ(read({"y=" + folder_.path("a=b.npy")}, "y"), "d");
  EXPECT_EQ(read({folder_.path("[odd].npy")}, "[odd]"), "e");
}

TEST_F(DataFilesTest, WrongWords) {
  EXPECT_EQ(fault({}), "--data: names no file");
  EXPECT_EQ(fault({folder_.path("z*.npy")}),
            folder_.path("z*.npy") + ": matches no file");
  EXPECT_EQ(fault({folder_.path("z.npy")}),
            folder_.path("z.npy") + ": cannot open: No such file or directory");
  EXPECT_EQ(fault({folder_.path()}),
            folder_.path() + ": is not a regular file");
}

TEST_F(DataFilesTest, ShapesAreThoseOfAllFiles) {
  std::string a = write("a.npy", "(2, 3)", "aabbcc"),
              b = write("b.npy", "(1, 3)", "ddd"),
              c = write("c.npy", "(1, 4)", "eeee"),
              d = write("d.npy", "()", "f");
  Result<DataFiles> files = open({"x=" + a, "x=" + b, "y=" + a, "y=" + c, d});
  EXPECT_EQ(files->shapeOf("x"), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(files->shapeOf("y"), std::nullopt);
  EXPECT_EQ(files->shapeOf("z"), std::nullopt);
  EXPECT_EQ(files->shapeOf("d"), (std::vector<int64_t>{}));
  EXPECT_TRUE(files->has("y") && !files->has("z"));
  EXPECT_EQ(files->label(), a + " and 4 more");
  // Without elements, so that no file is too small for them.
  std::string many = write("many.npy", "(9223372036854775807, 0)", "");
  files = open({many, many});
  EXPECT_EQ(files->shapeOf("many"), std::nullopt);
  EXPECT_EQ(files->read("many").status().message(),
            many + " and 1 more: too many samples");
}

} // namespace
} // namespace mpc::rt
