// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// LLVM's statistics as a release of LLVM has them, which passes hold: whether
/// they count is decided by NDEBUG, so that a build with assertions would lay
/// passes out otherwise than the library that constructs them. Included before
/// all else by such builds.
#ifndef MPC_CMAKE_LLVMSTATISTIC_H
#define MPC_CMAKE_LLVMSTATISTIC_H

#ifndef NDEBUG
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#endif

#endif // MPC_CMAKE_LLVMSTATISTIC_H
