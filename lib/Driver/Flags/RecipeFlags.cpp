// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the RECIPE flags.
#include "lib/Driver/Flags/RecipeFlags.h"

#include "lib/Driver/Flags/ImportFlags.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Device/CPU/CpuLevel.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Safetensors.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mpc;
using namespace mpc::rt;
using namespace mpc::rt::flag_group;

static void addStrictCastsFlag(CLI::App &app) {
  app.add_flag_callback(
         "--strict-casts", [] {},
         "Keep every rounding, also inside of fused kernels. They are "
         "kept without this flag too")
      ->group(kPrecision);
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
  // A double holds every float exactly.
  (void)convert(tensors[0].data, tensors[0].desc.dtype, numbers.data(),
                DType::F64, static_cast<int64_t>(numbers.size()));
  for (double number : numbers)
    if (!std::isfinite(number) || number < 0)
      return invalidInput(path + ": holds " + std::to_string(number) +
                          ", expected finite numbers of at least 0");
  return numbers;
}

/// Takes the numbers, or a file that contains them.
static CLI::Option *addClassWeightsFlag(CLI::App &app, const FlagRow &row,
                                        GivenClauses &given) {
  auto read = [&given](const std::vector<std::string> &texts) {
    std::vector<double> weights;
    if (llvm::StringRef(texts.front()).ends_with(kTensorFile)) {
      Result<std::vector<double>> numbers = readVector(texts.front());
      if (!numbers.ok())
        throw CLI::ValidationError("--class-weights",
                                   numbers.status().message());
      weights = *std::move(numbers);
    } else {
      for (const std::string &text : texts)
        weights.push_back(std::stod(text));
    }
    given["--class-weights"] = std::move(weights);
  };
  CLI::Validator check(
      [](std::string &text) {
        bool isFile = llvm::StringRef(text).ends_with(kTensorFile);
        return isFile ? std::string() : nonNegativeNumber()(text);
      },
      "");
  return app
      .add_option_function<std::vector<std::string>>(row.flag.str(), read,
                                                     row.help())
      ->delimiter(',')
      ->check(check);
}

static const char *groupOf(const FlagRow &row) {
  switch (row.group) {
  case FlagGroup::Input:
    return kInput;
  case FlagGroup::Precision:
    return kPrecision;
  case FlagGroup::LossScaling:
    return kLossScaling;
  case FlagGroup::Optimizer:
    return kOptimizer;
  }
  llvm_unreachable("unknown group of a flag");
}

static void addCheck(const FlagRow &row, CLI::Option &option) {
  if (!row.words.empty()) {
    std::vector<std::string> words;
    for (llvm::StringRef word : llvm::split(row.words, '|'))
      words.push_back(word.str());
    option.check(oneOf(words));
  }
  switch (row.range) {
  case amp::NumberRange::Any:
  case amp::NumberRange::Seed:
  // No flag alone has such numbers; the recipe checks those of --opt-arg.
  case amp::NumberRange::Inside:
  case amp::NumberRange::Above1:
    return;
  case amp::NumberRange::NonNegative:
    option.check(nonNegativeNumber());
    return;
  case amp::NumberRange::Positive:
    option.check(positiveNumber());
    return;
  case amp::NumberRange::Unit:
    option.check(unitNumber());
    return;
  case amp::NumberRange::Share:
    option.check(shareNumber());
    return;
  case amp::NumberRange::Counting:
    option.check(wholeNumber(1));
    return;
  }
}

template <typename T>
static CLI::Option *addOption(CLI::App &app, const std::string &flag,
                              const std::string &help, GivenClauses &given) {
  return app.add_option_function<T>(
      flag, [&given, flag](const T &value) { given[flag] = value; }, help);
}

static CLI::Option *addSwitch(CLI::App &app, const FlagRow &row,
                              GivenClauses &given) {
  std::string flag = row.flag.str();
  return app.add_flag_function(
      flag, [&given, flag](int64_t count) { given[flag] = count > 0; },
      row.help());
}

static void addSettings(CLI::App &app, const FlagRow &row,
                        GivenClauses &given) {
  for (size_t i = 0; i < kNumSettings; ++i) {
    auto setting = static_cast<Setting>(i);
    addOption<double>(app, settingFlag(setting),
                      std::string(settingHelp(setting)), given)
        ->type_name(row.type.str())
        ->group(groupOf(row));
  }
}

