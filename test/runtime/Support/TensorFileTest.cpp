// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of the three formats: names, types, orders of bytes and of indices,
// and files that are none.
#include "runtime/Support/TensorFile.h"

#include "runtime/Support/Safetensors.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/ZipWriter.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

using test::bytesOf;
using test::npy;
using test::npyOf;
using test::ZipWriter;

class TensorFileTest : public testing::Test {
protected:
  Result<TensorFile> open(const std::string &bytes) {
    writeText(path_, bytes);
    return TensorFile::open(path_);
  }

  std::string fault(const std::string &bytes) {
    Result<TensorFile> file = open(bytes);
    if (file.ok())
      return "";
    EXPECT_EQ(file.status().code(), StatusCode::InvalidInput);
    std::string message = file.status().message();
    EXPECT_TRUE(message.starts_with(path_ + ": ")) << message;
    return message.substr(path_.size() + 2);
  }

  /// What is wrong with a header, in an archive and beside one.
  std::string headerFault(const std::string &literal) {
    std::string bytes = npyOf(literal, "1234");
    std::string found = fault(bytes);
    Result<TensorFile> zip = open(ZipWriter().add("x.npy", bytes).bytes());
    EXPECT_TRUE(zip.ok());
    EXPECT_EQ(zip->items().at(0).fault, found);
    EXPECT_EQ(zip->read(zip->items()[0]).status().message(),
              path_ + ": tensor 'x': " + found);
    return found;
  }

  /// Elements of all rows, one by one and at once.
  template <typename T>
  static std::vector<T> valuesOf(const TensorFile &file, const char *name) {
    Result<StoredTensor> tensor = file.read(*file.find(name));
    EXPECT_TRUE(tensor.ok()) << tensor.status().message();
    size_t count = tensor->desc().numElements();
    std::vector<T> values(count), whole(count);
    std::vector<std::byte> scratch;
    size_t rowBytes = count * sizeof(T) / tensor->desc().shape[0];
    for (int64_t row = 0; row < tensor->desc().shape[0]; ++row)
      std::memcpy(reinterpret_cast<char *>(values.data()) + row * rowBytes,
                  tensor->row(row, scratch), rowBytes);
    std::memcpy(whole.data(), tensor->all(scratch), count * sizeof(T));
    EXPECT_EQ(values, whole);
    return values;
  }

  TempFolder folder_;
  std::string path_ = folder_.path("stem.of.npy");
};

TEST_F(TensorFileTest, AnArrayIsCalledAsItsFileOrAsItIsTold) {
  Result<TensorFile> file = open(npy("<f4", "(2, 1)", bytesOf<float>({1, 2})));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->describe(), "'stem.of' f32[2x1]");
  EXPECT_EQ(valuesOf<float>(*file, "stem.of"), (std::vector<float>{1, 2}));
  file = TensorFile::open(path_, "x");
  EXPECT_EQ(file->describe(), "'x' f32[2x1]");
  writeText(path_, ZipWriter().bytes());
  EXPECT_EQ(TensorFile::open(path_, "x").status().message(),
            path_ + ": is not a .npy file: its tensors have names already, and "
                    "'x' cannot name them all");
}

TEST_F(TensorFileTest, AnArchiveHasItsArraysByName) {
  std::string numbers = npy("<i2", "(3,)", bytesOf<int16_t>({7, -8, 9}));
  for (bool isZip64 : {false, true}) {
    Result<TensorFile> file =
        open(ZipWriter(isZip64)
                 .add("a/b.npy", numbers)
                 .add("notes.txt", "no array")
                 .add("packed.npy", numbers, /*isDeflated=*/true)
                 .add("o.npy", npy("|O", "(1,)", "12345678"))
                 .bytes());
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(file->describe(),
              "'a/b' i16[3], 'packed' i16[3], 'o' (holds Python objects, which "
              "are not read; save an array of numbers)");
    for (const char *name : {"a/b", "packed"})
      EXPECT_EQ(valuesOf<int16_t>(*file, name),
                (std::vector<int16_t>{7, -8, 9}));
    EXPECT_EQ(file->find("notes"), nullptr);
  }
  EXPECT_EQ(open(ZipWriter().bytes())->describe(), "no tensor");
}

TEST_F(TensorFileTest, SafetensorsAsEver) {
  float x[] = {1, 2, 3, 4};
  std::vector<TensorView> views = {{{"x", DType::F32, {2, 2}}, x}};
  ASSERT_TRUE(writeSafetensors(path_, views).ok());
  Result<TensorFile> file = TensorFile::open(path_);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(valuesOf<float>(*file, "x"), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(fault("short"), "is too short for a safetensors file (5 bytes)");
}

TEST_F(TensorFileTest, EachElementType) {
  struct {
    const char *code;
    DType dtype;
  } types[] = {{"f2", DType::F16}, {"f4", DType::F32}, {"f8", DType::F64},
               {"i1", DType::I8},  {"i2", DType::I16}, {"i4", DType::I32},
               {"i8", DType::I64}, {"u1", DType::U8},  {"u2", DType::U16},
               {"u4", DType::U32}, {"u8", DType::U64}, {"b1", DType::Bool}};
  for (auto &type : types)
    for (const char *order : {"<", ">", "|", "="}) {
      std::string data(2 * byteSize(type.dtype), '\1');
      Result<TensorFile> file =
          open(npy(std::string(order) + type.code, "(2,)", data));
      ASSERT_TRUE(file.ok()) << file.status().message();
      EXPECT_EQ(file->items()[0].desc.dtype, type.dtype) << type.code;
    }
}

TEST_F(TensorFileTest, BigEndianIsTurned) {
  std::string data("\x01\x02\x03\x04\xff\xff\xff\xfe", 8);
  EXPECT_EQ(valuesOf<int32_t>(*open(npy(">i4", "(2,)", data)), "stem.of"),
            (std::vector<int32_t>{0x01020304, -2}));
}

TEST_F(TensorFileTest, ColumnMajorIsTurned) {
  // Element (i, j, k) is 100 i + 10 j + k, and the first index runs fastest.
  std::vector<int16_t> expected, stored;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k)
        expected.push_back(static_cast<int16_t>(100 * i + 10 * j + k));
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 4; ++i)
        stored.push_back(static_cast<int16_t>(100 * i + 10 * j + k));
  std::string shape = "(4, 2, 3)", little = bytesOf(stored), big = little;
  for (size_t i = 0; i < big.size(); i += 2)
    std::swap(big[i], big[i + 1]);
  EXPECT_EQ(
      valuesOf<int16_t>(*open(npy("<i2", shape, little, true)), "stem.of"),
      expected);
  EXPECT_EQ(valuesOf<int16_t>(*open(npy(">i2", shape, big, true)), "stem.of"),
            expected);
}

