// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How clauses are parsed, printed and checked.
#include "dialects/AMP/Clauses.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/AutocastPreset.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

/// The shortest text that MLIR parses as a float and that reads back as the
/// same number: "0.1", "1.0e-07". A number that is not finite is written as its
/// bits.
static std::string shortest(double number) {
  if (!std::isfinite(number)) {
    std::string text = llvm::utohexstr(llvm::bit_cast<uint64_t>(number));
    return "0x" + std::string(16 - text.size(), '0') + text;
  }
  char digits[32];
  auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  std::string text(digits, end);
  if (text.find('.') == std::string::npos)
    text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

template <typename T>
static T given(const FlagValue &value) {
  return std::get<T>(value);
}

/// Whether `word` is one of `words`. A hyphen in `words` stands for an
/// underscore in `word`.
static bool isAmong(StringRef word, StringRef words) {
  SmallVector<StringRef> known;
  words.split(known, '|');
  return llvm::any_of(known, [&](StringRef candidate) {
    return word == StringRef(llvm::join(llvm::split(candidate, '-'), "_"));
  });
}

static std::string valueName(const ValueRow &row) {
  return row.key.empty() ? ("'" + row.clause + "'").str()
                         : ("'" + row.key + "' of '" + row.clause + "'").str();
}

static constexpr ValueKind kUnit = {
    [](AsmParser &parser, const ValueRow &) -> Attribute {
      return parser.getBuilder().getUnitAttr();
    },
    [](raw_ostream &, Attribute, bool) {},
    [](MLIRContext *context, const FlagValue &value) -> Attribute {
      return given<bool>(value) ? UnitAttr::get(context) : UnitAttr();
    }};

static constexpr ValueKind kNumber = {
    [](AsmParser &parser, const ValueRow &) -> Attribute {
      FloatAttr number;
      (void)parser.parseAttribute(number, parser.getBuilder().getF64Type());
      return number;
    },
    [](raw_ostream &stream, Attribute value, bool) {
      stream << shortest(cast<FloatAttr>(value).getValueAsDouble());
    },
    [](MLIRContext *context, const FlagValue &value) -> Attribute {
      return Builder(context).getF64FloatAttr(given<double>(value));
    }};

static constexpr ValueKind kInteger = {
    [](AsmParser &parser, const ValueRow &) -> Attribute {
      int64_t number = 0;
      if (parser.parseInteger(number))
        return {};
      return parser.getBuilder().getI64IntegerAttr(number);
    },
    [](raw_ostream &stream, Attribute value, bool) {
      stream << cast<IntegerAttr>(value).getInt();
    },
    [](MLIRContext *context, const FlagValue &value) -> Attribute {
      return Builder(context).getI64IntegerAttr(given<int64_t>(value));
    }};

static void printText(raw_ostream &stream, StringRef text) {
  stream << '"';
  llvm::printEscapedString(text, stream);
  stream << '"';
}

static bool isKeyword(StringRef word) {
  return !word.empty() && llvm::isAlpha(word.front()) &&
         llvm::all_of(word,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// A word that is not a keyword, as "keras-adam", is in quotes. Flags have
/// hyphens where the keywords here have underscores.
static constexpr ValueKind kWord = {
    [](AsmParser &parser, const ValueRow &row) -> Attribute {
      std::string word;
      SMLoc place = parser.getCurrentLocation();
      if (parser.parseKeywordOrString(&word))
        return {};
      if (row.words.empty() || isAmong(word, row.words))
        return parser.getBuilder().getStringAttr(word);
      parser.emitError(place)
          << valueName(row) << " must be one of "
          << llvm::join(llvm::split(row.words, '|'), ", ") << ", not " << word;
      return {};
    },
    [](raw_ostream &stream, Attribute value, bool) {
      StringRef word = cast<StringAttr>(value).getValue();
      isKeyword(word) ? void(stream << word) : printText(stream, word);
    },
    [](MLIRContext *context, const FlagValue &value) -> Attribute {
      std::string word = given<std::string>(value);
      std::replace(word.begin(), word.end(), '-', '_');
      return StringAttr::get(context, word);
    }};

static constexpr ValueKind kText = {
    [](AsmParser &parser, const ValueRow &) -> Attribute {
      std::string text;
      if (parser.parseString(&text))
        return {};
      return parser.getBuilder().getStringAttr(text);
    },
    [](raw_ostream &stream, Attribute value, bool asRecord) {
      StringRef text = cast<StringAttr>(value).getValue();
      printText(stream, asRecord ? nn::withoutPresetPrefix(text) : text);
    },
    [](MLIRContext *context, const FlagValue &value) -> Attribute {
      return StringAttr::get(context, given<std::string>(value));
    }};

/// "[", a list that `parse` reads item by item, "]".
static ParseResult parseList(AsmParser &parser,
                             llvm::function_ref<ParseResult()> parse) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse);
}

/// A record sorts the texts, since their order decides nothing.
static constexpr ValueKind kTexts = {
    [](AsmParser &parser, const ValueRow &) -> Attribute {
      SmallVector<Attribute> texts;
      std::string text;
      auto parse = [&] {
        if (parser.parseString(&text))
          return failure();
        texts.push_back(parser.getBuilder().getStringAttr(text));
        return success();
      };
      if (parseList(parser, parse))
        return {};
      return parser.getBuilder().getArrayAttr(texts);
    },
    [](raw_ostream &stream, Attribute value, bool asRecord) {
      SmallVector<StringRef> texts;
      for (auto text : cast<ArrayAttr>(value).getAsRange<StringAttr>())
        texts.push_back(text.getValue());
      if (asRecord)
        llvm::sort(texts);
      stream << '[';
      llvm::interleaveComma(texts, stream,
                            [&](StringRef text) { printText(stream, text); });
      stream << ']';
    },
    [](MLIRContext *context, const FlagValue &value) -> Attribute {
      auto texts = given<std::vector<std::string>>(value);
      SmallVector<StringRef> all(texts.begin(), texts.end());
      return Builder(context).getStrArrayAttr(all);
    }};

static constexpr ValueKind kNumbers = {
    [](AsmParser &parser, const ValueRow &row) -> Attribute {
      SmallVector<double> numbers;
      auto parse = [&] {
        auto number = dyn_cast_or_null<FloatAttr>(kNumber.parse(parser, row));
        if (!number)
          return failure();
        numbers.push_back(number.getValueAsDouble());
        return success();
      };
      if (parseList(parser, parse))
        return {};
      return parser.getBuilder().getDenseF64ArrayAttr(numbers);
    },
    [](raw_ostream &stream, Attribute value, bool) {
      stream << '[';
      llvm::interleaveComma(cast<DenseF64ArrayAttr>(value).asArrayRef(), stream,
                            [&](double number) { stream << shortest(number); });
      stream << ']';
    },
    [](MLIRContext *context, const FlagValue &value) -> Attribute {
      return DenseF64ArrayAttr::get(context, given<std::vector<double>>(value));
    }};

static constexpr ValueKind kIntegers = {
    [](AsmParser &parser, const ValueRow &) -> Attribute {
      SmallVector<int64_t> numbers;
      auto parse = [&] { return parser.parseInteger(numbers.emplace_back()); };
      if (parseList(parser, parse))
        return {};
      return parser.getBuilder().getI64ArrayAttr(numbers);
    },
    [](raw_ostream &stream, Attribute value, bool) {
      stream << '[';
      llvm::interleaveComma(
          cast<ArrayAttr>(value).getAsValueRange<IntegerAttr>(), stream,
          [&](const APInt &number) { stream << number.getSExtValue(); });
      stream << ']';
    }};

static constexpr ValueKind kFloatType = {
    [](AsmParser &parser, const ValueRow &) -> Attribute {
      Type type;
      if (parser.parseType(type))
        return {};
      return TypeAttr::get(type);
    },
    [](raw_ostream &stream, Attribute value, bool) {
      stream << cast<TypeAttr>(value).getValue();
    },
    [](MLIRContext *context, const FlagValue &value) -> Attribute {
      auto name = given<std::string>(value);
      Builder b(context);
      return TypeAttr::get(name == "f16"    ? Type(b.getF16Type())
                           : name == "bf16" ? Type(b.getBF16Type())
                                            : Type(b.getF32Type()));
    }};

static constexpr ValueKind kPrecision = {
    [](AsmParser &parser, const ValueRow &row) -> Attribute {
      StringRef word;
      SMLoc place = parser.getCurrentLocation();
      if (parser.parseKeyword(&word))
        return {};
      if (auto precision = symbolizePrecision(word))
        return PrecisionAttr::get(parser.getContext(), *precision);
      parser.emitError(place)
          << valueName(row) << " must be fp32, bf16 or fp16, not " << word;
      return {};
    },
    [](raw_ostream &stream, Attribute value, bool) {
      stream << stringifyPrecision(cast<PrecisionAttr>(value).getValue());
    },
    [](MLIRContext *context, const FlagValue &value) -> Attribute {
      auto name = given<std::string>(value);
      auto precision = symbolizePrecision(name == "mixed" ? "fp16" : name);
      return PrecisionAttr::get(context, *precision);
    }};

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// The field that is written as a word alone.
static constexpr llvm::StringLiteral kName = "name";

/// A field without a row is a number of the policy or of the optimizer.
static Attribute parseFieldValue(AsmParser &parser, StringRef clause,
                                 StringRef key) {
  const ValueRow *row = findValue(clause, key);
  return row ? row->kind->parse(parser, *row)
             : kNumber.parse(parser, *findValue(clause));
}

/// "key = value", "key", or, for the first field, the name.
static ParseResult parseField(AsmParser &parser, StringRef clause,
                              NamedAttrList &fields) {
  const ValueRow *name = findValue(clause, kName);
  SMLoc place = parser.getCurrentLocation();
  std::string key;
  if (parser.parseKeywordOrString(&key))
    return failure();
  Attribute value = parser.getBuilder().getUnitAttr();
  if (succeeded(parser.parseOptionalEqual())) {
    if (!(value = parseFieldValue(parser, clause, key)))
      return failure();
  } else if (fields.empty() && name) {
    if (!name->words.empty() && !isAmong(key, name->words))
      return parser.emitError(place)
             << "'" << clause << "' must be one of "
             << llvm::join(llvm::split(name->words, '|'), ", ") << ", not "
             << key;
    value = parser.getBuilder().getStringAttr(key);
    key = kName.str();
  }
  if (fields.get(key))
    return parser.emitError(place)
           << "'" << key << "' of '" << clause << "' is given twice";
  fields.append(key, value);
  return success();
}

static DictionaryAttr parseFields(AsmParser &parser, StringRef clause) {
  NamedAttrList fields;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseField(parser, clause, fields);
      }))
    return {};
  return fields.getDictionary(parser.getContext());
}

