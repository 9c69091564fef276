// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of the parameters that a step trains.
#include "passes/AMP/ParameterChoice.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/ParameterNames.h"
#include "passes/AMP/TrainedParameters.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// Parameters are updated in f32, whatever the model computes in. Without
/// master weights they are kept in bf16.
static LogicalResult setStorage(nn::ParameterOp parameter, bool hasMaster) {
  Builder b(parameter.getContext());
  Type type = cast<RankedTensorType>(parameter.getType()).getElementType();
  Type stored = hasMaster ? Type(b.getF32Type()) : b.getBF16Type();
  if (!hasMaster && type.isF16())
    return parameter.emitError("'")
           << parameter.getSymName() << "' is " << parameter.getType()
           << ", which bf16 cannot hold: train it with master weights";
  if (type == stored)
    return success();
  if (!isCastable(type))
    return parameter.emitError("can only train parameters of f32, f16 and "
                               "bf16, but '")
           << parameter.getSymName() << "' is " << parameter.getType()
           << ": export the model in f32 (PyTorch: model.float()), or freeze "
              "it";
  retype(parameter, stored);
  return success();
}

namespace {

/// The lists of parameter names of a recipe.
class NameLists {
public:
  explicit NameLists(RecipeOp recipe) : recipe_(recipe) {}

  LogicalResult compile() {
    for (const std::string &expression : stringsOf(recipe_.getGradientSets()))
      if (failed(compile({expression}, sets.emplace_back())))
        return failure();
    for (const GroupClause &group : recipe_.getAllGroups())
      if (failed(compile({group.pattern}, groups.emplace_back())))
        return failure();
    return success(
        succeeded(compile(stringsOf(recipe_.getFreeze()), frozen)) &&
        succeeded(compile(stringsOf(recipe_.getTrainable()), trained)) &&
        succeeded(compile(stringsOf(recipe_.getNoDecay()), undecayed)) &&
        succeeded(compile(stringsOf(recipe_.getNoGradient()), ungraded)));
  }

  bool freezes(StringRef name) const {
    return frozen.matches(name) || (!trained.empty() && !trained.matches(name));
  }

  /// The number of the first set with `name`, counted from 1; 0 for none.
  size_t findSet(StringRef name) const { return findAmong(sets, name); }
  /// The same of groups.
  size_t findGroup(StringRef name) const { return findAmong(groups, name); }

  NamePatterns frozen, trained, undecayed, ungraded;
  SmallVector<NamePatterns> sets, groups;

private:
  static size_t findAmong(ArrayRef<NamePatterns> lists, StringRef name) {
    const auto *found = llvm::find_if(lists, [&](const NamePatterns &patterns) {
      return patterns.matches(name);
    });
    return found == lists.end() ? 0 : 1 + (found - lists.begin());
  }

  LogicalResult compile(ArrayRef<std::string> expressions,
                        NamePatterns &patterns) {
    auto compiled =
        NamePatterns::compile(expressions, [&](const std::string &message) {
          emitError(recipe_->getParentOp()->getLoc()) << message;
        });
    if (succeeded(compiled))
      patterns = std::move(*compiled);
    return compiled;
  }

  RecipeOp recipe_;
};

class ParameterChoice {
public:
  ParameterChoice(ModuleOp module, StepPlan &plan)
      : module_(module), plan_(plan), lists_(plan.recipe) {
    if (plan.loss)
      reached_ = findDifferentiableParameters(plan.loss);
  }

