/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The structs by which DLPack (https://dmlc.github.io/dlpack) hands tensors
 * from one library to another, of version 1: as much of them as tensors in the
 * memory of a CPU or an NVIDIA GPU need. Where <dlpack/dlpack.h> is included
 * before, its own are used; after this header it has no effect.
 */
#ifndef MPC_C_DLPACK_H
#define MPC_C_DLPACK_H

#ifdef DLPACK_DLPACK_H_
#ifndef DLPACK_MAJOR_VERSION
#error "mpc needs DLPack 1.0 or newer"
#endif
#else
#define DLPACK_DLPACK_H_

#include "mpc-c/Export.h"

#include <stdint.h>

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 0

#ifdef __cplusplus
extern "C" {
#endif

/* The version of a tensor's producer. Another major version has another layout
 * after the deleter. */
typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

/* A producer may write a device type of a later version. */
typedef enum MPC_INT_ENUM {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3 /* Memory of the CPU, pinned for a GPU. */
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLBfloat = 4U,
  kDLBool = 6U
} DLDataTypeCode;

/* An element type: a DLDataTypeCode, its bits, and 1, since it is no vector. */
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

/* A view of a tensor with another owner. */
typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;     /* In elements; NULL for row-major without gaps */
  uint64_t byte_offset; /* Bytes from `data` to the first element */
} DLTensor;

/* A tensor with the function that gives it back, as before version 1. */
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self); /* May be NULL. */
} DLManagedTensor;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

/* A managed tensor since version 1. Version, context and deleter keep their
 * places in all later versions. */
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self); /* May be NULL. */
  uint64_t flags; /* DLPACK_FLAG_BITMASK_... */
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
}
#endif

#endif /* DLPACK_DLPACK_H_ */
#endif /* MPC_C_DLPACK_H */