/// The printed text of a field; empty where nothing is printed.
static std::string printField(StringRef key, Attribute value,
                              const ValueRow *row, bool asRecord) {
  bool isUnit = isa<UnitAttr>(value);
  Record record = row ? row->record : isUnit ? Record::Whole : Record::Nothing;
  if (asRecord && record == Record::Nothing)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  (row      ? row->kind
   : isUnit ? &kUnit
            : &kNumber)
      ->print(stream, value, asRecord);
  if (row && !text.empty() && text == row->standard.str())
    return "";
  if (key == kName)
    return text;
  bool isAlone = isUnit || (asRecord && record == Record::OnOff);
  return isAlone ? key.str() : (key + " = " + text).str();
}

static void printFields(raw_ostream &stream, StringRef clause,
                        DictionaryAttr fields, bool asRecord) {
  SmallVector<std::string> texts;
  auto add = [&](StringRef key, Attribute value, const ValueRow *row) {
    if (std::string text = printField(key, value, row, asRecord); !text.empty())
      texts.push_back(std::move(text));
  };
  for (const ValueRow &row : allValues())
    if (row.clause == clause && !row.key.empty())
      if (Attribute value = fields.get(row.key))
        add(row.key, value, &row);
  for (NamedAttribute field : fields)
    if (!findValue(clause, field.getName()))
      add(field.getName(), field.getValue(), nullptr);
  stream << '<' << llvm::join(texts, ", ") << '>';
}

