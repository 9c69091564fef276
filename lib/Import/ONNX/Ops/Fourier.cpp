// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's Fourier transforms, and the windows applied before them.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/Fourier.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

constexpr int64_t kMostPlaces = 1 << 23;

/// Checks that the last axis has real or complex numbers, after `others` axes.
Error checkParts(NodeImporter &node, int64_t others) {
  MPC_TRY(node.requireFloat(0));
  const Operand &x = node.in(0);
  if (x.rank() <= others || (x.shape.back() != 1 && x.shape.back() != 2) ||
      is_contained(x.shape, 0))
    return node.fail("the input is " + shapeText(x.shape) +
                     ", expected a last axis of 1 or 2");
  return Error::success();
}

/// A one-sided transform is from real numbers, or to real numbers.
Error checkTransform(NodeImporter &node, const FourierTransform &transform) {
  if (transform.size < 1 || transform.size > kLongestTransform)
    return node.fail("the length is " + Twine(transform.size) +
                     ", expected 1 to " + Twine(kLongestTransform));
  int64_t expected = transform.isInverse ? 2 : 1;
  if (!transform.isOneSided || transform.inputParts == expected)
    return Error::success();
  return node.fail("attribute 'onesided' is 1, and the input has " +
                   Twine(transform.inputParts) + " parts, expected " +
                   Twine(expected));
}

Error emitTransform(NodeImporter &node, int64_t axis) {
  const Operand &x = node.in(0);
  MPC_TRY(checkParts(node, 1));
  MPC_TRY_ASSIGN(axis, node.axis(axis, x.rank()));
  if (axis == x.rank() - 1)
    return node.fail("the axis is the last, which holds the parts");
  FourierTransform transform{x.shape[axis], node.intAttr("inverse", 0) != 0,
                             node.intAttr("onesided", 0) != 0, x.shape.back()};
  if (transform.isOneSided && transform.isInverse)
    transform.size = std::max<int64_t>(1, 2 * (x.shape[axis] - 1));
  if (node.has(1)) {
    MPC_TRY_ASSIGN(transform.size, node.integer(1, "the length"));
  }
  MPC_TRY(checkTransform(node, transform));
  MPC_TRY_ASSIGN(Operand result, node.placed(fourierTransformed(
                                     node.build, x, axis, transform)));
  node.result(0, result);
  return Error::success();
}

Error emitDFT17(NodeImporter &node) {
  return emitTransform(node, node.intAttr("axis", 1));
}

Error emitDFT(NodeImporter &node) {
  int64_t axis = -2;
  if (node.has(2)) {
    MPC_TRY_ASSIGN(axis, node.integer(2, "the axis"));
  }
  return emitTransform(node, axis);
}

/// [batch, frames, length, parts]: windows of the signal, each multiplied by
/// `window`.
Expected<Operand> framesOf(NodeImporter &node, int64_t length, int64_t step) {
  TensorBuilder &b = node.build;
  const Operand &signal = node.in(0);
  int64_t frames = (signal.shape[1] - length) / step + 1;
  if (frames > kMostPlaces / length)
    return node.fail("has " + Twine(frames) + " frames of " + Twine(length) +
                     ", expected at most " + Twine(kMostPlaces) +
                     " places in all");
  std::vector<int64_t> places;
  for (int64_t frame : seq<int64_t>(0, frames))
    for (int64_t place : seq<int64_t>(0, length))
      places.push_back(frame * step + place);
  MPC_TRY_ASSIGN(Operand indices,
                 node.constant<int64_t>(b.i64(), {frames, length}, places));
  Operand taken = b.gather(signal, indices, 1);
  if (!node.has(2))
    return taken;
  MPC_TRY(node.requireSameType(2, 0));
  if (node.in(2).shape != Shape{length})
    return node.fail("the window is " + shapeText(node.in(2).shape) +
                     ", expected " + Twine(length));
  return b.binary(Binary::Mul, taken,
                  b.broadcast(node.in(2), taken.shape, {2}));
}

Error emitSTFT(NodeImporter &node) {
  const Operand &signal = node.in(0);
  MPC_TRY(checkParts(node, 2));
  if (signal.rank() != 3)
    return node.fail("the signal is " + shapeText(signal.shape) +
                     ", expected batch, length and parts");
  MPC_TRY_ASSIGN(int64_t step, node.integer(1, "the frame step"));
  int64_t length = signal.shape[1];
  if (node.has(3)) {
    MPC_TRY_ASSIGN(length, node.integer(3, "the frame length"));
  } else if (node.has(2)) {
    length = *countElements(node.in(2).shape);
  }
  if (step < 1 || length < 1 || length > signal.shape[1])
    return node.fail("frames of " + Twine(length) + " every " + Twine(step) +
                     " do not fit a signal of " + Twine(signal.shape[1]));
  FourierTransform transform{length, false, node.intAttr("onesided", 1) != 0,
                             signal.shape.back()};
  MPC_TRY(checkTransform(node, transform));
  MPC_TRY_ASSIGN(Operand frames, framesOf(node, length, step));
  MPC_TRY_ASSIGN(Operand result, node.placed(fourierTransformed(
                                     node.build, frames, 2, transform)));
  node.result(0, result);
  return Error::success();
}

Error emitWindow(NodeImporter &node, CosineWindow window) {
  MPC_TRY_ASSIGN(int64_t size, node.integer(0, "the size"));
  if (size < 0 || size > kMostPlaces)
    return node.fail("the size is " + Twine(size) + ", expected 0 to " +
                     Twine(kMostPlaces));
  mlir::Type type = node.build.f32();
  if (node.attribute("output_datatype")) {
    MPC_TRY_ASSIGN(type, node.elementTypeAttr("output_datatype"));
  }
  int64_t period = node.intAttr("periodic", 1) != 0 ? size : size - 1;
  std::vector<double> values;
  for (int64_t place : seq<int64_t>(0, size))
    values.push_back(size == 1 ? 1.0 : window.at(place, period));
  MPC_TRY_ASSIGN(Operand wide,
                 node.constant<double>(node.build.f64(), {size}, values));
  node.result(0, node.build.cast(wide, type));
  return Error::success();
}

Error emitHann(NodeImporter &node) { return emitWindow(node, {0.5, 0.5, 0.0}); }

Error emitHamming(NodeImporter &node) {
  return emitWindow(node, node.isSet(setting::kTwoDigits)
                              ? CosineWindow{0.54, 0.46, 0.0}
                              : CosineWindow{25.0 / 46.0, 21.0 / 46.0, 0.0});
}

Error emitBlackman(NodeImporter &node) {
  return emitWindow(node, {0.42, 0.5, 0.08});
}

constexpr StringRef kOfWindow = "output_datatype:i periodic:i";

} // namespace

ArrayRef<OpRule> fourierRules() {
  static const OpRule rules[] = {
      {"BlackmanWindow", 17, 1, 1, 1, kOfWindow, emitBlackman},
      {"DFT", 17, 1, 2, 1, "axis:i inverse:i onesided:i", emitDFT17},
      {"DFT", 20, 1, 3, 1, "inverse:i onesided:i", emitDFT},
      {"HammingWindow", 17, 1, 1, 1, kOfWindow, emitHamming},
      {"HannWindow", 17, 1, 1, 1, kOfWindow, emitHann},
      {"STFT", 17, 2, 4, 1, "onesided:i", emitSTFT},
  };
  return rules;
}

} // namespace mpc::onnx
