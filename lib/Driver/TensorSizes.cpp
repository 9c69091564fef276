// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds tensors that no memory can hold.
#include "lib/Driver/TensorSizes.h"

#include "dialects/Interfaces/NodeNames.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mpc;

/// Whether a tensor type is huge; false where a dimension is not known yet.
static bool isHuge(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return false;
  // A tensor that is empty in one dimension may not be huge in the others,
  // since sizes are multiplied in any order.
  int64_t product = 1;
  for (int64_t size : shaped.getShape())
    if (size > 1 && __builtin_mul_overflow(product, size, &product))
      return true;
  return product > kMaxElements;
}

/// The first huge type of the op itself.
static Type findHugeType(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isHuge(type))
      return type;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (isHuge(type))
          return type;
  // Declarations have their types in attributes.
  Type found;
  for (NamedAttribute attribute : op->getAttrs())
    attribute.getValue().walk([&](Type type) {
      if (isHuge(type) && !found)
        found = type;
    });
  return found;
}

static std::string describe(const std::string &path, Operation *op, Type type) {
  std::string text = path;
  llvm::raw_string_ostream os(text);
  op->getLoc()->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file || file.getLine() == 0)
      return WalkResult::advance();
    os << ":" << file.getLine();
    return WalkResult::interrupt();
  });
  os << ": " << op->getName();
  if (StringRef name = getNodeName(op->getLoc()); !name.empty())
    os << " '" << name << "'";
  os << ": " << type << " has more than the " << kMaxElements
     << " elements that memory can hold";
  return text;
}

std::optional<std::string> mpc::findHugeTensor(ModuleOp module,
                                               const std::string &path) {
  std::optional<std::string> fault;
  module.walk([&](Operation *op) {
    Type type = findHugeType(op);
    if (!type)
      return WalkResult::advance();
    fault = describe(path, op, type);
    return WalkResult::interrupt();
  });
  return fault;
}
