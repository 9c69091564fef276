// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tensors of an attention, and what float64 makes of them.
#ifndef MPC_TEST_LIB_CODEGEN_CPU_ATTENTIONPROBLEM_H
#define MPC_TEST_LIB_CODEGEN_CPU_ATTENTIONPROBLEM_H

#include "test/lib/Codegen/CPU/Attentions.h"
#include "test/lib/Codegen/CPU/Harness.h"

namespace mpc::test {

/// The tensors of a case, and what float64 makes of them.
class AttentionProblem {
public:
  /// Queries and keys have elements from -range to range.
  AttentionProblem(const AttentionCase &c, const char *element,
                   double range = 2);

  std::string forwardText() const { return getForwardText(c_, element_); }
  std::string gradientText() const { return getGradientText(c_, element_); }
  Buffers forwardBuffers() const;
  Buffers gradientBuffers() const;

  std::vector<double> output, rowMax, rowSum, delta, dQuery, dKey, dValue;

private:
  void fill();
  void computeForward();
  void computeBackward();
  double read(int part, int64_t b, int64_t h, int64_t row, int64_t e) const;
  double score(int64_t b, int64_t h, int64_t i, int64_t j) const;
  double logit(int64_t b, int64_t h, int64_t i, int64_t j) const;
  bool seen(int64_t b, int64_t h, int64_t i, int64_t j) const;
  double kept(int64_t b, int64_t h, int64_t i, int64_t j) const;
  std::vector<uint8_t> store(const std::vector<double> &values) const;
  double round(double value) const;
  void addInputs(Buffers &buffers) const;
  void addRandom(Buffers &buffers) const;
  size_t rows() const { return c_.batch * c_.heads * c_.queries; }

  AttentionCase c_;
  std::string element_;
  double range_;
  std::vector<double> query_, key_, value_, mask_, dOutput_;
};

/// The numbers of a buffer of `element`s.
std::vector<double> readNumbers(const std::vector<uint8_t> &buffer,
                                const std::string &element);

/// The distance of `got` from `want`, relative in norm.
double relativeError(const std::vector<double> &got,
                     const std::vector<double> &want);

/// The shape of a tensor, [batch, head, row, element].
struct AttentionShape {
  int64_t batch, heads, rows, elements;
};

/// [batch, row, head, element] of [batch, head, row, element].
std::vector<double> joinHeads(const std::vector<double> &values,
                              const AttentionShape &s);

} // namespace mpc::test

#endif // MPC_TEST_LIB_CODEGEN_CPU_ATTENTIONPROBLEM_H
