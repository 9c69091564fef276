// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The RECIPE flags.
#include "lib/Driver/Recipe.h"

#include "dialects/AMP/Optimizers.h"
#include "lib/Driver/OwnStep.h"
#include "passes/NN/AutocastPolicy.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::rt;
using namespace mpc::rt::flag_group;

/// A flag that takes the name of a precision, one of `names`.
template <typename Value>
static void addPrecisionFlag(CLI::App &app, const std::string &flag,
                             Value &value, const std::string &help,
                             const std::vector<std::string> &names) {
  app.add_option_function<std::string>(
         flag,
         [&value](const std::string &name) { value = *parsePrecision(name); },
         help)
      ->type_name(llvm::join(names, "|"))
      ->group(kPrecision)
      ->check(oneOf(names));
}

void mpc::addPrecisionFlags(CLI::App &app, PrecisionOptions &options) {
  std::vector<std::string> names = precisionNames(), types = names;
  types.pop_back(); // The outputs of a model are not mixed.
  addPrecisionFlag(app, "--precision", options.precision,
                   "Type of contractions and what they feed; mixed is fp16 "
                   "(default: fp32)",
                   names);
  app.add_option("--autocast-policy", options.policy,
                 "What runs in the low type: " + nn::knownAutocastPresets() +
                     ", or a file of rules (default: mpc)")
      ->type_name("NAME|FILE")
      ->group(kPrecision);
  app.add_option("--keep-fp32", options.keepFp32,
                 "Nodes and ops, by name, that stay in f32")
      ->type_name("REGEX")
      ->group(kPrecision);
  app.add_option("--lower", options.lower,
                 "Nodes and ops, by name, that run in the low type")
      ->type_name("REGEX")
      ->group(kPrecision);
  addPrecisionFlag(app, "--output-dtype", options.outputType,
                   "Type that the model's outputs are cast to, before a loss "
                   "is computed from them (default: as the model declares)",
                   types);
  app.add_flag("--cost-aware", options.costAware,
               "Leave a contraction in f32 where its casts cost more than the "
               "low type saves, as in small models")
      ->group(kPrecision);
  app.add_option_function<std::string>(
         "--weight-cast",
         [&options](const std::string &value) {
           options.saturateWeights = value == "saturate";
         },
         "Weights beyond the low type's range (65504 in fp16) are its largest "
         "number where they are computed with, or are rounded, to infinity "
         "(default: saturate)")
      ->type_name("saturate|round")
      ->group(kPrecision)
      ->check(oneOf({"saturate", "round"}));
}

static void addStrictCastsFlag(CLI::App &app, RecipeFlags &flags) {
  app.add_flag("--strict-casts", flags.strictCasts,
               "Keep every rounding, also inside of fused kernels. They are "
               "kept without this flag too")
      ->group(kPrecision);
}

static void addScalingFlags(CLI::App &app, RecipeFlags &flags) {
  app.add_option("--loss-scale", flags.lossScale,
                 "Policy: " + knownPolicies() +
                     " (default: dynamic for fp16, else none)")
      ->type_name("POLICY")
      ->group(kLossScaling);
  for (size_t i = 0; i < kNumSettings; ++i) {
    auto setting = static_cast<Setting>(i);
    app.add_option_function<double>(
           settingFlag(setting),
           [&flags, setting](double value) {
             flags.scaleSettings[setting] = value;
           },
           std::string(settingHelp(setting)))
        ->type_name("X")
        ->group(kLossScaling);
  }
  app.add_flag("--count-underflow", flags.countUnderflow,
               "Count the elements of 16-bit gradients that are zero or "
               "subnormal: the column underflow of --metrics")
      ->group(kLossScaling);
}

static void addHyperFlag(CLI::App &app, RecipeFlags &flags,
                         const std::string &flag, const std::string &name,
                         const std::string &help, CLI::Validator check) {
  app.add_option_function<double>(
         flag, [&flags, name](double value) { flags.hyper[name] = value; },
         help)
      ->type_name("X")
      ->group(kOptimizer)
      ->check(std::move(check));
}

/// A number around the optimizer's rule: hyper-parameter `name`.
struct StepNumber {
  const char *flag, *name, *help;
  double *value;
};

