// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One evaluation of a program on a file of inputs: mpc-eval and mpc-run.
#ifndef MPC_RUNTIME_TRAIN_EVALUATION_H
#define MPC_RUNTIME_TRAIN_EVALUATION_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mpc::rt {

struct EvaluationRequest {
  std::string inputsPath;  ///< "-" is standard input.
  std::string outputsPath; ///< "-" is standard output; empty: nothing.
  std::string initPath;    ///< Weights by name; empty: the program's own.
  bool averaged = false;   ///< Take the averages (NAME/ema) of initPath.
  std::string expectPath;  ///< Reference values; empty: no comparison.
  double rtol = 1e-5;      ///< Relative to a tensor's largest element.
  double atol = 0.0;
  uint64_t seed = 0;
  RunnerOptions runner;
};

/// What a comparison found of one tensor.
struct Comparison {
  std::string name;
  double largestError = 0.0; ///< Largest |ours - reference|.
  double largestValue = 0.0; ///< Largest |reference|.
  bool passed = false;
};

struct EvaluationReport {
  std::vector<Comparison> comparisons;
  /// Tensors of the reference that were not computed, and so not compared.
  std::vector<std::string> notComputed;
  std::vector<std::string> warnings; ///< Of the device that it ran on.
  [[nodiscard]] bool passed() const;
};

/// Runs the program's evaluation on `inputs`, the opened request.inputsPath. A
/// comparison that does not pass is no error: see the report.
Result<EvaluationReport> evaluate(std::shared_ptr<const Program> program,
                                  const SafetensorsFile &inputs,
                                  const EvaluationRequest &request);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_EVALUATION_H
