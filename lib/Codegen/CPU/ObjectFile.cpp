// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimizes LLVM IR of kernels, and emits an object.
#include "lib/Codegen/CPU/ObjectFile.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopStrengthReduce.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mpc::cpu;

namespace {

/// Keeps strength reduction out of the code generator. It would take a third of
/// the time for kernels, whose loops have many indices. Kernels need little of
/// it, because x86 addresses include an index. Micro-kernels get it in
/// optimize().
class NoStrengthReduction : public llvm::OptPassGate {
public:
  [[nodiscard]] bool shouldRunPass(llvm::StringRef pass,
                                   llvm::StringRef) const override {
    return pass != "Loop Strength Reduction";
  }
  [[nodiscard]] bool isEnabled() const override { return true; }
};

} // namespace

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
  static NoStrengthReduction gate;
  module.getContext().setOptPassGate(gate);
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
