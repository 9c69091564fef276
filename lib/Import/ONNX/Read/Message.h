// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads one protobuf message field by field. It throws, and is only for the
/// files that read models.
#ifndef MPC_LIB_IMPORT_ONNX_READ_MESSAGE_H
#define MPC_LIB_IMPORT_ONNX_READ_MESSAGE_H

#include "lib/Import/ONNX/Read/MessageTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <vector>

namespace mpc::onnx {

/// A field that does not have the type of its number, or bytes that are no
/// field. Message throws it, and OnnxModel.cpp catches it.
struct WrongField : protozero::exception {
  explicit WrongField(std::string text) : text(std::move(text)) {}
  const char *what() const noexcept override { return text.c_str(); }
  std::string text;
};

/// A message at its position in the file. Every error names the position and
/// the field: "graph.node[3].op_type (field 4 of NodeProto) has wire type 0,
/// expected 2".
class Message {
public:
  Message(protozero::data_view bytes, const MessageType &type,
          const Message *parent = nullptr)
      : reader_(bytes), type_(type), parent_(parent) {}

  /// Advances to the next field. Refuses a second occurrence of a field that
  /// may occur only once.
  bool next();
  uint32_t field() { return reader_.tag(); }
  void skip();

  int64_t integer();
  float real();
  protozero::data_view view();
  std::string text();
  /// The message in the field; it refers to this one.
  Message child(const MessageType &type) { return Message(view(), type, this); }

  /// Reads a repeated field, packed or one by one.
  void integers(llvm::SmallVectorImpl<int64_t> &out);
  void integers(std::vector<int64_t> &out);
  void reals(std::vector<float> &out);
  void doubles(std::vector<double> &out);

  /// The number of occurrences of the field so far.
  uint32_t count(uint32_t field) const;
  /// The name of a field: "raw_data".
  std::string nameOf(uint32_t field) const;
  /// Reports an error in the current field.
  [[noreturn]] void fail(const std::string &why);

private:
  void expect(protozero::pbf_wire_type type);
  /// The current field with its position: "graph.node[3].op_type".
  std::string place() const;

  protozero::pbf_reader reader_;
  const MessageType &type_;
  const Message *parent_;
  std::map<uint32_t, uint32_t> counts_;
  uint32_t current_ = 0;
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_MESSAGE_H
