// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Roles and records of state tensors in the types of C.
#ifndef MPC_RUNTIME_CAPI_STATEINFO_H
#define MPC_RUNTIME_CAPI_STATEINFO_H

#include "mpc-c/Program.h"
#include "runtime/Program/StateRole.h"

#include <string>

namespace mpc::rt {

static_assert(int(MPC_STATE_PARAMETER) == int(StateRole::Parameter) &&
              int(MPC_STATE_LOW_PRECISION) == int(StateRole::LowPrecision) &&
              int(MPC_STATE_GRADIENT) == int(StateRole::Gradient) &&
              int(MPC_STATE_SLOT) == int(StateRole::Slot) &&
              int(MPC_STATE_BUFFER) == int(StateRole::Buffer) &&
              int(MPC_STATE_LOSS_SCALE) == int(StateRole::LossScale) &&
              int(MPC_STATE_OPTIMIZER) == int(StateRole::Optimizer) &&
              int(MPC_STATE_HYPER_PARAMETER) ==
                  int(StateRole::Hyperparameters) &&
              int(MPC_STATE_SETTING) == int(StateRole::Setting) &&
              int(MPC_STATE_AVERAGE) == int(StateRole::Average) &&
              int(MPC_STATE_PENDING) == int(StateRole::Pending));

/// The record of the tensor `name`. The strings must outlive the record.
/// `tensor` is a StateTensor or a TensorRecord.
template <typename Tensor>
MpcStateRecord recordInfo(const std::string &name, const Tensor &tensor) {
  return {sizeof(MpcStateRecord), name.c_str(),
          static_cast<MpcStateRole>(tensor.role), tensor.owner.c_str(),
          tensor.key.c_str()};
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_STATEINFO_H
