// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where groups take most memory, and which ones must stay apart so that this
/// does not grow.
#ifndef MPC_PASSES_KERNEL_GROUPPEAK_H
#define MPC_PASSES_KERNEL_GROUPPEAK_H

#include "dialects/Kernel/Peak.h"
#include "passes/Kernel/GroupGraph.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::kernel {

/// Chooses the statement of a group by whose place in the program groups are
/// put in order.
using GroupKey =
    llvm::function_ref<mlir::Operation *(llvm::ArrayRef<mlir::Operation *>)>;

/// Where most bytes are live if groups run in `order` and only what crosses
/// from one to another takes memory: the last statement of that group in front
/// of the next group's key. Null where nothing crosses. An op of several groups
/// is computed by each of them.
Peak findFullest(llvm::ArrayRef<llvm::ArrayRef<mlir::Operation *>> order,
                 GroupKey key);

class GroupPeak {
public:
  /// `peak` is where most bytes are live. All of them must outlive this object.
  GroupPeak(llvm::ArrayRef<Group> groups, const GroupGraph &graph, Peak peak,
            bool isScarce)
      : groups_(groups), graph_(graph), peak_(peak), isScarce_(isScarce) {}

  /// Whether joining the two keeps more bytes from one side of the peak to the
  /// other than it saves; where memory is scarce, also whether operands would
  /// wait for each other.
  bool keepsMore(unsigned producer, unsigned consumer) const;

private:
  bool spansPeak(unsigned producer, unsigned consumer) const;
  bool isOnlyReader(unsigned producer, unsigned consumer) const;
  llvm::SmallSetVector<unsigned, 4> laterReaders(mlir::Value value) const;
  bool followsFrom(unsigned group, unsigned source) const;
  bool delays(unsigned producer, unsigned consumer) const;
  bool holdsUp(unsigned producer, unsigned consumer) const;

  llvm::ArrayRef<Group> groups_;
  const GroupGraph &graph_;
  Peak peak_;
  bool isScarce_;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_GROUPPEAK_H
