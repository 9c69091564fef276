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
