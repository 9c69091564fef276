// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The memory of a program's state tensors, by slab and by name.
#ifndef MPC_RUNTIME_RUNNER_STATE_H
#define MPC_RUNTIME_RUNNER_STATE_H

#include "runtime/Device/CPU/Memory.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace mpc::rt {

class State {
public:
  /// Checks the layout and allocates the slabs, zeroed. `program` must outlive
  /// the state.
  static Result<State> create(const Program &program);
  /// The same, but a slab with tensors that `other` has too is that of `other`,
  /// whose tensors must lie in it as this one's: an error names the first that
  /// does not. Gradients on their way are each program's own.
  static Result<State> share(const Program &program, const State &other);

  /// Whether the tensor lies in memory of the state that this one was made of.
  [[nodiscard]] bool isShared(const StateTensor &tensor) const {
    return isShared_[tensor.slab];
  }

  [[nodiscard]] std::byte *slab(uint32_t index) const {
    return slabs_[index]->data();
  }
  [[nodiscard]] std::span<std::byte> bytes(const StateTensor &tensor) const {
    return {slab(tensor.slab) + tensor.offset, tensor.desc.numBytes()};
  }

  /// Whether any of these bytes are of its slabs.
  [[nodiscard]] bool meets(const void *data, size_t bytes) const;

  /// The tensor where it lies; its bytes change with the next run.
  Result<TensorView> read(std::string_view name) const;

  /// Sets the tensor of source.desc.name. Shapes must be equal; elements are
  /// converted where that is exact, and rounded only into a parameter.
  Status write(const TensorView &source);

  /// All that a checkpoint holds, in the program's order.
  [[nodiscard]] std::vector<TensorView> exportTensors() const;

  /// Sets exactly the tensors of exportTensors() from `sources`, some of which
  /// may be where they lie already: missing, extra or differing ones are an
  /// error that lists them, and then nothing changed.
  Status importTensors(std::span<const TensorView> sources);

private:
  explicit State(const Program &program) : program_(&program) {}
  Status allocate(const Slab &slab);

  const Program *program_;
  std::vector<std::shared_ptr<HostBuffer>> slabs_;
  std::vector<bool> isShared_; ///< Of each slab.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_STATE_H
