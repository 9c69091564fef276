// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked into a tool, makes it find a smaller CPU than there is: one without
// the features, separated by commas, that MPC_TEST_CPU_LACKS names.
#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <dlfcn.h>

/// Takes the place of LLVM's, which is in a shared library.
llvm::StringMap<bool> llvm::sys::getHostCPUFeatures() {
  using Function = llvm::StringMap<bool> (*)();
  auto real = reinterpret_cast<Function>(
      dlsym(RTLD_NEXT, "_ZN4llvm3sys18getHostCPUFeaturesEv"));
  if (!real)
    std::abort();
  llvm::StringMap<bool> features = real();
  llvm::StringRef lacking = std::getenv("MPC_TEST_CPU_LACKS");
  while (!lacking.empty()) {
    auto [first, rest] = lacking.split(',');
    features[first] = false;
    lacking = rest;
  }
  return features;
}
