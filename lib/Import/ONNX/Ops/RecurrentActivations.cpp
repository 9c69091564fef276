// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions of recurrent layers by name, and their attributes.
#include "lib/Import/ONNX/Ops/RecurrentActivations.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// A setting that a function may have.
struct RecurrentSetting {
  bool exists = false;
  /// Where the file gives none.
  std::optional<double> otherwise = {};
};

Operand affine(TensorBuilder &b, const Operand &x, double alpha, double beta) {
  return b.binary(Binary::Add, b.binary(Binary::Mul, x, alpha), beta);
}

Operand scaledTanh(TensorBuilder &b, const Operand &x, double alpha,
                   double beta) {
  return b.binary(Binary::Mul, b.tanh(b.binary(Binary::Mul, x, beta)), alpha);
}

Operand thresholdedRelu(TensorBuilder &b, const Operand &x, double alpha,
                        double) {
  Operand isAbove = b.compare(nn::CompareKind::GT, x, b.splatLike(x, alpha));
  return b.select(isAbove, x, b.splatLike(x, 0.0));
}

} // namespace

struct RecurrentFunction {
  StringLiteral name;
  Operand (*apply)(TensorBuilder &b, const Operand &x, double alpha,
                   double beta);
  RecurrentSetting alpha = {}, beta = {};
};

namespace {

using B = TensorBuilder;
using X = const Operand &;

/// Defaults are those of the ops of these names; ScaledTanh's have none.
constexpr RecurrentFunction kFunctions[] = {
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

/// PyTorch's exporter writes names in small letters, which runtimes take.
const RecurrentFunction *findFunction(StringRef name) {
  const RecurrentFunction *found = find_if(kFunctions, [&](const auto &known) {
    return name.equals_insensitive(known.name);
  });
  return found == std::end(kFunctions) ? nullptr : found;
}

/// The numbers of an attribute, which the functions that have such a setting
/// take in their order.
class SettingReader {
public:
  SettingReader(NodeImporter &node, StringRef name) : node_(node), name_(name) {
    if (const Attribute *given = node.attribute(name))
      rest_ = given->floats;
  }

  Expected<double> next(const RecurrentFunction &function,
                        const RecurrentSetting &setting) {
    if (!setting.exists)
      return 0.0;
    if (!rest_.empty())
      return static_cast<double>(rest_.consume_front());
    if (setting.otherwise)
      return *setting.otherwise;
    return node_.fail("attribute '" + name_ + "' has no number for " +
                      function.name);
  }

private:
  NodeImporter &node_;
  StringRef name_;
  ArrayRef<float> rest_;
};

Expected<SmallVector<StringRef>> readNames(NodeImporter &node,
                                           ArrayRef<StringRef> defaults,
                                           int64_t directions) {
  SmallVector<StringRef> names;
  const Attribute *given = node.attribute("activations");
  size_t count = given ? given->strings.size() : defaults.size();
  size_t all = defaults.size() * static_cast<size_t>(directions);
  if (count != defaults.size() && count != all)
    return node.fail("attribute 'activations' has " + Twine(count) +
                     " names, expected " + Twine(all));
  for (size_t i = 0; i < all; ++i)
    names.push_back(given ? StringRef(given->strings[i % count])
                          : defaults[i % count]);
  return names;
}

std::string knownNames() {
  SmallVector<StringRef> names;
  for (const RecurrentFunction &function : kFunctions)
    names.push_back(function.name);
  return join(names, ", ");
}

} // namespace

Operand RecurrentActivation::apply(TensorBuilder &b, Operand x) const {
  if (clip)
    x = b.binary(Binary::Min, b.binary(Binary::Max, x, -*clip), *clip);
  return function->apply(b, x, alpha, beta);
}

Expected<SmallVector<RecurrentActivation>>
readActivations(NodeImporter &node, ArrayRef<StringRef> defaults,
                int64_t directions) {
  std::optional<double> clip;
  if (node.attribute("clip"))
    clip = node.floatAttr("clip", 0.0);
  if (clip && !(*clip > 0.0))
    return node.fail("attribute 'clip' is not above 0");
  MPC_TRY_ASSIGN(auto names, readNames(node, defaults, directions));
  SettingReader alphas(node, "activation_alpha"),
      betas(node, "activation_beta");
  SmallVector<RecurrentActivation> activations;
  for (StringRef name : names) {
    const RecurrentFunction *function = findFunction(name);
    if (!function)
      return node.fail("activation '" + printable(name) +
                       "' is unknown, expected one of " + knownNames());
    MPC_TRY_ASSIGN(double alpha, alphas.next(*function, function->alpha));
    MPC_TRY_ASSIGN(double beta, betas.next(*function, function->beta));
    activations.push_back({function, alpha, beta, clip});
  }
  return activations;
}

} // namespace mpc::onnx
