// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded recipes: their clauses, the difference of two, and conversion from
// older files.
#include "runtime/Program/RecipeRecord.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <set>
#include <sstream>
#include <vector>

namespace mpc::rt {

//===----------------------------------------------------------------------===//
// Clauses
//===----------------------------------------------------------------------===//

namespace {

bool isOfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

/// The position after the bracket that closes the one at `start`, or the text's
/// end.
size_t findEnd(std::string_view text, size_t start) {
  int depth = 0;
  bool isQuoted = false;
  for (size_t i = start; i < text.size(); ++i) {
    char c = text[i];
    if (isQuoted && c == '\\') {
      ++i;
      continue;
    }
    if (c == '"')
      isQuoted = !isQuoted;
    if (isQuoted)
      continue;
    depth += c == '(' || c == '<' || c == '[';
    depth -= c == ')' || c == '>' || c == ']';
    if (depth == 0)
      return i + 1;
  }
  return text.size();
}

} // namespace

Clauses clausesOf(std::string_view record) {
  Clauses clauses;
  size_t i = 0;
  while (i < record.size()) {
    size_t start = i;
    while (i < record.size() && isOfWord(record[i]))
      ++i;
    if (i == start) {
      ++i;
      continue;
    }
    std::string name(record.substr(start, i - start));
    if (i < record.size() && (record[i] == '(' || record[i] == '<'))
      i = findEnd(record, i);
    clauses[name] = record.substr(start, i - start);
  }
  return clauses;
}

std::string wordOf(const Clauses &clauses, std::string_view clause) {
  auto found = clauses.find(clause);
  if (found == clauses.end())
    return "";
  std::string_view text = found->second;
  text.remove_prefix(std::min(text.size(), clause.size() + 1));
  // A word that is not a keyword is in quotes.
  if (text.starts_with('"'))
    return std::string(text.substr(1, text.find('"', 1) - 1));
  auto end = std::find_if_not(text.begin(), text.end(), isOfWord);
  return {text.begin(), end};
}

std::string describeChange(const Clauses &before, const Clauses &now) {
  auto textOf = [](const Clauses &clauses, const std::string &name) {
    auto found = clauses.find(name);
    return found == clauses.end() ? "no " + name : escape(found->second);
  };
  bool areAlike =
      before.contains(kOptimizerClause) == now.contains(kOptimizerClause);
  std::set<std::string> names;
  for (const auto *clauses : {&before, &now})
    for (const auto &[name, text] : *clauses)
      if (areAlike || (before.contains(name) && now.contains(name)))
        names.insert(name);
  std::string all;
  for (const std::string &name : names)
    if (textOf(before, name) != textOf(now, name))
      all += fmt::format("{}{} in place of {}", all.empty() ? "" : ", ",
                         textOf(now, name), textOf(before, name));
  return all;
}

//===----------------------------------------------------------------------===//
// Files with flags
//===----------------------------------------------------------------------===//

namespace {

/// Moves flags out of a rule and makes clauses of them.
class OldFlags {
public:
  explicit OldFlags(OldRule &flags) : flags_(flags) {}

  std::string record() {
    addLoss();
    addSwitch("--no-dropout", "on", "no_dropout");
    addValue("--precision", "precision");
    addText("--autocast-policy", "autocast");
    addList("--keep-fp32", "keep_fp32");
    addList("--lower", "lower");
    addValue("--output-dtype", "outputs");
    addSwitch("--cost-aware", "on", "cost_aware");
    addSwitch("--weight-cast", "round", "round_weights");
    addFields("loss_scale", take("--loss-scale"), {});
    addFields("optimizer", take("--optimizer"), words(take("--opt-arg")));
    for (auto [flag, clause] :
         {std::pair("--no-decay", "no_decay"), std::pair("--freeze", "freeze"),
          std::pair("--trainable", "trainable")})
      addList(flag, clause);
    addValue("--accumulate", "accumulate");
    addClip();
    std::string larc = take("--larc");
    std::replace(larc.begin(), larc.end(), '-', '_');
    addFields("larc", larc, {});
    for (const char *name : {"l1", "l2", "ema"})
      addSwitch(std::string("--") + name, "on", name);
    addSwitch("--master-weights", "off", "no_masters");
    addValue("--slot-dtype", "slots");
    return std::move(text_);
  }

private:
  std::string take(std::string_view flag) {
    auto found = flags_.find(flag);
    if (found == flags_.end())
      return "";
    std::string value = std::move(found->second);
    flags_.erase(found);
    return value;
  }

