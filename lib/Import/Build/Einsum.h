// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Any equation of Einstein's summation, as transposes, sums and matrix
/// products.
#ifndef MPC_LIB_IMPORT_BUILD_EINSUM_H
#define MPC_LIB_IMPORT_BUILD_EINSUM_H

#include "lib/Import/Build/TensorBuilder.h"

#include <map>

namespace mpc::build {

/// An equation with its terms, which are added one by one.
class Einsum {
public:
  /// `equation` has no blanks, and must outlive this object.
  Einsum(TensorBuilder &b, llvm::StringRef equation)
      : b_(b), equation_(equation) {}

  /// Fails unless the equation has `count` terms.
  llvm::Error checkCount(size_t count) const;
  /// Adds the next term. Terms are floats of one type.
  llvm::Error add(const Operand &input);
  /// The result, after all terms were added.
  llvm::Expected<Operand> result();

private:
  /// Axes by name: letters, and numbers from 256 on for axes of an ellipsis.
  using Labels = llvm::SmallVector<int, 6>;

  /// A tensor with named axes.
  struct Term {
    Operand tensor;
    Labels labels;
  };

  llvm::StringRef inputs() const { return equation_.split("->").first; }
  llvm::Expected<Labels> readLabels(llvm::StringRef text, int64_t rank);
  llvm::Expected<Labels> readOutput(llvm::StringRef text, bool isGiven);
  llvm::Error keepSizes(const Term &term);
  void takeDiagonals(Term &term);
  void sumAway(Term &term, llvm::ArrayRef<int> kept);
  void repeat(Term &term);
  /// The axes in `order`, and then one joined axis for each of `groups`.
  Operand grouped(const Term &term, llvm::ArrayRef<Labels> groups);
  Term product(Term lhs, Term rhs, llvm::ArrayRef<int> needed);

  TensorBuilder &b_;
  llvm::StringRef equation_;
  std::vector<Term> terms_;
  std::map<int, int64_t> sizes_;
  /// The most axes of an ellipsis in any term.
  int64_t hidden_ = 0;
};

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_EINSUM_H
