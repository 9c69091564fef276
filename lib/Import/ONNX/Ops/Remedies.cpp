// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Remedies for ops that are not imported, by the reason.
#include "lib/Import/ONNX/Ops/Remedies.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

struct DomainRemedy {
  StringRef domain;
  StringRef remedy;
};

/// Ops of ai.onnx that are not imported for the same reason.
struct OpRemedy {
  std::initializer_list<StringRef> opTypes;
  StringRef remedy;
};

constexpr DomainRemedy kDomains[] = {
    {"com.microsoft", "ONNX Runtime's optimizer made this op: give the file "
                      "from before it"},
    {"com.microsoft.nchwc", "ONNX Runtime's optimizer made this op: give the "
                            "file from before it"},
    {"ai.onnx.ml", "what is not trained by gradients runs on the data before "
                   "the model sees them"},
};

const OpRemedy kOps[] = {
    {{"Compress", "NonMaxSuppression", "NonZero", "Unique"},
     "the size of its result depends on the data, and a step is compiled for "
     "fixed shapes: select by a mask (torch.where; (x * mask).sum() / "
     "mask.sum() for x[mask].mean()), or compute it outside of the model"},
    {{"ConvInteger", "DynamicQuantizeLinear", "MatMulInteger", "QLinearConv",
      "QLinearMatMul"},
     "it is of a quantized model: export the model before it is quantized"},
    {{"ImageDecoder", "RegexFullMatch", "StringConcat", "StringNormalizer",
      "StringSplit", "TfIdfVectorizer"},
     "what works on text and files runs on the data before the model sees "
     "them"},
    {{"Optional", "OptionalGetElement", "OptionalHasElement"},
     "export a model whose inputs are all there"},
};

} // namespace

std::string remedyFor(const Node &node, StringRef similar) {
  for (const DomainRemedy &row : kDomains)
    if (node.domain == row.domain)
      return row.remedy.str();
  if (!node.domain.empty())
    return "define it by --op-library=FILE.mlir, or give the file a function "
           "of that domain and name, made of ops of ai.onnx";
  if (!node.remedy.empty())
    return node.remedy;
  for (const OpRemedy &row : kOps)
    if (is_contained(row.opTypes, StringRef(node.opType)))
      return row.remedy.str();
  if (!similar.empty())
    return ("similar ones are: " + similar).str();
  return "write it with ops that 'mpc-import --list-ops' prints, or compute it "
         "outside of the model";
}

} // namespace mpc::onnx
