// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the RECIPE flags.
#include "tools/Flags/RecipeFlags.h"

#include "dialects/AMP/Optimizers.h"
#include "passes/NN/AutocastPolicy.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/TrainFlags.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Safetensors.h"
#include "tools/Flags/ImportFlags.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

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

void mpc::addPrecisionFlags(CLI::App &app, PrecisionFlags &flags) {
  std::vector<std::string> names = precisionNames(), types = names;
  types.pop_back(); // The outputs of a model are not mixed.
  addPrecisionFlag(app, "--precision", flags.precision,
                   "Type of contractions and what they feed; mixed is fp16 "
                   "(default: fp32)",
                   names);
  app.add_option("--autocast-policy", flags.policy,
                 "What runs in the low type: " + nn::knownAutocastPresets() +
                     ", or a file of rules (default: mpc)")
      ->type_name("NAME|FILE")
      ->group(kPrecision);
  app.add_option("--keep-fp32", flags.keepFp32,
                 "Nodes and ops, by name, that stay in f32")
      ->type_name("REGEX")
      ->group(kPrecision);
  app.add_option("--lower", flags.lower,
                 "Nodes and ops, by name, that run in the low type")
      ->type_name("REGEX")
      ->group(kPrecision);
  addPrecisionFlag(app, "--output-dtype", flags.outputType,
                   "Type that the model's outputs are cast to, before a loss "
                   "is computed from them (default: as the model declares)",
                   types);
  app.add_flag("--cost-aware", flags.costAware,
               "Leave a contraction in f32 where its casts cost more than the "
               "low type saves, as in small models")
      ->group(kPrecision);
  app.add_option_function<std::string>(
         "--weight-cast",
         [&flags](const std::string &value) {
           flags.saturateWeights = value == "saturate";
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
  double *value = nullptr; ///< Where it is kept beside RecipeFlags::given.
};

static void addStepNumber(CLI::App &app, RecipeFlags &flags,
                          const StepNumber &number, CLI::Validator check) {
  app.add_option_function<double>(
         number.flag,
         [&flags, number](double value) {
           if (number.value)
             *number.value = value;
           flags.given[number.name] = {number.flag, value};
         },
         number.help)
      ->type_name("X")
      ->group(kOptimizer)
      ->check(std::move(check));
}

/// Which rule updates parameters, and its numbers.
static void addRuleFlags(CLI::App &app, RecipeFlags &flags) {
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
}

/// Which parameters are trained, and by how many batches a step.
static void addSelectionFlags(CLI::App &app, RecipeFlags &flags) {
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
}

static void addClipFlags(CLI::App &app, RecipeFlags &flags) {
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
  app.add_option("--larc", flags.larc,
                 "Layer-wise rates from the norms of weights and gradients: "
                 "clip, at most 1, or scale, as OpenSeq2Seq has them; apex- "
                 "takes weight decay in and leaves norms of 0 alone, as Apex "
                 "(default: none)")
      ->type_name("clip|scale|apex-clip|apex-scale")
      ->group(kOptimizer)
      ->check(oneOf({"clip", "scale", "apex-clip", "apex-scale"}));
  for (StepNumber number :
       {StepNumber{"--larc-eta", "larc_eta",
                   "LARC's trust in a layer (default: 0.001, Apex' 0.02)"},
        StepNumber{"--larc-min-update", "larc_min_update",
                   "LARC's least rate, which Apex has not (default: 1e-7)"},
        StepNumber{"--larc-eps", "larc_eps",
                   "Added to the norm that LARC divides by (default: 1e-7, "
                   "Apex' 1e-8)"}})
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

static constexpr llvm::StringRef kTensorFile = ".safetensors";

/// The numbers of the one tensor of the file at `path`, a vector of floats.
static Result<std::vector<double>> readVector(const std::string &path) {
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file.ok())
    return file.status();
  const std::vector<TensorView> &tensors = file->tensors();
  bool isVector = tensors.size() == 1 && tensors[0].desc.shape.size() == 1 &&
                  isFloat(tensors[0].desc.dtype);
  if (!isVector)
    return invalidInput(path + ": expected one vector of floats, found " +
                        file->describe());
  std::vector<double> numbers(tensors[0].desc.shape[0]);
  // A double holds each float.
  (void)convert(tensors[0].data, tensors[0].desc.dtype, numbers.data(),
                DType::F64, static_cast<int64_t>(numbers.size()));
  for (double number : numbers)
    if (!std::isfinite(number) || number < 0)
      return invalidInput(path + ": holds " + std::to_string(number) +
                          ", expected finite numbers of at least 0");
  return numbers;
}

static void addClassWeightsFlag(CLI::App &app, LossOptions &options) {
  auto read = [&options](const std::vector<std::string> &texts) {
    if (!llvm::StringRef(texts.front()).ends_with(kTensorFile)) {
      for (const std::string &text : texts)
        options.classWeights.push_back(std::stod(text));
      return;
    }
    Result<std::vector<double>> numbers = readVector(texts.front());
    if (!numbers.ok())
      throw CLI::ValidationError("--class-weights", numbers.status().message());
    options.classWeights = *numbers;
  };
  CLI::Validator check(
      [](std::string &text) {
        bool isFile = llvm::StringRef(text).ends_with(kTensorFile);
        return isFile ? std::string() : nonNegativeNumber()(text);
      },
      "");
  app.add_option_function<std::vector<std::string>>(
         "--class-weights", read,
         "Weights of the classes in " +
             nn::lossesWith(nn::LossParameter::ClassWeights) +
             ", or a file with one vector of them; the mean is over the "
             "weights of the labels (default: all 1)")
      ->type_name("X,X,...|FILE.safetensors")
      ->group(kInput)
      ->delimiter(',')
      ->check(check);
}

/// "Of a model's output and target ...".
static std::string lossHelp() {
  std::string help =
      "Of a model's output and target, as PyTorch has it: " + knownLossFlags() +
      ". The output is ";
  std::vector<std::string> outputs;
  for (const nn::LossFunction &loss : nn::allLosses())
    if (!loss.output.empty())
      outputs.push_back(loss.output.str() + " for " + loss.name.str());
  return help + llvm::join(outputs, ", ");
}

static void addReductionFlag(CLI::App &app, LossOptions &options) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i <= nn::getMaxEnumValForLossReduction(); ++i)
    names.push_back(
        stringifyLossReduction(static_cast<nn::LossReduction>(i)).str());
  app.add_option_function<std::string>(
         "--reduction",
         [&options](const std::string &name) {
           options.reduction = nn::symbolizeLossReduction(name);
         },
         "How the losses of a batch become one; batchmean is for " +
             nn::lossesWith(nn::LossParameter::BatchMean) + " (default: mean)")
      ->type_name(llvm::join(names, "|"))
      ->group(kInput)
      ->check(oneOf(names));
}

