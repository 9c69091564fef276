// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a flag says of parts of a model by their names, where the file does
/// not say it: --no-grad, --frozen-batch-norm.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_NAMECHOICE_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_NAMECHOICE_H

#include "dialects/Interfaces/NodeNames.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mpc::onnx {

/// The words of one flag: regular expressions, "all" or "none".
class NameChoice {
public:
  /// `flag` as messages name it, "--no-grad". An error where a word is no
  /// expression.
  static llvm::Expected<NameChoice> parse(llvm::StringRef flag,
                                          llvm::ArrayRef<std::string> words);

  /// The flag was given: what it does not choose was left out on purpose.
  bool isGiven() const { return !words_.empty(); }
  /// A word is "none".
  bool choosesNone() const;
  /// Whether one of `names`, which are those of one thing, is chosen.
  bool chooses(llvm::ArrayRef<llvm::StringRef> names);
  /// A warning for each expression that has chosen nothing so far; `what` is
  /// what it looks at.
  std::vector<std::string> warnOfUnused(llvm::StringRef what) const;

private:
  struct Word {
    std::string text;
    NamePatterns pattern;
    bool isUsed = false;
  };

  std::string flag_;
  std::vector<Word> words_;
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_NAMECHOICE_H
