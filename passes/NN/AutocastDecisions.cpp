// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Precision decisions by flags, policy and regions.
#include "passes/NN/AutocastDecisions.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/RegionRule.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/HiddenInfinities.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

using Subject = PolicyRule::Subject;

/// The current low type, and the rule of the innermost region that states one.
struct DecisionMaker::Context {
  Type low;
  const PolicyRule *rule = nullptr;
  bool isIsland = false;
  /// The rule that a region states for all its ops.
  std::optional<PrecisionRule> stated;
};

static Location locationOf(const AutocastPolicy &policy, const PolicyRule &rule,
                           MLIRContext *context) {
  return FileLineColLoc::get(context, policy.file, rule.line, 1);
}

static std::string whereIs(const AutocastPolicy &policy,
                           const PolicyRule &rule) {
  return policy.file + ":" + std::to_string(rule.line);
}

/// Whether `name` is `scope` or lies within it: "h.0" contains "h.0.attn" and
/// "h.0/MatMul", but not "h.01".
static bool isWithin(StringRef name, StringRef scope) {
  return name.consume_front(scope) &&
         (name.empty() || StringRef("./:").contains(name.front()));
}

static bool matchesGlob(const std::string &pattern, StringRef name) {
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (!glob) {
    // The glob was checked when the file was read.
    llvm::consumeError(glob.takeError());
    return false;
  }
  return glob->match(name);
}

/// The names of the nodes from which `op` was made; one empty name where the
/// model gives none.
static SmallVector<StringRef> namesOf(Operation *op) {
  SmallVector<StringRef> names = getNodeNames(op->getLoc());
  if (names.empty())
    names.emplace_back();
  return names;
}

FailureOr<const PolicyRule *> DecisionMaker::nodeRule(Operation *op) {
  SmallVector<StringRef> nodes = namesOf(op);
  const PolicyRule *found = nullptr;
  for (const PolicyRule &rule : policy_->rules) {
    const StringRef *node = rule.subject != Subject::Node
                                ? nodes.end()
                                : llvm::find_if(nodes, [&](StringRef name) {
                                    return matchesGlob(rule.name, name);
                                  });
    if (node == nodes.end())
      continue;
    use(rule);
    if (found && found->action != rule.action) {
      MLIRContext *context = op->getContext();
      InFlightDiagnostic error =
          emitError(locationOf(*policy_, rule, context))
          << "'" << rule.text() << "' and '" << found->text() << "' ("
          << whereIs(*policy_, *found) << ") both name node '" << *node
          << "': narrow one of them";
      return failure();
    }
    found = &rule;
  }
  return found;
}

const PolicyRule *DecisionMaker::regionRule(Operation *op,
                                            const Context &context) {
  const PolicyRule *found = nullptr;
  for (const PolicyRule &rule : policy_->rules) {
    if (rule.subject != Subject::Region ||
        (!isWithin(getNodeScope(op->getLoc()), rule.name) &&
         llvm::none_of(namesOf(op), [&](StringRef name) {
           return isWithin(name, rule.name);
         })))
      continue;
    use(rule);
    if (!found || found->name.size() < rule.name.size())
      found = &rule;
  }
  return context.rule ? context.rule : found;
}

const PolicyRule *DecisionMaker::opRule(Operation *op) {
  for (const PolicyRule &rule : policy_->rules)
    if (rule.subject == Subject::Op &&
        rule.name == op->getName().stripDialect()) {
      use(rule);
      return &rule;
    }
  return nullptr;
}

static Decision byFlag(Type low, PrecisionRule rule, StringRef flag,
                       StringRef name) {
  return {low,
          {rule, rule == PrecisionRule::KeepF32,
           (flag + " names '" + name + "'").str()},
          flag.str(),
          /*isOpen=*/false,
          /*isForced=*/true};
}

/// Whether `op` follows a cast to f32 that the model wrote although it changes
/// nothing in f32. The op is then meant to run in f32.
static bool isSettledByCast(PrecisionOpInterface op) {
  return op.getPrecisionRule() != PrecisionRule::Lower &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           auto cast = movedFrom(operand).getDefiningOp<CastOp>();
           return cast && cast->hasAttr(kWrittenAttr);
         });
}

