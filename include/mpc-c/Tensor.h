/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptions of tensors. Their memory is passed by DLPack's structs
 * (DLPack.h). */
#ifndef MPC_C_TENSOR_H
#define MPC_C_TENSOR_H

#include "mpc-c/Export.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element types, with DLPack's code and bits. */
typedef enum MpcDType MPC_INT_ENUM {
  MPC_DTYPE_F64 = 0,  /* kDLFloat, 64 */
  MPC_DTYPE_F32 = 1,  /* kDLFloat, 32 */
  MPC_DTYPE_F16 = 2,  /* kDLFloat, 16 */
  MPC_DTYPE_BF16 = 3, /* kDLBfloat, 16 */
  MPC_DTYPE_I64 = 4,  /* kDLInt, 64 */
  MPC_DTYPE_I32 = 5,  /* kDLInt, 32 */
  MPC_DTYPE_I16 = 6,  /* kDLInt, 16 */
  MPC_DTYPE_I8 = 7,   /* kDLInt, 8 */
  MPC_DTYPE_U8 = 8,   /* kDLUInt, 8 */
  MPC_DTYPE_BOOL = 9, /* kDLBool, 8: 0 or 1 */
  MPC_DTYPE_U16 = 10, /* kDLUInt, 16 */
  MPC_DTYPE_U32 = 11, /* kDLUInt, 32 */
  MPC_DTYPE_U64 = 12  /* kDLUInt, 64 */
} MpcDType;

/* An input or output of an entry, or a tensor of the state. */
typedef struct MpcTensorInfo {
  size_t structSize;
  const char *name;
  MpcDType dtype;
  int32_t rank; /* 0 for a scalar. */
  /* `rank` sizes; NULL for a scalar. Lives as long as `name`. */
  const int64_t *shape;
  uint64_t bytes; /* The bytes of all elements, without gaps. */
} MpcTensorInfo;

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_TENSOR_H */