static void addStepNumber(CLI::App &app, RecipeFlags &flags,
                          const StepNumber &number, CLI::Validator check) {
  app.add_option_function<double>(
         number.flag,
         [&flags, number](double value) {
           *number.value = value;
           flags.given[number.name] = {number.flag, value};
         },
         number.help)
      ->type_name("X")
      ->group(kOptimizer)
      ->check(std::move(check));
}

static void addOptimizerFlags(CLI::App &app, RecipeFlags &flags) {
  app.add_option("--optimizer", flags.optimizer,
                 amp::knownOptimizers() + " (default: adamw)")
      ->type_name("NAME")
      ->group(kOptimizer);
  addHyperFlag(app, flags, "--momentum", "momentum",
               "Momentum of sgd and rmsprop (default: 0)", unitNumber());
  app.add_flag("--nesterov", flags.nesterov, "Nesterov's momentum")
      ->group(kOptimizer);
  addHyperFlag(app, flags, "--beta1", "beta1",
               "Decay of the first moment (default: 0.9)", unitNumber());
  addHyperFlag(app, flags, "--beta2", "beta2",
               "Decay of the second moment (default: 0.999)", unitNumber());
  addHyperFlag(app, flags, "--eps", "eps",
               "Added to the denominator (default: the optimizer's)",
               nonNegativeNumber());
  addHyperFlag(app, flags, "--weight-decay", "weight_decay",
               "Weight decay (default: the optimizer's; adamw 0.01)",
               nonNegativeNumber());
  app.add_option("--opt-arg", flags.optArgs,
                 "What else the optimizer knows, as amsgrad=true")
      ->type_name("NAME=VALUE")
      ->group(kOptimizer);
  app.add_option("--no-decay", flags.noDecay,
                 "Parameters, by name, without weight decay")
      ->type_name("REGEX")
      ->group(kOptimizer);
  app.add_option("--freeze", flags.freeze, "Parameters that are not trained")
      ->type_name("REGEX")
      ->group(kOptimizer);
  app.add_option("--trainable", flags.trainable,
                 "The only parameters that are trained")
      ->type_name("REGEX")
      ->group(kOptimizer);
  app.add_option("--accumulate", flags.accumulate,
                 "Batches whose gradients make one step (default: 1)")
      ->type_name("N")
      ->group(kOptimizer)
      ->check(wholeNumber(1));
  for (StepNumber clip :
       {StepNumber{"--clip-global-norm", "clip_global_norm",
                   "Largest norm of all gradients together",
                   &flags.clipGlobalNorm},
        StepNumber{"--clip-norm", "clip_norm", "Largest norm of each gradient",
                   &flags.clipNorm},
        StepNumber{"--clip-value", "clip_value", "Largest absolute value",
                   &flags.clipValue}})
    addStepNumber(app, flags, clip, positiveNumber());
  app.add_option(
         "--clip-norm-order", flags.clipNormOrder,
         "How the norm that --clip-global-norm reads is summed: f64, or "
         "torch, in f32 as PyTorch does on a CPU, to the bit "
         "(default: f64)")
      ->type_name("f64|torch")
      ->group(kOptimizer)
      ->check(oneOf({"f64", "torch"}));
}

static void addLarcFlags(CLI::App &app, RecipeFlags &flags) {
  app.add_option("--larc", flags.larc.mode,
                 "Layer-wise rates from the norms of weights and gradients: "
                 "clip, at most 1, or scale, as OpenSeq2Seq has them; apex- "
                 "takes weight decay in and leaves norms of 0 alone, as Apex "
                 "(default: none)")
      ->type_name("clip|scale|apex-clip|apex-scale")
      ->group(kOptimizer)
      ->check(oneOf({"clip", "scale", "apex-clip", "apex-scale"}));
  for (StepNumber number :
       {StepNumber{"--larc-eta", "larc_eta",
                   "LARC's trust in a layer (default: 0.001, Apex' 0.02)",
                   &flags.larc.eta},
        StepNumber{"--larc-min-update", "larc_min_update",
                   "LARC's least rate, which Apex has not (default: 1e-7)",
                   &flags.larc.minUpdate},
        StepNumber{"--larc-eps", "larc_eps",
                   "Added to the norm that LARC divides by (default: 1e-7, "
                   "Apex' 1e-8)",
                   &flags.larc.eps}})
    addStepNumber(app, flags, number, nonNegativeNumber());
}

