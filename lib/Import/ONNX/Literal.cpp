// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Elements of known tensors, read and written by type, and the folds.
#include "lib/Import/ONNX/Literal.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace llvm;

namespace mpc::onnx {

namespace {

template <typename T>
T load(const char *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T>
void store(char *at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

double halfToDouble(const fltSemantics &semantics, uint16_t bits) {
  APFloat value(semantics, APInt(16, bits));
  bool lost = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

uint16_t doubleToHalf(const fltSemantics &semantics, double number) {
  APFloat value(number);
  bool lost = false;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
}

/// Truncates; what no int64 holds becomes the nearest end.
int64_t toInteger(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 9223372036854775808.0)
    return INT64_MAX;
  if (value <= -9223372036854775808.0)
    return INT64_MIN;
  return static_cast<int64_t>(value);
}

void storeInt(ElemType type, char *at, int64_t value);

void storeFloat(ElemType type, char *at, double value) {
  switch (type) {
  case ElemType::Float:
    return store(at, static_cast<float>(value));
  case ElemType::Double:
    return store(at, value);
  case ElemType::Float16:
    return store(at, doubleToHalf(APFloat::IEEEhalf(), value));
  case ElemType::BFloat16:
    return store(at, doubleToHalf(APFloat::BFloat(), value));
  case ElemType::Bool:
    return store<char>(at, value != 0.0);
  default:
    return storeInt(type, at, toInteger(value));
  }
}

void storeInt(ElemType type, char *at, int64_t value) {
  switch (type) {
  case ElemType::Bool:
    return store<char>(at, value != 0);
  case ElemType::Int8:
  case ElemType::UInt8:
    return store(at, static_cast<int8_t>(value));
  case ElemType::Int16:
    return store(at, static_cast<int16_t>(value));
  case ElemType::Int32:
    return store(at, static_cast<int32_t>(value));
  case ElemType::Int64:
    return store(at, value);
  default:
    return storeFloat(type, at, static_cast<double>(value));
  }
}

int64_t loadInt(ElemType type, const char *at);

double loadFloat(ElemType type, const char *at) {
  switch (type) {
  case ElemType::Float:
    return load<float>(at);
  case ElemType::Double:
    return load<double>(at);
  case ElemType::Float16:
    return halfToDouble(APFloat::IEEEhalf(), load<uint16_t>(at));
  case ElemType::BFloat16:
    return halfToDouble(APFloat::BFloat(), load<uint16_t>(at));
  default:
    return static_cast<double>(loadInt(type, at));
  }
}

int64_t loadInt(ElemType type, const char *at) {
  switch (type) {
  case ElemType::Bool:
    return load<char>(at) != 0;
  case ElemType::UInt8:
    return load<uint8_t>(at);
  case ElemType::Int8:
    return load<int8_t>(at);
  case ElemType::Int16:
    return load<int16_t>(at);
  case ElemType::Int32:
    return load<int32_t>(at);
  case ElemType::Int64:
    return load<int64_t>(at);
  default:
    return toInteger(loadFloat(type, at));
  }
}

} // namespace

int64_t Literal::numElements() const {
  return countElements(shape).value_or(0);
}

bool Literal::isSplat() const { return bytes.size() == byteSize(type); }

int64_t Literal::intAt(int64_t index) const {
  return loadInt(type, bytes.data() + (isSplat() ? 0 : index * byteSize(type)));
}

double Literal::floatAt(int64_t index) const {
  return loadFloat(type,
                   bytes.data() + (isSplat() ? 0 : index * byteSize(type)));
}

SmallVector<int64_t> Literal::ints() const {
  SmallVector<int64_t> values;
  for (int64_t i = 0, e = numElements(); i < e; ++i)
    values.push_back(intAt(i));
  return values;
}

SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::optional<MutableArrayRef<char>> LiteralFolder::allocate(ElemType type,
                                                             int64_t count) {
  size_t size = static_cast<size_t>(count) * byteSize(type);
  if (size > budget_)
    return std::nullopt;
  budget_ -= size;
  return storage_.allocate(size);
}

std::optional<Literal> LiteralFolder::fromInts(ElemType type,
                                               ArrayRef<int64_t> shape,
                                               ArrayRef<int64_t> values) {
  auto bytes = allocate(type, static_cast<int64_t>(values.size()));
  if (!bytes)
    return std::nullopt;
  for (auto [index, value] : enumerate(values))
    storeInt(type, bytes->data() + index * byteSize(type), value);
  return Literal{type, Shape(shape), *bytes};
}

Literal LiteralFolder::splat(ElemType type, ArrayRef<int64_t> shape,
                             double value) {
  // Outside the budget: a few bytes for each op of the file.
  MutableArrayRef<char> bytes = storage_.allocate(byteSize(type));
  storeFloat(type, bytes.data(), value);
  return Literal{type, Shape(shape), bytes};
}

Literal LiteralFolder::splatInt(ElemType type, ArrayRef<int64_t> shape,
                                int64_t value) {
  MutableArrayRef<char> bytes = storage_.allocate(byteSize(type));
  storeInt(type, bytes.data(), value);
  return Literal{type, Shape(shape), bytes};
}

Literal LiteralFolder::reshape(const Literal &input, ArrayRef<int64_t> shape) {
  return Literal{input.type, Shape(shape), input.bytes};
}

std::optional<Literal> LiteralFolder::strided(const Literal &input,
                                              ArrayRef<int64_t> shape,
                                              int64_t base,
                                              ArrayRef<int64_t> strides) {
  if (input.isSplat())
    return Literal{input.type, Shape(shape), input.bytes};
  int64_t count = countElements(shape).value_or(0);
  auto bytes = allocate(input.type, count);
  if (!bytes)
    return std::nullopt;
  size_t size = byteSize(input.type);
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t from = base;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(bytes->data() + i * size, input.bytes.data() + from * size,
                size);
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      from -= shape[axis] * strides[axis];
      index[axis] = 0;
    }
  }
  return Literal{input.type, Shape(shape), *bytes};
}

std::optional<Literal> LiteralFolder::concat(ArrayRef<const Literal *> inputs,
                                             int64_t axis) {
  const Literal &first = *inputs.front();
  Shape shape = first.shape;
  shape[axis] = 0;
  for (const Literal *input : inputs)
    shape[axis] += input->shape[axis];
  int64_t outer = 1;
  for (int64_t size : ArrayRef<int64_t>(shape).take_front(axis))
    outer *= size;
  std::optional<int64_t> count = countElements(shape);
  if (!count)
    return std::nullopt;
  auto bytes = allocate(first.type, *count);
  if (!bytes)
    return std::nullopt;
  size_t size = byteSize(first.type);
  char *to = bytes->data();
  for (int64_t block = 0; *count != 0 && block < outer; ++block) {
    for (const Literal *input : inputs) {
      int64_t length = input->numElements() / outer;
      for (int64_t i = 0; i < length; ++i, to += size)
        std::memcpy(to,
                    input->bytes.data() +
                        (input->isSplat() ? 0 : (block * length + i) * size),
                    size);
    }
  }
  return Literal{first.type, shape, *bytes};
}

std::optional<Literal> LiteralFolder::gather(const Literal &input,
                                             const Literal &indices,
                                             int64_t axis) {
  ArrayRef<int64_t> in = input.shape;
  Shape shape(in.take_front(axis));
  append_range(shape, indices.shape);
  append_range(shape, in.drop_front(axis + 1));
  if (input.isSplat())
    return Literal{input.type, shape, input.bytes};
  std::optional<int64_t> count = countElements(shape);
  if (!count)
    return std::nullopt;
  auto bytes = allocate(input.type, *count);
  if (!bytes)
    return std::nullopt;
  if (*count == 0)
    return Literal{input.type, shape, *bytes};
  int64_t inner = countElements(in.drop_front(axis + 1)).value_or(0);
  int64_t outer = countElements(in.take_front(axis)).value_or(0);
  int64_t numIndices = indices.numElements();
  size_t blockSize = inner * byteSize(input.type);
  char *to = bytes->data();
  for (int64_t block = 0; block < outer; ++block)
    for (int64_t i = 0; i < numIndices; ++i, to += blockSize)
      std::memcpy(to,
                  input.bytes.data() +
                      (block * in[axis] + indices.intAt(i)) * blockSize,
                  blockSize);
  return Literal{input.type, shape, *bytes};
}

std::optional<Literal> LiteralFolder::cast(const Literal &input,
                                           ElemType type) {
  if (isFloat(input.type))
    return map(type, {&input}, [](ArrayRef<double> in, double &out) {
      out = in[0];
      return true;
    });
  return map(type, {&input}, [](ArrayRef<int64_t> in, int64_t &out) {
    out = in[0];
    return true;
  });
}

/// The two maps differ in the number type alone.
template <typename Number>
static bool mapElements(Literal &result, MutableArrayRef<char> bytes,
                        ArrayRef<const Literal *> inputs, int64_t count,
                        auto combine, auto loadAt, auto storeAt) {
  size_t size = byteSize(result.type);
  SmallVector<Number, 4> operands(inputs.size());
  for (int64_t i = 0; i < count; ++i) {
    for (auto [operand, input] : zip_equal(operands, inputs))
      operand = loadAt(*input, i);
    Number value = 0;
    if (!combine(operands, value))
      return false;
    storeAt(result.type, bytes.data() + i * size, value);
  }
  return true;
}

static bool allSplat(ArrayRef<const Literal *> inputs) {
  return all_of(inputs, [](const Literal *input) { return input->isSplat(); });
}

std::optional<Literal> LiteralFolder::map(ElemType type,
                                          ArrayRef<const Literal *> inputs,
                                          IntFunction combine) {
  int64_t count = allSplat(inputs) ? 1 : inputs.front()->numElements();
  auto bytes = allocate(type, count);
  if (!bytes)
    return std::nullopt;
  Literal result{type, inputs.front()->shape, *bytes};
  bool known = mapElements<int64_t>(
      result, *bytes, inputs, count, combine,
      [](const Literal &in, int64_t i) { return in.intAt(i); }, storeInt);
  return known ? std::optional<Literal>(result) : std::nullopt;
}

std::optional<Literal> LiteralFolder::map(ElemType type,
                                          ArrayRef<const Literal *> inputs,
                                          RealFunction combine) {
  int64_t count = allSplat(inputs) ? 1 : inputs.front()->numElements();
  auto bytes = allocate(type, count);
  if (!bytes)
    return std::nullopt;
  Literal result{type, inputs.front()->shape, *bytes};
  bool known = mapElements<double>(
      result, *bytes, inputs, count, combine,
      [](const Literal &in, int64_t i) { return in.floatAt(i); }, storeFloat);
  return known ? std::optional<Literal>(result) : std::nullopt;
}

} // namespace mpc::onnx
