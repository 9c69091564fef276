// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Autocast policies: what gives an op its precision rule. A policy is a
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

/// What a policy says of one op, before its neighbours are looked at.
struct OpRule {
  PrecisionRule rule = PrecisionRule::Infer;
  /// Whether the op's f32 taints what is behind it (grappler's deny list). An
  /// op that a system does not know stays in f32 and taints nothing.
  bool taints = false;
  /// Why, for people: "softmax.int is fp32_set_opt_dtype in PyTorch's list".
  std::string why;
};

/// What becomes of a number (a constant of one value, a tensor of no
/// dimensions) that the 16-bit type of the operands beside it does not hold.
enum class Numbers {
  /// Arithmetic computes with its f32 value and rounds once, at the result;
  /// other ops read it rounded. So does PyTorch.
  Carry,
  /// The same; but one that would be 0, subnormal or infinite keeps the op in
  /// f32, and so does a bound beside 1 that would be 1.
  KeepRange,
  /// It is rounded to the type of the others, as TensorFlow converts it.
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
  /// Ours: nn-simplify-casts may move what it leaves open.
  bool isOwn = false;
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
  PrecisionRule action; ///< Lower, KeepF32 or Infer.
  std::string name;     ///< Of an op or region; a glob over node names.
  unsigned line = 0;

  /// As written: "deny node h.0.*".
  [[nodiscard]] std::string text() const;
};

/// A preset and what a file changes of it.
struct AutocastPolicy {
  const AutocastPreset *base = nullptr;
  /// Deny taints forward through infer and clear up to the last of deny and
  /// infer; what is tainted stays in f32.
  bool taint = false;
  /// Infer and clear run in the low type between two lowered ops, and clear
  /// ops beside lowered ones; what neither reaches stays in f32.
  bool spread = false;
  std::string file; ///< Empty for a preset.
  std::string text; ///< What the file says.
  std::vector<PolicyRule> rules;
};

/// A preset as a policy.
AutocastPolicy makePolicy(const AutocastPreset &preset);

/// What a policy's name or file gives. A name that is a preset and a file in
/// the current folder at once is refused; "preset:NAME" and "./NAME" are not
/// ambiguous. Messages name the file and line, one a line.
struct PolicyError {
  enum class Kind { Usage, File, Content } kind;
  std::string message;
};
using PolicyOrError =
    std::pair<std::shared_ptr<const AutocastPolicy>, PolicyError>;
PolicyOrError loadAutocastPolicy(llvm::StringRef nameOrFile,
                                 mlir::MLIRContext &context);

/// Reads the text of a policy file. `context` has the dialects whose ops may
/// be named.
llvm::Expected<AutocastPolicy> parseAutocastPolicy(llvm::StringRef text,
                                                   llvm::StringRef file,
                                                   mlir::MLIRContext &context);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_AUTOCASTPOLICY_H