/// What is kept of weights, and what is asked of them.
static void addWeightFlags(CLI::App &app, RecipeFlags &flags) {
  for (StepNumber penalty :
       {StepNumber{"--l1", "l1",
                   "Penalty X * sum |w| on the f32 weights, but --no-decay "
                   "(default: 0)",
                   &flags.l1},
        StepNumber{"--l2", "l2",
                   "Penalty X * sum w^2 on the f32 weights, but --no-decay "
                   "(default: 0)",
                   &flags.l2}})
    addStepNumber(app, flags, penalty, nonNegativeNumber());
  addStepNumber(app, flags,
                {"--ema", "ema_decay",
                 "Also keep an average of the weights, with this decay; "
                 "checkpoints have it as NAME/ema",
                 &flags.ema},
                unitNumber());
  app.add_option("--master-weights", flags.masterWeights,
                 "off: weights in bf16 only, rounded stochastically by --seed; "
                 "for --precision=bf16 (default: on)")
      ->type_name("on|off")
      ->group(kPrecision)
      ->check(oneOf({"on", "off"}));
  app.add_option("--slot-dtype", flags.slotType,
                 "Type of the optimizer's slots; computed with in f32, and "
                 "rounded stochastically by --seed. f16 only where a rule does "
                 "not divide by them, as sgd (default: f32)")
      ->type_name("f32|bf16|f16")
      ->group(kOptimizer)
      ->check(oneOf({"f32", "bf16", "f16"}));
}

void mpc::addRecipeFlags(CLI::App &app, RecipeFlags &flags) {
  flags.app = &app;
  app.add_option("--loss", flags.loss,
                 "cross_entropy[:OUTPUT], mse[:OUTPUT] or output:NAME "
                 "(default: cross_entropy)")
      ->type_name("LOSS")
      ->group(kInput);
  addInputShapeFlag(app, flags.import);
  addPrecisionFlags(app, flags.precision);
  addStrictCastsFlag(app, flags);
  addScalingFlags(app, flags);
  addOptimizerFlags(app, flags);
  addLarcFlags(app, flags);
  addWeightFlags(app, flags);
  app.add_option("--cpu", flags.target.cpu,
                 "host, x86-64-v3 or x86-64-v4 (default: host)")
      ->type_name("CPU")
      ->group(kTarget);
  app.add_flag("--no-fuse", flags.noFuse, "Every op is a kernel of its own")
      ->group(kDebugging);
  app.add_flag("--naive", flags.target.naive,
               "Run every kernel by scalar loops")
      ->group(kDebugging);
}

Status mpc::checkOwnStep(const RecipeFlags &flags, ImportedModel &model) {
  if (flags.accumulate > 1 && !hasOwnWindow(model))
    return usageError("--accumulate=" + std::to_string(flags.accumulate) +
                      ": the module has no entries @accumulate and @apply");
  // What the loop around the step does with it.
  static constexpr llvm::StringRef kOfTheLoop[] = {
      "--lr",         "--lr-schedule", "--warmup-steps",
      "--accumulate", "--replay",      "--at-floor"};
  for (const CLI::Option *option : flags.app->get_options()) {
    std::string name = option->get_name();
    bool isOfTheStep = option->get_group() == kLossScaling ||
                       option->get_group() == kOptimizer || name == "--loss" ||
                       name == "--master-weights";
    if (option->count() > 0 && isOfTheStep &&
        !llvm::is_contained(kOfTheLoop, name))
      return usageError(name + ": the module writes its step out, and this "
                               "flag would change it");
  }
  return {};
}

Status mpc::checkReplay(const TrainingOptions &options) {
  for (PolicyKind kind :
       {PolicyKind::None, PolicyKind::Fixed, PolicyKind::KerasFixed})
    if (options.policy == policyInfo(kind).name)
      return usageError("--replay: the policy " + options.policy +
                        " lowers no scale, a step run again would be the same");
  return {};
}

