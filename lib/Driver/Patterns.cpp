// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults in regular expressions, and expressions that match nothing.
#include "lib/Driver/Patterns.h"

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/ParameterNames.h"
#include "runtime/Support/Text.h"

using namespace mlir;
using namespace mpc;

std::string mpc::exactPattern(const std::string &name) {
  std::string pattern = "^";
  for (char c : name) {
    if (StringRef("^$\\.*+?()[]{}|/").contains(c))
      pattern += '\\';
    pattern += c;
  }
  return pattern + "$";
}

static FailureOr<NamePatterns> compileOne(const std::string &expression,
                                          std::string &message) {
  return NamePatterns::compile(
      expression, [&](const std::string &text) { message = text; });
}

rt::Status mpc::checkPatterns(const std::vector<PatternFlag> &flags) {
  std::string message;
  for (const PatternFlag &flag : flags)
    for (const std::string &expression : flag.expressions)
      if (failed(compileOne(expression, message)))
        return rt::usageError(std::string(flag.flag) + ": " + message);
  return {};
}

/// Warns of the first name that is too long for patterns, if there are
/// patterns.
static void warnOfLongName(const std::vector<std::string> &names,
                           const std::vector<PatternFlag> &flags,
                           std::vector<std::string> &warnings) {
  auto isLong = [](const std::string &name) {
    return name.size() > NamePatterns::kMaxName;
  };
  auto name = llvm::find_if(names, isLong);
  for (const PatternFlag &flag : flags)
    if (!flag.expressions.empty() && name != names.end())
      warnings.push_back(std::string(flag.flag) + " compares names of up to " +
                         std::to_string(NamePatterns::kMaxName) +
                         " bytes, and not " + rt::quote(*name) + " of " +
                         std::to_string(name->size()) + " bytes");
}

/// Each expression is tried on all names, since names are few and flags fewer.
static void warnOfUnmatched(const std::vector<std::string> &names,
                            const std::vector<PatternFlag> &flags,
                            const char *what,
                            std::vector<std::string> &warnings) {
  warnOfLongName(names, flags, warnings);
  std::string message;
  for (const PatternFlag &flag : flags)
    for (const std::string &expression : flag.expressions) {
      FailureOr<NamePatterns> pattern = compileOne(expression, message);
      if (succeeded(pattern) &&
          llvm::none_of(names, [&](const std::string &name) {
            return pattern->matches(name);
          }))
        warnings.push_back(std::string(flag.flag) + "=" +
                           rt::quote(expression) + " matches no " + what);
    }
}

static std::vector<std::string> parameterNames(ModuleOp module) {
  std::vector<std::string> names;
  for (auto parameter : module.getOps<nn::ParameterOp>())
    names.push_back(nn::nameOf(parameter.getSymName()));
  return names;
}

void mpc::warnOfUnmatchedParameters(ModuleOp module,
                                    const std::vector<PatternFlag> &flags,
                                    std::vector<std::string> &warnings) {
  warnOfUnmatched(parameterNames(module), flags, "parameter", warnings);
}

rt::Status mpc::checkGroupMembers(ModuleOp module,
                                  const std::vector<std::string> &expressions) {
  const std::vector<std::string> all = parameterNames(module);
  std::vector<std::string> left = all;
  std::string message;
  for (const std::string &expression : expressions) {
    FailureOr<NamePatterns> pattern = compileOne(expression, message);
    auto matches = [&](const std::string &name) {
      return succeeded(pattern) && pattern->matches(name);
    };
    std::string start = "--group=" + rt::quote(expression);
    if (llvm::none_of(all, matches))
      return rt::usageError(start + " matches no parameter; there are " +
                            rt::joinSome(all));
    if (llvm::none_of(left, matches))
      return rt::usageError(start + ": earlier groups have all parameters that "
                                    "it matches; put it before them");
    llvm::erase_if(left, matches);
  }
  return {};
}

void mpc::warnOfUnmatchedNodes(ModuleOp module,
                               const std::vector<PatternFlag> &flags,
                               std::vector<std::string> &warnings) {
  std::vector<std::string> names;
  module.walk([&](Operation *op) {
    names.push_back(op->getName().stripDialect().str());
    names.push_back(getNodeName(op->getLoc()).str());
  });
  warnOfUnmatched(names, flags, "node or op", warnings);
}
