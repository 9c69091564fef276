// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Differentiates and compiles functions on nn tensors by the passes of the
/// compiler, and runs them on numbers.
#ifndef MPC_TEST_DIALECTS_NN_GRADIENTHARNESS_H
#define MPC_TEST_DIALECTS_NN_GRADIENTHARNESS_H

#include "GradientCases.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/Runner/Runner.h"
#include <functional>
#include <memory>

namespace mpc::test {

/// A tensor's elements as numbers; f64 holds what any format does.
using Numbers = std::vector<double>;

/// The functions of one module, as entries that can be run.
class CompiledModule {
public:
  /// Fails the test on any error. `inspect` sees the module when nn.vjp has
  /// been expanded and nothing else done.
  explicit CompiledModule(
      const std::string &text,
      const std::function<void(mlir::MLIRContext &)> &prepare = {},
      const std::function<void(mlir::ModuleOp)> &inspect = {});

  /// Runs function `name`. Inputs are rounded to the types of its arguments.
  std::vector<Numbers> run(const std::string &name,
                           const std::vector<Numbers> &inputs) const;

private:
  std::unique_ptr<rt::Runner> runner_;
};

/// `value` rounded to `type`, to nearest even.
double roundTo(const std::string &type, double value);

/// The distance of neighbours in `type` at the magnitude of `value`.
double ulpOf(const std::string &type, double value);

/// MLIR of case `index` on elements of `type`: @f<index>_<type>, the function;
/// @g..., its results, then its VJP by every floating argument; and, with
/// `second`, @h..., the results of @g and their VJP.
std::string gradientText(const GradientCase &test, size_t index,
                         const std::string &type, bool second);

/// Arguments of @g (or, with `second`, of @h): those of the case, then seeds;
/// always the same ones, rounded to `type`.
std::vector<Numbers> gradientInputs(const GradientCase &test, bool second,
                                    const std::string &type);

/// Of an entry that yields the results y of a function, then its VJP by its
/// floating arguments: the difference of <vjp, v> from the central difference
/// of <seed, y> along a random v, relative to the sum of |vjp_i v_i|. The last
/// inputs are the seeds, one for each y.
double directionalError(const CompiledModule &module, const std::string &entry,
                        const std::vector<Numbers> &inputs,
                        const std::vector<size_t> &floating, size_t numSeeds);

} // namespace mpc::test

#endif // MPC_TEST_DIALECTS_NN_GRADIENTHARNESS_H
