// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The emitter of #cuda.rows and #cuda.columns. A unit is a row or a column. It
/// is computed in passes over its elements: a statement that needs the value of
/// a reduction runs in a later pass than the reduction.
///
/// Values of elements that a later pass needs stay in registers if they are
/// few; otherwise they are computed again.
#ifndef MPC_LIB_CODEGEN_CUDA_ROWEMITTER_H
#define MPC_LIB_CODEGEN_CUDA_ROWEMITTER_H

#include "dialects/Kernel/Rows.h"
#include "lib/Codegen/CUDA/RowSharing.h"

namespace mpc::cuda {

/// Writes one kernel.
class RowEmitter {
public:
  RowEmitter(KernelText &text, const kernel::Body &body, Sharing sharing);
  void emit();

private:
  bool isReadLater(unsigned number, mlir::Value result);
  void findKept();
  void declareShared();
  void emitUnit();
  void emitPass(int pass);
  void emitElements(int pass);
  /// A sum while one of its chains is added up, and the value to which the
  /// chain is added.
  struct ChainSum {
    mlir::Value result;
    mlir::Operation *combiner;
    std::string total;
  };
  llvm::SmallVector<ChainSum> startChains(int pass);
  llvm::SmallVector<int64_t> getChainLengths(int pass);
  void emitChains(int pass, llvm::ArrayRef<int64_t> lengths,
                  const std::string &first, const std::string &end);
  void emitElement(int pass, const std::string &element);
  void computeResults(int pass, unsigned number);
  void storeResults(int pass, unsigned number);
  void emitReduction(unsigned number);
  void startReduction(unsigned number);
  void finishReduction(unsigned number);
  void emitRowStatements(int pass);
  void storeUnit(const kernel::Statement &statement);
  int storePass(unsigned number, unsigned output);
  std::string read(const kernel::Access &access);
  Texts argumentsOf(const kernel::Statement &statement);
  void computeMap(unsigned number);

  KernelText &text_;
  kernel::Rows rows_;
  kernel::RowPasses passes_;
  Sharing sharing_;
  llvm::SmallVector<int64_t> outer_, inner_;
  int64_t count_ = 0; ///< The number of elements of a unit.
  int64_t each_ = 0;  ///< The most elements of a unit that a thread computes.
  bool keeps_ = false;
  Texts dims_;
  llvm::DenseMap<mlir::Value, std::string>
      unitValues_; ///< The values of units, by result.
  /// The values of the current element.
  llvm::DenseMap<mlir::Value, std::string> elements_;
  /// The arrays of values for later passes.
  llvm::DenseMap<mlir::Value, std::string> kept_;
  llvm::DenseMap<mlir::Value, std::string> sums_;
  llvm::DenseMap<mlir::Value, std::string> shared_;
  int pass_ = -1;    ///< The current pass.
  std::string slot_; ///< The index of the current element in kept arrays.
};

/// The type of the elements of a tensor.
std::string elementText(mlir::Value tensor);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_ROWEMITTER_H
