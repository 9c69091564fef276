// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Descriptions of tensors in the types of C.
#ifndef MPC_RUNTIME_CAPI_TENSORINFO_H
#define MPC_RUNTIME_CAPI_TENSORINFO_H

#include "mpc-c/Tensor.h"
#include "runtime/CAPI/Boundary.h"
#include "runtime/Support/DType.h"

namespace mpc::rt {

static_assert(int(MPC_DTYPE_F64) == int(DType::F64) &&
              int(MPC_DTYPE_F32) == int(DType::F32) &&
              int(MPC_DTYPE_F16) == int(DType::F16) &&
              int(MPC_DTYPE_BF16) == int(DType::BF16) &&
              int(MPC_DTYPE_I64) == int(DType::I64) &&
              int(MPC_DTYPE_I32) == int(DType::I32) &&
              int(MPC_DTYPE_I16) == int(DType::I16) &&
              int(MPC_DTYPE_I8) == int(DType::I8) &&
              int(MPC_DTYPE_U8) == int(DType::U8) &&
              int(MPC_DTYPE_BOOL) == int(DType::Bool) &&
              int(MPC_DTYPE_U16) == int(DType::U16) &&
              int(MPC_DTYPE_U32) == int(DType::U32) &&
              int(MPC_DTYPE_U64) == int(DType::U64));

/// Fills in the description of `desc`, which must live as long as the handle
/// that was asked.
inline Status fillTensor(const TensorDesc &desc, MpcTensorInfo *info) {
  MpcTensorInfo known = {};
  known.name = desc.name.c_str();
  known.dtype = static_cast<MpcDType>(desc.dtype);
  known.rank = static_cast<int32_t>(desc.shape.size());
  known.shape = desc.shape.empty() ? nullptr : desc.shape.data();
  known.bytes = desc.numBytes();
  return fillInfo("info", known, info);
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_TENSORINFO_H
