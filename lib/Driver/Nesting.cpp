// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts brackets, operators and aliases of MLIR text.
#include "lib/Driver/Nesting.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace llvm;
using namespace mpc;

namespace {

/// The use of other aliases in an alias: `#b = [#a, #a]`.
struct Alias {
  unsigned depth = 0;
  uint64_t size = 1; ///< The number of aliases in it, counting every use.
};

struct NestingFault {
  size_t place; ///< The position in the text, in bytes.
  std::string message;
};

class NestingScanner {
public:
  explicit NestingScanner(StringRef text) : text_(text) {}

  std::optional<NestingFault> run() {
    for (size_t at = 0; at < text_.size(); ++at) {
      at = skipOpaque(at);
      if (at == text_.size())
        break;
      if (!count(at))
        return NestingFault{at, message_};
      if (!isSpace(text_[at]))
        last_ = text_[at];
    }
    return std::nullopt;
  }

private:
  /// The first position from `at` on that is outside of strings and comments.
  size_t skipOpaque(size_t at) const {
    while (true) {
      StringRef rest = text_.substr(at);
      if (rest.starts_with("//"))
        at = std::min(text_.find('\n', at), text_.size());
      else if (rest.starts_with("\""))
        at = endOfString(at);
      else
        return at;
    }
  }

  /// A string ends with its line at the latest. The parser reports an
  /// unterminated one.
  size_t endOfString(size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"' && text_[at] != '\n'; ++at)
      at += text_[at] == '\\';
    return std::min(at + 1, text_.size());
  }

  /// Counts the character at `at`; false where a limit is exceeded.
  bool count(size_t at) {
    switch (text_[at]) {
    case '<':
      return isArrowOrRelation(at) || open();
    case '(':
    case '[':
    case '{':
      return open();
    case '>':
      return isArrowOrRelation(at) || close();
    case ')':
    case ']':
    case '}':
      return close();
    case ',':
    case ':':
    case '=':
      operators_.back() = 0;
      return true;
    case '\n':
      // A definition ends with its line, or continues inside of brackets.
      if (operators_.size() == 1 && last_ != '=')
        current_ = nullptr;
      return true;
    case '#':
    case '!':
      return countAlias(at);
    default:
      return !isOperator(at) || ++operators_.back() <= kMaxOperators ||
             fail("an expression has more than " + Twine(kMaxOperators) +
                  " operators");
    }
  }

  bool fail(const Twine &reason) {
    message_ = reason.str();
    return false;
  }

  bool open() {
    operators_.push_back(0);
    return operators_.size() <= kMaxNesting + 1 ||
           fail("brackets nest deeper than " + Twine(kMaxNesting));
  }

  bool close() {
    if (operators_.size() > 1)
      operators_.pop_back();
    return true;
  }

  /// Whether the `<` or `>` at `at` is part of `->`, `<=` or `>=`.
  bool isArrowOrRelation(size_t at) const {
    return (at != 0 && text_[at - 1] == '-') ||
           text_.substr(at + 1).starts_with("=");
  }

  bool isOperator(size_t at) const {
    StringRef rest = text_.substr(at);
    if (rest.starts_with("->"))
      return false;
    if (StringRef("+-*").contains(text_[at]))
      return true;
    bool begins = at == 0 || !isAlnum(text_[at - 1]);
    return begins &&
           (rest.starts_with("mod ") || rest.starts_with("floordiv ") ||
            rest.starts_with("ceildiv "));
  }

  /// Counts an alias. A name at the start of a line and before `=` is a
  /// definition, any other a use.
  bool countAlias(size_t at) {
    StringRef name = text_.substr(at).take_front(
        1 + text_.substr(at + 1)
                .take_while(
                    [](char c) { return isAlnum(c) || c == '_' || c == '$'; })
                .size());
    bool startsLine = at == 0 || text_[at - 1] == '\n';
    bool isDefined =
        startsLine && operators_.size() == 1 &&
        text_.substr(at + name.size()).ltrim(" \t").starts_with("=");
    if (isDefined) {
      current_ = &aliases_[name];
      return true;
    }
    auto read = aliases_.find(name);
    if (!current_ || read == aliases_.end() || &read->second == current_)
      return true;
    current_->depth = std::max(current_->depth, read->second.depth + 1);
    current_->size =
        std::min<uint64_t>(current_->size + read->second.size, kMaxAliases + 1);
    if (current_->depth > kMaxNesting)
      return fail("aliases nest deeper than " + Twine(kMaxNesting));
    return current_->size <= kMaxAliases ||
           fail("an alias stands for more than " + Twine(kMaxAliases) +
                " others");
  }

  StringRef text_;
  std::string message_;
  /// The number of operators of the current expression, for each open bracket.
  SmallVector<unsigned> operators_{0};
  StringMap<Alias> aliases_;
  /// The alias under definition; null outside of one.
  Alias *current_ = nullptr;
  char last_ = 0; ///< The last character that is not a space.
};

} // namespace

std::optional<std::string> mpc::describeDeepNesting(StringRef file,
                                                    StringRef text) {
  std::optional<NestingFault> fault = NestingScanner(text).run();
  if (!fault)
    return std::nullopt;
  size_t line = text.take_front(fault->place).count('\n') + 1;
  return (file + ":" + Twine(line) + ": error: " + fault->message).str();
}
