// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops on sequences of tensors. Sequences are lists during the import, so
/// that their lengths must be known.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

Error emitSequenceConstruct(NodeImporter &node) {
  SmallVector<Operand> elements = node.allInputs();
  node.resultSequence({elements.begin(), elements.end()});
  return Error::success();
}

Error emitSequenceEmpty(NodeImporter &node) {
  node.resultSequence({});
  return Error::success();
}

/// The sequence in input 0.
Expected<std::vector<Operand>> sequenceOf(NodeImporter &node) {
  if (node.entry(0).isSequence)
    return node.entry(0).sequence;
  return node.fail("input 0 is a tensor, expected a sequence");
}

Error emitSequenceInsert(NodeImporter &node) {
  MPC_TRY_ASSIGN(auto sequence, sequenceOf(node));
  auto size = static_cast<int64_t>(sequence.size());
  int64_t at = size;
  if (node.has(2)) {
    MPC_TRY_ASSIGN(at, node.integer(2, "the position"));
    at = at < 0 ? at + size : at;
  }
  if (at < 0 || at > size)
    return node.fail("the position is out of range for " + Twine(size) +
                     " elements");
  if (node.entry(1).isSequence)
    return node.fail("inserts a sequence, expected a tensor");
  sequence.insert(sequence.begin() + at, node.in(1));
  node.resultSequence(std::move(sequence));
  return Error::success();
}

Error emitSequenceErase(NodeImporter &node) {
  MPC_TRY_ASSIGN(auto sequence, sequenceOf(node));
  auto size = static_cast<int64_t>(sequence.size());
  if (size == 0)
    return node.fail("the sequence is empty");
  int64_t at = -1;
  if (node.has(1)) {
    MPC_TRY_ASSIGN(at, node.integer(1, "the position"));
  }
  MPC_TRY_ASSIGN(at, node.axis(at, size));
  sequence.erase(sequence.begin() + at);
  node.resultSequence(std::move(sequence));
  return Error::success();
}

Error emitSequenceLength(NodeImporter &node) {
  MPC_TRY_ASSIGN(auto sequence, sequenceOf(node));
  MPC_TRY_ASSIGN(Operand length, node.constant<int64_t>(
                                     node.build.i64(), {},
                                     {static_cast<int64_t>(sequence.size())}));
  node.result(0, length);
  return Error::success();
}

Error emitConcatFromSequence(NodeImporter &node) {
  MPC_TRY_ASSIGN(auto sequence, sequenceOf(node));
  if (sequence.empty())
    return node.fail("the sequence is empty");
  TensorBuilder &b = node.build;
  bool isNew = node.intAttr("new_axis", 0) != 0;
  int64_t rank = sequence.front().rank() + (isNew ? 1 : 0);
  MPC_TRY_ASSIGN(int64_t axis, node.axis(node.intAttr("axis", 0), rank));
  SmallVector<Operand> parts;
  for (const Operand &element : sequence) {
    Shape shape = element.shape, expected = sequence.front().shape;
    if (!isNew && element.rank() == rank)
      expected[axis] = shape[axis];
    if (element.type != sequence.front().type || shape != expected)
      return node.fail("cannot join " + shapeText(sequence.front().shape) +
                       " and " + shapeText(shape) + " along axis " +
                       Twine(axis));
    if (isNew)
      shape.insert(shape.begin() + axis, 1);
    parts.push_back(b.reshape(element, shape));
  }
  node.result(0, b.concat(parts, axis));
  return Error::success();
}

Error emitSequenceAt(NodeImporter &node) {
  if (!node.entry(0).isSequence)
    return node.fail("input '" + printable(node.node().inputs[0]) +
                     "' is a tensor, expected a sequence");
  ArrayRef<Operand> sequence = node.entry(0).sequence;
  MPC_TRY_ASSIGN(auto position, node.ints(1, "the position"));
  int64_t size = static_cast<int64_t>(sequence.size());
  if (position.size() != 1 || position[0] < -size || position[0] >= size)
    return node.fail("position " + shapeText(position) +
                     " is out of range for a sequence of " + Twine(size));
  node.result(0, sequence[position[0] < 0 ? position[0] + size : position[0]]);
  return Error::success();
}

/// Copies the body once for each element of the first sequence. Other sequences
/// advance with it.
Error emitSequenceMap(NodeImporter &node) {
  if (!node.entry(0).isSequence)
    return node.fail("the input is not a sequence");
  size_t steps = node.entry(0).sequence.size();
  std::vector<std::vector<Operand>> results(node.numOutputs());
  for (size_t step = 0; step < steps; ++step) {
    std::vector<Entry> arguments;
    for (size_t i = 0; i < node.numInputs(); ++i) {
      const Entry &entry = node.entry(i);
      if (entry.isSequence && entry.sequence.size() != steps)
        return node.fail("the sequences have " + Twine(steps) + " and " +
                         Twine(entry.sequence.size()) + " elements");
      arguments.push_back(
          entry.isSequence ? Entry{entry.sequence[step], false, {}} : entry);
    }
    MPC_TRY_ASSIGN(auto outputs,
                   node.inlineGraph("body", arguments, Twine(step) + "/"));
    MPC_TRY(node.checkResults("body", outputs.size(), results.size()));
    for (auto [list, output] : zip(results, outputs))
      list.push_back(std::move(output.tensor));
  }
  for (auto [index, list] : enumerate(results))
    node.resultSequence(std::move(list), index);
  return Error::success();
}

} // namespace

ArrayRef<OpRule> sequenceRules() {
  static const OpRule rules[] = {
      {"ConcatFromSequence", 11, 1, 1, 1, "axis:i new_axis:i",
       emitConcatFromSequence, "", true},
      {"SequenceAt", 11, 2, 2, 1, "", emitSequenceAt, "", true},
      {"SequenceConstruct", 11, 1, kUnlimited, 1, "", emitSequenceConstruct},
      {"SequenceEmpty", 11, 0, 0, 1, "dtype:i", emitSequenceEmpty},
      {"SequenceErase", 11, 1, 2, 1, "", emitSequenceErase, "", true},
      {"SequenceInsert", 11, 2, 3, 1, "", emitSequenceInsert, "", true},
      {"SequenceLength", 11, 1, 1, 1, "", emitSequenceLength, "", true},
      {"SequenceMap", 17, 1, kUnlimited, kUnlimited, "body:g", emitSequenceMap,
       "", true},
  };
  return rules;
}

} // namespace mpc::onnx
