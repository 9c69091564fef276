// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates kernels to LLVM IR, emits an object and links it to an image.
#include "lib/Codegen/CPU/Jit.h"

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/CodeImage.h"
#include "lib/Codegen/CPU/Lower.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::cpu;

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
  buildLowerToLLVM(manager);
  if (succeeded(manager.run(module)))
    return llvm::Error::success();
  return llvm::createStringError("cannot lower kernels: " + message);
}

static llvm::Expected<std::unique_ptr<llvm::Module>>
translate(ModuleOp module, llvm::LLVMContext &context,
          llvm::TargetMachine &machine) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!result)
    return llvm::createStringError("cannot translate kernels to LLVM IR");
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : *result) {
    // A loop must not become a call of memset: there is nobody to call.
    function.addFnAttr("no-builtins");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  return result;
}

// The code is vectorized already: of the mid-level, what cleans up addresses
// and hoists is worth its time, vectorizers and unrollers are not.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
}

static llvm::Error emitObject(llvm::Module &module,
                              llvm::TargetMachine &machine,
                              llvm::SmallVectorImpl<char> &object) {
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("LLVM cannot emit an object");
  passes.run(module);
  return llvm::Error::success();
}

static llvm::MemoryBufferRef getReference(llvm::ArrayRef<char> object) {
  return {llvm::StringRef(object.data(), object.size()), "kernels"};
}

/// A kernel that calls out would not run where the program is loaded alone.
static llvm::Error checkNoUndefinedSymbol(llvm::ArrayRef<char> object) {
  auto file = llvm::object::ObjectFile::createObjectFile(getReference(object));
  if (!file)
    return file.takeError();
  std::string missing;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
      missing += (missing.empty() ? "" : ", ") + name->str();
  }
  if (missing.empty())
    return llvm::Error::success();
  return llvm::createStringError("kernels call functions that they do not "
                                 "contain: " +
                                 missing);
}

static CompiledKernels listKernels(ModuleOp module) {
  CompiledKernels compiled;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    auto kernel =
        function->getAttrOfType<KernelAttr>(CPUDialect::kKernelAttrName);
    if (kernel)
      compiled.kernels[function.getName()] = {
          nullptr, 0, kernel.getChunks(),
          static_cast<uint64_t>(kernel.getScratch())};
  }
  return compiled;
}

/// Links the object and says where its kernels are.
static llvm::Error addImage(llvm::ArrayRef<char> object,
                            CompiledKernels &compiled) {
  auto image = linkImage(object);
  if (!image)
    return image.takeError();
  for (auto &kernel : compiled.kernels) {
    auto offset = image->offsets.find(kernel.first());
    if (offset == image->offsets.end())
      return llvm::createStringError("kernel '" + kernel.first() +
                                     "' was not compiled");
    kernel.second.offset = offset->second;
  }
  compiled.image = std::move(image->bytes);
  return llvm::Error::success();
}

llvm::Expected<CompiledKernels>
mpc::cpu::compileImage(ModuleOp module, const CpuTarget &target) {
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  CompiledKernels compiled = listKernels(module);
  if (llvm::Error error = lowerModule(module))
    return error;
  llvm::LLVMContext context;
  auto code = translate(module, context, **machine);
  if (!code)
    return code.takeError();
  optimize(**code, **machine);
  llvm::SmallVector<char, 0> object;
  if (llvm::Error error = emitObject(**code, **machine, object))
    return error;
  if (llvm::Error error = checkNoUndefinedSymbol(object))
    return error;
  if (llvm::Error error = addImage(object, compiled))
    return error;
  return compiled;
}

llvm::Expected<CompiledKernels>
mpc::cpu::compileKernels(ModuleOp module, const CpuTarget &target) {
  if (llvm::Error error = checkRunsHere(target))
    return error;
  auto compiled = compileImage(module, target);
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