FailureOr<Decision> DecisionMaker::decideOne(PrecisionOpInterface op,
                                             const Context &context) {
  if (!context.low)
    return Decision{{},
                    {op.getPrecisionRule(), false,
                     context.isIsland ? "an nn.autocast region says disabled"
                                      : "there is no low type"},
                    context.isIsland ? "region" : "--precision=fp32"};
  // All rules are asked, so that a rule counts as used even where a stronger
  // one wins.
  FailureOr<const PolicyRule *> ofNode = nodeRule(op);
  if (failed(ofNode))
    return failure();
  const PolicyRule *region = regionRule(op, context), *ofOp = opRule(op);
  SmallVector<StringRef> names = namesOf(op);
  names.push_back(op->getName().stripDialect());
  for (StringRef candidate : names) {
    if (keepF32_.matches(candidate))
      return byFlag(context.low, PrecisionRule::KeepF32, "--keep-fp32",
                    candidate);
  }
  for (StringRef candidate : names) {
    if (lower_.matches(candidate))
      return byFlag(context.low, PrecisionRule::Lower, "--lower", candidate);
  }
  if (context.stated && !*ofNode)
    return Decision{context.low,
                    {*context.stated, *context.stated == PrecisionRule::KeepF32,
                     "an nn.autocast region says " +
                         stringifyPrecisionRule(*context.stated).str()},
                    "region",
                    /*isOpen=*/false,
                    /*isForced=*/true};
  if (const PolicyRule *rule = *ofNode ? *ofNode : region ? region : ofOp)
    return Decision{context.low,
                    {rule->action, rule->action == PrecisionRule::KeepF32,
                     "'" + rule->text() + "' in the policy file"},
                    whereIs(*policy_, *rule),
                    /*isOpen=*/false,
                    /*isForced=*/true};
  Decision decision{context.low, policy_->base->ruleOf(op, context.low),
                    ("policy " + policy_->base->name).str()};
  decision.isOpen = policy_->base->isOwn && !policy_->taint &&
                    !policy_->spread && !isSettledByCast(op);
  return decision;
}

static LogicalResult readStatedRule(AutocastOp region,
                                    std::optional<PrecisionRule> &stated) {
  Attribute rule = region->getAttr(kRegionRule);
  if (!rule)
    return success();
  auto name = dyn_cast<StringAttr>(rule);
  if (name)
    stated = precisionRuleOf(name.getValue());
  if (name && stated)
    return success();
  return region.emitOpError("has the ")
         << kRegionRule << " " << rule << ", which is not a precision rule";
}

LogicalResult DecisionMaker::visit(Block &block, const Context &context,
                                   Decisions &decisions) {
  for (Operation &op : block) {
    if (auto region = dyn_cast<AutocastOp>(op)) {
      Context inner = context;
      inner.isIsland = !region.getEnabled();
      hasIslands_ |= inner.isIsland;
      if (inner.isIsland)
        inner.low = Type();
      else if (region.getDtype())
        inner.low = *region.getDtype();
      if (failed(readStatedRule(region, inner.stated)))
        return failure();
      for (const PolicyRule &rule : policy_->rules)
        if (rule.subject == Subject::Region &&
            getNodeName(region.getLoc()) == rule.name) {
          use(rule);
          inner.rule = &rule;
        }
      if (failed(visit(region.getBody().front(), inner, decisions)))
        return failure();
    } else if (auto rule = dyn_cast<PrecisionOpInterface>(op)) {
      FailureOr<Decision> decision = decideOne(rule, context);
      if (failed(decision))
        return failure();
      decisions.insert({&op, *decision});
    }
  }
  return success();
}

FailureOr<Decisions> DecisionMaker::decide(func::FuncOp function, Type low) {
  Decisions decisions;
  Context context;
  context.low = low;
  for (Block &block : function.getBody())
    if (failed(visit(block, context, decisions)))
      return failure();
  colorDecisions(decisions, policy_->taint, policy_->spread);
  keepInfinitiesVisible(function, policy_->base->numbers, decisions);
  return decisions;
}

void DecisionMaker::warnOfUnused(MLIRContext *context) const {
  for (auto [rule, isUsed] : llvm::zip(policy_->rules, used_))
    if (!isUsed)
      emitWarning(locationOf(*policy_, rule, context))
          << "'" << rule.text() << "' matches nothing in this model"
          << (hasIslands_ ? " that is not in a disabled region" : "");
}
