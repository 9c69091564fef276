// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs recorded optimizer steps on the compiled step.
#include "lib/Driver/OptimizerCase.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Driver/Dialects.h"
#include "lib/Driver/OptimizerCaseFile.h"
#include "lib/Driver/Request.h"
#include "runtime/Program/StepNames.h"
#include "runtime/Runner/EntryCall.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"

#include <cmath>
#include <cstring>
#include <functional>

using namespace mpc;
using nlohmann::json;

namespace {

/// Runs a case on its program.
class CaseRunner {
public:
  CaseRunner(const OptimizerCase &which, amp::RecipeOp recipe,
             std::unique_ptr<rt::Runner> runner)
      : which_(which), recipe_(recipe), runner_(std::move(runner)) {}

  rt::Result<std::string> run() {
    for (const CaseParameter &parameter : which_.parameters)
      if (runner_->program().findState(parameter.name))
        MPC_RETURN_IF_ERROR(runner_->writeState(
            {{parameter.name, rt::DType::F32, parameter.shape},
             parameter.values.data()}));
    MPC_RETURN_IF_ERROR(runner_->derive());
    std::string lines;
    for (size_t index = 0; index < which_.steps.size(); ++index) {
      this->index_ = index;
      rt::Status status = step(which_.steps[index]["scaled_grads"]);
      if (!status.ok())
        return status.withContext("step " + std::to_string(index));
      MPC_ASSIGN_OR_RETURN(json line, describe(index));
      lines += line.dump() + "\n";
    }
    return lines;
  }

private:
  rt::Status step(const json &gradients) {
    int64_t batches = recipe_.getAccumulate();
    auto entries = runner_->program().stepEntries(batches);
    if (entries.empty())
      return rt::internalError("the program has no step");
    if (entries.size() == 1)
      return runEntry(*entries.front(), gradients, -1);
    for (int64_t batch = 0; batch < batches; ++batch)
      MPC_RETURN_IF_ERROR(runEntry(*entries.front(), gradients, batch));
    return runEntry(*entries.back(), gradients, -1);
  }

  rt::Status runEntry(const rt::Entry &entry, const json &gradients,
                      int64_t batch) {
    auto fill = [&](const rt::TensorDesc &desc, std::byte *data) -> rt::Status {
      if (desc.name == rt::step::kLearningRate) {
        std::memcpy(data, &which_.lr, sizeof(which_.lr));
      } else if (desc.name.rfind(kPresent, 0) == 0) {
        size_t set = std::stoul(desc.name.substr(kPresent.size()));
        *data = std::byte{which_.present[set][index_]};
      } else {
        return readCaseGradient(gradients, desc, batch, data);
      }
      return {};
    };
    MPC_ASSIGN_OR_RETURN(rt::EntryCall call,
                         rt::EntryCall::fill(*runner_, entry, fill));
    MPC_RETURN_IF_ERROR(call.run());
    foundInf_ = call.scalar(rt::step::kFoundInf).value_or(0) != 0;
    return {};
  }

  rt::Result<json> describe(size_t index) {
    json line;
    line["step"] = index;
    line["found_inf"] = foundInf_;
    line["applied"] = !foundInf_ || rt::appliesNonFinite(which_.policy);
    line["scale"] = 1.0;
    line["counter"] = nullptr;
    if (auto scale = runner_->readNumber("scale"); scale.ok())
      line["scale"] = toCaseNumber(*scale);
    if (auto counter = runner_->readNumber("counter");
        counter.ok() && rt::policyInfo(which_.policy).hasCounter)
      line["counter"] = toCaseNumber(*counter);
    MPC_RETURN_IF_ERROR(describeTensors(line));
    return line;
  }

  static json listOf(const rt::TensorView &view) {
    std::vector<float> values(view.desc.numElements());
    // Parameters and slots are at most as wide as f32.
    (void)rt::convert(view.data, view.desc.dtype, values.data(), rt::DType::F32,
                      view.desc.numElements());
    json list = json::array();
    for (float value : values)
      list.push_back(floatOf(value));
    return list;
  }

  /// The shortest decimal that reads back as this float, as JSON.
  static json floatOf(float value) {
    if (!std::isfinite(value))
      return toCaseNumber(value);
    return json::parse(rt::shortestDecimal(value));
  }

