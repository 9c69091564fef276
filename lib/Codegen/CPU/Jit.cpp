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

#include <atomic>
#include <chrono>
#include <thread>

using namespace mlir;
using namespace mpc;
using namespace mpc::cpu;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Lowers `module` to the LLVM dialect; the error is what was diagnosed.
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

/// Some of the kernels on their way to code.
struct Part {
  std::unique_ptr<llvm::LLVMContext> context =
      std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::optional<llvm::Expected<CodeImage>> image; ///< Once it is compiled.
};

} // namespace

static llvm::Expected<CodeImage> compilePart(llvm::Module &module,
                                             const Processor &processor) {
  auto object = compileObject(module, processor);
  if (!object)
    return object.takeError();
  return linkImage(*object);
}

/// Compiles all parts, each by the next thread that is idle.
static void compileParts(std::vector<Part> &parts, const Processor &processor) {
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t part = next++; part < parts.size(); part = next++)
      parts[part].image.emplace(compilePart(*parts[part].module, processor));
  };
  size_t helpers =
      std::min<size_t>(parts.size(),
                       std::max(std::thread::hardware_concurrency(), 1U)) -
      1;
  std::vector<std::thread> threads;
  for (size_t helper = 0; helper < helpers; ++helper)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

static CompiledKernels listKernels(ModuleOp module) {
  CompiledKernels compiled;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (auto kernel = dyn_cast_or_null<KernelAttr>(
            mpc::kernel::getEmittedKernel(function)))
      compiled.kernels[function.getName()] = {
          nullptr, 0, kernel.getChunks(),
          static_cast<uint64_t>(kernel.getScratch())};
  }
  return compiled;
}

/// Appends `image` to the code so far and returns how many kernels it has.
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

static llvm::Error addImages(std::vector<Part> &parts,
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

static llvm::Expected<std::vector<Part>> translateParts(ModuleOp module) {
  registerTranslations(*module.getContext());
  std::vector<Part> parts;
  for (OwningOpRef<ModuleOp> &piece : splitModule(module)) {
    Part &part = parts.emplace_back();
    auto code = translate(*piece, *part.context);
    if (!code)
      return code.takeError();
    part.module = std::move(*code);
  }
  return parts;
}

llvm::Expected<CompiledKernels>
mpc::cpu::compileImage(ModuleOp module, const Processor &processor) {
  CompiledKernels compiled = listKernels(module);
  auto start = Clock::now();
  if (llvm::Error error = lowerModule(module))
    return error;
  auto parts = translateParts(module);
  if (!parts)
    return parts.takeError();
  compiled.loweringSeconds = secondsSince(start);
  start = Clock::now();
  compileParts(*parts, processor);
  if (llvm::Error error = addImages(*parts, compiled))
    return error;
  compiled.llvmSeconds = secondsSince(start);
  return compiled;
}

llvm::Expected<std::string> mpc::cpu::printLLVM(ModuleOp module,
                                                const Processor &processor) {
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
