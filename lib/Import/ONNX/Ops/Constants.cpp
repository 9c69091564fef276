// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops whose results follow from attributes, shapes and constants.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/Remedies.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace mpc::onnx {

namespace {

/// `values` as the node's result.
template <typename T>
Error emitValues(NodeImporter &node, mlir::Type type, ArrayRef<int64_t> shape,
                 ArrayRef<T> values) {
  MPC_TRY_ASSIGN(Operand constant, node.constant<T>(type, shape, values));
  node.result(0, constant);
  return Error::success();
}

Error emitConstant(NodeImporter &node) {
  if (node.node().attributes.size() != 1)
    return node.fail("has " + Twine(node.node().attributes.size()) +
                     " attributes, expected one");
  const Attribute &value = node.node().attributes.front();
  if (value.t) {
    Expected<Operand> constant = node.constantOf(*value.t);
    if (!constant) {
      std::string text;
      takeError(constant.takeError(), text);
      return node.fail(text);
    }
    node.result(0, *constant);
    return Error::success();
  }
  int64_t numInts = static_cast<int64_t>(value.ints.size());
  int64_t numFloats = static_cast<int64_t>(value.floats.size());
  if (value.name == "value_int")
    return emitValues<int64_t>(node, node.build.i64(), {}, {value.i});
  if (value.name == "value_float")
    return emitValues<float>(node, node.build.f32(), {}, {value.f});
  if (value.name == "value_ints")
    return emitValues<int64_t>(node, node.build.i64(), {numInts}, value.ints);
  return emitValues<float>(node, node.build.f32(), {numFloats}, value.floats);
}

Error emitConstantOfShape(NodeImporter &node) {
  MPC_TRY_ASSIGN(auto shape, node.ints(0, "the shape"));
  MPC_TRY(node.checkSize(shape));
  const Attribute *value = node.attribute("value");
  if (!value) {
    node.result(0, node.build.splat(node.build.f32(), shape, 0.0));
    return Error::success();
  }
  Expected<Operand> number = node.constantOf(*value->t);
  if (!number || countElements(number->shape) != 1) {
    consumeError(number.takeError());
    return node.fail("attribute 'value' must be one number of a supported "
                     "type");
  }
  Operand scalar = node.build.reshape(*number, {});
  node.result(0, node.build.broadcastTo(scalar, shape));
  return Error::success();
}

Error emitShape(NodeImporter &node) {
  ArrayRef<int64_t> shape = node.in(0).shape;
  int64_t rank = node.in(0).rank();
  auto clampAxis = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t start = clampAxis(node.intAttr("start", 0));
  int64_t end = clampAxis(node.intAttr("end", rank));
  node.result(0, node.build.ints(
                     shape.slice(start, std::max<int64_t>(end - start, 0))));
  return Error::success();
}

Error emitSize(NodeImporter &node) {
  int64_t size = *countElements(node.in(0).shape);
  return emitValues<int64_t>(node, node.build.i64(), {}, {size});
}

/// Ones on a diagonal, of the shape of the input.
Error emitEyeLike(NodeImporter &node) {
  const Operand &input = node.in(0);
  int64_t type =
      node.intAttr("dtype", static_cast<int64_t>(elementTypeOf(input.type)));
  auto elements = static_cast<ElemType>(static_cast<int32_t>(type));
  TensorBuilder &b = node.build;
  if (input.rank() != 2 || type < 0 || type > INT32_MAX ||
      !elementType(input.type.getContext(), elements))
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected two axes and a type that is supported");
  Operand ahead = b.binary(Binary::Sub, b.coordinates(input.shape, 1),
                           b.coordinates(input.shape, 0));
  Operand diagonal =
      b.splatLike(ahead, static_cast<double>(node.intAttr("k", 0)));
  node.result(0, b.cast(b.compare(nn::CompareKind::EQ, ahead, diagonal),
                        elementType(input.type.getContext(), elements)));
  return Error::success();
}

/// The positions of elements that are not zero: a row of coordinates for each
/// axis. Their number depends on the data, so that the input must be known.
Error emitNonZero(NodeImporter &node) {
  const Operand &input = node.in(0);
  TensorBuilder &b = node.build;
  Operand truth = input.isBool() ? input
                                 : b.compare(nn::CompareKind::NE, input,
                                             b.splatLike(input, 0));
  if (!truth.known)
    return node.fail("its input is not known when the model is compiled; " +
                     remedyFor(node.node()));
  SmallVector<int64_t> found;
  for (int64_t i = 0, e = truth.known.getNumElements(); i < e; ++i)
    if (nn::intAt(truth.known, i) != 0)
      found.push_back(i);
  std::vector<int64_t> rows;
  for (auto [size, stride] :
       zip_equal(input.shape, nn::denseStrides(input.shape)))
    for (int64_t place : found)
      rows.push_back(place / stride % size);
  MPC_TRY_ASSIGN(
      Operand places,
      node.constant<int64_t>(
          b.i64(), {input.rank(), static_cast<int64_t>(found.size())}, rows));
  node.result(0, places);
  return Error::success();
}

/// The number of steps of `delta` within `distance`.
std::optional<int64_t> rangeLength(double distance, double delta) {
  double length = std::ceil(distance / delta);
  if (!(length > 0))
    return 0;
  if (!(length <= 1 << 22))
    return std::nullopt;
  return static_cast<int64_t>(length);
}

/// With bounds of several types the result has the type of the float among
/// them.
mlir::Type rangeType(const NodeImporter &node) {
  for (size_t i = 0; i < 3; ++i)
    if (node.in(i).isFloat())
      return node.in(i).type;
  return node.in(0).type;
}

Error emitRange(NodeImporter &node) {
  double bounds[3];
  int64_t integers[3];
  mlir::Type type = rangeType(node);
  for (size_t i = 0; i < 3; ++i) {
    if (!node.isSet(setting::kMixedTypes))
      MPC_TRY(node.requireSameType(i, 0));
    const Operand &bound = node.in(i);
    if (!bound.known || countElements(bound.shape) != 1)
      return node.fail("bounds and step must be known numbers, '" +
                       printable(node.node().inputs[i]) + "' is not");
    bounds[i] = nn::realAt(bound.known, 0);
    integers[i] = nn::intAt(bound.known, 0);
  }
  if (bounds[2] == 0.0 || type == node.build.i1())
    return node.fail("the step is 0 or the type bool");
  // 1.1f - 0.1f is 1 in f32, and more than 1 in f64.
  double distance = bounds[1] - bounds[0];
  if (type == node.build.f32())
    distance = static_cast<float>(distance);
  std::optional<int64_t> length = rangeLength(distance, bounds[2]);
  if (!length)
    return node.fail("the range has more than 2^22 numbers");
  std::vector<double> reals;
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < *length; ++i) {
    reals.push_back(bounds[0] + static_cast<double>(i) * bounds[2]);
    numbers.push_back(static_cast<int64_t>(
        static_cast<uint64_t>(integers[0]) +
        static_cast<uint64_t>(i) * static_cast<uint64_t>(integers[2])));
  }
  if (isa<mlir::FloatType>(type)) {
    MPC_TRY_ASSIGN(Operand wide,
                   node.constant<double>(node.build.f64(), {*length}, reals));
    node.result(0, node.build.cast(wide, type));
    return Error::success();
  }
  MPC_TRY_ASSIGN(Operand wide,
                 node.constant<int64_t>(node.build.i64(), {*length}, numbers));
  node.result(0, node.build.cast(wide, type));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> constantRules() {
  static const OpRule rules[] = {
      {"Constant", 1, 0, 0, 1, "value:t", emitConstant},
      {"Constant", 12, 0, 0, 1,
       "value:t value_float:f value_floats:fs value_int:i value_ints:is",
       emitConstant},
      {"ConstantOfShape", 9, 1, 1, 1, "value:t", emitConstantOfShape},
      {"EyeLike", 9, 1, 1, 1, "dtype:i k:i", emitEyeLike},
      {"NonZero", 9, 1, 1, 1, "", emitNonZero},
      {"Range", 11, 3, 3, 1, "", emitRange},
      // The result is computed in double for any stash_type.
      {"Range", 27, 3, 3, 1, "stash_type:i", emitRange},
      {"Shape", 1, 1, 1, 1, "", emitShape},
      {"Shape", 15, 1, 1, 1, "end:i start:i", emitShape},
      {"Size", 1, 1, 1, 1, "", emitSize},
  };
  return rules;
}

} // namespace mpc::onnx
