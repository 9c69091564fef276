// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tensors whose magnitudes the outputs of a probed entry are.
#ifndef MPC_RUNTIME_PROGRAM_PROBESITE_H
#define MPC_RUNTIME_PROGRAM_PROBESITE_H

#include "runtime/Support/DType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpc::rt {

/// A floating-point tensor of a step. An output of the probe is its largest
/// magnitude.
struct ProbeSite {
  std::string op; ///< "nn.matmul", or "input".
  /// The model's node, or the name of a parameter or an input.
  std::string node;
  std::string file; ///< "model.mlir:12"; empty where the model does not say.
  bool gradient = false; ///< Whether it belongs to the backward pass.
  /// The parameter whose gradient it is; empty for none.
  std::string parameter;
  TensorDesc desc;             ///< Type and shape; the name is empty.
  std::vector<int64_t> inputs; ///< The entry's earlier sites that its op reads.
  /// Whether its op reads a constant with infinities.
  bool readsInfinity = false;
  /// Whether the step checks or returns it, or changes its state by it.
  bool isUsed = false;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_PROBESITE_H
