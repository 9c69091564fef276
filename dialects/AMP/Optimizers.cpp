// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizers' rules.
#include "dialects/AMP/Optimizers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc::amp;

bool Flags::has(StringRef flag) const {
  return llvm::any_of(flags.getAsRange<StringAttr>(),
                      [&](StringAttr attr) { return attr == flag; });
}

SmallVector<OptimizerSlot> Optimizer::slotsFor(Flags set) const {
  return llvm::filter_to_vector(slots, [&](const OptimizerSlot &slot) {
    return slot.flag.empty() || set.has(slot.flag);
  });
}

/// What every rule starts with: the gradient to descend.
static Scalar descent(Scalars &s) {
  return s.has("maximize") ? -s["gradient"] : s["gradient"];
}

/// The gradient with L2 weight decay.
static Scalar descentWithDecay(Scalars &s, bool decay) {
  Scalar g = descent(s);
  return decay ? g + s["weight_decay"] * s["parameter"] : g;
}

static Scalar lerp(Scalar from, Scalar to, Scalar weight) {
  return from + weight * (to - from);
}

//===----------------------------------------------------------------------===//
// sgd
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kSgdHypers[] = {
    {"momentum", 0.0}, {"dampening", 0.0}, {"weight_decay", 0.0}};
static constexpr StringRef kSgdFlags[] = {"momentum", "nesterov", "maximize"};
static constexpr OptimizerSlot kSgdSlots[] = {{"momentum_buffer", "momentum"}};
static constexpr NamedNumber kStep[] = {{"step", 0.0}};
static constexpr StringRef kSgdScalars[] = {"lr", "momentum", "undamped",
                                            "weight_decay", "first"};

static void prepareSgd(Scalars &s) {
  Scalar step = s["step"];
  s["first"] =
      select(step.isEqualTo(0.0), step.literal(1.0), step.literal(0.0));
  s["undamped"] = 1.0 - s["dampening"];
  s["step"] = step + 1.0;
}

static void updateSgd(Scalars &s, bool decay) {
  Scalar g = descentWithDecay(s, decay);
  if (s.has("momentum")) {
    // The first velocity is the gradient itself, undamped.
    Scalar old = s["momentum_buffer"];
    Scalar next = old * s["momentum"] + s["undamped"] * g;
    Scalar buffer = select(s["first"].isEqualTo(1.0), g, next);
    s["momentum_buffer"] = buffer;
    g = s.has("nesterov") ? g + s["momentum"] * buffer : buffer;
  }
  s["parameter"] = s["parameter"] - s["lr"] * g;
}

//===----------------------------------------------------------------------===//
// adam, adamw
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kAdamHypers[] = {
    {"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-8}, {"weight_decay", 0.0}};
static constexpr NamedNumber kAdamWHypers[] = {
    {"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-8}, {"weight_decay", 0.01}};
static constexpr StringRef kAdamFlags[] = {"amsgrad", "maximize"};
static constexpr OptimizerSlot kAdamSlots[] = {
    {"exp_avg"}, {"exp_avg_sq"}, {"max_exp_avg_sq", "amsgrad"}};
static constexpr NamedNumber kAdamState[] = {
    {"step", 0.0}, {"beta1_power", 1.0}, {"beta2_power", 1.0}};
static constexpr StringRef kAdamScalars[] = {
    "weight_decay",    "kept",        "new_weight1", "beta2", "new_weight2",
    "minus_step_size", "correction2", "eps"};

static void advancePowers(Scalars &s) {
  s["step"] = s["step"] + 1.0;
  s["beta1_power"] = s["beta1_power"] * s["beta1"];
  s["beta2_power"] = s["beta2_power"] * s["beta2"];
}

static void prepareAdam(Scalars &s) {
  advancePowers(s);
  s["kept"] = 1.0 - s["lr"] * s["weight_decay"];
  s["new_weight1"] = 1.0 - s["beta1"];
  s["new_weight2"] = 1.0 - s["beta2"];
  s["minus_step_size"] = -(s["lr"] / (1.0 - s["beta1_power"]));
  s["correction2"] = squareRoot(1.0 - s["beta2_power"]);
}

static void updateMoments(Scalars &s, Scalar g) {
  s["exp_avg"] = lerp(s["exp_avg"], g, s["new_weight1"]);
  s["exp_avg_sq"] = s["exp_avg_sq"] * s["beta2"] + s["new_weight2"] * g * g;
  Scalar square = s["exp_avg_sq"];
  if (s.has("amsgrad"))
    square = s["max_exp_avg_sq"] = maximum(s["max_exp_avg_sq"], square);
  Scalar denominator = squareRoot(square) / s["correction2"] + s["eps"];
  s["parameter"] =
      s["parameter"] + s["minus_step_size"] * s["exp_avg"] / denominator;
}

static void updateAdam(Scalars &s, bool decay) {
  updateMoments(s, descentWithDecay(s, decay));
}

static void updateAdamW(Scalars &s, bool decay) {
  if (decay)
    s["parameter"] = s["parameter"] * s["kept"];
  updateMoments(s, descent(s));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr Optimizer kOptimizers[] = {
    {.name = "sgd",
     .hypers = kSgdHypers,
     .flags = kSgdFlags,
     .slots = kSgdSlots,
     .state = kStep,
     .scalars = kSgdScalars,
     .prepare = prepareSgd,
     .update = updateSgd},
    {.name = "adam",
     .hypers = kAdamHypers,
     .flags = kAdamFlags,
     .slots = kAdamSlots,
     .state = kAdamState,
     .scalars = kAdamScalars,
     .prepare = prepareAdam,
     .update = updateAdam},
    {.name = "adamw",
     .hypers = kAdamWHypers,
     .flags = kAdamFlags,
     .slots = kAdamSlots,
     .state = kAdamState,
     .scalars = kAdamScalars,
     .prepare = prepareAdam,
     .update = updateAdamW},
};

const Optimizer *mpc::amp::findOptimizer(StringRef name) {
  for (const Optimizer &optimizer : kOptimizers)
    if (optimizer.name == name)
      return &optimizer;
  return nullptr;
}

std::string mpc::amp::knownOptimizers() {
  return llvm::join(llvm::map_range(kOptimizers,
                                    [](const Optimizer &optimizer) {
                                      return optimizer.name.str();
                                    }),
                    ", ");
}

ArrayRef<StringRef> mpc::amp::clipHypers() {
  static constexpr StringRef kNames[] = {"clip_global_norm", "clip_norm",
                                         "clip_value"};
  return kNames;
}
