// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// CUDA C++ compiled to machine code in this process, by NVRTC found at run
/// time. Needs no GPU and no driver.
#ifndef MPC_RUNTIME_DEVICE_CUDA_NVRTC_H
#define MPC_RUNTIME_DEVICE_CUDA_NVRTC_H

#include "runtime/Device/CUDA/Api.h"
#include "runtime/Device/CUDA/Context.h"
#include "runtime/Device/CUDA/Library.h"
#include "runtime/Support/CudaArch.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mpc::rt::cuda {

/// One pointer for each symbol of NVRTC.
struct NvrtcTable {
#define MPC_MEMBER(name, ...) NvrtcCode (*name)(__VA_ARGS__) = nullptr;
  MPC_CUDA_NVRTC_SYMBOLS(MPC_MEMBER)
#undef MPC_MEMBER
  const char *(*nvrtcGetErrorString)(NvrtcCode) = nullptr;
};

/// What NVRTC compiles for: machine code of one architecture, or PTX that the
/// driver of any newer one compiles itself.
struct Target {
  enum class Kind { Cubin, Ptx };
  CudaArch arch;
  Kind kind = Kind::Cubin;
  /// "sm_90" or "compute_90".
  [[nodiscard]] std::string name() const;
  bool operator==(const Target &) const = default;
};

/// CUDA C++ under the name that messages give it.
struct Source {
  std::string name;
  std::string text;
};

/// A cubin, or PTX with its final zero byte: what Module::load takes.
struct Image {
  Target target;
  std::vector<char> bytes;
  /// What NVRTC and ptxas had to say; with "--ptxas-options=-v" among the
  /// options also registers and spills.
  std::string log;
};

/// The NVRTC of this machine. Threads may compile at the same time.
class Nvrtc {
public:
  /// The one that $MPC_NVRTC names, else that of CUDA 13, else of CUDA 12.
  static Result<std::shared_ptr<const Nvrtc>> open();
  static Result<std::shared_ptr<const Nvrtc>> open(const std::string &path);

  /// Where it was found.
  [[nodiscard]] const std::string &path() const { return library_.name(); }
  /// "13.0".
  [[nodiscard]] const std::string &version() const { return version_; }
  /// What tells this library from every other that may make other code: its
  /// version, its file, and that file's size and time.
  [[nodiscard]] const std::string &identity() const { return identity_; }
  /// What it compiles for, ascending.
  [[nodiscard]] const std::vector<int> &archs() const { return archs_; }

  /// Machine code where NVRTC knows the device's architecture or one whose code
  /// it runs too (an earlier minor number of the same major one); PTX of the
  /// newest known one where the device is newer. A device that is older than
  /// all known ones is an error, and so is a `letter`, as CudaArch has it, for
  /// a device whose own architecture is not known.
  [[nodiscard]] Result<Target> targetFor(Capability capability,
                                         char letter = '\0') const;

  /// What every kernel of ours needs: the target, and that no multiplication is
  /// contracted with an addition behind the text's back.
  [[nodiscard]] static std::vector<std::string> optionsFor(Target target);
  /// Adds optionsFor() to `options`.
  [[nodiscard]] Result<Image>
  compile(const Source &source, Target target,
          std::span<const std::string> options = {}) const;

  /// compile() of each source on up to `threads` threads; 0 means one for each
  /// CPU. The error is that of the first source that fails, in order.
  [[nodiscard]] Result<std::vector<Image>>
  compileAll(std::span<const Source> sources, Target target,
             int threads = 0) const;

private:
  explicit Nvrtc(Library library) : library_(std::move(library)) {}
  static Result<std::shared_ptr<const Nvrtc>>
  openFirst(const std::vector<std::string> &names);
  Status load();
  void identify();
  [[nodiscard]] Status check(NvrtcCode code, const char *call,
                             const std::string &doing) const;
  [[nodiscard]] Result<Image> takeImage(NvrtcHandle program, Target target,
                                        const std::string &doing) const;
  [[nodiscard]] std::string logOf(NvrtcHandle program) const;

  Library library_;
  NvrtcTable table_;
  std::string version_, identity_;
  std::vector<int> archs_;
};

} // namespace mpc::rt::cuda

#endif // MPC_RUNTIME_DEVICE_CUDA_NVRTC_H
