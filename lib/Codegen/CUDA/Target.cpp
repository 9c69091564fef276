// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of GPUs, and the prelude.
#include "lib/Codegen/CUDA/Target.h"

#include "runtime/Program/StepNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;

static constexpr llvm::StringLiteral kPrefix = "cuda:";
static constexpr llvm::StringLiteral kArchPrefix = "sm_";
static constexpr int kLeastArch = 75;

bool cuda::isCudaName(llvm::StringRef name) {
  return name.starts_with(kPrefix);
}

llvm::Expected<rt::CudaArch> cuda::getCudaArch(llvm::StringRef name) {
  llvm::StringRef text = name;
  if (text.consume_front(kPrefix) && text.consume_front(kArchPrefix))
    if (std::optional<rt::CudaArch> arch = rt::CudaArch::parse(text);
        arch && arch->number >= kLeastArch)
      return *arch;
  return llvm::createStringError("unknown target '" + name +
                                 "': expected cuda:sm_75 or later, as "
                                 "cuda:sm_90");
}

llvm::StringRef cuda::getPrelude() {
  static constexpr char kText[] =
#include "lib/Codegen/CUDA/PreludeText.inc"
      ;
  return kText;
}

std::string cuda::getLateRateKernel() {
  return R"(
// Behind a step that was skipped the learning rate is the second one.
extern "C" __global__ void __launch_bounds__(1, 1)
)" + std::string(rt::step::kLateRateKernel) +
         R"((const bool *__restrict__ skipped, float *__restrict__ rates) {
  if (*skipped)
    rates[0] = rates[1];
}
)";
}
