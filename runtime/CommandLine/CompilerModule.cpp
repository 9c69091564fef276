// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading of a tool's compiler.
#include "runtime/CommandLine/CompilerModule.h"

#include "runtime/Support/Text.h"

#include <dlfcn.h>
#include <filesystem>

namespace mpc::rt {

namespace fs = std::filesystem;

CompilerModule::CompilerModule(const std::string &name) {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  path_ = program.parent_path().parent_path() / "lib/mpc" / (name + ".so");
}

Result<void *> CompilerModule::findAddress(const char *name) const {
  void *module = ::dlopen(path_.c_str(), RTLD_LAZY | RTLD_LOCAL);
  void *address = module ? ::dlsym(module, name) : nullptr;
  if (!address)
    return environmentError("the compiler cannot be loaded: " +
                            escape(::dlerror()));
  return address;
}

} // namespace mpc::rt
