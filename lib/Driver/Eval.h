// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One evaluation of a model on a file of inputs: what mpc-eval does.
#ifndef MPC_LIB_DRIVER_EVAL_H
#define MPC_LIB_DRIVER_EVAL_H

#include "lib/Driver/Compile.h"

namespace mpc {

struct EvalRequest {
  std::string modelPath;
  ImportOptions importOptions;
  EvalOptions options;
  std::string inputsPath;  ///< "-" is standard input; empty: only explain.
  std::string outputsPath; ///< "-" is standard output; empty: nothing.
  std::string initPath;    ///< Weights by name; empty: the model's own.
  bool averaged = false;   ///< Take the averages (NAME/ema) of initPath.
  std::string expectPath;  ///< Reference values; empty: no comparison.
  std::string explainPath; ///< Empty: nothing is explained; "-": stdout.
  double rtol = 1e-5;      ///< Relative to a tensor's largest element.
  double atol = 0.0;
  uint64_t seed = 0;
  int threads = 0;
};

/// What a comparison found of one tensor.
struct Comparison {
  std::string name;
  double largestError = 0.0; ///< Largest |ours - reference|.
  double largestValue = 0.0; ///< Largest |reference|.
  bool passed = false;
};

struct EvalReport {
  std::vector<std::string> warnings;
  std::vector<Comparison> comparisons;
  /// Tensors of the reference that were not computed, and so not compared.
  std::vector<std::string> notComputed;
  [[nodiscard]] bool passed() const;
};

/// Evaluates. A comparison that does not pass is no error: see the report.
rt::Result<EvalReport> evaluate(const EvalRequest &request);

} // namespace mpc

#endif // MPC_LIB_DRIVER_EVAL_H
