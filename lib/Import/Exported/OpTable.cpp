// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the families.
#include "lib/Import/Exported/OpTable.h"

#include "lib/Import/Exported/ComplexNumbers.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::exported {

OpTable::OpTable() {
  for (ArrayRef<OpRow> family :
       {combinationRows(),   derivativeRows(),    distanceRows(),
        elementwiseRows(),   expertRows(),        complexRows(),
        indexingRows(),      linearSystemRows(),  lossRows(),
        movementRows(),      normalizationRows(), padRows(),
        productRows(),       quantizationRows(),  randomRows(),
        rearrangementRows(), recurrentRows(),     reductionRows(),
        sortingRows(),       windowRows(),        writeRows()})
    for (const OpRow &row : family) {
      [[maybe_unused]] bool isNew = rows_.try_emplace(row.op, &row).second;
      assert(isNew && "an op has two rows");
    }
  for (ArrayRef<OpRow> family : {productRows(), recurrentRows()})
    for (const OpRow &row : family)
      oneTyped_.insert(&row);
}

/// "relu_.default" without its underscore; empty where the op has none.
static std::string withoutUnderscore(StringRef op) {
  auto [name, overload] = op.split('.');
  if (!name.consume_back("_") || name.ends_with("_"))
    return {};
  return (name + "." + overload).str();
}

/// Names of ATen for ops that have another name too.
static constexpr std::pair<StringLiteral, StringLiteral> kAliases[] = {
    {"absolute", "abs"},   {"arccos", "acos"},      {"arccosh", "acosh"},
    {"arcsin", "asin"},    {"arcsinh", "asinh"},    {"arctan", "atan"},
    {"arctan2", "atan2"},  {"arctanh", "atanh"},    {"concatenate", "cat"},
    {"divide", "div"},     {"fix", "trunc"},        {"ger", "outer"},
    {"greater", "gt"},     {"greater_equal", "ge"}, {"less", "lt"},
    {"less_equal", "le"},  {"moveaxis", "movedim"}, {"multiply", "mul"},
    {"negative", "neg"},   {"not_equal", "ne"},     {"subtract", "sub"},
    {"true_divide", "div"}};

/// "mul.Tensor" for "multiply.Tensor".
static std::string withoutAlias(StringRef op) {
  auto [name, overload] = op.split('.');
  bool writes = name.consume_back("_") && !name.ends_with("_");
  for (const auto &[alias, of] : kAliases)
    if (alias == name)
      return (of + (writes ? "_." : ".") + overload).str();
  return op.str();
}

std::string plainName(StringRef op) {
  std::string named = withoutAlias(op), inPlace = withoutUnderscore(named);
  return StringRef(inPlace.empty() ? named : inPlace).split('.').first.str();
}

static bool writesToOut(StringRef op) {
  StringRef overload = op.split('.').second;
  return overload == "out" || overload.ends_with("_out");
}

/// "div.out" is div.Tensor or a div.default with a place for its result, and
/// "sum.dim_IntList_out" a sum.dim_IntList.
static SmallVector<std::string> withoutOut(StringRef op) {
  auto [name, overload] = op.split('.');
  if (overload == "out")
    return {(name + ".Tensor").str(), (name + ".default").str()};
  overload.consume_back("_out");
  return {(name + "." + overload).str()};
}

static StringRef tensorOf(const NamedArgument &argument) {
  return argument.value.kind == Argument::Kind::Tensor
             ? StringRef(argument.value.names.front())
             : StringRef();
}

std::optional<StringRef> writtenTensor(const Node &node) {
  if (writesToOut(node.op())) {
    for (const NamedArgument &argument : node.inputs)
      if (argument.name == "out")
        return tensorOf(argument);
    return StringRef();
  }
  if (withoutUnderscore(node.op()).empty())
    return std::nullopt;
  return node.inputs.empty() ? StringRef() : tensorOf(node.inputs.front());
}

const OpRow *OpTable::find(StringRef given) const {
  std::string op = withoutAlias(given);
  if (const OpRow *row = rows_.lookup(op))
    return row;
  if (const OpRow *row = rows_.lookup(withoutUnderscore(op)))
    return row;
  if (writesToOut(op))
    for (const std::string &plain : withoutOut(op))
      if (const OpRow *row = rows_.lookup(plain))
        return row;
  return nullptr;
}

std::vector<StringRef> OpTable::ops() const {
  std::vector<StringRef> names(complexOps().begin(), complexOps().end());
  // No file has what is mpc's own.
  for (StringRef op : rows_.keys())
    if (!op.starts_with("mpc_"))
      names.push_back(op);
  sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

} // namespace mpc::exported
