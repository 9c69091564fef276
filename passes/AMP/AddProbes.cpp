// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-add-probes: lets @probe yield the largest magnitude of each value.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"

#include <cmath>

namespace mpc::amp {
#define GEN_PASS_DEF_ADDPROBESPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

static constexpr StringLiteral kName = "nn.name";

/// Where in a file `loc` is, empty where it does not say.
static std::string fileOf(Location loc) {
  std::string result;
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    result =
        (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
    return WalkResult::interrupt();
  });
  return result;
}

/// Whether `op` is a constant with infinities, or with numbers that are to be
/// infinities in f16, as in masks that hold the least f32.
static bool holdsInfinity(Operation *op) {
  DenseFPElementsAttr elements;
  if (auto constant = dyn_cast<nn::ConstantOp>(op))
    elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
  constexpr double largestF16 = 65504.0;
  return elements && llvm::any_of(elements, [](const APFloat &element) {
           return std::abs(element.convertToDouble()) > largestF16;
         });
}

namespace {

class ProbeWriter {
public:
  explicit ProbeWriter(func::FuncOp function)
      : function(function), b(function.getContext()) {}

  void run() {
    Block &body = function.getBody().front();
    readGradientNames();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    b.setInsertionPointToStart(&body);
    for (BlockArgument argument : body.getArguments())
      add(argument, inputSite(argument));
    for (Operation *op : ops)
      addResults(op);
    finish();
  }

private:
  /// A result of @probe in the making.
  struct Site {
    Value largest;
    SmallVector<NamedAttribute> attributes;
  };
  using Attributes = SmallVector<NamedAttribute>;

  void readGradientNames() {
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
      auto name = function.getResultAttrOfType<StringAttr>(index, kName);
      StringRef text = name ? name.getValue() : StringRef();
      if (text.consume_front("grad.") || text.consume_front("unscaled."))
        gradientNames.try_emplace(value, text);
    }
  }

  void set(Attributes &attributes, StringRef name, Attribute value) {
    attributes.push_back(b.getNamedAttr(name, value));
  }

  Attributes inputSite(BlockArgument argument) {
    auto name =
        function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kName);
    Attributes attributes;
    set(attributes, "op", b.getStringAttr("input"));
    set(attributes, "node", name ? name : b.getStringAttr(""));
    return attributes;
  }

  Attributes opSite(Operation *op) {
    Attributes attributes;
    set(attributes, "op", b.getStringAttr(op->getName().getStringRef()));
    // A parameter is known by its own name, not by its reader's.
    if (auto get = dyn_cast<nn::GetOp>(op))
      set(attributes, "node", get.getParameterAttr().getAttr());
    else
      set(attributes, "node", b.getStringAttr(getNodeName(op->getLoc())));
    std::string file = fileOf(op->getLoc());
    if (!file.empty())
      set(attributes, "file", b.getStringAttr(file));
    if (isGradient(op->getLoc()))
      set(attributes, "gradient", b.getUnitAttr());
    SmallVector<int64_t> inputs;
    for (Value operand : op->getOperands())
      if (auto it = siteOf.find(operand); it != siteOf.end())
        inputs.push_back(it->second);
    set(attributes, "inputs", b.getDenseI64ArrayAttr(inputs));
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return infinities.contains(operand);
        }))
      set(attributes, "infinite", b.getUnitAttr());
    return attributes;
  }

  void addResults(Operation *op) {
    // A constant is what the model's author wrote.
    if (op->getNumOperands() == 0 && !isa<nn::GetOp>(op)) {
      if (holdsInfinity(op))
        infinities.insert_range(op->getResults());
      return;
    }
    b.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      add(result, opSite(op));
  }

  void add(Value value, Attributes attributes) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isa<FloatType>(type.getElementType()) ||
        type.getElementType().isF64() || type.getNumElements() == 0)
      return;
    set(attributes, "type", TypeAttr::get(type));
    if (auto it = gradientNames.find(value); it != gradientNames.end())
      set(attributes, "parameter", b.getStringAttr(it->second));
    Location loc = value.getLoc();
    Value row =
        nn::GradientBuilder(b, loc).reshape(value, {1, type.getNumElements()});
    Value largest = BlockMaxAbsOp::create(
        b, loc, RankedTensorType::get({1}, b.getF32Type()), row);
    siteOf[value] = sites.size();
    sites.push_back({largest, std::move(attributes)});
  }

  void finish() {
    SmallVector<Value> values;
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    for (auto [index, site] : llvm::enumerate(sites)) {
      values.push_back(site.largest);
      types.push_back(site.largest.getType());
      attributes.push_back(b.getDictionaryAttr(
          {b.getNamedAttr(kName, b.getStringAttr("site" + Twine(index))),
           b.getNamedAttr(kSiteAttrName,
                          b.getDictionaryAttr(site.attributes))}));
    }
    function.getBody().front().getTerminator()->setOperands(values);
    function.removeResAttrsAttr();
    function.setFunctionType(
        b.getFunctionType(function.getArgumentTypes(), types));
    function.setAllResultAttrs(attributes);
  }

  func::FuncOp function;
  OpBuilder b;
  DenseMap<Value, std::string> gradientNames;
  /// Constants with infinities that are meant, such as those of masks.
  DenseSet<Value> infinities;
  DenseMap<Value, int64_t> siteOf;
  SmallVector<Site> sites;
};

struct AddProbesPass : mpc::amp::impl::AddProbesPassBase<AddProbesPass> {
  using AddProbesPassBase::AddProbesPassBase;

  void runOnOperation() override {
    auto probe = getOperation().lookupSymbol<func::FuncOp>("probe");
    if (!probe || probe.isDeclaration()) {
      getOperation().emitError("has no function @probe");
      return signalPassFailure();
    }
    ProbeWriter(probe).run();
  }
};

} // namespace
