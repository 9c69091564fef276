// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Round trips, and a table of malformed files with the message each must get.
#include "runtime/Support/Safetensors.h"

#include "test/runtime/TempFolder.h"

#include <cstring>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

std::string fileOf(const std::string &header, const std::string &data = "") {
  uint64_t length = header.size();
  std::string text(8, '\0');
  std::memcpy(text.data(), &length, 8);
  return text + header + data;
}

/// The message for a file with these bytes, without its path.
std::string faultOf(const std::string &bytes) {
  TempFolder folder;
  std::string path = folder.path("f");
  writeText(path, bytes);
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  if (file.ok())
    return "";
  EXPECT_EQ(file.status().code(), StatusCode::InvalidInput);
  EXPECT_TRUE(file.status().message().starts_with(path + ": "));
  return file.status().message().substr(path.size() + 2);
}

TEST(Safetensors, RoundTripsWithMetadata) {
  TempFolder folder;
  float weights[] = {1, 2, 3, 4, 5, 6};
  uint8_t flag = 1;
  double scale = 65536;
  std::vector<TensorView> views = {{{"flag", DType::Bool, {1}}, &flag},
                                   {{"w\"\n", DType::F32, {2, 3}}, weights},
                                   {{"scale", DType::F64, {}}, &scale},
                                   {{"empty", DType::F16, {0, 5}}, nullptr}};
  SafetensorsWriteOptions options;
  options.metadata["step"] = "12";
  ASSERT_TRUE(writeSafetensors(folder.path("a"), views, options).ok());
  Result<SafetensorsFile> file = SafetensorsFile::open(folder.path("a"));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->metadata().at("step"), "12");
  ASSERT_EQ(file->tensors().size(), 4u);
  EXPECT_EQ(file->tensors()[0].desc.name, "scale");
  const TensorView *view = file->find("w\"\n");
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->desc.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(view->data, weights, sizeof weights), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(view->data) % 4, 0u);
  EXPECT_EQ(file->find("none"), nullptr);

  std::reverse(views.begin(), views.end());
  ASSERT_TRUE(writeSafetensors(folder.path("b"), views, options).ok());
  EXPECT_EQ(readText(folder.path("a")), readText(folder.path("b")));
}

TEST(Safetensors, ReadsAFileOfTheReferenceWriter) {
  // The bytes that the Python package writes for {"x": float32 [[1, 2]]}.
  std::string data("\0\0\x80\x3f\0\0\0\x40", 8);
  std::string header =
      R"({"x":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}        )";
  EXPECT_EQ(faultOf(fileOf(header, data)), "");
  EXPECT_EQ(faultOf(fileOf("{}")), "");
}

TEST(Safetensors, MalformedFiles) {
  const std::string four(4, '\0');
  auto tensor = [](const std::string &fields) {
    return "{\"x\":{" + fields + "}}";
  };
  auto expect = [](const std::string &bytes, const std::string &message) {
    EXPECT_EQ(faultOf(bytes), message);
  };
  expect("", "is too short for a safetensors file (0 bytes)");
  expect("1234567", "is too short for a safetensors file (7 bytes)");
  expect(std::string(8, '\xff'),
         "header of 18446744073709551615 bytes is over the limit of 100000000; "
         "is this a safetensors file?");
  expect(fileOf("{}").substr(0, 9), "header of 2 bytes, but only 1 follow");
  expect(fileOf(""), "header does not begin with '{'");
  expect(fileOf(" {}"), "header does not begin with '{'");
  expect(fileOf("[]"), "header does not begin with '{'");
  expect(fileOf("{"), "header is not a JSON object");
  expect(fileOf("{} x"), "header is not a JSON object");
  expect(fileOf("{\"\xff\":1}"), "header is not a JSON object");
  expect(fileOf("{\"x\":1}"),
         "tensor 'x': needs exactly dtype, shape and data_offsets");
  expect(fileOf(tensor(R"("dtype":"F32","shape":[1])")),
         "tensor 'x': needs exactly dtype, shape and data_offsets");
  expect(fileOf(tensor(R"("dtype":3,"shape":[1],"data_offsets":[0,4])"), four),
         "tensor 'x': dtype is not a string");
  expect(
      fileOf(tensor(R"("dtype":"F31","shape":[1],"data_offsets":[0,4])"), four),
      "tensor 'x': element type 'F31' is not supported");
  expect(fileOf(tensor(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"),
                four),
         "tensor 'x': shape is not a list of sizes");
  expect(fileOf(tensor(R"("dtype":"F32","shape":[1.0],"data_offsets":[0,4])"),
                four),
         "tensor 'x': shape is not a list of sizes");
  expect(fileOf(tensor(R"("dtype":"F32","shape":[[1]],"data_offsets":[0,4])"),
                four),
         "tensor 'x': shape is not a list of sizes");
  expect(
      fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0])"), four),
      "tensor 'x': data_offsets are not two offsets");
  expect(
      fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"), four),
      "tensor 'x': bytes 4 to 0 do not lie in the file's 4");
  expect(
      fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0,8])"), four),
      "tensor 'x': bytes 0 to 8 do not lie in the file's 4");
  expect(
      fileOf(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"), four),
      "tensor 'x': f32[2] takes 8 bytes, data_offsets give 4");
  expect(fileOf(tensor(R"("dtype":"F32","shape":[4611686018427387904,4],)"
                       R"("data_offsets":[0,4])"),
                four),
         "tensor 'x': shape is too large");
  expect(fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0,4])"),
                four + "x"),
         "1 bytes follow the last tensor");
}