template <typename ClauseAttr>
static constexpr ValueKind kFieldsOf = {
    [](AsmParser &parser, const ValueRow &) -> Attribute {
      return ClauseAttr::parse(parser, Type());
    },
    [](raw_ostream &stream, Attribute value, bool asRecord) {
      printFields(stream, ClauseAttr::kClause,
                  cast<ClauseAttr>(value).getFields(), asRecord);
    },
    nullptr,
    [](DictionaryAttr fields) -> Attribute {
      return ClauseAttr::get(fields.getContext(), fields);
    },
    [](Attribute value) { return cast<ClauseAttr>(value).getFields(); }};

/// "[<"head", lr_factor = 10.0>, <"bias$", no_decay>]". Their order decides
/// which of them has a parameter, also in a record.
static constexpr ValueKind kGroups = {
    [](AsmParser &parser, const ValueRow &row) -> Attribute {
      SmallVector<Attribute> groups;
      auto parse = [&] {
        groups.push_back(parseFields(parser, row.clause));
        return success(groups.back() != nullptr);
      };
      if (parseList(parser, parse))
        return {};
      return parser.getBuilder().getArrayAttr(groups);
    },
    [](raw_ostream &stream, Attribute value, bool asRecord) {
      stream << '[';
      llvm::interleaveComma(cast<ArrayAttr>(value).getAsRange<DictionaryAttr>(),
                            stream, [&](DictionaryAttr group) {
                              printFields(stream, "groups", group, asRecord);
                            });
      stream << ']';
    }};

