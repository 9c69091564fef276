// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a step first went inf or NaN.
#include "lib/Driver/NanProbe.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Recipe.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/ParameterNames.h"
#include "lib/Driver/Patterns.h"
#include "lib/Driver/ProgramBuilder.h"
#include "runtime/Runner/EntryCall.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mpc;

namespace {

/// A value of the step, as amp-add-probes describes it.
struct Site {
  rt::ProbedTensor tensor;
  std::vector<int64_t> inputs; ///< Sites that its op reads.
  /// Its op reads a constant that holds infinities.
  bool readsInfinity = false;
  /// The step checks or returns it, or changes its state by it.
  bool isUsed = false;
  bool isGood = true; ///< It is finite, or as it is meant to be: see judge().
};

} // namespace

/// The compiled probe; outputs are one number a site.
struct Recompiler::Probe {
  std::map<std::string, std::vector<Site>, std::less<>> sites; ///< By entry.
  std::unique_ptr<rt::Runner> runner;
};

static rt::Result<Site> readSite(amp::SiteAttr attribute) {
  auto text = [](StringAttr string) { return string ? string.str() : ""; };
  Site site;
  site.tensor.op = attribute.getOp();
  site.tensor.node = attribute.getNode();
  site.tensor.file = text(attribute.getFile());
  site.tensor.gradient = attribute.getGradient();
  MPC_ASSIGN_OR_RETURN(site.tensor.desc,
                       describeTensor("", attribute.getType()));
  site.tensor.parameter = nn::nameOf(text(attribute.getParameter()));
  if (DenseI64ArrayAttr inputs = attribute.getInputs())
    site.inputs = inputs.asArrayRef().vec();
  site.readsInfinity = attribute.getInfinite();
  site.isUsed = attribute.getUsed();
  return site;
}

static rt::Result<std::vector<Site>> readSites(func::FuncOp function) {
  std::vector<Site> sites;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
    auto attribute = function.getResultAttrOfType<amp::SiteAttr>(
        i, amp::AMPDialect::SiteAttrHelper::getNameStr());
    MPC_ASSIGN_OR_RETURN(Site site, readSite(attribute));
    sites.push_back(std::move(site));
  }
  return sites;
}

static bool isFinite(const Site &site) {
  return std::isfinite(site.tensor.largest);
}

/// What a step computes and does not take, as the other side of a select, may
/// be anything. Whether a path over sites that are not finite leads from each
/// to what the step uses.
static std::vector<bool> findLeading(const std::vector<Site> &sites) {
  std::vector<bool> leads(sites.size());
  for (size_t i = sites.size(); i-- > 0;) {
    leads[i] = !isFinite(sites[i]) && (leads[i] || sites[i].isUsed);
    if (leads[i])
      for (int64_t input : sites[i].inputs)
        leads[input] = true;
  }
  return leads;
}

/// Whether each site is infinite because of a constant that is: a mask before
/// a softmax.
static std::vector<bool> findMeant(const std::vector<Site> &sites) {
  std::vector<bool> meant(sites.size());
  for (auto [i, site] : llvm::enumerate(sites))
    meant[i] =
        std::isinf(site.tensor.largest) &&
        (site.readsInfinity || llvm::any_of(site.inputs, [&](int64_t input) {
           return meant[input];
         }));
  return meant;
}

/// Sets which sites are as they should be. Where nothing leads to what the step
/// uses it looks for what is not finite in a way of its own; where all that
/// does comes of such constants, they are at fault.
static void judge(std::vector<Site> &sites) {
  std::vector<bool> leads = findLeading(sites), meant = findMeant(sites);
  auto isLeft = [&](size_t i) { return leads[i] && !meant[i]; };
  auto indices = llvm::seq<size_t>(0, sites.size());
  bool anyLeads = llvm::any_of(indices, [&](size_t i) { return leads[i]; });
  bool anyLeft = llvm::any_of(indices, isLeft);
  for (size_t i : indices) {
    bool isFault = anyLeft ? isLeft(i) : anyLeads ? leads[i] : !meant[i];
    sites[i].isGood = isFinite(sites[i]) || !isFault;
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
    if (site.tensor.gradient ||
        site.tensor.op != nn::CastOp::getOperationName() ||
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
           site.tensor.op != "input" &&
           site.tensor.op != nn::GetOp::getOperationName();
  });
  if (it == sites.end())
    return names;
  names.push_back(it->tensor.node);
  if (it->tensor.gradient && it->tensor.op == nn::CastOp::getOperationName())
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
    return isBad(site) && !site.tensor.parameter.empty();
  });
  if (gradient != sites.end())
    finding.parameter = gradient->tensor;
  finding.guilty = findGuilty(sites);
  return finding;
}

