// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of losses and optimizers, from the tables that the compiler reads.
#include "lib/Driver/Flags/RecipeTables.h"

#include "dialects/AMP/Optimizers.h"
#include "lib/Driver/Recipe.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mpc;

/// One row, with a line break in front. A bar in a cell is escaped, because it
/// would end the cell.
static std::string rowOf(llvm::ArrayRef<std::string> cells) {
  std::string row = "\n|";
  for (llvm::StringRef cell : cells) {
    std::string text;
    for (char c : cell)
      text += c == '|' ? "\\|" : std::string(1, c);
    row += text.empty() ? " |" : " " + text + " |";
  }
  return row;
}

static std::string headOf(llvm::ArrayRef<std::string> cells) {
  std::string line = "\n|";
  for (size_t i = 0; i != cells.size(); ++i)
    line += "---|";
  return rowOf(cells).substr(1) + line;
}

static std::string quoted(llvm::StringRef text) {
  return ("`" + text + "`").str();
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

static std::string targetOf(const nn::LossFunction &loss) {
  switch (loss.target) {
  case nn::LossTarget::None:
    return "none";
  case nn::LossTarget::Labels:
    return "labels";
  case nn::LossTarget::Classes:
    return "labels, or probabilities of the classes";
  case nn::LossTarget::Values:
    return "values";
  }
  llvm_unreachable("unknown target of a loss");
}

/// "--reduction=batchmean" for "reduction=batchmean".
static std::string flagOf(llvm::StringRef parameter) {
  auto [key, word] = parameter.split('=');
  return spellFlag("loss", key, word);
}

static std::string flagsOf(const nn::LossFunction &loss) {
  std::vector<std::string> flags;
  for (const nn::LossParameterName &parameter : nn::lossParameterNames())
    if (loss.has(parameter.parameter))
      flags.push_back(quoted(flagOf(parameter.name)));
  return llvm::join(flags, ", ");
}

std::string mpc::describeLosses() {
  std::string text = headOf({"`--loss`", "x, the model's output", "t, `target`",
                             "of one element", "flags"});
  for (const nn::LossFunction &loss : nn::allLosses())
    text += rowOf({quoted(loss.name),
                   loss.output.empty() ? "numbers" : loss.output.str(),
                   targetOf(loss), quoted(loss.summary), flagsOf(loss)});
  return text;
}

//===----------------------------------------------------------------------===//
// Optimizers
//===----------------------------------------------------------------------===//

/// "`beta1` 0.9, `eps` 1e-08".
static std::string listOf(llvm::ArrayRef<amp::NamedNumber> numbers) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::ListSeparator separator;
  for (const amp::NamedNumber &number : numbers)
    stream << separator << quoted(number.name) << " "
           << llvm::format("%g", number.value);
  return text;
}

static std::string listOf(llvm::ArrayRef<llvm::StringRef> names) {
  return llvm::join(llvm::map_range(names, quoted), ", ");
}

/// "`exp_avg`, `max_exp_avg_sq` (of `amsgrad`)".
static std::string listOf(llvm::ArrayRef<amp::OptimizerSlot> slots) {
  std::vector<std::string> words;
  for (const amp::OptimizerSlot &slot : slots)
    words.push_back(slot.flag.empty() ? quoted(slot.name)
                                      : quoted(slot.name) + " (of " +
                                            quoted(slot.flag) + ")");
  return llvm::join(words, ", ");
}

std::string mpc::describeOptimizers() {
  std::string text =
      headOf({"`--optimizer`", "hyper-parameters and defaults",
              "flags of `--opt-arg`", "slots of a parameter", "state"});
  for (const amp::Optimizer *optimizer : amp::allOptimizers()) {
    std::vector<llvm::StringRef> state;
    for (const amp::NamedNumber &number : optimizer->state)
      state.push_back(number.name);
    text += rowOf({quoted(optimizer->name), listOf(optimizer->hypers),
                   listOf(optimizer->flags), listOf(optimizer->slots),
                   listOf(state)});
  }
  return text;
}
