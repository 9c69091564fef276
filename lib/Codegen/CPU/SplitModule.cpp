// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributes kernels to modules.
#include "lib/Codegen/CPU/SplitModule.h"

#include "lib/Codegen/CPU/CPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

/// Ops of a part that are worth a thread and copies of what is shared.
static constexpr int64_t kPartOps = 8192;
static constexpr int64_t kMaxParts = 16;

static int64_t countOps(LLVM::LLVMFuncOp function) {
  int64_t count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

/// Whether kernels of several sizes call `function`.
static bool isCode(LLVM::LLVMFuncOp function) {
  return function->hasAttr(
      mpc::cpu::CPUDialect::SharedAttrHelper::getNameStr());
}

static bool isKernel(LLVM::LLVMFuncOp function) {
  return function.getLinkage() != LLVM::Linkage::Internal && !isCode(function);
}

/// The code that `kernel` calls with its sizes, or its own.
static LLVM::LLVMFuncOp codeOf(LLVM::LLVMFuncOp kernel,
                               const SymbolTable &symbols) {
  LLVM::LLVMFuncOp code = kernel;
  kernel.walk([&](LLVM::CallOp call) {
    auto name = call.getCalleeAttr();
    auto callee =
        name ? symbols.lookup<LLVM::LLVMFuncOp>(name.getAttr()) : nullptr;
    if (callee && isCode(callee))
      code = callee;
  });
  return code;
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
  SymbolTable symbols(module);
  // Kernels of one code are of one part, which else would be compiled twice.
  llvm::MapVector<LLVM::LLVMFuncOp, SmallVector<LLVM::LLVMFuncOp>> families;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (isKernel(function))
      families[codeOf(function, symbols)].push_back(function);
  std::vector<int64_t> sizes;
  for (auto &[code, kernels] : families)
    sizes.push_back(countOps(code));
  int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
  int64_t count = std::clamp<int64_t>(total / kPartOps, 1, kMaxParts);
  std::vector<OwningOpRef<ModuleOp>> parts;
  for (int64_t part = 0; part < count; ++part)
    parts.emplace_back(ModuleOp::create(module.getLoc()));
  int64_t before = 0;
  for (auto [family, size] : llvm::zip_equal(families, sizes)) {
    Block *part = parts[before * count / total]->getBody();
    for (LLVM::LLVMFuncOp kernel : family.second)
      kernel->moveBefore(part, part->end());
    before += size;
  }
  for (OwningOpRef<ModuleOp> &part : parts)
    copyCallees(*part, symbols);
  return parts;
}
