// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Node names in locations, and patterns over them.
#include "dialects/Interfaces/NodeNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc;

static void collectNames(Location loc, SmallVectorImpl<StringRef> &names) {
  llvm::TypeSwitch<LocationAttr>(loc)
      .Case([&](NameLoc name) {
        if (!name.getName().empty())
          names.push_back(name.getName().getValue());
      })
      .Case([&](FusedLoc fused) {
        for (Location part : fused.getLocations())
          collectNames(part, names);
      })
      .Case([&](CallSiteLoc call) { collectNames(call.getCallee(), names); });
}

SmallVector<StringRef> mpc::getNodeNames(Location loc) {
  SmallVector<StringRef> names;
  collectNames(loc, names);
  return names;
}

StringRef mpc::getNodeName(Location loc) {
  SmallVector<StringRef> names = getNodeNames(loc);
  return names.empty() ? StringRef() : names.front();
}

StringRef mpc::getNodeScope(Location loc) {
  return llvm::TypeSwitch<LocationAttr, StringRef>(loc)
      .Case([](NameLoc name) {
        auto scope = dyn_cast<NameLoc>(name.getChildLoc());
        return scope ? scope.getName().getValue() : StringRef();
      })
      .Case([](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (StringRef scope = getNodeScope(part); !scope.empty())
            return scope;
        return StringRef();
      })
      .Default([](LocationAttr) { return StringRef(); });
}

bool mpc::isGradient(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  auto mark =
      fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
  return mark && mark.getValue() == "gradient";
}

FailureOr<NamePatterns>
NamePatterns::compile(ArrayRef<std::string> expressions,
                      function_ref<void(const std::string &)> emitError) {
  NamePatterns result;
  for (const std::string &expression : expressions) {
    if (expression.size() > kMaxExpression) {
      emitError("the regular expression '" + expression.substr(0, 40) +
                "...' has " + std::to_string(expression.size()) +
                " bytes, more than " + std::to_string(kMaxExpression));
      return failure();
    }
    // std::regex reports errors by throwing; nothing leaves this function.
    try {
      result.patterns_.emplace_back(expression, std::regex::ECMAScript |
                                                    std::regex::optimize);
    } catch (const std::regex_error &error) {
      emitError("'" + expression +
                "' is not a regular expression: " + error.what());
      return failure();
    }
  }
  return result;
}

bool NamePatterns::matches(StringRef name) const {
  if (name.size() > kMaxName)
    return false;
  return llvm::any_of(patterns_, [&](const std::regex &pattern) {
    return std::regex_search(name.begin(), name.end(), pattern);
  });
}
