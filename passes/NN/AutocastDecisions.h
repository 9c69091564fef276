// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The precision that autocast decides for each op of a function, before any
/// cast is made.
#ifndef MPC_PASSES_NN_AUTOCASTDECISIONS_H
#define MPC_PASSES_NN_AUTOCASTDECISIONS_H

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/Interfaces/Precision.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/NN/AutocastPolicy.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::nn {

class AutocastOp;

/// An op's precision and its reason.
struct Decision {
  /// The low type at this op; null where the op stays as written.
  mlir::Type low;
  OpRule rule;
  /// The deciding flag or rule: "policy mpc", "--keep-fp32", "FILE:3", "taint",
  /// "spread", "region", "--precision=fp32".
  std::string source;
  /// Whether nn-simplify-casts may choose another type. It may not overrule a
  /// flag, a rule, or a preset that decides like another system.
  bool isOpen = false;
  /// Whether a flag or a rule of a file decided. Then the decision is carried
  /// out as it says.
  bool isForced = false;
};

/// The decisions for the ops with a precision rule, in program order.
using Decisions = llvm::MapVector<mlir::Operation *, Decision>;

/// Decides by flags, policy and regions. Flags win over rules of a node. These
/// win over rules of a region (the inner one first), then come rules of an op,
/// then the base policy.
class DecisionMaker {
public:
  DecisionMaker(std::shared_ptr<const AutocastPolicy> policy,
                NamePatterns keepF32, NamePatterns lower)
      : policy_(std::move(policy)), keepF32_(std::move(keepF32)),
        lower_(std::move(lower)), used_(this->policy_->rules.size()) {}

  /// Fails, with errors at the rules, where two rules contradict each other.
  llvm::FailureOr<Decisions> decide(mlir::func::FuncOp function,
                                    mlir::Type low);

  /// Warns, at the rule, of each rule that has decided about no op.
  void warnOfUnused(mlir::MLIRContext *context) const;

private:
  struct Context;
  mlir::LogicalResult visit(mlir::Block &block, const Context &context,
                            Decisions &decisions);
  llvm::FailureOr<Decision> decideOne(PrecisionOpInterface op,
                                      const Context &context);
  llvm::FailureOr<const PolicyRule *> nodeRule(mlir::Operation *op);
  const PolicyRule *regionRule(mlir::Operation *op, const Context &context);
  const PolicyRule *opRule(mlir::Operation *op);
  void use(const PolicyRule &rule) {
    used_[&rule - policy_->rules.data()] = true;
  }

  std::shared_ptr<const AutocastPolicy> policy_;
  NamePatterns keepF32_, lower_;
  std::vector<bool> used_;
  bool hasIslands_ = false;
};

/// grappler's passes over the ops of one function: taint (2), then spread (3
/// and 4). The rules are pass 1. Pass 5 is not needed, since every op has a
/// kernel in 16 bits. The caller handles region boundaries.
void colorDecisions(Decisions &decisions, bool taint, bool spread);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_AUTOCASTDECISIONS_H
