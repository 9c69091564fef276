// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the fields of one protobuf message, and reports malformed ones.
#include "lib/Import/ONNX/Read/Message.h"

using namespace mpc::onnx;
using protozero::pbf_wire_type;

/// The result of `read`. An exception of the reader becomes an error of the
/// field.
static auto guarded(Message &message, auto read) {
  try {
    return read();
  } catch (const protozero::end_of_buffer_exception &) {
    message.fail("reaches past the end of its message (cut off?)");
  } catch (const protozero::exception &fault) {
    message.fail(std::string("cannot be read: ") + fault.what());
  }
}

bool Message::next() {
  bool found = false;
  try {
    found = reader_.next();
  } catch (const protozero::exception &) {
    fail("is followed by something that is not a field");
  }
  if (!found)
    return false;
  current_ = reader_.tag();
  const FieldType *field = type_.find(current_);
  if (++counts_[current_] > 1 && field && !field->repeated)
    fail("appears twice");
  return true;
}

void Message::skip() {
  guarded(*this, [&] { reader_.skip(); });
}

int64_t Message::integer() {
  expect(pbf_wire_type::varint);
  return guarded(*this, [&] { return reader_.get_int64(); });
}

float Message::real() {
  expect(pbf_wire_type::fixed32);
  return guarded(*this, [&] { return reader_.get_float(); });
}

protozero::data_view Message::view() {
  expect(pbf_wire_type::length_delimited);
  return guarded(*this, [&] { return reader_.get_view(); });
}

std::string Message::text() {
  protozero::data_view bytes = view();
  return std::string(bytes.data(), bytes.size());
}

/// Reads a repeated field, which has one element or several packed ones.
static void readRepeated(Message &message, bool one, auto &out, auto readOne,
                         auto readPacked) {
  guarded(message, [&] {
    if (one) {
      out.push_back(readOne());
      return;
    }
    for (auto value : readPacked())
      out.push_back(value);
  });
}

void Message::integers(llvm::SmallVectorImpl<int64_t> &out) {
  bool one = reader_.wire_type() == pbf_wire_type::varint;
  if (!one)
    expect(pbf_wire_type::length_delimited);
  readRepeated(
      *this, one, out, [&] { return reader_.get_int64(); },
      [&] { return reader_.get_packed_int64(); });
}

void Message::integers(std::vector<int64_t> &out) {
  llvm::SmallVector<int64_t> values;
  integers(values);
  out.insert(out.end(), values.begin(), values.end());
}

void Message::reals(std::vector<float> &out) {
  bool one = reader_.wire_type() == pbf_wire_type::fixed32;
  if (!one)
    expect(pbf_wire_type::length_delimited);
  readRepeated(
      *this, one, out, [&] { return reader_.get_float(); },
      [&] { return reader_.get_packed_float(); });
}

void Message::doubles(std::vector<double> &out) {
  bool one = reader_.wire_type() == pbf_wire_type::fixed64;
  if (!one)
    expect(pbf_wire_type::length_delimited);
  readRepeated(
      *this, one, out, [&] { return reader_.get_double(); },
      [&] { return reader_.get_packed_double(); });
}

uint32_t Message::count(uint32_t field) const {
  auto found = counts_.find(field);
  return found == counts_.end() ? 0 : found->second;
}

std::string Message::nameOf(uint32_t field) const {
  const FieldType *known = type_.find(field);
  return known ? known->name : "field " + std::to_string(field);
}

std::string Message::place() const {
  std::string above = parent_ ? parent_->place() + "." : "";
  const FieldType *known = type_.find(current_);
  if (!known || !known->repeated)
    return above + nameOf(current_);
  return above + known->name + "[" + std::to_string(count(current_) - 1) + "]";
}

void Message::fail(const std::string &why) {
  std::string number =
      "field " + std::to_string(current_) + " of " + type_.name;
  std::string above = parent_ ? parent_->place() + ": " : "";
  if (current_ == 0)
    throw WrongField(above + type_.name + " does not begin with a field");
  if (!type_.find(current_))
    throw WrongField(above + number + " " + why);
  throw WrongField(place() + " (" + number + ") " + why);
}

void Message::expect(pbf_wire_type type) {
  if (reader_.wire_type() != type)
    fail("has wire type " + std::to_string(unsigned(reader_.wire_type())) +
         ", expected " + std::to_string(unsigned(type)));
}
