// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Gives every graph input a static shape: the file's, completed by
/// --input-shape and --batch-size.
#ifndef MPC_LIB_IMPORT_ONNX_GRAPHINPUTS_H
#define MPC_LIB_IMPORT_ONNX_GRAPHINPUTS_H

#include "lib/Import/ImportError.h"
#include "lib/Import/Model.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::onnx {

/// The graph's inputs, without those whose value is an initializer.
std::vector<const ValueInfo *> trueInputs(const Graph &graph);

/// An input has a dimension whose size neither the file nor a flag gives.
class OpenDimension : public llvm::ErrorInfo<OpenDimension, ImportError> {
public:
  static char ID;

  explicit OpenDimension(std::string message)
      : ErrorInfo(ImportFault::Input, std::move(message)) {}
};

/// The static shapes of `inputs`, in their order. The sizes of symbols are
/// added to `symbols`. Fails with OpenDimension where a dimension stays open.
llvm::Expected<std::vector<Shape>>
resolveInputShapes(const Model &model, llvm::ArrayRef<const ValueInfo *> inputs,
                   const ModelOptions &options,
                   llvm::StringMap<int64_t> &symbols);

/// `options` with sizes for every open dimension: `batch` for the first
/// dimension of an input, `size` for others. Empty where `options` are wrong.
std::optional<ModelOptions> withSizes(const Model &model,
                                      const ModelOptions &options,
                                      int64_t batch, int64_t size);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_GRAPHINPUTS_H
