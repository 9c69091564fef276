// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader of ONNX files: what is damaged or hostile ends in an error that
// says where.
#include "Importing.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc::onnx;
namespace fs = std::filesystem;

namespace {

constexpr ElemType F32 = ElemType::Float;

std::string readFile(const std::string &name) {
  std::ifstream file(std::string(MPC_TEST_INPUTS) + "/models/" + name,
                     std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// A model whose one weight is external data.
ModelWriter
withExternal(const std::vector<std::pair<std::string, std::string>> &keys) {
  return ModelWriter()
      .opset(20)
      .input("x", F32, {int64_t(2), int64_t(4)})
      .initializer(externalTensor("fc.weight", {3, 4}, keys))
      .node("Gemm", {"x", "fc.weight"}, {"y"},
            {TestAttribute::integer("transB", 1)})
      .output("y");
}

/// A folder that goes away with the test.
class Folder {
public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "mpc-onnx-XXXXXX");
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string path() const { return path_; }
  std::string write(const std::string &name, size_t bytes) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << std::string(bytes, '\1');
    return (path_ / name).string();
  }

private:
  fs::path path_;
};

TEST(OnnxModel, RefusesWhatIsNotOnnx) {
  EXPECT_EQ(importBytes("").error, "m.onnx: the file is empty");
  EXPECT_EQ(importBytes("PK\x03\x04 something").error,
            "m.onnx: not a well-formed ONNX file: invalid tag exception");
  EXPECT_EQ(importBytes(std::string("\x3a\x05graph", 4)).error,
            "m.onnx: not a well-formed ONNX file: it ends in the middle of a "
            "field (cut off?)");
  EXPECT_EQ(importBytes(std::string("\x08\x0a", 2)).error,
            "m.onnx: not an ONNX file: it has no graph");
  // Field 7, the graph, as a number.
  EXPECT_EQ(importBytes(std::string("\x38\x01", 2)).error,
            "m.onnx: not a well-formed ONNX file: field 7 of ModelProto has "
            "wire type 0, expected 2");
}

TEST(OnnxModel, RefusesTensorsWhoseDataDoesNotFit) {
  auto with = [](const std::string &tensor) {
    return importWritten(ModelWriter().opset(20).initializer(tensor)).error;
  };
  EXPECT_EQ(with(testTensor("w", F32, {2, 3}, "12345678")),
            "m.onnx: tensor 'w': raw_data has 8 bytes, its shape and type need "
            "24");
  EXPECT_EQ(with(testTensor("w", F32, {-2, 3}, "")),
            "m.onnx: tensor 'w': the shape [-2, 3] is negative or too large");
  EXPECT_EQ(
      with(testTensor("w", F32, {int64_t(1) << 40, int64_t(1) << 40}, "")),
      "m.onnx: tensor 'w': the shape [1099511627776, 1099511627776] is "
      "negative or too large");
  EXPECT_EQ(with(testTensor("", F32, {1}, "1234")),
            "m.onnx: initializer 0 has no name");
  EXPECT_EQ(with(testTensor("w", F32, std::vector<int64_t>(65, 1), "1234")),
            "m.onnx: tensor 'w': rank 65 is above the limit of 64");
}

TEST(OnnxModel, ReadsExternalDataOfItsFolder) {
  Folder folder;
  folder.write("data/w..v2.bin", 64);
  auto model = withExternal(
      {{"location", "data/w..v2.bin"}, {"offset", "16"}, {"length", "48"}});
  EXPECT_EQ(importBytes(model.bytes(), {}, folder.path()).error, "");
}

TEST(OnnxModel, RefusesExternalDataPastTheEnd) {
  Folder folder;
  folder.write("w.bin", 48);
  auto error = [&](const std::string &offset, const std::string &length) {
    return importBytes(withExternal({{"location", "w.bin"},
                                     {"offset", offset},
                                     {"length", length}})
                           .bytes(),
                       {}, folder.path())
        .error;
  };
  EXPECT_EQ(error("16", "48"),
            "m.onnx: tensor 'fc.weight': external data 'w.bin': offset 16 and "
            "length 48 reach past the end of the file (48 bytes)");
  EXPECT_EQ(error("18446744073709551615", "48"),
            "m.onnx: tensor 'fc.weight': external data 'w.bin': offset "
            "18446744073709551615 and length 48 reach past the end of the file "
            "(48 bytes)");
  EXPECT_EQ(error("0", "47"),
            "m.onnx: tensor 'fc.weight': external data has length 47, its "
            "shape and type need 48");
  EXPECT_EQ(error("-1", "48"),
            "m.onnx: tensor 'fc.weight': external data: offset '-1' is not a "
            "number");
}

// What stands outside is as large as the tensor, so that reading it would work.
TEST(OnnxModel, RefusesExternalDataOutsideItsFolder) {
  Folder folder;
  folder.write("secret.bin", 48);
  fs::create_directories(folder.path() + "/model/sub");
  std::string inside = folder.path() + "/model";
  fs::create_symlink("../secret.bin", inside + "/link.bin");
  fs::create_symlink("..", inside + "/up");
  fs::create_hard_link(folder.path() + "/secret.bin", inside + "/hard.bin");
  ASSERT_EQ(::mkfifo((inside + "/pipe").c_str(), 0600), 0);
  for (const char *location :
       {"../secret.bin", "sub/../../secret.bin", "./../secret.bin",
        "..\\secret.bin", "sub//../../secret.bin", "%2e%2e/secret.bin",
        "~/secret.bin", "C:secret.bin", "link.bin", "up/secret.bin", "hard.bin",
        "pipe", "sub", "", ".", "file:../secret.bin"}) {
    Outcome outcome =
        importBytes(withExternal({{"location", location}}).bytes(), {}, inside);
    EXPECT_FALSE(outcome.ok()) << location;
    EXPECT_EQ(outcome.error.rfind("m.onnx: tensor 'fc.weight': external data "
                                  "'",
                                  0),
              0u)
        << outcome.error;
  }
  std::string absolute = folder.path() + "/secret.bin";
  EXPECT_NE(
      importBytes(withExternal({{"location", absolute}}).bytes(), {}, inside)
          .error.find("must be relative to the model's folder"),
      std::string::npos);
  EXPECT_NE(
      importBytes(withExternal({{"location", "none.bin"}}).bytes(), {}, inside)
          .error.find("No such file"),
      std::string::npos);
  // A model from memory has no folder.
  EXPECT_NE(importBytes(withExternal({{"location", "hard.bin"}}).bytes())
                .error.find("a model without a folder"),
            std::string::npos);
}

TEST(OnnxModel, SurvivesTruncationAnywhere) {
  std::string whole = readFile("mlp.onnx");
  ASSERT_FALSE(whole.empty());
  for (size_t size = 0; size < whole.size(); size += 97) {
    Outcome outcome = importBytes(whole.substr(0, size));
    EXPECT_TRUE(outcome.error.rfind("m.onnx: ", 0) == 0) << outcome.error;
  }
}

TEST(OnnxModel, SurvivesRandomBitFlips) {
  std::string whole = readFile("lenet.onnx");
  ASSERT_FALSE(whole.empty());
  // Most bytes are weights: half of the flips go to the structure.
  size_t structure = std::min<size_t>(whole.size(), 4096);
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = whole;
    size_t at = random() % (i % 2 == 0 ? whole.size() : structure);
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
    Outcome outcome = importBytes(damaged);
    EXPECT_TRUE(outcome.ok() || outcome.error.rfind("m.onnx: ", 0) == 0)
        << at << ": " << outcome.error;
  }
}

} // namespace
