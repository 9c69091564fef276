// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The table of clauses, AMPClauses.td, as data: how what a recipe says is
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

/// Rows that tools have together.
enum class Section : uint8_t { Loss, Mode, Precision, Training };

/// Which numbers a value may be.
enum class NumberRange : uint8_t {
  Any,
  NonNegative, ///< Finite, at least 0.
  Positive,    ///< Finite, above 0.
  Unit,        ///< In [0, 1).
  Share,       ///< In [0, 1].
  Counting,    ///< A whole number of at least 1.
  Seed         ///< A whole number in [0, 2^53).
};

/// What of a value a checkpoint's record has.
enum class Record : uint8_t {
  Whole,
  OnOff,  ///< That it is set: the number is state.
  Nothing ///< It decides nothing about the state, or all of it is state.
};

/// What is given to a flag of a value.
using FlagValue = std::variant<bool, double, int64_t, std::string,
                               std::vector<std::string>, std::vector<double>>;

struct ValueRow;

/// How a value is written.
struct ValueKind {
  /// Null where there was an error, which is told.
  mlir::Attribute (*parse)(mlir::AsmParser &, const ValueRow &);
  /// `asRecord`: only what a checkpoint's record has, lists in order.
  void (*print)(llvm::raw_ostream &, mlir::Attribute, bool asRecord);
  mlir::Attribute (*read)(mlir::MLIRContext *, const FlagValue &) = nullptr;
  /// Of a clause with fields.
  mlir::Attribute (*make)(mlir::DictionaryAttr fields) = nullptr;
  mlir::DictionaryAttr (*fieldsOf)(mlir::Attribute) = nullptr;
};

/// A clause, or a field of one.
struct ValueRow {
  uint16_t order;
  Section section;
  llvm::StringLiteral clause;
  llvm::StringLiteral key; ///< Of a field; empty for a clause.
  const ValueKind *kind;
  NumberRange range;
  llvm::StringLiteral words;    ///< Which words it may be: "f64|torch"; or any.
  llvm::StringLiteral standard; ///< The text that is left out.
  Record record;
  bool isAlwaysRecorded; ///< Also where its text is `standard`.
};

/// Clauses, each before its fields, in the order in which they are printed.
llvm::ArrayRef<ValueRow> allValues();
/// Null where there is none.
const ValueRow *findValue(llvm::StringRef clause, llvm::StringRef key = "");

/// Parses clauses into `attributes` until there are no more.
mlir::ParseResult parseClauses(mlir::OpAsmParser &parser,
                               mlir::NamedAttrList &attributes);
/// " precision(fp16) clip<global = 1.0>", of what differs from the defaults.
std::string printClauses(mlir::Operation *op);
/// What a checkpoint says of a recipe: the clauses of `section`, or of all,
/// without numbers that are state.
std::string recordClauses(mlir::Operation *op,
                          std::optional<Section> section = std::nullopt);

/// The first value of `op` that is out of its range: "'l1' must be finite and 0
/// or more, not -1.0"; empty for none.
std::string findOutOfRange(mlir::Operation *op);

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_CLAUSES_H
