// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar ops as CUDA C++, by a table with an entry for each.
#include "lib/Codegen/CUDA/ScalarText.h"

#include "dialects/Interfaces/ElementTypes.h"
#include "dialects/Interfaces/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using mpc::isLowPrecision;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A signed truth value is 0 or -1.
static std::string getInteger(StringRef sign, Type type) {
  if (sign == "i" && type.isInteger(1))
    return "-mpc_i8";
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return ("mpc_" + sign + Twine(std::max(bits, 8u))).str();
}

std::string mpc::cuda::getTypeText(Type type) {
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isInteger(1))
    return "bool";
  return getInteger(type.isIndex() ? "i" : "u", type);
}

std::string mpc::cuda::getStorageText(Type type) {
  return type.isInteger(1) ? "mpc_u8" : getTypeText(type);
}

int64_t mpc::cuda::getStorageBytes(Type type) {
  return type.isIndex() ? 8 : std::max(type.getIntOrFloatBitWidth() / 8, 1u);
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

/// The shortest decimal that reads back as `value`, as a C++ literal.
static std::string getDecimal(const APFloat &value) {
  bool isDouble = &value.getSemantics() == &APFloat::IEEEdouble();
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    double number = isDouble ? value.convertToDouble() : value.convertToFloat();
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, number);
    APFloat back(value.getSemantics(), text);
    if (back.bitwiseIsEqual(value))
      break;
  }
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return isDouble ? text : text + "f";
}

static std::string getFloatLiteral(FloatAttr attr) {
  const APFloat &value = attr.getValue();
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  if (isLowPrecision(attr.getType()))
    return llvm::formatv("mpc_u16({0:x})", bits);
  if (value.isFinite())
    return getDecimal(value);
  if (attr.getType().isF64())
    return llvm::formatv("mpc_double({0:x}ull)", bits);
  return llvm::formatv("mpc_float({0:x}u)", bits);
}

std::string mpc::cuda::getLiteral(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return getFloatLiteral(number);
  auto number = cast<IntegerAttr>(value);
  if (number.getType().isInteger(1))
    return number.getValue().isZero() ? "false" : "true";
  int64_t plain = number.getValue().getSExtValue();
  if (plain == INT64_MIN)
    return getTypeText(number.getType()) + "(1ull << 63)";
  return llvm::formatv("{0}({1})", getTypeText(number.getType()), plain);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The position of the parenthesis that closes the one at `open`.
static size_t findEnd(StringRef text, size_t open) {
  int depth = 0;
  size_t at = open;
  do
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  while (depth > 0 && ++at < text.size());
  return at;
}

/// `value` as `type`. It may have that type already: a single conversion to it.
static std::string convert(StringRef type, StringRef value) {
  bool isCall = value.starts_with((type + "(").str()) &&
                findEnd(value, type.size()) + 1 == value.size();
  return isCall ? value.str() : (type + "(" + value + ")").str();
}

/// `pattern` with the operands in place of $0, $1, .. The text in the
/// parentheses of $T(..) is converted to the result's type, in $S(..) and
/// $U(..) to the signed and unsigned type of the first operand. A leading @
/// truncates the whole to the result's type where C++ computes in int.
static std::string fill(StringRef pattern, Operation *op,
                        ArrayRef<std::string> operands) {
  if (pattern.consume_front("@")) {
    Type type = op->getResult(0).getType();
    std::string whole = fill(pattern, op, operands);
    bool isNarrow = !type.isIndex() && type.getIntOrFloatBitWidth() < 32;
    return isNarrow ? mpc::cuda::getTypeText(type) + "(" + whole + ")" : whole;
  }
  std::string text;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '$') {
      text += pattern[at];
      continue;
    }
    char what = pattern[++at];
    if (llvm::isDigit(what)) {
      text += operands[what - '0'];
      continue;
    }
    std::string type =
        what == 'T'
            ? mpc::cuda::getTypeText(op->getResult(0).getType())
            : getInteger(what == 'S' ? "i" : "u", op->getOperand(0).getType());
    // The letter names the type of the text in the following parentheses.
    size_t end = findEnd(pattern, at + 1);
    std::string inner = fill(pattern.slice(at + 2, end), op, operands);
    text += convert(type, inner);
    at = end;
  }
  return text;
}

