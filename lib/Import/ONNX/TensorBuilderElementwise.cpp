// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations that fold what is known.
#include "lib/Import/ONNX/TensorBuilder.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace mpc::onnx {

/// Constants of more elements than this stay as they are: the ops on them run
/// once a step, their results would be stored in the program.
constexpr int64_t largestRealFold = 1 << 16;

static bool worthFolding(const Operand &operand) {
  return operand.literal && (operand.literal->isSplat() || !operand.isFloat() ||
                             operand.literal->numElements() <= largestRealFold);
}

/// Wraps as two's complement does.
static bool foldInt(Binary kind, int64_t a, int64_t b, int64_t &out) {
  uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (kind) {
  case Binary::Add:
    out = static_cast<int64_t>(x + y);
    return true;
  case Binary::Sub:
    out = static_cast<int64_t>(x - y);
    return true;
  case Binary::Mul:
    out = static_cast<int64_t>(x * y);
    return true;
  case Binary::Div:
    if (b == 0 || (a == INT64_MIN && b == -1))
      return false;
    out = a / b;
    return true;
  case Binary::Pow:
    return false;
  case Binary::Max:
    out = std::max(a, b);
    return true;
  case Binary::Min:
    out = std::min(a, b);
    return true;
  }
  return false;
}

static bool foldReal(Binary kind, double a, double b, double &out) {
  switch (kind) {
  case Binary::Add:
    out = a + b;
    return true;
  case Binary::Sub:
    out = a - b;
    return true;
  case Binary::Mul:
    out = a * b;
    return true;
  case Binary::Div:
    out = a / b;
    return true;
  case Binary::Pow:
    out = std::pow(a, b);
    return true;
  case Binary::Max:
    out = std::isnan(a) || a > b ? a : b;
    return true;
  case Binary::Min:
    out = std::isnan(a) || a < b ? a : b;
    return true;
  }
  return false;
}

std::optional<Operand>
TensorBuilder::foldBinary(Binary kind, const Operand &lhs, const Operand &rhs) {
  if (!worthFolding(lhs) || !worthFolding(rhs))
    return std::nullopt;
  if (lhs.isFloat())
    return wrap(folder_.map(lhs.type, {lhs.literal, rhs.literal},
                            [&](ArrayRef<double> in, double &out) {
                              return foldReal(kind, in[0], in[1], out);
                            }));
  return wrap(folder_.map(lhs.type, {lhs.literal, rhs.literal},
                          [&](ArrayRef<int64_t> in, int64_t &out) {
                            return foldInt(kind, in[0], in[1], out);
                          }));
}

template <typename OpTy>
Operand TensorBuilder::emitBinary(const Operand &lhs, const Operand &rhs) {
  Value left = value(lhs);
  return fromValue(OpTy::create(
      builder_, location_, tensorType(lhs.type, lhs.shape), left, value(rhs)));
}

Operand TensorBuilder::binary(Binary kind, const Operand &lhs,
                              const Operand &rhs) {
  if (std::optional<Operand> known = foldBinary(kind, lhs, rhs))
    return *known;
  switch (kind) {
  case Binary::Add:
    return emitBinary<nn::AddOp>(lhs, rhs);
  case Binary::Sub:
    return emitBinary<nn::SubOp>(lhs, rhs);
  case Binary::Mul:
    return emitBinary<nn::MulOp>(lhs, rhs);
  case Binary::Div:
    return emitBinary<nn::DivOp>(lhs, rhs);
  case Binary::Pow:
    return emitBinary<nn::PowOp>(lhs, rhs);
  case Binary::Max:
    return emitBinary<nn::MaximumOp>(lhs, rhs);
  case Binary::Min:
    return emitBinary<nn::MinimumOp>(lhs, rhs);
  }
  llvm_unreachable("all kinds are above");
}

Operand TensorBuilder::binary(Binary kind, const Operand &lhs, double rhs) {
  return binary(kind, lhs, splatLike(lhs, rhs));
}

static bool foldCompare(nn::CompareKind kind, auto a, auto b) {
  switch (kind) {
  case nn::CompareKind::EQ:
    return a == b;
  case nn::CompareKind::NE:
    return a != b;
  case nn::CompareKind::LT:
    return a < b;
  case nn::CompareKind::LE:
    return a <= b;
  case nn::CompareKind::GT:
    return a > b;
  case nn::CompareKind::GE:
    return a >= b;
  }
  return false;
}