/// Sorts the optimizer's arguments into hyper-parameters and flags.
static Status addOptimizer(const RecipeFlags &flags, TrainingOptions &options) {
  const amp::Optimizer *optimizer = amp::findOptimizer(flags.optimizer);
  if (!optimizer)
    return usageError("--optimizer=" + quote(flags.optimizer) + ": known are " +
                      amp::knownOptimizers());
  auto isHyper = [&](llvm::StringRef name) {
    return llvm::any_of(optimizer->hypers, [&](const amp::NamedNumber &hyper) {
      return hyper.name == name;
    });
  };
  auto addFlag = [&](const std::string &name) {
    if (llvm::is_contained(optimizer->flags, name))
      options.flags.push_back(name);
  };
  std::map<std::string, double> hyper = flags.hyper;
  if (flags.nesterov) {
    if (!llvm::is_contained(optimizer->flags, "nesterov"))
      return usageError("--nesterov: " + flags.optimizer + " has none");
    options.flags.push_back("nesterov");
  }
  for (const std::string &argument : flags.optArgs) {
    auto [name, value] = llvm::StringRef(argument).split('=');
    double number = 0.0;
    bool isTrue = value == "true" || value.empty();
    if (llvm::is_contained(optimizer->flags, name)) {
      if (isTrue || value == "1")
        options.flags.push_back(name.str());
      else if (value != "false" && value != "0")
        return usageError("--opt-arg=" + quote(argument) +
                          ": is true or false");
    } else if (value.getAsDouble(number) || !isHyper(name)) {
      return usageError("--opt-arg=" + quote(argument) + ": " +
                        flags.optimizer + " has no such argument");
    } else {
      hyper[name.str()] = number;
    }
  }
  for (const auto &[name, value] : hyper) {
    if (!isHyper(name))
      return usageError("--" +
                        (name == "weight_decay" ? "weight-decay" : name) +
                        ": " + flags.optimizer + " has none");
    options.hyper.push_back(name + "=" + shortestDecimal(value));
  }
  if (auto it = hyper.find("momentum"); it != hyper.end() && it->second != 0.0)
    addFlag("momentum");
  options.optimizer = flags.optimizer;
  return {};
}

static Status addPolicy(const RecipeFlags &flags, TrainingOptions &options) {
  std::string name = flags.lossScale;
  bool isFp16 = flags.precision.precision == Precision::FP16;
  if (name.empty())
    name = isFp16 ? "dynamic" : "none";
  MPC_ASSIGN_OR_RETURN(PolicyKind kind, parsePolicy("--loss-scale", name));
  std::vector<SettingOverride> overrides;
  for (const auto &[setting, value] : flags.scaleSettings)
    overrides.push_back({setting, value});
  MPC_ASSIGN_OR_RETURN(Settings settings, trainingSettings(kind, overrides));
  const PolicyInfo &info = policyInfo(kind);
  options.policy = std::string(info.name);
  if (info.reads(Setting::MinScale))
    options.minScale = settings[Setting::MinScale];
  options.keepState =
      appliesNonFinite(kind) || info.update == UpdatePoint::BeforeUnscale;
  for (size_t i = 0; i < kNumSettings; ++i) {
    auto setting = static_cast<Setting>(i);
    if (info.reads(setting))
      options.settings.push_back(std::string(settingKey(setting)) + "=" +
                                 shortestDecimal(settings[setting]));
  }
  return {};
}

/// Rates with the numbers that were given, else with their system's.
static Status addLarc(const RecipeFlags &flags, TrainingOptions &options) {
  options.larc = LarcOptions::of(flags.larc.mode);
  for (auto [name, value] :
       {std::pair("larc_eta", &options.larc.eta),
        std::pair("larc_min_update", &options.larc.minUpdate),
        std::pair("larc_eps", &options.larc.eps)}) {
    auto given = flags.given.find(name);
    if (given == flags.given.end())
      continue;
    const auto &[flag, number] = given->second;
    if (flags.larc.mode.empty())
      return usageError(flag + " needs --larc=clip or --larc=scale");
    if (options.larc.isApex() && value == &options.larc.minUpdate)
      return usageError(flag +
                        " is a number of --larc=clip and --larc=scale, "
                        "not of " +
                        flags.larc.mode);
    *value = number;
  }
  return {};
}

