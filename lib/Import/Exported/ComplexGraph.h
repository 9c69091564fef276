// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A graph whose complex tensors are being replaced by pairs of real ones: the
/// nodes that are written so far, and the parts of each name.
#ifndef MPC_LIB_IMPORT_EXPORTED_COMPLEXGRAPH_H
#define MPC_LIB_IMPORT_EXPORTED_COMPLEXGRAPH_H

#include "lib/Import/Exported/Program.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"

namespace mpc::exported {

Argument tensorOf(std::string name);
Argument integerOf(int64_t number);
Argument numberOf(double number);
Argument flagOf(bool flag);

/// The number by which the schema calls a type of mpc.
int64_t scalarTypeOf(rt::DType type);

/// "torch.ops.aten.mul.Tensor" of an op that writes in place.
std::string withoutUnderscore(llvm::StringRef target);

/// A value: tensors, or numbers. What is real has no imaginary part.
struct Parts {
  std::optional<Argument> re = {}, im = {};
};

class ComplexGraph {
public:
  explicit ComplexGraph(Graph &graph);

  /// Whether nothing in the graph, or in graphs in it, is complex.
  [[nodiscard]] bool isReal() const;
  [[nodiscard]] bool isComplex(llvm::StringRef name) const {
    return complex_.contains(name);
  }
  llvm::Error rewriteAll();
  /// State that is complex gets an axis for its parts.
  void splitState(llvm::StringRef name);

  //===--------------------------------------------------------------------===//
  // What a node reads
  //===--------------------------------------------------------------------===//

  Parts partsOf(const Argument &argument);
  /// Of an argument that must be a tensor.
  llvm::Expected<Parts> parts(const Node &node, llvm::StringRef name);
  /// The same of what must be real.
  llvm::Expected<Argument> operand(const Node &node, llvm::StringRef name);
  /// Zeros where there is none.
  Argument imaginaryOf(const Parts &parts);
  /// What a tensor is; its parts, if it is complex.
  TensorMeta metaOf(const Argument &tensor) const;
  /// What the parts of the first result are declared to be.
  TensorMeta partMeta(const Node &node) const;

  //===--------------------------------------------------------------------===//
  // What is written
  //===--------------------------------------------------------------------===//

  /// Appends a node with one result, which is returned.
  Argument emit(Node node, const TensorMeta &meta);
  Argument emit(llvm::StringRef op, std::vector<NamedArgument> inputs,
                const TensorMeta &meta);
  Argument unary(llvm::StringRef op, const Argument &x);
  Argument binary(llvm::StringRef op, const Argument &a, const Argument &b,
                  const TensorMeta &meta);
  /// The parts, each as `meta`, along the last axis of `pairs`.
  Parts split(const Argument &pairs, const TensorMeta &meta);
  /// A part, or its negative, which shows what may not be written through it.
  Argument shown(const Argument &part, bool isNegated = false);
  /// Names the parts as the node's result, and writes them where it writes.
  llvm::Error define(const Node &node, const Parts &result);
  /// `re` and `im` give the parts of the result of one node.
  llvm::Error rewriteParts(const Node &re, const Node &im);
  /// An op whose name no table has.
  llvm::Error refuse(const Node &node);

  llvm::Error rewriteLinear(const Node &node);
  llvm::Error rewriteProduct(const Node &node, llvm::StringRef first,
                             llvm::StringRef second);

  //===--------------------------------------------------------------------===//
  // Formulas
  //===--------------------------------------------------------------------===//

  Parts plus(const Parts &a, const Parts &b, const TensorMeta &meta);
  Parts times(const Parts &a, const Parts &b, const TensorMeta &meta);
  Parts reciprocal(const Parts &x);
  Parts polar(const Argument &size, const Argument &angle,
              const TensorMeta &meta);
  /// Zero at zero, as the gradient is there.
  Argument absolute(const Parts &x);
  Argument angle(const Parts &x);

private:
  using Multiply =
      llvm::function_ref<Argument(const Argument &, const Argument &)>;

  llvm::Error rewrite(const Node &node);
  llvm::Error rewriteEinsum(const Node &node);
  llvm::Error rewriteRegion(const Node &node);
  Parts multiply(const TensorMeta &meta, const Parts &a, const Parts &b,
                 const Multiply &product);
  NamedArgument partOf(const NamedArgument &argument, bool isReal);
  std::string partOf(const std::string &name, bool isReal);
  std::string nameOf(llvm::StringRef name, bool isReal);
  std::string newName(const TensorMeta &meta);
  Argument isZero(const Parts &x);
  bool hasComplex(const Node &node) const;
  void append(Node node);
  void expand(std::vector<std::string> &names);

  Graph &graph_;
  llvm::StringSet<> complex_;
  std::vector<Node> written_;
  const Node *current_ = nullptr;
  size_t numNames_ = 0;
};

/// Whether the op, without its overload, is a Fourier transform.
bool isFourier(llvm::StringRef name);
llvm::Error rewriteFourier(ComplexGraph &graph, const Node &node,
                           llvm::StringRef name);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_COMPLEXGRAPH_H
