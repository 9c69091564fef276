// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of CUDA C++ and machine code.
#include "lib/Driver/CudaCode.h"

#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/Device/CUDA/Nvrtc.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mpc;

/// Kernels of one module: few enough that a compilation can be shared among
/// threads, more than one since each reads the prelude.
static constexpr size_t kKernelsOfModule = 16;

namespace {

struct PlacedKernel {
  cuda::KernelAttr kernel;
  size_t module = 0;
};

} // namespace

/// The kernels by name, in program order among modules, and the modules' texts.
static llvm::StringMap<PlacedKernel>
placeKernels(ModuleOp module, std::vector<std::string> &texts) {
  llvm::StringMap<PlacedKernel> kernels;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto kernel = function->getAttrOfType<cuda::KernelAttr>(
        cuda::CUDADialect::kKernelAttrName);
    if (!kernel)
      continue;
    if (kernels.size() % kKernelsOfModule == 0)
      texts.push_back(cuda::getPrelude().str());
    kernels[function.getSymName()] = {kernel, texts.size() - 1};
    texts.back() += "\n" + kernel.getText().getValue().str();
  }
  return kernels;
}

static rt::Status placeLaunches(const llvm::StringMap<PlacedKernel> &kernels,
                                rt::Program &program) {
  for (rt::Entry &entry : program.entries)
    for (rt::Launch &launch : entry.launches) {
      if (launch.kind != rt::LaunchKind::Kernel)
        continue;
      auto found = kernels.find(launch.symbol);
      if (found == kernels.end())
        return rt::internalError("kernel '" + launch.symbol +
                                 "' was not emitted");
      const cuda::KernelAttr &kernel = found->second.kernel;
      launch.codeOffset = found->second.module;
      launch.chunks = kernel.getBlocks();
      launch.threads = static_cast<uint32_t>(kernel.getThreads());
      launch.sharedBytes = static_cast<uint32_t>(kernel.getShared());
    }
  return {};
}

/// Machine code of the modules, where it can be had.
static rt::Status addCubins(const std::vector<std::string> &texts, int arch,
                            rt::Program &program) {
  auto nvrtc = rt::cuda::Nvrtc::open();
  if (!nvrtc.ok()) {
    program.warnings.push_back("no machine code for " + program.target.cpu +
                               ", which is compiled where the program is "
                               "loaded: " +
                               nvrtc.status().message());
    return {};
  }
  if (!llvm::is_contained((*nvrtc)->archs(), arch))
    return {};
  std::vector<rt::cuda::Source> sources;
  for (auto [index, text] : llvm::enumerate(texts))
    sources.push_back({"kernels" + std::to_string(index) + ".cu", text});
  MPC_ASSIGN_OR_RETURN(
      std::vector<rt::cuda::Image> images,
      (*nvrtc)->compileAll(sources, {arch, rt::cuda::Target::Kind::Cubin}));
  for (auto [module, image] : llvm::zip(program.modules, images))
    module.cubin = rt::SharedBytes::of(std::move(image.bytes));
  return {};
}

rt::Status mpc::addCudaCode(ModuleOp module, int arch, rt::Program &program) {
  std::vector<std::string> texts;
  llvm::StringMap<PlacedKernel> kernels = placeKernels(module, texts);
  MPC_RETURN_IF_ERROR(placeLaunches(kernels, program));
  for (const std::string &text : texts)
    program.modules.push_back(
        {rt::SharedBytes::of(std::vector<char>(text.begin(), text.end())), {}});
  program.target.cpu = "cuda:sm_" + std::to_string(arch);
  program.target.cudaArch = arch;
  return addCubins(texts, arch, program);
}
