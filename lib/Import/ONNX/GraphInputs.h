// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Gives every graph input a static shape: what the file says, filled up by
/// --input-shape and --batch-size.
#ifndef MPC_LIB_IMPORT_ONNX_GRAPHINPUTS_H
#define MPC_LIB_IMPORT_ONNX_GRAPHINPUTS_H

#include "lib/Import/ONNX/OnnxModel.h"
#include "lib/Import/ONNX/OnnxImporter.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::onnx {

/// The graph's inputs, without those that initializers give a value.
std::vector<const ValueInfo *> trueInputs(const Graph &graph);

/// The static shapes of `inputs`, in their order; what symbols stand for goes
/// into `symbols`.
llvm::Expected<std::vector<Shape>>
resolveInputShapes(const Model &model, llvm::ArrayRef<const ValueInfo *> inputs,
                   const ImportOptions &options,
                   llvm::StringMap<int64_t> &symbols);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_GRAPHINPUTS_H
