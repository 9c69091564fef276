// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of compilations, and the programs kept under them.
#include "lib/Driver/CompileCache.h"

#include "runtime/Device/CPU/CpuLevel.h"
#include "runtime/Program/ProgramCache.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Hash.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <link.h>
#include <optional>

using namespace mpc;

namespace {

/// A stream that hashes what is written to it.
class HashStream : public llvm::raw_ostream {
public:
  ~HashStream() override { flush(); }

  /// Adds a text with its length, so that different pairs of texts are never
  /// the same bytes.
  void addText(llvm::StringRef text) { *this << text.size() << ':' << text; }

  std::string digest() {
    flush();
    return hash_.digest();
  }

private:
  void write_impl(const char *data, size_t size) override {
    hash_.update(data, size);
    written_ += size;
  }
  uint64_t current_pos() const override { return written_; }

  rt::ContentHash hash_;
  uint64_t written_ = 0;
};

} // namespace

/// The file that contains this code: the program, or a library that a program
/// has loaded.
static std::string findOwnFile() {
  Dl_info info;
  link_map *library = nullptr;
  void *place = reinterpret_cast<void *>(&findOwnFile);
  bool isLibrary = ::dladdr1(place, &info, reinterpret_cast<void **>(&library),
                             RTLD_DL_LINKMAP) != 0 &&
                   library && library->l_name[0] != '\0';
  return isLibrary ? library->l_name : "/proc/self/exe";
}

/// A hash of the compiler itself, because another build makes other code. Empty
/// where the system does not show the file.
static std::string hashCompiler() {
  auto file = rt::MappedFile::open(findOwnFile());
  return file.ok()
             ? rt::ContentHash::of(file->bytes().data(), file->bytes().size())
             : "";
}

/// Locations count, because nodes are named by them.
static std::string digestOf(const CompileKey &key, llvm::StringRef compiler) {
  HashStream stream;
  stream.addText(compiler);
  stream.addText(LLVM_VERSION_STRING);
  stream.addText(key.passes);
  stream.addText(key.cpu);
  if (key.cpu == rt::kHostLevel)
    stream.addText(rt::cpuIdentity());
  mlir::ModuleOp module = key.module;
  module.print(stream, mlir::OpPrintingFlags()
                           .enableDebugInfo()
                           .assumeVerified()
                           .useLocalScope());
  return stream.digest();
}

static rt::Result<rt::ProgramCache> openCache(const std::string &folder) {
  MPC_ASSIGN_OR_RETURN(uint64_t limit, rt::CacheFolder::defaultLimit());
  return rt::ProgramCache::open(folder, limit);
}

/// Whether the program lacks machine code. A compiler for it may be there the
/// next time.
static bool lacksMachineCode(const rt::Program &program) {
  return program.cuda() && llvm::any_of(program.cuda()->modules,
                                        [](const rt::DeviceModule &module) {
                                          return module.cubin.empty();
                                        });
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileOnce(const CompileKey &key, const CompileFunction &compile,
                 std::vector<std::string> &warnings) {
  std::string folder = rt::CacheFolder::defaultPath();
  std::string compiler = folder.empty() ? "" : hashCompiler();
  if (compiler.empty())
    return compile();
  rt::Result<rt::ProgramCache> cache = openCache(folder);
  if (!cache.ok()) {
    // The cache's warnings come after those of the compilation, which the
    // program keeps.
    auto program = compile();
    warnings.push_back("compile cache: " + cache.status().message());
    return program;
  }
  std::string digest = digestOf(key, compiler);
  if (std::shared_ptr<rt::Program> program = cache->find(digest)) {
    llvm::append_range(warnings, program->warnings);
    return program;
  }
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program, compile());
  if (lacksMachineCode(*program))
    return program;
  rt::Status stored = cache->store(digest, program);
  if (!stored.ok())
    warnings.push_back("compile cache: " + stored.message());
  return program;
}
