// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a policy file: docs/semantics/autocast.md has the format.
#include "passes/NN/AutocastPolicy.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;
using namespace mpc;
using namespace mpc::nn;

using Subject = PolicyRule::Subject;

static StringRef actionName(PrecisionRule action) {
  return action == PrecisionRule::Lower     ? "allow"
         : action == PrecisionRule::KeepF32 ? "deny"
                                            : "follow";
}

static StringRef subjectName(Subject subject) {
  return subject == Subject::Op       ? "op"
         : subject == Subject::Region ? "region"
                                      : "node";
}

std::string PolicyRule::text() const {
  return (actionName(action) + " " + subjectName(subject) + " " + name).str();
}

/// The name in `known` with the fewest edits from `name`.
static StringRef nearest(StringRef name, ArrayRef<StringRef> known) {
  return *llvm::min_element(known, [&](StringRef a, StringRef b) {
    return name.edit_distance(a) < name.edit_distance(b);
  });
}

namespace {

class PolicyParser {
public:
  PolicyParser(StringRef file, mlir::MLIRContext &context) : file_(file) {
    for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
      if (op.hasInterface<PrecisionOpInterface>())
        ops_.push_back(op.stripDialect());
    llvm::sort(ops_);
    policy_ = makePolicy(*findAutocastPreset("mpc"));
    policy_.file = file.str();
  }

  Expected<AutocastPolicy> parse(StringRef text) {
    SmallVector<StringRef> lines;
    text.split(lines, '\n');
    for (StringRef content : lines) {
      ++line_;
      parseLine(content);
    }
    // The lines taint and spread hold for the whole file, wherever they stand.
    policy_.taint = taint_.value_or(policy_.base->taint);
    policy_.spread = spread_.value_or(policy_.base->spread);
    if (!errors_.empty())
      return createStringError(errors_);
    return std::move(policy_);
  }

private:
  void error(const Twine &message) {
    errors_ += (errors_.empty() ? "" : "\n") + file_.str() + ":" +
               std::to_string(line_) + ": " + message.str();
  }

  /// Splits a line into words. A word in double quotes may contain blanks and
  /// '#'.
  std::optional<SmallVector<StringRef>> splitWords(StringRef text) {
    SmallVector<StringRef> words;
    for (text = text.trim(); !text.empty() && text.front() != '#';
         text = text.ltrim()) {
      if (!text.consume_front("\"")) {
        words.push_back(text.take_until([](char c) { return isSpace(c); }));
        text = text.drop_front(words.back().size());
        continue;
      }
      size_t end = text.find('"');
      if (end == StringRef::npos) {
        error("a quoted name does not end on its line");
        return std::nullopt;
      }
      words.push_back(text.take_front(end));
      text = text.drop_front(end + 1);
    }
    return words;
  }

  void parseLine(StringRef text) {
    auto words = splitWords(text);
    if (!words || words->empty())
      return;
    StringRef key = words->front();
    ArrayRef<StringRef> arguments = ArrayRef(*words).drop_front();
    if (key == "base")
      return parseBase(arguments);
    if (key == "taint")
      return parseSwitch(key, arguments, taint_);
    if (key == "spread")
      return parseSwitch(key, arguments, spread_);
    auto action = StringSwitch<std::optional<PrecisionRule>>(key)
                      .Case("allow", PrecisionRule::Lower)
                      .Case("deny", PrecisionRule::KeepF32)
                      .Case("follow", PrecisionRule::Infer)
                      .Default(std::nullopt);
    if (action)
      return parseRule(key, *action, arguments);
    error("unknown key '" + key + "'; did you mean '" +
          nearest(key, {"base", "taint", "spread", "allow", "deny", "follow"}) +
          "'? Keys are base, taint, spread, allow, deny and follow");
  }

  void parseBase(ArrayRef<StringRef> arguments) {
    if (baseLine_ != 0)
      return error("a second base; the first is at line " + Twine(baseLine_));
    baseLine_ = line_;
    const AutocastPreset *preset =
        arguments.size() == 1 ? findAutocastPreset(arguments[0]) : nullptr;
    if (!preset)
      return error("base takes one built-in policy: " + knownAutocastPresets());
    policy_.base = preset;
  }

  void parseSwitch(StringRef key, ArrayRef<StringRef> arguments,
                   std::optional<bool> &value) {
    if (value)
      return error("a second " + key);
    value = arguments.size() == 1 && arguments[0] == "on";
    if (arguments.size() != 1 ||
        (arguments[0] != "on" && arguments[0] != "off"))
      error(key + " must be 'on' or 'off'");
  }

  void parseRule(StringRef key, PrecisionRule action,
                 ArrayRef<StringRef> arguments) {
    auto subject = StringSwitch<std::optional<Subject>>(
                       arguments.empty() ? "" : arguments[0])
                       .Case("op", Subject::Op)
                       .Case("region", Subject::Region)
                       .Case("node", Subject::Node)
                       .Default(std::nullopt);
    if (!subject || arguments.size() < 2)
      return error(key +
                   " must be followed by op, node or region and names, as in "
                   "'" +
                   key + " op softmax'");
    for (StringRef name : arguments.drop_front())
      addRule({*subject, action, name.str(), line_});
  }

  void addRule(PolicyRule rule) {
    if (rule.name.empty())
      return error("a name is empty");
    if (rule.subject == Subject::Op && !checkOp(rule))
      return;
    if (rule.subject == Subject::Node) {
      Expected<GlobPattern> glob = GlobPattern::create(rule.name);
      if (!glob)
        return error("'" + rule.name +
                     "' is not a pattern: " + toString(glob.takeError()));
    }
    for (const PolicyRule &other : policy_.rules)
      if (other.subject == rule.subject && other.name == rule.name)
        return error("'" + rule.text() + "': line " + Twine(other.line) +
                     " already has '" + other.text() + "'");
    policy_.rules.push_back(std::move(rule));
  }

  bool checkOp(PolicyRule &rule) {
    StringRef name = rule.name;
    name.consume_front("nn.");
    if (llvm::is_contained(ops_, name)) {
      rule.name = name.str();
      return true;
    }
    error("no op '" + rule.name + "' that autocast could cast; did you mean '" +
          nearest(name, ops_) + "'?");
    return false;
  }

  StringRef file_;
  std::vector<StringRef> ops_;
  AutocastPolicy policy_;
  std::optional<bool> taint_, spread_;
  unsigned line_ = 0, baseLine_ = 0;
  std::string errors_;
};

} // namespace

Expected<AutocastPolicy>
mpc::nn::parseAutocastPolicy(StringRef text, StringRef file,
                             mlir::MLIRContext &context) {
  return PolicyParser(file, context).parse(text);
}
