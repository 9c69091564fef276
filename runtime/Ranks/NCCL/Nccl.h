// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// NCCL as a table of functions found at run time, and its codes as Statuses.
#ifndef MPC_RUNTIME_RANKS_NCCL_NCCL_H
#define MPC_RUNTIME_RANKS_NCCL_NCCL_H

#include "runtime/Device/CUDA/Library.h"
#include "runtime/Ranks/NCCL/Api.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt::nccl {

/// One pointer for each symbol of NCCL.
struct Table {
#define MPC_MEMBER(name, ...) Code (*name)(__VA_ARGS__) = nullptr;
  MPC_NCCL_SYMBOLS(MPC_MEMBER)
#undef MPC_MEMBER
  const char *(*ncclGetErrorString)(Code) = nullptr;
};

/// The NCCL of this machine.
class Nccl {
public:
  /// The library that $MPC_NCCL names, else libnccl.so.2.
  static Result<std::shared_ptr<const Nccl>> open();

  [[nodiscard]] const Table &table() const { return table_; }
  /// "2.27.3".
  [[nodiscard]] const std::string &version() const { return version_; }
  /// Success, or the failure of `call`: "ncclSend: unhandled system error (2)".
  [[nodiscard]] Status check(Code code, std::string_view call) const;

private:
  explicit Nccl(cuda::Library library) : library_(std::move(library)) {}
  Status load();

  cuda::Library library_;
  Table table_;
  std::string version_;
};

} // namespace mpc::rt::nccl

/// Returns from the enclosing function with a Status if NCCL refuses.
#define MPC_NCCL_RETURN_IF_ERROR(library, call, arguments)                     \
  do {                                                                         \
    const ::mpc::rt::nccl::Nccl &mpcNccl = (library);                          \
    if (::mpc::rt::nccl::Code mpcCode = mpcNccl.table().call arguments;        \
        mpcCode != ::mpc::rt::nccl::code::kSuccess &&                          \
        mpcCode != ::mpc::rt::nccl::code::kInProgress)                         \
      return mpcNccl.check(mpcCode, #call);                                    \
  } while (false)

#endif // MPC_RUNTIME_RANKS_NCCL_NCCL_H
