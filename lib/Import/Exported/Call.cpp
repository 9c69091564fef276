// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments by the names of the op's schema.
#include "lib/Import/Exported/Call.h"

#include "dialects/Interfaces/ElementTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

using Kind = Argument::Kind;

const Argument *Call::find(StringRef name) const { return node_.find(name); }

bool Call::has(StringRef name) const { return find(name) != nullptr; }

bool Call::isTensor(StringRef name) const {
  const Argument *argument = find(name);
  return argument && argument->kind == Kind::Tensor;
}

Error Call::missing(StringRef name) const {
  return fail("has no argument '" + name + "'");
}

Error Call::wrong(StringRef name, StringRef expected) const {
  const Argument *argument = find(name);
  if (argument && argument->kind == Kind::Symbol)
    return fail("argument '" + name +
                "' depends on a size that the export "
                "leaves open: export without dynamic_shapes");
  return fail("argument '" + name + "' is not " + expected);
}

Expected<Operand> Call::read(StringRef tensor) {
  MPC_TRY_ASSIGN(Operand operand, scope_.read(tensor));
  bool isCast = compute_ && operand.isFloat() && !operand.type.isF64();
  return isCast ? build.cast(operand, compute_) : operand;
}

Expected<Operand> Call::tensor(StringRef name) {
  const Argument *argument = find(name);
  if (!argument)
    return missing(name);
  if (argument->kind != Kind::Tensor)
    return wrong(name, "a tensor");
  return read(argument->names.front());
}

Expected<Operand> Call::real(StringRef name) {
  MPC_TRY_ASSIGN(Operand operand, tensor(name));
  if (!operand.isFloat())
    return wrong(name, "of floating-point numbers");
  return operand;
}

Expected<std::optional<Operand>> Call::maybeTensor(StringRef name) {
  if (!has(name))
    return std::optional<Operand>();
  MPC_TRY_ASSIGN(Operand operand, tensor(name));
  return std::optional(operand);
}

Expected<std::vector<Operand>> Call::tensors(StringRef name) {
  const Argument *argument = find(name);
  if (!argument)
    return missing(name);
  if (argument->kind != Kind::Tensors)
    return wrong(name, "a list of tensors");
  std::vector<Operand> operands;
  for (const std::string &element : argument->names) {
    Operand &operand = operands.emplace_back();
    if (!element.empty()) {
      MPC_TRY_ASSIGN(operand, read(element));
    }
  }
  return operands;
}

/// A tensor of one known number, where the schema has a number.
static std::optional<double> knownNumber(const Operand &operand) {
  if (countElements(operand.shape) != 1 || !operand.known)
    return std::nullopt;
  return nn::realAt(operand.known, 0);
}

Expected<double> Call::number(StringRef name, std::optional<double> otherwise) {
  const Argument *argument = find(name);
  if (!argument)
    return otherwise ? Expected<double>(*otherwise) : missing(name);
  switch (argument->kind) {
  case Kind::Float:
    return argument->floats.front();
  case Kind::Int:
  case Kind::Bool:
    return static_cast<double>(argument->ints.front());
  case Kind::Tensor: {
    MPC_TRY_ASSIGN(Operand operand, scope_.read(argument->names.front()));
    std::optional<double> number = knownNumber(operand);
    return number ? Expected<double>(*number) : wrong(name, "a known number");
  }
  default:
    return wrong(name, "a number");
  }
}

Expected<int64_t> Call::integer(StringRef name,
                                std::optional<int64_t> otherwise) {
  const Argument *argument = find(name);
  if (!argument)
    return otherwise ? Expected<int64_t>(*otherwise) : missing(name);
  if (argument->kind != Kind::Int && argument->kind != Kind::DType)
    return wrong(name, "an integer");
  return argument->ints.front();
}

Expected<bool> Call::flag(StringRef name, bool otherwise) {
  const Argument *argument = find(name);
  if (!argument)
    return otherwise;
  if (argument->kind != Kind::Bool && argument->kind != Kind::Int)
    return wrong(name, "a bool");
  return argument->ints.front() != 0;
}

Expected<std::string> Call::text(StringRef name, StringRef otherwise) {
  const Argument *argument = find(name);
  if (!argument)
    return otherwise.str();
  if (argument->kind != Kind::Text)
    return wrong(name, "a text");
  return argument->text;
}

Expected<SmallVector<int64_t>> Call::integers(StringRef name,
                                              ArrayRef<int64_t> otherwise) {
  const Argument *argument = find(name);
  if (!argument)
    return SmallVector<int64_t>(otherwise.begin(), otherwise.end());
  if (argument->kind != Kind::Ints && argument->kind != Kind::Int &&
      !(argument->kind == Kind::Tensors && argument->names.empty()))
    return wrong(name, "a list of integers");
  return SmallVector<int64_t>(argument->ints.begin(), argument->ints.end());
}

