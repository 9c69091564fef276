// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations.
#include "lib/Import/ONNX/TensorBuilder.h"

using namespace llvm;
using namespace mlir;

namespace mpc::onnx {

template <typename OpTy>
Operand TensorBuilder::emitBinary(const Operand &lhs, const Operand &rhs) {
  return fold(OpTy::create(builder_, location_, tensorType(lhs.type, lhs.shape),
                           lhs.value, rhs.value));
}

Operand TensorBuilder::binary(Binary kind, const Operand &lhs,
                              const Operand &rhs) {
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

Operand TensorBuilder::compare(nn::CompareKind kind, const Operand &lhs,
                               const Operand &rhs) {
  return fold(nn::CompareOp::create(builder_, location_,
                                    tensorType(ElemType::Bool, lhs.shape), kind,
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

Operand TensorBuilder::cast(const Operand &input, ElemType type) {
  if (input.type == type)
    return input;
  return fold(nn::CastOp::create(builder_, location_,
                                 tensorType(type, input.shape), input.value));
}

Operand TensorBuilder::wide(const Operand &input) {
  bool isNarrow =
      input.type == ElemType::Float16 || input.type == ElemType::BFloat16;
  return isNarrow ? cast(input, ElemType::Float) : input;
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
  if (!input.isFloat())
    return binary(Binary::Max, input, neg(input));
  return unary<nn::AbsOp>(input);
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
