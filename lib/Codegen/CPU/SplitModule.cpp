// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributes kernels to modules.
#include "lib/Codegen/CPU/SplitModule.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;

/// Ops of a part that are worth a thread and copies of what is shared.
static constexpr int64_t kPartOps = 8192;
static constexpr int64_t kMaxParts = 16;

static int64_t countOps(LLVM::LLVMFuncOp function) {
  int64_t count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

static bool isShared(LLVM::LLVMFuncOp function) {
  return function.getLinkage() == LLVM::Linkage::Internal;
}

/// Adds what the functions of `part` call, and what that calls.
static void copyCallees(ModuleOp part, const SymbolTable &symbols) {
  llvm::SetVector<LLVM::LLVMFuncOp> callees;
  auto collect = [&](LLVM::CallOp call) {
    if (auto name = call.getCalleeAttr())
      callees.insert(symbols.lookup<LLVM::LLVMFuncOp>(name.getAttr()));
  };
  part.walk(collect);
  for (size_t next = 0; next < callees.size(); ++next)
    LLVM::LLVMFuncOp(callees[next]).walk(collect);
  for (LLVM::LLVMFuncOp callee : callees)
    part.push_back(callee->clone());
}

std::vector<OwningOpRef<ModuleOp>> mpc::cpu::splitModule(ModuleOp module) {
  SmallVector<std::pair<LLVM::LLVMFuncOp, int64_t>> kernels;
  int64_t total = 0;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!isShared(function)) {
      kernels.emplace_back(function, countOps(function));
      total += kernels.back().second;
    }
  int64_t count = std::clamp<int64_t>(total / kPartOps, 1, kMaxParts);
  std::vector<OwningOpRef<ModuleOp>> parts;
  for (int64_t part = 0; part < count; ++part)
    parts.emplace_back(ModuleOp::create(module.getLoc()));
  int64_t before = 0;
  for (auto [kernel, size] : kernels) {
    kernel->moveBefore(parts[before * count / total]->getBody(),
                       parts[before * count / total]->getBody()->end());
    before += size;
  }
  SymbolTable symbols(module);
  for (OwningOpRef<ModuleOp> &part : parts)
    copyCallees(*part, symbols);
  return parts;
}
