// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of Keras.
#include "dialects/AMP/Rules/Rules.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

//===----------------------------------------------------------------------===//
// Keras' sgd, adam, adamw: momentum is a velocity, epsilon is outside of the
// bias correction, decay is decoupled
//===----------------------------------------------------------------------===//

static constexpr NamedNumber kKerasSgdHypers[] = {{"momentum", 0.0},
                                                  {"weight_decay", 0.0}};
static constexpr StringRef kKerasSgdFlags[] = {"momentum", "nesterov"};
static constexpr OptimizerSlot kKerasSgdSlots[] = {{"momentum", "momentum"}};
static constexpr StringRef kKerasSgdScalars[] = {"lr", "momentum_factor",
                                                 "kept"};

static void prepareKerasSgd(Scalars &s) {
  s["step"] = s["step"] + 1.0;
  s["kept"] = 1.0 - s["lr"] * s["weight_decay"];
  s["momentum_factor"] = s["momentum"];
}

static void updateKerasSgd(Scalars &s, bool decay) {
  if (decay)
    s["parameter"] = s["parameter"] * s["kept"];
  Fp move = -(s["lr"] * s["gradient"]);
  if (s.has("momentum")) {
    Fp gradientMove = move;
    s["momentum"] = s["momentum"] * s["momentum_factor"] + move;
    move = s.has("nesterov")
               ? s["momentum"] * s["momentum_factor"] + gradientMove
               : s["momentum"];
  }
  s["parameter"] = s["parameter"] + move;
}

static constexpr NamedNumber kKerasAdamHypers[] = {
    {"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-7}, {"weight_decay", 0.0}};
static constexpr NamedNumber kKerasAdamWHypers[] = {
    {"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-7}, {"weight_decay", 0.004}};
static constexpr StringRef kAmsgrad[] = {"amsgrad"};
static constexpr OptimizerSlot kKerasAdamSlots[] = {
    {"m"},
    {.name = "v", .types = SlotTypes::BF16},
    {.name = "vhat", .flag = "amsgrad", .types = SlotTypes::BF16}};
static constexpr StringRef kKerasAdamScalars[] = {
    "lr", "weight_decay", "new_weight1", "new_weight2", "step_size", "eps"};

/// Keras computes 1 - beta in f64, but the powers of beta and all that follows
/// from them in f32. So 1 - beta2^t differs from its value in f64.
static void prepareKerasAdam(Scalars &s) {
  s["new_weight1"] = 1.0 - s["beta1"];
  s["new_weight2"] = 1.0 - s["beta2"];
  s["beta1"] = toSingle(s["beta1"]);
  s["beta2"] = toSingle(s["beta2"]);
  advancePowers(s);
  Fp lr = toSingle(s["lr"]);
  Fp debias1 = toSingle(1.0 - toSingle(s["beta1_power"]));
  Fp debias2 = toSingle(1.0 - toSingle(s["beta2_power"]));
  s["step_size"] = toSingle(toSingle(lr * toSingle(sqrt(debias2))) / debias1);
}

static void updateKerasAdam(Scalars &s, bool decay) {
  if (decay)
    s["parameter"] =
        s["parameter"] - s["parameter"] * s["weight_decay"] * s["lr"];
  Fp g = s["gradient"];
  s["m"] = s["m"] + (g - s["m"]) * s["new_weight1"];
  s["v"] = s["v"] + (g * g - s["v"]) * s["new_weight2"];
  Fp square = s["v"];
  if (s.has("amsgrad"))
    square = s["vhat"] = maximum(s["vhat"], square);
  s["parameter"] =
      s["parameter"] - s["m"] * s["step_size"] / (sqrt(square) + s["eps"]);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

ArrayRef<Optimizer> mpc::amp::kerasOptimizers() {
  static constexpr Optimizer optimizers[] = {
      {.name = "keras-sgd",
       .hypers = kKerasSgdHypers,
       .flags = kKerasSgdFlags,
       .slots = kKerasSgdSlots,
       .state = kStep,
       .scalars = kKerasSgdScalars,
       .prepare = prepareKerasSgd,
       .update = updateKerasSgd,
       .clipsLikeKeras = true,
       .slotsFromStart = true},
      {.name = "keras-adam",
       .hypers = kKerasAdamHypers,
       .flags = kAmsgrad,
       .slots = kKerasAdamSlots,
       .state = kAdamState,
       .scalars = kKerasAdamScalars,
       .prepare = prepareKerasAdam,
       .update = updateKerasAdam,
       .clipsLikeKeras = true,
       .slotsFromStart = true},
      {.name = "keras-adamw",
       .hypers = kKerasAdamWHypers,
       .flags = kAmsgrad,
       .slots = kKerasAdamSlots,
       .state = kAdamState,
       .scalars = kKerasAdamScalars,
       .prepare = prepareKerasAdam,
       .update = updateKerasAdam,
       .clipsLikeKeras = true,
       .slotsFromStart = true},
  };
  return optimizers;
}
