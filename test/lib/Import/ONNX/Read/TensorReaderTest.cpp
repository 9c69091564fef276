// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors whose type, shape and data do not agree.
#include "test/lib/Import/ONNX/Importing.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::onnx;

namespace {

constexpr ElemType kF32 = ElemType::Float;

/// What is said of a file with this initializer, behind "m.onnx: tensor 'w': ".
std::string errorOf(const std::string &tensor) {
  std::string error =
      importWritten(ModelWriter().opset(20).initializer(tensor)).error;
  std::string prefix = "m.onnx: tensor 'w': ";
  EXPECT_EQ(error.rfind(prefix, 0), 0u) << error;
  return error.substr(std::min(prefix.size(), error.size()));
}

/// A tensor "w" of two elements with the fields that `add` writes.
std::string tensorWith(int32_t type, auto add) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_bytes(8, "w");
  writer.add_int64(1, 2);
  writer.add_int32(2, type);
  add(writer);
  return bytes;
}

void addExternal(pbf_writer &writer, const std::string &key,
                 const std::string &value) {
  pbf_writer entry(writer, 13);
  entry.add_bytes(1, key);
  entry.add_bytes(2, value);
}

TEST(TensorReader, RefusesDataThatDoesNotFitTheShape) {
  EXPECT_EQ(errorOf(testTensor("w", kF32, {2, 3}, "12345678")),
            "raw_data has 8 bytes, its shape and type need 24");
  EXPECT_EQ(errorOf(testTensor("w", kF32, {-2, 3}, "")),
            "the shape [-2, 3] is negative or too large");
  EXPECT_EQ(
      errorOf(testTensor("w", kF32, {int64_t(1) << 40, int64_t(1) << 40}, "")),
      "the shape [1099511627776, 1099511627776] is negative or too large");
  EXPECT_EQ(errorOf(testTensor("w", kF32, std::vector<int64_t>(65, 1), "1234")),
            "rank 65 is above the limit of 64");
  EXPECT_EQ(errorOf(tensorWith(1, [](pbf_writer &w) { w.add_float(4, 1); })),
            "the data has 1 elements, the shape needs 2");
  EXPECT_EQ(errorOf(tensorWith(
                1, [](pbf_writer &w) { w.add_bytes(3, std::string()); })),
            "tensors in segments are not supported");
}

TEST(TensorReader, RefusesInitializersWithoutAName) {
  EXPECT_EQ(importWritten(ModelWriter().opset(20).initializer(
                              testTensor("", kF32, {1}, "1234")))
                .error,
            "m.onnx: initializer 0 has no name");
}

TEST(TensorReader, RefusesDataInTwoFields) {
  EXPECT_EQ(errorOf(tensorWith(1,
                               [](pbf_writer &w) {
                                 w.add_bytes(9, "12345678");
                                 w.add_float(4, 1);
                                 w.add_float(4, 2);
                               })),
            "has data in both float_data and raw_data");
  EXPECT_EQ(errorOf(tensorWith(7,
                               [](pbf_writer &w) {
                                 w.add_int64(7, 1);
                                 w.add_int32(5, 1);
                               })),
            "has data in both int32_data and int64_data");
  EXPECT_EQ(errorOf(tensorWith(1,
                               [](pbf_writer &w) {
                                 w.add_bytes(9, "12345678");
                                 addExternal(w, "location", "w.bin");
                                 w.add_int32(14, 1);
                               })),
            "has data in both raw_data and external_data");
}

TEST(TensorReader, RefusesDataInTheFieldOfAnotherType) {
  EXPECT_EQ(errorOf(tensorWith(10,
                               [](pbf_writer &w) {
                                 w.add_float(4, 1);
                                 w.add_float(4, 2);
                               })),
            "type float16 keeps its data in int32_data, found float_data");
  EXPECT_EQ(errorOf(tensorWith(8, [](pbf_writer &w) { w.add_bytes(9, "ab"); })),
            "a tensor of strings has raw_data");
  EXPECT_EQ(errorOf(tensorWith(3,
                               [](pbf_writer &w) {
                                 w.add_int32(5, 1);
                                 w.add_int32(5, 300);
                               })),
            "element 1 of int32_data is 300, out of range for int8");
  EXPECT_EQ(errorOf(tensorWith(9,
                               [](pbf_writer &w) {
                                 w.add_int32(5, 2);
                                 w.add_int32(5, 0);
                               })),
            "element 0 of int32_data is 2, out of range for bool");
}

TEST(TensorReader, RefusesTypesThatAreNone) {
  EXPECT_EQ(errorOf(tensorWith(99, [](pbf_writer &) {})),
            "data_type is 99, which is not an element type of ONNX");
  EXPECT_EQ(errorOf(tensorWith(0, [](pbf_writer &) {})),
            "data_type is 0, which is not an element type of ONNX");
}

TEST(TensorReader, RefusesExternalDataThatContradictsItself) {
  EXPECT_EQ(errorOf(tensorWith(
                1, [](pbf_writer &w) { addExternal(w, "location", "w.bin"); })),
            "data_location is DEFAULT, but the data is in external_data");
  EXPECT_EQ(errorOf(tensorWith(1,
                               [](pbf_writer &w) {
                                 w.add_bytes(9, "12345678");
                                 w.add_int32(14, 1);
                               })),
            "data_location is EXTERNAL, but the data is in raw_data");
  EXPECT_EQ(errorOf(tensorWith(1, [](pbf_writer &w) { w.add_int32(14, 7); })),
            "data_location is 7, expected 0 (DEFAULT) or 1 (EXTERNAL)");
  EXPECT_EQ(errorOf(tensorWith(1,
                               [](pbf_writer &w) {
                                 addExternal(w, "location", "w.bin");
                                 addExternal(w, "location", "v.bin");
                                 w.add_int32(14, 1);
                               })),
            "external_data gives 'location' twice");
}

TEST(TensorReader, RefusesSparseInitializers) {
  std::string sparse;
  pbf_writer(sparse).add_message(1, testTensor("w", kF32, {1}, "1234"));
  EXPECT_EQ(importWritten(ModelWriter().opset(20).field(15, sparse)).error,
            "m.onnx: initializer 'w' is sparse; sparse initializers are not "
            "supported");
}

} // namespace
