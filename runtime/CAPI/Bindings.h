// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The caller's memory that a runner's entries read and write.
#ifndef MPC_RUNTIME_CAPI_BINDINGS_H
#define MPC_RUNTIME_CAPI_BINDINGS_H

#include "runtime/CAPI/CallerTensor.h"
#include "runtime/Runner/EntryCall.h"
#include "runtime/Support/Status.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// An input or an output.
enum class Direction : uint8_t { Input, Output };

/// A managed tensor, which is given back on destruction.
using TensorOwner = std::unique_ptr<void, void (*)(void *)>;

class Bindings {
public:
  /// `calls` and the runner must outlive this object.
  void open(const Runner &runner, std::vector<EntryCall *> calls) {
    runner_ = &runner;
    calls_ = std::move(calls);
  }

  /// Binds the tensor to the input or output of that name in all entries, for
  /// its shape. A binding of another shape remains beside it. On failure
  /// nothing changes, and `owner` stays the caller's.
  Status bind(Direction direction, const CallerTensor &tensor,
              TensorOwner &owner);
  /// Ends all bindings of this name, whatever their shapes.
  Status unbind(Direction direction, std::string_view name);
  /// The shape of each input that was bound last.
  [[nodiscard]] const TensorShapes &shapes() const { return shapes_; }
  /// Gives all tensors back. Nothing may run afterwards.
  void clear() {
    inputs_.clear();
    outputs_.clear();
    shapes_.clear();
  }

  /// Whether the input is a scalar of floating type, which is set by its value.
  [[nodiscard]] bool hasNumber(std::string_view name) const;
  void setNumber(std::string_view name, double value);
  /// The value of such an input; empty where it is not set.
  [[nodiscard]] std::optional<double> number(std::string_view name) const;

private:
  struct Binding {
    std::vector<int64_t> shape;
    const void *data;
    size_t bytes;
    TensorOwner owner;
  };
  /// A number in its input's type.
  struct Number {
    DType dtype;
    alignas(8) std::array<std::byte, 8> memory;
  };
  /// The bindings of a name: one for each shape, and at least one.
  using ByName = std::map<std::string, std::vector<Binding>, std::less<>>;

  [[nodiscard]] ByName &boundAs(Direction direction) {
    return direction == Direction::Input ? inputs_ : outputs_;
  }
  using Visit = std::function<void(EntryCall &, size_t, const TensorDesc &)>;
  void visit(Direction direction, std::string_view name,
             const Visit &body) const;
  Status checkFits(Direction direction, const TensorDesc &given) const;
  Status checkApart(Direction direction, const CallerTensor &tensor) const;
  Status checkMemory(const CallerTensor &tensor) const;
  void point(Direction direction, const CallerTensor &tensor) const;

  const Runner *runner_ = nullptr;
  std::vector<EntryCall *> calls_;
  ByName inputs_, outputs_;
  TensorShapes shapes_;
  std::map<std::string, Number, std::less<>> numbers_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_BINDINGS_H
