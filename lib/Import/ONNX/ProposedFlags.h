// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Proposes flags to a user whose model leaves dimensions open.
#ifndef MPC_LIB_IMPORT_ONNX_PROPOSEDFLAGS_H
#define MPC_LIB_IMPORT_ONNX_PROPOSEDFLAGS_H

#include "lib/Import/Model.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Flags in addition to `options` with which the model can be imported, as
/// "--batch-size=8". They are found by trying, since only a node deep inside
/// may require certain sizes. `imports` tells whether the model can be imported
/// with given options. Empty where a few tries find none.
std::string
proposeFlags(const Model &model, const ModelOptions &options,
             llvm::function_ref<bool(const ModelOptions &)> imports);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PROPOSEDFLAGS_H
