// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contexts, branches and loops of torch.ops.higher_order.
#include "lib/Import/Exported/Regions.h"

#include "dialects/Interfaces/ElementTypes.h"
#include "lib/Import/Build/Loops.h"
#include "lib/Import/Build/Regions.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::exported {

namespace {

using Kind = Argument::Kind;
using Names = std::vector<std::string>;

//===----------------------------------------------------------------------===//
// Arguments, which have no names
//===----------------------------------------------------------------------===//

Error wrongArgument(size_t index, StringRef expected) {
  return invalidModel("argument " + Twine(index) + " is not " + expected);
}

const Argument *argumentAt(const Node &node, size_t index, Kind kind) {
  if (index >= node.inputs.size() || node.inputs[index].value.kind != kind)
    return nullptr;
  return &node.inputs[index].value;
}

Expected<const Graph *> graphAt(const Node &node, size_t index) {
  if (const Argument *argument = argumentAt(node, index, Kind::Graph))
    return argument->graph.get();
  return wrongArgument(index, "a graph");
}

Expected<bool> flagAt(const Node &node, size_t index) {
  if (const Argument *argument = argumentAt(node, index, Kind::Bool))
    return argument->ints.front() != 0;
  return wrongArgument(index, "a bool");
}

Expected<Names> listAt(const Node &node, size_t index) {
  if (const Argument *argument = argumentAt(node, index, Kind::Tensors))
    return argument->names;
  return wrongArgument(index, "a list of tensors");
}

/// Each from `first` on is one tensor.
Expected<Names> tensorsFrom(const Node &node, size_t first) {
  Names names;
  for (size_t index = first; index < node.inputs.size(); ++index) {
    const Argument *argument = argumentAt(node, index, Kind::Tensor);
    if (!argument)
      return wrongArgument(index, "a tensor");
    names.push_back(argument->names.front());
  }
  return names;
}

/// What a graph gives or takes; each is a tensor.
Expected<Names> namesOf(ArrayRef<Argument> tensors) {
  Names names;
  for (const Argument &tensor : tensors) {
    if (tensor.kind != Kind::Tensor)
      return invalidModel(
          "has a graph that takes or gives something that is not a tensor");
    names.push_back(tensor.names.front());
  }
  return names;
}

Expected<Names> inputsOf(const Graph &graph, size_t given) {
  MPC_TRY_ASSIGN(Names names, namesOf(graph.inputs));
  if (names.size() != given)
    return invalidModel("has a graph of " + Twine(names.size()) +
                        " inputs, and gives it " + Twine(given));
  return names;
}

//===----------------------------------------------------------------------===//
// Contexts: graphs that run where their node stands
//===----------------------------------------------------------------------===//

/// A graph of a node, whose inputs are tensors of the graph around it.
class Context {
public:
  Context(GraphImporter &importer, const Node &node, const Graph &graph,
          Scope &outer)
      : importer_(importer), node_(node), graph_(graph), outer_(outer),
        inner_(importer.build) {}

  /// Writes to what has a gradient are errors where the context has none.
  Error import(const Graph &body, Names arguments, bool hasGradient);
  /// What the graph around it sees: the results, and behind them the tensors
  /// that are written.
  std::vector<Operand> values;
  /// Gives `values` to the graph around it.
  Error leave();

private:
  Error bind(size_t index, bool hasGradient);
  Error readResults(const Graph &body);
  Error findWrites();

