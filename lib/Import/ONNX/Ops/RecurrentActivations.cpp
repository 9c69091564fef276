// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads the activation functions of recurrent layers from attributes.
#include "lib/Import/ONNX/Ops/RecurrentActivations.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Some exporters write names in lower case, and runtimes accept them.
const RecurrentFunction *findFunction(StringRef name) {
  const RecurrentFunction *found =
      find_if(recurrentFunctions(), [&](const auto &known) {
        return name.equals_insensitive(known.name);
      });
  return found == recurrentFunctions().end() ? nullptr : found;
}

std::string knownNames() {
  SmallVector<StringRef> names;
  for (const RecurrentFunction &function : recurrentFunctions())
    names.push_back(function.name);
  return join(names, ", ");
}

/// The numbers of an attribute. The functions with such a setting take them in
/// order.
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

} // namespace

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
