// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// cuBLASLt as a table of functions found at run time, and its codes as
/// Statuses.
#ifndef MPC_RUNTIME_DEVICE_CUDA_CUBLASLT_H
#define MPC_RUNTIME_DEVICE_CUDA_CUBLASLT_H

#include "runtime/Device/CUDA/BlasApi.h"
#include "runtime/Device/CUDA/Context.h"
#include "runtime/Device/CUDA/Library.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpc::rt::cuda {

/// One pointer for each symbol of the library.
struct BlasTable {
#define MPC_MEMBER(name, ...) BlasCode (*name)(__VA_ARGS__) = nullptr;
  MPC_CUDA_BLAS_SYMBOLS(MPC_MEMBER)
#undef MPC_MEMBER
  size_t (*cublasLtGetVersion)() = nullptr;
  const char *(*cublasLtGetStatusString)(BlasCode) = nullptr;
};

/// The cuBLASLt of this machine.
class CublasLt {
public:
  /// The library that $MPC_CUBLASLT names, else that of CUDA 13 or 12. An error
  /// where there is none, and where MPC_CUBLASLT is "off".
  static Result<std::shared_ptr<const CublasLt>> open();

  /// Whether the user wants none: MPC_CUBLASLT is "off".
  static bool isOff();

  [[nodiscard]] const BlasTable &table() const { return table_; }
  /// The name by which it was found.
  [[nodiscard]] const std::string &name() const { return library_.name(); }
  /// "13.0.2".
  [[nodiscard]] const std::string &version() const { return version_; }
  /// Success, or the failure of `call`:
  /// "cublasLtMatmul failed: the operation is not supported (15)".
  [[nodiscard]] Status check(BlasCode code, std::string_view call) const;

private:
  explicit CublasLt(Library library) : library_(std::move(library)) {}
  static Result<std::shared_ptr<const CublasLt>>
  openFirst(const std::vector<std::string> &names);
  Status load();

  Library library_;
  BlasTable table_;
  std::string version_;
};

/// An object of the library that `Destroy` destroys. Movable; empty after a
/// move.
template <typename Handle, BlasCode (*BlasTable::*Destroy)(Handle)>
class BlasOwned {
public:
  BlasOwned() = default;
  BlasOwned(std::shared_ptr<const CublasLt> library, Handle handle)
      : library_(std::move(library)), handle_(handle) {}
  BlasOwned(BlasOwned &&other) noexcept
      : library_(std::move(other.library_)),
        handle_(std::exchange(other.handle_, Handle{})) {}
  BlasOwned &operator=(BlasOwned &&other) noexcept {
    std::swap(library_, other.library_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~BlasOwned() {
    if (handle_)
      (void)(library_->table().*Destroy)(handle_);
  }
  [[nodiscard]] Handle get() const { return handle_; }

private:
  std::shared_ptr<const CublasLt> library_;
  Handle handle_{};
};

/// The library's use of one device.
class BlasDevice {
public:
  static Result<std::shared_ptr<const BlasDevice>>
  create(std::shared_ptr<const CublasLt> library, ContextRef context);
  BlasDevice(const BlasDevice &) = delete;
  BlasDevice &operator=(const BlasDevice &) = delete;
  ~BlasDevice();

  [[nodiscard]] const std::shared_ptr<const CublasLt> &library() const {
    return library_;
  }
  [[nodiscard]] const ContextRef &context() const { return context_; }
  [[nodiscard]] BlasHandle handle() const { return handle_; }

private:
  BlasDevice(std::shared_ptr<const CublasLt> library, ContextRef context)
      : library_(std::move(library)), context_(std::move(context)) {}

  std::shared_ptr<const CublasLt> library_;
  ContextRef context_;
  BlasHandle handle_ = nullptr;
};

} // namespace mpc::rt::cuda

/// Returns from the enclosing function with a Status if the library refuses.
#define MPC_BLAS_RETURN_IF_ERROR(library, call, arguments)                     \
  do {                                                                         \
    const ::mpc::rt::cuda::CublasLt &mpcBlas = (library);                      \
    if (::mpc::rt::cuda::BlasCode mpcCode = mpcBlas.table().call arguments;    \
        mpcCode != ::mpc::rt::cuda::blas_code::kSuccess)                       \
      return mpcBlas.check(mpcCode, #call);                                    \
  } while (false)

#endif // MPC_RUNTIME_DEVICE_CUDA_CUBLASLT_H
