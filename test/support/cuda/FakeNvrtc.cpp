// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVRTC's symbols over the host's C++ compiler: a kernel's text becomes a
// module for the emulator, by the same calls that make machine code of it.
#include "runtime/Device/CUDA/Nvrtc.h"
#include "runtime/Support/Hash.h"
#include "test/support/cuda/FakeImage.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <type_traits>
#include <unistd.h>

using namespace mpc::rt::cuda;
using namespace mpc::rt::cuda::test;

namespace {

namespace fs = std::filesystem;

/// What the test NVRTC claims to compile for: one less than the device of a
/// test that wants something newer.
constexpr std::array<int, 7> kArchs = {75, 80, 86, 89, 90, 100, 120};

struct Program {
  std::string text, name, log, image;
};

/// A folder of temporary files that goes with its scope.
class Scratch {
public:
  Scratch() {
    std::string pattern = fs::temp_directory_path() / "mpc-simt-XXXXXX";
    path_ = ::mkdtemp(pattern.data()) ? pattern : std::string();
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty())
      fs::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const char *name) const {
    return path_ + "/" + name;
  }

private:
  std::string path_;
};

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeFile(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The text without what `#if MPC_ARCH` leaves out, and without comments: only
/// the kernels in it are to be registered.
std::string preprocess(const Scratch &scratch, const std::string &flags) {
  std::string output = scratch.file("plain.cpp");
  std::string command =
      fmt::format("{} {} -E -P -o '{}' '{}' 2>/dev/null", MPC_SIMT_COMPILER,
                  flags, output, scratch.file("kernel.cpp"));
  return std::system(command.c_str()) == 0 ? readFile(output) : std::string();
}

/// Without checks a kernel runs some ten times faster, and its faults are not
/// found.
bool isChecked() {
  const char *checks = std::getenv("MPC_SIMT_CHECKS");
  return !checks || std::strcmp(checks, "0") != 0;
}

/// The table of the kernels in preprocessed text. Device.h makes nothing of
/// `__launch_bounds__` there, so `bounds` is looked up in the original.
std::string registration(const std::string &plain, const std::string &text) {
  static const std::regex kKernel(
      R"(extern\s+"C"\s+__attribute__\s*\(\(used, noinline\)\)\s+void\s+(\w+)\s*\()");
  std::string table;
  for (std::sregex_iterator found(plain.begin(), plain.end(), kKernel), end;
       found != end; ++found) {
    std::string name = (*found)[1];
    std::smatch bounds;
    std::regex pattern(R"(__launch_bounds__\s*\(\s*(\d+)[^)]*\)\s*)" + name +
                       R"(\s*\()");
    bool bounded = std::regex_search(text, bounds, pattern);
    table += fmt::format("  simt::Entry<{0}>::describe(\"{0}\", {1}),\n", name,
                         bounded ? bounds[1].str() : "1024");
  }
  return "\n#line 1 \"registration\"\n"
         "extern \"C\" {\n"
         "extern const simt::Kernel kSimtKernels[];\n"
         "extern const size_t kSimtKernelCount;\n"
         "extern const bool kSimtChecked;\n"
         "const simt::Kernel kSimtKernels[] = {\n" +
         table +
         "  {}};\n"
         "const size_t kSimtKernelCount =\n"
         "    sizeof kSimtKernels / sizeof *kSimtKernels - 1;\n" +
         fmt::format("const bool kSimtChecked = {};\n", isChecked()) + "}\n";
}

std::string compileFlags(int arch) {
  return fmt::format(
      "-std=c++20 -O1 -g1 -fPIC -w -ffp-contract=off -fno-builtin "
      "-fvisibility=hidden -DMPC_ARCH={} -I'{}' -include "
      "test/support/simt/Device.h{}",
      arch, MPC_SIMT_ROOT, isChecked() ? " -fsanitize=thread" : "");
}

bool runTool(const std::string &command, const Scratch &scratch,
             std::string &log) {
  std::string output = scratch.file("log");
  bool done = std::system((command + " >'" + output + "' 2>&1").c_str()) == 0;
  log += readFile(output);
  return done;
}

/// The modules of earlier texts, in a folder of the build: tests compile the
/// same kernels again and again. A module is named by a hash of all that it is
/// made of.
class KeptModules {
public:
  /// Of a text with all that it includes, the commands that compile it, and
  /// what is linked to it.
  explicit KeptModules(const std::string &made) {
    std::string hooks = readFile(MPC_SIMT_HOOKS);
    mpc::rt::ContentHash hash;
    for (const std::string &part : {made, hooks})
      hash.update(part.data(), part.size());
    path_ = folder() / hash.digest();
  }

  [[nodiscard]] std::string find() const {
    std::error_code missing;
    fs::last_write_time(path_, fs::file_time_type::clock::now(), missing);
    return missing ? std::string() : readFile(path_);
  }

  /// Under another name first: two tests may compile the same.
  void keep(const std::string &object) const {
    std::error_code ignored;
    fs::create_directories(folder(), ignored);
    std::string beside = fmt::format("{}.{}", path_.string(), ::getpid());
    writeFile(beside, object);
    fs::rename(beside, path_, ignored);
    dropUnused();
  }

private:
  static fs::path folder() { return MPC_SIMT_KEPT; }

  /// What no test has asked for in a week is of a text that is no more.
  static void dropUnused() {
    auto oldest = fs::file_time_type::clock::now() - std::chrono::weeks(1);
    std::error_code ignored;
    for (const fs::directory_entry &entry :
         fs::directory_iterator(folder(), ignored))
      if (entry.last_write_time(ignored) < oldest)
        fs::remove(entry.path(), ignored);
  }

  fs::path path_;
};

/// Compiles and links without the sanitizer's library: Hooks.cpp stands in.
bool compile(Program &program, const Scratch &scratch,
             const std::string &flags) {
  return runTool(fmt::format("{} {} -c -o '{}' '{}'", MPC_SIMT_COMPILER, flags,
                             scratch.file("kernel.o"),
                             scratch.file("kernel.cpp")),
                 scratch, program.log) &&
         runTool(fmt::format("{} {} -shared -o '{}' '{}' '{}'",
                             MPC_SIMT_COMPILER, MPC_SIMT_LINK_FLAGS,
                             scratch.file("module.so"),
                             scratch.file("kernel.o"), MPC_SIMT_HOOKS),
                 scratch, program.log);
}

/// The module of a text, of an earlier compilation where there was one; empty
/// where the text is wrong.
std::string build(Program &program, const Scratch &scratch, int arch) {
  std::string flags = compileFlags(arch);
  std::string begin = "#line 1 \"" + program.name + "\"\n";
  writeFile(scratch.file("kernel.cpp"), begin + program.text);
  std::string plain = preprocess(scratch, flags);
  std::string text = begin + program.text + registration(plain, program.text);
  KeptModules kept(fmt::format("{}\n{} {} {}\n{}", plain, MPC_SIMT_COMPILER,
                               flags, MPC_SIMT_LINK_FLAGS, text));
  std::string object = plain.empty() ? std::string() : kept.find();
  if (!object.empty())
    return object;
  writeFile(scratch.file("kernel.cpp"), text);
  if (!compile(program, scratch, flags))
    return {};
  object = readFile(scratch.file("module.so"));
  kept.keep(object);
  return object;
}

/// 90 of "--gpu-architecture=sm_90"; 0 where it is none of ours.
int archOf(const std::string &option, bool &isPtx) {
  static const std::regex kPattern("--gpu-architecture=(sm|compute)_(\\d+)");
  std::smatch match;
  if (!std::regex_match(option, match, kPattern))
    return 0;
  isPtx = match[1] == "compute";
  int arch = std::stoi(match[2]);
  return std::find(kArchs.begin(), kArchs.end(), arch) != kArchs.end() ? arch
                                                                       : 0;
}

Program &programOf(NvrtcHandle handle) {
  return *reinterpret_cast<Program *>(handle);
}

} // namespace

