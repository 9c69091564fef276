// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a step first went inf or NaN.
#include "lib/Driver/NanProbe.h"

#include "lib/Driver/Patterns.h"
#include "lib/Driver/ProgramBuilder.h"
#include "passes/AMP/Passes.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mpc;

/// Outputs are aligned as kernels want them.
static constexpr size_t kStride = 64;

namespace {

/// A value of the step, as amp-add-probes describes it.
struct Site {
  rt::ProbedTensor tensor;
  std::vector<int64_t> inputs; ///< Sites that its op reads.
  std::string parameter;       ///< That it is the gradient of, or empty.
  /// Its op reads a constant that holds infinities.
  bool readsInfinity = false;
  /// It is finite, or holds infinities that come of such a constant: a mask
  /// before a softmax.
  bool isGood = true;
};

} // namespace

/// The compiled probe; outputs are one f32 a site.
struct Recompiler::Probe {
  std::vector<Site> sites;
  std::unique_ptr<rt::Runner> runner;
  rt::HostBuffer outputs;
};

static Site readSite(DictionaryAttr attributes) {
  auto text = [&](StringRef name) {
    auto attribute = attributes.getAs<StringAttr>(name);
    return attribute ? attribute.str() : std::string();
  };
  Site site;
  site.tensor.op = text("op");
  site.tensor.node = text("node");
  site.tensor.file = text("file");
  site.tensor.gradient = attributes.contains("gradient");
  site.tensor.desc =
      describeTensor("", attributes.getAs<TypeAttr>("type").getValue());
  site.parameter = text("parameter");
  if (auto inputs = attributes.getAs<DenseI64ArrayAttr>("inputs"))
    site.inputs = inputs.asArrayRef().vec();
  site.readsInfinity = attributes.contains("infinite");
  return site;
}

static std::vector<Site> readSites(func::FuncOp function) {
  std::vector<Site> sites;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    sites.push_back(readSite(
        cast<DictionaryAttr>(function.getResultAttr(i, amp::kSiteAttrName))));
  return sites;
}

/// Sets which sites are as they should be.
static void judge(std::vector<Site> &sites) {
  for (Site &site : sites) {
    bool mayBeInfinite =
        site.readsInfinity || llvm::any_of(site.inputs, [&](int64_t input) {
          return sites[input].isGood && std::isinf(sites[input].tensor.largest);
        });
    double largest = site.tensor.largest;
    site.isGood =
        std::isfinite(largest) || (mayBeInfinite && std::isinf(largest));
  }
}

static bool is16Bit(rt::DType dtype) {
  return dtype == rt::DType::F16 || dtype == rt::DType::BF16;
}

/// Nodes that made what the 16-bit casts before `node` read: its own gradient
/// in f32 is cast to their type.
static void addProducers(const std::vector<Site> &sites,
                         const std::string &node,
                         std::vector<std::string> &names) {
  for (const Site &site : sites) {
    if (site.tensor.gradient || site.tensor.op != "nn.cast" ||
        site.tensor.node != node)
      continue;
    for (int64_t input : site.inputs)
      if (is16Bit(sites[input].tensor.desc.dtype))
        names.push_back(sites[input].tensor.node);
  }
}

