// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The values that are known while a row, or a block of columns, is computed,
/// and the statements that compute them.
#ifndef MPC_LIB_CODEGEN_CPU_ROWVALUES_H
#define MPC_LIB_CODEGEN_CPU_ROWVALUES_H

#include "lib/Codegen/CPU/Emitter.h"
#include "lib/Codegen/CPU/RowPlan.h"

namespace mpc::cpu {

/// Lanes that are computed together. For rows there is one group, whose row
/// values are scalars. For columns a unit has several groups, whose row values
/// are vectors.
struct LaneGroup {
  Lanes lanes;
  int64_t offset = 0;
  llvm::DenseMap<mlir::Value, mlir::Value> rowValues;
  /// Scratch memory for later passes.
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
};

/// Loads and stores values of rows and of their elements. Values of rows are
/// kept in registers, values of elements that a later pass needs in scratch
/// memory.
class RowValues {
public:
  /// All of them must outlive this object.
  RowValues(Emitter &emitter, const kernel::Body &body, const RowPlan &plan)
      : emitter(emitter), plan(plan), statements(plan.rows.statements),
        body_(body) {}

  Emitter &emitter;
  const RowPlan &plan;
  const std::vector<kernel::Statement> &statements;

  /// The position of a row's values: `outer`, and 0 in all reduced dimensions.
  llvm::SmallVector<mlir::Value> getDims(mlir::ValueRange outer);
  /// `outer` with the first column of `group`.
  llvm::SmallVector<mlir::Value> getOuter(mlir::ValueRange outer,
                                          const LaneGroup &group);
  /// The lanes of a row value.
  Lanes getRowLanes(const LaneGroup &group) const {
    return plan.isColumns ? group.lanes : Lanes{};
  }

  /// Allocates the scratch memory of a group.
  void allocate(LaneGroup &group);
  /// Loads the values that all elements of a row share, before the loops over
  /// the row.
  void hoistLoads(mlir::ValueRange outer);
  mlir::Value read(const kernel::Access &access, mlir::ValueRange dims,
                   LaneGroup &group, Lanes lanes);
  /// The inputs of the statement at `dims`, and the outputs that it reads; null
  /// for other outputs.
  llvm::SmallVector<mlir::Value>
  readArguments(const kernel::Statement &statement, mlir::ValueRange dims,
                LaneGroup &group, Lanes lanes);
  /// The first value of a reduction: the element of its output before the
  /// kernel runs.
  mlir::Value readFirst(const kernel::Access &output, mlir::ValueRange outer,
                        LaneGroup &group);

  /// Writes the first values of the partial sums of a run, whose first row is
  /// at `outer`.
  void startPartials(mlir::ValueRange outer);
  /// The sums so far of a Partial at `dims`, where the kernel returns them.
  llvm::SmallVector<mlir::Value> readSums(const kernel::Statement &statement,
                                          mlir::ValueRange dims, Lanes lanes);

  /// Forgets the values of the current elements, and sets one.
  void clearElements() { elements_.clear(); }
  void setElement(mlir::Value result, mlir::Value value) {
    elements_[result] = value;
  }
  /// Stores the elements of a statement that the kernel returns or that a later
  /// pass needs.
  void storeElements(const kernel::Statement &statement, mlir::ValueRange dims,
                     LaneGroup &group, Lanes lanes);
  /// Sets a row's value, and stores it in the destinations of the results that
  /// return it.
  void setRow(mlir::Value result, mlir::Value value, mlir::AffineExpr index,
              mlir::ValueRange outer, LaneGroup &group);

private:
  mlir::AffineExpr getScratchIndex(const LaneGroup &group);
  mlir::Value loadScratch(mlir::Value tensor, mlir::ValueRange dims,
                          const LaneGroup &group, Lanes lanes);
  void storeScratch(mlir::Value result, mlir::Value value,
                    mlir::ValueRange dims, const LaneGroup &group, Lanes lanes);
  llvm::SmallVector<mlir::Value> getDestinations(mlir::Value result) const;
  bool isShared(const kernel::Access &input, unsigned numDims) const;

  const kernel::Body &body_;
  llvm::DenseMap<std::pair<mlir::Value, mlir::AffineExpr>, mlir::Value>
      hoisted_;
  llvm::DenseMap<mlir::Value, mlir::Value> elements_;
};

/// Computes the statements of one pass over a row.
class RowStatements {
public:
  RowStatements(RowValues &values, int pass) : values_(values), pass_(pass) {}

  /// Emits maps and sums for one vector of elements; returns the new sums.
  llvm::SmallVector<mlir::Value> emitElements(mlir::ValueRange dims,
                                              LaneGroup &group, Lanes lanes,
                                              mlir::ValueRange sums);
  /// Emits the statements of the row's own values, which follow the pass.
  void emitRow(mlir::ValueRange outer, LaneGroup &group);

private:
  llvm::SmallVector<mlir::Value> emitMap(const kernel::Statement &statement,
                                         mlir::ValueRange dims,
                                         LaneGroup &group, Lanes lanes);
  llvm::SmallVector<mlir::Value> emitPartial(const kernel::Statement &statement,
                                             mlir::ValueRange dims,
                                             LaneGroup &group, Lanes lanes);
  llvm::SmallVector<mlir::Value> emitSum(const kernel::Statement &statement,
                                         mlir::ValueRange dims,
                                         LaneGroup &group, Lanes lanes,
                                         mlir::ValueRange sums);

  RowValues &values_;
  int pass_;
};

/// Emits one pass over a row or a block of columns: its elements in loops, then
/// its sums and the row's own values.
void emitPass(RowValues &values, int pass, mlir::ValueRange outer,
              mlir::MutableArrayRef<LaneGroup> groups);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ROWVALUES_H
