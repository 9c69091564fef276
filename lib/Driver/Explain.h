// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// --explain: the precision of each op, what chose it, and what casts cost.
#ifndef MPC_LIB_DRIVER_EXPLAIN_H
#define MPC_LIB_DRIVER_EXPLAIN_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Support/Status.h"

#include <string>
#include <vector>

namespace mpc {

struct ExplainedOp {
  std::string node;   ///< The model's name of it; may be empty.
  std::string scope;  ///< The module of the model that it is in; may be empty.
  std::string op;     ///< "softmax"
  std::string type;   ///< What it runs in: "f16", "f32", "f64", "i64".
  std::string rule;   ///< "lower", ..., "as-written".
  std::string source; ///< "policy mpc", "--keep-fp32", "FILE:LINE", "taint".
  std::string why;    ///< For people.
  int64_t bytes = 0;  ///< Of its results.
  int64_t bytesInF32 = 0; ///< The same with its 16-bit results in f32.
  /// Of what it draws at random, and again in the backward pass instead of
  /// keeping it.
  int64_t drawnBytes = 0;
  /// What would hide that its result is infinite in 16 bits alone; may be
  /// empty.
  std::string hider;
  /// Whether it runs in 16 bits with a number of f32, which those do not hold.
  bool carriesNumber = false;

  /// "'node' (op)".
  [[nodiscard]] std::string name() const;
};

struct ExplainedCast {
  std::string value; ///< What is cast: "'fc' (linear)", "parameter 'w'".
  std::string from, to;
  std::vector<std::string> readers;
  int64_t elements = 0;
  int64_t bytesRead = 0, bytesWritten = 0;
  /// A 16-bit copy of a parameter that the optimizer writes beside it: no cast
  /// happens in a step.
  bool isWeightCopy = false;
  /// Whether its gradient is cast the other way in the backward pass.
  bool hasGradient = false;
};

struct Explanation {
  std::string function, precision, policy;
  std::vector<ExplainedOp> ops;
  std::vector<ExplainedCast> casts;

  [[nodiscard]] int64_t castBytes() const;       ///< Of a forward pass.
  [[nodiscard]] int64_t gradientBytes() const;   ///< Of casts in the backward.
  [[nodiscard]] int64_t activationBytes() const; ///< Results and cast copies.
  [[nodiscard]] int64_t activationBytesInF32() const;
  [[nodiscard]] int64_t weightCopyBytes() const;
  [[nodiscard]] int64_t drawnBytes() const;
  [[nodiscard]] int64_t carryingOps() const;   ///< Ops that carry a number.
  [[nodiscard]] int64_t carryingBytes() const; ///< Of their results.
  [[nodiscard]] std::vector<std::string> warnings() const; ///< Sentences.
};

/// What `module` says after its casts are placed: of @loss, of @model where
/// there is no loss, of the first function that a step of its own
/// differentiates. `trains`: an optimizer writes 16-bit copies of weights.
Explanation explainPrecision(mlir::ModuleOp module, bool trains);

std::string toText(const Explanation &explanation);
std::string toJson(const Explanation &explanation);
std::string toHtml(const Explanation &explanation);

/// Writes it to `file`: HTML or JSON by the name's end, else text; "-" is
/// standard output.
rt::Status writeExplanation(const Explanation &explanation,
                            const std::string &file);

} // namespace mpc

#endif // MPC_LIB_DRIVER_EXPLAIN_H
