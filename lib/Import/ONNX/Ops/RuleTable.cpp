// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the rules of all ops, and describes them.
#include "lib/Import/ONNX/Ops/RuleTable.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/OnnxImporter.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace mpc::onnx {

static SmallVector<ArrayRef<OpRule>> allFamilies() {
  return {argMaxRules(),        attentionRules(),       bitRules(),
          constantRules(),      controlRules(),         convolutionRules(),
          cumulativeRules(),    determinantRules(),     einsumRules(),
          elementwiseRules(),   fourierRules(),         gridRules(),
          indexingRules(),      linearAttentionRules(), lossRules(),
          matrixProductRules(), movementRules(),        normalizationRules(),
          optimizerRules(),     quantizationRules(),    randomRules(),
          recurrentRules(),     reductionRules(),       resizeRules(),
          roiAlignRules(),      rotaryEmbeddingRules(), scatterRules(),
          sequenceRules(),      sortingRules(),         timeStepRules(),
          windowRules()};
}

RuleTable::RuleTable() {
  for (ArrayRef<OpRule> family : allFamilies())
    for (const OpRule &rule : family)
      rows_[{rule.domain, rule.opType}].push_back(&rule);
  for (ArrayRef<OpRule> family :
       {embeddingBagForms(), functionForms(), identityForms(), maskForms(),
        quantizationForms(), randomForms()})
    for (const OpRule &rule : family)
      forms_[rule.opType].push_back(&rule);
}

ArrayRef<const OpRule *> RuleTable::rowsOfForm(StringRef form) const {
  auto found = forms_.find(form);
  assert(found != forms_.end() && "a form has a rule");
  return found->second;
}

ArrayRef<const OpRule *> RuleTable::rowsOf(StringRef domain,
                                           StringRef opType) const {
  auto found = rows_.find({domain, opType});
  return found == rows_.end() ? ArrayRef<const OpRule *>()
                              : ArrayRef(found->second);
}

bool RuleTable::hasDomain(StringRef domain) const {
  return any_of(rows_,
                [&](const auto &row) { return row.first.first == domain; });
}

std::string RuleTable::near(StringRef opType) const {
  SmallVector<StringRef> names;
  for (const auto &[key, rows] : rows_) {
    StringRef name = key.second;
    bool part =
        name.contains_insensitive(opType) || opType.contains_insensitive(name);
    if ((part && std::min(name.size(), opType.size()) > 3) ||
        name.edit_distance_insensitive(opType) <= opType.size() / 4)
      names.push_back(name);
  }
  llvm::sort(names);
  return join(names, ", ");
}

/// The number in AttributeProto of the attribute kind that a row's letters
/// mean.
static int32_t attributeType(StringRef kind) {
  if (kind == "f")
    return 1;
  if (kind == "i")
    return 2;
  if (kind == "s")
    return 3;
  if (kind == "t")
    return 4;
  if (kind == "g")
    return 5;
  if (kind == "fs")
    return 6;
  return kind == "is" ? 7 : 8;
}

Error checkAttributes(const NodeImporter &importer, const OpRule &rule) {
  SmallVector<StringRef> known;
  rule.attributes.split(known, ' ', -1, /*KeepEmpty=*/false);
  for (const Attribute &attribute : importer.node().attributes) {
    auto found = find_if(known, [&](StringRef entry) {
      return entry.split(':').first == attribute.name;
    });
    if (found == known.end())
      return importer.fail("attribute '" + printable(attribute.name) +
                           "' is not known (known: " +
                           (known.empty() ? "none" : rule.attributes) + ")");
    int32_t expected = attributeType(found->split(':').second);
    bool wrong = attribute.type != 0 && attribute.type != expected;
    if (wrong || (expected == 4 && !attribute.t) ||
        (expected == 5 && !attribute.g))
      return importer.fail("attribute '" + printable(attribute.name) +
                           "' is not of its kind (AttributeProto type " +
                           Twine(attribute.type) + ", expected " +
                           Twine(expected) + ")");
  }
  return Error::success();
}

static std::string boundText(unsigned bound) {
  return bound == kUnlimited ? "any" : std::to_string(bound);
}

} // namespace mpc::onnx

std::string mpc::describeOnnxOps() {
  using namespace onnx;
  std::vector<std::string> lines;
  for (ArrayRef<OpRule> family : allFamilies())
    for (const OpRule &rule : family)
      lines.push_back(
          (rule.domain + (rule.domain.empty() ? "" : "::") + rule.opType +
           " from opset " + Twine(rule.since) + ": inputs " +
           Twine(rule.minInputs) + " to " + boundText(rule.maxInputs) +
           ", outputs to " + boundText(rule.maxOutputs) + ", attributes" +
           (rule.attributes.empty() ? " none" : "") + " " + rule.attributes)
              .str());
  llvm::sort(lines);
  return join(map_range(lines, [](StringRef line) { return line.rtrim(); }),
              "\n") +
         "\n";
}
