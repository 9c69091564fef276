// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags of the clauses of a recipe, by the table of clauses
/// (dialects/AMP/AMPClauses.td), and the values that they take.
#ifndef MPC_LIB_DRIVER_CLAUSEFLAGS_H
#define MPC_LIB_DRIVER_CLAUSEFLAGS_H

#include "dialects/AMP/Recipe.h"
#include "runtime/Support/Status.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpc {

/// The heading under which --help lists a flag.
enum class FlagGroup : uint8_t { Input, Precision, LossScaling, Optimizer };

/// The type of value that a flag takes.
enum class FlagKind : uint8_t {
  Switch,
  Number,
  Integer,
  Word,
  Words,    ///< A word for each use of the flag.
  Settings, ///< One flag for each setting of loss-scale policies.
  Own       ///< lib/Driver/Flags handles the flag by its name.
};

struct FlagRow {
  uint16_t order;
  amp::Section section;
  /// The clause and the field that the flag sets: see amp::ValueRow.
  llvm::StringLiteral clause, key;
  llvm::StringLiteral flag; ///< "--clip-norm"
  llvm::StringLiteral type; ///< The text of --help after "=".
  FlagGroup group;
  std::string (*help)();
  FlagKind kind;
  amp::NumberRange range;
  llvm::StringLiteral
      words; ///< The words it takes: "f64|torch"; empty for any.
  /// Reads the flag; null where the value's kind does.
  rt::Status (*read)(const amp::FlagValue &, amp::RecipeOp);
  /// The number of the state that it sets; empty for none.
  llvm::StringLiteral state;
};

/// The flags in the order of --help.
llvm::ArrayRef<FlagRow> allFlags();
/// The flag of a clause or of a field; null where it has none.
const FlagRow *findFlag(llvm::StringRef clause, llvm::StringRef key);

/// The values of the given flags, by flag.
using GivenClauses = std::map<std::string, amp::FlagValue, std::less<>>;

/// A clause, a field and its value in the spelling of flags: "--larc=clip".
std::string spellFlag(llvm::StringRef clause, llvm::StringRef key,
                      llvm::StringRef value);

/// Writes the given clauses of `section` into the recipe. Usage errors name the
/// flag.
rt::Status writeSection(const GivenClauses &given, amp::Section section,
                        amp::RecipeOp recipe);

/// A value of --group.
struct GroupFlag {
  std::string pattern;
  std::optional<double> lr, weightDecay;
};

/// The values of --group, "REGEX:lr=X,weight-decay=X". Usage errors name the
/// value.
rt::Result<std::vector<GroupFlag>>
parseGroups(const std::vector<std::string> &texts);

/// The losses that --loss takes: "cross_entropy[:OUTPUT], ...".
std::string knownLossFlags();

} // namespace mpc

#endif // MPC_LIB_DRIVER_CLAUSEFLAGS_H
