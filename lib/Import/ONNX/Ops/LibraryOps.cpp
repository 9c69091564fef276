// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports nodes as functions of an op library.
#include "lib/Import/ONNX/Ops/LibraryOps.h"

#include "dialects/NN/NNDialect.h"
#include "dialects/NN/RegionRule.h"
#include "lib/Import/ImportError.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mpc::onnx {

static bool takes(const LibraryFunction &entry, ArrayRef<Operand> inputs) {
  mlir::func::FuncOp function = entry.function;
  return entry.numInputs == inputs.size() &&
         equal(function.getArgumentTypes().take_front(inputs.size()),
               map_range(inputs, [](const Operand &input) {
                 return input.value.getType();
               }));
}

static Expected<const LibraryFunction *>
choose(const NodeImporter &node, ArrayRef<LibraryFunction> functions,
       ArrayRef<Operand> inputs) {
  for (const LibraryFunction &entry : functions)
    if (takes(entry, inputs))
      return &entry;
  std::string text;
  raw_string_ostream os(text);
  interleaveComma(inputs, os,
                  [&](const Operand &input) { os << input.value.getType(); });
  os << ")";
  for (const LibraryFunction &entry : functions)
    os << "; " << entry.describe();
  return node.fail("no function of the op library takes (" + text);
}

/// Appends the values of the node's attributes to `operands`.
static Error bindAttributes(const NodeImporter &node,
                            const LibraryFunction &entry,
                            SmallVectorImpl<mlir::Value> &operands) {
  mlir::func::FuncOp function = entry.function;
  SmallVector<StringRef> known;
  for (unsigned i = entry.numInputs; i < function.getNumArguments(); ++i) {
    known.push_back(entry.attributeOf(i));
    const Attribute *attribute = node.attribute(known.back());
    if (!attribute)
      return node.fail("has no attribute '" + known.back() + "', which " +
                       entry.describe() + " reads");
    MPC_TRY_ASSIGN(Operand operand, node.numbersOf(*attribute));
    mlir::Type expected = function.getArgumentTypes()[i];
    operands.push_back(operand.value);
    if (operand.value.getType() == expected)
      continue;
    std::string text;
    raw_string_ostream(text)
        << "attribute '" << known.back() << "' is " << operand.value.getType()
        << ", " << entry.path << ": @" << function.getName() << " takes "
        << expected;
    return node.fail(text);
  }
  for (const Attribute &attribute : node.node().attributes)
    if (!is_contained(known, attribute.name))
      return node.fail("attribute '" + printable(attribute.name) +
                       "' is read by no argument of " + entry.path + ": @" +
                       function.getName());
  return Error::success();
}

/// Clones the body; returns its results.
static SmallVector<mlir::Value> cloneBody(mlir::OpBuilder &builder,
                                          mlir::Location loc,
                                          mlir::func::FuncOp function,
                                          mlir::ValueRange operands) {
  mlir::IRMapping mapping;
  mapping.map(function.getArguments(), operands);
  mlir::Block &body = function.getBody().front();
  for (mlir::Operation &op : body.without_terminator())
    builder.clone(op, mapping)->walk([&](mlir::Operation *copy) {
      copy->setLoc(loc);
    });
  return map_to_vector(body.getTerminator()->getOperands(),
                       [&](mlir::Value v) { return mapping.lookup(v); });
}

static SmallVector<mlir::Value> instantiate(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            const LibraryFunction &entry,
                                            mlir::ValueRange operands) {
  mlir::func::FuncOp function = entry.function;
  if (!entry.rule)
    return cloneBody(builder, loc, function, operands);
  auto region =
      nn::AutocastOp::create(builder, loc, function.getResultTypes(),
                             /*enabled=*/true, /*dtype=*/mlir::TypeAttr());
  region->setAttr(
      nn::kRegionRule,
      builder.getStringAttr(mpc::stringifyPrecisionRule(*entry.rule)));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region.getBody());
  nn::YieldOp::create(builder, loc,
                      cloneBody(builder, loc, function, operands));
  return to_vector_of<mlir::Value>(region.getResults());
}

Error importLibraryOp(NodeImporter &node, ArrayRef<LibraryFunction> functions) {
  for (size_t index = 0; index < node.numInputs(); ++index)
    if (!node.has(index))
      return node.fail("input " + Twine(index) +
                       " is left out, which op libraries know nothing of");
  SmallVector<Operand> inputs = node.allInputs();
  MPC_TRY_ASSIGN(const LibraryFunction *entry, choose(node, functions, inputs));
  SmallVector<mlir::Value> operands =
      map_to_vector(inputs, [](const Operand &input) { return input.value; });
  MPC_TRY(bindAttributes(node, *entry, operands));
  SmallVector<mlir::Value> results = instantiate(
      node.build.builder(), node.build.location(), *entry, operands);
  if (node.numOutputs() > results.size())
    return node.fail("has " + Twine(node.numOutputs()) + " outputs, " +
                     entry->describe() + " and returns " +
                     Twine(results.size()));
  for (auto [index, value] : enumerate(results))
    node.result(index, node.build.fromValue(value));
  return Error::success();
}

} // namespace mpc::onnx