TEST_F(TensorFileTest, HeadersAsPythonMayWriteThem) {
  for (const char *literal :
       {"{'descr':'<f4','fortran_order':False,'shape':(1,1)}",
        "{\"shape\": (1L, 1L,), \"fortran_order\": True, \"descr\": \"<f4\"}",
        "  { 'shape' : ( 1 , 1 ) , 'descr' : '<f4' , 'fortran_order' : "
        "False , } "})
    for (int version : {1, 2, 3}) {
      Result<TensorFile> file = open(npyOf(literal, "1234", version));
      ASSERT_TRUE(file.ok()) << file.status().message();
      EXPECT_EQ(file->describe(), "'stem.of' f32[1x1]");
    }
  EXPECT_EQ(open(npy("<f4", "()", "1234"))->describe(), "'stem.of' f32[]");
}

TEST_F(TensorFileTest, WrongHeaders) {
  for (const char *literal :
       {"", "{", "{}", "[]", "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        "{'descr': 'x, 'fortran_order': False, 'shape': (1,), }"})
    EXPECT_EQ(headerFault(literal), "header of the array is damaged")
        << literal;
  auto ofType = [](const std::string &type) {
    return "{'descr': " + type + ", 'fortran_order': False, 'shape': (1,), }";
  };
  EXPECT_EQ(headerFault(ofType("'|O'")),
            "holds Python objects, which are not read; save an array of "
            "numbers");
  EXPECT_EQ(headerFault(ofType("[('a', '<f4')]")),
            "holds records, which are not read; save each of their fields as "
            "an array");
  for (const char *code : {"c8", "f16", "U3", "S4", "V2", "M8[s]", "f3"})
    EXPECT_EQ(headerFault(ofType("'<" + std::string(code) + "'")),
              "element type '" + std::string(code) + "' is not supported");
  EXPECT_EQ(headerFault("{'descr': '<f4', 'fortran_order': False, 'shape': "
                        "(4294967296, 4294967296), }"),
            "shape is too large");
}

TEST_F(TensorFileTest, AMemberThatOnlyIsCalledAnArray) {
  Result<TensorFile> zip = open(ZipWriter().add("x.npy", "text").bytes());
  EXPECT_EQ(zip->read(zip->items()[0]).status().message(),
            path_ + ": tensor 'x': is not a NumPy array");
}

TEST_F(TensorFileTest, SizesThatLie) {
  EXPECT_EQ(fault(npy("<f4", "(2,)", "1234")),
            "f32[2] takes 8 bytes, 4 follow the header");
  EXPECT_EQ(fault(npy("<f4", "(1,)", "12345")),
            "f32[1] takes 4 bytes, 5 follow the header");
  Result<TensorFile> zip =
      open(ZipWriter().add("x.npy", npy("<f4", "(2,)", "1234"), true).bytes());
  EXPECT_EQ(zip->read(zip->items()[0]).status().message(),
            path_ + ": tensor 'x': f32[2] takes 8 bytes, 4 follow the header");
  EXPECT_EQ(fault(std::string("\x93NUMPY\4\0\0\0\0\0", 12)),
            "is an array of format 4; formats 1 to 3 are read");
  EXPECT_EQ(fault(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)),
            "header of the array has 4294967307 bytes, of which 12 are there");
}

TEST_F(TensorFileTest, CutOffAndDamagedFilesAreSafe) {
  std::string whole = npy("<f4", "(2, 3)", std::string(24, 'x'), true);
  writeText(path_, whole);
  std::vector<std::byte> scratch;
  for (size_t place = 0; place < 80; ++place) {
    for (int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      writeByte(path_, place, static_cast<char>(whole[place] ^ change));
      Result<TensorFile> file = TensorFile::open(path_);
      if (!file.ok())
        continue;
      Result<StoredTensor> tensor = file->read(file->items()[0]);
      if (tensor.ok()) {
        EXPECT_NE(tensor->all(scratch), nullptr);
      }
    }
    writeByte(path_, place, whole[place]);
  }
  for (size_t size = whole.size(); size-- > 0;) {
    std::filesystem::resize_file(path_, size);
    EXPECT_FALSE(TensorFile::open(path_).ok()) << size;
  }
}

} // namespace
} // namespace mpc::rt
