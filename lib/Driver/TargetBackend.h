// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a program gets the code of its kernels on each target.
#ifndef MPC_LIB_DRIVER_TARGETBACKEND_H
#define MPC_LIB_DRIVER_TARGETBACKEND_H

#include "lib/Codegen/CPU/Processor.h"
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

/// How code is made, whatever it computes.
struct TargetOptions {
  /// host, x86-64-v3 or x86-64-v4; of a GPU cuda:sm_80 or later.
  std::string cpu = "host";
  bool runsHere = true; ///< A CPU that this machine lacks is an error.
  bool fuse = true;
  bool naive = false; ///< Every kernel by scalar loops.
  /// Places of 64 bits in every kernel of a GPU, as large tensors need them.
  bool wide = false;
  /// Survive a crash of a pass, by handlers of signals as long as passes run,
  /// and write a reproducer of a bug into the working folder: a tool may, a
  /// library inside of another program not.
  bool isTool = true;
  /// Of a GPU: its text becomes machine code too, where that can be.
  bool machineCode = true;
};

/// A machine that programs are compiled for.
class TargetBackend {
public:
  virtual ~TargetBackend() = default;

  /// Appends the pass that states the machine as `kernel.target`, the first of
  /// every compilation: of the options it takes `naive` and `wide`.
  virtual void addAttachPass(mlir::OpPassManager &passes,
                             const TargetOptions &options) const = 0;

  /// Gives `program` the code of the emitted kernels of `module`, and a command
  /// to each launch that has none, since it names one of them. Consumes them.
  /// Appends how long its stages took to `stages`.
  virtual rt::Status addCode(mlir::ModuleOp module, rt::Program &program,
                             rt::StageSeconds *stages) const = 0;

  /// The emitted kernels of `module` as the text of one LLVM module; a usage
  /// error where their code is not made by LLVM. Consumes them.
  virtual rt::Result<std::string> listLLVM(mlir::ModuleOp module) const = 0;
};

/// The machine that `options` name. That there is none of the name, or that
/// this one cannot run its code where it has to, is an error.
rt::Result<std::unique_ptr<TargetBackend>>
findTarget(const TargetOptions &options);

/// Machine code by LLVM for `processor`, which is called `name`.
std::unique_ptr<TargetBackend> createCpuBackend(std::string name,
                                                cpu::Processor processor);

/// CUDA C++ for GPUs of `arch`; its machine code too, by NVRTC, where that
/// is wanted and can be had.
std::unique_ptr<TargetBackend> createCudaBackend(rt::CudaArch arch,
                                                 bool machineCode);

} // namespace mpc

#endif // MPC_LIB_DRIVER_TARGETBACKEND_H
