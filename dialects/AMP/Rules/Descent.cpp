// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradient descent, plain (sgd, asgd) and with a rate of each element (adagrad,
// rmsprop, adadelta, rprop).
#include "dialects/AMP/Rules/Rules.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

//===----------------------------------------------------------------------===//
// sgd
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kSgdHypers[] = {
    {"momentum", 0.0}, {"dampening", 0.0}, {"weight_decay", 0.0}};
static constexpr StringRef kSgdFlags[] = {"momentum", "nesterov", "maximize"};
static constexpr OptimizerSlot kSgdSlots[] = {{"momentum_buffer", "momentum"}};
static constexpr StringRef kSgdScalars[] = {"lr", "momentum", "undamped",
                                            "weight_decay", "first"};

/// 1 in the first step that is applied, else 0.
static Fp firstOf(Scalars &s) {
  Fp applied = s["applied"];
  return select(equal(applied, 0.0), 1.0, applied.constant(0.0));
}

static void prepareSgd(Scalars &s) {
  s["first"] = firstOf(s);
  s["undamped"] = 1.0 - s["dampening"];
  s["step"] = s["step"] + 1.0;
}

static void updateSgd(Scalars &s, bool decay) {
  Fp g = descentWithDecay(s, decay);
  if (s.has("momentum")) {
    // The first velocity is the gradient itself, undamped.
    Fp old = s["momentum_buffer"];
    Fp next = fma(s["undamped"], g, old * s["momentum"]);
    Fp buffer = select(equal(s["first"], 1.0), g, next);
    s["momentum_buffer"] = buffer;
    g = s.has("nesterov") ? fma(s["momentum"], buffer, g) : buffer;
  }
  s["parameter"] = fma(-s["lr"], g, s["parameter"]);
}

//===----------------------------------------------------------------------===//
// asgd
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kAsgdHypers[] = {
    {"lambd", 1e-4, NumberRange::NonNegative},
    {"alpha", 0.75, NumberRange::NonNegative},
    {"t0", 1e6},
    {"weight_decay", 0.0}};
static constexpr OptimizerSlot kAsgdSlots[] = {{"ax"}};
static constexpr NamedNumber kAsgdState[] = {
    {"step", 0.0}, {"eta", 0.0}, {"mu", 1.0}};
static constexpr StringRef kAsgdScalars[] = {"weight_decay", "kept",
                                             "minus_eta", "averaged"};

/// A step uses the rate eta and the weight mu that the one before has set,
/// which PyTorch keeps as tensors of f32. The first rate is the learning rate.
static void prepareAsgd(Scalars &s) {
  Fp eta = select(equal(s["applied"], 0.0), s["lr"], s["eta"]);
  s["kept"] = 1.0 - s["lambd"] * eta;
  s["minus_eta"] = -eta;
  s["averaged"] = s["mu"];
  s["step"] = s["step"] + 1.0;
  Fp growth = s["lambd"] * s["lr"] * s["step"] + 1.0;
  s["eta"] = toSingle(s["lr"] / power(growth, s["alpha"]));
  Fp age = s["step"] - s["t0"];
  s["mu"] = toSingle(1.0 / maximum(age, age.constant(1.0)));
}

static void updateAsgd(Scalars &s, bool decay) {
  Fp g = descentWithDecay(s, decay);
  Fp w = fma(s["minus_eta"], g, s["parameter"] * s["kept"]);
  Fp average = s["ax"] + (w - s["ax"]) * s["averaged"];
  s["ax"] = select(equal(s["averaged"], 1.0), w, average);
  s["parameter"] = w;
}

//===----------------------------------------------------------------------===//
// adagrad, rmsprop, adadelta
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kAdagradHypers[] = {
    {"lr_decay", 0.0, NumberRange::NonNegative},
    {"weight_decay", 0.0},
    {"initial_accumulator_value", 0.0, NumberRange::NonNegative},
    {"eps", 1e-10}};
static constexpr OptimizerSlot kAdagradSlots[] = {
    {.name = "sum",
     .initial = "initial_accumulator_value",
     .types = SlotTypes::BF16}};
static constexpr StringRef kAdagradScalars[] = {"weight_decay", "eps",
                                                "minus_step_size"};

static void prepareAdagrad(Scalars &s) {
  s["minus_step_size"] = -(s["lr"] / (s["step"] * s["lr_decay"] + 1.0));
  s["step"] = s["step"] + 1.0;
}

static void updateAdagrad(Scalars &s, bool decay) {
  Fp g = descentWithDecay(s, decay);
  s["sum"] = fma(g, g, s["sum"]);
  s["parameter"] =
      s["parameter"] + s["minus_step_size"] * g / (sqrt(s["sum"]) + s["eps"]);
}

static constexpr NamedNumber kRmspropHypers[] = {
    {"alpha", 0.99, NumberRange::NonNegative},
    {"eps", 1e-8},
    {"weight_decay", 0.0},
    {"momentum", 0.0}};
static constexpr StringRef kRmspropFlags[] = {"momentum", "centered",
                                              "maximize"};
static constexpr OptimizerSlot kRmspropSlots[] = {
    {.name = "square_avg", .types = SlotTypes::BF16},
    {.name = "momentum_buffer", .flag = "momentum"},
    {.name = "grad_avg", .flag = "centered", .types = SlotTypes::Single}};
static constexpr StringRef kRmspropScalars[] = {
    "lr", "weight_decay", "alpha", "new_weight", "eps", "momentum"};