/// Of the first 16-bit tensor that is not finite.
static std::vector<std::string> findGuilty(const std::vector<Site> &sites) {
  std::vector<std::string> names;
  auto it = llvm::find_if(sites, [](const Site &site) {
    return is16Bit(site.tensor.desc.dtype) && !site.isGood &&
           site.tensor.op != "input" && site.tensor.op != "nn.get";
  });
  if (it == sites.end())
    return names;
  names.push_back(it->tensor.node);
  if (it->tensor.gradient && it->tensor.op == "nn.cast")
    addProducers(sites, it->tensor.node, names);
  llvm::erase(names, "");
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

static std::optional<rt::NanFinding>
makeFinding(const std::vector<Site> &sites) {
  auto isBad = [](const Site &site) { return !site.isGood; };
  auto first = llvm::find_if(sites, isBad);
  if (first == sites.end())
    return std::nullopt;
  rt::NanFinding finding;
  finding.first = first->tensor;
  for (int64_t input : first->inputs)
    finding.largestInput = std::max(finding.largestInput.value_or(0.0),
                                    sites[input].tensor.largest);
  auto gradient = llvm::find_if(sites, [&](const Site &site) {
    return isBad(site) && !site.parameter.empty();
  });
  if (gradient != sites.end()) {
    finding.parameter = gradient->tensor;
    finding.parameter->desc.name = gradient->parameter;
  }
  finding.guilty = findGuilty(sites);
  return finding;
}

Recompiler::Recompiler(const ImportedModel &model, TrainingOptions trainOptions,
                       rt::RunnerOptions runnerOptions)
    : options(std::move(trainOptions)), keptFp32(options.precision.keepFp32),
      runnerOptions(runnerOptions) {
  source.module = model.module.get().clone();
}

Recompiler::~Recompiler() = default;

ImportedModel Recompiler::copyModel() const {
  ImportedModel model;
  model.module = ModuleOp(source.module.get()).clone();
  return model;
}

rt::Status Recompiler::compile() {
  auto made = std::make_unique<Probe>();
  ImportedModel model = copyModel();
  CompileReport report;
  MPC_ASSIGN_OR_RETURN(
      std::shared_ptr<rt::Program> program,
      compileProbe(model, options, report, [&](func::FuncOp function) {
        made->sites = readSites(function);
      }));
  MPC_ASSIGN_OR_RETURN(made->runner,
                       rt::Runner::create(program, runnerOptions));
  MPC_ASSIGN_OR_RETURN(made->outputs,
                       rt::HostBuffer::allocate(
                           std::max<size_t>(made->sites.size(), 1) * kStride,
                           "the outputs of the probe"));
  probe = std::move(made);
  return {};
}

rt::Result<std::optional<rt::NanFinding>>
Recompiler::find(const rt::ProbeRequest &step) {
  if (!probe)
    MPC_RETURN_IF_ERROR(compile());
  rt::Runner &runner = *probe->runner;
  auto isState = [&](const rt::TensorView &view) {
    return llvm::any_of(runner.program().state, [&](const rt::StateTensor &t) {
      return t.desc.name == view.desc.name;
    });
  };
  for (const rt::TensorView &view : step.state)
    if (isState(view))
      MPC_RETURN_IF_ERROR(runner.writeState(view));
  MPC_RETURN_IF_ERROR(runner.derive());
  alignas(kStride) float scale = static_cast<float>(step.scale);
  const rt::Entry &entry = *runner.program().findEntry("probe");
  std::vector<const void *> inputs;
  for (const rt::TensorDesc &input : entry.inputs) {
    inputs.push_back(input.name == "scale" ? &scale : step.input(input.name));
    if (!inputs.back())
      return rt::internalError("the probe reads an unknown input " +
                               rt::quote(input.name));
  }
  std::vector<void *> outputs;
  for (size_t i = 0; i < probe->sites.size(); ++i)
    outputs.push_back(probe->outputs.data() + i * kStride);
  MPC_RETURN_IF_ERROR(runner.run("probe", inputs, outputs));
  for (auto [site, output] : llvm::zip(probe->sites, outputs))
    site.tensor.largest = *static_cast<const float *>(output);
  judge(probe->sites);
  return makeFinding(probe->sites);
}

rt::Result<std::unique_ptr<rt::Runner>>
Recompiler::keepFp32(const std::vector<std::string> &nodes) {
  options.precision.keepFp32 = keptFp32;
  for (const std::string &node : nodes)
    options.precision.keepFp32.push_back(exactPattern(node));
  // The old one is of another step.
  probe.reset();
  ImportedModel model = copyModel();
  CompileReport report;
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       compileTraining(model, options, report));
  return rt::Runner::create(program, runnerOptions);
}
