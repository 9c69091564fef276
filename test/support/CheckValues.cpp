// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-check-values: runs the functions of a module on the values that stand at
// their arguments, and compares what they return with those at their results.
#include "test/support/Compile.h"
#include "test/support/Values.h"

#include "dialects/Interfaces/OpInterfaces.h"
#include "dialects/Kernel/KernelDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace mpc;

static llvm::cl::list<std::string> files(llvm::cl::Positional,
                                         llvm::cl::desc("FILE.mlir..."));
static llvm::cl::opt<std::string> completeFolder(
    "complete", llvm::cl::value_desc("DIALECT=DIR"),
    llvm::cl::desc("fail unless DIR has <op>.mlir for every op of DIALECT "
                   "that computes values"));

/// Every op whose kernel has a body yields values that a file can state, and so
/// does what moves data between kernels.
static bool computesValues(const mlir::RegisteredOperationName &name) {
  bool movesData =
      name.hasTrait<mlir::OpTrait::AlwaysSpeculatableImplTrait>() &&
      !name.hasTrait<mlir::OpTrait::IsTerminator>() &&
      name.getDialectNamespace() ==
          kernel::KernelDialect::getDialectNamespace();
  return movesData || name.hasInterface<KernelBodyOpInterface>() ||
         name.hasInterface<ScalarBodyOpInterface>();
}

/// How many ops of a dialect have no file; names them.
static int countMissing(mlir::MLIRContext &context, llvm::StringRef where) {
  auto [dialect, folder] = where.split('=');
  int missing = 0, known = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != dialect || !computesValues(name))
      continue;
    ++known;
    llvm::SmallString<128> file(folder);
    llvm::sys::path::append(file, name.stripDialect() + ".mlir");
    if (llvm::sys::fs::exists(file))
      continue;
    ++missing;
    llvm::WithColor::error(llvm::errs(), "mpc-check-values")
        << name.getStringRef() << " has no values: expected " << file << "\n";
  }
  llvm::outs() << known << " ops compute values, " << missing
               << " without a file\n";
  return missing;
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "Holds ops against values that stand in a file.\n");
  std::unique_ptr<mlir::MLIRContext> context = test::makeContext();
  int faults =
      completeFolder.empty() ? 0 : countMissing(*context, completeFolder);
  for (const std::string &file : files)
    faults += test::checkValues(*context, file);
  return faults == 0 ? 0 : 1;
}
