// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites a graph node by node. An op that is linear is there twice, once for
// each part; a product four times; others by their formulas.
#include "lib/Import/Exported/ComplexNumbers.h"

#include "lib/Import/Exported/ComplexGraph.h"
#include "lib/Import/Exported/OpTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::exported {

using Kind = Argument::Kind;

namespace {

//===----------------------------------------------------------------------===//
// Ops that are linear, and products
//===----------------------------------------------------------------------===//

/// Ops of which each part of the result is that of the same part of the
/// operands. A real operand, or number, has no imaginary part.
constexpr StringLiteral kLinear[] = {
    // clang-format off
    "_to_copy", "_unsafe_view", "add", "alias", "broadcast_to", "cat", "chunk",
    "clone", "concat", "constant_pad_nd", "contiguous", "copy", "cumsum",
    "detach", "diagonal", "empty", "empty_like", "expand", "expand_as", "fill",
    "flatten", "flip", "full", "full_like", "gather", "index", "index_put",
    "index_select", "lift_fresh", "lift_fresh_copy", "masked_fill", "mean",
    "movedim", "narrow", "neg", "new_empty", "new_full", "new_zeros", "pad",
    "permute", "repeat", "repeat_interleave", "reshape", "roll", "rsub",
    "scalar_tensor", "select", "select_scatter", "slice", "slice_scatter",
    "split", "split_with_sizes", "squeeze", "stack", "sub", "sum", "swapaxes",
    "t", "tile", "to", "transpose", "tril", "triu", "type_as", "unbind",
    "unflatten", "unfold", "unsqueeze", "view", "view_as", "where", "zero",
    "zeros", "zeros_like",
    // clang-format on
};

/// Products of two operands, by the names of their arguments.
struct Product {
  StringLiteral op, first, second;
};
constexpr Product kProducts[] = {
    {"bmm", "self", "mat2"},       {"dot", "self", "tensor"},
    {"linear", "input", "weight"}, {"matmul", "self", "other"},
    {"mm", "self", "mat2"},        {"mul", "self", "other"},
    {"mv", "self", "vec"},         {"outer", "self", "vec2"}};

/// Whether a number under this name is added or written, so that its imaginary
/// part is zero. Others are places, sizes and factors.
bool isValue(StringRef argument) {
  return argument == "self" || argument == "other" ||
         argument == "fill_value" || argument == "value" || argument == "s";
}

/// Whether a tensor under this name says which elements are meant.
bool isPlace(StringRef argument) {
  return argument == "condition" || argument == "mask" || argument == "index" ||
         argument == "indices" || argument == "repeats";
}

} // namespace

/// The argument, for the real or the imaginary part of the result.
NamedArgument ComplexGraph::partOf(const NamedArgument &argument, bool isReal) {
  NamedArgument part = argument;
  Argument &value = part.value;
  switch (value.kind) {
  case Kind::Tensor:
  case Kind::Tensors:
    for (std::string &name : value.names)
      if (!name.empty() && !isPlace(argument.name))
        name = partOf(name, isReal);
    break;
  case Kind::DType:
    if (auto type = partTypeOfScalarType(value.ints.front()))
      value.ints.front() = scalarTypeOf(*type);
    break;
  case Kind::Complex:
    value = numberOf(value.floats[isReal ? 0 : 1]);
    break;
  case Kind::Int:
  case Kind::Float:
  case Kind::Bool:
    if (!isReal && isValue(argument.name))
      value = numberOf(0);
    break;
  default:
    break;
  }
  return part;
}

Error ComplexGraph::rewriteLinear(const Node &node) {
  for (const NamedArgument &argument : node.inputs)
    if (argument.value.kind == Kind::Complex && !isValue(argument.name))
      return refuse(node);
  return rewriteParts(node, node);
}

/// (a + bi)(c + di) by a product of the same op for each two parts that are
/// there.
Parts ComplexGraph::multiply(const TensorMeta &meta, const Parts &a,
                             const Parts &b, const Multiply &product) {
  auto times = [&](const std::optional<Argument> &x,
                   const std::optional<Argument> &y) {
    return x && y ? std::optional(product(*x, *y)) : std::nullopt;
  };
  std::optional<Argument> squares = times(a.im, b.im);
  Argument re = product(*a.re, *b.re);
  if (squares)
    re = binary("sub.Tensor", re, *squares, meta);
  std::optional<Argument> first = times(a.re, b.im), second = times(a.im, b.re);
  if (first && second)
    return {re, binary("add.Tensor", *first, *second, meta)};
  return {re, first ? first : second};
}