static StringRef getPattern(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return "false";
  case arith::CmpFPredicate::OEQ:
    return "$0 == $1";
  case arith::CmpFPredicate::OGT:
    return "$0 > $1";
  case arith::CmpFPredicate::OGE:
    return "$0 >= $1";
  case arith::CmpFPredicate::OLT:
    return "$0 < $1";
  case arith::CmpFPredicate::OLE:
    return "$0 <= $1";
  case arith::CmpFPredicate::ONE:
    return "$0 < $1 || $0 > $1";
  case arith::CmpFPredicate::ORD:
    return "$0 == $0 && $1 == $1";
  case arith::CmpFPredicate::UEQ:
    return "!($0 < $1 || $0 > $1)";
  case arith::CmpFPredicate::UGT:
    return "!($0 <= $1)";
  case arith::CmpFPredicate::UGE:
    return "!($0 < $1)";
  case arith::CmpFPredicate::ULT:
    return "!($0 >= $1)";
  case arith::CmpFPredicate::ULE:
    return "!($0 > $1)";
  case arith::CmpFPredicate::UNE:
    return "$0 != $1";
  case arith::CmpFPredicate::UNO:
    return "$0 != $0 || $1 != $1";
  case arith::CmpFPredicate::AlwaysTrue:
    return "true";
  }
  llvm_unreachable("all predicates are above");
}

static StringRef getPattern(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "$0 == $1";
  case arith::CmpIPredicate::ne:
    return "$0 != $1";
  case arith::CmpIPredicate::slt:
    return "$S($0) < $S($1)";
  case arith::CmpIPredicate::sle:
    return "$S($0) <= $S($1)";
  case arith::CmpIPredicate::sgt:
    return "$S($0) > $S($1)";
  case arith::CmpIPredicate::sge:
    return "$S($0) >= $S($1)";
  case arith::CmpIPredicate::ult:
    return "$U($0) < $U($1)";
  case arith::CmpIPredicate::ule:
    return "$U($0) <= $U($1)";
  case arith::CmpIPredicate::ugt:
    return "$U($0) > $U($1)";
  case arith::CmpIPredicate::uge:
    return "$U($0) >= $U($1)";
  }
  llvm_unreachable("all predicates are above");
}

/// "f16" or "bf16", as in the names of the prelude's conversions.
static StringRef getFormat(Type type) {
  return mpc::elementFormatOf(type)->name;
}

static std::string widen(Type type, StringRef value) {
  return ("mpc_" + getFormat(type) + "_to_f32(" + value + ")").str();
}

static std::string narrow(Type type, StringRef value) {
  return ("mpc_f32_to_" + getFormat(type) + "(" + value + ")").str();
}

static std::string spellExtension(Operation *op, ArrayRef<std::string> in) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  std::string text = isLowPrecision(from) ? widen(from, in[0]) : in[0];
  return to.isF64() ? "double(" + text + ")" : text;
}

// Truncates f64 through an f32 that is rounded to odd, so that nothing is
// rounded twice.
static std::string spellTruncation(Operation *op, ArrayRef<std::string> in) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (!isLowPrecision(to))
    return "float(" + in[0] + ")";
  return narrow(to, from.isF64() ? "mpc_to_odd(" + in[0] + ")" : in[0]);
}

static std::string spellBitcast(Operation *op, ArrayRef<std::string> in) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  auto isWide = [](Type type) { return type.isF32() || type.isF64(); };
  if (isWide(from) == isWide(to))
    return in[0];
  if (isWide(from))
    return "mpc_bits(" + in[0] + ")";
  return (to.isF64() ? "mpc_double(" : "mpc_float(") + in[0] + ")";
}

