// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the entries, launches and constants of a Program.
#include "lib/Driver/ProgramBuilder.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/ElementTypes.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Annotations.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/ParameterNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "runtime/Program/Commands.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc;

/// Appends a number of `type` in its memory format: an i1 takes a byte.
static void appendElement(Type type, const APInt &bits,
                          std::vector<uint8_t> &bytes) {
  unsigned size = std::max(type.getIntOrFloatBitWidth() / 8, 1u);
  for (unsigned i = 0; i < size; ++i)
    bytes.push_back(static_cast<uint8_t>(bits.getZExtValue() >> (8 * i)));
}

rt::Result<rt::TensorDesc> mpc::describeTensor(StringRef name, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (std::optional<rt::DType> dtype = dtypeOf(tensor.getElementType()))
    return rt::TensorDesc{nn::nameOf(name), *dtype,
                          std::vector<int64_t>(tensor.getShape())};
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return rt::invalidInput("tensor " + rt::quote(name.str()) + " is " + text +
                          ", whose elements the runtime does not have");
}

/// The string of an attribute; empty where there is none.
static std::string textOf(StringAttr string) {
  return string ? string.str() : "";
}

/// The owner's name in the state: without the mark of its symbol.
static std::string ownerOf(amp::EntryAttr entry) {
  std::string owner = textOf(entry.getOwner());
  return rt::hasOwner(entry.getRole()) ? nn::nameOf(owner) : owner;
}

static rt::Result<rt::ProbeSite> readSite(amp::SiteAttr attribute) {
  rt::ProbeSite site;
  site.op = attribute.getOp();
  site.node = attribute.getNode();
  site.file = textOf(attribute.getFile());
  site.gradient = attribute.getGradient();
  site.parameter = nn::nameOf(textOf(attribute.getParameter()));
  MPC_ASSIGN_OR_RETURN(site.desc, describeTensor("", attribute.getType()));
  if (DenseI64ArrayAttr inputs = attribute.getInputs())
    site.inputs = inputs.asArrayRef().vec();
  site.readsInfinity = attribute.getInfinite();
  site.isUsed = attribute.getUsed();
  return site;
}

namespace {

class ProgramBuilder {
public:
  ProgramBuilder(ModuleOp module, rt::Program &program)
      : module_(module), program_(program) {}

  rt::Status run() {
    MPC_RETURN_IF_ERROR(addSlabs());
    collectSources();
    for (auto function :
         llvm::make_early_inc_range(module_.getOps<func::FuncOp>())) {
      if (!amp::isEntry(function))
        continue;
      MPC_RETURN_IF_ERROR(addEntry(function));
      function.erase();
    }
    for (func::FuncOp body : bodies_)
      body.erase();
    keepCode();
    return {};
  }

private:
  rt::Status addSlabs();
  void keepCode();

  void collectSources() {
    for (auto function : module_.getOps<func::FuncOp>()) {
      kernel::EmittedKernelAttrInterface kernel =
          kernel::getEmittedKernel(function);
      if (!kernel || !kernel.getSources())
        continue;
      auto names = kernel.getSources().getAsRange<StringAttr>();
      sources_[function.getName()] = llvm::join(
          llvm::map_range(names, std::mem_fn(&StringAttr::getValue)), ", ");
    }
  }

  rt::Status addEntry(func::FuncOp function) {
    rt::Entry entry;
    entry.name = function.getName().str();
    entry.role =
        rt::entryRole(stringifyEntryKind(*amp::getEntryKind(function)).str());
    if (auto mode = function->getAttrOfType<StringAttr>(nn::kMode))
      entry.mode = mode == nn::kTrainingMode ? rt::ModelMode::Training
                                             : rt::ModelMode::Inference;
    spaces_.clear();
    for (BlockArgument argument : function.getArguments())
      MPC_RETURN_IF_ERROR(addArgument(function, argument, entry));
    MPC_RETURN_IF_ERROR(addLaunches(function, entry));
    program_.entries.push_back(std::move(entry));
    return {};
  }