/// Once the optimizer's flags are known.
static Status addSlotType(const RecipeFlags &flags, TrainingOptions &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::Builder b(&context);
  mlir::Type type = flags.slotType == "bf16"  ? mlir::Type(b.getBF16Type())
                    : flags.slotType == "f16" ? mlir::Type(b.getF16Type())
                                              : mlir::Type(b.getF32Type());
  llvm::SmallVector<llvm::StringRef> names(options.flags.begin(),
                                           options.flags.end());
  std::string refusal =
      amp::findOptimizer(options.optimizer)
          ->refusal(type, amp::Flags(b.getStrArrayAttr(names)));
  if (!refusal.empty())
    return usageError("--slot-dtype=" + flags.slotType + ": " + refusal);
  options.slotType = flags.slotType;
  return {};
}

/// What changes gradients on their way, and what weights are kept in.
static Status addGradientOptions(const RecipeFlags &flags,
                                 TrainingOptions &options) {
  int clips =
      (flags.clipGlobalNorm > 0) + (flags.clipNorm > 0) + (flags.clipValue > 0);
  if (clips > 1)
    return usageError("only one of --clip-global-norm, --clip-norm and "
                      "--clip-value can be given");
  if (clips == 1 && !flags.larc.mode.empty())
    return usageError("--larc takes the place of clipping: give one of --larc "
                      "and --clip-...");
  if (flags.clipNormOrder != "f64" && flags.clipGlobalNorm == 0.0)
    return usageError("--clip-norm-order needs --clip-global-norm");
  MPC_RETURN_IF_ERROR(addLarc(flags, options));
  Precision precision = flags.precision.precision;
  if (flags.masterWeights == "off" && precision != Precision::BF16)
    return usageError("--master-weights=off: weights without masters are of "
                      "bf16, but --precision is " +
                      stringifyPrecision(precision).str());
  options.clipGlobalNorm = flags.clipGlobalNorm;
  options.clipNorm = flags.clipNorm;
  options.clipValue = flags.clipValue;
  options.clipNormOrder = flags.clipNormOrder;
  options.l1 = flags.l1;
  options.l2 = flags.l2;
  options.ema = flags.ema;
  options.masterWeights = flags.masterWeights == "on";
  return addSlotType(flags, options);
}

Result<TrainingOptions> mpc::toTrainingOptions(const RecipeFlags &flags) {
  TrainingOptions options;
  MPC_ASSIGN_OR_RETURN(options.loss, parseLoss(flags.loss));
  options.precision = flags.precision;
  MPC_RETURN_IF_ERROR(addOptimizer(flags, options));
  MPC_RETURN_IF_ERROR(addPolicy(flags, options));
  MPC_RETURN_IF_ERROR(addGradientOptions(flags, options));
  options.noDecay = flags.noDecay;
  options.freeze = flags.freeze;
  options.trainable = flags.trainable;
  options.accumulate = flags.accumulate;
  options.countUnderflow = flags.countUnderflow;
  options.target = flags.target;
  options.target.fuse = !flags.noFuse;
  return options;
}

std::vector<GivenNumber> mpc::givenNumbers(const RecipeFlags &flags) {
  std::vector<GivenNumber> numbers;
  auto isHyper = [&](llvm::StringRef name) {
    return llvm::any_of(
        amp::findOptimizer(flags.optimizer)->hypers,
        [&](const amp::NamedNumber &hyper) { return hyper.name == name; });
  };
  auto flagOf = [](std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
  };
  bool larcDecays = LarcOptions::of(flags.larc.mode).isApex();
  for (const auto &[name, value] : flags.hyper) {
    // Apex' rates take it from the rule.
    bool isTaken = larcDecays && name == "weight_decay";
    numbers.push_back(
        {flagOf(name), isTaken ? "larc_weight_decay" : name, value});
  }
  for (const std::string &argument : flags.optArgs) {
    auto [name, text] = llvm::StringRef(argument).split('=');
    double value = 0.0;
    if (isHyper(name) && !text.getAsDouble(value))
      numbers.push_back({"--opt-arg=" + name.str(), name.str(), value});
  }
  bool hasPenalty = flags.l1 != 0.0 || flags.l2 != 0.0;
  for (const auto &[name, given] : flags.given)
    // What is switched off has no state.
    if (given.second != 0.0 || (name != "ema_decay" && hasPenalty))
      numbers.push_back({given.first, name, given.second});
  for (const auto &[setting, value] : flags.scaleSettings)
    numbers.push_back(
        {settingFlag(setting), std::string(settingKey(setting)), value});
  return numbers;
}
