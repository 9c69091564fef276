// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags of the clauses of a recipe, by the table of clauses
/// (dialects/AMP/AMPClauses.td), and what is given to them.
#ifndef MPC_LIB_DRIVER_CLAUSEFLAGS_H
#define MPC_LIB_DRIVER_CLAUSEFLAGS_H

#include "dialects/AMP/Recipe.h"
#include "runtime/Support/Status.h"

#include <map>
#include <string>

namespace mpc {

/// Under which heading --help has a flag.
enum class FlagGroup : uint8_t { Input, Precision, LossScaling, Optimizer };

/// What a flag takes.
enum class FlagKind : uint8_t {
  Switch,
  Number,
  Integer,
  Word,
  Words,    ///< Given once for each.
  Settings, ///< Flags, one for each setting of loss-scale policies.
  Own       ///< What lib/Driver/Flags knows by its name.
};

struct FlagRow {
  uint16_t order;
  amp::Section section;
  llvm::StringLiteral clause, key; ///< What it sets: see amp::ValueRow.
  llvm::StringLiteral flag;        ///< "--clip-norm"
  llvm::StringLiteral type;        ///< What --help has behind "=".
  FlagGroup group;
  std::string (*help)();
  FlagKind kind;
  amp::NumberRange range;
  llvm::StringLiteral words; ///< Which words it takes: "f64|torch"; or any.
  /// Null where the value's kind reads it.
  rt::Status (*read)(const amp::FlagValue &, amp::RecipeOp);
  llvm::StringLiteral state; ///< The number of the state that it sets; or none.
};

/// In the order of --help.
llvm::ArrayRef<FlagRow> allFlags();
/// The flag of a clause or of a field; null where it has none.
const FlagRow *findFlag(llvm::StringRef clause, llvm::StringRef key);

/// What was given, by flag.
using GivenClauses = std::map<std::string, amp::FlagValue, std::less<>>;

/// A clause, a field and its value as flags have them: "--larc=clip".
std::string spellFlag(llvm::StringRef clause, llvm::StringRef key,
                      llvm::StringRef value);

/// Writes what was given of `section` into the recipe. Usage errors name the
/// flag.
rt::Status writeSection(const GivenClauses &given, amp::Section section,
                        amp::RecipeOp recipe);

/// Which losses --loss takes: "cross_entropy[:OUTPUT], ...".
std::string knownLossFlags();

} // namespace mpc

#endif // MPC_LIB_DRIVER_CLAUSEFLAGS_H
