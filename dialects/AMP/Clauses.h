// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The table of clauses, AMPClauses.td, as data: how the values of a recipe are
/// parsed, printed, checked and recorded.
#ifndef MPC_DIALECTS_AMP_CLAUSES_H
#define MPC_DIALECTS_AMP_CLAUSES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace mpc::amp {

/// Rows that tools offer together.
enum class Section : uint8_t { Loss, Mode, Precision, Training };

/// Which numbers a value may be.
enum class NumberRange : uint8_t {
  Any,
  NonNegative, ///< Finite, at least 0.
  Positive,    ///< Finite, above 0.
  Unit,        ///< In [0, 1).
  Share,       ///< In [0, 1].
  Inside,      ///< In (0, 1).
  Above1,      ///< Finite, above 1.
  Counting,    ///< A whole number from 1 to 2^20.
  Seed         ///< A whole number in [0, 2^53).
};

/// How much of a value a checkpoint's record has.
enum class Record : uint8_t {
  Whole,
  OnOff, ///< Only whether it is set, since the number itself is state.
  /// Nothing: the value decides nothing about the state, or all of it is state.
  Nothing
};

/// What a flag of a value takes.
using FlagValue = std::variant<bool, double, int64_t, std::string,
                               std::vector<std::string>, std::vector<double>>;

struct ValueRow;

/// How a value is written.
struct ValueKind {
  /// Returns null after reporting an error.
  mlir::Attribute (*parse)(mlir::AsmParser &, const ValueRow &);
  /// With `asRecord`, prints only what a checkpoint's record has, and sorts
  /// lists.
  void (*print)(llvm::raw_ostream &, mlir::Attribute, bool asRecord);
  mlir::Attribute (*read)(mlir::MLIRContext *, const FlagValue &) = nullptr;
  /// Makes the attribute of a clause with fields; null for other kinds.
  mlir::Attribute (*make)(mlir::DictionaryAttr fields) = nullptr;
  mlir::DictionaryAttr (*fieldsOf)(mlir::Attribute) = nullptr;
};

/// A clause, or a field of one.
struct ValueRow {
  uint16_t order;
  Section section;
  llvm::StringLiteral clause;
  llvm::StringLiteral key; ///< The name of the field; empty for a clause.
  const ValueKind *kind;
  NumberRange range;
  llvm::StringLiteral
      words; ///< The words it may be: "f64|torch"; empty for any.
  llvm::StringLiteral standard; ///< The value's text that is left out.
  Record record;
  /// Whether the record has the value also where its text is `standard`.
  bool isAlwaysRecorded;
};

/// Clauses, each before its fields, in the order of printing.
llvm::ArrayRef<ValueRow> allValues();
/// The row of that clause or field; null where there is none.
const ValueRow *findValue(llvm::StringRef clause, llvm::StringRef key = "");

/// Parses clauses into `attributes` up to the first word that is no clause.
mlir::ParseResult parseClauses(mlir::OpAsmParser &parser,
                               mlir::NamedAttrList &attributes);
/// The clauses that differ from their defaults: " precision(fp16) clip<global =
/// 1.0>".
std::string printClauses(mlir::Operation *op);
/// A checkpoint's record of a recipe: the clauses of `section`, or of all
/// sections, without numbers that are state.
std::string recordClauses(mlir::Operation *op,
                          std::optional<Section> section = std::nullopt);

/// The first value of `op` that is out of its range: "'l1' must be finite and 0
/// or more, not -1.0"; empty for none.
std::string findOutOfRange(mlir::Operation *op);
/// "must be positive and finite, not -1.0" of a number outside of the range;
/// empty for any other.
std::string describeOutOfRange(double number, NumberRange range,
                               bool isWhole = false);

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_CLAUSES_H
