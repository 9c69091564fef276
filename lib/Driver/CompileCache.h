// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compilations that need not be done again: see docs/rationale/program.md.
#ifndef MPC_LIB_DRIVER_COMPILECACHE_H
#define MPC_LIB_DRIVER_COMPILECACHE_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mpc {

/// All that a compilation's result is a function of, beside this compiler.
struct CompileKey {
  /// As imported, with its amp.recipe: the values are outside of it.
  mlir::ModuleOp module;
  std::string passes; ///< See passesOf().
  std::string cpu;    ///< TargetOptions::cpu.
};

using CompileFunction =
    std::function<rt::Result<std::shared_ptr<rt::Program>>()>;

/// The program that is kept under `key`, else what `compile` makes, which is
/// kept then. Why the cache cannot be used is a warning, as are those of the
/// compilation that is not repeated.
rt::Result<std::shared_ptr<rt::Program>>
compileOnce(const CompileKey &key, const CompileFunction &compile,
            std::vector<std::string> &warnings);

} // namespace mpc

#endif // MPC_LIB_DRIVER_COMPILECACHE_H