static void prepareRmsprop(Scalars &s) {
  s["step"] = s["step"] + 1.0;
  s["new_weight"] = 1.0 - s["alpha"];
}

static void updateRmsprop(Scalars &s, bool decay) {
  Fp g = descentWithDecay(s, decay);
  s["square_avg"] = fma(s["new_weight"] * g, g, s["square_avg"] * s["alpha"]);
  Fp variance = s["square_avg"];
  if (s.has("centered")) {
    s["grad_avg"] = lerp(s["grad_avg"], g, s["new_weight"]);
    variance = fma(-s["grad_avg"], s["grad_avg"], variance);
  }
  Fp denominator = sqrt(variance) + s["eps"];
  if (!s.has("momentum")) {
    s["parameter"] = s["parameter"] - s["lr"] * g / denominator;
    return;
  }
  s["momentum_buffer"] = s["momentum_buffer"] * s["momentum"] + g / denominator;
  s["parameter"] = fma(-s["lr"], s["momentum_buffer"], s["parameter"]);
}

static constexpr NamedNumber kAdadeltaHypers[] = {
    {"rho", 0.9, NumberRange::Share}, {"eps", 1e-6}, {"weight_decay", 0.0}};
static constexpr OptimizerSlot kAdadeltaSlots[] = {
    {.name = "square_avg", .types = SlotTypes::BF16},
    {.name = "acc_delta", .types = SlotTypes::BF16}};
static constexpr StringRef kAdadeltaScalars[] = {"lr", "weight_decay", "rho",
                                                 "new_weight", "eps"};

static void prepareAdadelta(Scalars &s) {
  s["step"] = s["step"] + 1.0;
  s["new_weight"] = 1.0 - s["rho"];
}

static void updateAdadelta(Scalars &s, bool decay) {
  Fp g = descentWithDecay(s, decay);
  s["square_avg"] = fma(s["new_weight"] * g, g, s["square_avg"] * s["rho"]);
  Fp delta =
      sqrt(s["acc_delta"] + s["eps"]) / sqrt(s["square_avg"] + s["eps"]) * g;
  s["acc_delta"] =
      fma(s["new_weight"] * delta, delta, s["acc_delta"] * s["rho"]);
  s["parameter"] = fma(-s["lr"], delta, s["parameter"]);
}

//===----------------------------------------------------------------------===//
// rprop
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kRpropHypers[] = {
    {"etaminus", 0.5, NumberRange::Inside},
    {"etaplus", 1.2, NumberRange::Above1},
    {"step_size_min", 1e-6},
    {"step_size_max", 50.0}};
static constexpr OptimizerSlot kRpropSlots[] = {{"prev"}, {"step_size"}};
static constexpr StringRef kRpropScalars[] = {
    "lr", "first", "etaminus", "etaplus", "step_size_min", "step_size_max"};

static void prepareRprop(Scalars &s) {
  s["first"] = firstOf(s);
  s["step"] = s["step"] + 1.0;
}

/// Only signs of gradients count. The learning rate is the first step's size;
/// from then on an element's size grows while its gradient keeps its sign.
static void updateRprop(Scalars &s, bool /*decay*/) {
  Fp g = descent(s);
  Fp product = g * s["prev"];
  Condition hasTurned = less(product, 0.0);
  Fp factor = select(
      hasTurned, s["etaminus"],
      select(greater(product, 0.0), s["etaplus"], product.constant(1.0)));
  Fp size = select(equal(s["first"], 1.0), s["lr"], s["step_size"]) * factor;
  size = minimum(maximum(size, s["step_size_min"]), s["step_size_max"]);
  g = select(hasTurned, 0.0, g);
  s["parameter"] = s["parameter"] - sign(g) * size;
  s["step_size"] = size;
  s["prev"] = g;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

ArrayRef<Optimizer> mpc::amp::descentOptimizers() {
  static constexpr Optimizer optimizers[] = {
      {.name = "sgd",
       .hypers = kSgdHypers,
       .flags = kSgdFlags,
       .slots = kSgdSlots,
       .state = kStep,
       .scalars = kSgdScalars,
       .prepare = prepareSgd,
       .update = updateSgd},
      {.name = "asgd",
       .hypers = kAsgdHypers,
       .flags = kMaximize,
       .slots = kAsgdSlots,
       .state = kAsgdState,
       .scalars = kAsgdScalars,
       .prepare = prepareAsgd,
       .update = updateAsgd,
       .keepsRate = true},
      {.name = "adagrad",
       .hypers = kAdagradHypers,
       .flags = kMaximize,
       .slots = kAdagradSlots,
       .state = kStep,
       .scalars = kAdagradScalars,
       .prepare = prepareAdagrad,
       .update = updateAdagrad,
       .slotsFromStart = true},
      {.name = "rmsprop",
       .hypers = kRmspropHypers,
       .flags = kRmspropFlags,
       .slots = kRmspropSlots,
       .state = kStep,
       .scalars = kRmspropScalars,
       .prepare = prepareRmsprop,
       .update = updateRmsprop},
      {.name = "adadelta",
       .hypers = kAdadeltaHypers,
       .flags = kMaximize,
       .slots = kAdadeltaSlots,
       .state = kStep,
       .scalars = kAdadeltaScalars,
       .prepare = prepareAdadelta,
       .update = updateAdadelta},
      {.name = "rprop",
       .hypers = kRpropHypers,
       .flags = kMaximize,
       .slots = kRpropSlots,
       .state = kStep,
       .scalars = kRpropScalars,
       .prepare = prepareRprop,
       .update = updateRprop},
  };
  return optimizers;
}
