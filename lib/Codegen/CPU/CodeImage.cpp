// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links by JITLink, at an address that does not matter, and keeps the resulting
// bytes.
#include "lib/Codegen/CPU/CodeImage.h"

#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/JITLink/x86_64.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace llvm::jitlink;
using namespace mpc::cpu;

/// Removes the sections for unwinding and debugging, which an image does not
/// use.
static Error removeTables(LinkGraph &graph) {
  SmallVector<Section *> removed;
  for (Section &section : graph.sections())
    if (section.getName() == ".eh_frame" ||
        section.getName().starts_with(".debug"))
      removed.push_back(&section);
  for (Section *section : removed)
    graph.removeSection(*section);
  return Error::success();
}

/// The code `lea r8, [rip + sizes]` and `jmp code`: the ABI passes the fifth
/// argument in r8.
static constexpr char kEntry[16] = {'\x4c', '\x8d', '\x05', 0, 0, 0, 0, //
                                    '\xe9', 0,      0,      0, 0};
static constexpr unsigned kSizesAt = 3, kCodeAt = 8;

static Block &addBlock(LinkGraph &graph, StringRef section, orc::MemProt access,
                       ArrayRef<char> content) {
  return graph.createContentBlock(graph.createSection(section, access),
                                  graph.allocateContent(content),
                                  orc::ExecutorAddr(), sizeof(kEntry), 0);
}

static StringMap<Symbol *> listSymbols(LinkGraph &graph) {
  StringMap<Symbol *> symbols;
  for (Symbol *symbol : graph.defined_symbols())
    if (symbol->hasName())
      symbols[*symbol->getName()] = symbol;
  return symbols;
}

/// Adds the functions of `kernels`. Compiling these two instructions by LLVM
/// would take half a millisecond for each kernel.
static Error addKernels(LinkGraph &graph, ArrayRef<SharedKernel> kernels) {
  if (kernels.empty())
    return Error::success();
  StringMap<Symbol *> codes = listSymbols(graph);
  std::string entries, sizes;
  for (const SharedKernel &kernel : kernels) {
    entries.append(kEntry, sizeof(kEntry));
    sizes.append(reinterpret_cast<const char *>(kernel.sizes.data()),
                 kernel.sizes.size() * sizeof(int64_t));
  }
  Block &code = addBlock(graph, "mpc.kernels",
                         orc::MemProt::Read | orc::MemProt::Exec, entries);
  Symbol &table = graph.addAnonymousSymbol(
      addBlock(graph, "mpc.sizes", orc::MemProt::Read, sizes), 0, sizes.size(),
      /*IsCallable=*/false, /*IsLive=*/true);
  uint64_t entry = 0, size = 0;
  for (const SharedKernel &kernel : kernels) {
    Symbol *callee = codes.lookup(kernel.code);
    if (!callee)
      return createStringError("kernel '" + kernel.name + "' has no code '" +
                               kernel.code + "'");
    code.addEdge(x86_64::PCRel32, entry + kSizesAt, table, size);
    code.addEdge(x86_64::BranchPCRel32, entry + kCodeAt, *callee, 0);
    graph.addDefinedSymbol(code, entry, kernel.name, sizeof(kEntry),
                           Linkage::Strong, Scope::Default, /*IsCallable=*/true,
                           /*IsLive=*/true);
    entry += sizeof(kEntry);
    size += kernel.sizes.size() * sizeof(int64_t);
  }
  return Error::success();
}

/// Whether a fix-up writes an address rather than a distance.
static bool isAddress(Edge::Kind kind) {
  switch (kind) {
  case x86_64::Pointer64:
  case x86_64::Pointer32:
  case x86_64::Pointer32Signed:
  case x86_64::Pointer16:
  case x86_64::Pointer8:
    return true;
  default:
    return false;
  }
}

static Error checkPositionIndependent(LinkGraph &graph) {
  for (Section &section : graph.sections()) {
    bool isWritten =
        (section.getMemProt() & orc::MemProt::Write) != orc::MemProt::None;
    if (isWritten && !section.empty())
      return createStringError("kernels write to memory of their own: " +
                               section.getName());
    for (Block *block : section.blocks())
      if (any_of(block->edges(),
                 [](const Edge &edge) { return isAddress(edge.getKind()); }))
        return createStringError("kernels hold an address: " +
                                 section.getName());
  }
  return Error::success();
}

/// Copies the sections from memory, after all relative fix-ups were applied.
static Error takeImage(LinkGraph &graph, CodeImage &image) {
  constexpr uint64_t kPage = 4096;
  uint64_t begin = ~uint64_t(0), end = 0;
  for (Block *block : graph.blocks()) {
    begin = std::min(begin, block->getAddress().getValue());
    end = std::max(end, block->getAddress().getValue() + block->getSize());
  }
  if (end == 0)
    return Error::success();
  begin -= begin % kPage;
  image.bytes.resize(end - begin);
  for (Block *block : graph.blocks())
    if (!block->isZeroFill() && block->getSize() != 0)
      std::memcpy(image.bytes.data() + (block->getAddress().getValue() - begin),
                  block->getContent().data(), block->getSize());
  for (Symbol *symbol : graph.defined_symbols())
    if (symbol->hasName())
      image.offsets[*symbol->getName()] =
          symbol->getAddress().getValue() - begin;
  return Error::success();
}

namespace {

/// Links in this process, on the caller's thread.
class ImageContext : public JITLinkContext {
public:
  ImageContext(JITLinkMemoryManager &memory, CodeImage &image, Error &error)
      : JITLinkContext(nullptr), memory_(memory), image_(image), error_(error) {
  }

  JITLinkMemoryManager &getMemoryManager() override { return memory_; }

  void notifyFailed(Error fault) override {
    error_ = joinErrors(std::move(error_), std::move(fault));
  }

  void lookup(const LookupMap &symbols,
              std::unique_ptr<JITLinkAsyncLookupContinuation> rest) override {
    if (symbols.empty())
      rest->run(AsyncLookupResult());
    else
      rest->run(createStringError("kernels refer to symbols outside"));
  }

  Error notifyResolved(LinkGraph &) override { return Error::success(); }

  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc alloc) override {
    std::vector<JITLinkMemoryManager::FinalizedAlloc> allocations;
    allocations.push_back(std::move(alloc));
    memory_.deallocate(std::move(allocations),
                       [this](Error fault) { notifyFailed(std::move(fault)); });
  }

  Error modifyPassConfig(LinkGraph &, PassConfiguration &passes) override {
    passes.PrePrunePasses.insert(passes.PrePrunePasses.begin(), removeTables);
    passes.PreFixupPasses.push_back(checkPositionIndependent);
    passes.PostFixupPasses.push_back(
        [this](LinkGraph &graph) { return takeImage(graph, image_); });
    return Error::success();
  }

private:
  JITLinkMemoryManager &memory_;
  CodeImage &image_;
  Error &error_;
};

} // namespace

Expected<CodeImage> mpc::cpu::linkImage(ArrayRef<char> object,
                                        ArrayRef<SharedKernel> kernels) {
  auto memory = InProcessMemoryManager::Create();
  if (!memory)
    return memory.takeError();
  auto graph = createLinkGraphFromObject(
      {StringRef(object.data(), object.size()), "kernels"},
      std::make_shared<orc::SymbolStringPool>());
  if (!graph)
    return graph.takeError();
  if (Error error = addKernels(**graph, kernels))
    return std::move(error);
  CodeImage image;
  Error error = Error::success();
  link(std::move(*graph),
       std::make_unique<ImageContext>(**memory, image, error));
  if (error)
    return std::move(error);
  return image;
}
