// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributes code to several modules.
#include "lib/Codegen/CPU/SplitModule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

/// The least ops of a part that are worth a thread and copies of shared
/// functions.
static constexpr int64_t kPartOps = 4096;
static constexpr int64_t kMaxParts = 16;

static int64_t countOps(func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

/// Adds the functions that the functions of `part` call, directly or
/// indirectly.
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
  std::vector<func::FuncOp> roots;
  std::vector<int64_t> sizes;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic()) {
      roots.push_back(function);
      sizes.push_back(countOps(function));
    }
  int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
  int64_t count = std::clamp<int64_t>(total / kPartOps, 1, kMaxParts);
  std::vector<OwningOpRef<ModuleOp>> parts;
  // Each part states the target, as the module does.
  for (int64_t part = 0; part < count; ++part)
    (*parts.emplace_back(ModuleOp::create(module.getLoc())))
        ->setAttrs(module->getAttrs());
  int64_t before = 0;
  for (auto [root, size] : llvm::zip_equal(roots, sizes)) {
    Block *part = parts[before * count / total]->getBody();
    root->moveBefore(part, part->end());
    before += size;
  }
  for (OwningOpRef<ModuleOp> &part : parts)
    copyCallees(*part, symbols);
  return parts;
}
