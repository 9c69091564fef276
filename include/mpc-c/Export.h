/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every header of the C ABI shares. */
#ifndef MPC_C_EXPORT_H
#define MPC_C_EXPORT_H

/*
 * Rules of the C ABI, which hold for every function unless it says otherwise.
 *
 * Errors. A function returns NULL where it succeeded, else an error that the
 * caller owns (Error.h). What it was to write through its out-parameters is
 * then untouched. Nothing is printed, and nothing is thrown.
 *
 * Handles. MpcProgram, MpcRunner, MpcData, MpcEvaluation, MpcCheckpoints and
 * MpcError are names of objects and point to no memory. NULL, a handle that was
 * destroyed, and a handle of another kind are errors of code MPC_ERROR_USAGE,
 * never a crash.
 * `Create`, `Load` and `Open` give a handle to be destroyed, `Get` does not.
 * Destroying NULL does nothing.
 *
 * Strings are UTF-8 and end in a zero byte. Those that come from the library
 * live as long as the handle that they were asked of.
 *
 * Structs with a first field `structSize` have versions: set it to the struct's
 * size before the call (`MpcTensorInfo info = {.structSize = sizeof info};`).
 * New fields come at the end. A library that knows a longer struct takes zeros
 * for what the caller's lacks, and fills in what it has; one that knows a
 * shorter struct refuses what it does not know, unless that is zero, and zeroes
 * the rest of what it fills in.
 *
 * Threads. Functions of different handles may run at the same time, and so may
 * those that read one MpcProgram. A runner, data, an evaluation, a folder of
 * checkpoints and an error are for one thread at a time; of the first three one
 * that is in use by another thread is an error. No handle may be destroyed
 * while it is in use.
 *
 * Processes. After fork() a program may be used on both sides. A runner has
 * threads, which only the process has that created it: in the child its use is
 * an error, and destroying it there gives back nothing.
 *
 * Environment. Numbers are computed rounding to nearest even, with subnormals
 * and without traps, whatever mode the caller is in, and the caller's mode is
 * what it was afterwards. The locale decides nothing. The library reads no
 * environment variable, installs no signal handler, and keeps nothing for the
 * process but a table of the handles that live.
 */

#if defined(__GNUC__)
#define MPC_EXPORT __attribute__((visibility("default")))
#else
#define MPC_EXPORT
#endif

/* The type of an enumeration whose values callers pass, so that a number that
 * is none of them is an error and nothing undefined. C has that before C23. */
#if defined(__cplusplus) ||                                                    \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define MPC_INT_ENUM : int
#else
#define MPC_INT_ENUM
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that runs, as "0.1.0". Lives as long as the
 * library. */
MPC_EXPORT const char *mpcRuntimeVersion(void);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_EXPORT_H */