  GraphImporter &importer_;
  const Node &node_;
  const Graph &graph_;
  Scope &outer_, inner_;
  /// Tensors around the graph, what the graph calls them, and its results.
  Names arguments_, inputs_, results_;
  Names written_; ///< Arguments that the graph writes.
};

Error Context::bind(size_t index, bool hasGradient) {
  const std::string &name = arguments_[index];
  MPC_TRY_ASSIGN(Operand value, outer_.read(name));
  inner_.define(inputs_[index], value);
  bool isState = outer_.isState(name);
  if (isState)
    inner_.setState(inputs_[index]);
  if (!hasGradient && !isState && value.isFloat())
    inner_.protect(inputs_[index], "writes, under torch.no_grad(), to a tensor "
                                   "from outside of it");
  return Error::success();
}

Error Context::readResults(const Graph &body) {
  MPC_TRY_ASSIGN(results_, namesOf(body.outputs));
  for (const std::string &name : results_) {
    MPC_TRY_ASSIGN(Operand value, inner_.read(name));
    values.push_back(value);
  }
  return Error::success();
}

/// A tensor that is given twice, and written, has two values.
Error Context::findWrites() {
  for (auto [argument, input] : zip_equal(arguments_, inputs_)) {
    if (!inner_.isWritten(input))
      continue;
    StringRef root = outer_.rootOf(argument);
    if (count_if(arguments_, [&](StringRef other) {
          return outer_.rootOf(other) == root;
        }) > 1)
      return invalidModel("writes to '" + printable(argument) +
                          "', of which it is given another view");
    MPC_TRY_ASSIGN(Operand value, inner_.read(input));
    values.push_back(value);
    written_.push_back(argument);
  }
  return Error::success();
}

Error Context::import(const Graph &body, Names arguments, bool hasGradient) {
  arguments_ = std::move(arguments);
  MPC_TRY_ASSIGN(inputs_, inputsOf(body, arguments_.size()));
  for (size_t index = 0; index < arguments_.size(); ++index)
    MPC_TRY(bind(index, hasGradient));
  MPC_TRY(importer_.importGraph(body, inner_));
  importer_.locate(node_);
  MPC_TRY(readResults(body));
  return findWrites();
}

/// Where results of the graph show elements of its inputs, the results of the
/// node show elements of the arguments.
Error Context::leave() {
  ArrayRef<Operand> results = ArrayRef(values).take_front(results_.size());
  for (auto [name, value] :
       zip_equal(written_, ArrayRef(values).drop_front(results_.size())))
    MPC_TRY(outer_.write(name, value));
  MPC_TRY(define(node_, graph_, results, outer_));
  for (auto [inside, result] : zip(results_, resultNames(node_)))
    for (auto [argument, input] : zip_equal(arguments_, inputs_))
      if (inner_.rootOf(inside) == input)
        outer_.share(result, View{Sharing::Reordered, argument});
  return Error::success();
}

/// torch.no_grad() and torch.enable_grad(): enabled, graph, tensors.
Error emitSetGrad(GraphImporter &importer, const Node &node, const Graph &graph,
                  Scope &scope) {
  MPC_TRY_ASSIGN(bool isEnabled, flagAt(node, 0));
  MPC_TRY_ASSIGN(const Graph *body, graphAt(node, 1));
  MPC_TRY_ASSIGN(Names arguments, tensorsFrom(node, 2));
  Context context(importer, node, graph, scope);
  MPC_TRY(context.import(*body, std::move(arguments), isEnabled));
  for (Operand &value : context.values)
    if (!isEnabled && value.isFloat())
      value = importer.build.withoutGradient(value);
  return context.leave();
}

/// Whether a value of the graph, or of a graph in it, has the type.
bool declaresType(const Graph &graph, rt::DType dtype) {
  return any_of(
             graph.values,
             [&](const auto &value) { return value.second.dtype == dtype; }) ||
         any_of(graph.nodes, [&](const Node &node) {
           return any_of(node.inputs, [&](const NamedArgument &input) {
             return input.value.graph &&
                    declaresType(*input.value.graph, dtype);
           });
         });
}

/// What a torch.autocast says: device, type, enabled, cache.
struct AutocastWords {
  std::optional<rt::DType> dtype;
  bool isEnabled = false;
};

Expected<AutocastWords> readAutocast(const Node &node) {
  AutocastWords words;
  MPC_TRY_ASSIGN(words.isEnabled, flagAt(node, 2));
  if (const Argument *dtype = argumentAt(node, 1, Kind::DType))
    words.dtype = dtypeOfScalarType(dtype->ints.front());
  if (words.isEnabled && words.dtype != rt::DType::F16 &&
      words.dtype != rt::DType::BF16)
    return wrongArgument(1, "float16 or bfloat16");
  return words;
}

/// torch.autocast. Where it is of another device than the tensors are on, it
/// changes nothing, and no value in it has its type.
Error emitAutocast(GraphImporter &importer, const Node &node,
                   const Graph &graph, Scope &scope) {
  MPC_TRY_ASSIGN(AutocastWords words, readAutocast(node));
  MPC_TRY_ASSIGN(const Graph *body, graphAt(node, 4));
  MPC_TRY_ASSIGN(Names arguments, tensorsFrom(node, 5));
  Context context(importer, node, graph, scope);
  if (words.isEnabled && !declaresType(*body, *words.dtype)) {
    MPC_TRY(context.import(*body, std::move(arguments), true));
    return context.leave();
  }
  AutocastRegion region(importer.build);
  bool isAround = importer.isAutocast();
  importer.setAutocast(words.isEnabled);
  MPC_TRY(context.import(*body, std::move(arguments), true));
  importer.setAutocast(isAround);
  mlir::MLIRContext *types = importer.build.builder().getContext();
  context.values = region.close(context.values, words.isEnabled,
                                words.isEnabled ? typeOf(types, *words.dtype)
                                                : mlir::Type());
  return context.leave();
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// Imports a graph that may run never or many times; it writes to nothing from
/// outside of it.
Expected<std::vector<Operand>> importBody(GraphImporter &importer,
                                          const Graph &body,
                                          ArrayRef<Operand> arguments) {
  Scope scope(importer.build);
  MPC_TRY_ASSIGN(Names inputs, inputsOf(body, arguments.size()));
  for (auto [name, value] : zip_equal(inputs, arguments)) {
    scope.define(name, value);
    scope.protect(name, "writes, in a branch or a loop, to a tensor from "
                        "outside of it");
  }
  MPC_TRY(importer.importGraph(body, scope));
  MPC_TRY_ASSIGN(Names results, namesOf(body.outputs));
  std::vector<Operand> values;
  for (const std::string &name : results) {
    MPC_TRY_ASSIGN(Operand value, scope.read(name));
    values.push_back(value);
  }
  return values;
}

Expected<std::vector<Operand>> readAll(ArrayRef<std::string> names,
                                       const Scope &scope) {
  std::vector<Operand> values;
  for (const std::string &name : names) {
    MPC_TRY_ASSIGN(Operand value, scope.read(name));
    values.push_back(value);
  }
  return values;
}

/// A bool of the graph, or one that the export has fixed.
Expected<Operand> readCondition(GraphImporter &importer, const Node &node,
                                const Scope &scope) {
  TensorBuilder &b = importer.build;
  if (const Argument *fixed = argumentAt(node, 0, Kind::Bool))
    return b.splat(b.i1(), {}, static_cast<double>(fixed->ints.front()));
  const Argument *argument = argumentAt(node, 0, Kind::Tensor);
  if (!argument)
    return wrongArgument(0, "a tensor");
  MPC_TRY_ASSIGN(Operand condition, scope.read(argument->names.front()));
  if (!condition.isBool() || countElements(condition.shape) != 1)
    return wrongArgument(0, "one bool");
  return condition;
}

Expected<std::vector<Operand>> importBranch(GraphImporter &importer,
                                            const Graph &graph,
                                            ArrayRef<Operand> arguments) {
  Branch branch(importer.build);
  MPC_TRY_ASSIGN(auto results, importBody(importer, graph, arguments));
  if (branch.keepsState())
    return invalidModel("chooses by what is not known when the model is "
                        "compiled, and a branch has a normalization, whose "
                        "statistics would be kept in either case");
  return results;
}

/// Computes both branches.
Expected<std::vector<Operand>>
importBoth(GraphImporter &importer, const Graph &onTrue, const Graph &onFalse,
           const Operand &condition, ArrayRef<Operand> arguments) {
  MPC_TRY_ASSIGN(auto taken, importBranch(importer, onTrue, arguments));
  MPC_TRY_ASSIGN(auto other, importBranch(importer, onFalse, arguments));
  if (taken.size() != other.size())
    return invalidModel("has branches of " + Twine(taken.size()) + " and " +
                        Twine(other.size()) + " results");
  for (auto [one, two] : zip_equal(taken, other)) {
    if (one.type != two.type || one.shape != two.shape)
      return invalidModel("has branches that give " + shapeText(one.shape) +
                          " and " + shapeText(two.shape) +
                          ", or two types of elements");
    one = choose(importer.build, condition, one, two);
  }
  return taken;
}

/// torch.cond: condition, graphs, tensors.
Error emitCond(GraphImporter &importer, const Node &node, const Graph &graph,
               Scope &scope) {
  MPC_TRY_ASSIGN(Operand condition, readCondition(importer, node, scope));
  MPC_TRY_ASSIGN(const Graph *onTrue, graphAt(node, 1));
  MPC_TRY_ASSIGN(const Graph *onFalse, graphAt(node, 2));
  MPC_TRY_ASSIGN(Names names, listAt(node, 3));
  MPC_TRY_ASSIGN(auto arguments, readAll(names, scope));
  std::vector<Operand> results;
  if (condition.known) {
    bool isTrue = nn::intAt(condition.known, 0) != 0;
    MPC_TRY_ASSIGN(
        results, importBody(importer, isTrue ? *onTrue : *onFalse, arguments));
  } else {
    MPC_TRY_ASSIGN(
        results, importBoth(importer, *onTrue, *onFalse, condition, arguments));
  }
  return define(node, graph, results, scope);
}

/// A loop is as many copies of its body.
constexpr int64_t kMostSteps = 1 << 16;

Error tooLong() {
  return invalidModel("runs more than " + Twine(kMostSteps) +
                      " steps, each a copy of its body; train on parts of the "
                      "sequence, or write the loop as ops over all steps");
}

Expected<bool> goesOn(GraphImporter &importer, const Graph &condition,
                      ArrayRef<Operand> arguments) {
  MPC_TRY_ASSIGN(auto results, importBody(importer, condition, arguments));
  if (results.size() != 1 || !results.front().known ||
      results.front().known.getNumElements() != 1)
    return invalidModel("whether it goes on must be known when the model is "
                        "compiled, but depends on an input or a parameter");
  return nn::intAt(results.front().known, 0) != 0;
}

std::vector<Operand> joined(ArrayRef<Operand> first, ArrayRef<Operand> second) {
  std::vector<Operand> all(first.begin(), first.end());
  append_range(all, second);
  return all;
}

/// while_loop: condition, body, what goes from step to step, what stays.
Error emitWhileLoop(GraphImporter &importer, const Node &node,
                    const Graph &graph, Scope &scope) {
  MPC_TRY_ASSIGN(const Graph *condition, graphAt(node, 0));
  MPC_TRY_ASSIGN(const Graph *body, graphAt(node, 1));
  MPC_TRY_ASSIGN(Names carriedNames, listAt(node, 2));
  MPC_TRY_ASSIGN(Names constantNames, listAt(node, 3));
  MPC_TRY_ASSIGN(auto carried, readAll(carriedNames, scope));
  MPC_TRY_ASSIGN(auto constant, readAll(constantNames, scope));
  for (int64_t step = 0;; ++step) {
    std::vector<Operand> arguments = joined(carried, constant);
    MPC_TRY_ASSIGN(bool isNext, goesOn(importer, *condition, arguments));
    if (!isNext)
      return define(node, graph, carried, scope);
    if (step == kMostSteps)
      return tooLong();
    size_t count = carried.size();
    MPC_TRY_ASSIGN(carried, importBody(importer, *body, arguments));
    if (carried.size() != count)
      return invalidModel("has a body of " + Twine(carried.size()) +
                          " results, expected " + Twine(count));
  }
}

/// The inputs of a scan, of which each step reads one slice of the first axis.
Expected<int64_t> countSteps(ArrayRef<Operand> inputs) {
  if (inputs.empty() || inputs.front().rank() == 0)
    return invalidModel("scans nothing that has steps");
  int64_t steps = inputs.front().shape.front();
  for (const Operand &input : inputs)
    if (input.rank() == 0 || input.shape.front() != steps)
      return invalidModel("scans " + shapeText(inputs.front().shape) + " and " +
                          shapeText(input.shape) + ", of other lengths");
  if (steps == 0)
    return invalidModel("scans no steps");
  if (steps > kMostSteps)
    return tooLong();
  return steps;
}

Operand sliceOf(TensorBuilder &b, const Operand &whole, int64_t step) {
  return b.reshape(b.sliceAxis(whole, 0, step, step + 1),
                   ArrayRef(whole.shape).drop_front());
}

/// What one output is in all steps, along a new first axis.
Expected<Operand> stack(TensorBuilder &b, ArrayRef<Operand> steps) {
  Shape shape{1};
  append_range(shape, steps.front().shape);
  std::vector<Operand> parts;
  for (const Operand &step : steps) {
    if (step.shape != steps.front().shape || step.type != steps.front().type)
      return invalidModel("gives " + shapeText(steps.front().shape) +
                          " in one step and " + shapeText(step.shape) +
                          " in another, or two types of elements");
    parts.push_back(b.reshape(step, shape));
  }
  return b.concat(parts, 0);
}

/// The steps as a loop; empty where they have to be copied.
std::optional<std::vector<Operand>>
repeatScan(GraphImporter &importer, const Graph &body, ArrayRef<Operand> states,
           ArrayRef<Operand> inputs, ArrayRef<Operand> constant) {
  build::Loop loop{"turn", inputs.front().shape.front()};
  loop.inits.assign(states.begin(), states.end());
  loop.stacks.assign(inputs.begin(), inputs.end());
  auto turn = [&](const build::Turn &taken) -> std::optional<build::Turn> {
    std::vector<Operand> arguments = joined(taken.carried, taken.entries);
    auto results = importBody(importer, body, joined(arguments, constant));
    // A fault is told by the copies.
    if (!results || results->size() < states.size()) {
      consumeError(results.takeError());
      return std::nullopt;
    }
    ArrayRef<Operand> all(*results);
    return build::Turn{SmallVector<Operand>(all.take_front(states.size())),
                       SmallVector<Operand>(all.drop_front(states.size()))};
  };
  std::optional<build::Turn> results =
      build::tryBuildLoop(importer.build, loop, turn);
  if (!results)
    return std::nullopt;
  return joined(results->carried, results->entries);
}

/// Runs the steps: the last states, and behind them what all steps give.
Expected<std::vector<Operand>>
runScan(GraphImporter &importer, const Graph &body, std::vector<Operand> states,
        ArrayRef<Operand> inputs, ArrayRef<Operand> constant) {
  MPC_TRY_ASSIGN(int64_t steps, countSteps(inputs));
  if (auto results = repeatScan(importer, body, states, inputs, constant))
    return *results;
  size_t count = states.size();
  SmallVector<std::vector<Operand>> given;
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<Operand> arguments = states;
    for (const Operand &input : inputs)
      arguments.push_back(sliceOf(importer.build, input, step));
    MPC_TRY_ASSIGN(auto results,
                   importBody(importer, body, joined(arguments, constant)));
    if (results.size() < count ||
        (step > 0 && results.size() - count != given.size()))
      return invalidModel("has a body of " + Twine(results.size()) +
                          " results and " + Twine(count) + " states");
    states.assign(results.begin(), results.begin() + count);
    given.resize(results.size() - count);
    for (auto [output, value] :
         zip_equal(given, ArrayRef(results).drop_front(count)))
      output.push_back(value);
  }
  for (const std::vector<Operand> &output : given) {
    MPC_TRY_ASSIGN(Operand whole, stack(importer.build, output));
    states.push_back(whole);
  }
  return states;
}

/// scan: body, states, what is scanned, what stays.
Error emitScan(GraphImporter &importer, const Node &node, const Graph &graph,
               Scope &scope) {
  MPC_TRY_ASSIGN(const Graph *body, graphAt(node, 0));
  std::vector<Operand> operands[3];
  for (size_t index = 0; index < 3; ++index) {
    MPC_TRY_ASSIGN(Names names, listAt(node, index + 1));
    MPC_TRY_ASSIGN(operands[index], readAll(names, scope));
  }
  MPC_TRY_ASSIGN(auto results, runScan(importer, *body, operands[0],
                                       operands[1], operands[2]));
  return define(node, graph, results, scope);
}

struct RegionRow {
  StringLiteral target;
  RegionEmitter emit;
};

const RegionRow kRegionRows[] = {
    {"cond", emitCond},
    {"scan", emitScan},
    {"while_loop", emitWhileLoop},
    {"wrap_with_autocast", emitAutocast},
    {"wrap_with_set_grad_enabled", emitSetGrad},
};

} // namespace

RegionEmitter findRegion(StringRef target) {
  if (!target.consume_front("torch.ops.higher_order."))
    return nullptr;
  const RegionRow *row = find_if(
      kRegionRows, [&](const RegionRow &r) { return r.target == target; });
  return row == std::end(kRegionRows) ? nullptr : row->emit;
}

} // namespace mpc::exported
