// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The memory of others that a runner's entries read and write.
#ifndef MPC_RUNTIME_CAPI_BINDINGS_H
#define MPC_RUNTIME_CAPI_BINDINGS_H

#include "runtime/CAPI/HostTensor.h"
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

/// A managed tensor, given back when it goes.
using TensorOwner = std::unique_ptr<void, void (*)(void *)>;

class Bindings {
public:
  /// `calls` and the runner must outlive this.
  void open(const Runner &runner, std::vector<EntryCall *> calls) {
    runner_ = &runner;
    calls_ = std::move(calls);
  }

  /// Binds the tensor to what is called so in all entries and has its shape.
  /// One of another shape stays bound beside it. Where that fails nothing has
  /// changed, and `owner` is still the caller's.
  Status bind(Direction direction, const HostTensor &tensor,
              TensorOwner &owner);
  /// All that are bound to this name, whatever their shapes.
  Status unbind(Direction direction, std::string_view name);
  /// Of each input the shape that was bound last.
  [[nodiscard]] const TensorShapes &shapes() const { return shapes_; }
  /// Gives all back; nothing may run then.
  void clear() {
    inputs_.clear();
    outputs_.clear();
    shapes_.clear();
  }

  /// A scalar input of floating type that is set by its value.
  [[nodiscard]] bool hasNumber(std::string_view name) const;
  void setNumber(std::string_view name, double value);
  /// Empty where it is not set so.
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
  /// Of one name there is one for each shape, and at least one.
  using ByName = std::map<std::string, std::vector<Binding>, std::less<>>;

  [[nodiscard]] ByName &boundAs(Direction direction) {
    return direction == Direction::Input ? inputs_ : outputs_;
  }
  using Visit = std::function<void(EntryCall &, size_t, const TensorDesc &)>;
  void visit(Direction direction, std::string_view name,
             const Visit &body) const;
  Status checkFits(Direction direction, const TensorDesc &given) const;
  Status checkApart(Direction direction, const HostTensor &tensor) const;
  void point(Direction direction, const TensorDesc &desc, void *data);

  const Runner *runner_ = nullptr;
  std::vector<EntryCall *> calls_;
  ByName inputs_, outputs_;
  TensorShapes shapes_;
  std::map<std::string, Number, std::less<>> numbers_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_BINDINGS_H
