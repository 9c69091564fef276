// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A recorded optimizer case: what it asks of the compiler and what the
/// reference did.
#ifndef MPC_TEST_PASSES_AMP_OPTIMIZERCASE_H
#define MPC_TEST_PASSES_AMP_OPTIMIZERCASE_H

#include "passes/AMP/Passes.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mpc::test {

struct OptimizerCase {
  explicit OptimizerCase(const std::string &path);

  nlohmann::json json;
  amp::BuildStepPassOptions options;
  float lr = 0;

  /// The module that amp-build-step starts with.
  [[nodiscard]] std::string moduleText() const;
  /// Bits of a tensor of the file.
  static std::vector<uint32_t> bits(const nlohmann::json &tensor);
  static std::vector<float> values(const nlohmann::json &tensor);
};

} // namespace mpc::test

#endif // MPC_TEST_PASSES_AMP_OPTIMIZERCASE_H
