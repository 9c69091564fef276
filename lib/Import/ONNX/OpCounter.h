// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Observes each op that an import makes.
#ifndef MPC_LIB_IMPORT_ONNX_OPCOUNTER_H
#define MPC_LIB_IMPORT_ONNX_OPCOUNTER_H

#include "dialects/NN/Annotations.h"
#include "mlir/IR/Builders.h"

namespace mpc::onnx {

/// Counts the ops that the importer makes. On elementwise ops that are a part
/// of a call with another name, it records the call's name.
struct OpCounter : mlir::OpBuilder::Listener {
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override {
    ++count;
    auto part = llvm::dyn_cast<PrecisionOpInterface>(op);
    if (part && !call.empty() && llvm::isa<ScalarBodyOpInterface>(op) &&
        firstName(part.getReferenceOp()) != firstName(call))
      op->setAttr(nn::kCallAttr, mlir::StringAttr::get(op->getContext(), call));
  }

  /// "pow" for "pow.Tensor_Scalar".
  static llvm::StringRef firstName(llvm::StringRef name) {
    return name.split('.').first;
  }

  size_t count = 0;
  /// The model's name for the function that is being imported; or empty.
  llvm::StringRef call;
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPCOUNTER_H
