// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dlopen, dlsym and dlclose with errors as values.
#include "runtime/Device/CUDA/Library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace mpc::rt::cuda {
namespace {

std::string loaderError() {
  const char *text = ::dlerror();
  return text ? text : "unknown error of the loader";
}

} // namespace

Result<Library> Library::open(const std::vector<std::string> &names) {
  std::string reasons;
  for (const std::string &name : names) {
    // A driver has threads and handlers that outlive our use of it. The library
    // therefore stays loaded after it is closed.
    if (void *handle =
            ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
      return Library(handle, name);
    reasons += (reasons.empty() ? "" : "; ") + loaderError();
  }
  return environmentError(reasons);
}

Library::~Library() {
  if (handle_)
    ::dlclose(handle_);
}

Result<void *> Library::address(const char *symbol) const {
  if (void *found = ::dlsym(handle_, symbol))
    return found;
  return environmentError(
      fmt::format("{} has no symbol '{}': it is too old", name_, symbol));
}

} // namespace mpc::rt::cuda
