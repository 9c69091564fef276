// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// --explain: the precision of each op, the reason for it, and the cost of
/// casts.
#ifndef MPC_LIB_DRIVER_EXPLAIN_H
#define MPC_LIB_DRIVER_EXPLAIN_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Support/Status.h"

#include <string>
#include <vector>

namespace mpc {

struct ExplainedOp {
  std::string node; ///< The name of its node in the model; may be empty.
  /// The model's module that contains the node; may be empty.
  std::string scope;
  std::string op;     ///< "softmax"
  std::string type;   ///< The type it runs in: "f16", "f32", "f64", "i64".
  std::string rule;   ///< "lower", ..., "as-written".
  std::string source; ///< "policy mpc", "--keep-fp32", "FILE:LINE", "taint".
  std::string why;    ///< The reason for its type, for people.
  int64_t bytes = 0;  ///< The bytes of its results.
  /// The bytes of its results if those of 16 bits were in f32.
  int64_t bytesInF32 = 0;
  /// The bytes of random numbers that it draws. The backward pass draws them
  /// again and does not keep them.
  int64_t drawnBytes = 0;
  /// The op that would hide an infinite result that is infinite only in 16
  /// bits; may be empty.
  std::string hider;
  /// Whether it runs in 16 bits and carries an f32 number that 16 bits cannot
  /// hold.
  bool carriesNumber = false;

  /// "'node' (op)".
  [[nodiscard]] std::string name() const;
};

struct ExplainedCast {
  std::string value; ///< The operand: "'fc' (linear)", "parameter 'w'".
  std::string from, to;
  std::vector<std::string> readers;
  int64_t elements = 0;
  int64_t bytesRead = 0, bytesWritten = 0;
  /// Whether the cast is a 16-bit copy of a parameter that the optimizer
  /// writes, so that a step casts nothing.
  bool isWeightCopy = false;
  /// Whether its gradient is cast back in the backward pass.
  bool hasGradient = false;
};

struct Explanation {
  std::string function, precision, policy;
  /// The target's instruction that multiplies factors of that precision.
  std::string unit;
  std::vector<ExplainedOp> ops;
  std::vector<ExplainedCast> casts;

  /// Bytes of casts in a forward pass.
  [[nodiscard]] int64_t castBytes() const;
  /// Bytes of casts in a backward pass.
  [[nodiscard]] int64_t gradientBytes() const;
  /// Bytes of results and cast copies.
  [[nodiscard]] int64_t activationBytes() const;
  [[nodiscard]] int64_t activationBytesInF32() const;
  [[nodiscard]] int64_t weightCopyBytes() const;
  [[nodiscard]] int64_t drawnBytes() const;
  /// The number of ops that carry a number.
  [[nodiscard]] int64_t carryingOps() const;
  [[nodiscard]] int64_t carryingBytes() const; ///< The bytes of their results.
  /// The warnings as sentences.
  [[nodiscard]] std::vector<std::string> warnings() const;
};

/// The precisions in `module` after its casts are placed. It explains @loss, or
/// @model where there is no loss, or the first function that a step of the
/// module's own differentiates. `trains` says that an optimizer writes 16-bit
/// copies of weights.
Explanation explainPrecision(mlir::ModuleOp module, bool trains);

std::string toText(const Explanation &explanation);
std::string toJson(const Explanation &explanation);
std::string toHtml(const Explanation &explanation);

/// Writes the explanation to `file`, as HTML or JSON by the name's extension,
/// else as text; "-" is standard output.
rt::Status writeExplanation(const Explanation &explanation,
                            const std::string &file);

} // namespace mpc

#endif // MPC_LIB_DRIVER_EXPLAIN_H
