// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The symbols of parameters whose names collide with symbols that passes make.
#ifndef MPC_DIALECTS_NN_PARAMETERNAMES_H
#define MPC_DIALECTS_NN_PARAMETERNAMES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mpc::nn {

/// The character at the end of such a symbol. No name in a file has it.
inline constexpr char kSymbolMark = '\x1f';

/// Whether `name` is a symbol that passes make: the model, its loss, the
/// entries, and the state of a step.
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

/// The name of the parameter for users, and for names derived from it:
/// "grad.step".
inline std::string nameOf(llvm::StringRef symbol) {
  std::string name = symbol.str();
  llvm::erase(name, kSymbolMark);
  return name;
}

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_PARAMETERNAMES_H
