// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds NVRTC, chooses a target, and compiles.
#include "runtime/Device/CUDA/Nvrtc.h"

#include "runtime/Device/CPU/ThreadPool.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>

namespace mpc::rt::cuda {
namespace {

/// The sonames come first, so that a program's own choice wins. Then come the
/// folders in which the toolkit's installer puts it without registering it.
const std::vector<std::string> kNvrtcNames = {
    "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13",
    "/usr/local/cuda/lib64/libnvrtc.so.12"};

/// Frees an NVRTC program at the end of its scope.
class Program {
public:
  Program(const NvrtcTable &table, NvrtcHandle handle)
      : table_(table), handle_(handle) {}
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program() { (void)table_.nvrtcDestroyProgram(&handle_); }
  [[nodiscard]] NvrtcHandle get() const { return handle_; }

private:
  const NvrtcTable &table_;
  NvrtcHandle handle_;
};

/// The image of one of many sources, or the reason why there is none.
using Slot = std::optional<Result<Image>>;

} // namespace

std::string Target::name() const {
  return (kind == Kind::Cubin ? "sm_" : "compute_") + arch.text();
}

Result<std::shared_ptr<const Nvrtc>> Nvrtc::open() {
  const char *path = std::getenv("MPC_NVRTC");
  return path && *path ? openFirst({path}) : openFirst(kNvrtcNames);
}

Result<std::shared_ptr<const Nvrtc>> Nvrtc::open(const std::string &path) {
  return openFirst({path});
}

Result<std::shared_ptr<const Nvrtc>>
Nvrtc::openFirst(const std::vector<std::string> &names) {
  Result<Library> library = Library::open(names);
  if (!library.ok())
    return library.status().withContext(
        "no NVRTC, which compiles kernels for the GPU (it comes with the CUDA "
        "toolkit, with PyTorch, and as the Python package nvidia-cuda-nvrtc; "
        "MPC_NVRTC may name its library)");
  std::shared_ptr<Nvrtc> nvrtc(new Nvrtc(*std::move(library)));
  MPC_RETURN_IF_ERROR(nvrtc->load());
  return std::shared_ptr<const Nvrtc>(std::move(nvrtc));
}

Status Nvrtc::load() {
#define MPC_FIND(name, ...)                                                    \
  MPC_RETURN_IF_ERROR(library_.find(#name, table_.name));
  MPC_CUDA_NVRTC_SYMBOLS(MPC_FIND)
#undef MPC_FIND
  MPC_RETURN_IF_ERROR(
      library_.find("nvrtcGetErrorString", table_.nvrtcGetErrorString));
  std::string doing = "starting NVRTC " + library_.name();
  int major = 0, minor = 0, count = 0;
  MPC_RETURN_IF_ERROR(
      check(table_.nvrtcVersion(&major, &minor), "nvrtcVersion", doing));
  version_ = fmt::format("{}.{}", major, minor);
  identify();
  MPC_RETURN_IF_ERROR(check(table_.nvrtcGetNumSupportedArchs(&count),
                            "nvrtcGetNumSupportedArchs", doing));
  archs_.resize(static_cast<size_t>(std::max(count, 0)));
  MPC_RETURN_IF_ERROR(check(table_.nvrtcGetSupportedArchs(archs_.data()),
                            "nvrtcGetSupportedArchs", doing));
  std::sort(archs_.begin(), archs_.end());
  if (archs_.empty())
    return environmentError(doing + ": it supports no architecture");
  return Status();
}

/// The opened name may be a soname; the loader knows the path of the file.
void Nvrtc::identify() {
  Dl_info info{};
  struct stat file{};
  bool isKnown =
      ::dladdr(reinterpret_cast<void *>(table_.nvrtcVersion), &info) != 0 &&
      ::stat(info.dli_fname, &file) == 0;
  identity_ = isKnown ? fmt::format("{} {} {} {}.{}", version_, info.dli_fname,
                                    file.st_size, file.st_mtim.tv_sec,
                                    file.st_mtim.tv_nsec)
                      : version_;
}

Status Nvrtc::check(NvrtcCode value, const char *call,
                    const std::string &doing) const {
  if (value == nvrtc_code::kSuccess)
    return Status();
  return environmentError(fmt::format("{}: {} failed: {} ({})", doing, call,
                                      table_.nvrtcGetErrorString(value),
                                      value));
}

Result<Target> Nvrtc::targetFor(Capability capability, char letter) const {
  int wanted = capability.number();
  auto above = std::upper_bound(archs_.begin(), archs_.end(), wanted);
  if (above == archs_.begin())
    return environmentError(fmt::format(
        "NVRTC {} compiles for sm_{} and newer; the device is an sm_{}: it "
        "needs an older NVRTC (MPC_NVRTC names one)",
        version_, archs_.front(), wanted));
  int newest = *(above - 1);
  if (letter && newest != wanted)
    return environmentError(fmt::format(
        "NVRTC {} does not compile for sm_{}{}, which the device is", version_,
        wanted, letter));
  bool sameMajor = newest / 10 == capability.major;
  return Target{{newest, letter},
                sameMajor ? Target::Kind::Cubin : Target::Kind::Ptx};
}

std::string Nvrtc::logOf(NvrtcHandle program) const {
  size_t bytes = 0;
  if (table_.nvrtcGetProgramLogSize(program, &bytes) != nvrtc_code::kSuccess ||
      bytes == 0)
    return {};
  std::string log(bytes, '\0');
  if (table_.nvrtcGetProgramLog(program, log.data()) != nvrtc_code::kSuccess)
    return {};
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n'))
    log.pop_back();
  return log;
}

std::vector<std::string> Nvrtc::optionsFor(Target target) {
  return {"--gpu-architecture=" + target.name(), "--fmad=false"};
}

Result<Image> Nvrtc::compile(const Source &source, Target target,
                             std::span<const std::string> options) const {
  std::string doing =
      fmt::format("compiling {} for {}", quote(source.name), target.name());
  NvrtcHandle handle = nullptr;
  MPC_RETURN_IF_ERROR(
      check(table_.nvrtcCreateProgram(&handle, source.text.c_str(),
                                      source.name.c_str(), 0, nullptr, nullptr),
            "nvrtcCreateProgram", doing));
  Program program(table_, handle);
  std::vector<std::string> all = optionsFor(target);
  all.insert(all.end(), options.begin(), options.end());
  std::vector<const char *> arguments;
  for (const std::string &option : all)
    arguments.push_back(option.c_str());
  NvrtcCode compiled = table_.nvrtcCompileProgram(
      program.get(), static_cast<int>(arguments.size()), arguments.data());
  if (compiled != nvrtc_code::kSuccess) {
    Status status = check(compiled, "nvrtcCompileProgram", doing);
    return environmentError(status.message() + "\n" + logOf(program.get()));
  }
  return takeImage(program.get(), target, doing);
}

Result<Image> Nvrtc::takeImage(NvrtcHandle program, Target target,
                               const std::string &doing) const {
  bool cubin = target.kind == Target::Kind::Cubin;
  const char *name = cubin ? "nvrtcGetCUBIN" : "nvrtcGetPTX";
  auto size = cubin ? table_.nvrtcGetCUBINSize : table_.nvrtcGetPTXSize;
  auto bytes = cubin ? table_.nvrtcGetCUBIN : table_.nvrtcGetPTX;
  size_t count = 0;
  MPC_RETURN_IF_ERROR(check(size(program, &count), name, doing));
  Image image{target, std::vector<char>(count), logOf(program)};
  MPC_RETURN_IF_ERROR(check(bytes(program, image.bytes.data()), name, doing));
  return image;
}

Result<std::vector<Image>> Nvrtc::compileAll(std::span<const Source> sources,
                                             Target target, int threads) const {
  MPC_ASSIGN_OR_RETURN(auto pool, ThreadPool::create(threads));
  std::vector<Slot> slots(sources.size());
  auto compileSome = [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      slots[i] = compile(sources[i], target);
  };
  pool->run(
      static_cast<int64_t>(sources.size()),
      [](void *context, int, int64_t begin, int64_t end) {
        (*static_cast<decltype(compileSome) *>(context))(begin, end);
      },
      &compileSome);
  std::vector<Image> images;
  for (Slot &slot : slots) {
    MPC_ASSIGN_OR_RETURN(Image image, *std::move(slot));
    images.push_back(std::move(image));
  }
  return images;
}

} // namespace mpc::rt::cuda
