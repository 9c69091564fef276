// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads a recorded optimizer case (mpc-optimizer-step/1).
#ifndef MPC_LIB_DRIVER_OPTIMIZERCASEFILE_H
#define MPC_LIB_DRIVER_OPTIMIZERCASEFILE_H

#include "dialects/AMP/Recipe.h"
#include "runtime/LossScale/PolicyInfo.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Status.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mpc {

/// A parameter of the case.
struct CaseParameter {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<float> values;
  /// For each step, whether the parameter has a gradient.
  std::vector<bool> present;

  bool isEverPresent() const { return llvm::is_contained(present, true); }
  bool isAlwaysPresent() const { return !llvm::is_contained(present, false); }
};

struct OptimizerCase {
  std::vector<CaseParameter> parameters;
  rt::PolicyKind policy = rt::PolicyKind::Torch;
  double lr = 1e-3;
  nlohmann::json steps; ///< The steps as the file has them.
  /// For each of the recipe's gradient_sets and each step, whether its
  /// parameters have gradients.
  std::vector<std::vector<bool>> present;
};

/// Checks everything but the values of gradients. The way in which steps are
/// made is written to `recipe`.
rt::Result<OptimizerCase> readOptimizerCase(std::string_view text,
                                            amp::RecipeOp recipe);

/// Writes the elements of input "grad.<parameter>" of one step to `target`:
/// those of batch `batch` where the step has several, zeros where there are
/// none.
rt::Status readCaseGradient(const nlohmann::json &gradients,
                            const rt::TensorDesc &desc, int64_t batch,
                            void *target);

/// A number as JSON; a string where JSON lacks the number.
nlohmann::json toCaseNumber(double value);

} // namespace mpc

#endif // MPC_LIB_DRIVER_OPTIMIZERCASEFILE_H
