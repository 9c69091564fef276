// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form that each discardable attribute of the dialect must have.
#include "dialects/NN/Annotations.h"

#include "dialects/NN/EntryNames.h"
#include "dialects/NN/FrozenNormalization.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Random.h"
#include "dialects/NN/RegionRule.h"

using namespace mlir;
using namespace mpc::nn;

namespace {

struct Form {
  StringRef name;
  StringRef expected; ///< The form in words.
  bool (*fits)(Attribute);
};

template <typename... Kinds>
bool isKind(Attribute value) {
  return isa<Kinds...>(value);
}

bool isRandomPart(Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  return text && llvm::is_contained(kRandomParts, text.getValue());
}

bool isLowType(Attribute value) {
  auto type = dyn_cast<TypeAttr>(value);
  return type && isa<FloatType>(type.getValue());
}

bool isListOfRanges(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && llvm::all_of(list, llvm::IsaPred<RangeAttr>);
}

bool isMode(Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  return text && (text.getValue() == kTrainingMode ||
                  text.getValue() == kInferenceMode);
}

constexpr Form kOfValues[] = {
    {kNameAttrName, "a string", isKind<StringAttr>},
    {kBuffer, "the symbol of a parameter", isKind<FlatSymbolRefAttr>},
    {kRandom, "\"key\", \"step\" or \"batch\"", isRandomPart},
    {kLossOutput, "a string", isKind<StringAttr>},
    {kRanges, "an array of #nn.range", isListOfRanges},
    {kLibraryAttribute, "a string", isKind<StringAttr>},
};

constexpr Form kOfOps[] = {
    {kLossAttr, "a unit", isKind<UnitAttr>},
    {kFreeAttr, "a floating type", isLowType},
    {kFrozen, "a unit", isKind<UnitAttr>},
    {kRefusableAttr, "a floating type", isLowType},
    {kCallAttr, "a string", isKind<StringAttr>},
    {kForwardAttr, "a unit", isKind<UnitAttr>},
    {kWrittenAttr, "a unit", isKind<UnitAttr>},
    {kHiddenInfinity, "a string", isKind<StringAttr>},
    {kBoundedAtZero, "a unit", isKind<UnitAttr>},
    {kRegionRule, "a string", isKind<StringAttr>},
    {kMode, "\"training\" or \"inference\"", isMode},
    {kLibraryOp, "a string", isKind<StringAttr>},
};

} // namespace

/// `where` begins the message: "argument #0 has", "has".
static LogicalResult verifyForm(Operation *op, ArrayRef<Form> forms,
                                const Twine &where, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  const Form *form =
      llvm::find_if(forms, [&](const Form &f) { return f.name == name; });
  if (form == forms.end())
    return op->emitOpError()
           << where << " '" << name << "', which nn does not know";
  if (form->fits(attribute.getValue()))
    return success();
  return op->emitOpError() << where << " '" << name
                           << "' = " << attribute.getValue()
                           << ", which must be " << form->expected;
}

LogicalResult NNDialect::verifyRegionArgAttribute(Operation *op,
                                                  unsigned /*region*/,
                                                  unsigned argument,
                                                  NamedAttribute attribute) {
  return verifyForm(op, kOfValues, "argument #" + Twine(argument) + " has",
                    attribute);
}

LogicalResult NNDialect::verifyRegionResultAttribute(Operation *op,
                                                     unsigned /*region*/,
                                                     unsigned result,
                                                     NamedAttribute attribute) {
  return verifyForm(op, kOfValues, "result #" + Twine(result) + " has",
                    attribute);
}

LogicalResult NNDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  return verifyForm(op, kOfOps, "has", attribute);
}
