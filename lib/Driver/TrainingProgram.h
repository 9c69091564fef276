// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From a model's file and the RECIPE flags to a complete training program:
/// what mpc-train runs and mpc-compile writes.
#ifndef MPC_LIB_DRIVER_TRAININGPROGRAM_H
#define MPC_LIB_DRIVER_TRAININGPROGRAM_H

#include "lib/Driver/Recipe.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mpc {

/// What a training is made of.
struct TrainingRequest {
  std::string modelPath;
  /// In place of the file, which modelPath names in messages then; or null.
  std::shared_ptr<const ModelBytes> modelBytes = nullptr;
  RecipeFlags recipe;
  /// Samples of a batch; several where the program is for several, none where
  /// it is left to the model.
  std::vector<int64_t> batchSizes;
  /// Where the data fills no whole batches the program is for its last one too.
  bool smallerLastBatch = false;
  /// Training data, whose labels' shape decides the class axis; empty for none.
  std::vector<std::string> dataFiles;
  std::vector<std::string> sharedInputs; ///< Those without a sample axis.
  /// CompileOptions of the same names, and the flag that asks for them.
  bool evaluates = false, measures = false;
  std::string evaluationFlag = "--with-eval";
};

/// A model and how it is to be trained.
struct TrainingPlan {
  ImportedModel model; ///< With its recipe.
  /// The same for batches of other shapes.
  std::vector<ImportedModel> otherShapes;
  int64_t batch = 0; ///< Samples of a batch of the model; 0 where it has none.
  CompileOptions options;
  bool hasOwnStep = false; ///< The module writes its step out.
  /// StepProtocol::floorName.
  std::string floorName{rt::settingKey(rt::Setting::MinScale)};
  /// What the model has values of is shared with it.
  std::vector<rt::InitialValue> initialValues;
  std::map<std::string, std::string> tied; ///< Program::tied.
};

/// Reads the model and checks that the flags go with it.
rt::Result<TrainingPlan> planTraining(const TrainingRequest &request,
                                      mlir::MLIRContext &context);

/// What is compiled of each shape as one program: of the model first.
rt::Result<std::shared_ptr<rt::Program>>
compileShapes(const TrainingPlan &plan,
              llvm::function_ref<rt::Result<std::shared_ptr<rt::Program>>(
                  const ImportedModel &)>
                  compile);

/// Compiles a copy of the model for `cpu`, which need not be this machine's
/// where `runsHere` is false; or takes what is kept of the same compilation.
rt::Result<std::shared_ptr<rt::Program>>
compileTrainingProgram(const TrainingPlan &plan, const std::string &cpu,
                       bool runsHere, CompileReport &report);

} // namespace mpc

#endif // MPC_LIB_DRIVER_TRAININGPROGRAM_H