  LogicalResult run() {
    if (failed(lists_.compile()))
      return failure();
    sets_.resize(1 + lists_.sets.size());
    groups_ = plan_.recipe.getAllGroups();
    plan_.groups.resize(groups_.size());
    bool hasIdle = false;
    for (auto parameter : module_.getOps<nn::ParameterOp>()) {
      if (lists_.freezes(nn::nameOf(parameter.getSymName())))
        parameter.setFrozen(true);
      if (parameter.getFrozen())
        continue;
      if (!hasGradient(parameter))
        hasIdle = true;
      else if (failed(add(parameter)))
        return failure();
    }
    addSets();
    if (plan_.parameters.empty() && plan_.inputs.empty() && !hasIdle)
      return emitError(module_.getLoc()) << "has no parameter to train";
    return success();
  }

private:
  /// Whether the loss depends on the parameter. Warns where it does not.
  bool hasGradient(nn::ParameterOp parameter) {
    if (!plan_.loss || reached_.contains(parameter.getSymNameAttr()))
      return !lists_.ungraded.matches(nn::nameOf(parameter.getSymName()));
    parameter.emitWarning("parameter '")
        << nn::nameOf(parameter.getSymName())
        << "' has no path to the loss: it has no "
        << "gradient and is not updated";
    return false;
  }

  LogicalResult add(nn::ParameterOp parameter) {
    if (failed(setStorage(parameter, !plan_.recipe.getNoMasters())))
      return failure();
    std::string name = nn::nameOf(parameter.getSymName());
    auto symbol = FlatSymbolRefAttr::get(parameter.getSymNameAttr());
    sets_[lists_.findSet(name)].members.push_back(plan_.parameters.size());
    plan_.parameters.push_back(parameter);
    plan_.symbols.push_back(symbol);
    size_t group = lists_.findGroup(name);
    if (group > 0)
      plan_.groups[group - 1].push_back(symbol);
    if (lists_.undecayed.matches(name) ||
        (group > 0 && groups_[group - 1].noDecay))
      plan_.noDecay.push_back(symbol);
    return success();
  }

  /// Adds the sets that have members. Each has an optimizer state of its own.
  void addSets() {
    auto first = module_.lookupSymbol<OptimizerOp>(kOptimizer);
    for (auto [index, set] : llvm::enumerate(sets_)) {
      if (set.members.empty())
        continue;
      if (index > 0)
        set.present = "present." + std::to_string(index - 1);
      set.optimizer = kOptimizer.str();
      if (!plan_.sets.empty()) {
        set.optimizer += std::to_string(plan_.sets.size() + 1);
        OpBuilder b(first);
        b.setInsertionPointAfter(first);
        cast<OptimizerOp>(b.clone(*first)).setSymName(set.optimizer);
      }
      setTrained(set);
      plan_.sets.push_back(std::move(set));
    }
  }

  /// Sets the parameters that the optimizer of `set` trains.
  void setTrained(const ParameterSet &set) {
    auto op = module_.lookupSymbol<OptimizerOp>(set.optimizer);
    Builder b(op.getContext());
    SmallVector<Attribute> symbols = set.select(plan_.symbols);
    op.setTrainsAttr(b.getArrayAttr(symbols));
    llvm::erase_if(symbols, [&](Attribute symbol) {
      return !llvm::is_contained(plan_.noDecay, symbol);
    });
    op.setNoDecayAttr(symbols.empty() ? ArrayAttr() : b.getArrayAttr(symbols));
    setGroups(op);
  }

  /// Every set has all groups, so that a group has the same number in each.
  void setGroups(OptimizerOp op) {
    Builder b(op.getContext());
    SmallVector<Attribute> groups;
    for (auto [clause, members] : llvm::zip_equal(groups_, plan_.groups)) {
      SmallVector<Attribute> own =
          llvm::filter_to_vector(members, [&](Attribute symbol) {
            return llvm::is_contained(op.getTrains(), symbol);
          });
      groups.push_back(
          GroupAttr::get(op.getContext(), clause.numbers, b.getArrayAttr(own)));
    }
    op.setGroupsAttr(groups.empty() ? ArrayAttr() : b.getArrayAttr(groups));
  }

  ModuleOp module_;
  StepPlan &plan_;
  NameLists lists_;
  SmallVector<GroupClause> groups_;
  /// The sets. The first holds the parameters that no list names.
  SmallVector<ParameterSet> sets_;
  DenseSet<StringAttr> reached_; ///< The parameters on which the loss depends.
};

} // namespace

LogicalResult mpc::amp::chooseParameters(ModuleOp module, StepPlan &plan) {
  return ParameterChoice(module, plan).run();
}
