// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses parts of a model by name.
#include "lib/Import/ONNX/PyTorch/NameChoice.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::onnx {

Expected<NameChoice> NameChoice::parse(StringRef flag,
                                       ArrayRef<std::string> words) {
  NameChoice choice;
  choice.flag_ = flag.str();
  for (const std::string &word : words) {
    std::string message;
    FailureOr<NamePatterns> pattern = NamePatterns::compile(
        word, [&](const std::string &text) { message = text; });
    if (failed(pattern))
      return usageFault(flag + ": " + message);
    choice.words_.push_back({word, *pattern});
  }
  return choice;
}

bool NameChoice::choosesNone() const {
  return any_of(words_, [](const Word &word) { return word.text == "none"; });
}

bool NameChoice::chooses(ArrayRef<StringRef> names) {
  bool isChosen = false;
  for (Word &word : words_) {
    bool isHit = word.text == "all" ||
                 (word.text != "none" && any_of(names, [&](StringRef name) {
                    return !name.empty() && word.pattern.matches(name);
                  }));
    word.isUsed |= isHit;
    isChosen |= isHit;
  }
  return isChosen;
}

std::vector<std::string> NameChoice::warnOfUnused(StringRef what) const {
  std::vector<std::string> warnings;
  for (const Word &word : words_)
    if (!word.isUsed && word.text != "none")
      warnings.push_back(
          (flag_ + "=" + printable(word.text) + " matches no " + what).str());
  return warnings;
}

} // namespace mpc::onnx
