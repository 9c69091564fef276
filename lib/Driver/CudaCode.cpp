// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modules of a program for a GPU: CUDA C++ and machine code.
#include "lib/Driver/CudaCode.h"

#include "dialects/Kernel/KernelDialect.h"
#include "lib/Codegen/CUDA/Passes.h"
#include "lib/Codegen/CUDA/Target.h"
#include "lib/Driver/CudaProducts.h"
#include "lib/Driver/KernelWork.h"
#include "lib/Driver/TargetBackend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Device/CUDA/ImageCache.h"
#include "runtime/Program/Commands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mpc;

/// The number of kernels in a module: few enough that threads can share a
/// compilation, and more than one since each module includes the prelude.
static constexpr size_t kKernelsOfModule = 16;

namespace {

struct PlacedKernel {
  kernel::EmittedKernelAttrInterface kernel;
  size_t module = 0;
};

} // namespace

/// The kernels by name, distributed to modules in program order; and the
/// modules' texts.
static llvm::StringMap<PlacedKernel>
placeKernels(ModuleOp module, std::vector<std::string> &texts) {
  llvm::StringMap<PlacedKernel> kernels;
  for (auto function : module.getOps<func::FuncOp>()) {
    kernel::EmittedKernelAttrInterface kernel =
        kernel::getEmittedKernel(function);
    if (!kernel)
      continue;
    if (kernels.size() % kKernelsOfModule == 0)
      texts.push_back(cuda::getPrelude().str());
    kernels[function.getSymName()] = {kernel, texts.size() - 1};
    texts.back() += "\n" + kernel.getText().getValue().str();
  }
  return kernels;
}

static std::shared_ptr<const rt::DeviceKernel>
createCommand(const PlacedKernel &placed, size_t buffers, rt::KernelWork work) {
  rt::Grid grid{placed.kernel.getChunks(),
                static_cast<uint32_t>(placed.kernel.getThreads()),
                static_cast<uint32_t>(placed.kernel.getShared())};
  return std::make_shared<rt::DeviceKernel>(
      static_cast<uint32_t>(placed.module), grid,
      rt::pointerParameters(buffers), std::move(work));
}

/// Gives each launch of `program` its kernel, and a library's product where it
/// is one. A library gets at most `scratch` bytes.
static rt::Status placeLaunches(const llvm::StringMap<PlacedKernel> &kernels,
                                const llvm::StringMap<rt::KernelWork> &work,
                                uint64_t scratch, rt::Program &program) {
  for (rt::Entry &entry : program.entries)
    for (rt::Launch &launch : entry.launches) {
      if (launch.command)
        continue;
      auto found = kernels.find(launch.symbol);
      if (found == kernels.end())
        return rt::internalError("kernel '" + launch.symbol +
                                 "' was not emitted");
      auto command = createCommand(found->second, launch.buffers.size(),
                                   work.lookup(launch.symbol));
      launch.command = command;
      auto kernel = dyn_cast<cuda::KernelAttr>(found->second.kernel);
      if (kernel && kernel.getProduct())
        if (auto product = createLibraryProduct(kernel.getProduct(), *command,
                                                launch, scratch))
          launch.command = product;
    }
  return {};
}

/// Gives `program` its modules, with the texts of kernels from `module`, and
/// gives the launches their grids. The launches name kernels.
static rt::Status addText(ModuleOp module, rt::CudaArch arch, uint64_t scratch,
                          rt::Program &program) {
  std::vector<std::string> texts;
  llvm::StringMap<PlacedKernel> kernels = placeKernels(module, texts);
  MPC_RETURN_IF_ERROR(
      placeLaunches(kernels, readWork(module), scratch, program));
  rt::CudaTarget target{arch};
  for (const std::string &text : texts)
    target.modules.push_back(
        {rt::SharedBytes::of(std::vector<char>(text.begin(), text.end())), {}});
  program.target = std::move(target);
  return {};
}

static llvm::StringRef textOf(const rt::DeviceModule &module) {
  return {reinterpret_cast<const char *>(module.source.data()),
          module.source.size()};
}

static std::vector<rt::cuda::Source> sourcesOf(const rt::CudaTarget &target) {
  std::vector<rt::cuda::Source> sources;
  for (auto [index, module] : llvm::enumerate(target.modules))
    sources.push_back(
        {"kernels" + std::to_string(index) + ".cu", textOf(module).str()});
  return sources;
}

