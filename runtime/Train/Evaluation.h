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
  std::string outputsPath; ///< "-" is standard output; empty for no output.
  /// The file of weights; empty: the program's own values.
  std::string initPath;
  /// Whether to take the averages (NAME/ema) in initPath.
  bool averaged = false;
  /// The file of reference values; empty: no comparison.
  std::string expectPath;
  double rtol = 1e-5; ///< The tolerance relative to a tensor's largest element.
  double atol = 0.0;
  uint64_t seed = 0;
  RunnerOptions runner;
};

/// The result of comparing one tensor.
struct Comparison {
  std::string name;
  double largestError = 0.0; ///< The largest |result - reference|.
  double largestValue = 0.0; ///< The largest |reference|.
  bool passed = false;
};

struct EvaluationReport {
  std::vector<Comparison> comparisons;
  /// The reference's tensors that were not computed, and so not compared.
  std::vector<std::string> notComputed;
  std::vector<std::string> warnings; ///< Warnings of the device that ran it.
  [[nodiscard]] bool passed() const;
};

/// Runs the program's evaluation on `inputs`, the opened request.inputsPath. A
/// failed comparison is not an error but a part of the report.
Result<EvaluationReport> evaluate(std::shared_ptr<const Program> program,
                                  const SafetensorsFile &inputs,
                                  const EvaluationRequest &request);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_EVALUATION_H
