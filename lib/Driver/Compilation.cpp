// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of pipelines, and reproducers.
#include "lib/Driver/Compilation.h"

#include "lib/Driver/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mpc;

namespace {

/// The failure of a pipeline.
struct Fault {
  std::string pass;       ///< The pass that started last.
  std::string leftByPass; ///< The verifier's error for the IR after that pass.
  bool isKnown = false;   ///< Whether a pass has failed.
};

/// Finds the failing pass. The pass manager reports a pass that fails and IR
/// that does not verify in the same way, so that the verifier is run again.
class FaultFinder : public PassInstrumentation {
public:
  explicit FaultFinder(Fault &fault) : fault_(fault) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (!fault_.isKnown && !pass->getArgument().empty())
      fault_.pass = pass->getArgument().str();
  }

  void runAfterPassFailed(Pass *, Operation *op) override {
    if (fault_.isKnown)
      return;
    fault_.isKnown = true;
    DiagnosticCollector again(op->getContext());
    if (failed(verify(op)))
      fault_.leftByPass = again.errors();
  }

private:
  Fault &fault_;
};

} // namespace

/// Makes a file with a new name in the working folder or, if that fails, in the
/// folder for temporary files; empty where neither works.
static std::string makeFile() {
  SmallString<128> path;
  if (!llvm::sys::fs::createUniqueFile("mpc-reproducer-%%%%%%.mlir", path))
    return path.str().str();
  if (!llvm::sys::fs::createTemporaryFile("mpc-reproducer", "mlir", path))
    return path.str().str();
  return {};
}

/// Writes `module` and its pipeline to a file; returns a sentence on where it
/// is.
static std::string writeReproducer(ModuleOp module, PassManager &manager) {
  std::string path = makeFile();
  if (path.empty())
    return "no reproducer could be written";
  (void)makeReproducer(manager.getOpAnchorName(), manager.getPasses(), module,
                       path, /*disableThreads=*/true, /*verifyPasses=*/true);
  return "mpc-opt --run-reproducer " + path + " shows it again";
}

/// Whether the message printed last is the verifier's.
static bool isInvalid(const Fault &fault, const DiagnosticCollector &printed) {
  return !fault.leftByPass.empty() &&
         StringRef(printed.errors()).ends_with(fault.leftByPass);
}

Compilation::Compilation(OwningOpRef<ModuleOp> &module,
                         std::vector<std::string> &warnings, bool isTool)
    : module_(module), warnings_(warnings), manager_(module->getContext()),
      isTool_(isTool) {}

/// Runs `function`; false where it crashed.
static bool survives(llvm::function_ref<void()> function) {
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  bool survived = recovery.RunSafely(function);
  // A training has signal handlers of its own.
  llvm::CrashRecoveryContext::Disable();
  return survived;
}

/// Runs the passes; false where one crashed. IR after a success has been
/// verified.
bool Compilation::runPasses(bool verifyEach, LogicalResult &result) {
  manager_.enableVerifier(verifyEach);
  auto runAll = [&] {
    result = manager_.run(*module_);
    if (succeeded(result) && !verifyEach)
      result = verify(*module_);
  };
  if (isTool_)
    return survives(runAll);
  runAll();
  return true;
}

rt::Status Compilation::run() {
  OwningOpRef<ModuleOp> source = module_->clone();
  Fault fault;
  manager_.addInstrumentation(std::make_unique<FaultFinder>(fault));
  std::optional<DiagnosticCollector> collector(module_->getContext());
  LogicalResult result = failure();
  bool survived = runPasses(/*verifyEach=*/false, result);
  // Verifying after each pass takes as long as the passes, and only adds which
  // of them failed. It is done in a repeated run.
  if (survived && failed(result)) {
    fault = {};
    module_ = source->clone();
    collector.emplace(module_->getContext());
    survived = runPasses(/*verifyEach=*/true, result);
  }
  const DiagnosticCollector &diagnostics = *collector;
  llvm::append_range(warnings_, diagnostics.warnings());
  if (succeeded(result))
    return {};
  if (survived && !diagnostics.errors().empty() &&
      !isInvalid(fault, diagnostics))
    return diagnostics.status("compilation");
  std::string what = "a bug in mpc: pass '" + fault.pass + "' ";
  what += !survived                      ? "crashed"
          : diagnostics.errors().empty() ? "failed without saying why"
                                         : "made IR that does not verify";
  if (!survived)
    (void)module_.release(); // After a crash the module may be inconsistent.
  if (!diagnostics.errors().empty())
    what += "\n" + diagnostics.errors();
  return rt::internalError(
      what + "\n" +
      (isTool_
           ? writeReproducer(*source, manager_)
           : "mpc-compile of the same model and flags writes a reproducer"));
}
