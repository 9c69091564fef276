// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a file says in two places must agree, and what it says once must be
/// there once.
#ifndef MPC_LIB_IMPORT_ONNX_READ_MODELCHECKS_H
#define MPC_LIB_IMPORT_ONNX_READ_MODELCHECKS_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// The versions that this importer was written against. A newer file may mean
/// something else by the same words.
constexpr int64_t kNewestIrVersion = 14;
/// Older files have few ops whose form is still known.
constexpr int64_t kOldestOpset = 1;
constexpr int64_t kNewestOpset = 28;

/// Checks versions, that names are unique, that every value is defined before
/// it is used, and that declared types agree with each other.
llvm::Error checkModel(const Model &model);

/// The version of ai.onnx that the file imports; checkModel passed.
int64_t opsetOf(const Model &model);
/// The version of the node's domain; of ai.onnx where the file does not say.
int64_t opsetOf(const Model &model, const Node &node);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_MODELCHECKS_H
