// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Symbols of parameters whose names a training gives to others.
#ifndef MPC_DIALECTS_NN_PARAMETERNAMES_H
#define MPC_DIALECTS_NN_PARAMETERNAMES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mpc::nn {

/// Behind such a symbol: a character that no file has in a name.
inline constexpr char kSymbolMark = '\x1f';

/// The symbols of what passes make: the model, its loss, the entries, and the
/// state of a step.
inline bool isReservedSymbol(llvm::StringRef name) {
  constexpr llvm::StringLiteral kReserved[] = {
      "model", "loss", "init",    "step",   "accumulate",
      "apply", "eval", "measure", "scaler", "optimizer"};
  return llvm::is_contained(kReserved, name);
}

/// The symbol of the parameter that a file calls `name`.
inline std::string symbolOf(llvm::StringRef name) {
  std::string symbol = name.str();
  return isReservedSymbol(name) ? symbol + kSymbolMark : symbol;
}

/// What a user calls it, and what is named after it: "grad.step".
inline std::string nameOf(llvm::StringRef symbol) {
  std::string name = symbol.str();
  llvm::erase(name, kSymbolMark);
  return name;
}

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_PARAMETERNAMES_H