  rt::Status addLaunches(func::FuncOp function, rt::Entry &entry) {
    for (Operation &op : function.getBody().front()) {
      if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
        MPC_RETURN_IF_ERROR(addLaunch(launch, entry));
      } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        MPC_RETURN_IF_ERROR(addCopy(copy, entry));
      } else if (auto fill = dyn_cast<linalg::FillOp>(op)) {
        MPC_RETURN_IF_ERROR(addFill(fill, entry));
      } else if (auto repeat = dyn_cast<kernel::RepeatOp>(op)) {
        MPC_RETURN_IF_ERROR(addRepeat(repeat, entry));
      } else if (auto collective = dyn_cast<kernel::CollectiveOp>(op)) {
        MPC_RETURN_IF_ERROR(addCollective(collective, entry));
      }
    }
    return {};
  }

  /// Adds the first turn, which reads the first values of what is carried, and
  /// a loop of the others. Turns with loops of their own are added one by one.
  rt::Status addRepeat(kernel::RepeatOp repeat, rt::Entry &entry) {
    auto body = module_.lookupSymbol<func::FuncOp>(repeat.getBody());
    if (!body || repeat.getOuts().empty())
      return rt::internalError("a loop is not planned");
    bodies_.insert(body);
    auto turns = static_cast<int64_t>(repeat.getTurns());
    bool hasLoops = !body.getBody().getOps<kernel::RepeatOp>().empty();
    for (int64_t turn = 0; turn < (hasLoops ? turns : 1); ++turn) {
      MPC_RETURN_IF_ERROR(bind(body, placesOf(repeat, turn)));
      MPC_RETURN_IF_ERROR(addLaunches(body, entry));
    }
    if (hasLoops || turns == 1)
      return {};
    MPC_RETURN_IF_ERROR(bind(body, placesOf(repeat, 1, /*moves=*/true)));
    uint64_t first = entry.launches.size();
    MPC_RETURN_IF_ERROR(addLaunches(body, entry));
    if (uint64_t count = entry.launches.size() - first)
      entry.loops.push_back({first, count, static_cast<uint64_t>(turns - 1)});
    return {};
  }

  /// An operand of a loop as an argument of its body: an entry of a stack, that
  /// may move by some entries from turn to turn, or the whole operand.
  struct TurnPlace {
    Value memory;
    bool isEntry = false;
    int64_t number = 0, step = 0;
    uint32_t period = 0;
  };

  /// The places at `turn` of the arguments of a planned body: its arena, what
  /// it carries, its entries of stacks, constants and results. If it `moves`,
  /// the turn is the second one, from which on they move.
  static SmallVector<TurnPlace> placesOf(kernel::RepeatOp repeat, int64_t turn,
                                         bool moves = false) {
    int64_t entry = repeat.getEntry(turn);
    int64_t step = moves ? repeat.getEntry(1) - repeat.getEntry(0) : 0;
    auto outAt = [&](Value out, int64_t at) -> TurnPlace {
      if (!isShort(repeat, out))
        return {out, true, repeat.getEntry(at), step};
      return {out, true, at % 2, moves ? 1 - 2 * (at % 2) : 0, 2};
    };
    OperandRange outs = repeat.getOuts();
    SmallVector<TurnPlace> places = {{outs.back()}};
    for (auto [index, init] : llvm::enumerate(repeat.getInits()))
      places.push_back(turn == 0 ? TurnPlace{init}
                                 : outAt(outs[index], turn - 1));
    for (Value stack : repeat.getStacks())
      places.push_back({stack, true, entry, step});
    for (Value constant : repeat.getConstants())
      places.push_back({constant});
    for (Value out : outs.drop_back())
      places.push_back(outAt(out, turn));
    return places;
  }

  /// Binds the arguments of `body` to places.
  rt::Status bind(func::FuncOp body, ArrayRef<TurnPlace> places) {
    for (auto [argument, place] :
         llvm::zip_equal(body.getArguments(), places)) {
      MPC_ASSIGN_OR_RETURN(rt::BufferRef ref, findPlace(place.memory));
      if (place.isEntry) {
        auto type = cast<MemRefType>(place.memory.getType());
        auto bytes = static_cast<int64_t>(bytesOf(place.memory)) /
                     std::max<int64_t>(type.getDimSize(0), 1);
        ref.offset += place.number * bytes;
        ref.stride = place.step * bytes;
        ref.period = ref.stride == 0 ? 0 : place.period;
      }
      spaces_[argument] = ref;
    }
    return {};
  }

  /// Whether `out` has the entries of two turns, and no more.
  static bool isShort(kernel::RepeatOp repeat, Value out) {
    return cast<MemRefType>(out.getType()).getDimSize(0) <
           static_cast<int64_t>(repeat.getTurns());
  }

  rt::Status addArgument(func::FuncOp function, BlockArgument argument,
                         rt::Entry &entry) {
    unsigned index = argument.getArgNumber();
    auto buffer = function.getArgAttrOfType<kernel::BufferAttr>(
        index, kernel::KernelDialect::BufferAttrHelper::getNameStr());
    if (!buffer)
      return rt::internalError("an argument of a planned entry has no role");
    if (buffer.getRole() == kernel::BufferRole::Arena) {
      entry.arenaBytes = cast<MemRefType>(argument.getType()).getNumElements();
      spaces_[argument] = {rt::Space::Arena, 0, 0};
      return {};
    }
    if (buffer.getRole() == kernel::BufferRole::State) {
      auto slab = function.getArgAttrOfType<FlatSymbolRefAttr>(
          index, kernel::KernelDialect::StateAttrHelper::getNameStr());
      auto it = slab ? slabs_.find(slab.getValue()) : slabs_.end();
      if (it == slabs_.end())
        return rt::internalError("an argument that is state names no slab");
      spaces_[argument] = {rt::Space::State, it->second, 0};
      return {};
    }
    StringAttr name = nn::getArgumentName(argument);
    std::string fallback = "argument" + std::to_string(index);
    MPC_ASSIGN_OR_RETURN(
        rt::TensorDesc desc,
        describeTensor(name ? name.getValue() : StringRef(fallback),
                       buffer.getType()));
    if (auto ranges = function.getArgAttrOfType<ArrayAttr>(index, nn::kRanges))
      MPC_RETURN_IF_ERROR(addBounds(desc, ranges));
    if (auto site = function.getArgAttrOfType<amp::SiteAttr>(
            index, amp::AMPDialect::SiteAttrHelper::getNameStr())) {
      MPC_ASSIGN_OR_RETURN(rt::ProbeSite read, readSite(site));
      entry.sites.push_back(std::move(read));
    }
    bool isOutput = buffer.getRole() == kernel::BufferRole::Output;
    auto &list = isOutput ? entry.outputs : entry.inputs;
    spaces_[argument] = {isOutput ? rt::Space::Output : rt::Space::Input,
                         static_cast<uint32_t>(list.size()), 0};
    list.push_back(std::move(desc));
    return {};
  }

  /// Adds the valid ranges of an input. Another entry may have stated them
  /// already.
  rt::Status addBounds(const rt::TensorDesc &input, ArrayAttr ranges) {
    for (auto range : ranges.getAsRange<nn::RangeAttr>()) {
      rt::InputBound bound{input.name,
                           range.getLow(),
                           range.getHigh(),
                           range.getExcept(),
                           range.getSkipFirst().vec(),
                           range.getSkipLast().vec()};
      if (!rt::fits(bound, input))
        return rt::invalidInput("the range of input '" + input.name +
                                "' is not of its rank");
      if (!llvm::is_contained(program_.bounds, bound))
        program_.bounds.push_back(std::move(bound));
    }
    return {};
  }

  /// The place of a memref in a planned entry.
  rt::Result<rt::BufferRef> resolve(Value memory) {
    MPC_ASSIGN_OR_RETURN(rt::BufferRef ref, findPlace(memory));
    ref.bytes = bytesOf(memory);
    return ref;
  }

  rt::Result<rt::BufferRef> findPlace(Value memory) {
    if (auto view = memory.getDefiningOp<memref::ViewOp>()) {
      APInt shift;
      auto it = spaces_.find(view.getSource());
      if (it == spaces_.end() ||
          !matchPattern(view.getByteShift(), m_ConstantInt(&shift)))
        return rt::internalError("a planned view has no constant place");
      rt::BufferRef ref = it->second;
      ref.offset += shift.getZExtValue();
      return ref;
    }
    if (auto get = memory.getDefiningOp<memref::GetGlobalOp>())
      return rt::BufferRef{rt::Space::Constant, constant(get), 0};
    return rt::internalError("a launch uses memory that was not planned");
  }

  uint32_t constant(memref::GetGlobalOp get) {
    auto [it, isNew] =
        constants_.try_emplace(get.getName(), program_.constants.size());
    if (isNew)
      program_.constants.push_back(makeConstant(get));
    return it->second;
  }

  rt::Constant makeConstant(memref::GetGlobalOp get) {
    auto global = module_.lookupSymbol<memref::GlobalOp>(get.getName());
    auto elements = cast<DenseElementsAttr>(*global.getInitialValue());
    std::vector<uint8_t> bytes;
    // A splat is stored as one element, and i1 as packed bits, so that elements
    // are written one by one.
    for (Attribute element : elements.getValues<Attribute>()) {
      auto number = dyn_cast<FloatAttr>(element);
      appendElement(elements.getElementType(),
                    number ? number.getValue().bitcastToAPInt()
                           : cast<IntegerAttr>(element).getValue(),
                    bytes);
    }
    return {get.getName().str(), rt::SharedBytes::of(std::move(bytes))};
  }

  static uint64_t bytesOf(Value memory) {
    auto type = cast<MemRefType>(memory.getType());
    return type.getNumElements() *
           std::max(type.getElementTypeBitWidth() / 8, 1u);
  }

  /// Adds `launch`, which reads the first operands of `memory` and writes the
  /// rest.
  rt::Status add(rt::Launch launch, ValueRange memory, rt::Entry &entry) {
    for (Value value : memory) {
      MPC_ASSIGN_OR_RETURN(rt::BufferRef ref, resolve(value));
      launch.buffers.push_back(ref);
    }
    entry.launches.push_back(std::move(launch));
    return {};
  }

  /// The launch gets its command together with the kernel's code.
  rt::Status addLaunch(kernel::LaunchOp op, rt::Entry &entry) {
    rt::Launch launch;
    launch.symbol = op.getKernel().str();
    launch.sources = sources_.lookup(op.getKernel());
    launch.numRead = op.getInputs().size();
    return add(std::move(launch), op.getOperands(), entry);
  }

  /// Tensors without elements have nothing to copy.
  rt::Status addCopy(memref::CopyOp copy, rt::Entry &entry) {
    if (bytesOf(copy.getSource()) == 0)
      return {};
    rt::Launch launch;
    launch.command = std::make_shared<rt::Copy>();
    launch.numRead = 1;
    return add(std::move(launch), {copy.getSource(), copy.getTarget()}, entry);
  }

  rt::Status addFill(linalg::FillOp fill, rt::Entry &entry) {
    rt::Launch launch;
    launch.command = std::make_shared<rt::Fill>();
    return add(std::move(launch), fill.getOutputs(), entry);
  }

  static rt::CollectiveKind kindOf(kernel::CollectiveKind kind) {
    switch (kind) {
    case kernel::CollectiveKind::AllToAll:
      return rt::CollectiveKind::AllToAll;
    case kernel::CollectiveKind::AllGather:
      return rt::CollectiveKind::AllGather;
    case kernel::CollectiveKind::TakePart:
      return rt::CollectiveKind::TakePart;
    }
    llvm_unreachable("a kind of collectives");
  }

  rt::Status addCollective(kernel::CollectiveOp op, rt::Entry &entry) {
    std::vector<rt::Parts> parts;
    for (auto [index, out] : llvm::enumerate(op.getOuts())) {
      uint64_t elementBytes =
          bytesOf(out) / cast<MemRefType>(out.getType()).getNumElements();
      parts.push_back({static_cast<uint32_t>(op.getRanks()),
                       op.getWholeSize(index) * elementBytes,
                       op.getPartSize(index) * elementBytes});
    }
    rt::Launch launch;
    launch.symbol = stringifyCollectiveKind(op.getKind()).str();
    launch.numRead = op.getInputs().size();
    launch.command = std::make_shared<rt::Collective>(kindOf(op.getKind()),
                                                      std::move(parts));
    SmallVector<Value> buffers(op.getInputs());
    llvm::append_range(buffers, op.getOuts());
    return add(std::move(launch), buffers, entry);
  }

  ModuleOp module_;
  rt::Program &program_;
  DenseMap<Value, rt::BufferRef> spaces_;
  llvm::StringMap<uint32_t> slabs_, constants_;
  llvm::StringMap<std::string> sources_;
  llvm::SetVector<func::FuncOp> bodies_; ///< The functions that are repeated.
};

} // namespace

