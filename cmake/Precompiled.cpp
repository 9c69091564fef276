// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The file for which the precompiled headers are made.
#include "cmake/Precompiled.h"
