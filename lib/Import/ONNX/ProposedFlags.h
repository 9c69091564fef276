// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Flags that a user is told of where a model leaves dimensions open.
#ifndef MPC_LIB_IMPORT_ONNX_PROPOSEDFLAGS_H
#define MPC_LIB_IMPORT_ONNX_PROPOSEDFLAGS_H

#include "lib/Import/Model.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Flags beyond `options` by which the model imports, as "--batch-size=8". They
/// are found by trying, since a model may hold sizes that nothing says but a
/// node deep inside: `imports` tells whether the model imports with the options
/// that it is given. Empty where none of few is found.
std::string
proposeFlags(const Model &model, const ModelOptions &options,
             llvm::function_ref<bool(const ModelOptions &)> imports);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PROPOSEDFLAGS_H
