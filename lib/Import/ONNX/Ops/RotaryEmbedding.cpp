// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's RotaryEmbedding, which rotates pairs of features by angles that
/// depend on positions.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Rotates pairs of features by angles that depend on the position.
class RotaryImporter {
public:
  explicit RotaryImporter(NodeImporter &node) : node_(node), b_(node.build) {}

  Error run();

private:
  Error readInput();
  /// Input `index`, a table with a cosine or sine for each pair of features.
  Expected<Operand> readTable(size_t index);
  std::pair<Operand, Operand> halves(const Operand &features);
  Operand join(const Operand &real, const Operand &imaginary);

  NodeImporter &node_;
  TensorBuilder &b_;
  /// The input with four axes; and which of them are the sequence and the
  /// heads.
  Operand input_;
  int64_t sequenceAxis_ = 2, headAxis_ = 1;
  int64_t rotated_ = 0;
  bool isInterleaved_ = false;
};

Error RotaryImporter::readInput() {
  MPC_TRY(node_.requireFloat(0));
  input_ = node_.in(0);
  int64_t heads = node_.intAttr("num_heads", 0);
  if (input_.rank() == 3 && heads > 0 && input_.shape[2] % heads == 0) {
    sequenceAxis_ = 1;
    headAxis_ = 2;
    input_ = b_.reshape(input_, {input_.shape[0], input_.shape[1], heads,
                                 input_.shape[2] / heads});
  }
  if (input_.rank() != 4)
    return node_.fail("the input is " + shapeText(input_.shape) +
                      ", attribute 'num_heads' " + Twine(heads));
  rotated_ = node_.intAttr("rotary_embedding_dim", 0);
  rotated_ = rotated_ == 0 ? input_.shape[3] : rotated_;
  if (rotated_ < 2 || rotated_ % 2 != 0 || rotated_ > input_.shape[3])
    return node_.fail("rotates " + Twine(rotated_) + " of " +
                      Twine(input_.shape[3]) +
                      " features, expected an even number");
  isInterleaved_ = node_.intAttr("interleaved", 0) != 0;
  return Error::success();
}

Expected<Operand> RotaryImporter::readTable(size_t index) {
  MPC_TRY(node_.requireSameType(index, 0));
  Operand table = node_.in(index);
  if (node_.has(3)) {
    MPC_TRY(node_.requireIndices(3));
    if (table.rank() != 2 || table.shape[0] < 1)
      return node_.fail("a table is " + shapeText(table.shape) +
                        ", expected positions and features");
    table = b_.gather(table, node_.in(3), 0);
  }
  Shape expected{input_.shape[0], input_.shape[sequenceAxis_], rotated_ / 2};
  if (table.shape != expected)
    return node_.fail("a table is " + shapeText(table.shape) + ", expected " +
                      shapeText(expected));
  Shape shape = input_.shape;
  shape[3] = rotated_ / 2;
  return b_.broadcast(b_.wide(table), shape, {0, sequenceAxis_, 3});
}

std::pair<Operand, Operand> RotaryImporter::halves(const Operand &features) {
  if (!isInterleaved_) {
    std::vector<Operand> parts =
        b_.split(features, 3, {rotated_ / 2, rotated_ / 2});
    return {parts[0], parts[1]};
  }
  auto every = [&](int64_t start) {
    return b_.slice(features, {0, 0, 0, start}, features.shape, {1, 1, 1, 2});
  };
  return {every(0), every(1)};
}

Operand RotaryImporter::join(const Operand &real, const Operand &imaginary) {
  if (!isInterleaved_)
    return b_.concat({real, imaginary}, 3);
  Shape unit = real.shape, joined = real.shape;
  unit.push_back(1);
  joined[3] = rotated_;
  return b_.reshape(
      b_.concat({b_.reshape(real, unit), b_.reshape(imaginary, unit)}, 4),
      joined);
}

Error RotaryImporter::run() {
  MPC_TRY(readInput());
  MPC_TRY_ASSIGN(Operand cos, readTable(1));
  MPC_TRY_ASSIGN(Operand sin, readTable(2));
  int64_t kept = input_.shape[3] - rotated_;
  Operand features = b_.sliceAxis(input_, 3, 0, rotated_);
  auto [x, y] = halves(b_.wide(features));
  auto mul = [&](const Operand &l, const Operand &r) {
    return b_.binary(Binary::Mul, l, r);
  };
  Operand real = b_.binary(Binary::Sub, mul(cos, x), mul(sin, y));
  Operand imaginary = b_.binary(Binary::Add, mul(sin, x), mul(cos, y));
  Operand result = b_.cast(join(real, imaginary), input_.type);
  if (kept > 0)
    result = b_.concat(
        {result, b_.sliceAxis(input_, 3, rotated_, input_.shape[3])}, 3);
  node_.result(0, b_.reshape(result, node_.in(0).shape));
  return Error::success();
}

Error emitRotaryEmbedding(NodeImporter &node) {
  return RotaryImporter(node).run();
}

} // namespace

ArrayRef<OpRule> rotaryEmbeddingRules() {
  static const OpRule rules[] = {
      {"RotaryEmbedding", 23, 3, 4, 1,
       "interleaved:i num_heads:i rotary_embedding_dim:i", emitRotaryEmbedding},
  };
  return rules;
}

} // namespace mpc::onnx