Error ComplexGraph::rewriteProduct(const Node &node, StringRef first,
                                   StringRef second) {
  const Argument *a = node.find(first), *b = node.find(second);
  if (!a || !b)
    return refuse(node);
  TensorMeta meta = partMeta(node);
  auto product = [&](const Argument &x, const Argument &y) {
    Node part = node;
    part.target = withoutUnderscore(node.target);
    part.keepsTypes = plainName(node.op()) != "mul";
    erase_if(part.inputs, [](const NamedArgument &argument) {
      return argument.name == "bias";
    });
    for (NamedArgument &argument : part.inputs)
      if (argument.name == first || argument.name == second)
        argument.value = argument.name == first ? x : y;
    return emit(std::move(part), meta);
  };
  Parts result = multiply(meta, partsOf(*a), partsOf(*b), product);
  if (const Argument *bias = node.find("bias"))
    result = plus(result, partsOf(*bias), meta);
  return define(node, result);
}

Error ComplexGraph::rewriteEinsum(const Node &node) {
  const Argument *tensors = node.find("tensors");
  if (!tensors || tensors->kind != Kind::Tensors || tensors->names.empty() ||
      tensors->names.size() > 2 || is_contained(tensors->names, ""))
    return refuse(node);
  if (tensors->names.size() == 1)
    return rewriteLinear(node);
  TensorMeta meta = partMeta(node);
  auto product = [&](const Argument &x, const Argument &y) {
    Node part = node;
    part.keepsTypes = true;
    for (NamedArgument &argument : part.inputs)
      if (argument.name == "tensors")
        argument.value.names = {x.names.front(), y.names.front()};
    return emit(std::move(part), meta);
  };
  return define(node, multiply(meta, partsOf(tensorOf(tensors->names[0])),
                               partsOf(tensorOf(tensors->names[1])), product));
}

//===----------------------------------------------------------------------===//
// Between real numbers and complex ones
//===----------------------------------------------------------------------===//

namespace {

/// The last axis has the parts.
Error fromPairs(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Argument x, graph.operand(node, "self"));
  return graph.define(node, graph.split(x, graph.partMeta(node)));
}

Error toPairs(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(
      node, {graph.emit("mpc_pairs.default",
                        {{"self", *x.re}, {"imag", graph.imaginaryOf(x)}},
                        graph.partMeta(node)),
             {}});
}

Error fromParts(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Argument re, graph.operand(node, "real"));
  MPC_TRY_ASSIGN(Argument im, graph.operand(node, "imag"));
  return graph.define(node, {re, im});
}

Error fromPolar(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Argument size, graph.operand(node, "abs"));
  MPC_TRY_ASSIGN(Argument angle, graph.operand(node, "angle"));
  return graph.define(node, graph.polar(size, angle, graph.partMeta(node)));
}

Error realPart(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(node, {graph.shown(*x.re), {}});
}

Error imaginaryPart(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(node, {graph.shown(graph.imaginaryOf(x)), {}});
}

Error conjugate(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(node,
                      {graph.shown(*x.re),
                       graph.shown(graph.imaginaryOf(x), /*isNegated=*/true)});
}

Error same(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(node, x);
}

Error absolute(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(node, {graph.absolute(x), {}});
}

Error angle(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(node, {graph.angle(x), {}});
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Error quotient(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts a, graph.parts(node, "self"));
  const Argument *other = node.find("other");
  if (!other)
    return graph.refuse(node);
  Parts b = graph.partsOf(*other);
  if (!b.im)
    return graph.rewriteProduct(node, "self", "other");
  return graph.define(
      node, graph.times(a, graph.reciprocal(b), graph.partMeta(node)));
}

Error reciprocal(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(node, graph.reciprocal(x));
}

Error square(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(node, graph.times(x, x, graph.partMeta(node)));
}

/// By products, for a small whole number.
Error power(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  const Argument *exponent = node.find("exponent");
  if (!exponent || exponent->kind != Kind::Int || exponent->ints.front() < 1 ||
      exponent->ints.front() > 8)
    return graph.refuse(node);
  Parts result = x;
  for (int64_t i = 1; i < exponent->ints.front(); ++i)
    result = graph.times(result, x, graph.partMeta(node));
  return graph.define(node, result);
}

