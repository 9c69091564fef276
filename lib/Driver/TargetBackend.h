// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes the code of a program's kernels for each target.
#ifndef MPC_LIB_DRIVER_TARGETBACKEND_H
#define MPC_LIB_DRIVER_TARGETBACKEND_H

#include "lib/Codegen/CPU/Processor.h"
#include "lib/Driver/MemoryBudget.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Metrics.h"

#include <memory>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mpc {

/// How a CPU computes products, and a GPU functions.
enum class MathMode : uint8_t {
  /// By the CPU's units for 16 bits, which flush subnormal numbers; for results
  /// of 16 bits by the GPU's approximate instructions.
  Fast,
  /// By fused multiply-adds of f32; by those of the CPU's functions.
  Exact,
};

/// How code is made, independent of its computation.
struct TargetOptions {
  /// The target: host or one of rt::cpuLevels(); for a GPU cuda:sm_80 or later.
  std::string cpu = "host";
  MathMode math = MathMode::Fast;
  /// The most memory of a step's arena; none: what it needs to compute nothing
  /// twice.
  std::optional<MemoryBudget> memoryBudget;
  /// The `memory` of the target with which a step keeps to its budget. The
  /// compilation finds it.
  std::optional<int64_t> memory;
  /// Whether a CPU whose code this machine cannot run is an error.
  bool runsHere = true;
  bool fuse = true;
  bool naive = false; ///< Whether every kernel runs by scalar loops.
  /// Whether every kernel of a GPU uses 64-bit positions, which large tensors
  /// need.
  bool wide = false;
  /// Whether to survive a crash of a pass, by signal handlers while passes run,
  /// and to write a reproducer of a bug into the working folder. A tool may do
  /// that; a library inside of another program may not.
  bool isTool = true;
  /// Whether the text for a GPU is compiled to machine code, where that is
  /// possible.
  bool machineCode = true;
};

/// A machine for which programs are compiled.
class TargetBackend {
public:
  virtual ~TargetBackend() = default;

  /// Appends the pass that states the machine as `kernel.target`. It is the
  /// first pass of every compilation. It uses the options `naive` and `wide`.
  virtual void addAttachPass(mlir::OpPassManager &passes,
                             const TargetOptions &options) const = 0;

  /// Gives `program` the code of the emitted kernels of `module`, and gives
  /// each launch that names a kernel its command. Consumes the kernels. Appends
  /// the time of each stage to `stages`.
  virtual rt::Status addCode(mlir::ModuleOp module, rt::Program &program,
                             rt::StageSeconds *stages) const = 0;

  /// The emitted kernels of `module` as the text of one LLVM module; a usage
  /// error where LLVM does not compile them. Consumes the kernels.
  virtual rt::Result<std::string> listLLVM(mlir::ModuleOp module) const = 0;
};

/// The backend for the machine that `options` name. An error where no machine
/// has the name, or where this machine must run the code and cannot.
rt::Result<std::unique_ptr<TargetBackend>>
findTarget(const TargetOptions &options);

/// The backend that compiles by LLVM for `processor`, which is called `name`.
std::unique_ptr<TargetBackend> createCpuBackend(std::string name,
                                                cpu::Processor processor);

/// The backend that writes CUDA C++ for GPUs of `arch`, and compiles it by
/// NVRTC where that is wanted and possible.
std::unique_ptr<TargetBackend> createCudaBackend(rt::CudaArch arch,
                                                 const TargetOptions &options);

} // namespace mpc

#endif // MPC_LIB_DRIVER_TARGETBACKEND_H
