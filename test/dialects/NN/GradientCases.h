// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions whose gradients are tested: every differentiable nn op, with
/// its attributes varied.
#ifndef MPC_TEST_DIALECTS_NN_GRADIENTCASES_H
#define MPC_TEST_DIALECTS_NN_GRADIENTCASES_H

#include <cstdint>
#include <string>
#include <vector>

namespace mpc::test {

/// Where the elements of an argument are taken from.
enum class Domain {
  Any,      ///< -2 to 2, no nearer than 0.1 to zero.
  Positive, ///< 0.3 to 2.5.
  Distinct, ///< Odd multiples of 1/16, no two equal; exact in every format.
  Shifted,  ///< The same plus 1/32: equal to no Distinct one.
};

struct Argument {
  std::string shape; ///< As in "3x7"; "" for a scalar.
  Domain domain = Domain::Any;
  std::vector<int64_t> integers = {}; ///< The elements of a tensor of i64.
};

/// A function of arguments %a, %b, %c that computes %r.
struct GradientCase {
  std::string op;      ///< The op under test, "conv" for nn.conv.
  std::string variant; ///< Tells cases of one op apart.
  std::vector<Argument> arguments;
  std::string result; ///< Shape of %r.
  /// "$T" is the element type under test, "$C" the one that it computes in.
  std::string body;
  /// Largest error of a 16-bit gradient, in units of the last place of its
  /// largest element: half a unit for its own rounding, and n where the VJP
  /// reads the n-th power of the forward op's rounded result.
  double ulps = 1.5;
};

const std::vector<GradientCase> &gradientCases();
/// Those of attention among them.
std::vector<GradientCase> attentionCases();

} // namespace mpc::test

#endif // MPC_TEST_DIALECTS_NN_GRADIENTCASES_H
