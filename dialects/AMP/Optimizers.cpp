// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizers of all families, by name.
#include "dialects/AMP/Optimizers.h"

#include "dialects/AMP/RandomState.h"
#include "dialects/AMP/Rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

SmallVector<NamedNumber> mpc::amp::numbersOf(DictionaryAttr numbers) {
  return llvm::map_to_vector(
      numbers.getValue(), [](NamedAttribute entry) -> NamedNumber {
        return {entry.getName().getValue(),
                cast<FloatAttr>(entry.getValue()).getValueAsDouble()};
      });
}

bool Flags::has(StringRef flag) const {
  return llvm::any_of(flags_.getAsRange<StringAttr>(),
                      [&](StringAttr attr) { return attr == flag; });
}

const NamedNumber *Optimizer::findHyper(StringRef name) const {
  const auto *found = llvm::find_if(
      hypers, [&](const NamedNumber &hyper) { return hyper.name == name; });
  return found == hypers.end() ? nullptr : found;
}

SmallVector<StringRef> Optimizer::flagsOf(DictionaryAttr hyper) const {
  return llvm::filter_to_vector(flags, [&](StringRef flag) {
    auto number = hyper.getAs<FloatAttr>(flag);
    return number && number.getValueAsDouble() != 0.0;
  });
}

SmallVector<OptimizerSlot> Optimizer::slotsFor(Flags set) const {
  return llvm::filter_to_vector(slots, [&](const OptimizerSlot &slot) {
    return slot.flag.empty() || set.has(slot.flag);
  });
}

std::string Optimizer::refusal(Type type, Flags set) const {
  if (type.isF32())
    return "";
  if (!type.isBF16() && !type.isF16())
    return "slots are kept in f32, bf16 or f16";
  for (const OptimizerSlot &slot : slotsFor(set)) {
    std::string start = ("slot '" + slot.name + "' of " + name).str();
    if (slot.types == SlotTypes::Single)
      return start + " is squared and taken from another: the difference of "
                     "16-bit slots may be negative, and its root NaN; keep "
                     "them in f32";
    if (slot.types == SlotTypes::BF16 && type.isF16())
      return start + " is divided by, and small gradients make it 0 in f16, "
                     "whose least number is 6e-08; keep slots in bf16";
  }
  return "";
}

/// Only counts steps: a function of the embedding program updates the
/// parameters.
static void prepareCallback(Scalars &s) { s["step"] = s["step"] + 1.0; }

static constexpr Optimizer kCallback = {.name = "callback",
                                        .hypers = {},
                                        .flags = {},
                                        .slots = {},
                                        .state = kStep,
                                        .scalars = {},
                                        .prepare = prepareCallback};

SmallVector<const Optimizer *> mpc::amp::allOptimizers() {
  SmallVector<const Optimizer *> all;
  for (ArrayRef<Optimizer> family :
       {descentOptimizers(), adamOptimizers(), kerasOptimizers()})
    for (const Optimizer &optimizer : family)
      all.push_back(&optimizer);
  all.push_back(&kCallback);
  return all;
}

const Optimizer *mpc::amp::findOptimizer(StringRef name) {
  for (const Optimizer *optimizer : allOptimizers())
    if (optimizer->name == name)
      return optimizer;
  return nullptr;
}

std::string mpc::amp::knownOptimizers() {
  return llvm::join(llvm::map_range(allOptimizers(),
                                    [](const Optimizer *optimizer) {
                                      return optimizer->name.str();
                                    }),
                    ", ");
}

ArrayRef<StringRef> mpc::amp::commonHypers() {
  static constexpr StringRef kNames[] = {"clip_global_norm",
                                         "clip_norm",
                                         "clip_value",
                                         "larc_eta",
                                         "larc_min_update",
                                         "larc_eps",
                                         "larc_weight_decay",
                                         "l1",
                                         "l2",
                                         "ema_decay",
                                         "rounding_seed",
                                         kRandomSeed};
  return kNames;
}
