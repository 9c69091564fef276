// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The part of a tool that has the compiler, loaded where it is needed.
#ifndef MPC_RUNTIME_COMMANDLINE_COMPILERMODULE_H
#define MPC_RUNTIME_COMMANDLINE_COMPILERMODULE_H

#include "runtime/Support/Status.h"

#include <string>

namespace mpc::rt {

/// A module of ours in lib/mpc, beside the folder of this program. Loading it
/// takes longer than a start without it: LLVM has 350,000 relocations.
class CompilerModule {
public:
  explicit CompilerModule(const std::string &name);

  /// The module's file.
  [[nodiscard]] const std::string &path() const { return path_; }

  /// Its function of that name, whose type is that of `Function`. The module is
  /// loaded by the first call, and stays.
  template <typename Function>
  Result<Function *> find(const char *name) const {
    MPC_ASSIGN_OR_RETURN(void *address, findAddress(name));
    return reinterpret_cast<Function *>(address);
  }

private:
  Result<void *> findAddress(const char *name) const;

  std::string path_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_COMPILERMODULE_H
