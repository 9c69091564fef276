// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sees each op that an import makes.
#ifndef MPC_LIB_IMPORT_ONNX_OPCOUNTER_H
#define MPC_LIB_IMPORT_ONNX_OPCOUNTER_H

#include "dialects/NN/Annotations.h"
#include "mlir/IR/Builders.h"

namespace mpc::onnx {

/// Counts the ops that the importer makes, and names the call on elementwise
/// ones that are a part of it under another name.
struct OpCounter : mlir::OpBuilder::Listener {
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override {
    ++count;
    auto part = llvm::dyn_cast<PrecisionOpInterface>(op);
    if (part && !call.empty() && llvm::isa<ScalarBodyOpInterface>(op) &&
        firstName(part.getReferenceOp()) != firstName(call))
      op->setAttr(nn::kCallAttr, mlir::StringAttr::get(op->getContext(), call));
  }

  /// "pow" of "pow.Tensor_Scalar".
  static llvm::StringRef firstName(llvm::StringRef name) {
    return name.split('.').first;
  }

  size_t count = 0;
  /// What the model calls the function that is imported now, or empty.
  llvm::StringRef call;
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPCOUNTER_H
