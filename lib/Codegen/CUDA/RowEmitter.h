// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The emitter of #cuda.rows and #cuda.columns. A unit is a row or a column. It
/// is computed in passes over its elements: a statement that needs the value of
/// a reduction runs in a later pass than the reduction.
///
/// A thread has runs of neighbouring elements, which it moves by wide accesses
/// where the memory allows it. Elements that a later pass needs stay in
/// registers if they are few; otherwise they are read or computed again.
#ifndef MPC_LIB_CODEGEN_CUDA_ROWEMITTER_H
#define MPC_LIB_CODEGEN_CUDA_ROWEMITTER_H

#include "dialects/Kernel/Rows.h"
#include "lib/Codegen/CUDA/RowSharing.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::cuda {

/// Writes one kernel.
class RowEmitter {
public:
  RowEmitter(KernelText &text, const kernel::Body &body, Sharing sharing,
             int64_t vector);
  void emit();

private:
  /// A place in memory, as a key.
  using Place = std::pair<mlir::Value, mlir::AffineExpr>;

  // What is kept.
  bool isReadLater(unsigned number, mlir::Value result) const;
  llvm::SmallVector<kernel::Access> operandsOf(unsigned number) const;
  llvm::SmallVector<kernel::Access> readsOf(llvm::BitVector wanted,
                                            int pass) const;
  llvm::BitVector statementsOf(int pass) const;
  llvm::SmallVector<kernel::Access> readsOf(int pass) const;
  bool isOwn(const kernel::Access &access) const;
  bool isWorthKeeping(unsigned number, mlir::Value result) const;
  void keepResults();
  void keepInputs();
  void findKept();
  void declareKept();
  llvm::SmallVector<kernel::Access> storesOf(int pass) const;
  bool isVector(const kernel::Access &access) const;
  void chooseWidth();
  bool isStoredTooSoon(unsigned number, unsigned output) const;
  void delayStores();
  int storePass(unsigned number, unsigned output) const;
  /// Whether `pass` stores an output of a map, or keeps it.
  bool stores(int pass, unsigned number, unsigned output) const;
  bool keeps(int pass, unsigned number, unsigned output) const;

  // Units and passes.
  void declareShared();
  void setUnit(const std::string &number);
  void emitUnit(const std::string &number);
  void emitRunOfRows();
  void declarePartials();
  void startPartials();
  void storePartials();
  void emitPass(int pass);
  void startReduction(unsigned number);
  void finishReduction(unsigned number);
  void emitRowStatements(int pass);
  void storeUnit(const kernel::Statement &statement);

  // Elements.
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
  void forEachRun(llvm::function_ref<void(const std::string &)> body);
  void forEachVector(const std::string &element,
                     llvm::function_ref<void()> body);
  std::string firstElement() const;
  void
  forEachPartialElement(llvm::function_ref<void(const kernel::Statement &,
                                                unsigned, const std::string &)>
                            body);
  void forEachPartial(
      llvm::function_ref<void(const kernel::Statement &, unsigned, mlir::Value)>
          body);
  void emitVectors(int pass);
  void forEach(llvm::StringRef name, int64_t count, int64_t step,
               llvm::function_ref<void(const std::string &)> body);
  void forEachLane(llvm::function_ref<void()> body);
  void readVectors(int pass);
  void keepVector(const kernel::Access &access, const std::string &kept);
  void declareMade(int pass);
  void storeMade();
  void emitElement(int pass);
  void computeResults(int pass, unsigned number);
  void storeResults(int pass, unsigned number);
  void emitReduction(unsigned number);
  void emitPartial(unsigned number);
  std::string keptPlace() const;
  std::string partialPlace(mlir::Value result);
  std::string readMemory(const kernel::Access &access);
  std::string read(const kernel::Access &access);
  Texts argumentsOf(const kernel::Statement &statement);
  void computeMap(unsigned number);

  /// The most elements of a row that a thread keeps, whose loops are unrolled.
  /// Longer sums are cut into chains.
  static constexpr int64_t kMaxKept = 32;

  /// An input that is kept for later passes.
  struct KeptInput {
    std::string name;
    int pass; ///< The one that reads it.
  };

  KernelText &text_;
  kernel::Rows rows_;
  kernel::Body body_; ///< The statements of `rows_`.
  kernel::RowPasses passes_;
  Sharing sharing_;
  int64_t vector_; ///< The number of elements of a run.
  int64_t width_;  ///< The number of them that one vector has.
  llvm::SmallVector<int64_t> outer_, inner_;
  int64_t count_ = 0; ///< The number of elements of a unit.
  int64_t each_ = 0;  ///< The most elements of a unit that a thread computes.
  Texts dims_;
  llvm::DenseMap<mlir::Value, std::string>
      unitValues_; ///< The values of units, by result.
  /// The values of the current element.
  llvm::DenseMap<mlir::Value, std::string> elements_;
  /// The arrays of values for later passes, and those of inputs.
  llvm::MapVector<mlir::Value, std::string> kept_;
  llvm::MapVector<Place, KeptInput> keptInputs_;
  int64_t keptBytes_ = 0; ///< Of a thread, for all of these.
  llvm::DenseMap<mlir::Value, std::string> sums_;
  /// The arrays, in shared memory, of sums over a run of rows.
  llvm::DenseMap<mlir::Value, std::string> partials_;
  llvm::DenseMap<mlir::Value, std::string> shared_;
  /// The results that are stored in the last pass.
  llvm::DenseSet<mlir::Value> waiting_;
  /// The current vectors: those read, and those made for destinations.
  llvm::DenseMap<Place, std::string> vectors_;
  llvm::MapVector<Place, std::string> made_;
  int pass_ = -1;          ///< The current pass.
  std::string slot_;       ///< The index of the current vector in kept arrays.
  std::string lane_ = "0"; ///< The index of the current element in its vector.
};

/// The type of the elements of a tensor, and its bytes.
std::string elementText(mlir::Value tensor);
int64_t bytesOf(mlir::Value tensor);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_ROWEMITTER_H
