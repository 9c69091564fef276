// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of functions.
#include "lib/Import/Build/RecurrentActivations.h"

#include "dialects/NN/NNDialect.h"

using namespace llvm;

namespace mpc::build {

static Operand affine(TensorBuilder &b, const Operand &x, double alpha,
                      double beta) {
  return b.binary(Binary::Add, b.binary(Binary::Mul, x, alpha), beta);
}

static Operand scaledTanh(TensorBuilder &b, const Operand &x, double alpha,
                          double beta) {
  return b.binary(Binary::Mul, b.tanh(b.binary(Binary::Mul, x, beta)), alpha);
}

static Operand thresholdedRelu(TensorBuilder &b, const Operand &x, double alpha,
                               double) {
  Operand isAbove = b.compare(nn::CompareKind::GT, x, b.splatLike(x, alpha));
  return b.select(isAbove, x, b.splatLike(x, 0.0));
}

using B = TensorBuilder;
using X = const Operand &;

/// The defaults are those of the ops with these names. ScaledTanh has none.
static constexpr RecurrentFunction kFunctions[] = {
    {"Affine", affine, {true, 1.0}, {true, 0.0}},
    {"Elu",
     [](B &b, X x, double alpha, double) {
       return b.activation<nn::EluOp>(x, alpha, 1.0, 1.0);
     },
     {true, 1.0}},
    {"HardSigmoid",
     [](B &b, X x, double alpha, double beta) {
       return b.activation<nn::HardSigmoidOp>(x, alpha, beta);
     },
     {true, 0.2f},
     {true, 0.5}},
    {"LeakyRelu",
     [](B &b, X x, double alpha, double) {
       return b.activation<nn::LeakyReluOp>(x, alpha);
     },
     {true, 0.01f}},
    {"Relu", [](B &b, X x, double, double) { return b.relu(x); }},
    {"ScaledTanh", scaledTanh, {true}, {true}},
    {"Sigmoid", [](B &b, X x, double, double) { return b.sigmoid(x); }},
    {"Softplus",
     [](B &b, X x, double, double) { return b.unary<nn::SoftplusOp>(x); }},
    {"Softsign",
     [](B &b, X x, double, double) { return b.unary<nn::SoftsignOp>(x); }},
    {"Tanh", [](B &b, X x, double, double) { return b.tanh(x); }},
    {"ThresholdedRelu", thresholdedRelu, {true, 1.0}},
};

ArrayRef<RecurrentFunction> recurrentFunctions() { return kFunctions; }

Operand RecurrentActivation::apply(TensorBuilder &b, Operand x) const {
  if (clip)
    x = b.binary(Binary::Min, b.binary(Binary::Max, x, -*clip), *clip);
  return function->apply(b, x, alpha, beta);
}

} // namespace mpc::build
