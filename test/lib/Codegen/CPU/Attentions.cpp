// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of kernels of attention.
#include "test/lib/Codegen/CPU/Attentions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <vector>

using namespace mpc::test;
using llvm::formatv;

namespace {

/// An operand: its type, and the map from the op's dimensions.
struct Operand {
  std::string name, type, map;
};

/// The operands of a case.
class Operands {
public:
  Operands(const AttentionCase &c, std::string element)
      : c_(c), element_(std::move(element)) {}

  [[nodiscard]] Operand part(int number, const char *name) const;
  [[nodiscard]] Operand rows(const char *name) const;
  [[nodiscard]] Operand output(const char *name) const;
  [[nodiscard]] Operand mask() const;
  /// What dropout draws by; none without it.
  [[nodiscard]] std::vector<Operand> random() const;
  /// A result of `heads` heads, with heads next to each other.
  [[nodiscard]] Operand joined(const char *name, int64_t heads, int64_t rows,
                               int64_t elements) const;
  [[nodiscard]] std::string settings() const;
  [[nodiscard]] bool hasMask() const { return c_.mask != AttentionMask::None; }

private:
  [[nodiscard]] std::string tensor(const std::vector<int64_t> &extents,
                                   const std::string &element) const {
    return "tensor<" +
           llvm::join(llvm::map_range(extents,
                                      [](int64_t extent) {
                                        return std::to_string(extent);
                                      }),
                      "x") +
           "x" + element + ">";
  }

  AttentionCase c_;
  std::string element_;
};

} // namespace

static const char kWhole[] = "(b, h, i, d) -> (b, h, i, d)";
static const char kJoined[] = "(b, h, i, d) -> (b, i, h, d)";

/// The queries (part 0), keys (1) or values (2).
Operand Operands::part(int number, const char *name) const {
  if (c_.packed)
    return {"%q",
            tensor({c_.batch, c_.queries, 3, c_.heads, c_.depth}, element_),
            formatv("(b, h, i, d) -> (b, i, {0}, h, d)", number)};
  bool isQuery = number == 0;
  return {name,
          tensor({c_.batch, isQuery ? c_.heads : c_.groups,
                  isQuery ? c_.queries : c_.keys,
                  number == 2 ? c_.width : c_.depth},
                 element_),
          kWhole};
}

Operand Operands::rows(const char *name) const {
  return {name, tensor({c_.batch, c_.heads, c_.queries}, "f32"),
          "(b, h, i) -> (b, h, i)"};
}

Operand Operands::output(const char *name) const {
  return {name, tensor({c_.batch, c_.heads, c_.queries, c_.width}, element_),
          kWhole};
}

Operand Operands::mask() const {
  return {
      "%m",
      tensor({c_.batch, 1, c_.queries, c_.keys}, c_.hasBias() ? "f32" : "i1"),
      "(b, h, i, j) -> (b, 0, i, j)"};
}

std::vector<Operand> Operands::random() const {
  if (c_.dropout == 0)
    return {};
  return {{"%key", "tensor<i64>", "() -> ()"},
          {"%counter", "tensor<i64>", "() -> ()"},
          {"%batch", "tensor<i64>", "() -> ()"}};
}

Operand Operands::joined(const char *name, int64_t heads, int64_t rows,
                         int64_t elements) const {
  return {name, tensor({c_.batch, rows, heads, elements}, element_), kJoined};
}

std::string Operands::settings() const {
  std::string text =
      formatv("sizes [{0}, {1}, {2}, {3}, {4}, {5}, {6}]", c_.batch, c_.heads,
              c_.groups, c_.queries, c_.keys, c_.depth, c_.width);
  char scale[40];
  std::snprintf(scale, sizeof scale, " scale %.17e", c_.scale());
  text += scale;
  if (c_.softcap > 0)
    text += formatv(" softcap {0:e}", c_.softcap);
  if (c_.causal)
    text += " causal";
  if (c_.window)
    text += " window " + std::to_string(c_.window);
  if (c_.dropout > 0)
    text += formatv(" dropout {0:e}", c_.dropout);
  return text;
}

using Field = std::string Operand::*;

static std::string join(const std::vector<Operand> &operands, Field field) {
  return llvm::join(
      llvm::map_range(operands, [&](const Operand &one) { return one.*field; }),
      ", ");
}

/// `%a: type, ..`; an operand that stands there several times, once.
static std::string declare(const std::vector<Operand> &operands) {
  std::vector<std::string> texts;
  for (const Operand &one : operands)
    if (std::string text = one.name + ": " + one.type;
        !llvm::is_contained(texts, text))
      texts.push_back(text);
  return llvm::join(texts, ", ");
}

/// Kernel @k of `op`, which reads `inputs` and writes `results`.
static std::string getText(const char *op, const Operands &operands,
                           const std::vector<Operand> &inputs,
                           const std::vector<Operand> &results) {
  // The mask is the op's fourth operand, and comes behind the kernel's inputs.
  std::vector<Operand> arguments = inputs, mapped = inputs;
  std::vector<Operand> random = operands.random();
  if (operands.hasMask()) {
    arguments.push_back(operands.mask());
    mapped.insert(mapped.begin() + 3, operands.mask());
  }
  for (std::vector<Operand> *all : {&arguments, &mapped}) {
    all->insert(all->end(), random.begin(), random.end());
    all->insert(all->end(), results.begin(), results.end());
  }
  std::string maps, returned;
  for (const Operand &one : mapped)
    maps += (maps.empty() ? "affine_map<" : ", affine_map<") + one.map + ">";
  for (size_t number = 0; number < results.size(); ++number)
    returned += (number ? ", %r#" : "%r#") + std::to_string(number);
  std::string types = join(results, &Operand::type);
  std::string mask;
  if (operands.hasMask())
    mask = "mask(%m : " + operands.mask().type + ") ";
  if (!random.empty())
    mask += formatv("random({0} : {1}) ", join(random, &Operand::name),
                    join(random, &Operand::type));
  return formatv("kernel.func attention @k({0}) -> ({1}) {{\n"
                 "  %r:{2} = {3} ins({4} : {5}) {6}outs({7} : {1}) {8} "
                 "maps [{9}] -> {1}\n"
                 "  kernel.return {10} : {1}\n}",
                 declare(arguments), types, results.size(), op,
                 join(inputs, &Operand::name), join(inputs, &Operand::type),
                 mask, join(results, &Operand::name), operands.settings(), maps,
                 returned);
}

std::string mpc::test::getForwardText(const AttentionCase &c,
                                      const std::string &element) {
  Operands all(c, element);
  return getText("kernel.attention", all,
                 {all.part(0, "%q"), all.part(1, "%k"), all.part(2, "%v")},
                 {all.joined("%o", c.heads, c.queries, c.width), all.rows("%n"),
                  all.rows("%s")});
}

std::string mpc::test::getGradientText(const AttentionCase &c,
                                       const std::string &element) {
  Operands all(c, element);
  return getText("kernel.attention_gradient", all,
                 {all.part(0, "%q"), all.part(1, "%k"), all.part(2, "%v"),
                  all.rows("%n"), all.rows("%s"), all.rows("%t"),
                  all.output("%g")},
                 {all.joined("%x", c.heads, c.queries, c.depth),
                  all.joined("%y", c.groups, c.keys, c.depth),
                  all.joined("%z", c.groups, c.keys, c.width)});
}
