// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One protobuf message, read field by field. Throws; for OnnxModel.cpp alone.
#ifndef MPC_LIB_IMPORT_ONNX_MESSAGE_H
#define MPC_LIB_IMPORT_ONNX_MESSAGE_H

#include "llvm/ADT/Twine.h"

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>
#include <vector>

namespace mpc::onnx {

/// A field that does not hold what its number says. Thrown and caught in
/// OnnxModel.cpp, beside protozero's own exceptions.
struct WrongField : protozero::exception {
  explicit WrongField(std::string text) : text(std::move(text)) {}
  const char *what() const noexcept override { return text.c_str(); }
  std::string text;
};

/// A message, and the names of its fields for what goes wrong in it.
class Message {
public:
  Message(protozero::data_view bytes, const char *name)
      : reader_(bytes), name_(name) {}

  bool next() { return reader_.next(); }
  uint32_t field() { return reader_.tag(); }
  void skip() { reader_.skip(); }

  int64_t integer() {
    expect(protozero::pbf_wire_type::varint);
    return reader_.get_int64();
  }
  float real() {
    expect(protozero::pbf_wire_type::fixed32);
    return reader_.get_float();
  }
  protozero::data_view view() {
    expect(protozero::pbf_wire_type::length_delimited);
    return reader_.get_view();
  }
  std::string text() {
    protozero::data_view bytes = view();
    return std::string(bytes.data(), bytes.size());
  }

  /// A repeated field, packed or one by one.
  void integers(auto &out) {
    if (reader_.wire_type() == protozero::pbf_wire_type::varint) {
      out.push_back(reader_.get_int64());
      return;
    }
    expect(protozero::pbf_wire_type::length_delimited);
    auto range = reader_.get_packed_int64();
    for (int64_t value : range)
      out.push_back(value);
  }
  void reals(std::vector<float> &out) {
    if (reader_.wire_type() == protozero::pbf_wire_type::fixed32) {
      out.push_back(reader_.get_float());
      return;
    }
    expect(protozero::pbf_wire_type::length_delimited);
    for (float value : reader_.get_packed_float())
      out.push_back(value);
  }
  void doubles(std::vector<double> &out) {
    if (reader_.wire_type() == protozero::pbf_wire_type::fixed64) {
      out.push_back(reader_.get_double());
      return;
    }
    expect(protozero::pbf_wire_type::length_delimited);
    for (double value : reader_.get_packed_double())
      out.push_back(value);
  }

private:
  void expect(protozero::pbf_wire_type type) {
    if (reader_.wire_type() != type)
      throw WrongField((llvm::Twine("field ") + llvm::Twine(reader_.tag()) +
                        " of " + name_ + " has wire type " +
                        llvm::Twine(unsigned(reader_.wire_type())) +
                        ", expected " + llvm::Twine(unsigned(type)))
                           .str());
  }

  protozero::pbf_reader reader_;
  const char *name_;
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_MESSAGE_H
