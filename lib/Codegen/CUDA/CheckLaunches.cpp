// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuda-check-launches: finds before a launch the errors that a device would
// report.
#include "lib/Codegen/CUDA/Passes.h"

#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/Limits.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"

#include <numeric>

namespace mpc::cuda {
#define GEN_PASS_DEF_CHECKLAUNCHESPASS
#include "lib/Codegen/CUDA/Passes.h.inc"
} // namespace mpc::cuda

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// The most bytes of a kernel's parameters since CUDA 12.1, and before.
static constexpr int64_t kParameterBytes = 32764, kOldParameterBytes = 4096;
/// The registers of a multiprocessor, and the least that ptxas gives a thread
/// without spilling values that every kernel has.
static constexpr int64_t kRegisters = 65536, kFewRegisters = 32;
/// The largest grid.
static constexpr int64_t kBlocks = 0x7fffffff;

namespace {

/// The place of an operand of a launch.
struct Place {
  Value memory; ///< An argument of the entry; null for a constant.
  int64_t offset = 0, bytes = 0;

  [[nodiscard]] bool overlaps(const Place &other) const {
    return memory && memory == other.memory &&
           offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

} // namespace

/// The place of an operand; empty where memory is not planned.
static std::optional<Place> placeOf(Value operand) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type)
    return std::nullopt;
  Place place;
  place.bytes = type.getNumElements() *
                std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
  if (auto view = operand.getDefiningOp<memref::ViewOp>()) {
    APInt offset;
    if (!matchPattern(view.getByteShift(), m_ConstantInt(&offset)))
      return std::nullopt;
    place.memory = view.getSource();
    place.offset = offset.getSExtValue();
  }
  return place;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static LogicalResult checkShared(func::FuncOp function, KernelAttr kernel,
                                 TargetAttr target) {
  Limits limits = limitsOf(target.getArch());
  int64_t shared = kernel.getShared() + kernel.getFixed() + limits.reserved;
  if (shared <= limits.shared)
    return success();
  return function.emitError("kernel '")
         << function.getName() << "': a block takes " << shared
         << " bytes of shared memory, " << limits.reserved
         << " of them for the system; " << target.getArchName() << " has "
         << limits.shared;
}

static LogicalResult checkThreads(func::FuncOp function, KernelAttr kernel,
                                  TargetAttr target) {
  int64_t threads = std::max(kernel.getThreads(), kernel.getResident());
  int64_t limit =
      std::min(limitsOf(target.getArch()).threads, kRegisters / kFewRegisters);
  if (kernel.getThreads() <= 1024 && threads <= limit)
    return success();
  return function.emitError("kernel '")
         << function.getName() << "': " << kernel.getThreads()
         << " threads a block, " << threads << " on a multiprocessor; "
         << target.getArchName() << " has places for " << limit;
}

static LogicalResult checkKernel(func::FuncOp function, KernelAttr kernel,
                                 TargetAttr target) {
  int64_t parameters = 8 * function.getNumArguments();
  if (parameters > kParameterBytes)
    return function.emitError("kernel '")
           << function.getName() << "' has " << parameters
           << " bytes of parameters, and at most " << kParameterBytes
           << " are possible";
  if (parameters > kOldParameterBytes)
    function.emitRemark("kernel '")
        << function.getName() << "' has " << parameters
        << " bytes of parameters, which a driver before CUDA 12.1 refuses";
  if (kernel.getBlocks() < 1 || kernel.getBlocks() > kBlocks)
    return function.emitError("kernel '")
           << function.getName() << "': " << kernel.getBlocks()
           << " blocks are not a grid";
  if (failed(checkShared(function, kernel, target)))
    return failure();
  return checkThreads(function, kernel, target);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static LogicalResult checkAlignment(LaunchOp launch, KernelAttr kernel,
                                    int64_t buffers) {
  for (auto [number, operand] : llvm::enumerate(launch->getOperands())) {
    std::optional<Place> place = placeOf(operand);
    int64_t access = kernel.getAccesses()[number];
    if (place && std::gcd(buffers, place->offset) % access != 0)
      return launch.emitOpError("gives parameter #")
             << number << " of kernel '" << launch.getKernel() << "' byte "
             << place->offset << " of a buffer, which its accesses of "
             << access << " bytes do not divide";
  }
  return success();
}

/// A text may read an argument that it calls `__restrict__` in any order. Any
/// other argument may share memory with a result, element by element.
static LogicalResult checkOverlap(LaunchOp launch, KernelAttr kernel) {
  unsigned first = launch.getInputs().size();
  for (unsigned input : llvm::seq(first))
    for (unsigned output : llvm::seq(first, launch->getNumOperands())) {
      std::optional<Place> read = placeOf(launch->getOperand(input));
      std::optional<Place> written = placeOf(launch->getOperand(output));
      if (!read || !written || !read->overlaps(*written))
        continue;
      bool isAlone =
          llvm::is_contained(kernel.getAlone().asArrayRef(), int64_t(input));
      if (isAlone || read->offset != written->offset)
        return launch.emitOpError("writes parameter #")
               << output << " of kernel '" << launch.getKernel()
               << "' over parameter #" << input << ", which the kernel reads "
               << (isAlone ? "as __restrict__" : "at other places");
    }
  return success();
}

static LogicalResult checkLaunch(LaunchOp launch, KernelAttr kernel,
                                 TargetAttrInterface target) {
  ArrayRef<int64_t> accesses = kernel.getAccesses();
  if (accesses.size() != launch->getNumOperands() ||
      llvm::any_of(accesses, [](int64_t bytes) { return bytes < 1; }))
    return launch.emitOpError("has parameters other than those that kernel '")
           << launch.getKernel() << "' states";
  if (failed(checkAlignment(launch, kernel, target.getBufferAlignment())))
    return failure();
  return checkOverlap(launch, kernel);
}

namespace {

struct CheckLaunchesPass
    : mpc::cuda::impl::CheckLaunchesPassBase<CheckLaunchesPass> {
  using CheckLaunchesPassBase::CheckLaunchesPassBase;

  void runOnOperation() override {
    TargetAttr target = TargetAttr::lookup(getOperation());
    bool isRight = true;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (KernelAttr kernel = kernelOf(function))
        isRight &= succeeded(checkKernel(function, kernel, target));
    SymbolTable symbols(getOperation());
    getOperation().walk([&](LaunchOp launch) {
      auto function = symbols.lookup<func::FuncOp>(launch.getKernel());
      if (KernelAttr kernel = function ? kernelOf(function) : KernelAttr())
        isRight &= succeeded(
            checkLaunch(launch, kernel, cast<TargetAttrInterface>(target)));
    });
    if (!isRight)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  static KernelAttr kernelOf(func::FuncOp function) {
    return dyn_cast_or_null<KernelAttr>(getEmittedKernel(function));
  }
};

} // namespace
