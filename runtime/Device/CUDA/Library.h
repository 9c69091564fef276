// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A shared library opened at run time.
#ifndef MPC_RUNTIME_DEVICE_CUDA_LIBRARY_H
#define MPC_RUNTIME_DEVICE_CUDA_LIBRARY_H

#include "runtime/Support/Status.h"

#include <string>
#include <utility>
#include <vector>

namespace mpc::rt::cuda {

/// Owns one dlopen. Movable.
class Library {
public:
  /// Opens the first of `names` (a soname or a path) that can be opened. The
  /// error lists each name that was tried, with the loader's reason.
  static Result<Library> open(const std::vector<std::string> &names);

  Library(Library &&other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)),
        name_(std::move(other.name_)) {}
  Library &operator=(Library &&other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(name_, other.name_);
    return *this;
  }
  ~Library();

  /// The name that was opened.
  [[nodiscard]] const std::string &name() const { return name_; }

  /// Stores the address of `symbol` in `function`.
  template <typename Function>
  Status find(const char *symbol, Function *&function) const {
    MPC_ASSIGN_OR_RETURN(void *address, address(symbol));
    function = reinterpret_cast<Function *>(address);
    return Status();
  }

private:
  Library(void *handle, std::string name)
      : handle_(handle), name_(std::move(name)) {}
  [[nodiscard]] Result<void *> address(const char *symbol) const;

  void *handle_;
  std::string name_;
};

} // namespace mpc::rt::cuda

#endif // MPC_RUNTIME_DEVICE_CUDA_LIBRARY_H
