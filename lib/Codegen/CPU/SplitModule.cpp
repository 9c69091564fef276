// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributes kernels to modules.
#include "lib/Codegen/CPU/SplitModule.h"

#include "lib/Codegen/CPU/CPUDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

/// Ops of a part that are worth a thread and copies of what is shared.
static constexpr int64_t kPartOps = 4096;
static constexpr int64_t kMaxParts = 16;

static int64_t countOps(func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

/// Whether kernels of several sizes call `function`.
static bool isCode(func::FuncOp function) {
  return function->hasAttr(
      mpc::cpu::CPUDialect::SharedAttrHelper::getNameStr());
}

static bool isKernel(func::FuncOp function) { return function.isPublic(); }

/// The code that `kernel` calls with its sizes, or its own.
static func::FuncOp codeOf(func::FuncOp kernel, const SymbolTable &symbols) {
  func::FuncOp code = kernel;
  kernel.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (isCode(callee))
      code = callee;
  });
  return code;
}

/// Adds what the functions of `part` call, and what that calls.
static void copyCallees(ModuleOp part, const SymbolTable &symbols) {
  llvm::SetVector<func::FuncOp> callees;
  auto collect = [&](func::CallOp call) {
    callees.insert(symbols.lookup<func::FuncOp>(call.getCallee()));
  };
  part.walk(collect);
  for (size_t next = 0; next < callees.size(); ++next)
    func::FuncOp(callees[next]).walk(collect);
  for (func::FuncOp callee : callees)
    part.push_back(callee->clone());
}

std::vector<OwningOpRef<ModuleOp>> mpc::cpu::splitModule(ModuleOp module) {
  SymbolTable symbols(module);
  // Kernels of one code are of one part, which else would be compiled twice.
  llvm::MapVector<func::FuncOp, SmallVector<func::FuncOp>> families;
  for (auto function : module.getOps<func::FuncOp>())
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
    for (func::FuncOp kernel : family.second)
      kernel->moveBefore(part, part->end());
    before += size;
  }
  for (OwningOpRef<ModuleOp> &part : parts)
    copyCallees(*part, symbols);
  return parts;
}
