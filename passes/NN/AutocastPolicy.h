// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Autocast policies, which give ops their precision rules. A policy is a
/// preset, or a file that changes one (docs/semantics/autocast.md).
#ifndef MPC_PASSES_NN_AUTOCASTPOLICY_H
#define MPC_PASSES_NN_AUTOCASTPOLICY_H

#include "dialects/Interfaces/OpInterfaces.h"
#include "dialects/NN/AutocastPreset.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace mpc::nn {

/// The rule of a policy for one op, before its neighbours are considered.
struct OpRule {
  PrecisionRule rule = PrecisionRule::Infer;
  /// Whether the op's f32 taints the ops after it (grappler's deny list). An op
  /// that a system does not know stays in f32 and taints nothing.
  bool taints = false;
  /// The reason, for people: "softmax.int is fp32_set_opt_dtype in PyTorch's
  /// list".
  std::string why;
};

/// The treatment of a number (a constant of one value, or a tensor without
/// dimensions) that the 16-bit type of the other operands cannot hold.
enum class Numbers {
  /// Arithmetic computes with its f32 value and rounds once, at the result.
  /// Other ops read it rounded. PyTorch does so.
  Carry,
  /// As Carry, but a number that would become 0, subnormal or infinite keeps
  /// the op in f32, and so does a bound near 1 that would become 1.
  KeepRange,
  /// The number is rounded to the type of the other operands, as in TensorFlow.
  Round,
};

/// A built-in policy.
struct AutocastPreset {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  /// The rule of `op` where `low` is the low type.
  OpRule (*ruleOf)(PrecisionOpInterface op, mlir::Type low);
  bool taint = false;
  bool spread = false;
  /// Whether the preset is our own, so that nn-simplify-casts may move what it
  /// leaves open.
  bool isOwn = false;
  /// Whether the system runs scaled_dot_product_attention as one op, whose
  /// scores it never rounds to 16 bits.
  bool runsAttention = false;
  Numbers numbers = Numbers::Carry;
};

llvm::ArrayRef<AutocastPreset> autocastPresets();
const AutocastPreset *findAutocastPreset(llvm::StringRef name);
/// "mpc, torch-cuda, ...".
std::string knownAutocastPresets();

/// One rule of a policy file.
struct PolicyRule {
  enum class Subject { Op, Region, Node };
  Subject subject;
  PrecisionRule action; ///< The action: Lower, KeepF32 or Infer.
  std::string name; ///< The name of an op or region, or a glob over node names.
  unsigned line = 0;

  /// The rule as it was written: "deny node h.0.*".
  [[nodiscard]] std::string text() const;
};

/// A preset with the changes that a file makes.
struct AutocastPolicy {
  const AutocastPreset *base = nullptr;
  /// Whether deny ops taint infer and clear ops after them, up to the next deny
  /// or infer op. Tainted ops stay in f32.
  bool taint = false;
  /// Whether infer and clear ops between two lowered ops, and clear ops beside
  /// lowered ones, run in the low type. All others stay in f32.
  bool spread = false;
  std::string file; ///< The file's name; empty for a preset.
  std::string text; ///< The text of the file.
  std::vector<PolicyRule> rules;
};

/// A preset as a policy.
AutocastPolicy makePolicy(const AutocastPreset &preset);

/// Finds a policy by name or file. A name that is a preset and also a file in
/// the current folder is refused; "preset:NAME" and "./NAME" are not ambiguous.
/// Messages name file and line, one message a line.
struct PolicyError {
  enum class Kind { Usage, File, Content } kind;
  std::string message;
};
using PolicyOrError =
    std::pair<std::shared_ptr<const AutocastPolicy>, PolicyError>;
PolicyOrError loadAutocastPolicy(llvm::StringRef nameOrFile,
                                 mlir::MLIRContext &context);

/// Loads `policy`, if it is null, by name or file; reports why it cannot.
llvm::LogicalResult loadIfMissing(std::shared_ptr<const AutocastPolicy> &policy,
                                  llvm::StringRef nameOrFile,
                                  mlir::MLIRContext &context);

/// Reads the text of a policy file. `context` must have loaded the dialects
/// whose ops the file may name.
llvm::Expected<AutocastPolicy> parseAutocastPolicy(llvm::StringRef text,
                                                   llvm::StringRef file,
                                                   mlir::MLIRContext &context);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_AUTOCASTPOLICY_H
