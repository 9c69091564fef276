// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds how much a step may keep, so that its arena keeps to a budget.
#include "lib/Driver/MemoryBudget.h"

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mpc;

/// The bytes of a unit; 0 for an unknown one.
static double bytesOfUnit(llvm::StringRef unit) {
  return llvm::StringSwitch<double>(unit)
      .Cases({"", "B"}, 1)
      .Case("KB", 1e3)
      .Case("MB", 1e6)
      .Case("GB", 1e9)
      .Cases({"K", "KiB"}, 0x1p10)
      .Cases({"M", "MiB"}, 0x1p20)
      .Cases({"G", "GiB"}, 0x1p30)
      .Default(0);
}

rt::Result<MemoryBudget> mpc::parseMemoryBudget(const std::string &text) {
  llvm::StringRef rest = text;
  llvm::StringRef digits =
      rest.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
  llvm::StringRef unit = rest.drop_front(digits.size());
  double number = 0;
  bool isNumber = !digits.empty() && !digits.getAsDouble(number);
  double bytes = number * bytesOfUnit(unit);
  bool isFraction = unit.empty() && digits.contains('.');
  if (isNumber && isFraction && number > 0 && number <= 1)
    return MemoryBudget{text, 0, number};
  if (isNumber && !isFraction && bytes >= 1 && bytes < 0x1p62)
    return MemoryBudget{text, static_cast<uint64_t>(bytes), {}};
  return rt::usageError("--memory-budget=" + rt::quote(text) +
                        " is neither a number of bytes, as 96MiB or 2GB, nor "
                        "a fraction, as 0.6");
}

int64_t mpc::largestArena(ModuleOp module) {
  StringRef name = kernel::KernelDialect::BufferAttrHelper::getNameStr();
  int64_t largest = 0;
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments()) {
      auto buffer = function.getArgAttrOfType<kernel::BufferAttr>(
          argument.getArgNumber(), name);
      if (buffer && buffer.getRole() == kernel::BufferRole::Arena)
        largest = std::max(
            largest, cast<MemRefType>(argument.getType()).getNumElements());
    }
  return largest;
}

/// What a step may keep in each trial, in parts of the budget. What an arena
/// takes is no function of it that only rises: a step that may keep little has
/// more kernels.
static constexpr double kTrials[] = {1.25, 1, 0.8, 0.6, 0.4, 0.2, 0};

rt::Result<std::optional<int64_t>> mpc::fitMemory(const MemoryBudget &budget,
                                                  const PlanArena &plan) {
  MPC_ASSIGN_OR_RETURN(int64_t most, plan(std::nullopt));
  double wanted = budget.fraction ? *budget.fraction * static_cast<double>(most)
                                  : static_cast<double>(budget.bytes);
  if (static_cast<double>(most) <= wanted)
    return std::optional<int64_t>();
  int64_t least = most;
  for (double part : kTrials) {
    auto memory = static_cast<int64_t>(part * wanted);
    MPC_ASSIGN_OR_RETURN(int64_t arena, plan(memory));
    if (static_cast<double>(arena) <= wanted)
      return std::optional<int64_t>(memory);
    least = std::min(least, arena);
  }
  return rt::usageError(
      "--memory-budget=" + rt::escape(budget.text) +
      ": the step needs at least " + rt::formatBytes(least) +
      " beside its state (" + rt::formatBytes(most) +
      " without a budget); give that much, or a smaller batch");
}
