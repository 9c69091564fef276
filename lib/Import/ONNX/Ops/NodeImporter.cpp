// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads a node's operands and attributes with the checks that every op needs.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "dialects/Interfaces/ElementTypes.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace mpc::onnx {

mlir::Type elementType(mlir::MLIRContext *context, ElemType type) {
  std::optional<rt::DType> dtype = dtypeOf(type);
  return dtype ? typeOf(context, *dtype) : mlir::Type();
}

ElemType elementTypeOf(mlir::Type type) {
  std::optional<rt::DType> dtype;
  if (type)
    dtype = mpc::dtypeOf(type);
  return dtype ? elemTypeOf(*dtype) : ElemType::Undefined;
}

std::string toString(mlir::Type type) { return toString(elementTypeOf(type)); }

Expected<Operand> constantOf(TensorBuilder &build, const Tensor &tensor) {
  if (byteSize(tensor.type) != 0)
    return build.constant(
        elementType(build.builder().getContext(), tensor.type), tensor.shape,
        tensor.bytes);
  return invalidModel("element type " + toString(tensor.type) +
                      " is not supported (float, float16, bfloat16, double, "
                      "integers of 8 to 64 bits and bool are)");
}

bool NodeImporter::has(size_t index) const {
  return index < inputs_.size() && inputs_[index];
}

const Operand &NodeImporter::in(size_t index) const {
  return inputs_[index]->tensor;
}

SmallVector<Operand> NodeImporter::allInputs() const {
  SmallVector<Operand> operands;
  for (const Entry *entry : inputs_)
    operands.push_back(entry->tensor);
  return operands;
}

Expected<SmallVector<int64_t>> NodeImporter::ints(size_t index,
                                                  StringRef what) const {
  const Operand &operand = in(index);
  if (!operand.known)
    return fail(what + " must be known when the model is compiled, but '" +
                printable(node_.inputs[index]) +
                "' depends on an input or a parameter");
  if (operand.isFloat() || operand.rank() > 1)
    return fail(what + " must be a vector of integers, found " +
                toString(operand.type) + "[" + shapeText(operand.shape) + "]");
  if (operand.known.getNumElements() > 65536)
    return fail(what + " has " + Twine(operand.known.getNumElements()) +
                " elements");
  return nn::intsOf(operand.known);
}

Expected<int64_t> NodeImporter::integer(size_t index, StringRef what) const {
  MPC_TRY_ASSIGN(auto numbers, ints(index, what));
  if (numbers.size() != 1)
    return fail(what + " has " + Twine(numbers.size()) +
                " elements, expected one");
  return numbers.front();
}

