// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops with subgraphs. Values known at compile time decide which graphs
/// are used and how often.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/Loops.h"
#include "lib/Import/Build/Regions.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// The most steps of a loop, which becomes as many copies of its body.
constexpr int64_t kMostSteps = 1 << 16;

Error tooLong(NodeImporter &node) {
  return node.fail("runs more than " + Twine(kMostSteps) +
                   " steps, each a copy of its body; train on parts of the "
                   "sequence, or write the loop as ops over all steps");
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Imports a branch that may not be taken at run time.
Expected<std::vector<Entry>> importBranch(NodeImporter &node, StringRef name) {
  build::Branch branch(node.build);
  MPC_TRY_ASSIGN(auto results, node.inlineGraph(name, {}));
  if (branch.keepsState())
    return node.fail("the condition '" + printable(node.node().inputs[0]) +
                     "' depends on an input or a parameter, and '" + name +
                     "' has a normalization, whose statistics would be kept "
                     "in either case; give the input that it depends on by "
                     "--input-value");
  MPC_TRY(node.checkResults(name, results.size(), node.numOutputs()));
  return results;
}

/// Computes both branches and selects the results of one by `condition`.
Error emitBothBranches(NodeImporter &node, const Operand &condition) {
  MPC_TRY_ASSIGN(auto onTrue, importBranch(node, "then_branch"));
  MPC_TRY_ASSIGN(auto onFalse, importBranch(node, "else_branch"));
  for (size_t i = 0; i < node.numOutputs(); ++i) {
    const Operand &one = onTrue[i].tensor, &other = onFalse[i].tensor;
    bool isSame = !onTrue[i].isSequence && !onFalse[i].isSequence &&
                  one.type == other.type && one.shape == other.shape;
    if (!isSame)
      return node.fail(
          "the condition '" + printable(node.node().inputs[0]) +
          "' depends on an input or a parameter, and output " + Twine(i) +
          " has more than one type or shape: " + toString(one.type) + "[" +
          shapeText(one.shape) + "] or " + toString(other.type) + "[" +
          shapeText(other.shape) +
          "]; pad both to one shape, or give the "
          "input that it depends on by --input-value");
    node.result(i, build::choose(node.build, condition, one, other));
  }
  return Error::success();
}

Error emitIf(NodeImporter &node) {
  const Operand &given = node.in(0);
  if (!given.known && given.isBool() && countElements(given.shape) == 1)
    return emitBothBranches(node, given);
  MPC_TRY_ASSIGN(int64_t condition, node.integer(0, "the condition"));
  StringRef branch = condition != 0 ? "then_branch" : "else_branch";
  MPC_TRY_ASSIGN(auto results, node.inlineGraph(branch, {}));
  MPC_TRY(node.checkResults(branch, results.size(), node.numOutputs()));
  for (size_t i = 0; i < node.numOutputs(); ++i)
    node.result(i, std::move(results[i]));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The outputs of a loop's steps, joined along an axis.
class StackedOutput {
public:
  void push(Operand step) { steps_.push_back(std::move(step)); }
  Expected<Operand> join(NodeImporter &node, const ValueInfo &declared,
                         int64_t axis, bool isReversed);

private:
  SmallVector<Operand> steps_;
};

/// Without any step the shape is the one that the body declares.
Expected<Operand> emptyStack(NodeImporter &node, const ValueInfo &declared,
                             int64_t axis) {
  Shape shape;
  for (const Dimension &dimension : declared.shape)
    shape.push_back(dimension.size.value_or(-1));
  mlir::Type type =
      elementType(node.build.builder().getContext(), declared.type);
  bool isKnown = declared.hasShape && !is_contained(shape, -1) && type;
  if (!isKnown)
    return node.fail("no step computes '" + printable(declared.name) +
                     "', and its shape is not declared");
  MPC_TRY_ASSIGN(int64_t at,
                 node.axis(axis, static_cast<int64_t>(shape.size()) + 1));
  shape.insert(shape.begin() + at, 0);
  return node.build.splat(type, shape, 0.0);
}

Expected<Operand> StackedOutput::join(NodeImporter &node,
                                      const ValueInfo &declared, int64_t axis,
                                      bool isReversed) {
  if (steps_.empty())
    return emptyStack(node, declared, axis);
  TensorBuilder &b = node.build;
  const Operand &first = steps_.front();
  MPC_TRY_ASSIGN(int64_t at, node.axis(axis, first.rank() + 1));
  Shape unit = first.shape;
  unit.insert(unit.begin() + at, 1);
  SmallVector<Operand> parts;
  for (const Operand &step : steps_) {
    if (step.shape != first.shape || step.type != first.type)
      return node.fail("'" + printable(declared.name) + "' is " +
                       toString(first.type) + "[" + shapeText(first.shape) +
                       "] in one step, " + toString(step.type) + "[" +
                       shapeText(step.shape) + "] in another");
    parts.push_back(b.reshape(step, unit));
  }
  if (isReversed)
    std::reverse(parts.begin(), parts.end());
  return b.concat(parts, at);
}

/// Splits the results of a step: inputs of the next step, and outputs that are
/// stacked.
Error takeStep(NodeImporter &node, std::vector<Entry> results,
               MutableArrayRef<Entry> carried,
               MutableArrayRef<StackedOutput> stacked) {
  MPC_TRY(node.checkResults("body", results.size(),
                            carried.size() + stacked.size()));
  for (auto [index, result] : enumerate(results)) {
    if (index < carried.size())
      carried[index] = std::move(result);
    else if (result.isSequence)
      return node.fail("an output that is stacked is a sequence");
    else if (index - carried.size() < stacked.size())
      stacked[index - carried.size()].push(std::move(result.tensor));
  }
  return Error::success();
}

/// Whether the body continues the loop.
Expected<bool> goesOn(NodeImporter &node, const Entry &condition) {
  if (condition.isSequence || !condition.tensor.known ||
      condition.tensor.known.getNumElements() != 1)
    return node.fail("whether it goes on must be known when the model is "
                     "compiled, but depends on an input or a parameter");
  return nn::intAt(condition.tensor.known, 0) != 0;
}

/// The inputs of a loop's first step.
Expected<std::vector<Entry>> initialEntries(NodeImporter &node) {
  std::vector<Entry> carried;
  for (size_t i = 2; i < node.numInputs(); ++i) {
    if (!node.has(i))
      return node.fail("input " + Twine(i) + " is missing");
    carried.push_back(node.entry(i));
  }
  return carried;
}

/// Copies the body of a loop as often as its count and its condition say.
Error unrollLoop(NodeImporter &node, MutableArrayRef<Entry> carried,
                 MutableArrayRef<StackedOutput> stacked) {
  int64_t limit = INT64_MAX;
  if (node.has(0)) {
    MPC_TRY_ASSIGN(limit, node.integer(0, "the trip count"));
  }
  Entry condition{node.build.splat(node.build.i1(), {}, 1.0), false, {}};
  if (node.has(1))
    condition = node.entry(1);
  for (int64_t step = 0; step < limit; ++step) {
    MPC_TRY_ASSIGN(bool isNext, goesOn(node, condition));
    if (!isNext)
      break;
    if (step == kMostSteps)
      return tooLong(node);
    MPC_TRY_ASSIGN(Operand number,
                   node.constant<int64_t>(node.build.i64(), {}, {step}));
    std::vector<Entry> arguments{{number, false, {}}, condition};
    append_range(arguments, carried);
    MPC_TRY_ASSIGN(auto results,
                   node.inlineGraph("body", arguments, Twine(step) + "/"));
    condition = std::move(results.front());
    results.erase(results.begin());
    MPC_TRY(takeStep(node, std::move(results), carried, stacked));
  }
  return Error::success();
}

Error emitLoop(NodeImporter &node) {
  MPC_TRY_ASSIGN(std::vector<Entry> carried, initialEntries(node));
  const Attribute *body = node.attribute("body");
  size_t outputs = body ? body->g->outputs.size() : 0;
  if (outputs < carried.size() + 1)
    return node.fail("the body has " + Twine(outputs) +
                     " outputs, expected at least " +
                     Twine(carried.size() + 1));
  SmallVector<StackedOutput> stacked(outputs - 1 - carried.size());
  MPC_TRY(unrollLoop(node, carried, stacked));
  for (auto [index, entry] : enumerate(carried))
    node.result(index, std::move(entry));
  for (auto [index, output] : enumerate(stacked)) {
    if (!node.wants(carried.size() + index))
      continue;
    const ValueInfo &declared = body->g->outputs[1 + carried.size() + index];
    MPC_TRY_ASSIGN(Operand joined, output.join(node, declared, 0, false));
    node.result(carried.size() + index, std::move(joined));
  }
  return Error::success();
}

/// The numbers of an attribute, one for each of `count`; zeros without the
/// attribute.
Expected<SmallVector<int64_t>> settings(NodeImporter &node, StringRef name,
                                        size_t count) {
  auto given = node.intsAttr(name);
  if (!given)
    return SmallVector<int64_t>(count, 0);
  if (given->size() != count)
    return node.fail("attribute '" + name + "' has " + Twine(given->size()) +
                     " numbers, expected " + Twine(count));
  return SmallVector<int64_t>(*given);
}

/// Imports a Scan node. States go from step to step, and each step reads one
/// slice of the other inputs.
class ScanImporter {
public:
  explicit ScanImporter(NodeImporter &node) : node_(&node) {}

  Error run();
  /// Imports opset 8's form, in which every tensor has the samples as its first
  /// axis, and each sample is scanned by itself.
  Error runBatch();

private:
  Error read(size_t firstState, StringRef directions);
  Error countSteps();
  Expected<ScanImporter> sample(int64_t index) const;
  Entry slice(size_t input, int64_t step);
  Expected<std::vector<Entry>> scan(const Twine &part);
  std::optional<std::vector<Entry>> repeat(const Twine &part);

  NodeImporter *node_;
  std::vector<Entry> states_;
  SmallVector<Operand> inputs_;
  SmallVector<int64_t> axes_, directions_, outAxes_, outDirections_;
  /// The outputs of each step beside the states.
  ArrayRef<ValueInfo> declared_;
  int64_t steps_ = 0;
};

/// Entry `index` of the first axis, which is removed.
Operand sampleOf(TensorBuilder &b, const Operand &whole, int64_t index) {
  return b.reshape(b.sliceAxis(whole, 0, index, index + 1),
                   ArrayRef(whole.shape).drop_front());
}

/// Reads inputs, of which those from `firstState` on are states; `directions`
/// is an attribute.
Error ScanImporter::read(size_t firstState, StringRef directions) {
  int64_t count = node_->intAttr("num_scan_inputs", 0);
  auto most = static_cast<int64_t>(node_->numInputs()) -
              static_cast<int64_t>(firstState);
  if (count < 1 || count > most)
    return node_->fail("attribute 'num_scan_inputs' is " + Twine(count) +
                       ", there are " + Twine(most) + " inputs");
  size_t first = node_->numInputs() - static_cast<size_t>(count);
  for (size_t i = firstState; i < first; ++i)
    states_.push_back(node_->entry(i));
  for (size_t i = first; i < node_->numInputs(); ++i)
    inputs_.push_back(node_->in(i));
  const Attribute *body = node_->attribute("body");
  if (!body)
    return node_->fail("has no attribute 'body'");
  size_t outputs = body->g->outputs.size();
  if (outputs < states_.size())
    return node_->fail("the body has " + Twine(outputs) +
                       " outputs, expected at least " + Twine(states_.size()));
  declared_ = ArrayRef(body->g->outputs).drop_front(states_.size());
  size_t stacked = declared_.size();
  MPC_TRY_ASSIGN(axes_, settings(*node_, "scan_input_axes", count));
  MPC_TRY_ASSIGN(directions_, settings(*node_, directions, count));
  MPC_TRY_ASSIGN(outAxes_, settings(*node_, "scan_output_axes", stacked));
  MPC_TRY_ASSIGN(outDirections_,
                 settings(*node_, "scan_output_directions", stacked));
  return Error::success();
}

Error ScanImporter::countSteps() {
  for (auto [index, input] : enumerate(inputs_)) {
    MPC_TRY_ASSIGN(axes_[index], node_->axis(axes_[index], input.rank()));
    int64_t size = input.shape[axes_[index]];
    if (index > 0 && size != steps_)
      return node_->fail("its inputs have " + Twine(steps_) + " and " +
                         Twine(size) + " slices");
    steps_ = size;
  }
  if (steps_ > kMostSteps)
    return tooLong(*node_);
  return Error::success();
}

Entry ScanImporter::slice(size_t input, int64_t step) {
  TensorBuilder &b = node_->build;
  int64_t axis = axes_[input];
  int64_t at = directions_[input] != 0 ? steps_ - 1 - step : step;
  Operand part = b.sliceAxis(inputs_[input], axis, at, at + 1);
  Shape shape = part.shape;
  shape.erase(shape.begin() + axis);
  return Entry{b.reshape(part, shape), false, {}};
}

/// `input` with axis `from` at place `to` among the others.
Operand moveAxis(TensorBuilder &b, const Operand &input, int64_t from,
                 int64_t to) {
  auto axes = to_vector(seq<int64_t>(input.rank()));
  axes.erase(axes.begin() + from);
  axes.insert(axes.begin() + to, from);
  return b.transpose(input, axes);
}

/// The steps as a loop, whose first axes are those of the steps; empty where
/// they have to be copied.
std::optional<std::vector<Entry>> ScanImporter::repeat(const Twine &part) {
  TensorBuilder &b = node_->build;
  build::Loop loop{"turn", steps_};
  for (const Entry &state : states_) {
    if (state.isSequence)
      return std::nullopt;
    loop.inits.push_back(state.tensor);
  }
  for (auto [input, axis, direction] : zip(inputs_, axes_, directions_)) {
    Operand stack = moveAxis(b, input, axis, 0);
    loop.stacks.push_back(direction != 0 ? b.reverse(stack, {0}) : stack);
  }
  std::string place = part.str();
  auto turn = [&](const build::Turn &taken) -> std::optional<build::Turn> {
    std::vector<Entry> arguments;
    for (ArrayRef<Operand> operands :
         {ArrayRef(taken.carried), ArrayRef(taken.entries)})
      for (const Operand &operand : operands)
        arguments.push_back({operand, false, {}});
    auto results = node_->inlineGraph("body", arguments, place);
    // A fault is told by the copies.
    if (!results) {
      consumeError(results.takeError());
      return std::nullopt;
    }
    build::Turn turn;
    for (auto [index, result] : enumerate(*results)) {
      if (result.isSequence)
        return std::nullopt;
      (index < states_.size() ? turn.carried : turn.entries)
          .push_back(result.tensor);
    }
    return turn;
  };
  std::optional<build::Turn> turns = build::tryBuildLoop(b, loop, turn);
  if (!turns || turns->entries.size() != declared_.size())
    return std::nullopt;
  std::vector<Entry> results;
  for (const Operand &state : turns->carried)
    results.push_back({state, false, {}});
  for (auto [output, axis, direction] :
       zip(turns->entries, outAxes_, outDirections_)) {
    int64_t to = axis < 0 ? axis + output.rank() : axis;
    if (to < 0 || to >= output.rank())
      return std::nullopt;
    Operand stack = direction != 0 ? b.reverse(output, {0}) : output;
    results.push_back({moveAxis(b, stack, 0, to), false, {}});
  }
  return results;
}

/// The last states, followed by the steps' outputs.
Expected<std::vector<Entry>> ScanImporter::scan(const Twine &part) {
  MPC_TRY(countSteps());
  if (auto results = repeat(part))
    return *results;
  SmallVector<StackedOutput> stacked(declared_.size());
  for (int64_t step = 0; step < steps_; ++step) {
    std::vector<Entry> arguments = states_;
    for (size_t i = 0; i < inputs_.size(); ++i)
      arguments.push_back(slice(i, step));
    MPC_TRY_ASSIGN(auto results, node_->inlineGraph("body", arguments,
                                                    part + Twine(step) + "/"));
    MPC_TRY(takeStep(*node_, std::move(results), states_, stacked));
  }
  std::vector<Entry> results = states_;
  for (auto [index, output] : enumerate(stacked)) {
    MPC_TRY_ASSIGN(Operand joined,
                   output.join(*node_, declared_[index], outAxes_[index],
                               outDirections_[index] != 0));
    results.push_back({joined, false, {}});
  }
  return results;
}

Expected<ScanImporter> ScanImporter::sample(int64_t index) const {
  ScanImporter one = *this;
  auto take = [&](Operand &whole) -> Error {
    if (whole.rank() < 1 || whole.shape[0] <= index ||
        whole.shape[0] != inputs_.front().shape[0])
      return node_->fail("an input is " + shapeText(whole.shape) +
                         ", and another has another number of samples");
    whole = sampleOf(node_->build, whole, index);
    return Error::success();
  };
  for (Entry &state : one.states_)
    MPC_TRY(take(state.tensor));
  for (Operand &input : one.inputs_)
    MPC_TRY(take(input));
  return one;
}

Error ScanImporter::run() {
  MPC_TRY(read(0, "scan_input_directions"));
  MPC_TRY_ASSIGN(auto results, scan(""));
  for (auto [index, result] : enumerate(results))
    node_->result(index, std::move(result));
  return Error::success();
}

Error ScanImporter::runBatch() {
  MPC_TRY(read(1, "directions"));
  if (node_->has(0))
    return node_->fail("sequence_lens is not supported; opset 9 has none");
  if (inputs_.front().rank() < 1 || inputs_.front().shape[0] < 1)
    return node_->fail("input " + shapeText(inputs_.front().shape) +
                       " has no samples");
  SmallVector<StackedOutput> joined(states_.size() + declared_.size());
  for (int64_t i = 0; i < inputs_.front().shape[0]; ++i) {
    MPC_TRY_ASSIGN(ScanImporter one, sample(i));
    MPC_TRY_ASSIGN(auto results, one.scan(Twine(i) + "/"));
    for (auto [output, result] : zip(joined, results))
      output.push(std::move(result.tensor));
  }
  ArrayRef<ValueInfo> declared = node_->attribute("body")->g->outputs;
  for (auto [index, output] : enumerate(joined)) {
    MPC_TRY_ASSIGN(Operand all, output.join(*node_, declared[index], 0, false));
    node_->result(index, std::move(all));
  }
  return Error::success();
}

Error emitScan(NodeImporter &node) { return ScanImporter(node).run(); }

Error emitBatchScan(NodeImporter &node) {
  return ScanImporter(node).runBatch();
}

constexpr StringRef kScanAttributes =
    "body:g num_scan_inputs:i scan_input_axes:is scan_input_directions:is "
    "scan_output_axes:is scan_output_directions:is";

} // namespace

ArrayRef<OpRule> controlRules() {
  static const OpRule rules[] = {
      {"If", 11, 1, 1, kUnlimited, "else_branch:g then_branch:g", emitIf},
      {"Loop", 11, 0, kUnlimited, kUnlimited, "body:g", emitLoop, "", true},
      {"Scan", 8, 0, kUnlimited, kUnlimited,
       "body:g directions:is num_scan_inputs:i", emitBatchScan},
      {"Scan", 9, 1, kUnlimited, kUnlimited, kScanAttributes, emitScan},
  };
  return rules;
}

} // namespace mpc::onnx
