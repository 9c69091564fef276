// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adam and the rules made of it: adamw, adamax, nadam, radam, lion, lamb.
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
// nadam, radam
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kNadamHypers[] = {
    {"beta1", 0.9},
    {"beta2", 0.999},
    {"eps", 1e-8},
    {"weight_decay", 0.0},
    {"momentum_decay", 4e-3, NumberRange::NonNegative}};
static constexpr StringRef kDecoupledFlags[] = {"decoupled_weight_decay",
                                                "maximize"};
static constexpr OptimizerSlot kNadamSlots[] = {
    {"exp_avg"}, {.name = "exp_avg_sq", .types = SlotTypes::BF16}};
static constexpr NamedNumber kNadamState[] = {
    {"step", 0.0}, {"beta2_power", 1.0}, {"mu_product", 1.0}};
static constexpr StringRef kNadamScalars[] = {
    "weight_decay", "kept", "new_weight1",   "beta2",    "new_weight2",
    "correction2",  "eps",  "gradient_rate", "mean_rate"};

/// The momentum of a step: it grows towards beta1.
static Fp momentumOf(Scalars &s, Fp step) {
  Fp falling = power(step.constant(0.96), step * s["momentum_decay"]);
  return s["beta1"] * (1.0 - falling * 0.5);
}

static void prepareNadam(Scalars &s) {
  s["step"] = s["step"] + 1.0;
  s["beta2_power"] = s["beta2_power"] * s["beta2"];
  Fp mu = momentumOf(s, s["step"]), next = momentumOf(s, s["step"] + 1.0);
  // PyTorch keeps the product as a tensor of f32.
  s["mu_product"] = toSingle(s["mu_product"] * toSingle(mu));
  s["kept"] = 1.0 - s["lr"] * s["weight_decay"];
  s["new_weight1"] = 1.0 - s["beta1"];
  s["new_weight2"] = 1.0 - s["beta2"];
  s["correction2"] = 1.0 - s["beta2_power"];
  s["gradient_rate"] = -s["lr"] * (1.0 - mu) / (1.0 - s["mu_product"]);
  s["mean_rate"] = -s["lr"] * next / (1.0 - s["mu_product"] * next);
}

/// Weight decay, decoupled or not; yields the gradient.
static Fp decayedBySwitch(Scalars &s, bool decay) {
  if (!s.has("decoupled_weight_decay"))
    return descentWithDecay(s, decay);
  if (decay)
    s["parameter"] = s["parameter"] * s["kept"];
  return descent(s);
}

static void updateNadam(Scalars &s, bool decay) {
  Fp g = decayedBySwitch(s, decay);
  s["exp_avg"] = lerp(s["exp_avg"], g, s["new_weight1"]);
  s["exp_avg_sq"] = fma(s["new_weight2"] * g, g, s["exp_avg_sq"] * s["beta2"]);
  Fp denominator = sqrt(s["exp_avg_sq"] / s["correction2"]) + s["eps"];
  s["parameter"] = s["parameter"] + s["gradient_rate"] * g / denominator;
  s["parameter"] = s["parameter"] + s["mean_rate"] * s["exp_avg"] / denominator;
}

static constexpr StringRef kRadamScalars[] = {
    "lr",          "weight_decay",  "kept",        "new_weight1",
    "correction1", "beta2",         "new_weight2", "correction2",
    "eps",         "rectification", "is_rectified"};

/// The variance of the rate is rectified once the moving average that the
/// second moment approximates is longer than 5 steps.
static void prepareRadam(Scalars &s) {
  advancePowers(s);
  s["kept"] = 1.0 - s["lr"] * s["weight_decay"];
  s["new_weight1"] = 1.0 - s["beta1"];
  s["new_weight2"] = 1.0 - s["beta2"];
  s["correction1"] = 1.0 - s["beta1_power"];
  Fp correction2 = 1.0 - s["beta2_power"];
  s["correction2"] = sqrt(correction2);
  Fp limit = 2.0 / s["new_weight2"] - 1.0;
  Fp length = limit - s["step"] * 2.0 * s["beta2_power"] / correction2;
  Condition isLong = greater(length, 5.0);
  s["rectification"] = sqrt((length - 4.0) * (length - 2.0) * limit /
                            ((limit - 4.0) * (limit - 2.0) * length));
  s["is_rectified"] = select(isLong, 1.0, length.constant(0.0));
}

static void updateRadam(Scalars &s, bool decay) {
  Fp g = decayedBySwitch(s, decay);
  s["exp_avg"] = lerp(s["exp_avg"], g, s["new_weight1"]);
  s["exp_avg_sq"] = fma(s["new_weight2"] * g, g, s["exp_avg_sq"] * s["beta2"]);
  Fp move = s["exp_avg"] / s["correction1"] * s["lr"];
  // PyTorch divides a number by a tensor by the tensor's reciprocal.
  Fp adaptive = 1.0 / (sqrt(s["exp_avg_sq"]) + s["eps"]) * s["correction2"];
  Fp rectified = move * adaptive * s["rectification"];
  s["parameter"] =
      s["parameter"] - select(equal(s["is_rectified"], 1.0), rectified, move);
}

//===----------------------------------------------------------------------===//
// lion (Chen et al., 2023, program 1)
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kLionHypers[] = {
    {"beta1", 0.9}, {"beta2", 0.99}, {"weight_decay", 0.0}};
static constexpr OptimizerSlot kLionSlots[] = {{"exp_avg"}};
static constexpr StringRef kLionScalars[] = {
    "minus_lr", "kept", "beta1", "new_weight1", "beta2", "new_weight2"};

static void prepareLion(Scalars &s) {
  s["step"] = s["step"] + 1.0;
  s["minus_lr"] = -s["lr"];
  s["kept"] = 1.0 - s["lr"] * s["weight_decay"];
  s["new_weight1"] = 1.0 - s["beta1"];
  s["new_weight2"] = 1.0 - s["beta2"];
}

/// Only the sign of what an element descends along counts.
static void updateLion(Scalars &s, bool decay) {
  Fp g = descent(s);
  if (decay)
    s["parameter"] = s["parameter"] * s["kept"];
  Fp direction = fma(s["new_weight1"], g, s["exp_avg"] * s["beta1"]);
  s["parameter"] = fma(s["minus_lr"], sign(direction), s["parameter"]);
  s["exp_avg"] = fma(s["new_weight2"], g, s["exp_avg"] * s["beta2"]);
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

ArrayRef<Optimizer> mpc::amp::adamOptimizers() {
  static constexpr Optimizer optimizers[] = {
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
      {.name = "nadam",
       .hypers = kNadamHypers,
       .flags = kDecoupledFlags,
       .slots = kNadamSlots,
       .state = kNadamState,
       .scalars = kNadamScalars,
       .prepare = prepareNadam,
       .update = updateNadam},
      {.name = "radam",
       .hypers = kAdamHypers,
       .flags = kDecoupledFlags,
       .slots = kNadamSlots,
       .state = kAdamState,
       .scalars = kRadamScalars,
       .prepare = prepareRadam,
       .update = updateRadam},
      {.name = "lion",
       .hypers = kLionHypers,
       .flags = kMaximize,
       .slots = kLionSlots,
       .state = kStep,
       .scalars = kLionScalars,
       .prepare = prepareLion,
       .update = updateLion},
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
  return optimizers;
}
