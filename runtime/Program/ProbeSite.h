// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the outputs of a probed entry tell of.
#ifndef MPC_RUNTIME_PROGRAM_PROBESITE_H
#define MPC_RUNTIME_PROGRAM_PROBESITE_H

#include "runtime/Support/DType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpc::rt {

/// A floating-point tensor of a step, whose largest magnitude an output is.
struct ProbeSite {
  std::string op;   ///< "nn.matmul", or "input".
  std::string node; ///< Of the model, or the name of a parameter or an input.
  std::string file; ///< "model.mlir:12"; empty where the model does not say.
  bool gradient = false; ///< Of the backward pass.
  std::string parameter; ///< Whose gradient it is; empty for none.
  TensorDesc desc;       ///< Its name is empty.
  std::vector<int64_t>
      inputs; ///< Earlier sites of the entry: its op reads them.
  bool readsInfinity = false; ///< Its op reads a constant that has infinities.
  /// The step checks or returns it, or changes its state by it.
  bool isUsed = false;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_PROBESITE_H
