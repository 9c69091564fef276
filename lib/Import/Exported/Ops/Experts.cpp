// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Products of rows with the matrix of their group. torch.autocast leaves their
/// operands as they are.
#include "lib/Import/Build/GroupedProduct.h"

#include "lib/Import/Exported/Call.h"

using namespace llvm;

namespace mpc::exported {

namespace {

Expected<Operand> groupedRows(Call &call, StringRef left, StringRef right) {
  MPC_TRY_ASSIGN(Operand rows, call.real(left));
  MPC_TRY_ASSIGN(Operand matrices, call.real(right));
  if (!call.has("offs"))
    return call.fail("without ends of groups it is not supported: torch.bmm "
                     "multiplies matrix by matrix");
  MPC_TRY_ASSIGN(Operand ends, call.tensor("offs"));
  if (rows.type != matrices.type)
    return call.fail("the operands are of two types");
  if (!ends.type.isInteger(32) && !ends.type.isInteger(64))
    return call.fail("the ends of groups are neither of int64 nor of int32");
  if (rows.rank() != 2 || matrices.rank() != 3 || ends.rank() != 1 ||
      rows.shape[1] != matrices.shape[1] ||
      ends.shape[0] != matrices.shape[0] || is_contained(rows.shape, 0) ||
      is_contained(matrices.shape, 0))
    return call.fail("the operands are " + shapeText(rows.shape) + " and " +
                     shapeText(matrices.shape) + ", the ends of groups " +
                     shapeText(ends.shape));
  // Each row is compared with each end, and each block has its matrix.
  MPC_TRY(checkSize({rows.shape[0], ends.shape[0]}));
  MPC_TRY(checkSize({rows.shape[0], matrices.shape[1], matrices.shape[2]}));
  return groupedProduct(call.build, rows, matrices, ends);
}

/// What transformers calls where PyTorch has no such product for a type.
Error emitFallback(Call &call) {
  MPC_TRY_ASSIGN(Operand result, groupedRows(call, "input", "weight"));
  call.result(result);
  return Error::success();
}

/// torch.nn.functional.grouped_mm().
Error emitGroupedMM(Call &call) {
  MPC_TRY_ASSIGN(Operand result, groupedRows(call, "self", "mat2"));
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  if (call.has("bias"))
    return call.fail("a bias is not supported: add it to the result");
  call.result(call.build.cast(result, type));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> expertRows() {
  static const OpRow rows[] = {
      {"_grouped_mm.default", emitGroupedMM},
      {"torch.ops.transformers.grouped_mm_fallback.default", emitFallback},
  };
  return rows;
}

} // namespace mpc::exported
