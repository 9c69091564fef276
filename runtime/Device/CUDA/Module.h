// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiled kernels in a device: modules and their functions.
#ifndef MPC_RUNTIME_DEVICE_CUDA_MODULE_H
#define MPC_RUNTIME_DEVICE_CUDA_MODULE_H

#include "runtime/Device/CUDA/Context.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace mpc::rt::cuda {

/// The number of blocks, their threads, and the dynamic shared memory of each.
struct LaunchShape {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t sharedBytes = 0;
};

/// The resources that the compiler assigned to a kernel.
struct FunctionResources {
  int maxThreadsPerBlock = 0;
  int staticSharedBytes = 0;
  int localBytes = 0; ///< A thread's stack and spills.
  int registers = 0;
};

class Function;

/// Whether a driver that gives this `answer` cannot use the image: it is no
/// image, or one for another device or from a newer compiler. Another image of
/// the same text may work.
[[nodiscard]] constexpr bool refusesImage(DriverCode answer) {
  return answer == code::kInvalidImage || answer == code::kNoBinaryForGpu ||
         answer == code::kInvalidPtx || answer == code::kUnsupportedPtxVersion;
}

/// A loaded image. Functions keep their module loaded.
class Module {
public:
  /// Loads a cubin, or PTX that ends in a zero byte. Errors call it `name`.
  /// `answer` receives the driver's answer.
  static Result<Module> load(const ContextRef &context,
                             std::span<const char> image,
                             const std::string &name,
                             DriverCode *answer = nullptr);

  /// The kernel `name`, which is `extern "C"`. A driver that loads lazily
  /// examines the image here.
  [[nodiscard]] Result<Function> function(const std::string &name,
                                          DriverCode *answer = nullptr) const;

private:
  using Handle = Owned<ModuleHandle, &DriverTable::cuModuleUnload>;
  Module(Handle handle, std::string name)
      : handle_(std::make_shared<Handle>(std::move(handle))),
        name_(std::move(name)) {}

  std::shared_ptr<const Handle> handle_;
  std::string name_;
};

/// A kernel that can be launched in any shape for which it was prepared.
class Function {
public:
  [[nodiscard]] const std::string &name() const { return name_; }
  [[nodiscard]] const FunctionResources &resources() const {
    return resources_;
  }
  [[nodiscard]] FunctionHandle handle() const { return handle_; }
  [[nodiscard]] const Context &context() const { return module_->context(); }

  /// Checks that the device can hold a block of `shape`, and opts in to shared
  /// memory beyond 48 KiB. Call it once for each shape, before the launches; a
  /// captured launch cannot do it.
  [[nodiscard]] Status prepare(const LaunchShape &shape);

private:
  friend class Module;
  using ModuleRef =
      std::shared_ptr<const Owned<ModuleHandle, &DriverTable::cuModuleUnload>>;
  Function(ModuleRef module, FunctionHandle handle, std::string name)
      : module_(std::move(module)), handle_(handle), name_(std::move(name)) {}
  Status queryResources();

  ModuleRef module_;
  FunctionHandle handle_;
  std::string name_;
  FunctionResources resources_;
  uint32_t preparedSharedBytes_ = 0;
};

/// "grid 4x1x1, block 256x1x1, 0 bytes of dynamic shared memory".
[[nodiscard]] std::string describe(const LaunchShape &shape);

} // namespace mpc::rt::cuda

#endif // MPC_RUNTIME_DEVICE_CUDA_MODULE_H
