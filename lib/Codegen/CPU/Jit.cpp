// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates kernels to LLVM IR, emits an object and links it to an image.
#include "lib/Codegen/CPU/Jit.h"

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/CodeImage.h"
#include "lib/Codegen/CPU/Lower.h"
#include "lib/Codegen/CPU/ObjectFile.h"
#include "lib/Codegen/CPU/SplitModule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace mpc;
using namespace mpc::cpu;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Lowers `module` to the LLVM dialect; the error has the text of the
/// diagnostics.
static llvm::Error lowerModule(ModuleOp module) {
  std::string message;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          message += (message.empty() ? "" : "; ") + diagnostic.str();
        return success();
      });
  PassManager manager(module.getContext());
  // The verifier runs once at the end, since it takes more time than most of
  // these passes.
  manager.enableVerifier(false);
  buildLowerToLLVM(manager);
  if (succeeded(manager.run(module)) && succeeded(verify(module)))
    return llvm::Error::success();
  return llvm::createStringError("cannot lower kernels: " + message);
}

static llvm::Expected<std::unique_ptr<llvm::Module>>
translate(ModuleOp module, llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!result)
    return llvm::createStringError("cannot translate kernels to LLVM IR");
  for (llvm::Function &function : *result) {
    // Loops must not become calls of memset, which an image cannot make.
    function.addFnAttr("no-builtins");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  return result;
}

namespace {

/// A part of the kernels on their way to code.
struct Part {
  std::unique_ptr<llvm::LLVMContext> context =
      std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  /// The kernels of the part that run shared code.
  std::vector<SharedKernel> kernels;
  /// The result; empty until it is compiled.
  std::optional<llvm::Expected<CodeImage>> image;
};

} // namespace

static llvm::Expected<CodeImage> compilePart(const Part &part,
                                             const Processor &processor) {
  auto object = compileObject(*part.module, processor);
  if (!object)
    return object.takeError();
  return linkImage(*object, part.kernels);
}

namespace {

/// Compiles parts on idle threads, while the owner's thread adds more of them.
class PartCompiler {
public:
  PartCompiler(const Processor &processor, size_t threads)
      : processor_(processor) {
    for (size_t thread = 0; thread < threads; ++thread)
      threads_.emplace_back([this] { work(); });
  }
  ~PartCompiler();
  PartCompiler(const PartCompiler &) = delete;
  PartCompiler &operator=(const PartCompiler &) = delete;

  void add(Part part) {
    std::lock_guard lock(mutex_);
    parts_.push_back(std::move(part));
    added_.notify_one();
  }
  /// Compiles the remaining parts on this thread too; returns the parts in
  /// order.
  std::deque<Part> &finish();

private:
  void work();
  Part *next();

  const Processor &processor_;
  std::mutex mutex_;
  /// Signals that a part was added, or that the last was.
  std::condition_variable added_;
  /// The parts. A deque keeps their addresses as parts are added.
  std::deque<Part> parts_;
  size_t taken_ = 0;
  bool isWhole_ = false;
  std::vector<std::thread> threads_;
};

} // namespace

/// The next part to compile; null where none will come.
Part *PartCompiler::next() {
  std::unique_lock lock(mutex_);
  added_.wait(lock, [&] { return isWhole_ || taken_ < parts_.size(); });
  return taken_ < parts_.size() ? &parts_[taken_++] : nullptr;
}

void PartCompiler::work() {
  while (Part *part = next())
    part->image.emplace(compilePart(*part, processor_));
}

std::deque<Part> &PartCompiler::finish() {
  {
    std::lock_guard lock(mutex_);
    isWhole_ = true;
    added_.notify_all();
  }
  work();
  for (std::thread &thread : threads_)
    thread.join();
  threads_.clear();
  return parts_;
}

static CompiledKernels listKernels(ModuleOp module) {
  CompiledKernels compiled;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (auto kernel = dyn_cast_or_null<KernelAttr>(
            mpc::kernel::getEmittedKernel(function)))
      compiled.kernels[function.getName()] = {
          nullptr, 0, kernel.getChunks(),
          static_cast<uint64_t>(kernel.getScratch()), kernel.getTile()};
  }
  return compiled;
}

/// Appends `image` to the code so far and returns the number of its kernels.
static size_t addImage(const CodeImage &image, CompiledKernels &compiled) {
  constexpr uint64_t kPage = 4096;
  size_t found = 0;
  compiled.image.resize(llvm::alignTo(compiled.image.size(), kPage));
  for (const auto &symbol : image.offsets) {
    auto kernel = compiled.kernels.find(symbol.first());
    if (kernel == compiled.kernels.end())
      continue;
    kernel->second.offset = compiled.image.size() + symbol.second;
    ++found;
  }
  llvm::append_range(compiled.image, image.bytes);
  return found;
}

