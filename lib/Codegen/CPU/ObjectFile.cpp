// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimizes LLVM IR of kernels, and emits an object.
#include "lib/Codegen/CPU/ObjectFile.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopStrengthReduce.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace mpc::cpu;

/// Adds what emits an object, without strength reduction: with its analyses it
/// would take a third of the time for kernels, whose loops have many indices.
/// Kernels need little of it, because x86 addresses include an index.
/// Micro-kernels get it in optimize(). LLVM knows an option of the process
/// alone, which is as it was when this returns.
static bool addEmission(llvm::legacy::PassManager &passes,
                        llvm::TargetMachine &machine,
                        llvm::raw_pwrite_stream &stream) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  auto &options = llvm::cl::getRegisteredOptions();
  auto *disable =
      static_cast<llvm::cl::opt<bool> *>(options.lookup("disable-lsr"));
  bool before = disable && disable->getValue();
  if (disable)
    disable->setValue(true);
  bool cannot = machine.addPassesToEmitFile(passes, stream, nullptr,
                                            llvm::CodeGenFileType::ObjectFile);
  if (disable)
    disable->setValue(before);
  return !cannot;
}

// Runs the mid-level optimizations that pay: those that clean up addresses and
// hoist. The code is vectorized already, so that vectorizers and unrollers do
// not pay.
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
  // Random bits of a run are equal only now: their counters are constants
  // apart.
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
  auto reduce = llvm::createFunctionToLoopPassAdaptor(
      llvm::LoopStrengthReducePass(), /*UseMemorySSA=*/false);
  // Functions that kernels share are micro-kernels.
  for (llvm::Function &function : module)
    if (function.hasLocalLinkage() && !function.isDeclaration())
      functions.invalidate(function, reduce.run(function, functions));
}

static llvm::Error emitObject(llvm::Module &module,
                              llvm::TargetMachine &machine,
                              llvm::SmallVectorImpl<char> &object) {
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (!addEmission(passes, machine, stream))
    return llvm::createStringError("LLVM cannot emit an object");
  passes.run(module);
  return llvm::Error::success();
}

static llvm::MemoryBufferRef getReference(llvm::ArrayRef<char> object) {
  return {llvm::StringRef(object.data(), object.size()), "kernels"};
}

/// Reports undefined symbols. A kernel that calls another library would not run
/// where the program is loaded alone.
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

static void setTarget(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
}

llvm::Error mpc::cpu::setTarget(llvm::Module &module,
                                const Processor &processor) {
  auto machine = createTargetMachine(processor);
  if (!machine)
    return machine.takeError();
  ::setTarget(module, **machine);
  return llvm::Error::success();
}

llvm::Expected<llvm::SmallVector<char, 0>>
mpc::cpu::compileObject(llvm::Module &module, const Processor &processor) {
  auto machine = createTargetMachine(processor);
  if (!machine)
    return machine.takeError();
  ::setTarget(module, **machine);
  optimize(module, **machine);
  llvm::SmallVector<char, 0> object;
  if (llvm::Error error = emitObject(module, **machine, object))
    return error;
  if (llvm::Error error = checkNoUndefinedSymbol(object))
    return error;
  return object;
}