Expected<SmallVector<int64_t>> Call::perAxis(StringRef name, size_t count,
                                             std::optional<int64_t> otherwise) {
  SmallVector<int64_t> all;
  if (otherwise)
    all.assign(1, *otherwise);
  MPC_TRY_ASSIGN(SmallVector<int64_t> given, integers(name, all));
  if (given.size() == 1)
    given.assign(count, given.front());
  if (given.size() != count)
    return fail("argument '" + name + "' has " + Twine(given.size()) +
                " numbers, expected " + Twine(count));
  return given;
}

static std::optional<int64_t> axisOf(int64_t axis, int64_t rank) {
  int64_t axes = std::max<int64_t>(rank, 1);
  if (axis < -axes || axis >= axes)
    return std::nullopt;
  return axis < 0 ? axis + axes : axis;
}

Expected<int64_t> Call::axis(StringRef name, int64_t rank,
                             std::optional<int64_t> otherwise) {
  MPC_TRY_ASSIGN(int64_t given, integer(name, otherwise));
  if (std::optional<int64_t> axis = axisOf(given, rank))
    return *axis;
  return fail("argument '" + name + "' is " + Twine(given) +
              ", which is not an axis of a tensor of rank " + Twine(rank));
}

Expected<SmallVector<int64_t>> Call::axes(StringRef name, int64_t rank) {
  MPC_TRY_ASSIGN(SmallVector<int64_t> given, integers(name));
  if (given.empty())
    return to_vector(seq<int64_t>(0, rank));
  SmallVector<int64_t> axes;
  for (int64_t number : given) {
    std::optional<int64_t> axis = axisOf(number, rank);
    if (!axis || is_contained(axes, *axis))
      return fail("argument '" + name + "' is " + shapeText(given) +
                  ", which are not axes of a tensor of rank " + Twine(rank));
    if (rank > 0)
      axes.push_back(*axis);
  }
  sort(axes);
  return axes;
}

Expected<mlir::Type> Call::firstFloatType() const {
  for (const NamedArgument &argument : node_.inputs)
    for (const std::string &name : argument.value.names) {
      if (name.empty())
        continue;
      MPC_TRY_ASSIGN(Operand operand, scope_.read(name));
      if (operand.isFloat())
        return operand.type;
    }
  return mlir::Type();
}

Expected<const TensorMeta *> Call::declared(size_t index) const {
  std::vector<StringRef> names;
  for (const Argument &output : node_.outputs)
    append_range(names, output.names);
  if (index >= names.size())
    return fail("has " + Twine(names.size()) + " results, expected more");
  return metaOf(graph_, names[index]);
}

Expected<mlir::Type> Call::resultType(size_t index) const {
  MPC_TRY_ASSIGN(const TensorMeta *meta, declared(index));
  MPC_TRY_ASSIGN(rt::DType dtype, dtypeOf(*meta));
  return typeOf(build.builder().getContext(), dtype);
}

Expected<Shape> Call::resultShape(size_t index) const {
  MPC_TRY_ASSIGN(const TensorMeta *meta, declared(index));
  return meta->sizes;
}

Expected<Operand> Call::broadcastTo(const Operand &operand,
                                    ArrayRef<int64_t> shape, StringRef what) {
  std::optional<Shape> joined = broadcastShape(operand.shape, shape);
  if (!joined || ArrayRef<int64_t>(*joined) != shape)
    return fail(what + " is " + shapeText(operand.shape) +
                ", expected what broadcasts to " + shapeText(shape));
  return build.broadcastTo(operand, shape);
}

Expected<Operand> Call::reshaped(const Operand &operand,
                                 ArrayRef<int64_t> shape) {
  if (countElements(operand.shape) != countElements(shape))
    return fail("the operand is " + shapeText(operand.shape) + ", the result " +
                shapeText(shape));
  return build.reshape(operand, shape);
}

Expected<Operand> Call::operandAs(StringRef name, mlir::Type type,
                                  ArrayRef<int64_t> shape) {
  const Argument *argument = find(name);
  if (argument && argument->kind == Kind::Tensor) {
    MPC_TRY_ASSIGN(Operand operand, tensor(name));
    return broadcastTo(build.cast(operand, type), shape,
                       ("argument '" + name + "'").str());
  }
  MPC_TRY_ASSIGN(double value, number(name));
  return build.splat(type, shape, value);
}

Expected<Operand> Call::operandLikeResult(StringRef name) {
  MPC_TRY_ASSIGN(mlir::Type type, resultType());
  MPC_TRY_ASSIGN(Shape shape, resultShape());
  return operandAs(name, type, shape);
}

} // namespace mpc::exported
