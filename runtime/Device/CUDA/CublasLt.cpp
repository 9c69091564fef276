// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds cuBLASLt and its symbols.
#include "runtime/Device/CUDA/CublasLt.h"

#include <cstdlib>
#include <fmt/format.h>

namespace mpc::rt::cuda {
namespace {

/// The sonames come first, so that a program's own choice wins; then the
/// folders in which the toolkit's installer puts it without registering it.
const std::vector<std::string> kNames = {
    "libcublasLt.so.13", "libcublasLt.so.12",
    "/usr/local/cuda/lib64/libcublasLt.so.13",
    "/usr/local/cuda/lib64/libcublasLt.so.12"};

/// The major versions whose interface is that of BlasApi.h.
constexpr size_t kOldest = 12, kNewest = 13;

} // namespace

Result<std::shared_ptr<const CublasLt>> CublasLt::open() {
  const char *path = std::getenv("MPC_CUBLASLT");
  if (!path || !*path)
    return openFirst(kNames);
  if (isOff())
    return environmentError("MPC_CUBLASLT is off");
  return openFirst({path});
}

bool CublasLt::isOff() {
  const char *path = std::getenv("MPC_CUBLASLT");
  return path && std::string_view(path) == "off";
}

Result<std::shared_ptr<const CublasLt>>
CublasLt::openFirst(const std::vector<std::string> &names) {
  Result<Library> library = Library::open(names);
  if (!library.ok())
    return library.status().withContext(
        "no cuBLASLt (it comes with the CUDA toolkit, with PyTorch, and as the "
        "Python package nvidia-cublas; MPC_CUBLASLT may name its library, or "
        "be off)");
  std::shared_ptr<CublasLt> blas(new CublasLt(*std::move(library)));
  MPC_RETURN_IF_ERROR(blas->load());
  return std::shared_ptr<const CublasLt>(std::move(blas));
}

Status CublasLt::load() {
#define MPC_FIND(name, ...)                                                    \
  MPC_RETURN_IF_ERROR(library_.find(#name, table_.name));
  MPC_CUDA_BLAS_SYMBOLS(MPC_FIND)
#undef MPC_FIND
  MPC_RETURN_IF_ERROR(
      library_.find("cublasLtGetVersion", table_.cublasLtGetVersion));
  MPC_RETURN_IF_ERROR(
      library_.find("cublasLtGetStatusString", table_.cublasLtGetStatusString));
  // Two digits are the release's, and two those of a patch.
  size_t version = table_.cublasLtGetVersion(), major = version / 10000;
  version_ = fmt::format("{}.{}.{}", major, version / 100 % 100, version % 100);
  if (major < kOldest || major > kNewest)
    return environmentError(
        fmt::format("{} is cuBLASLt {}; mpc knows versions {} to {}",
                    library_.name(), version_, kOldest, kNewest));
  return {};
}

Status CublasLt::check(BlasCode code, std::string_view call) const {
  if (code == blas_code::kSuccess)
    return {};
  const char *text = table_.cublasLtGetStatusString(code);
  return environmentError(
      fmt::format("{} failed: {} ({})", call, text ? text : "unknown", code));
}

Result<std::shared_ptr<const BlasDevice>>
BlasDevice::create(std::shared_ptr<const CublasLt> library,
                   ContextRef context) {
  std::shared_ptr<BlasDevice> device(
      new BlasDevice(std::move(library), std::move(context)));
  Current current(*device->context_);
  MPC_RETURN_IF_ERROR(current.check("starting cuBLASLt"));
  MPC_BLAS_RETURN_IF_ERROR(*device->library_, cublasLtCreate,
                           (&device->handle_));
  return std::shared_ptr<const BlasDevice>(std::move(device));
}

BlasDevice::~BlasDevice() {
  if (!handle_)
    return;
  Current current(*context_);
  if (current.answer() == code::kSuccess)
    (void)library_->table().cublasLtDestroy(handle_);
}

} // namespace mpc::rt::cuda
