// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The optimizers: what state each keeps and the rule by which it steps, in
/// one table. Names, defaults and the order of operations are PyTorch's.
#ifndef MPC_DIALECTS_AMP_OPTIMIZERS_H
#define MPC_DIALECTS_AMP_OPTIMIZERS_H

#include "dialects/Interfaces/Fp.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mpc::amp {

/// A name with a value: a hyper-parameter's default, a state's first value.
struct NamedNumber {
  llvm::StringRef name;
  double value;
};

/// The entries of `numbers`, which are f64, in its order.
llvm::SmallVector<NamedNumber> numbersOf(mlir::DictionaryAttr numbers);

/// Which types of 16 bits a slot may be kept in.
enum class SlotTypes {
  All,   ///< Moves weights linearly: errors average out.
  BF16,  ///< Is divided by, and holds squares: f16 lacks the range.
  Single ///< None: the rule subtracts what is nearly equal.
};

/// A tensor that an optimizer keeps for each parameter.
struct OptimizerSlot {
  llvm::StringRef name;
  llvm::StringRef flag = "";    ///< Kept only with this flag.
  llvm::StringRef initial = ""; ///< Hyper-parameter it starts with, else 0.
  SlotTypes types = SlotTypes::All;
};

/// Which flags are set.
class Flags {
public:
  explicit Flags(mlir::ArrayAttr flags) : flags_(flags) {}
  [[nodiscard]] bool has(llvm::StringRef flag) const;

private:
  mlir::ArrayAttr flags_;
};

/// The scalars of a body, by name.
class Scalars {
public:
  explicit Scalars(Flags flags) : flags_(flags) {}
  Fp &operator[](llvm::StringRef name) { return values_[name]; }
  [[nodiscard]] bool has(llvm::StringRef flag) const {
    return flags_.has(flag);
  }

private:
  llvm::StringMap<Fp> values_;
  Flags flags_;
};

struct Optimizer {
  llvm::StringRef name;
  /// With defaults; all but the learning rate, which is an input of a step.
  llvm::ArrayRef<NamedNumber> hypers;
  llvm::ArrayRef<llvm::StringRef> flags;
  llvm::ArrayRef<OptimizerSlot> slots;
  /// f64, shared by all parameters.
  llvm::ArrayRef<NamedNumber> state;
  /// What `prepare` makes for `update`.
  llvm::ArrayRef<llvm::StringRef> scalars;
  /// Once a step, in f64: has "lr", state and hyper-parameters by name, and in
  /// "applied" how many steps were applied before; overwrites the state and
  /// sets every one of `scalars`.
  void (*prepare)(Scalars &);
  /// Once an element, in f32: has "gradient", "parameter", the slots and
  /// `scalars`; overwrites parameter and slots. `decay` says whether the
  /// parameter sees weight decay. Null where whoever runs the step updates the
  /// parameters: the step then yields their gradients.
  void (*update)(Scalars &, bool decay) = nullptr;
  /// `update` sets "direction" in place of the parameter, which then moves by
  /// -lr * direction * |parameter| / |direction|, norms of whole tensors.
  bool trustRatio = false;
  /// Clips as Keras does: to max / maximum(norm, max).
  bool clipsLikeKeras = false;

  /// In the system that the rule is from, slots are there before the first
  /// gradient, also those of parameters that never have one.
  bool slotsFromStart = false;

  [[nodiscard]] bool isCallback() const { return !update; }
  [[nodiscard]] bool hasHyper(llvm::StringRef name) const;
  /// The flags that keep the state of a hyper-parameter of their name, where
  /// `hyper` has that, and not 0: without momentum no velocity is kept.
  [[nodiscard]] llvm::SmallVector<llvm::StringRef>
  flagsOf(mlir::DictionaryAttr hyper) const;
  [[nodiscard]] llvm::SmallVector<OptimizerSlot> slotsFor(Flags flags) const;
  /// Why slots cannot be kept in `type`; empty where they can.
  [[nodiscard]] std::string refusal(mlir::Type type, Flags flags) const;
};

llvm::ArrayRef<Optimizer> allOptimizers();
/// Null where there is none of that name.
const Optimizer *findOptimizer(llvm::StringRef name);
/// "sgd, adam, ...".
std::string knownOptimizers();

/// Hyper-parameters that any optimizer may have: what is done to gradients and
/// parameters around its rule.
llvm::ArrayRef<llvm::StringRef> commonHypers();

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_OPTIMIZERS_H
