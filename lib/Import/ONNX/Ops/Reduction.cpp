// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that reduce over axes.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/Reductions.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

enum class Reduce {
  Sum,
  Mean,
  Max,
  Min,
  Prod,
  L1,
  L2,
  SumSquare,
  LogSum,
  LogSumExp
};

/// The axes, from an input or an attribute. Empty where the op passes its input
/// on.
Expected<std::optional<SmallVector<int64_t>>> readAxes(NodeImporter &node) {
  int64_t rank = node.in(0).rank();
  SmallVector<int64_t> given;
  if (auto attribute = node.intsAttr("axes"))
    given.assign(attribute->begin(), attribute->end());
  if (node.has(1)) {
    MPC_TRY_ASSIGN(given, node.ints(1, "the axes"));
  }
  if (given.empty()) {
    if (node.intAttr("noop_with_empty_axes", 0) != 0)
      return std::nullopt;
    return to_vector(seq<int64_t>(0, rank));
  }
  if (rank == 0 && node.isSet(setting::kScalarHasAxis))
    return SmallVector<int64_t>();
  MPC_TRY_ASSIGN(auto axes, node.axes(given, rank));
  llvm::sort(axes);
  return axes;
}

/// The function that is applied to each element first. Roots and logarithms of
/// integers are computed in f64.
Operand before(Reduce kind, TensorBuilder &b, const Operand &x) {
  switch (kind) {
  case Reduce::L1:
    return b.abs(x);
  case Reduce::L2:
  case Reduce::LogSum:
  case Reduce::LogSumExp: {
    Operand real = x.isFloat() ? x : b.cast(x, b.f64());
    return kind == Reduce::L2 ? b.binary(Binary::Mul, real, real) : real;
  }
  case Reduce::SumSquare:
    return b.binary(Binary::Mul, x, x);
  default:
    return x;
  }
}

/// The function that is applied to the reduced elements.
Operand after(Reduce kind, TensorBuilder &b, const Operand &x) {
  switch (kind) {
  case Reduce::L2:
    return b.flatAtZero(x, [&](const Operand &y) { return b.sqrt(y); });
  case Reduce::LogSum:
    return b.log(x);
  default:
    return x;
  }
}

Operand firstExtremum(Reduce kind, TensorBuilder &b, const Operand &x,
                      int64_t axis) {
  return kind == Reduce::Max ? firstMaximum(b, x, axis)
                             : b.reversed(firstMaximum(b, b.reversed(x), axis));
}

/// The axis of an extremum whose gradient goes to the first of equal elements.
/// Empty where it goes to all of them, as nn's own does.
std::optional<int64_t> axisOfFirst(const NodeImporter &node, const Operand &x,
                                   ArrayRef<int64_t> axes) {
  if (!node.isSet(setting::kFirstOfEqual) || !x.isFloat() || axes.size() != 1)
    return std::nullopt;
  int64_t size = x.shape[axes.front()];
  return 1 < size && size <= 1 << 24 ? std::optional(axes.front())
                                     : std::nullopt;
}

Operand reduce(Reduce kind, TensorBuilder &b, const Operand &x,
               ArrayRef<int64_t> axes) {
  switch (kind) {
  case Reduce::Mean:
    return b.reduceMean(x, axes);
  case Reduce::Max:
    return b.reduceMax(x, axes);
  case Reduce::Min:
    return b.reduceMin(x, axes);
  case Reduce::Prod:
    return b.reduceProd(x, axes);
  case Reduce::LogSumExp:
    return logSumExp(b, x, axes);
  default:
    return b.reduceSum(x, axes);
  }
}

template <Reduce kind>
Error emitReduce(NodeImporter &node) {
  const Operand &input = node.in(0);
  if (kind != Reduce::Max && kind != Reduce::Min)
    MPC_TRY(node.requireNumbers(0));
  MPC_TRY_ASSIGN(auto axes, readAxes(node));
  bool keep = node.intAttr("keepdims", 1) != 0;
  // Without axes, only the elementwise parts of the op remain.
  SmallVector<int64_t> none;
  ArrayRef<int64_t> reduced = axes ? *axes : none;
  Shape shape;
  for (auto [axis, size] : enumerate(input.shape)) {
    bool gone = is_contained(reduced, static_cast<int64_t>(axis));
    if (!gone || keep)
      shape.push_back(gone ? 1 : size);
  }
  TensorBuilder &b = node.build;
  std::optional<int64_t> first = axisOfFirst(node, input, reduced);
  Operand result =
      first ? firstExtremum(kind, b, input, *first)
            : after(kind, b, reduce(kind, b, before(kind, b, input), reduced));
  node.result(0, b.cast(b.reshape(result, shape), input.type));
  return Error::success();
}

constexpr StringRef kByAttribute = "axes:is keepdims:i";
constexpr StringRef kByInput = "keepdims:i noop_with_empty_axes:i";

} // namespace

ArrayRef<OpRule> reductionRules() {
  static const OpRule rules[] = {
      {"ReduceL1", 1, 1, 1, 1, kByAttribute, emitReduce<Reduce::L1>},
      {"ReduceL1", 18, 1, 2, 1, kByInput, emitReduce<Reduce::L1>},
      {"ReduceL2", 1, 1, 1, 1, kByAttribute, emitReduce<Reduce::L2>},
      {"ReduceL2", 18, 1, 2, 1, kByInput, emitReduce<Reduce::L2>},
      {"ReduceLogSum", 1, 1, 1, 1, kByAttribute, emitReduce<Reduce::LogSum>},
      {"ReduceLogSum", 18, 1, 2, 1, kByInput, emitReduce<Reduce::LogSum>},
      {"ReduceLogSumExp", 1, 1, 1, 1, kByAttribute,
       emitReduce<Reduce::LogSumExp>},
      {"ReduceLogSumExp", 18, 1, 2, 1, kByInput, emitReduce<Reduce::LogSumExp>},
      {"ReduceMax", 1, 1, 1, 1, kByAttribute, emitReduce<Reduce::Max>},
      {"ReduceMax", 18, 1, 2, 1, kByInput, emitReduce<Reduce::Max>},
      {"ReduceMean", 1, 1, 1, 1, kByAttribute, emitReduce<Reduce::Mean>},
      {"ReduceMean", 18, 1, 2, 1, kByInput, emitReduce<Reduce::Mean>},
      {"ReduceMin", 1, 1, 1, 1, kByAttribute, emitReduce<Reduce::Min>},
      {"ReduceMin", 18, 1, 2, 1, kByInput, emitReduce<Reduce::Min>},
      {"ReduceProd", 1, 1, 1, 1, kByAttribute, emitReduce<Reduce::Prod>},
      {"ReduceProd", 18, 1, 2, 1, kByInput, emitReduce<Reduce::Prod>},
      {"ReduceSum", 1, 1, 1, 1, kByAttribute, emitReduce<Reduce::Sum>},
      {"ReduceSum", 13, 1, 2, 1, kByInput, emitReduce<Reduce::Sum>},
      {"ReduceSumSquare", 1, 1, 1, 1, kByAttribute,
       emitReduce<Reduce::SumSquare>},
      {"ReduceSumSquare", 18, 1, 2, 1, kByInput, emitReduce<Reduce::SumSquare>},
  };
  return rules;
}

} // namespace mpc::onnx