Error exponential(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(node,
                      graph.polar(graph.unary("exp.default", *x.re),
                                  graph.imaginaryOf(x), graph.partMeta(node)));
}

Error logarithm(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  return graph.define(
      node, {graph.unary("log.default", graph.absolute(x)), graph.angle(x)});
}

Error squareRoot(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  TensorMeta meta = graph.partMeta(node);
  Argument half =
      graph.binary("mul.Tensor", graph.angle(x), numberOf(0.5), meta);
  return graph.define(
      node,
      graph.polar(graph.unary("sqrt.default", graph.absolute(x)), half, meta));
}

/// The real part is one, the imaginary one zero.
Error ones(ComplexGraph &graph, const Node &node) {
  Node zeros = node;
  StringRef op = node.op();
  zeros.target = ("torch.ops.aten.zeros" + op.drop_front(strlen("ones"))).str();
  return graph.rewriteParts(node, zeros);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

struct Rule {
  StringLiteral op;
  Error (*rewrite)(ComplexGraph &graph, const Node &node);
};

constexpr Rule kRules[] = {
    {"_conj", conjugate},
    {"_conj_physical", conjugate},
    {"abs", absolute},
    {"angle", angle},
    {"complex", fromParts},
    {"conj", conjugate},
    {"conj_physical", conjugate},
    {"div", quotient},
    {"exp", exponential},
    {"imag", imaginaryPart},
    {"log", logarithm},
    {"ones", ones},
    {"ones_like", ones},
    {"polar", fromPolar},
    {"pow", power},
    {"real", realPart},
    {"reciprocal", reciprocal},
    {"resolve_conj", same},
    {"resolve_neg", same},
    {"sqrt", squareRoot},
    {"square", square},
    {"view_as_complex", fromPairs},
    {"view_as_real", toPairs},
};

constexpr StringLiteral kComplexOps[] = {
    "_fft_c2c.default",    "_fft_c2r.default",
    "_fft_r2c.default",    "complex.default",
    "fft_fft.default",     "fft_fft2.default",
    "fft_fftn.default",    "fft_ifft.default",
    "fft_ifft2.default",   "fft_ifftn.default",
    "fft_irfft.default",   "fft_irfft2.default",
    "fft_irfftn.default",  "fft_rfft.default",
    "fft_rfft2.default",   "fft_rfftn.default",
    "imag.default",        "polar.default",
    "stft.default",        "view_as_complex.default",
    "view_as_real.default"};

} // namespace

ArrayRef<StringLiteral> complexOps() { return kComplexOps; }

Error ComplexGraph::rewrite(const Node &node) {
  if (node.op() == node.target)
    return rewriteRegion(node);
  std::string name = plainName(node.op());
  if (is_contained(kLinear, name))
    return rewriteLinear(node);
  // Of what is written to `out` there is no rule.
  if (node.find("out"))
    return refuse(node);
  for (const Rule &rule : kRules)
    if (rule.op == name)
      return rule.rewrite(*this, node);
  for (const Product &product : kProducts)
    if (product.op == name)
      return rewriteProduct(node, product.first, product.second);
  if (name == "einsum")
    return rewriteEinsum(node);
  if (isFourier(name))
    return rewriteFourier(*this, node, name);
  return refuse(node);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static Error refuseEnd(const Program &program, StringRef what, StringRef name,
                       StringRef remedy) {
  return invalidModel(program.path + ": " + what + " '" + printable(name) +
                      "' has complex numbers: " + remedy);
}

Error replaceComplexNumbers(Program &program) {
  ComplexGraph graph(program.graph);
  if (graph.isReal())
    return Error::success();
  for (const InputSpec &input : program.inputs) {
    if (!graph.isComplex(input.value))
      continue;
    if (input.kind == InputSpec::Kind::User)
      return refuseEnd(program, "input", input.value,
                       "pass torch.view_as_real(x), and call "
                       "torch.view_as_complex in the model");
    graph.splitState(input.value);
  }
  for (const OutputSpec &output : program.outputs)
    if (output.kind == OutputSpec::Kind::User && graph.isComplex(output.value))
      return refuseEnd(program, "output", output.value,
                       "return torch.view_as_real(y)");
  if (Error error = graph.rewriteAll())
    return prefixed(program.path, std::move(error));
  return Error::success();
}

} // namespace mpc::exported
