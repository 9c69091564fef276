// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One protobuf message, read field by field. Throws; for the files alone that
/// read models.
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

/// A field that does not hold what its number says, or bytes that are no
/// field. Thrown by Message, caught in OnnxModel.cpp.
struct WrongField : protozero::exception {
  explicit WrongField(std::string text) : text(std::move(text)) {}
  const char *what() const noexcept override { return text.c_str(); }
  std::string text;
};

/// A message at its place in the file. Every fault names the place and the
/// field: "graph.node[3].op_type (field 4 of NodeProto) has wire type 0,
/// expected 2".
class Message {
public:
  Message(protozero::data_view bytes, const MessageType &type,
          const Message *parent = nullptr)
      : reader_(bytes), type_(type), parent_(parent) {}

  /// Goes on to the next field. One that may be there once is refused where it
  /// is there again.
  bool next();
  uint32_t field() { return reader_.tag(); }
  void skip();

  int64_t integer();
  float real();
  protozero::data_view view();
  std::string text();
  /// The message that the field holds; it refers to this one.
  Message child(const MessageType &type) { return Message(view(), type, this); }

  /// A repeated field, packed or one by one.
  void integers(llvm::SmallVectorImpl<int64_t> &out);
  void integers(std::vector<int64_t> &out);
  void reals(std::vector<float> &out);
  void doubles(std::vector<double> &out);

  /// How often the field has been seen so far.
  uint32_t count(uint32_t field) const;
  /// "raw_data".
  std::string nameOf(uint32_t field) const;
  /// Says of the current field what is wrong with it.
  [[noreturn]] void fail(const std::string &why);

private:
  void expect(protozero::pbf_wire_type type);
  /// The current field, "graph.node[3].op_type".
  std::string place() const;

  protozero::pbf_reader reader_;
  const MessageType &type_;
  const Message *parent_;
  std::map<uint32_t, uint32_t> counts_;
  uint32_t current_ = 0;
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_MESSAGE_H
