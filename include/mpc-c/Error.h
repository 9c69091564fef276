/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Errors of the C ABI. */
#ifndef MPC_C_ERROR_H
#define MPC_C_ERROR_H

#include "mpc-c/Export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call failed: a message in the user's names, and what is at fault. The
 * caller destroys it. */
typedef struct MpcError MpcError;

/* What is at fault. The numbers are exit codes of the command-line tools. */
typedef enum MpcErrorCode {
  MPC_ERROR_NONE = 0,          /* Nothing: the error is NULL. */
  MPC_ERROR_INVALID_INPUT = 1, /* A file or a tensor. */
  MPC_ERROR_USAGE = 2,         /* The call, or when it was made. */
  MPC_ERROR_ENVIRONMENT = 3,   /* Disk, memory, processor or permission. */
  MPC_ERROR_PEER = 4,          /* Another process of this training. */
  MPC_ERROR_DIVERGED = 5,      /* The training. */
  MPC_ERROR_INTERNAL = 70      /* This library. */
} MpcErrorCode;

/* The code; of NULL MPC_ERROR_NONE, of what is no error MPC_ERROR_USAGE. */
MPC_EXPORT MpcErrorCode mpcErrorGetCode(const MpcError *error);

/* The message, without a line's end, until the error is destroyed. Of NULL it
 * is empty; of what is no error it says so. */
MPC_EXPORT const char *mpcErrorGetMessage(const MpcError *error);

/* An error of another library over this ABI, as libmpc-compiler is, or of a
 * function that is called back; never NULL.
 * `message` may be NULL, and MPC_ERROR_NONE is taken for MPC_ERROR_INTERNAL. */
MPC_EXPORT MpcError *mpcErrorCreate(MpcErrorCode code, const char *message);

/* Gives the error back. Does nothing to NULL, and to what is no error. */
MPC_EXPORT void mpcErrorDestroy(MpcError *error);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_ERROR_H */