static llvm::Error addImages(std::deque<Part> &parts,
                             CompiledKernels &compiled) {
  size_t found = 0;
  llvm::Error error = llvm::Error::success();
  for (Part &part : parts)
    if (*part.image)
      found += addImage(**part.image, compiled);
    else
      error = llvm::joinErrors(std::move(error), part.image->takeError());
  if (error || found == compiled.kernels.size())
    return error;
  return llvm::createStringError("only " + llvm::Twine(found) + " of " +
                                 llvm::Twine(compiled.kernels.size()) +
                                 " kernels were compiled");
}

static void registerTranslations(MLIRContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

/// An owner that has given up ignores further errors.
PartCompiler::~PartCompiler() {
  for (Part &part : finish())
    llvm::consumeError(part.image->takeError());
}

/// Removes from `module` the kernels that run shared code, and returns them by
/// the code that they run.
static llvm::StringMap<std::vector<SharedKernel>>
takeSharedKernels(ModuleOp module) {
  llvm::StringMap<std::vector<SharedKernel>> kernels;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    auto kernel =
        dyn_cast_or_null<KernelAttr>(mpc::kernel::getEmittedKernel(function));
    if (!kernel || !kernel.getCode())
      continue;
    StringRef code = kernel.getCode().getValue();
    kernels[code].push_back(
        {function.getName(), code, kernel.getSizes().asArrayRef()});
    function.erase();
  }
  return kernels;
}

/// Lowers `piece` to LLVM IR.
static llvm::Expected<Part>
makePart(ModuleOp piece,
         const llvm::StringMap<std::vector<SharedKernel>> &kernels) {
  Part part;
  for (auto function : piece.getOps<func::FuncOp>())
    if (auto known = kernels.find(function.getName()); known != kernels.end())
      llvm::append_range(part.kernels, known->second);
  if (llvm::Error error = lowerModule(piece))
    return error;
  auto code = translate(piece, *part.context);
  if (!code)
    return code.takeError();
  part.module = std::move(*code);
  return part;
}

/// The number of threads, beside this one, that have work.
static size_t countHelpers(size_t parts) {
  size_t threads = std::max(std::thread::hardware_concurrency(), 1U);
  return std::min(parts, threads) - 1;
}

llvm::Expected<CompiledKernels>
mpc::cpu::compileImage(ModuleOp module, const Processor &processor) {
  registerTranslations(*module.getContext());
  CompiledKernels compiled = listKernels(module);
  auto start = Clock::now();
  auto shared = takeSharedKernels(module);
  auto pieces = splitModule(module);
  PartCompiler compiler(processor, countHelpers(pieces.size()));
  for (OwningOpRef<ModuleOp> &piece : pieces) {
    auto part = makePart(*piece, shared);
    if (!part)
      return part.takeError();
    compiler.add(std::move(*part));
    piece = nullptr;
  }
  compiled.loweringSeconds = secondsSince(start);
  start = Clock::now();
  if (llvm::Error error = addImages(compiler.finish(), compiled))
    return error;
  compiled.llvmSeconds = secondsSince(start);
  return compiled;
}

llvm::Expected<std::string> mpc::cpu::printLLVM(ModuleOp module,
                                                const Processor &processor) {
  takeSharedKernels(module);
  if (llvm::Error error = lowerModule(module))
    return error;
  registerTranslations(*module.getContext());
  llvm::LLVMContext context;
  auto code = translate(module, context);
  if (!code)
    return code.takeError();
  if (llvm::Error error = setTarget(**code, processor))
    return error;
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*code)->print(stream, nullptr);
  return text;
}

llvm::Expected<CompiledKernels>
mpc::cpu::compileKernels(ModuleOp module, const Processor &processor) {
  if (llvm::Error error = checkRunsHere(processor))
    return error;
  auto compiled = compileImage(module, processor);
  if (!compiled)
    return compiled.takeError();
  rt::Result<rt::LoadedCode> code = rt::LoadedCode::load(compiled->image);
  if (!code.ok())
    return llvm::createStringError(code.status().message());
  for (auto &kernel : compiled->kernels)
    kernel.second.function = code->at<KernelFunction>(kernel.second.offset);
  compiled->code = std::make_shared<rt::LoadedCode>(*std::move(code));
  return compiled;
}
