// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One evaluation of a model on a file of inputs: what mpc-eval does.
#ifndef MPC_LIB_DRIVER_EVAL_H
#define MPC_LIB_DRIVER_EVAL_H

#include "lib/Driver/Recipe.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Train/Evaluation.h"

namespace mpc {

struct EvalRequest {
  std::string modelPath;
  /// In place of the file, which modelPath names in messages then; or null.
  std::shared_ptr<const ModelBytes> modelBytes = nullptr;
  ImportOptions importOptions;
  EvalOptions options;
  /// Of its clauses the precision counts, and --loss where it is given.
  RecipeFlags recipe;
  std::string explainPath;   ///< Empty: nothing is explained; "-": stdout.
  rt::EvaluationRequest run; ///< Without inputs: only explain.
};

struct EvalReport {
  std::vector<std::string> warnings;
  rt::EvaluationReport results;
};

/// The program of an evaluation, with the model's values; `targetShape` is that
/// of the labels, empty where it is not known. Explains where that is asked
/// for.
rt::Result<std::shared_ptr<rt::Program>>
compileEvalProgram(const EvalRequest &request,
                   const std::vector<int64_t> &targetShape,
                   std::vector<std::string> &warnings);

/// The same for each of `levels`, where requests are one for several shapes;
/// `warnings` are those of the first level.
rt::Result<rt::ProgramVariants>
compileEvalPrograms(std::vector<EvalRequest> requests,
                    const std::vector<std::string> &levels,
                    std::vector<std::string> &warnings);

/// The precisions of the model and of its loss, as evaluate() explains them
/// without inputs.
rt::Result<Explanation> explainEval(const EvalRequest &request,
                                    std::vector<std::string> &warnings);

/// Compiles and evaluates.
rt::Result<EvalReport> evaluate(const EvalRequest &request);

} // namespace mpc

#endif // MPC_LIB_DRIVER_EVAL_H