  static std::vector<std::string> words(const std::string &text) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string word; stream >> word;)
      all.push_back(word);
    return all;
  }

  /// A string in MLIR's syntax.
  static std::string quoted(const std::string &text) {
    std::string all;
    for (char c : text) {
      auto byte = static_cast<unsigned char>(c);
      if (c == '\\')
        all += "\\\\";
      else if (byte < 0x20 || byte > 0x7e || c == '"')
        all += fmt::format("\\{:02X}", byte);
      else
        all += c;
    }
    return "\"" + all + "\"";
  }

  /// A number as the compiler writes it.
  static std::string number(const std::string &text) {
    char digits[32];
    double value = std::strtod(text.c_str(), nullptr);
    auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    std::string all(digits, end);
    if (all.find('.') == std::string::npos)
      all.insert(std::min(all.find('e'), all.size()), ".0");
    return all;
  }

  void add(const std::string &clause) {
    text_ += text_.empty() ? clause : " " + clause;
  }

  void addClause(const char *clause, const std::string &value) {
    if (!value.empty())
      add(fmt::format("{}({})", clause, value));
  }
  void addValue(const char *flag, const char *clause) {
    addClause(clause, take(flag));
  }
  void addText(const char *flag, const char *clause) {
    if (std::string value = take(flag); !value.empty())
      addClause(clause, quoted(value));
  }
  void addList(const char *flag, const char *clause) {
    std::vector<std::string> texts = words(take(flag));
    std::sort(texts.begin(), texts.end());
    for (std::string &text : texts)
      text = quoted(text);
    if (!texts.empty())
      add(fmt::format("{}([{}])", clause, fmt::join(texts, ", ")));
  }
  void addSwitch(std::string_view flag, std::string_view value,
                 const char *clause) {
    if (take(flag) == value)
      add(clause);
  }
  void addFields(const char *clause, const std::string &name,
                 std::vector<std::string> fields) {
    if (name.empty())
      return;
    std::sort(fields.begin(), fields.end());
    bool isKeyword = std::all_of(name.begin(), name.end(), isOfWord);
    fields.insert(fields.begin(), isKeyword ? name : quoted(name));
    add(fmt::format("{}<{}>", clause, fmt::join(fields, ", ")));
  }

  void addClip() {
    std::string order = take("--clip-norm-order");
    for (auto [flag, kind] :
         {std::pair("--clip-global-norm", "global"),
          std::pair("--clip-norm", "norm"), std::pair("--clip-value", "value")})
      if (take(flag) == "on")
        add(fmt::format("clip<{}{}>", kind,
                        order == "torch" ? ", order = torch" : ""));
  }

  void addLoss() {
    std::string loss = take("--loss");
    size_t colon = loss.find(':');
    std::vector<std::string> fields = {loss.substr(0, colon)};
    if (colon != std::string::npos)
      fields.push_back("of = " + quoted(loss.substr(colon + 1)));
    auto addField = [&](const char *key, const std::string &value,
                        std::string_view standard) {
      if (!value.empty() && value != standard)
        fields.push_back(fmt::format("{} = {}", key, value));
    };
    auto addNumber = [&](const char *flag, const char *key,
                         std::string_view standard) {
      std::string value = take(flag);
      addField(key, value.empty() ? "" : number(value), standard);
    };
    addField("reduction", take("--reduction"), "mean");
    addField("ignore_index", take("--ignore-index"), "");
    addField("class_weights", numbers(take("--class-weights")), "");
    addNumber("--label-smoothing", "label_smoothing", "0.0");
    addNumber("--loss-delta", "delta", "1.0");
    addField("class_axis", take("--class-axis"), "");
    if (!loss.empty())
      add(fmt::format("loss<{}>", fmt::join(fields, ", ")));
  }

  /// "[1.0, 0.5]" for "1,0.5".
  static std::string numbers(std::string text) {
    if (text.empty())
      return "";
    std::replace(text.begin(), text.end(), ',', ' ');
    std::vector<std::string> all;
    for (const std::string &word : words(text))
      all.push_back(number(word));
    return fmt::format("[{}]", fmt::join(all, ", "));
  }

  OldRule &flags_;
  std::string text_;
};

} // namespace

std::string recordOfFlags(OldRule &flags) { return OldFlags(flags).record(); }

} // namespace mpc::rt
