// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Flags that choose parts of a model by name, for facts that the file does not
/// contain: --no-grad, --frozen-batch-norm.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_NAMECHOICE_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_NAMECHOICE_H

#include "dialects/Interfaces/NodeNames.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mpc::onnx {

/// The values of one flag: regular expressions, "all" or "none".
class NameChoice {
public:
  /// Messages call the flag `flag`, "--no-grad". An error where a value is no
  /// regular expression.
  static llvm::Expected<NameChoice> parse(llvm::StringRef flag,
                                          llvm::ArrayRef<std::string> words);

  /// Whether the flag was given. Parts that it does not choose were then left
  /// out on purpose.
  bool isGiven() const { return !words_.empty(); }
  /// Whether a value is "none".
  bool choosesNone() const;
  /// Whether one of `names`, all of the same part, is chosen.
  bool chooses(llvm::ArrayRef<llvm::StringRef> names);
  /// A warning for each expression that has chosen nothing. `what` names the
  /// parts that it is compared with.
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
