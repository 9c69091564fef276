// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizers' rules.
#include "dialects/AMP/Optimizers.h"

#include "dialects/AMP/RandomState.h"

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

bool Optimizer::hasHyper(StringRef name) const {
  return llvm::any_of(
      hypers, [&](const NamedNumber &hyper) { return hyper.name == name; });
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

/// The gradient to descend along. Every rule starts with it.
static Fp descent(Scalars &s) {
  return s.has("maximize") ? -s["gradient"] : s["gradient"];
}

/// The gradient with L2 weight decay.
static Fp descentWithDecay(Scalars &s, bool decay) {
  Fp g = descent(s);
  return decay ? fma(s["weight_decay"], s["parameter"], g) : g;
}

// PyTorch's kernels add a multiple by a fused operation, so these rules do too.
static Fp lerp(Fp from, Fp to, Fp weight) {
  return fma(weight, to - from, from);
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
  Fp applied = s["applied"];
  s["first"] =
      select(equal(applied, 0.0), applied.constant(1.0), applied.constant(0.0));
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
// adamax, adagrad, rmsprop
//===----------------------------------------------------------------------===//

static constexpr StringRef kMaximize[] = {"maximize"};
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

static constexpr NamedNumber kAdagradHypers[] = {
    {"lr_decay", 0.0},
    {"weight_decay", 0.0},
    {"initial_accumulator_value", 0.0},
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
    {"alpha", 0.99}, {"eps", 1e-8}, {"weight_decay", 0.0}, {"momentum", 0.0}};
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

/// `x` rounded to f32, in f64. An operation on such values that is rounded
/// again equals the operation in f32.
static Fp toSingle(Fp x) {
  return x.as(x.b->getF32Type()).as(x.b->getF64Type());
}

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
// callback
//===----------------------------------------------------------------------===//

/// Only counts steps: a function of the embedding program updates the
/// parameters.
static void prepareCallback(Scalars &s) { s["step"] = s["step"] + 1.0; }

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
    {.name = "adamax",
     .hypers = kAdamHypers,
     .flags = kMaximize,
     .slots = kAdamaxSlots,
     .state = kAdamaxState,
     .scalars = kAdamaxScalars,
     .prepare = prepareAdamax,
     .update = updateAdamax},
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
    {.name = "callback",
     .hypers = {},
     .flags = {},
     .slots = {},
     .state = kStep,
     .scalars = {},
     .prepare = prepareCallback},
};

ArrayRef<Optimizer> mpc::amp::allOptimizers() { return kOptimizers; }

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
