// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-opt: runs passes over IR, with every flag of the stock mlir-opt.
#include "lib/Codegen/CPU/Passes.h"
#include "lib/Codegen/CUDA/Passes.h"
#include "lib/Driver/Dialects.h"
#include "lib/Driver/Nesting.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/AMP/Passes.h"
#include "passes/Kernel/Passes.h"
#include "passes/NN/Passes.h"
#include "passes/Pipelines.h"
#include "runtime/Support/Output.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <unistd.h>

using namespace mlir;

static LogicalResult fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "mpc-opt") << message << "\n";
  return failure();
}

/// The input text; null after printing an error.
static std::unique_ptr<llvm::MemoryBuffer> readInput(llvm::StringRef path) {
  if (path == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(reading standard input; ctrl-d ends it)\n";
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer)
    (void)fail(message);
  return buffer;
}

/// Refuses text that would overflow the stack of MLIR's parser. Each chunk is a
/// text of its own.
static LogicalResult checkNesting(const llvm::MemoryBuffer &buffer,
                                  llvm::StringRef splitMarker) {
  auto check = [](std::unique_ptr<llvm::MemoryBuffer> chunk,
                  llvm::raw_ostream &) -> LogicalResult {
    if (isBytecode(*chunk))
      return success();
    auto fault = mpc::describeDeepNesting(chunk->getBufferIdentifier(),
                                          chunk->getBuffer());
    return fault ? fail(*fault) : success();
  };
  return splitAndProcessBuffer(
      llvm::MemoryBuffer::getMemBuffer(buffer.getMemBufferRef()), check,
      llvm::nulls(), splitMarker);
}

/// Upstream's code opens the output itself and deletes an existing file where a
/// pass fails. Here the file is written only after success, as in our other
/// tools.
static LogicalResult process(std::unique_ptr<llvm::MemoryBuffer> buffer,
                             const std::string &output,
                             DialectRegistry &registry,
                             const MlirOptMainConfig &config) {
  if (output == "-")
    return MlirOptMain(llvm::outs(), std::move(buffer), registry, config);
  if (mpc::rt::Status status = mpc::rt::checkOutput(output); !status.ok())
    return fail(status.message());
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(MlirOptMain(stream, std::move(buffer), registry, config)))
    return failure();
  mpc::rt::Status status = mpc::rt::writeOutput(output, text);
  return status.ok() ? success() : fail(status.message());
}

static LogicalResult run(int argc, char **argv, DialectRegistry &registry) {
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "mpc: mixed-precision training step compiler\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, input, output, registry);
  std::unique_ptr<llvm::MemoryBuffer> buffer = readInput(input);
  if (!buffer || failed(checkNesting(*buffer, config.inputSplitMarker())))
    return failure();
  return process(std::move(buffer), output, registry, config);
}

/// Ends the process when standard output is closed. LLVM's own handler would
/// cause a second signal, because it flushes its streams at exit.
static void fallSilent(int) {
  constexpr llvm::StringLiteral kMessage =
      "mpc-opt: error: standard output: cannot write: Broken pipe\n";
  (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(static_cast<int>(mpc::rt::StatusCode::Environment));
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  (void)std::signal(SIGPIPE, fallSilent);
  DialectRegistry registry;
  mpc::registerDialects(registry);
  registerTransformsPasses();
  mpc::amp::registerMpcAMPPasses();
  mpc::cpu::registerMpcCPUPasses();
  mpc::cuda::registerMpcCUDAPasses();
  mpc::kernel::registerMpcKernelPasses();
  mpc::nn::registerMpcNNPasses();
  mpc::registerPipelines();
  return asMainReturnCode(run(argc, argv, registry));
}
