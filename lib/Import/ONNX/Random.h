// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rules of ops that draw random numbers.
#ifndef MPC_LIB_IMPORT_ONNX_RANDOM_H
#define MPC_LIB_IMPORT_ONNX_RANDOM_H

#include "lib/Import/ONNX/NodeImporter.h"

namespace mpc::onnx {

llvm::ArrayRef<OpRule> randomRules();

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_RANDOM_H