const Attribute *NodeImporter::attribute(StringRef name) const {
  for (const Attribute &attribute : node_.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

int64_t NodeImporter::intAttr(StringRef name, int64_t otherwise) const {
  const Attribute *found = attribute(name);
  return found ? found->i : otherwise;
}

double NodeImporter::floatAttr(StringRef name, double otherwise) const {
  const Attribute *found = attribute(name);
  return found ? found->f : otherwise;
}

Expected<double> NodeImporter::nonNegativeAttr(StringRef name, double otherwise,
                                               double most) const {
  double value = floatAttr(name, otherwise);
  if (value >= 0.0 && value <= most)
    return value;
  return fail("attribute '" + name + "' is " +
              llvm::formatv("{0}", llvm::format("%g", value)).str() +
              ", expected " +
              (most == 1.0 ? "a number from 0 to 1"
                           : "a finite number that is not negative"));
}

StringRef NodeImporter::stringAttr(StringRef name, StringRef otherwise) const {
  const Attribute *found = attribute(name);
  return found ? StringRef(found->s) : otherwise;
}

std::optional<ArrayRef<int64_t>> NodeImporter::intsAttr(StringRef name) const {
  const Attribute *found = attribute(name);
  if (!found)
    return std::nullopt;
  return ArrayRef(found->ints);
}

Expected<SmallVector<int64_t>> NodeImporter::sizesAttr(StringRef name,
                                                       size_t count,
                                                       int64_t otherwise,
                                                       int64_t least) const {
  auto found = intsAttr(name);
  if (!found)
    return SmallVector<int64_t>(count, otherwise);
  if (found->size() != count)
    return fail("attribute '" + name + "' has " + Twine(found->size()) +
                " numbers, expected " + Twine(count));
  for (int64_t size : *found)
    if (size < least || size >= (int64_t(1) << 31))
      return fail("attribute '" + name + "' holds " + Twine(size) +
                  ", which is out of range");
  return SmallVector<int64_t>(*found);
}

Expected<mlir::Type> NodeImporter::elementTypeAttr(StringRef name) const {
  int64_t number = intAttr(name, 0);
  auto type = static_cast<ElemType>(static_cast<int32_t>(number));
  if (number < 0 || number > INT32_MAX || !dtypeOf(type))
    return fail("attribute '" + name + "' is " + Twine(number) + " (" +
                toString(type) + "), which is not supported");
  return elementType(build.builder().getContext(), type);
}

bool NodeImporter::wants(size_t index) const {
  return index < node_.outputs.size() && !node_.outputs[index].empty();
}

void NodeImporter::result(size_t index, Entry entry) {
  if (index >= results_.size())
    results_.resize(index + 1);
  results_[index] = std::move(entry);
}

void NodeImporter::result(size_t index, Operand operand) {
  result(index, Entry{std::move(operand), false, {}});
}

void NodeImporter::resultSequence(std::vector<Operand> operands, size_t index) {
  result(index, Entry{Operand(), true, std::move(operands)});
}

Expected<std::vector<Entry>>
NodeImporter::inlineGraph(StringRef name, ArrayRef<Entry> arguments,
                          const Twine &part) const {
  const Attribute *found = attribute(name);
  if (!found)
    return fail("has no attribute '" + name + "'");
  if (found->g->inputs.size() != arguments.size())
    return fail("the graph '" + name + "' has " +
                Twine(found->g->inputs.size()) + " inputs, expected " +
                Twine(arguments.size()));
  mlir::Location here = build.location();
  auto results =
      inliner_(*found->g, arguments, (place_ + node_.name + "/" + part).str());
  build.setLocation(here);
  return results;
}

Error NodeImporter::checkResults(StringRef graph, size_t found,
                                 size_t expected) const {
  if (found >= expected)
    return Error::success();
  return fail("the graph '" + graph + "' has " + Twine(found) +
              " outputs, expected " + Twine(expected));
}

Error NodeImporter::fail(const Twine &message) const {
  return invalidModel(path_ + ": node '" + printable(place_ + node_.name) +
                      "' (" + printable(node_.opType) + ", opset " +
                      Twine(opset_) + "): " + message);
}

Error NodeImporter::placed(Error error) const {
  if (!error)
    return error;
  std::string message;
  takeError(std::move(error), message);
  return fail(message);
}

void NodeImporter::note(const Twine &message) {
  notes_.push_back(message.str());
}

void NodeImporter::warn(const Twine &message) {
  warnings_.push_back(("node '" + printable(place_ + node_.name) + "' (" +
                       printable(node_.opType) + "): " + message)
                          .str());
}

Expected<int64_t> NodeImporter::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    return fail("axis " + Twine(axis) + " is out of range for rank " +
                Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

Expected<SmallVector<int64_t>> NodeImporter::axes(ArrayRef<int64_t> axes,
                                                  int64_t rank) const {
  SmallVector<int64_t> result;
  for (int64_t number : axes) {
    MPC_TRY_ASSIGN(int64_t axis, this->axis(number, rank));
    if (is_contained(result, axis))
      return fail("axis " + Twine(number) + " is given twice");
    result.push_back(axis);
  }
  return result;
}

Error NodeImporter::checkSize(ArrayRef<int64_t> shape) const {
  return placed(build::checkSize(shape));
}

Error NodeImporter::requireFloat(size_t index) const {
  if (in(index).isFloat())
    return Error::success();
  return fail("input '" + printable(node_.inputs[index]) + "' is " +
              toString(in(index).type) + ", expected a floating-point type");
}

Error NodeImporter::requireIndices(size_t index) const {
  const Operand &indices = in(index);
  if (!indices.isFloat() && !indices.isBool())
    return Error::success();
  return fail("the indices are " + toString(indices.type) +
              ", expected integers");
}

Error NodeImporter::requireSameType(size_t index, size_t other) const {
  if (in(index).type == in(other).type)
    return Error::success();
  return fail("input '" + printable(node_.inputs[index]) + "' is " +
              toString(in(index).type) + ", '" +
              printable(node_.inputs[other]) + "' is " +
              toString(in(other).type));
}

Error NodeImporter::requireNumbers(size_t index) const {
  if (!in(index).isBool())
    return Error::success();
  return fail("input '" + printable(node_.inputs[index]) +
              "' is bool, expected numbers");
}

Error NodeImporter::requireIntegers(size_t index) const {
  if (!in(index).isFloat() && !in(index).isBool())
    return Error::success();
  return fail("input '" + printable(node_.inputs[index]) + "' is " +
              toString(in(index).type) + ", expected integers");
}

Expected<SmallVector<Operand>> NodeImporter::unifiedInputs() const {
  for (size_t i = 1; i < numInputs(); ++i)
    MPC_TRY(requireSameType(i, 0));
  SmallVector<Operand> operands = allInputs();
  MPC_TRY(unify(operands));
  return operands;
}

/// The numbers as a constant: integers as int64, and floats in the type of the
/// first input.
Expected<Operand> NodeImporter::numbersOf(const Attribute &attribute) const {
  auto count = [](const auto &values) {
    return static_cast<int64_t>(values.size());
  };
  switch (attribute.type) {
  case 1:
    return constant<float>(build.f32(), {}, attribute.f);
  case 2:
    return constant<int64_t>(build.i64(), {}, attribute.i);
  case 6:
    return constant<float>(build.f32(), {count(attribute.floats)},
                           attribute.floats);
  case 7:
    return constant<int64_t>(build.i64(), {count(attribute.ints)},
                             attribute.ints);
  default:
    return fail("attribute '" + printable(attribute.name) +
                "' holds no numbers");
  }
}

Expected<Operand> NodeImporter::constantOf(const Attribute &attribute) const {
  MPC_TRY_ASSIGN(Operand numbers, numbersOf(attribute));
  return attribute.type == 1 ? build.cast(numbers, in(0).type) : numbers;
}

Error NodeImporter::readAsInputs(const OpRule &rule) {
  SmallVector<StringRef> names;
  rule.asInputs.split(names, ' ', -1, /*KeepEmpty=*/false);
  if (!names.empty())
    inputs_.resize(rule.maxInputs, nullptr);
  for (StringRef name : names) {
    bool isNeeded = name.consume_back("!");
    const Attribute *found = attribute(name);
    if (!found && isNeeded)
      return fail("attribute '" + name + "' is missing");
    inputs_.push_back(nullptr);
    if (!found)
      continue;
    MPC_TRY_ASSIGN(Operand operand, constantOf(*found));
    fromAttributes_.push_back({std::move(operand), false, {}});
    inputs_.back() = &fromAttributes_.back();
  }
  return Error::success();
}

Error NodeImporter::unify(MutableArrayRef<Operand> operands) const {
  Shape shape;
  for (const Operand &operand : operands) {
    std::optional<Shape> wider = broadcastShape(shape, operand.shape);
    if (!wider)
      return fail("shapes " + shapeText(shape) + " and " +
                  shapeText(operand.shape) + " do not broadcast");
    shape = std::move(*wider);
  }
  MPC_TRY(checkSize(shape));
  for (Operand &operand : operands)
    operand = build.broadcastTo(operand, shape);
  return Error::success();
}

Expected<Operand> NodeImporter::broadcastTo(const Operand &operand,
                                            ArrayRef<int64_t> shape,
                                            StringRef what) const {
  std::optional<Shape> common = broadcastShape(shape, operand.shape);
  if (!common || ArrayRef<int64_t>(*common) != shape)
    return fail(what + " has shape " + shapeText(operand.shape) +
                ", which does not broadcast to " + shapeText(shape));
  return build.broadcastTo(operand, shape);
}

} // namespace mpc::onnx
