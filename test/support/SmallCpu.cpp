// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked into a tool, makes it find a smaller CPU than there is: one without
// the features, separated by commas, that MPC_TEST_CPU_LACKS names; or another
// one with the same features, which MPC_TEST_CPU_IDENTITY names.
#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

// The linker gives calls of mpc::rt::cpuIdentity to the first (--wrap).
std::string identity() asm("__wrap__ZN3mpc2rt11cpuIdentityB5cxx11Ev");
std::string ownIdentity() asm("__real__ZN3mpc2rt11cpuIdentityB5cxx11Ev");

std::string identity() {
  const char *other = std::getenv("MPC_TEST_CPU_IDENTITY");
  return other ? other : ownIdentity();
}

/// Takes the place of LLVM's, which is in a shared library.
llvm::StringMap<bool> llvm::sys::getHostCPUFeatures() {
  using Function = llvm::StringMap<bool> (*)();
  auto real = reinterpret_cast<Function>(
      dlsym(RTLD_NEXT, "_ZN4llvm3sys18getHostCPUFeaturesEv"));
  if (!real)
    std::abort();
  llvm::StringMap<bool> features = real();
  const char *names = std::getenv("MPC_TEST_CPU_LACKS");
  llvm::StringRef lacking = names ? names : "";
  while (!lacking.empty()) {
    auto [first, rest] = lacking.split(',');
    features[first] = false;
    lacking = rest;
  }
  return features;
}
