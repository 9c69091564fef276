// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adam and the rules made of it: adamw, adamax, lamb.
#include "dialects/AMP/Rules/Rules.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

//===----------------------------------------------------------------------===//
// adam, adamw
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kAdamHypers[] = {
    {"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-8}, {"weight_decay", 0.0}};
static constexpr NamedNumber kAdamWHypers[] = {
    {"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-8}, {"weight_decay", 0.01}};
static constexpr StringRef kAdamFlags[] = {"amsgrad", "maximize"};
static constexpr OptimizerSlot kAdamSlots[] = {
    {"exp_avg"},
    {.name = "exp_avg_sq", .types = SlotTypes::BF16},
    {.name = "max_exp_avg_sq", .flag = "amsgrad", .types = SlotTypes::BF16}};
static constexpr StringRef kAdamScalars[] = {
    "weight_decay",    "kept",        "new_weight1", "beta2", "new_weight2",
    "minus_step_size", "correction2", "eps"};

static void prepareAdam(Scalars &s) {
  advancePowers(s);
  s["kept"] = 1.0 - s["lr"] * s["weight_decay"];
  s["new_weight1"] = 1.0 - s["beta1"];
  s["new_weight2"] = 1.0 - s["beta2"];
  s["minus_step_size"] = -(s["lr"] / (1.0 - s["beta1_power"]));
  s["correction2"] = sqrt(1.0 - s["beta2_power"]);
}

static void updateMoments(Scalars &s, Fp g) {
  s["exp_avg"] = lerp(s["exp_avg"], g, s["new_weight1"]);
  s["exp_avg_sq"] = fma(s["new_weight2"] * g, g, s["exp_avg_sq"] * s["beta2"]);
  Fp square = s["exp_avg_sq"];
  if (s.has("amsgrad"))
    square = s["max_exp_avg_sq"] = maximum(s["max_exp_avg_sq"], square);
  Fp denominator = sqrt(square) / s["correction2"] + s["eps"];
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
// adamax
//===----------------------------------------------------------------------===//

static constexpr OptimizerSlot kAdamaxSlots[] = {
    {"exp_avg"}, {.name = "exp_inf", .types = SlotTypes::BF16}};
static constexpr NamedNumber kAdamaxState[] = {{"step", 0.0},
                                               {"beta1_power", 1.0}};
static constexpr StringRef kAdamaxScalars[] = {
    "weight_decay", "new_weight1", "beta2", "eps", "minus_step_size"};

static void prepareAdamax(Scalars &s) {
  s["step"] = s["step"] + 1.0;
  s["beta1_power"] = s["beta1_power"] * s["beta1"];
  s["new_weight1"] = 1.0 - s["beta1"];
  s["minus_step_size"] = -(s["lr"] / (1.0 - s["beta1_power"]));
}

static void updateAdamax(Scalars &s, bool decay) {
  Fp g = descentWithDecay(s, decay);
  s["exp_avg"] = lerp(s["exp_avg"], g, s["new_weight1"]);
  s["exp_inf"] = maximum(s["exp_inf"] * s["beta2"], abs(g) + s["eps"]);
  s["parameter"] =
      s["parameter"] + s["minus_step_size"] * s["exp_avg"] / s["exp_inf"];
}

//===----------------------------------------------------------------------===//
// lamb (You et al., 2020), as optax has it
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kLambHypers[] = {
    {"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-6}, {"weight_decay", 0.01}};
static constexpr OptimizerSlot kLambSlots[] = {
    {"exp_avg"}, {.name = "exp_avg_sq", .types = SlotTypes::BF16}};
static constexpr StringRef kLambScalars[] = {
    "lr",    "weight_decay", "beta1",       "new_weight1", "correction1",
    "beta2", "new_weight2",  "correction2", "eps"};

static void prepareLamb(Scalars &s) {
  advancePowers(s);
  s["new_weight1"] = 1.0 - s["beta1"];
  s["new_weight2"] = 1.0 - s["beta2"];
  s["correction1"] = 1.0 - s["beta1_power"];
  s["correction2"] = 1.0 - s["beta2_power"];
}

static void updateLamb(Scalars &s, bool decay) {
  Fp g = descent(s);
  s["exp_avg"] = s["new_weight1"] * g + s["beta1"] * s["exp_avg"];
  s["exp_avg_sq"] = s["new_weight2"] * (g * g) + s["beta2"] * s["exp_avg_sq"];
  Fp mean = s["exp_avg"] / s["correction1"];
  Fp square = s["exp_avg_sq"] / s["correction2"];
  Fp direction = mean / (sqrt(square) + s["eps"]);
  s["direction"] =
      decay ? direction + s["weight_decay"] * s["parameter"] : direction;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr Optimizer kOptimizers[] = {
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
    {.name = "adamax",
     .hypers = kAdamHypers,
     .flags = kMaximize,
     .slots = kAdamaxSlots,
     .state = kAdamaxState,
     .scalars = kAdamaxScalars,
     .prepare = prepareAdamax,
     .update = updateAdamax},
    {.name = "lamb",
     .hypers = kLambHypers,
     .flags = kMaximize,
     .slots = kLambSlots,
     .state = kAdamState,
     .scalars = kLambScalars,
     .prepare = prepareLamb,
     .update = updateLamb,
     .trustRatio = true,
     .slotsFromStart = true},
};

ArrayRef<Optimizer> mpc::amp::adamOptimizers() { return kOptimizers; }
