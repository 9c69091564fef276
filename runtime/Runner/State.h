// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The memory of a program's state tensors, by slab and by name.
#ifndef MPC_RUNTIME_RUNNER_STATE_H
#define MPC_RUNTIME_RUNNER_STATE_H

#include "runtime/Device/CPU/Memory.h"
#include "runtime/Program/Program.h"
#include "runtime/Ranks/Ranks.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// What a rank has of a tensor, and its first byte in the tensor.
struct OwnPart {
  uint64_t begin = 0;
  std::span<std::byte> bytes;
};

/// Of a slab that is divided among ranks there is address space for the whole
/// in each process, and memory for the parts that it touches: its own, and
/// between collect() or deal() and keepOnly() those of others.
class State {
public:
  /// Checks the layout and allocates the slabs, zeroed. `program` must outlive
  /// the state.
  static Result<State> create(const Program &program);
  /// Shares slabs with `other`: a slab with tensors that `other` has too is the
  /// slab of `other`. Its tensors must have the same places; an error names the
  /// first that does not. Each program has its own gradients.
  static Result<State> share(const Program &program, const State &other);

  /// Whether the tensor lies in memory of the other state from which this one
  /// was made.
  [[nodiscard]] bool isShared(const StateTensor &tensor) const {
    return isShared_[tensor.slab];
  }

  [[nodiscard]] std::byte *slab(uint32_t index) const {
    return slabs_[index]->data();
  }
  /// What launches of `rank` see of a slab.
  [[nodiscard]] std::byte *part(uint32_t index, uint32_t rank) const;

  /// Whether each rank has only a part of some slabs.
  [[nodiscard]] bool isDivided() const;
  [[nodiscard]] bool isDivided(const StateTensor &tensor) const {
    return program_->slabs[tensor.slab].parts != 1;
  }
  [[nodiscard]] OwnPart ownPart(const StateTensor &tensor, uint32_t rank) const;
  /// Rank 0 gets the parts of all ranks. All ranks must call it.
  Status collect(Ranks &ranks);
  /// Each rank gets its part from rank 0. All ranks must call it.
  Status deal(Ranks &ranks);
  /// Each rank gets the whole of a tensor. All ranks must call it.
  Status gather(const StateTensor &tensor, Ranks &ranks);
  /// Gives memory of the parts of other ranks than `rank` back.
  void keepOnly(uint32_t rank);

  [[nodiscard]] std::span<std::byte> bytes(const StateTensor &tensor) const {
    return {slab(tensor.slab) + tensor.offset, tensor.desc.numBytes()};
  }

  /// Whether any of these bytes lie in its slabs.
  [[nodiscard]] bool meets(const void *data, size_t bytes) const;

  /// The tensor in place. Its bytes change with the next run.
  Result<TensorView> read(std::string_view name) const;

  /// Sets the tensor named source.desc.name. Shapes must be equal. Elements are
  /// converted where that is exact; only a parameter may be rounded.
  Status write(const TensorView &source);

  /// All tensors of a checkpoint, in the program's order.
  [[nodiscard]] std::vector<TensorView> exportTensors() const;

  /// Sets exactly the tensors of exportTensors() from `sources`. Some of these
  /// may be in place already. Missing, extra and different tensors are an error
  /// that lists them, and nothing changes.
  Status importTensors(std::span<const TensorView> sources);

private:
  explicit State(const Program &program) : program_(&program) {}
  Status allocate(const Slab &slab);
  Status forEachDivided(auto &&call) {
    for (size_t i = 0; i < slabs_.size(); ++i)
      if (program_->slabs[i].parts != 1)
        MPC_RETURN_IF_ERROR(call(program_->slabs[i], *slabs_[i]));
    return {};
  }

  const Program *program_;
  std::vector<std::shared_ptr<HostBuffer>> slabs_;
  std::vector<bool> isShared_; ///< Whether each slab is shared.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_STATE_H