/// `value`, rounded to `type`, as bits.
static APInt bitsOf(Type type, double value) {
  bool losesInfo = false;
  APFloat element(value);
  element.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
  return element.bitcastToAPInt();
}

rt::Status ProgramBuilder::addSlabs() {
  for (auto op : module_.getOps<amp::SlabOp>()) {
    auto type = cast<RankedTensorType>(op.getType());
    Type elementType = type.getElementType();
    uint64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
    auto index = static_cast<uint32_t>(program_.slabs.size());
    slabs_[op.getSymName()] = index;
    rt::Slab slab;
    slab.name = op.getSymName().str();
    slab.bytes = type.getNumElements() * elementBytes;
    slab.parts = static_cast<uint32_t>(op.getParts());
    if (std::optional<ArrayRef<double>> initial = op.getInitial()) {
      std::vector<uint8_t> bytes;
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        appendElement(elementType,
                      bitsOf(elementType, initial->size() == 1
                                              ? initial->front()
                                              : (*initial)[i]),
                      bytes);
      slab.initial = rt::SharedBytes::of(std::move(bytes));
    }
    program_.slabs.push_back(std::move(slab));
    for (auto entry : op.getEntries().getAsRange<amp::EntryAttr>()) {
      MPC_ASSIGN_OR_RETURN(rt::TensorDesc desc,
                           describeTensor(entry.getName(), entry.getType()));
      program_.state.push_back({std::move(desc), entry.getRole(), index,
                                entry.getOffset() * elementBytes,
                                op.getWideScale(), ownerOf(entry),
                                textOf(entry.getKey())});
    }
  }
  return {};
}

/// Removes everything but code, since the code generator takes nothing else.
void ProgramBuilder::keepCode() {
  for (Operation &op : llvm::make_early_inc_range(*module_.getBody())) {
    auto function = dyn_cast<func::FuncOp>(op);
    bool isCode = function && (kernel::getEmittedKernel(function) ||
                               !function.isDeclaration());
    if (!isCode)
      op.erase();
  }
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::buildProgram(ModuleOp module, const TargetBackend &target,
                  rt::StageSeconds *stages) {
  auto program = std::make_shared<rt::Program>();
  MPC_RETURN_IF_ERROR(ProgramBuilder(module, *program).run());
  MPC_RETURN_IF_ERROR(target.addCode(module, *program, stages));
  return program;
}

rt::Result<std::string> mpc::listLLVM(ModuleOp module,
                                      const TargetBackend &target) {
  rt::Program program;
  MPC_RETURN_IF_ERROR(ProgramBuilder(module, program).run());
  return target.listLLVM(module);
}