static void addClassAxisFlag(CLI::App &app, LossOptions &options) {
  app.add_option("--class-axis", options.classAxis,
                 "Where the output has its classes in " +
                     nn::lossesWith(nn::LossParameter::ClassAxis) +
                     ", from the end where N is negative (default: of three "
                     "axes axis 1 or the last, whichever the labels fit; else "
                     "axis 1)")
      ->type_name("N")
      ->group(kInput);
}

void mpc::addLossFlags(CLI::App &app, std::string &loss, LossOptions &options) {
  using P = nn::LossParameter;
  app.add_option("--loss", loss, lossHelp())->type_name("LOSS")->group(kInput);
  addReductionFlag(app, options);
  app.add_option("--ignore-index", options.ignoreIndex,
                 "The label that takes no part in " +
                     nn::lossesWith(P::IgnoreIndex) + " (default: -100)")
      ->type_name("N")
      ->group(kInput);
  addClassWeightsFlag(app, options);
  app.add_option("--label-smoothing", options.labelSmoothing,
                 "The share of a label in " +
                     nn::lossesWith(P::LabelSmoothing) +
                     " that all classes have (default: 0)")
      ->type_name("X")
      ->group(kInput)
      ->check(shareNumber());
  app.add_option("--loss-delta", options.delta,
                 "Where " + nn::lossesWith(P::Delta) +
                     " go over from a square to a line; PyTorch's beta of "
                     "smooth_l1 (default: 1)")
      ->type_name("X")
      ->group(kInput)
      ->check(nonNegativeNumber());
  addClassAxisFlag(app, options);
}

/// Whether a flag says which loss is taken.
static bool isOfTheLoss(llvm::StringRef name) {
  return name == "--loss" ||
         llvm::any_of(nn::lossParameterNames(),
                      [&](const nn::LossParameterName &parameter) {
                        return flagOf(parameter.name) == name;
                      });
}

/// What the loop around a step does with the numbers that it is given.
static bool isOfTheLoop(llvm::StringRef name) {
  return rt::isScheduleFlag(name) || name == "--replay" || name == "--at-floor";
}

/// Whether a flag says how a step is made, which a module that writes its step
/// out does itself.
static bool isOfTheStep(const CLI::Option &option) {
  const std::string name = option.get_name();
  const std::string &group = option.get_group();
  return !isOfTheLoop(name) && name != "--accumulate" &&
         (group == kLossScaling || group == kOptimizer || isOfTheLoss(name) ||
          name == "--no-dropout" || name == "--master-weights");
}

static void noteGiven(const CLI::App &app, RecipeFlags &flags) {
  for (const CLI::Option *option : app.get_options())
    if (option->count() > 0 && isOfTheStep(*option))
      flags.stepFlags.push_back(option->get_name());
}

void mpc::addNoDropoutFlag(CLI::App &app, bool &noDropout) {
  app.add_flag("--no-dropout", noDropout,
               "Leave dropout out, as an evaluation does")
      ->group(kInput);
}

void mpc::addRecipeFlags(CLI::App &app, RecipeFlags &flags) {
  app.parse_complete_callback([&] { noteGiven(app, flags); });
  addLossFlags(app, flags.loss, flags.lossOptions);
  app.get_option("--loss")->description(
      app.get_option("--loss")->get_description() +
      " (default: cross_entropy)");
  addInputShapeFlag(app, flags.import);
  addRoleFlags(app, flags.import);
  addModeFlags(app, flags.import);
  addOpLibraryFlag(app, flags.import);
  app.add_flag("--allow-lost-parameters", flags.import.allowLosses,
               "Trains what is left of a model whose exporter folded "
               "parameters away")
      ->group(kInput);
  addNoDropoutFlag(app, flags.noDropout);
  addPrecisionFlags(app, flags.precision);
  addStrictCastsFlag(app, flags);
  addScalingFlags(app, flags);
  addRuleFlags(app, flags);
  addSelectionFlags(app, flags);
  addClipFlags(app, flags);
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
  app.add_flag("--wide-places", flags.target.wide,
               "Places of 64 bits in every kernel of a GPU, as large tensors "
               "need them")
      ->group(kDebugging);
}