// Truth values add up modulo 2.
static std::string spellSum(Operation *op, ArrayRef<std::string> in) {
  bool isTruth = op->getResult(0).getType().isInteger(1);
  return fill(isTruth ? "$0 != $1" : "@$0 + $1", op, in);
}

static std::string spellDifference(Operation *op, ArrayRef<std::string> in) {
  bool isTruth = op->getResult(0).getType().isInteger(1);
  return fill(isTruth ? "$0 != $1" : "@$0 - $1", op, in);
}

// Narrower types are the low bits of an i32.
static std::string spellSigned(Operation *op, ArrayRef<std::string> in) {
  bool isLong = op->getResult(0).getType().getIntOrFloatBitWidth() == 64;
  return fill(isLong ? "$T(mpc_to_i64($0))" : "$T(mpc_to_i32($0))", op, in);
}

namespace {

using Spell = std::string (*)(Operation *, ArrayRef<std::string>);

/// The spelling of an op: a pattern, or a function.
struct Spelling {
  StringRef pattern;
  Spell function = nullptr;
  /// Whether the op takes 16-bit floats as their bits, because it moves or
  /// converts them.
  bool takesBits = false;
  /// Of f32, where a result of 16 bits follows; empty for none.
  StringRef approximate = "";
};

using Table = llvm::DenseMap<TypeID, Spelling>;

template <typename Op>
Table::value_type entry(StringRef pattern, bool takesBits = false) {
  return {TypeID::get<Op>(), {pattern, nullptr, takesBits}};
}

template <typename Op>
Table::value_type approximated(StringRef pattern, StringRef approximate) {
  return {TypeID::get<Op>(), {pattern, nullptr, false, approximate}};
}

template <typename Op>
Table::value_type entry(Spell function, bool takesBits = false) {
  return {TypeID::get<Op>(), {"", function, takesBits}};
}

template <typename Op>
std::string spellComparison(Operation *op, ArrayRef<std::string> in) {
  return fill(getPattern(cast<Op>(op).getPredicate()), op, in);
}

} // namespace

