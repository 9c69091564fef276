/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Errors of the C ABI. */
#ifndef MPC_C_ERROR_H
#define MPC_C_ERROR_H

#include "mpc-c/Export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The reason why a call failed: a message in the user's names, and the kind of
 * fault. The caller destroys it. */
typedef struct MpcError MpcError;

/* The kind of fault. The numbers are exit codes of the command-line tools. */
typedef enum MpcErrorCode MPC_INT_ENUM {
  MPC_ERROR_NONE = 0,          /* No fault: the error is NULL. */
  MPC_ERROR_INVALID_INPUT = 1, /* A file or a tensor is wrong. */
  MPC_ERROR_USAGE = 2, /* The call is wrong, or was made at the wrong time. */
  MPC_ERROR_ENVIRONMENT = 3, /* Disk, memory, processor or permission failed. */
  MPC_ERROR_PEER = 4,        /* Another process of this training failed. */
  MPC_ERROR_DIVERGED = 5,    /* The training diverged. */
  MPC_ERROR_INTERNAL = 70    /* A bug of this library. */
} MpcErrorCode;

/* The code; MPC_ERROR_NONE for NULL, and MPC_ERROR_USAGE for a handle that is
 * no error. */
MPC_EXPORT MpcErrorCode mpcErrorGetCode(const MpcError *error);

/* The message without a line break, which is valid until the error is
 * destroyed. It is empty for NULL; for a handle that is no error it says so. */
MPC_EXPORT const char *mpcErrorGetMessage(const MpcError *error);

/* Creates an error for another library on top of this ABI, as libmpc-compiler,
 * or for a callback; never NULL. `message` may be NULL. MPC_ERROR_NONE becomes
 * MPC_ERROR_INTERNAL. */
MPC_EXPORT MpcError *mpcErrorCreate(MpcErrorCode code, const char *message);

/* Destroys the error. NULL, and a handle that is no error, are ignored. */
MPC_EXPORT void mpcErrorDestroy(MpcError *error);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_ERROR_H */
