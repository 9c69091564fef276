// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Gives every graph input a static shape: what the file says, filled up by
/// --input-shape and --batch-size.
#ifndef MPC_LIB_IMPORT_ONNX_GRAPHINPUTS_H
#define MPC_LIB_IMPORT_ONNX_GRAPHINPUTS_H

#include "lib/Import/ImportError.h"
#include "lib/Import/Model.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::onnx {

/// The graph's inputs, without those that initializers give a value.
std::vector<const ValueInfo *> trueInputs(const Graph &graph);

/// That an input has a dimension whose size neither the file nor a flag says.
class OpenDimension : public llvm::ErrorInfo<OpenDimension, ImportError> {
public:
  static char ID;

  explicit OpenDimension(std::string message)
      : ErrorInfo(ImportFault::Input, std::move(message)) {}
};

/// The static shapes of `inputs`, in their order; what symbols stand for goes
/// into `symbols`. Fails with OpenDimension where one is left open.
llvm::Expected<std::vector<Shape>>
resolveInputShapes(const Model &model, llvm::ArrayRef<const ValueInfo *> inputs,
                   const ModelOptions &options,
                   llvm::StringMap<int64_t> &symbols);

/// `options` with sizes for every dimension that they leave open: `batch` for
/// the first one of an input, `size` for others. Nothing where `options` are at
/// fault.
std::optional<ModelOptions> withSizes(const Model &model,
                                      const ModelOptions &options,
                                      int64_t batch, int64_t size);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_GRAPHINPUTS_H
