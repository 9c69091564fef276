// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the nn dialect.
#include "dialects/NN/NNDialect.h"

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::nn;

/// "(f32, f32)", and "()" for none.
static ParseResult parseTypesInParens(OpAsmParser &parser,
                                      SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
    return parser.parseType(types.emplace_back());
  });
}

static void printTypesInParens(OpAsmPrinter &printer, Operation *,
                               TypeRange types) {
  printer << "(" << types << ")";
}

#include "dialects/NN/NNDialect.cpp.inc"
#include "dialects/NN/NNEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/NN/NNAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/NN/NNOps.cpp.inc"

namespace {

/// Every nn op may be inlined: all are pure.
struct NNInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

} // namespace

void NNDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/NN/NNAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/NN/NNOps.cpp.inc"
      >();
  addInterfaces<NNInlinerInterface>();
}

Operation *NNDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return ConstantOp::create(builder, loc, type, elements);
  return nullptr;
}
