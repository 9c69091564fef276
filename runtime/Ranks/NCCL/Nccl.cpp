// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds NCCL and its symbols.
#include "runtime/Ranks/NCCL/Nccl.h"

#include <cstdlib>
#include <fmt/format.h>

namespace mpc::rt::nccl {

Result<std::shared_ptr<const Nccl>> Nccl::open() {
  const char *path = std::getenv("MPC_NCCL");
  Result<cuda::Library> library =
      cuda::Library::open({path && *path ? path : "libnccl.so.2"});
  if (!library.ok())
    return library.status().withContext(
        "no NCCL, by which ranks on GPUs reach each other (it comes with "
        "PyTorch, and as the Python package nvidia-nccl; MPC_NCCL may name its "
        "library)");
  std::shared_ptr<Nccl> nccl(new Nccl(*std::move(library)));
  MPC_RETURN_IF_ERROR(nccl->load());
  return std::shared_ptr<const Nccl>(std::move(nccl));
}

Status Nccl::load() {
#define MPC_FIND(name, ...)                                                    \
  MPC_RETURN_IF_ERROR(library_.find(#name, table_.name));
  MPC_NCCL_SYMBOLS(MPC_FIND)
#undef MPC_FIND
  MPC_RETURN_IF_ERROR(
      library_.find("ncclGetErrorString", table_.ncclGetErrorString));
  int version = 0;
  MPC_NCCL_RETURN_IF_ERROR(*this, ncclGetVersion, (&version));
  version_ = fmt::format("{}.{}.{}", version / 10000, version / 100 % 100,
                         version % 100);
  return {};
}

Status Nccl::check(Code code, std::string_view call) const {
  if (code == code::kSuccess || code == code::kInProgress)
    return {};
  return Status(
      StatusCode::Peer,
      fmt::format("{}: {} ({})", call, table_.ncclGetErrorString(code), code));
}

} // namespace mpc::rt::nccl