static CLI::Option *addFlag(CLI::App &app, const FlagRow &row,
                            GivenClauses &given) {
  switch (row.kind) {
  case FlagKind::Switch:
    return addSwitch(app, row, given);
  case FlagKind::Number:
    return addOption<double>(app, row.flag.str(), row.help(), given);
  case FlagKind::Integer:
    return addOption<int64_t>(app, row.flag.str(), row.help(), given);
  case FlagKind::Word:
    return addOption<std::string>(app, row.flag.str(), row.help(), given);
  case FlagKind::Words:
    return addOption<std::vector<std::string>>(app, row.flag.str(), row.help(),
                                               given);
  case FlagKind::Own:
    return addClassWeightsFlag(app, row, given);
  case FlagKind::Settings:
    break;
  }
  llvm_unreachable("settings are several flags");
}

void mpc::addClauseFlags(CLI::App &app, RecipeFlags &flags,
                         amp::Section section) {
  for (const FlagRow &row : allFlags()) {
    if (row.section != section)
      continue;
    if (row.kind == FlagKind::Settings) {
      addSettings(app, row, flags.clauses);
      continue;
    }
    CLI::Option *option = addFlag(app, row, flags.clauses);
    option->group(groupOf(row));
    if (row.kind == FlagKind::Switch)
      continue;
    option->type_name(row.type.str());
    if (row.kind != FlagKind::Own)
      addCheck(row, *option);
  }
}

void mpc::addTargetFlags(CLI::App &app, TargetOptions &target) {
  app.add_option("--cpu", target.cpu, rt::listCpus() + " (default: host)")
      ->type_name("CPU")
      ->group(kTarget);
  app.add_option_function<std::string>(
         "--math",
         [&target](const std::string &word) {
           target.math = word == "exact" ? MathMode::Exact : MathMode::Fast;
         },
         "fast (default): a CPU multiplies by its units for 16 bits where it "
         "has such, which take subnormal numbers for zero, and a GPU computes "
         "functions by its approximate instructions where results have 16 "
         "bits; exact: by fused multiply-adds of f32, and functions with the "
         "same bits on both")
      ->type_name("fast|exact")
      ->check(rt::oneOf({"fast", "exact"}))
      ->group(kTarget);
  app.add_flag_callback(
         "--no-fuse", [&target] { target.fuse = false; },
         "Every op is a kernel of its own")
      ->group(kDebugging);
  app.add_flag("--naive", target.naive, "Run every kernel by scalar loops")
      ->group(kDebugging);
}

void mpc::addRequestFlags(CLI::App &app, CompileRequest &request) {
  RecipeFlags &flags = request.recipe;
  addClauseFlags(app, flags, amp::Section::Loss);
  app.get_option("--loss")->description(
      app.get_option("--loss")->get_description() +
      " (default: cross_entropy)");
  addInputShapeFlag(app, request.import);
  addRoleFlags(app, request.import);
  addModeFlags(app, request.import);
  addOpLibraryFlag(app, request.import);
  app.add_flag("--allow-lost-parameters", request.import.allowLosses,
               "Trains what is left of a model whose exporter folded "
               "parameters away")
      ->group(kInput);
  addClauseFlags(app, flags, amp::Section::Mode);
  addClauseFlags(app, flags, amp::Section::Precision);
  addStrictCastsFlag(app);
  addClauseFlags(app, flags, amp::Section::Training);
  addTargetFlags(app, request.target);
  app.add_option_function<std::string>(
         "--memory-budget",
         [&request](const std::string &text) {
           rt::Result<MemoryBudget> budget = parseMemoryBudget(text);
           if (!budget.ok())
             throw CLI::ValidationError("--memory-budget",
                                        budget.status().message());
           request.target.memoryBudget = std::move(*budget);
         },
         "The most memory that a step takes beside its state, as 96MiB, or a "
         "part of what it takes otherwise, as 0.6: it computes values again "
         "instead of keeping them (default: no limit)")
      ->type_name("BYTES|FRACTION")
      ->group(kTarget);
  app.add_flag("--wide-places", request.target.wide,
               "Places of 64 bits in every kernel of a GPU, as large tensors "
               "need them")
      ->group(kDebugging);
}