/// Integers of fewer than 32 bits are computed as int and truncated.
static const Table &getTable() {
  static const Table kTable = {
      entry<arith::AddFOp>("$0 + $1"),
      entry<arith::SubFOp>("$0 - $1"),
      entry<arith::MulFOp>("$0 * $1"),
      entry<arith::DivFOp>("$0 / $1"),
      entry<arith::RemFOp>("mpc_fmod($0, $1)"),
      entry<arith::NegFOp>("-$0"),
      entry<arith::MaximumFOp>("mpc_max($0, $1)"),
      entry<arith::MinimumFOp>("mpc_min($0, $1)"),
      entry<arith::MaxNumFOp>("mpc_max_number($0, $1)"),
      entry<arith::MinNumFOp>("mpc_min_number($0, $1)"),
      entry<arith::CmpFOp>(spellComparison<arith::CmpFOp>),
      entry<arith::SelectOp>("$0 ? $1 : $2", /*takesBits=*/true),
      entry<arith::ExtFOp>(spellExtension, /*takesBits=*/true),
      entry<arith::TruncFOp>(spellTruncation, /*takesBits=*/true),
      entry<arith::BitcastOp>(spellBitcast, /*takesBits=*/true),
      entry<arith::SIToFPOp>("$T($S($0))"),
      entry<arith::UIToFPOp>("$T($0)"),
      entry<arith::FPToSIOp>(spellSigned),
      entry<arith::FPToUIOp>("$T($0)"),
      entry<arith::AddIOp>(spellSum),
      entry<arith::SubIOp>(spellDifference),
      entry<arith::MulIOp>("@1u * $0 * $1"),
      entry<arith::DivSIOp>("$T($S($0) / $S($1))"),
      entry<arith::DivUIOp>("$T($U($0) / $U($1))"),
      entry<arith::RemSIOp>("$T($S($0) % $S($1))"),
      entry<arith::RemUIOp>("$T($U($0) % $U($1))"),
      entry<arith::AndIOp>("@$0 & $1"),
      entry<arith::OrIOp>("@$0 | $1"),
      entry<arith::XOrIOp>("@$0 ^ $1"),
      entry<arith::ShLIOp>("$T($U($0) << $1)"),
      entry<arith::ShRUIOp>("$T($U($0) >> $1)"),
      entry<arith::ShRSIOp>("$T($S($0) >> $1)"),
      entry<arith::MaxSIOp>("$S($0) > $S($1) ? $0 : $1"),
      entry<arith::MinSIOp>("$S($0) < $S($1) ? $0 : $1"),
      entry<arith::MaxUIOp>("$U($0) > $U($1) ? $0 : $1"),
      entry<arith::MinUIOp>("$U($0) < $U($1) ? $0 : $1"),
      entry<arith::CmpIOp>(spellComparison<arith::CmpIOp>),
      entry<arith::ExtSIOp>("$T($S($0))"),
      entry<arith::ExtUIOp>("$T($0)"),
      entry<arith::TruncIOp>("$T($0)"),
      entry<arith::IndexCastOp>("$T($S($0))"),
      entry<arith::IndexCastUIOp>("$T($U($0))"),
      entry<math::FmaOp>("mpc_fma($0, $1, $2)"),
      entry<math::AbsFOp>("mpc_abs($0)"),
      entry<math::CopySignOp>("mpc_copysign($0, $1)"),
      entry<math::SqrtOp>("mpc_sqrt($0)"),
      approximated<math::ExpOp>("mpc_exp($0)", "mpc_near_exp($0)"),
      entry<math::ExpM1Op>("mpc_expm1($0)"),
      entry<math::LogOp>("mpc_log($0)"),
      entry<math::Log1pOp>("mpc_log1p($0)"),
      approximated<math::TanhOp>("mpc_tanh($0)", "mpc_near_tanh($0)"),
      approximated<math::ErfOp>("mpc_erf($0)", "mpc_near_erf($0)"),
      entry<math::PowFOp>("mpc_pow($0, $1)"),
      entry<math::FloorOp>("mpc_floor($0)"),
      entry<math::CeilOp>("mpc_ceil($0)"),
      entry<math::RoundEvenOp>("mpc_rint($0)"),
      entry<math::SinOp>("mpc_sin($0)"),
      entry<math::CosOp>("mpc_cos($0)"),
      entry<math::TanOp>("mpc_tan($0)"),
      entry<math::SinhOp>("mpc_sinh($0)"),
      entry<math::CoshOp>("mpc_cosh($0)"),
      entry<math::AsinOp>("mpc_asin($0)"),
      entry<math::AcosOp>("mpc_acos($0)"),
      entry<math::AtanOp>("mpc_atan($0)"),
      entry<math::AsinhOp>("mpc_asinh($0)"),
      entry<math::AcoshOp>("mpc_acosh($0)"),
      entry<math::AtanhOp>("mpc_atanh($0)"),
  };
  return kTable;
}

FailureOr<std::string>
mpc::cuda::spell(Operation *op, ArrayRef<std::string> operands, bool isNear) {
  auto found = getTable().find(op->getName().getTypeID());
  if (found == getTable().end())
    return op->emitOpError("has no spelling in CUDA C++");
  const Spelling &spelling = found->second;
  isNear = isNear && !spelling.approximate.empty() &&
           !op->getResult(0).getType().isF64();
  auto write = [&](ArrayRef<std::string> in) {
    return spelling.function
               ? spelling.function(op, in)
               : fill(isNear ? spelling.approximate : spelling.pattern, op, in);
  };
  if (spelling.takesBits)
    return write(operands);
  // Arithmetic on 16 bits is done in f32 and rounded.
  SmallVector<std::string> wide(operands);
  for (auto [text, operand] : llvm::zip(wide, op->getOperands()))
    if (isLowPrecision(operand.getType()))
      text = widen(operand.getType(), text);
  std::string text = write(wide);
  Type result = op->getResult(0).getType();
  return isLowPrecision(result) ? narrow(result, text) : text;
}
