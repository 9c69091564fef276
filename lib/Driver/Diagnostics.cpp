// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as text.
#include "lib/Driver/Diagnostics.h"

#include "dialects/Interfaces/NodeNames.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mpc;

static std::string describe(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (StringRef node = getNodeName(diagnostic.getLocation()); !node.empty())
    os << (isGradient(diagnostic.getLocation()) ? "gradient of node '"
                                                : "node '")
       << node << "': ";
  else if (auto file = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    // Only a text file has lines.
    os << file.getFilename().getValue()
       << (file.getLine() ? ":" + std::to_string(file.getLine()) : "") << ": ";
  os << diagnostic.str();
  return text;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler_(context, [this](Diagnostic &diagnostic) {
        std::string text = describe(diagnostic);
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          errorText_ += (errorText_.empty() ? "" : "\n") + text;
        else if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
          warningTexts_.push_back(text);
        return success();
      }) {}

rt::Status DiagnosticCollector::status(const std::string &stage) const {
  if (errorText_.empty())
    return rt::internalError(stage + " failed without saying why");
  return rt::invalidInput(errorText_);
}
