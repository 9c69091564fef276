// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checks that a file states nothing twice with different contents, and nothing
/// twice that may be stated once.
#ifndef MPC_LIB_IMPORT_ONNX_READ_MODELCHECKS_H
#define MPC_LIB_IMPORT_ONNX_READ_MODELCHECKS_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// The newest versions that this importer knows. In a newer file the same words
/// may have another meaning.
constexpr int64_t kNewestIrVersion = 14;
/// The oldest opset. Few ops of older files have a known form.
constexpr int64_t kOldestOpset = 1;
constexpr int64_t kNewestOpset = 28;

/// Checks versions; that names are unique; that every value is defined before
/// it is used; and that declared types agree.
llvm::Error checkModel(const Model &model);

/// The version of ai.onnx that the file imports, after checkModel has passed.
int64_t opsetOf(const Model &model);
/// The version of the node's domain; that of ai.onnx where the file does not
/// import the domain.
int64_t opsetOf(const Model &model, const Node &node);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_MODELCHECKS_H