#define MPC_CLAUSE_ATTR(ClauseAttr)                                            \
  Attribute ClauseAttr::parse(AsmParser &parser, Type) {                       \
    DictionaryAttr fields = parseFields(parser, kClause);                      \
    return fields ? get(parser.getContext(), fields) : ClauseAttr();           \
  }                                                                            \
  void ClauseAttr::print(AsmPrinter &printer) const {                          \
    printFields(printer.getStream(), kClause, getFields(), false);             \
  }                                                                            \
  DictionaryAttr ClauseAttr::getNumbers() const {                              \
    return numbersAmong(getFields());                                          \
  }                                                                            \
  SmallVector<StringRef> ClauseAttr::getFlags() const {                        \
    return flagsAmong(getFields());                                            \
  }

static DictionaryAttr numbersAmong(DictionaryAttr fields) {
  NamedAttrList numbers;
  for (NamedAttribute field : fields)
    if (isa<FloatAttr>(field.getValue()))
      numbers.append(field);
  return numbers.getDictionary(fields.getContext());
}

static SmallVector<StringRef> flagsAmong(DictionaryAttr fields) {
  SmallVector<StringRef> flags;
  for (NamedAttribute field : fields)
    if (isa<UnitAttr>(field.getValue()))
      flags.push_back(field.getName());
  return flags;
}

MPC_CLAUSE_ATTR(LossAttr)
MPC_CLAUSE_ATTR(LossScaleAttr)
MPC_CLAUSE_ATTR(OptimizerAttr)
MPC_CLAUSE_ATTR(ClipAttr)
MPC_CLAUSE_ATTR(LarcAttr)

static double numberOr(Attribute number, double otherwise) {
  auto given = dyn_cast_or_null<FloatAttr>(number);
  return given ? given.getValueAsDouble() : otherwise;
}

ClipKind ClipAttr::getKind() const {
  return find("norm")    ? ClipKind::Norm
         : find("value") ? ClipKind::Value
                         : ClipKind::GlobalNorm;
}

double ClipAttr::getBound() const {
  for (StringRef kind : {"global", "norm", "value"})
    if (Attribute bound = find(kind))
      return numberOr(bound, 1.0);
  return 1.0;
}

bool ClipAttr::isTorchNorm() const {
  auto order = dyn_cast_or_null<StringAttr>(find("order"));
  return order && order.getValue() == "torch";
}

bool LarcAttr::isClipped() const {
  return getName() == "clip" || getName() == "apex_clip";
}

bool LarcAttr::isApex() const { return getName().starts_with("apex_"); }

double LarcAttr::getEta() const {
  return numberOr(find("eta"), isApex() ? 0.02 : 1e-3);
}

double LarcAttr::getMinUpdate() const {
  return numberOr(find("min_update"), 1e-7);
}

double LarcAttr::getEps() const {
  return numberOr(find("eps"), isApex() ? 1e-8 : 1e-7);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
#define GET_ValueTable_IMPL
#include "dialects/AMP/AMPClauseTables.inc"
} // namespace

llvm::ArrayRef<ValueRow> mpc::amp::allValues() { return ValueTable; }

