// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags for facts that a model's file leaves open, on a command line.
#ifndef MPC_LIB_DRIVER_FLAGS_IMPORTFLAGS_H
#define MPC_LIB_DRIVER_FLAGS_IMPORTFLAGS_H

#include "lib/Driver/ImportFlags.h"

#include <CLI/CLI.hpp>

namespace mpc {

/// --input-shape and --input-value, which all tools have.
void addInputShapeFlag(CLI::App &app, ImportFlags &flags);
/// --parameter, --buffer and --constant, which all tools have.
void addRoleFlags(CLI::App &app, ImportFlags &flags);
/// --frozen-batch-norm and --no-grad, which all tools have.
void addModeFlags(CLI::App &app, ImportFlags &flags);
/// --op-library, which all tools have.
void addOpLibraryFlag(CLI::App &app, ImportFlags &flags);
/// --batch-size, for tools that read no data in batches.
void addBatchSizeFlag(CLI::App &app, ImportFlags &flags);

} // namespace mpc

#endif // MPC_LIB_DRIVER_FLAGS_IMPORTFLAGS_H