Operand TensorBuilder::compare(nn::CompareKind kind, const Operand &lhs,
                               const Operand &rhs) {
  if (lhs.literal && rhs.literal) {
    SmallVector<const Literal *> inputs{lhs.literal, rhs.literal};
    std::optional<Operand> known;
    if (lhs.isFloat())
      known = wrap(folder_.map(ElemType::Bool, inputs,
                               [&](ArrayRef<double> in, double &out) {
                                 out = foldCompare(kind, in[0], in[1]);
                                 return true;
                               }));
    else
      known = wrap(folder_.map(ElemType::Bool, inputs,
                               [&](ArrayRef<int64_t> in, int64_t &out) {
                                 out = foldCompare(kind, in[0], in[1]);
                                 return true;
                               }));
    if (known)
      return *known;
  }
  Value left = value(lhs);
  return fromValue(nn::CompareOp::create(builder_, location_,
                                         tensorType(ElemType::Bool, lhs.shape),
                                         kind, left, value(rhs)));
}

Operand TensorBuilder::select(const Operand &condition, const Operand &onTrue,
                              const Operand &onFalse) {
  if (std::optional<double> fixed = condition.splatValue())
    return *fixed != 0.0 ? onTrue : onFalse;
  if (condition.literal && onTrue.literal && onFalse.literal) {
    SmallVector<const Literal *> inputs{condition.literal, onTrue.literal,
                                        onFalse.literal};
    std::optional<Operand> known;
    if (onTrue.isFloat())
      known = wrap(folder_.map(onTrue.type, inputs,
                               [](ArrayRef<double> in, double &out) {
                                 out = in[0] != 0.0 ? in[1] : in[2];
                                 return true;
                               }));
    else
      known = wrap(folder_.map(onTrue.type, inputs,
                               [](ArrayRef<int64_t> in, int64_t &out) {
                                 out = in[0] != 0 ? in[1] : in[2];
                                 return true;
                               }));
    if (known)
      return *known;
  }
  Value chooser = value(condition);
  Value left = value(onTrue);
  return fromValue(nn::SelectOp::create(builder_, location_,
                                        tensorType(onTrue.type, onTrue.shape),
                                        chooser, left, value(onFalse)));
}

Operand TensorBuilder::logicalNot(const Operand &input) {
  return select(input, splatLike(input, 0), splatLike(input, 1));
}

Operand TensorBuilder::cast(const Operand &input, ElemType type) {
  if (input.type == type)
    return input;
  if (worthFolding(input))
    if (auto known = wrap(folder_.cast(*input.literal, type)))
      return *known;
  return fromValue(nn::CastOp::create(
      builder_, location_, tensorType(type, input.shape), value(input)));
}

std::optional<Operand> TensorBuilder::foldUnary(const Operand &input,
                                                double (*fold)(double)) {
  if (!fold || !worthFolding(input))
    return std::nullopt;
  return wrap(folder_.map(input.type, {input.literal},
                          [&](ArrayRef<double> in, double &out) {
                            out = fold(in[0]);
                            return true;
                          }));
}

Operand TensorBuilder::neg(const Operand &input) {
  if (!input.isFloat())
    return binary(Binary::Sub, splatLike(input, 0), input);
  return unary<nn::NegOp>(input, [](double x) { return -x; });
}
Operand TensorBuilder::exp(const Operand &input) {
  return unary<nn::ExpOp>(input, [](double x) { return std::exp(x); });
}
Operand TensorBuilder::log(const Operand &input) {
  return unary<nn::LogOp>(input, [](double x) { return std::log(x); });
}
Operand TensorBuilder::sqrt(const Operand &input) {
  return unary<nn::SqrtOp>(input, [](double x) { return std::sqrt(x); });
}
Operand TensorBuilder::rsqrt(const Operand &input) {
  return unary<nn::RsqrtOp>(input, [](double x) { return 1 / std::sqrt(x); });
}
Operand TensorBuilder::reciprocal(const Operand &input) {
  return unary<nn::ReciprocalOp>(input, [](double x) { return 1 / x; });
}
Operand TensorBuilder::abs(const Operand &input) {
  if (!input.isFloat())
    return binary(Binary::Max, input, neg(input));
  return unary<nn::AbsOp>(input, [](double x) { return std::fabs(x); });
}
Operand TensorBuilder::sigmoid(const Operand &input) {
  return unary<nn::SigmoidOp>(input);
}
Operand TensorBuilder::tanh(const Operand &input) {
  return unary<nn::TanhOp>(input);
}
Operand TensorBuilder::relu(const Operand &input) {
  if (!input.isFloat())
    return binary(Binary::Max, input, 0.0);
  return unary<nn::ReluOp>(input);
}

} // namespace mpc::onnx