extern "C" {

NvrtcCode nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 0;
  return nvrtc_code::kSuccess;
}

NvrtcCode nvrtcGetNumSupportedArchs(int *count) {
  *count = kArchs.size();
  return nvrtc_code::kSuccess;
}

NvrtcCode nvrtcGetSupportedArchs(int *archs) {
  std::copy(kArchs.begin(), kArchs.end(), archs);
  return nvrtc_code::kSuccess;
}

const char *nvrtcGetErrorString(NvrtcCode value) {
  switch (value) {
  case nvrtc_code::kSuccess:
    return "NVRTC_SUCCESS";
  case nvrtc_code::kInvalidOption:
    return "NVRTC_ERROR_INVALID_OPTION";
  case nvrtc_code::kCompilation:
    return "NVRTC_ERROR_COMPILATION";
  default:
    return "NVRTC_ERROR";
  }
}

NvrtcCode nvrtcCreateProgram(NvrtcHandle *program, const char *source,
                             const char *name, int, const char *const *,
                             const char *const *) {
  auto *made = new Program{source, name, "", ""};
  *program = reinterpret_cast<NvrtcHandle>(made);
  return nvrtc_code::kSuccess;
}

NvrtcCode nvrtcDestroyProgram(NvrtcHandle *program) {
  delete &programOf(*program);
  *program = nullptr;
  return nvrtc_code::kSuccess;
}