const ValueRow *mpc::amp::findValue(StringRef clause, StringRef key) {
  for (const ValueRow &row : allValues())
    if (row.clause == clause && row.key == key)
      return &row;
  return nullptr;
}

/// The present names of clauses that an older version of mpc wrote differently.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    kOldClauses[] = {
        {"loss_of", "loss<NAME, of = \"OUTPUT\">"},
        {"reduction", "loss<NAME, reduction = sum>"},
        {"ignore_index", "loss<NAME, ignore_index = N>"},
        {"class_weights", "loss<NAME, class_weights = [X, X]>"},
        {"label_smoothing", "loss<NAME, label_smoothing = X>"},
        {"loss_delta", "loss<NAME, delta = X>"},
        {"class_axis", "loss<NAME, class_axis = N>"},
        {"policy", "loss_scale<POLICY>"},
        {"settings", "loss_scale<POLICY, SETTING = X>"},
        {"hyper", "optimizer<NAME, HYPER = X>"},
        {"flags", "optimizer<NAME, FLAG>"},
        {"clip_by", "clip<global = X>, clip<norm = X> or clip<value = X>"},
        {"torch_norm", "clip<global = X, order = torch>"},
        {"clip_scaled", "clip<global = X, scaled>"},
        {"larc_eta", "larc<NAME, eta = X>"},
        {"larc_min_update", "larc<NAME, min_update = X>"},
        {"larc_eps", "larc<NAME, eps = X>"}};

static StringRef newFormOf(StringRef clause) {
  for (const auto &[name, form] : kOldClauses)
    if (name == clause)
      return form;
  return "";
}

/// Reports a clause whose fields are in parentheses: an older version of mpc
/// wrote them so.
static LogicalResult checkBracket(OpAsmParser &parser, const ValueRow &row) {
  if (!row.kind->make || failed(parser.parseOptionalLParen()))
    return success();
  return parser.emitError(parser.getCurrentLocation())
         << "'" << row.clause
         << "' has its fields in angle brackets: " << row.clause
         << (findValue(row.clause, kName) ? "<NAME>" : "<global = X>");
}

static Attribute parseClause(OpAsmParser &parser, const ValueRow &row) {
  bool isBare = row.kind == &kUnit || row.kind->make;
  if (failed(checkBracket(parser, row)) || (!isBare && parser.parseLParen()))
    return {};
  Attribute value = row.kind->parse(parser, row);
  if (!value || (!isBare && parser.parseRParen()))
    return {};
  return value;
}

ParseResult mpc::amp::parseClauses(OpAsmParser &parser,
                                   NamedAttrList &attributes) {
  SmallVector<StringRef> words;
  for (const ValueRow &row : allValues())
    if (row.key.empty())
      words.push_back(row.clause);
  for (const auto &[name, form] : kOldClauses)
    words.push_back(name);
  StringRef clause;
  while (true) {
    SMLoc place = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&clause, words)))
      return success();
    if (StringRef form = newFormOf(clause); !form.empty())
      return parser.emitError(place)
             << "'" << clause << "' is written as " << form;
    if (attributes.get(clause))
      return parser.emitError(place) << "'" << clause << "' is given twice";
    Attribute value = parseClause(parser, *findValue(clause));
    if (!value)
      return failure();
    attributes.append(clause, value);
  }
}

static std::string printed(const ValueRow &row, Attribute value,
                           bool asRecord) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  row.kind->print(stream, value, asRecord);
  return text;
}

/// The text of a clause that is not set.
static std::string standardOf(const ValueRow &row, bool asRecord) {
  StringRef text = row.standard;
  if (!asRecord || !text.consume_front("\""))
    return row.standard.str();
  return ("\"" + nn::withoutPresetPrefix(text)).str();
}

/// The printed text of a clause; empty where nothing is printed.
static std::string textOf(const ValueRow &row, Attribute value, bool asRecord) {
  if (asRecord && row.record == Record::Nothing)
    return "";
  bool isStandard =
      !value ||
      (row.kind != &kUnit && printed(row, value, false) == row.standard.str());
  if (isStandard && !(asRecord && row.isAlwaysRecorded))
    return "";
  if (row.kind == &kUnit || (asRecord && row.record == Record::OnOff))
    return row.clause.str();
  std::string text =
      value ? printed(row, value, asRecord) : standardOf(row, asRecord);
  return row.kind->make ? (row.clause + text).str()
                        : (row.clause + "(" + text + ")").str();
}

