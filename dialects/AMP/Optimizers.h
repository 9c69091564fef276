// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The optimizers as rows of tables: the state that each keeps and the rule by
/// which it steps. Names, defaults and the order of operations are PyTorch's.
/// The rows stand in Rules, by families.
#ifndef MPC_DIALECTS_AMP_OPTIMIZERS_H
#define MPC_DIALECTS_AMP_OPTIMIZERS_H

#include "dialects/AMP/Clauses.h"
#include "dialects/Interfaces/Fp.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mpc::amp {

/// A name with a value: a hyper-parameter and its default, or a state and its
/// first value.
struct NamedNumber {
  llvm::StringRef name;
  double value;
  /// Which numbers a hyper-parameter may be, where no flag of its own says so.
  NumberRange range = NumberRange::Any;
};

/// The entries of `numbers`, which are f64, in the attribute's order.
llvm::SmallVector<NamedNumber> numbersOf(mlir::DictionaryAttr numbers);

/// The types of 16 bits in which a slot may be kept.
enum class SlotTypes {
  /// f16 and bf16: weights move linearly with the slot, so that errors average
  /// out.
  All,
  /// bf16 alone: the slot is a divisor and holds squares, for which f16 lacks
  /// the range.
  BF16,
  Single ///< Neither: the rule subtracts nearly equal values.
};

/// A tensor that an optimizer keeps for each parameter.
struct OptimizerSlot {
  llvm::StringRef name;
  /// The flag without which the slot is not kept; empty for none.
  llvm::StringRef flag = "";
  /// The hyper-parameter that is its first value; empty for 0.
  llvm::StringRef initial = "";
  SlotTypes types = SlotTypes::All;
};

/// The flags that are set.
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
  /// The hyper-parameters with their defaults. The learning rate is not among
  /// them: it is an input of a step.
  llvm::ArrayRef<NamedNumber> hypers;
  llvm::ArrayRef<llvm::StringRef> flags;
  llvm::ArrayRef<OptimizerSlot> slots;
  /// The scalar state, f64, which all parameters share.
  llvm::ArrayRef<NamedNumber> state;
  /// Whether an entry of `state` follows from the number of steps alone, as
  /// `beta1_power`. PyTorch keeps every other for each parameter.
  [[nodiscard]] static bool followsFromSteps(llvm::StringRef entry) {
    return entry.ends_with("_power");
  }
  /// The scalars that `prepare` computes for `update`.
  llvm::ArrayRef<llvm::StringRef> scalars;
  /// Runs once a step, in f64. It has "lr", state and hyper-parameters by name,
  /// and in "applied" the number of steps applied before. It overwrites the
  /// state and sets every one of `scalars`.
  void (*prepare)(Scalars &);
  /// Runs once an element, in f32. It has "gradient", "parameter", the slots
  /// and `scalars`, and overwrites parameter and slots. `decay` says whether
  /// the parameter sees weight decay. Null where the caller of the step updates
  /// the parameters: the step then yields their gradients.
  void (*update)(Scalars &, bool decay) = nullptr;
  /// `update` sets "direction" in place of the parameter. The parameter then
  /// moves by -lr * direction * |parameter| / |direction|, with norms of whole
  /// tensors.
  bool trustRatio = false;
  /// Whether the state holds a learning rate, which all parameters share.
  bool keepsRate = false;
  /// Whether clipping works as in Keras: to max / maximum(norm, max).
  bool clipsLikeKeras = false;

  /// Whether the system that the rule comes from makes slots before the first
  /// gradient, also for parameters that never get one.
  bool slotsFromStart = false;

  [[nodiscard]] bool isCallback() const { return !update; }
  /// The hyper-parameter of that name; null where there is none.
  [[nodiscard]] const NamedNumber *findHyper(llvm::StringRef name) const;
  [[nodiscard]] bool hasHyper(llvm::StringRef name) const {
    return findHyper(name) != nullptr;
  }
  /// The flags named like a hyper-parameter that `hyper` gives and that is not
  /// 0. Such a flag keeps the hyper-parameter's state: without momentum there
  /// is no velocity.
  [[nodiscard]] llvm::SmallVector<llvm::StringRef>
  flagsOf(mlir::DictionaryAttr hyper) const;
  [[nodiscard]] llvm::SmallVector<OptimizerSlot> slotsFor(Flags flags) const;
  /// Why slots cannot be kept in `type`; empty where they can.
  [[nodiscard]] std::string refusal(mlir::Type type, Flags flags) const;
};

/// In the order in which they are listed.
llvm::SmallVector<const Optimizer *> allOptimizers();
/// The optimizer of that name; null where there is none.
const Optimizer *findOptimizer(llvm::StringRef name);
/// "sgd, adam, ...".
std::string knownOptimizers();

/// Hyper-parameters that any optimizer may have. They change gradients and
/// parameters around its rule.
llvm::ArrayRef<llvm::StringRef> commonHypers();

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_OPTIMIZERS_H
