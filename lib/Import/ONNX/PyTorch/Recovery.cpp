// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Restores parts of the graph in this order.
#include "lib/Import/ONNX/PyTorch/Recovery.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/PyTorch/AlphaDropout.h"
#include "lib/Import/ONNX/PyTorch/CallSettings.h"
#include "lib/Import/ONNX/PyTorch/CalledFunctions.h"
#include "lib/Import/ONNX/PyTorch/DetachedValues.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "lib/Import/ONNX/PyTorch/FakeQuantization.h"
#include "lib/Import/ONNX/PyTorch/MaskedExpressions.h"
#include "lib/Import/ONNX/PyTorch/MaskedWrites.h"
#include "lib/Import/ONNX/PyTorch/TrainingModes.h"
#include "lib/Import/ONNX/PyTorch/UntrackedParts.h"

using namespace llvm;

namespace mpc::onnx {

Expected<Recovered> recoverPyTorch(Model &model, const ModelOptions &options) {
  MPC_TRY_ASSIGN(
      NameChoice frozen,
      NameChoice::parse("--frozen-batch-norm", options.frozenBatchNorms));
  MPC_TRY_ASSIGN(NameChoice noGrad,
                 NameChoice::parse("--no-grad", options.noGrad));
  Recovered found;
  separateMerged(model.graph);
  found.warnings = restoreDetached(model.graph);
  restoreAlphaDropout(model.graph);
  TrainingModes modes = restoreTrainingModes(model.graph, frozen);
  append_range(found.warnings, modes.warnings);
  found.trainingWarnings = std::move(modes.trainingWarnings);
  UntrackedParts parts = restoreNoGrad(model.graph, noGrad);
  append_range(found.warnings, parts.warnings);
  found.gradientWarnings = std::move(parts.gradientWarnings);
  restoreMaskedExpressions(model.graph);
  restoreMaskedWrites(model.graph);
  restoreCalledFunctions(model.graph);
  restoreFakeQuantization(model.graph);
  restoreSettings(model.graph, model.producer == "pytorch");
  return found;
}

} // namespace mpc::onnx
