// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the nn dialect.
#include "dialects/NN/NNDialect.h"

#include "dialects/Interfaces/Precision.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Attention.h"
#include "dialects/NN/Constants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FoldInterfaces.h"
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

/// One type for all, or the type of each: "f16, f32 -> f16".
static ParseResult parseArithmeticTypes(OpAsmParser &parser, Type &lhs,
                                        Type &rhs, Type &output) {
  if (parser.parseType(lhs))
    return failure();
  rhs = output = lhs;
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseType(rhs) || parser.parseArrow() ||
                 parser.parseType(output));
}

static void printArithmeticTypes(OpAsmPrinter &printer, Operation *, Type lhs,
                                 Type rhs, Type output) {
  printer << lhs;
  if (lhs != rhs || lhs != output)
    printer << ", " << rhs << " -> " << output;
}

/// The result has the type of the 16-bit operand where the other operand is
/// f32.
static LogicalResult inferArithmetic(std::optional<Location> loc, Value lhs,
                                     Value rhs,
                                     SmallVectorImpl<Type> &inferred) {
  Type left = getElementTypeOrSelf(lhs), right = getElementTypeOrSelf(rhs);
  bool leftIsNumber = left.isF32() && mpc::isLowPrecision(right);
  bool rightIsNumber = right.isF32() && mpc::isLowPrecision(left);
  if (left != right && !leftIsNumber && !rightIsNumber)
    return emitOptionalError(loc,
                             "operands must have one type, or one be of "
                             "f32 beside f16 or bf16, not ",
                             left, " and ", right);
  inferred.push_back((leftIsNumber ? rhs : lhs).getType());
  return success();
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

/// An elementwise op on constants folds to the values of its scalar body.
struct NNFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  LogicalResult fold(Operation *op, ArrayRef<Attribute> operands,
                     SmallVectorImpl<OpFoldResult> &results) const final {
    auto body = dyn_cast<mpc::ScalarBodyOpInterface>(op);
    if (!body || op->getNumResults() != 1)
      return failure();
    DenseElementsAttr known = foldScalarBody(body, operands);
    if (known)
      results.push_back(known);
    return success(known != nullptr);
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
  addOperations<
#define GET_OP_LIST
#include "dialects/NN/NNRandomOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/NN/NNAttentionOps.cpp.inc"
      >();
  addInterfaces<NNFoldInterface, NNInlinerInterface>();
}

Operation *NNDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return ConstantOp::create(builder, loc, type, elements);
  return nullptr;
}