Recompiler::Recompiler(const ImportedModel &model, CompileOptions options,
                       rt::RunnerOptions runnerOptions)
    : options_(std::move(options)), runnerOptions_(runnerOptions) {
  source_.module = model.module.get().clone();
}

Recompiler::~Recompiler() = default;

ImportedModel Recompiler::copyModel() const {
  ImportedModel model;
  model.module = ModuleOp(source_.module.get()).clone();
  amp::RecipeOp recipe = amp::findRecipe(*model.module);
  SmallVector<Attribute> patterns(recipe.getKeepFp32().getValue());
  for (const std::string &node : keptFp32_)
    patterns.push_back(
        StringAttr::get(recipe.getContext(), exactPattern(node)));
  recipe.setKeepFp32Attr(ArrayAttr::get(recipe.getContext(), patterns));
  return model;
}

rt::Status Recompiler::compile() {
  auto made = std::make_unique<Probe>();
  ImportedModel model = copyModel();
  CompileReport report;
  rt::Status status;
  auto inspect = [&](func::FuncOp function) {
    rt::Result<std::vector<Site>> sites = readSites(function);
    if (sites.ok())
      made->sites[function.getName().str()] = *std::move(sites);
    else
      status = sites.status();
  };
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       compileProbe(model, options_, report, inspect));
  MPC_RETURN_IF_ERROR(status);
  MPC_ASSIGN_OR_RETURN(made->runner,
                       rt::Runner::create(program, runnerOptions_));
  probe_ = std::move(made);
  return {};
}

rt::Status Recompiler::prepare(const rt::ProbeRequest &step) {
  if (!probe_)
    MPC_RETURN_IF_ERROR(compile());
  rt::Runner &runner = *probe_->runner;
  if (!step.state.empty())
    MPC_RETURN_IF_ERROR(runner.importState(step.state));
  // A step that does not scale has no scaler.
  if (step.scale && runner.readNumber("scale").ok())
    return runner.writeNumber("scale", *step.scale);
  return {};
}

rt::Result<std::optional<rt::NanFinding>>
Recompiler::find(const rt::ProbeRequest &step) {
  MPC_RETURN_IF_ERROR(prepare(step));
  rt::Runner &runner = *probe_->runner;
  auto found = probe_->sites.find(step.entry);
  if (found == probe_->sites.end())
    return rt::internalError("the probe has no entry " + rt::quote(step.entry));
  std::vector<Site> &sites = found->second;
  auto findInput = [&](const rt::TensorDesc &input) {
    return step.input(input.name);
  };
  MPC_ASSIGN_OR_RETURN(
      rt::EntryCall call,
      rt::EntryCall::bind(runner, *runner.program().findEntry(step.entry),
                          findInput));
  MPC_RETURN_IF_ERROR(call.run());
  for (auto [site, output] : llvm::zip_equal(sites, call.outputs()))
    site.tensor.largest = output.desc.dtype == rt::DType::F64
                              ? *static_cast<const double *>(output.data)
                              : *static_cast<const float *>(output.data);
  judge(sites);
  return makeFinding(sites);
}

rt::Result<std::unique_ptr<rt::Runner>>
Recompiler::keepFp32(const std::vector<std::string> &nodes) {
  keptFp32_ = nodes;
  // The old one is of another step.
  probe_.reset();
  ImportedModel model = copyModel();
  CompileReport report;
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       compileTraining(model, options_, report));
  return rt::Runner::create(program, runnerOptions_);
}