TEST(Safetensors, OverlapsHolesAndDuplicates) {
  const std::string eight(8, '\0');
  auto two = [](const std::string &nameB, int beginB, int endB) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},")" + nameB +
           R"(":{"dtype":"U8","shape":[)" + std::to_string(endB - beginB) +
           R"(],"data_offsets":[)" + std::to_string(beginB) + "," +
           std::to_string(endB) + "]}}";
  };
  EXPECT_EQ(faultOf(fileOf(two("b", 4, 8), eight)), "");
  EXPECT_EQ(faultOf(fileOf(two("b", 2, 8), eight)),
            "tensor 'b': overlaps the one before at byte 2 of the data, "
            "expected 4");
  EXPECT_EQ(faultOf(fileOf(two("b", 5, 8), eight)),
            "tensor 'b': leaves a hole at byte 5 of the data, expected 4");
  EXPECT_EQ(faultOf(fileOf(two("a", 4, 8), eight)),
            "'a' appears twice in the header");
  EXPECT_EQ(faultOf(fileOf(R"({"a":{"dtype":"U8","dtype":"I8","shape":[],)"
                           R"("data_offsets":[0,1]}})",
                           "x")),
            "'dtype' appears twice in the header");
  EXPECT_EQ(faultOf(fileOf(R"({"__metadata__":{"k":1}})")),
            "__metadata__ of 'k' is not a string");
  EXPECT_EQ(faultOf(fileOf(R"({"__metadata__":[]})")),
            "__metadata__ is not an object");
}

TEST(Safetensors, DeepNestingEndsInAnError) {
  std::string deep = "{\"x\":" + std::string(1'000'000, '[');
  EXPECT_NE(faultOf(fileOf(deep)), "");
  deep += std::string(1'000'000, ']') + "}";
  EXPECT_EQ(faultOf(fileOf(deep)), "header is nested too deep");
}

TEST(Safetensors, ContentHashFindsEachFlippedBitAndCut) {
  TempFolder folder;
  std::vector<int32_t> numbers = {1, 2, 3, 4, 5};
  std::vector<TensorView> views = {{{"n", DType::I32, {5}}, numbers.data()}};
  SafetensorsWriteOptions options;
  options.metadata["step"] = "3";
  options.contentHash = true;
  std::string path = folder.path("a");
  ASSERT_TRUE(writeSafetensors(path, views, options).ok());
  auto whole = [&] {
    Result<SafetensorsFile> file = SafetensorsFile::open(path);
    return file.ok() && file->verifyContentHash().ok();
  };
  ASSERT_TRUE(whole());
  const std::string good = readText(path);
  auto faultOf = [&](const std::string &content) {
    writeText(path, content);
    return SafetensorsFile::open(path)->verifyContentHash().message();
  };
  EXPECT_EQ(faultOf(fileOf("{}")), path + ": has no content hash");
  EXPECT_EQ(faultOf(good.substr(0, good.size() - 1) + "x"),
            path + ": is damaged: content does not match its hash");
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    writeText(path, bad);
    ASSERT_FALSE(whole()) << "bit " << bit;
  }
  for (size_t size = 0; size < good.size(); ++size) {
    writeText(path, good.substr(0, size));
    ASSERT_FALSE(whole()) << "cut at " << size;
  }
}

} // namespace
} // namespace mpc::rt
