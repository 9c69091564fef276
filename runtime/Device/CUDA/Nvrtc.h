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

/// The target of a compilation: machine code of one architecture, or PTX, which
/// the driver of any newer one compiles itself.
struct Target {
  enum class Kind { Cubin, Ptx };
  CudaArch arch;
  Kind kind = Kind::Cubin;
  /// "sm_90" or "compute_90".
  [[nodiscard]] std::string name() const;
  bool operator==(const Target &) const = default;
};

/// CUDA C++ with its name in messages.
struct Source {
  std::string name;
  std::string text;
};

/// A cubin, or PTX with its final zero byte, as Module::load takes it.
struct Image {
  Target target;
  std::vector<char> bytes;
  /// The messages of NVRTC and ptxas; with "--ptxas-options=-v" among the
  /// options also registers and spills.
  std::string log;
};

/// The NVRTC of this machine. Threads may compile at the same time.
class Nvrtc {
public:
  /// Opens the NVRTC that $MPC_NVRTC names, else that of CUDA 13, else of CUDA
  /// 12.
  static Result<std::shared_ptr<const Nvrtc>> open();
  static Result<std::shared_ptr<const Nvrtc>> open(const std::string &path);

  /// The path at which it was found.
  [[nodiscard]] const std::string &path() const { return library_.name(); }
  /// "13.0".
  [[nodiscard]] const std::string &version() const { return version_; }
  /// Identifies this library among all that may produce other code: its
  /// version, its file, and the file's size and time.
  [[nodiscard]] const std::string &identity() const { return identity_; }
  /// The known architectures, ascending.
  [[nodiscard]] const std::vector<int> &archs() const { return archs_; }

  /// The target for a device. It is machine code where NVRTC knows the device's
  /// architecture, or an earlier minor number of the same major one. It is PTX
  /// of the newest known architecture where the device is newer. A device older
  /// than all known ones is an error, and so is a `letter`, as in CudaArch, for
  /// a device whose own architecture is not known.
  [[nodiscard]] Result<Target> targetFor(Capability capability,
                                         char letter = '\0') const;

  /// The options of every kernel: the target, and no contraction of a
  /// multiplication and an addition.
  [[nodiscard]] static std::vector<std::string> optionsFor(Target target);
  /// Compiles. Adds optionsFor() to `options`.
  [[nodiscard]] Result<Image>
  compile(const Source &source, Target target,
          std::span<const std::string> options = {}) const;

  /// Compiles each source, on up to `threads` threads; 0: one for each CPU. The
  /// error is that of the first source, in order, that fails.
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
