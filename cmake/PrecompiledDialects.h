// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Precompiled.h and the ops of our own dialects, parsed once: what a file of
/// passes or code generation costs to compile is for the most part these
/// headers. A change of one op then makes every file anew, so that
/// MPC_PRECOMPILE_DIALECTS is off in development.
#ifndef MPC_CMAKE_PRECOMPILEDDIALECTS_H
#define MPC_CMAKE_PRECOMPILEDDIALECTS_H

#include "cmake/Precompiled.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/NNDialect.h"

#endif // MPC_CMAKE_PRECOMPILEDDIALECTS_H
