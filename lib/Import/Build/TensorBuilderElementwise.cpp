// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations.
#include "lib/Import/Build/TensorBuilder.h"

#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/Annotations.h"
#include "dialects/NN/NNDialect.h"

using namespace llvm;
using namespace mlir;

namespace mpc::build {

Operand TensorBuilder::binary(Binary kind, const Operand &lhs,
                              const Operand &rhs) {
  switch (kind) {
  case Binary::Add:
    return pair<nn::AddOp>(lhs, rhs);
  case Binary::Sub:
    return pair<nn::SubOp>(lhs, rhs);
  case Binary::Mul:
    return pair<nn::MulOp>(lhs, rhs);
  case Binary::Div:
    return pair<nn::DivOp>(lhs, rhs);
  case Binary::Pow:
    return pair<nn::PowOp>(lhs, rhs);
  case Binary::Max:
    return pair<nn::MaximumOp>(lhs, rhs);
  case Binary::Min:
    return pair<nn::MinimumOp>(lhs, rhs);
  }
  llvm_unreachable("all kinds are above");
}

Operand TensorBuilder::binary(Binary kind, const Operand &lhs, double rhs) {
  return binary(kind, lhs, splatLike(lhs, rhs));
}

Operand TensorBuilder::compare(nn::CompareKind kind, const Operand &lhs,
                               const Operand &rhs) {
  return fold(nn::CompareOp::create(builder_, location_,
                                    tensorType(i1(), lhs.shape), kind,
                                    lhs.value, rhs.value));
}

Operand TensorBuilder::select(const Operand &condition, const Operand &onTrue,
                              const Operand &onFalse) {
  return fold(nn::SelectOp::create(
      builder_, location_, tensorType(onTrue.type, onTrue.shape),
      condition.value, onTrue.value, onFalse.value));
}

Operand TensorBuilder::logicalNot(const Operand &input) {
  return select(input, splatLike(input, 0), splatLike(input, 1));
}

Operand TensorBuilder::bitNot(const Operand &input) {
  if (input.isBool())
    return logicalNot(input);
  return pair<nn::BitXorOp>(input, splatLike(input, -1));
}

Operand TensorBuilder::reversed(const Operand &input) {
  return input.isFloat() ? neg(input) : bitNot(input);
}

Operand TensorBuilder::cast(const Operand &input, mlir::Type type) {
  if (input.type == type)
    return input;
  return fold(nn::CastOp::create(builder_, location_,
                                 tensorType(type, input.shape), input.value));
}

Operand TensorBuilder::writtenCast(const Operand &input) {
  auto cast = nn::CastOp::create(builder_, location_, input.value.getType(),
                                 input.value);
  cast->setAttr(nn::kWrittenAttr, builder_.getUnitAttr());
  return fromValue(cast);
}

Operand TensorBuilder::wide(const Operand &input) {
  return mpc::isLowPrecision(input.type) ? cast(input, f32()) : input;
}

Operand TensorBuilder::neg(const Operand &input) {
  if (!input.isFloat())
    return binary(Binary::Sub, splatLike(input, 0), input);
  return unary<nn::NegOp>(input);
}
Operand TensorBuilder::exp(const Operand &input) {
  return unary<nn::ExpOp>(input);
}
Operand TensorBuilder::log(const Operand &input) {
  return unary<nn::LogOp>(input);
}
Operand TensorBuilder::sqrt(const Operand &input) {
  return unary<nn::SqrtOp>(input);
}
Operand TensorBuilder::rsqrt(const Operand &input) {
  return unary<nn::RsqrtOp>(input);
}
Operand TensorBuilder::reciprocal(const Operand &input) {
  return unary<nn::ReciprocalOp>(input);
}
Operand TensorBuilder::abs(const Operand &input) {
  if (input.isUnsigned())
    return input;
  if (!input.isFloat())
    return binary(Binary::Max, input, neg(input));
  return unary<nn::AbsOp>(input);
}
Operand
TensorBuilder::flatAtZero(const Operand &input,
                          llvm::function_ref<Operand(const Operand &)> of) {
  Operand isZero = compare(nn::CompareKind::EQ, input, splatLike(input, 0));
  Operand result = of(select(isZero, splatLike(input, 1), input));
  return select(isZero, splatLike(result, 0), result);
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

} // namespace mpc::build
