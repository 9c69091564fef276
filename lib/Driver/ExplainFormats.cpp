// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An explanation as text, JSON and HTML.
#include "lib/Driver/Explain.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mpc;
using llvm::formatv;
using llvm::raw_string_ostream;
using llvm::StringRef;

/// "1.5 MB", in decimal units.
static std::string bytes(int64_t count) {
  if (count < 1000)
    return std::to_string(count) + " B";
  double value = static_cast<double>(count) / 1000;
  for (const char *unit : {"kB", "MB", "GB"}) {
    if (value < 1000)
      return formatv("{0:f1} {1}", value, unit);
    value /= 1000;
  }
  return formatv("{0:f1} TB", value);
}

/// The number of ops in each type: "54 in f16, 40 in f32".
static std::string countByType(const Explanation &explanation) {
  llvm::MapVector<StringRef, int64_t> counts;
  for (const ExplainedOp &op : explanation.ops)
    ++counts[op.type];
  std::string text;
  for (auto [type, count] : counts)
    text += formatv("{0}{1} in {2}", text.empty() ? "" : ", ", count, type);
  return text.empty() ? "none" : text;
}

static std::string title(const Explanation &explanation) {
  return formatv("precision of @{0}: --precision={1}, policy {2}",
                 explanation.function, explanation.precision,
                 explanation.policy);
}

/// The totals as sentences, the same in every format.
static std::vector<std::string> totals(const Explanation &explanation) {
  int64_t inF32 = explanation.activationBytesInF32();
  int64_t now = explanation.activationBytes();
  std::vector<std::string> lines;
  lines.push_back(formatv("{0} ops: {1}", explanation.ops.size(),
                          countByType(explanation)));
  std::string casts = formatv("casts move {0} in a forward pass",
                              bytes(explanation.castBytes()));
  if (explanation.gradientBytes() != 0)
    casts += formatv(", and {0} in its backward pass, where gradients are cast "
                     "back",
                     bytes(explanation.gradientBytes()));
  lines.push_back(std::move(casts));
  lines.push_back(
      formatv("activations (every op's result, before fusion): {0} instead of "
              "{1} in f32, copies by casts included: {2} {3}",
              bytes(now), bytes(inF32), bytes(std::abs(inF32 - now)),
              now <= inF32 ? "saved" : "more"));
  if (!explanation.unit.empty())
    lines.push_back(formatv("products of {0} are computed by {1}",
                            explanation.precision, explanation.unit));
  if (int64_t ops = explanation.carryingOps())
    lines.push_back(formatv(
        "numbers that 16 bits would round: {0} ops hold them in f32 and "
        "round their results alone, {1} instead of {2} in f32",
        ops, bytes(explanation.carryingBytes()),
        bytes(2 * explanation.carryingBytes())));
  if (int64_t drawn = explanation.drawnBytes())
    lines.push_back(
        formatv("random masks: {0} are drawn again in the backward pass "
                "instead of being kept",
                bytes(drawn)));
  if (int64_t copies = explanation.weightCopyBytes())
    lines.push_back(
        formatv("weights: {0} read in 16 bits instead of {1} in f32; the "
                "copies add {0} to the state",
                bytes(copies), bytes(2 * copies)));
  return lines;
}

/// The part of a reason that ops of one kind share.
static std::string sharedReason(const ExplainedOp &op) {
  StringRef why = op.why;
  return (why.take_until([](char c) { return c == ';'; }) + " [" + op.source +
          "]")
      .str();
}

/// The rest of a reason: the origin of this op's type.
static StringRef ownReason(const ExplainedOp &op) {
  return StringRef(op.why).split("; ").second;
}

/// The ops that are not in 16 bits, by kind and reason.
using Reason = std::pair<std::string, std::string>;
using Groups = llvm::MapVector<Reason, std::vector<const ExplainedOp *>,
                               std::map<Reason, unsigned>>;
static Groups groupWide(const Explanation &explanation) {
  Groups groups;
  for (const ExplainedOp &op : explanation.ops)
    if (op.type == "f32")
      groups[{op.op, sharedReason(op)}].push_back(&op);
  return groups;
}

