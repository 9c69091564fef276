// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of parts, and nodes that compute them.
#include "lib/Import/Exported/ComplexGraph.h"

#include "lib/Import/Exported/ComplexNumbers.h"
#include "lib/Import/Exported/OpTable.h"
#include "lib/Import/Shape.h"
#include "llvm/ADT/STLExtras.h"

#include <complex>

using namespace llvm;

namespace mpc::exported {

using Kind = Argument::Kind;

std::optional<rt::DType> partTypeOfScalarType(int64_t scalarType) {
  constexpr int64_t kHalf = 9, kFloat = 10, kDouble = 11;
  switch (scalarType) {
  case kHalf:
    return rt::DType::F16;
  case kFloat:
    return rt::DType::F32;
  case kDouble:
    return rt::DType::F64;
  default:
    return std::nullopt;
  }
}

int64_t scalarTypeOf(rt::DType type) {
  int64_t number = 1;
  while (dtypeOfScalarType(number) != type)
    ++number;
  return number;
}

static Argument argumentOf(Kind kind) {
  Argument argument;
  argument.kind = kind;
  return argument;
}

Argument tensorOf(std::string name) {
  Argument argument = argumentOf(Kind::Tensor);
  argument.names.push_back(std::move(name));
  return argument;
}

Argument integerOf(int64_t number) {
  Argument argument = argumentOf(Kind::Int);
  argument.ints.push_back(number);
  return argument;
}

Argument numberOf(double number) {
  Argument argument = argumentOf(Kind::Float);
  argument.floats.push_back(number);
  return argument;
}

Argument flagOf(bool flag) {
  Argument argument = argumentOf(Kind::Bool);
  argument.ints.push_back(flag);
  return argument;
}

std::string withoutUnderscore(StringRef target) {
  auto [path, overload] = target.rsplit('.');
  path.consume_back("_");
  return (path + "." + overload).str();
}

static TensorMeta partMetaOf(TensorMeta meta) {
  if (auto type = partTypeOfScalarType(meta.scalarType)) {
    meta.dtype = type;
    meta.scalarType = scalarTypeOf(*type);
  }
  return meta;
}

ComplexGraph::ComplexGraph(Graph &graph) : graph_(graph) {
  for (const auto &entry : graph.values)
    if (partTypeOfScalarType(entry.second.scalarType))
      complex_.insert(entry.first());
}

static bool isReal(const Graph &graph) {
  auto isComplex = [](const auto &entry) {
    return partTypeOfScalarType(entry.second.scalarType).has_value();
  };
  return none_of(graph.values, isComplex) &&
         all_of(graph.nodes, [](const Node &node) {
           return all_of(node.inputs, [](const NamedArgument &input) {
             return !input.value.graph || isReal(*input.value.graph);
           });
         });
}

bool ComplexGraph::isReal() const { return exported::isReal(graph_); }

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// No name of Python has a dot.
std::string ComplexGraph::nameOf(StringRef name, bool isReal) {
  std::string part = (name + (isReal ? ".re" : ".im")).str();
  graph_.values.try_emplace(part, partMetaOf(graph_.values[name]));
  return part;
}

std::string ComplexGraph::newName(const TensorMeta &meta) {
  std::string name = "." + std::to_string(numNames_++);
  graph_.values[name] = meta;
  return name;
}

/// Of a real tensor, zeros are the imaginary part.
std::string ComplexGraph::partOf(const std::string &name, bool isReal) {
  if (isComplex(name))
    return nameOf(name, isReal);
  if (isReal)
    return name;
  return imaginaryOf({tensorOf(name), {}}).names.front();
}

TensorMeta ComplexGraph::metaOf(const Argument &tensor) const {
  return partMetaOf(graph_.values.lookup(tensor.names.front()));
}

TensorMeta ComplexGraph::partMeta(const Node &node) const {
  for (const Argument &output : node.outputs)
    for (const std::string &name : output.names)
      return partMetaOf(graph_.values.lookup(name));
  return {};
}

Parts ComplexGraph::partsOf(const Argument &argument) {
  if (argument.kind == Kind::Complex)
    return {numberOf(argument.floats[0]), numberOf(argument.floats[1])};
  if (argument.kind != Kind::Tensor || !isComplex(argument.names.front()))
    return {argument, {}};
  return {tensorOf(nameOf(argument.names.front(), true)),
          tensorOf(nameOf(argument.names.front(), false))};
}

static Error missing(StringRef name) {
  return invalidModel("has no tensor '" + name + "'");
}

Expected<Parts> ComplexGraph::parts(const Node &node, StringRef name) {
  const Argument *argument = node.find(name);
  if (!argument || argument->kind != Kind::Tensor)
    return missing(name);
  return partsOf(*argument);
}

Expected<Argument> ComplexGraph::operand(const Node &node, StringRef name) {
  const Argument *argument = node.find(name);
  if (!argument || argument->kind != Kind::Tensor ||
      isComplex(argument->names.front()))
    return missing(name);
  return *argument;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void ComplexGraph::append(Node node) {
  if (current_) {
    node.module = current_->module;
    node.source = current_->source;
  }
  written_.push_back(std::move(node));
}

Argument ComplexGraph::emit(Node node, const TensorMeta &meta) {
  Argument result = tensorOf(newName(meta));
  node.outputs = {result};
  append(std::move(node));
  return result;
}

Argument ComplexGraph::emit(StringRef op, std::vector<NamedArgument> inputs,
                            const TensorMeta &meta) {
  Node node;
  node.target = ("torch.ops.aten." + op).str();
  node.inputs = std::move(inputs);
  return emit(std::move(node), meta);
}

Argument ComplexGraph::unary(StringRef op, const Argument &x) {
  return emit(op, {{"self", x}}, metaOf(x));
}

Argument ComplexGraph::binary(StringRef op, const Argument &a,
                              const Argument &b, const TensorMeta &meta) {
  // ATen's first operand is a tensor.
  bool swaps = a.kind != Kind::Tensor;
  return emit(op, {{"self", swaps ? b : a}, {"other", swaps ? a : b}}, meta);
}

Argument ComplexGraph::imaginaryOf(const Parts &parts) {
  return parts.im ? *parts.im : unary("zeros_like.default", *parts.re);
}

Argument ComplexGraph::shown(const Argument &part, bool isNegated) {
  return emit("mpc_shown.default",
              {{"self", part}, {"negative", flagOf(isNegated)}}, metaOf(part));
}

Parts ComplexGraph::split(const Argument &pairs, const TensorMeta &meta) {
  auto part = [&](int64_t index) {
    return emit(
        "select.int",
        {{"self", pairs}, {"dim", integerOf(-1)}, {"index", integerOf(index)}},
        meta);
  };
  Argument re = part(0);
  return {re, part(1)};
}

/// The result has the names of the node's own, and what it writes in place gets
/// it.
Error ComplexGraph::define(const Node &node, const Parts &result) {
  if (node.inputs.empty())
    return refuse(node);
  StringRef name = node.outputs.empty() || node.outputs.front().names.empty()
                       ? StringRef()
                       : StringRef(node.outputs.front().names.front());
  bool writes = writtenTensor(node).has_value();
  for (bool isReal : {true, false}) {
    if (!isReal && !isComplex(name))
      break;
    Node named;
    Argument value = isReal ? *result.re : imaginaryOf(result);
    named.target = "torch.ops.aten.alias.default";
    named.inputs = {{"self", value}};
    if (writes) {
      named.target = "torch.ops.aten.copy_.default";
      named.inputs = {partOf(node.inputs.front(), isReal), {"src", value}};
    }
    named.outputs = {
        tensorOf(isComplex(name) ? nameOf(name, isReal) : name.str())};
    append(std::move(named));
  }
  return Error::success();
}

Error ComplexGraph::rewriteParts(const Node &re, const Node &im) {
  bool hasImaginary = any_of(re.outputs, [&](const Argument &output) {
    return any_of(output.names,
                  [&](StringRef name) { return isComplex(name); });
  });
  for (bool isReal : {true, false}) {
    if (!isReal && !hasImaginary)
      break;
    Node part = isReal ? re : im;
    for (NamedArgument &argument : part.inputs)
      argument = partOf(argument, isReal);
    for (Argument &output : part.outputs)
      for (std::string &name : output.names)
        if (isComplex(name))
          name = nameOf(name, isReal);
    append(std::move(part));
  }
  return Error::success();
}

Error ComplexGraph::refuse(const Node &node) {
  Node refused = node;
  refused.target = (node.op() + " of complex numbers").str();
  // What reads a part reads this node.
  for (Argument &output : refused.outputs)
    expand(output.names);
  append(std::move(refused));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

Parts ComplexGraph::times(const Parts &a, const Parts &b,
                          const TensorMeta &meta) {
  return multiply(meta, a, b, [&](const Argument &x, const Argument &y) {
    return binary("mul.Tensor", x, y, meta);
  });
}

Parts ComplexGraph::plus(const Parts &a, const Parts &b,
                         const TensorMeta &meta) {
  Argument re = binary("add.Tensor", *a.re, *b.re, meta);
  if (a.im && b.im)
    return {re, binary("add.Tensor", *a.im, *b.im, meta)};
  // A bias broadcasts.
  return {re, b.im ? binary("add.Tensor", imaginaryOf(a), *b.im, meta) : a.im};
}

Parts ComplexGraph::reciprocal(const Parts &x) {
  if (x.re->kind == Kind::Float) {
    std::complex<double> number(x.re->floats.front(), x.im->floats.front());
    return {numberOf((1.0 / number).real()), numberOf((1.0 / number).imag())};
  }
  TensorMeta meta = metaOf(*x.re);
  if (!x.im)
    return {unary("reciprocal.default", *x.re), {}};
  Argument square =
      binary("add.Tensor", binary("mul.Tensor", *x.re, *x.re, meta),
             binary("mul.Tensor", *x.im, *x.im, meta), meta);
  return {binary("div.Tensor", *x.re, square, meta),
          binary("div.Tensor", unary("neg.default", *x.im), square, meta)};
}

Parts ComplexGraph::polar(const Argument &size, const Argument &angle,
                          const TensorMeta &meta) {
  return {binary("mul.Tensor", size, unary("cos.default", angle), meta),
          binary("mul.Tensor", size, unary("sin.default", angle), meta)};
}

Argument ComplexGraph::isZero(const Parts &x) {
  TensorMeta truth = metaOf(*x.re);
  truth.dtype = rt::DType::Bool;
  truth.scalarType = scalarTypeOf(rt::DType::Bool);
  auto compare = [&](const Argument &part) {
    return emit("eq.Scalar", {{"self", part}, {"other", numberOf(0)}}, truth);
  };
  return binary("logical_and.default", compare(*x.re), compare(*x.im), truth);
}

/// At zero the gradient of a root is not a number; what stands in its place has
/// a mask behind it, too.
Argument ComplexGraph::absolute(const Parts &x) {
  if (!x.im)
    return unary("abs.default", *x.re);
  TensorMeta meta = metaOf(*x.re);
  Argument zero = isZero(x);
  auto masked = [&](const Argument &value, double number) {
    return emit("masked_fill.Scalar",
                {{"self", value}, {"mask", zero}, {"value", numberOf(number)}},
                meta);
  };
  return masked(binary("hypot.default", masked(*x.re, 1), *x.im, meta), 0);
}

Argument ComplexGraph::angle(const Parts &x) {
  TensorMeta meta = metaOf(*x.re);
  Argument im = imaginaryOf(x);
  Argument re = emit(
      "masked_fill.Scalar",
      {{"self", *x.re}, {"mask", isZero({x.re, im})}, {"value", numberOf(1)}},
      meta);
  return binary("atan2.default", im, re, meta);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void ComplexGraph::splitState(StringRef name) {
  nameOf(name, true);
  nameOf(name, false);
  TensorMeta pairs = partMetaOf(graph_.values[name]);
  pairs.sizes.push_back(2);
  graph_.values[name] = pairs;
  for (bool isReal : {true, false}) {
    Node node;
    node.target = "torch.ops.aten.select.int";
    node.inputs = {{"self", tensorOf(name.str())},
                   {"dim", integerOf(-1)},
                   {"index", integerOf(isReal ? 0 : 1)}};
    node.outputs = {tensorOf(nameOf(name, isReal))};
    append(std::move(node));
  }
}

void ComplexGraph::expand(std::vector<std::string> &names) {
  std::vector<std::string> expanded;
  for (const std::string &name : names) {
    if (!isComplex(name)) {
      expanded.push_back(name);
      continue;
    }
    expanded.push_back(nameOf(name, true));
    expanded.push_back(nameOf(name, false));
  }
  names = std::move(expanded);
}

/// A tensor among the operands of a region becomes two.
static std::vector<NamedArgument> separated(const NamedArgument &argument,
                                            ArrayRef<std::string> names) {
  std::vector<NamedArgument> all;
  for (const std::string &name : names)
    all.push_back({argument.name, tensorOf(name)});
  return all;
}

Error ComplexGraph::rewriteRegion(const Node &node) {
  Node region = node;
  region.inputs.clear();
  for (const NamedArgument &input : node.inputs) {
    NamedArgument argument = input;
    expand(argument.value.names);
    if (argument.value.kind == Kind::Tensor) {
      append_range(region.inputs, separated(argument, argument.value.names));
      continue;
    }
    if (input.value.graph) {
      auto inner = std::make_shared<Graph>(*input.value.graph);
      MPC_TRY(ComplexGraph(*inner).rewriteAll());
      argument.value.graph = inner;
    }
    region.inputs.push_back(argument);
  }
  for (Argument &output : region.outputs) {
    expand(output.names);
    if (output.names.size() > 1)
      output.kind = Kind::Tensors;
  }
  append(std::move(region));
  return Error::success();
}

bool ComplexGraph::hasComplex(const Node &node) const {
  auto isOne = [&](const std::string &name) { return isComplex(name); };
  return any_of(node.inputs,
                [&](const NamedArgument &input) {
                  return input.value.graph || any_of(input.value.names, isOne);
                }) ||
         any_of(node.outputs, [&](const Argument &output) {
           return any_of(output.names, isOne);
         });
}

/// What comes in and goes out of a graph in a graph is two tensors for one.
static void expandEach(std::vector<Argument> &arguments,
                       function_ref<void(std::vector<std::string> &)> expand) {
  std::vector<Argument> all;
  for (Argument &argument : arguments) {
    expand(argument.names);
    if (argument.kind != Kind::Tensor) {
      all.push_back(argument);
      continue;
    }
    for (const std::string &name : argument.names)
      all.push_back(tensorOf(name));
  }
  arguments = std::move(all);
}

Error ComplexGraph::rewriteAll() {
  std::vector<Node> nodes = std::move(graph_.nodes);
  for (const Node &node : nodes) {
    current_ = &node;
    if (!hasComplex(node))
      append(node);
    else if (Error error = rewrite(node))
      return prefixed(node.place(), std::move(error));
  }
  graph_.nodes = std::move(written_);
  auto expandNames = [&](std::vector<std::string> &names) { expand(names); };
  expandEach(graph_.inputs, expandNames);
  expandEach(graph_.outputs, expandNames);
  return Error::success();
}

} // namespace mpc::exported
