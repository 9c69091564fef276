// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Erases unused constants, and verifies.
#include "lib/Import/Finish.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace llvm;
using namespace mlir;

void mpc::eraseUnusedConstants(func::FuncOp function) {
  for (auto constant :
       llvm::make_early_inc_range(function.getOps<nn::ConstantOp>()))
    if (constant->use_empty())
      constant.erase();
}

Error mpc::verifyImported(ModuleOp module, StringRef path) {
  std::string first;
  ScopedDiagnosticHandler capture(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (!first.empty())
          return success();
        if (auto name = dyn_cast<NameLoc>(diagnostic.getLocation()))
          first = "node '" + printable(name.getName()) + "': ";
        first += diagnostic.str();
        return success();
      });
  if (succeeded(verify(module)))
    return Error::success();
  return internalFault(path + ": " + first +
                       " (the importer has made IR that does not verify)");
}