static std::string castCost(const ExplainedCast &cast) {
  if (cast.isWeightCopy)
    return "the optimizer writes this copy: no cast in a step";
  return bytes(cast.bytesRead + cast.bytesWritten);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string mpc::toText(const Explanation &explanation) {
  std::string text;
  raw_string_ostream os(text);
  os << title(explanation) << "\n\n";
  for (const std::string &line : totals(explanation))
    os << "  " << line << "\n";
  std::vector<std::string> warnings = explanation.warnings();
  if (!warnings.empty())
    os << "\nwarnings\n\n";
  for (const std::string &line : warnings)
    os << "  " << line << "\n";
  os << "\nin f32, and why (--lower=NODE or a policy file changes it)\n\n";
  for (const auto &[kind, ops] : groupWide(explanation)) {
    os << "  " << ops.size() << " " << kind.first << ": " << kind.second
       << "\n";
    for (const ExplainedOp *op : ops)
      if (!op->node.empty())
        os << "      " << op->node
           << (op->scope.empty() ? "" : " in " + op->scope)
           << (ownReason(*op).empty() ? "" : ": ") << ownReason(*op) << "\n";
  }
  os << "\neach op, in order: type, op, what decided, why\n\n";
  for (const ExplainedOp &op : explanation.ops)
    os << "  "
       << formatv("{0,-5} {1} [{2}, {3}] {4}", op.type, op.name(), op.source,
                  op.rule, op.why)
       << "\n";
  os << "\neach cast: what is cast, bytes read and written, who reads it\n\n";
  for (const ExplainedCast &cast : explanation.casts)
    os << "  "
       << formatv("{0} -> {1}  {2}, {3} elements, {4}; for {5}", cast.from,
                  cast.to, cast.value, cast.elements, castCost(cast),
                  llvm::join(cast.readers, ", "))
       << "\n";
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Object toObject(const ExplainedOp &op) {
  return llvm::json::Object{{"node", op.node},
                            {"scope", op.scope},
                            {"op", op.op},
                            {"type", op.type},
                            {"rule", op.rule},
                            {"source", op.source},
                            {"why", op.why},
                            {"hidden_by", op.hider},
                            {"bytes", op.bytes},
                            {"bytes_in_f32", op.bytesInF32},
                            {"carries_number", op.carriesNumber},
                            {"drawn_bytes", op.drawnBytes}};
}

static llvm::json::Object toObject(const ExplainedCast &cast) {
  return llvm::json::Object{{"value", cast.value},
                            {"from", cast.from},
                            {"to", cast.to},
                            {"elements", cast.elements},
                            {"bytes_read", cast.bytesRead},
                            {"bytes_written", cast.bytesWritten},
                            {"weight_copy", cast.isWeightCopy},
                            {"has_gradient", cast.hasGradient},
                            {"readers", llvm::json::Array(cast.readers)}};
}

/// Names come from the model's file, and may contain any bytes.
static std::string validText(StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

static void fixText(llvm::json::Object &object) {
  for (auto &entry : object)
    if (auto text = entry.second.getAsString())
      entry.second = validText(*text);
}

std::string mpc::toJson(const Explanation &explanation) {
  llvm::json::Array ops, casts;
  for (const ExplainedOp &op : explanation.ops) {
    llvm::json::Object object = toObject(op);
    fixText(object);
    ops.push_back(std::move(object));
  }
  for (ExplainedCast cast : explanation.casts) {
    for (std::string &reader : cast.readers)
      reader = validText(reader);
    llvm::json::Object object = toObject(cast);
    fixText(object);
    casts.push_back(std::move(object));
  }
  llvm::json::Object totals{
      {"cast_bytes", explanation.castBytes()},
      {"gradient_cast_bytes", explanation.gradientBytes()},
      {"activation_bytes", explanation.activationBytes()},
      {"activation_bytes_in_f32", explanation.activationBytesInF32()},
      {"weight_copy_bytes", explanation.weightCopyBytes()},
      {"drawn_bytes", explanation.drawnBytes()},
      {"carrying_ops", explanation.carryingOps()},
      {"carrying_bytes", explanation.carryingBytes()}};
  llvm::json::Value all =
      llvm::json::Object{{"function", explanation.function},
                         {"precision", explanation.precision},
                         {"policy", validText(explanation.policy)},
                         {"unit", explanation.unit},
                         {"totals", std::move(totals)},
                         {"ops", std::move(ops)},
                         {"casts", std::move(casts)}};
  return formatv("{0:2}\n", all);
}

//===----------------------------------------------------------------------===//
// HTML
//===----------------------------------------------------------------------===//

static constexpr char kStyle[] = R"(<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem;
  padding: 0 1rem; color: #222; background: #fff; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem;
  border-bottom: 1px solid #ddd; }
td.number { text-align: right; white-space: nowrap; }
code { font-size: 90%; } .low { color: #06613a; } .wide { color: #9a3a00; }
input { font: inherit; padding: .3rem; width: 20rem; margin: .5rem 0; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; }
  th, td { border-color: #444; } .low { color: #6fd6a5; } .wide { color: #ffb27a; } }
</style>
)";

static constexpr char kScript[] = R"(<script>
document.getElementById("filter").addEventListener("input", event => {
  const wanted = event.target.value.toLowerCase();
  for (const row of document.querySelectorAll("tbody tr"))
    row.hidden = !row.textContent.toLowerCase().includes(wanted);
});
</script>
)";

static std::string escape(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  llvm::printHTMLEscaped(text, os);
  return result;
}

static void printRow(raw_string_ostream &os,
                     std::initializer_list<std::string> cells) {
  os << "<tr>";
  for (const std::string &cell : cells)
    os << "<td>" << cell << "</td>";
  os << "</tr>\n";
}

static void printHead(raw_string_ostream &os, StringRef heading,
                      std::initializer_list<const char *> columns) {
  os << "<h2>" << heading << "</h2>\n<table><thead><tr>";
  for (const char *column : columns)
    os << "<th>" << column << "</th>";
  os << "</tr></thead><tbody>\n";
}

static std::string coloredType(const std::string &type) {
  const char *kind = type == "f16" || type == "bf16" ? "low" : "wide";
  return formatv("<code class={0}>{1}</code>", kind, escape(type));
}

static void printOps(raw_string_ostream &os, const Explanation &explanation) {
  printHead(os, "Each op",
            {"node", "op", "runs in", "rule", "decided by", "why", "result"});
  for (const ExplainedOp &op : explanation.ops)
    printRow(os, {escape(op.node + (op.scope.empty() ? "" : " in " + op.scope)),
                  escape(op.op), coloredType(op.type), escape(op.rule),
                  escape(op.source), escape(op.why), bytes(op.bytes)});
  os << "</tbody></table>\n";
}

static void printCasts(raw_string_ostream &os, const Explanation &explanation) {
  printHead(os, "Each cast",
            {"value", "from", "to", "elements", "cost", "for"});
  for (const ExplainedCast &cast : explanation.casts)
    printRow(os, {escape(cast.value), coloredType(cast.from),
                  coloredType(cast.to), std::to_string(cast.elements),
                  castCost(cast), escape(llvm::join(cast.readers, ", "))});
  os << "</tbody></table>\n";
}

std::string mpc::toHtml(const Explanation &explanation) {
  std::string text;
  raw_string_ostream os(text);
  os << "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n<title>"
     << escape(title(explanation)) << "</title>\n"
     << kStyle << "</head><body>\n<h1>" << escape(title(explanation))
     << "</h1>\n<ul>\n";
  for (const std::string &line : totals(explanation))
    os << "<li>" << escape(line) << "</li>\n";
  for (const std::string &line : explanation.warnings())
    os << "<li>warning: " << escape(line) << "</li>\n";
  os << "</ul>\n<input id=filter placeholder='show rows with ...'>\n";
  printHead(os, "In f32, and why", {"op", "nodes", "why"});
  for (const auto &[kind, ops] : groupWide(explanation)) {
    std::string nodes;
    for (const ExplainedOp *op : ops)
      nodes += (nodes.empty() ? "" : ", ") + op->node;
    printRow(os, {escape(std::to_string(ops.size()) + " " + kind.first),
                  escape(nodes), escape(kind.second)});
  }
  os << "</tbody></table>\n";
  printOps(os, explanation);
  printCasts(os, explanation);
  os << kScript << "</body></html>\n";
  return text;
}
