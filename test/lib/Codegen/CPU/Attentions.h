// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels of attention as text, for tests and benchmarks.
#ifndef MPC_TEST_LIB_CODEGEN_CPU_ATTENTIONS_H
#define MPC_TEST_LIB_CODEGEN_CPU_ATTENTIONS_H

#include <cmath>
#include <cstdint>
#include <string>

namespace mpc::test {

/// Low: numbers of which the least hide keys, in some rows all of them.
enum class AttentionMask { None, Bool, Float, Low };

struct AttentionCase {
  int64_t batch, heads, groups, queries, keys, depth, width;
  bool causal = false;
  int64_t window = 0;
  AttentionMask mask = AttentionMask::None; ///< Of one head for all.
  /// Whether queries, keys and values are parts of one product,
  /// [batch, query, part, head, element].
  bool packed = false;
  double dropout = 0; ///< The ratio of weights that are dropped.
  double softcap = 0; ///< The bound of scaled products; 0 for none.

  [[nodiscard]] double scale() const {
    return 1 / std::sqrt(static_cast<double>(depth));
  }
  [[nodiscard]] bool sees(int64_t query, int64_t key) const {
    return (!causal || key <= query) && (window == 0 || query - key < window);
  }
  [[nodiscard]] bool hasBias() const {
    return mask == AttentionMask::Float || mask == AttentionMask::Low;
  }
};

/// Kernel @k: kernel.attention on elements of type `element`. Its arguments are
/// queries, keys and values, [batch, head, row, element], or their packed
/// product; the mask, if there is one, [batch, 1, query, key]; with dropout the
/// key, the counter and the batch that it draws by; then the output,
/// with heads next to each other, and the maximum and the sum of each row.
std::string getForwardText(const AttentionCase &c, const std::string &element);
/// Kernel @k: its gradient. After queries, keys and values come maxima and sums
/// of rows, deltas, the output's gradient, the mask and what dropout draws by,
/// and then the gradients, with heads next to each other.
std::string getGradientText(const AttentionCase &c, const std::string &element);

} // namespace mpc::test

#endif // MPC_TEST_LIB_CODEGEN_CPU_ATTENTIONS_H