static std::string textOf(Operation *op, bool asRecord,
                          std::optional<Section> section) {
  std::string all;
  for (const ValueRow &row : allValues()) {
    if (!row.key.empty() || (section && row.section != *section))
      continue;
    std::string text = textOf(row, op->getAttr(row.clause), asRecord);
    all += text.empty() ? "" : " " + text;
  }
  return all;
}

std::string mpc::amp::printClauses(Operation *op) {
  return textOf(op, /*asRecord=*/false, std::nullopt);
}

std::string mpc::amp::recordClauses(Operation *op,
                                    std::optional<Section> section) {
  return StringRef(textOf(op, /*asRecord=*/true, section)).ltrim().str();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The rule that the number breaks: what it must be. Empty where it breaks
/// none.
static StringRef findFault(double number, NumberRange range) {
  bool isFinite = std::isfinite(number);
  switch (range) {
  case NumberRange::Any:
    return "";
  case NumberRange::NonNegative:
    return isFinite && number >= 0.0 ? "" : "finite and 0 or more";
  case NumberRange::Positive:
    return isFinite && number > 0.0 ? "" : "positive and finite";
  case NumberRange::Unit:
    return number >= 0.0 && number < 1.0 ? ""
                                         : "from 0 up to, not including, 1";
  case NumberRange::Share:
    return number >= 0.0 && number <= 1.0 ? "" : "from 0 to 1";
  case NumberRange::Inside:
    return number > 0.0 && number < 1.0 ? "" : "above 0 and below 1";
  case NumberRange::Above1:
    return isFinite && number > 1.0 ? "" : "finite and above 1";
  case NumberRange::Counting:
    // A run keeps some numbers for each of so many batches.
    return number < 1.0      ? "1 or more"
           : number > 0x1p20 ? "at most 1048576"
                             : "";
  case NumberRange::Seed:
    // The number is kept as an f64 of the state.
    return number >= 0.0 && number < 0x1p53
               ? ""
               : "from 0 up to, not including, 2^53";
  }
  llvm_unreachable("no other range");
}

static SmallVector<double> numbersOf(Attribute value) {
  if (auto number = dyn_cast_or_null<FloatAttr>(value))
    return {number.getValueAsDouble()};
  if (auto number = dyn_cast_or_null<IntegerAttr>(value))
    return {static_cast<double>(number.getInt())};
  if (auto numbers = dyn_cast_or_null<DenseF64ArrayAttr>(value))
    return llvm::to_vector(numbers.asArrayRef());
  return {};
}

static std::string shown(double number, bool isWhole) {
  if (std::isfinite(number))
    return isWhole ? std::to_string(static_cast<int64_t>(number))
                   : shortest(number);
  return std::isnan(number) ? "nan" : number < 0.0 ? "-inf" : "inf";
}

std::string mpc::amp::describeOutOfRange(double number, NumberRange range,
                                         bool isWhole) {
  StringRef fault = findFault(number, range);
  return fault.empty()
             ? ""
             : "must be " + fault.str() + ", not " + shown(number, isWhole);
}

/// The values of a row in `op`: one for each group, at most one for any other.
static SmallVector<Attribute> valuesOf(Operation *op, const ValueRow &row) {
  Attribute value = op->getAttr(row.clause);
  if (!value || row.key.empty())
    return {value};
  if (const ValueKind *kind = findValue(row.clause)->kind; kind->fieldsOf)
    return {kind->fieldsOf(value).get(row.key)};
  return llvm::map_to_vector(
      cast<ArrayAttr>(value).getAsRange<DictionaryAttr>(),
      [&](DictionaryAttr group) { return group.get(row.key); });
}

std::string mpc::amp::findOutOfRange(Operation *op) {
  for (const ValueRow &row : allValues())
    for (Attribute value : valuesOf(op, row)) {
      if (!value || row.range == NumberRange::Any)
        continue;
      for (double number : ::numbersOf(value))
        if (std::string fault =
                describeOutOfRange(number, row.range, isa<IntegerAttr>(value));
            !fault.empty())
          return valueName(row) + " " + fault;
    }
  return "";
}