  rt::Status describeTensors(json &line) {
    line["params"] = json::object();
    line["slots"] = json::object();
    for (const CaseParameter &parameter : which_.parameters) {
      line["slots"][parameter.name] = json::object();
      if (runner_->program().findState(parameter.name)) {
        MPC_ASSIGN_OR_RETURN(rt::TensorView view,
                             runner_->readState(parameter.name));
        line["params"][parameter.name] = listOf(view);
      } else {
        rt::TensorView view{{parameter.name, rt::DType::F32, parameter.shape},
                            parameter.values.data()};
        line["params"][parameter.name] = listOf(view);
      }
    }
    for (const rt::StateTensor &tensor : runner_->program().state) {
      if (tensor.role != rt::StateRole::Slot &&
          tensor.role != rt::StateRole::Average)
        continue;
      MPC_ASSIGN_OR_RETURN(rt::TensorView view,
                           runner_->readState(tensor.desc.name));
      line["slots"][tensor.owner][tensor.key] = listOf(view);
    }
    for (const CaseParameter &parameter : which_.parameters) {
      json &slots = line["slots"][parameter.name];
      if (parameter.isEverPresent())
        MPC_RETURN_IF_ERROR(describeScalars(parameter, slots));
      else if (recipe_.getRule()->slotsFromStart)
        slots = untouchedSlots(parameter);
    }
    return {};
  }

  /// The slots of a parameter that never has a gradient, where slots exist from
  /// the start.
  json untouchedSlots(const CaseParameter &parameter) {
    const amp::Optimizer &rule = *recipe_.getRule();
    json slots = {{"step", json::array({0.0})}};
    for (const amp::OptimizerSlot &slot :
         rule.slotsFor(amp::Flags(recipe_.getAllFlags())))
      slots[slot.name.str()] =
          json(parameter.values.size(), json(floatOf(initialOf(rule, slot))));
    return slots;
  }

  float initialOf(const amp::Optimizer &rule, const amp::OptimizerSlot &slot) {
    double value = 0.0;
    for (const amp::NamedNumber &number : rule.hypers)
      if (number.name == slot.initial)
        value = number.value;
    if (auto given = recipe_.getHyper().getAs<mlir::FloatAttr>(slot.initial))
      value = given.getValueAsDouble();
    return static_cast<float>(value);
  }

  /// The number of steps in which the parameter had a gradient, and what else
  /// the rule keeps once. PyTorch lists these among the slots.
  rt::Status describeScalars(const CaseParameter &parameter, json &slots) {
    std::string owner =
        std::string(rt::kOptimizerName) + "." + optimizerOf(parameter);
    for (const amp::NamedNumber &entry : recipe_.getRule()->state) {
      std::string name = owner + entry.name.str();
      if (amp::Optimizer::followsFromSteps(entry.name) ||
          !runner_->program().findState(name))
        continue;
      MPC_ASSIGN_OR_RETURN(rt::TensorView view, runner_->readState(name));
      slots[entry.name.str()] =
          json::array({*static_cast<const double *>(view.data)});
    }
    return {};
  }

  /// The optimizer that keeps the state of `parameter`, as amp-build-step names
  /// it: there is one for each set of parameters with gradients in the same
  /// steps.
  std::string optimizerOf(const CaseParameter &parameter) const {
    size_t number = 1, sets = which_.present.size();
    if (llvm::any_of(which_.parameters,
                     std::mem_fn(&CaseParameter::isAlwaysPresent)))
      ++sets;
    if (sets < 2)
      return "";
    if (!parameter.isAlwaysPresent())
      number = sets - which_.present.size() + 1 +
               (llvm::find(which_.present, parameter.present) -
                which_.present.begin());
    return number == 1 ? "optimizer."
                       : "optimizer" + std::to_string(number) + ".";
  }

  static constexpr std::string_view kPresent = "present.";

  const OptimizerCase &which_;
  amp::RecipeOp recipe_;
  size_t index_ = 0; ///< The number of the step.
  std::unique_ptr<rt::Runner> runner_;
  /// Whether the last entry found a gradient that is not finite.
  bool foundInf_ = false;
};

} // namespace

static void addParameters(const OptimizerCase &which, mlir::ModuleOp module) {
  auto builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  for (const CaseParameter &parameter : which.parameters)
    nn::ParameterOp::create(
        builder, builder.getUnknownLoc(), parameter.name,
        mlir::RankedTensorType::get(parameter.shape, builder.getF32Type()),
        nn::InitAttr::get(builder.getContext(), "zeros", llvm::APFloat(0.0)),
        /*frozen=*/false);
}

static rt::Result<std::unique_ptr<rt::Runner>> compile(mlir::ModuleOp module,
                                                       bool fuse) {
  CompileRequest request;
  request.kind = ProgramKind::Optimizer;
  request.module = module;
  request.target.fuse = fuse;
  request.usesCache = false;
  CompileReport report;
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       compileProgram(request, report));
  rt::RunnerOptions options;
  options.threads = 1;
  return rt::Runner::create(program, options);
}

rt::Result<std::string> mpc::runOptimizerCase(std::string_view text,
                                              bool fuse) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<nn::NNDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  amp::RecipeOp recipe = addRecipe(*module);
  MPC_ASSIGN_OR_RETURN(OptimizerCase which, readOptimizerCase(text, recipe));
  addParameters(which, *module);
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<rt::Runner> runner,
                       compile(*module, fuse));
  return CaseRunner(which, recipe, std::move(runner)).run();
}