NvrtcCode nvrtcCompileProgram(NvrtcHandle handle, int count,
                              const char *const *options) {
  Program &program = programOf(handle);
  FakeImageHeader header;
  bool isPtx = false, contracts = true;
  for (int i = 0; i < count; ++i) {
    std::string option = options[i];
    if (option.starts_with("--gpu-architecture="))
      header.arch = archOf(option, isPtx);
    contracts = contracts && option != "--fmad=false";
  }
  // What mpc compiles never contracts; a program that lets it is not ours.
  if (header.arch == 0 || contracts)
    return nvrtc_code::kInvalidOption;
  Scratch scratch;
  std::string object = build(program, scratch, header.arch);
  if (object.empty())
    return nvrtc_code::kCompilation;
  header.isPtx = isPtx;
  header.bytes = object.size();
  program.image.assign(reinterpret_cast<const char *>(&header), sizeof header);
  program.image += object;
  return nvrtc_code::kSuccess;
}

NvrtcCode nvrtcGetProgramLogSize(NvrtcHandle program, size_t *bytes) {
  *bytes = programOf(program).log.size() + 1;
  return nvrtc_code::kSuccess;
}

NvrtcCode nvrtcGetProgramLog(NvrtcHandle program, char *log) {
  std::strcpy(log, programOf(program).log.c_str());
  return nvrtc_code::kSuccess;
}

NvrtcCode nvrtcGetCUBINSize(NvrtcHandle program, size_t *bytes) {
  *bytes = programOf(program).image.size();
  return nvrtc_code::kSuccess;
}

NvrtcCode nvrtcGetCUBIN(NvrtcHandle program, char *image) {
  const std::string &bytes = programOf(program).image;
  std::copy(bytes.begin(), bytes.end(), image);
  return nvrtc_code::kSuccess;
}

NvrtcCode nvrtcGetPTXSize(NvrtcHandle program, size_t *bytes) {
  return nvrtcGetCUBINSize(program, bytes);
}

NvrtcCode nvrtcGetPTX(NvrtcHandle program, char *image) {
  return nvrtcGetCUBIN(program, image);
}

} // extern "C"

#define MPC_SAME_TYPE(name, ...)                                               \
  static_assert(std::is_same_v<decltype(&name), decltype(NvrtcTable::name)>);
MPC_CUDA_NVRTC_SYMBOLS(MPC_SAME_TYPE)
