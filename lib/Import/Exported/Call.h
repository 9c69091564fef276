// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One call of an op while it is imported, and the table that says which
/// function imports it.
#ifndef MPC_LIB_IMPORT_EXPORTED_CALL_H
#define MPC_LIB_IMPORT_EXPORTED_CALL_H

#include "lib/Import/Exported/Program.h"
#include "lib/Import/Exported/Scope.h"

namespace mpc::exported {

/// A node, its arguments by the names of the op's schema, and its results.
/// Nobody vouches for the file: whoever emits checks what TensorBuilder takes
/// for granted. Errors have no place; the importer adds it.
class Call {
public:
  Call(const Node &node, const Graph &graph, const Scope &scope,
       TensorBuilder &build)
      : build(build), node_(node), graph_(graph), scope_(scope) {}

  TensorBuilder &build;

  [[nodiscard]] const Node &node() const { return node_; }
  /// Whether the argument is there and not None.
  [[nodiscard]] bool has(llvm::StringRef name) const;
  /// Whether the argument is a tensor, where the schema may have a number.
  [[nodiscard]] bool isTensor(llvm::StringRef name) const;
  llvm::Expected<Operand> tensor(llvm::StringRef name);
  /// The same of what must be floating.
  llvm::Expected<Operand> real(llvm::StringRef name);
  /// Nothing where the argument is not there or None.
  llvm::Expected<std::optional<Operand>> maybeTensor(llvm::StringRef name);
  /// Of a list; one that is None has no type.
  llvm::Expected<std::vector<Operand>> tensors(llvm::StringRef name);
  /// Numbers of the schema's defaults, which the file leaves out.
  llvm::Expected<double> number(llvm::StringRef name,
                                std::optional<double> otherwise = {});
  llvm::Expected<int64_t> integer(llvm::StringRef name,
                                  std::optional<int64_t> otherwise = {});
  llvm::Expected<bool> flag(llvm::StringRef name, bool otherwise);
  llvm::Expected<std::string> text(llvm::StringRef name,
                                   llvm::StringRef otherwise);
  /// One number is a list of one.
  llvm::Expected<llvm::SmallVector<int64_t>>
  integers(llvm::StringRef name, llvm::ArrayRef<int64_t> otherwise = {});
  /// A number for each of `count` axes, which may be given once for all.
  llvm::Expected<llvm::SmallVector<int64_t>>
  perAxis(llvm::StringRef name, size_t count,
          std::optional<int64_t> otherwise = {});
  /// An axis of `rank`, counted from its end where it is negative. A scalar has
  /// an axis of one element.
  llvm::Expected<int64_t> axis(llvm::StringRef name, int64_t rank,
                               std::optional<int64_t> otherwise = {});
  /// All axes where none are given; in order.
  llvm::Expected<llvm::SmallVector<int64_t>> axes(llvm::StringRef name,
                                                  int64_t rank);

  /// Floating operands, but those of 64 bits, are cast to `type` as they are
  /// read.
  void computeIn(mlir::Type type) { compute_ = type; }
  /// Of the first floating operand; null where there is none.
  llvm::Expected<mlir::Type> firstFloatType() const;

  /// What the file declares result `index` to be.
  llvm::Expected<const TensorMeta *> declared(size_t index = 0) const;
  llvm::Expected<mlir::Type> resultType(size_t index = 0) const;
  llvm::Expected<Shape> resultShape(size_t index = 0) const;
  /// A tensor or a number, in `type` and broadcast to `shape`.
  llvm::Expected<Operand> operandAs(llvm::StringRef name, mlir::Type type,
                                    llvm::ArrayRef<int64_t> shape);
  /// The same as the first result is declared.
  llvm::Expected<Operand> operandLikeResult(llvm::StringRef name);
  /// `operand` broadcast as numpy does.
  llvm::Expected<Operand> broadcastTo(const Operand &operand,
                                      llvm::ArrayRef<int64_t> shape,
                                      llvm::StringRef what);
  /// `operand` with other sizes of as many elements.
  llvm::Expected<Operand> reshaped(const Operand &operand,
                                   llvm::ArrayRef<int64_t> shape);

  void result(Operand operand) { results_.push_back(std::move(operand)); }
  /// In place of the one that there is.
  void replaceResult(Operand operand) {
    results_.assign(1, std::move(operand));
  }
  /// Of a row with Sharing::Part: what its result shows. Without it that is
  /// Sharing::Reordered.
  void shows(int64_t axis, int64_t start, int64_t limit) {
    part_ = View{Sharing::Part, {}, axis, start, limit};
  }
  /// How the results share the elements of the first argument.
  [[nodiscard]] View viewFor(Sharing sharing) const {
    if (sharing == Sharing::Part)
      return part_;
    return View{sharing};
  }
  [[nodiscard]] llvm::ArrayRef<Operand> results() const { return results_; }

  [[nodiscard]] llvm::Error fail(const llvm::Twine &message) const {
    return invalidModel(message);
  }

private:
  const Argument *find(llvm::StringRef name) const;
  llvm::Expected<Operand> read(llvm::StringRef tensor);
  llvm::Error missing(llvm::StringRef name) const;
  llvm::Error wrong(llvm::StringRef name, llvm::StringRef expected) const;

  const Node &node_;
  const Graph &graph_;
  const Scope &scope_;
  std::vector<Operand> results_;
  View part_{Sharing::Reordered};
  mlir::Type compute_;
};

using Emitter = llvm::Error (*)(Call &call);

/// How an op is imported. A name that ends with an underscore writes in place;
/// it has the row of the op without one.
struct OpRow {
  llvm::StringLiteral op; ///< "linear.default"
  Emitter emit;
  /// How the results share the elements of the first argument.
  Sharing sharing = Sharing::Nothing;
};

/// A gradient inside of a program.
inline constexpr llvm::StringLiteral kGradOp{
    "torch.ops.mpc_compiler.grad.default"};

/// The rows of one family of ops.
llvm::ArrayRef<OpRow> combinationRows();
llvm::ArrayRef<OpRow> complexRows();
llvm::ArrayRef<OpRow> derivativeRows();
llvm::ArrayRef<OpRow> distanceRows();
llvm::ArrayRef<OpRow> elementwiseRows();
llvm::ArrayRef<OpRow> expertRows();
llvm::ArrayRef<OpRow> indexingRows();
llvm::ArrayRef<OpRow> linearSystemRows();
llvm::ArrayRef<OpRow> lossRows();
llvm::ArrayRef<OpRow> movementRows();
llvm::ArrayRef<OpRow> normalizationRows();
llvm::ArrayRef<OpRow> padRows();
llvm::ArrayRef<OpRow> productRows();
llvm::ArrayRef<OpRow> quantizationRows();
llvm::ArrayRef<OpRow> randomRows();
llvm::ArrayRef<OpRow> rearrangementRows();
llvm::ArrayRef<OpRow> recurrentRows();
llvm::ArrayRef<OpRow> reductionRows();
llvm::ArrayRef<OpRow> sortingRows();
llvm::ArrayRef<OpRow> windowRows();
llvm::ArrayRef<OpRow> writeRows();

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_CALL_H
