// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Keeps compiled programs, so that equal compilations are done once: see
/// docs/rationale/program.md.
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

/// Everything on which the result of a compilation depends, beside this
/// compiler.
struct CompileKey {
  /// The module as imported, with its amp.recipe. The values of parameters are
  /// not in it.
  mlir::ModuleOp module;
  std::string passes; ///< The pipeline as text: see passesOf().
  std::string cpu;    ///< The CPU: see TargetOptions::cpu.
};

using CompileFunction =
    std::function<rt::Result<std::shared_ptr<rt::Program>>()>;

/// The program kept under `key`, else the result of `compile`, which is then
/// kept. Where the cache cannot be used there is a warning with the reason. A
/// kept program repeats the warnings of its compilation.
rt::Result<std::shared_ptr<rt::Program>>
compileOnce(const CompileKey &key, const CompileFunction &compile,
            std::vector<std::string> &warnings);

} // namespace mpc

#endif // MPC_LIB_DRIVER_COMPILECACHE_H
