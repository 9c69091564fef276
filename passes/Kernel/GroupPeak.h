// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which groups must stay apart so that the peak of memory does not grow.
#ifndef MPC_PASSES_KERNEL_GROUPPEAK_H
#define MPC_PASSES_KERNEL_GROUPPEAK_H

#include "passes/Kernel/GroupGraph.h"

namespace mpc::kernel {

class GroupPeak {
public:
  /// `peak` is the op at which most bytes are live. All of them must outlive
  /// this object.
  GroupPeak(llvm::ArrayRef<Group> groups, const GroupGraph &graph,
            mlir::Operation *peak)
      : groups_(groups), graph_(graph), peak_(peak) {}

  /// Whether joining the two keeps more bytes than it saves.
  bool keepsMore(unsigned producer, unsigned consumer) const;

private:
  bool isOnlyReader(unsigned producer, unsigned consumer) const;
  bool spansPeak(unsigned producer, unsigned consumer) const;
  bool delays(unsigned producer, unsigned consumer) const;
  bool holdsUp(unsigned producer, unsigned consumer) const;

  llvm::ArrayRef<Group> groups_;
  const GroupGraph &graph_;
  mlir::Operation *peak_;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_GROUPPEAK_H
