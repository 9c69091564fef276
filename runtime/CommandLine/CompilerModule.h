// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The part of a tool that contains the compiler, loaded where it is needed.
#ifndef MPC_RUNTIME_COMMANDLINE_COMPILERMODULE_H
#define MPC_RUNTIME_COMMANDLINE_COMPILERMODULE_H

#include "runtime/Support/Status.h"

#include <string>

namespace mpc::rt {

/// A module in lib/mpc, beside the folder of this program. Loading it takes
/// longer than a start without it, because LLVM has 350,000 relocations.
class CompilerModule {
public:
  explicit CompilerModule(const std::string &name);

  /// The path of the module's file.
  [[nodiscard]] const std::string &path() const { return path_; }

  /// The module's function of that name, whose type is `Function`. The first
  /// call loads the module, which then stays.
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