/// Gives the modules machine code, from the compile cache where it is there.
/// Where NVRTC is not found the program has a warning. An NVRTC that does not
/// know the architecture adds nothing.
static rt::Status addCubins(rt::Program &program) {
  auto &code = std::get<rt::CudaTarget>(program.target);
  auto nvrtc = rt::cuda::Nvrtc::open();
  if (!nvrtc.ok()) {
    program.warnings.push_back("no machine code for " + nameOf(program.target) +
                               ", which is compiled where the program is "
                               "loaded: " +
                               nvrtc.status().message());
    return {};
  }
  rt::cuda::Target target = {code.arch, rt::cuda::Target::Kind::Cubin};
  if (!llvm::is_contained((*nvrtc)->archs(), code.arch.number))
    return {};
  std::vector<rt::cuda::Source> sources = sourcesOf(code);
  MPC_ASSIGN_OR_RETURN(std::vector<rt::cuda::Image> images,
                       rt::cuda::compileOnce(**nvrtc, sources, target));
  for (auto [module, image] : llvm::zip(code.modules, images))
    module.cubin = rt::SharedBytes::of(std::move(image.bytes));
  return {};
}

namespace {

/// The most memory that cuBLASLt gets: what NVIDIA advises, and none where the
/// arena has a budget.
uint64_t scratchFor(rt::CudaArch arch, const TargetOptions &options) {
  if (options.memoryBudget)
    return 0;
  return uint64_t(arch.number >= 90 ? 32 : 4) << 20;
}

class CudaBackend : public TargetBackend {
public:
  CudaBackend(rt::CudaArch arch, const TargetOptions &options)
      : arch_(arch), scratch_(scratchFor(arch, options)),
        machineCode_(options.machineCode) {}

  void addAttachPass(OpPassManager &passes,
                     const TargetOptions &options) const override {
    cuda::AttachTargetPassOptions attach;
    attach.arch = arch_.number;
    attach.letter = arch_.letter ? std::string(1, arch_.letter) : "";
    attach.naive = options.naive;
    attach.wide = options.wide;
    attach.memory = options.memory.value_or(0);
    attach.exact = options.math == MathMode::Exact;
    passes.addPass(cuda::createAttachTargetPass(attach));
  }

  rt::Status addCode(ModuleOp module, rt::Program &program,
                     rt::StageSeconds * /*stages*/) const override {
    MPC_RETURN_IF_ERROR(addText(module, arch_, scratch_, program));
    return machineCode_ ? addCubins(program) : rt::Status();
  }

  rt::Result<std::string> listLLVM(ModuleOp) const override {
    return rt::usageError("--emit=llvm: the first target is a GPU, whose code "
                          "is --emit=cuda");
  }

private:
  rt::CudaArch arch_;
  uint64_t scratch_;
  bool machineCode_;
};

} // namespace

std::unique_ptr<TargetBackend>
mpc::createCudaBackend(rt::CudaArch arch, const TargetOptions &options) {
  return std::make_unique<CudaBackend>(arch, options);
}

std::string mpc::wholeText(const rt::Program &program) {
  std::string text = cuda::getPrelude().str();
  for (const rt::DeviceModule &module : program.cuda()->modules)
    text += textOf(module).drop_front(cuda::getPrelude().size());
  return text;
}

rt::Result<std::string> mpc::compileWhole(const rt::Program &program,
                                          rt::cuda::Target::Kind kind) {
  rt::cuda::Target target = {program.cuda()->arch, kind};
  MPC_ASSIGN_OR_RETURN(auto nvrtc, rt::cuda::Nvrtc::open());
  if (!llvm::is_contained(nvrtc->archs(), target.arch.number))
    return rt::environmentError(
        "NVRTC " + nvrtc->version() + " (" + nvrtc->path() +
        ") makes no code for " + nameOf(program.target) + ": it knows sm_" +
        llvm::join(
            llvm::map_range(nvrtc->archs(),
                            [](int arch) { return std::to_string(arch); }),
            ", sm_"));
  std::vector<rt::cuda::Source> whole = {{"kernels.cu", wholeText(program)}};
  MPC_ASSIGN_OR_RETURN(std::vector<rt::cuda::Image> images,
                       rt::cuda::compileOnce(*nvrtc, whole, target));
  const std::vector<char> &bytes = images.front().bytes;
  std::string content(bytes.begin(), bytes.end());
  // The zero byte at the end is for the driver and not for readers of the text.
  if (kind == rt::cuda::Target::Kind::Ptx && content.ends_with('\0'))
    content.pop_back();
  return content;
}
