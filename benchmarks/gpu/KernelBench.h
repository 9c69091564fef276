// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs a program's kernels one by one, each on memory of its own.
#ifndef MPC_BENCHMARKS_GPU_KERNELBENCH_H
#define MPC_BENCHMARKS_GPU_KERNELBENCH_H

#include "benchmarks/gpu/KernelValues.h"
#include "runtime/Device/CUDA/Stream.h"
#include "runtime/Program/Commands.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc::gpu {

/// Whether a program's machine code is to run, or what is compiled of its text
/// now. The former falls back to the latter where the driver refuses it.
enum class Code : uint8_t { Machine, Text };

/// A range of the program's memory that a launch's arguments lie in, and where
/// it stands on the device. Around it are guards that nobody may write to.
struct Region {
  rt::BufferRef range;
  uint64_t place = 0; ///< From the begin of the bench's memory.
};

/// An argument: of which region, from where on.
struct Argument {
  rt::DType type = rt::DType::F32;
  rt::BufferRef range;
  size_t region = 0;
  [[nodiscard]] uint64_t elements() const {
    return range.bytes / rt::byteSize(type);
  }
};

/// The memory of one launch, or of some that run one after the other: what lies
/// in the same bytes of the program does so here, and has the same place behind
/// a multiple of 256 bytes.
struct Layout {
  std::vector<Region> regions;
  std::vector<std::vector<Argument>> arguments; ///< By launch.
  uint64_t bytes = 0;
};

[[nodiscard]] rt::Result<Layout>
layOut(const rt::Program &program,
       const std::vector<const rt::Launch *> &launches);

class KernelBench {
public:
  static rt::Result<KernelBench>
  open(rt::cuda::ContextRef context, std::shared_ptr<const rt::Program> program,
       Code code);

  [[nodiscard]] const rt::Program &program() const { return *program_; }
  [[nodiscard]] const rt::cuda::ContextRef &context() const { return context_; }
  /// Why the program's machine code does not run; empty where it does.
  [[nodiscard]] const std::string &refusal() const { return refusal_; }

  /// Makes room and writes the guards.
  rt::Status prepare(const Layout &layout);
  /// Fills one argument.
  rt::Status fill(const Layout &layout, const Argument &argument,
                  const Filling &filling);
  /// Runs launch `number` of the layout, whose arguments are filled.
  rt::Status run(const Layout &layout, const rt::Launch &launch, size_t number);
  /// Bytes [offset, offset + to.size()) of an argument.
  rt::Status read(const Layout &layout, const Argument &argument,
                  uint64_t offset, std::span<std::byte> to);
  /// Fails where a guard was written to.
  rt::Status checkGuards(const Layout &layout);

private:
  KernelBench(rt::cuda::ContextRef context,
              std::shared_ptr<const rt::Program> program,
              rt::cuda::Stream stream)
      : context_(std::move(context)), program_(std::move(program)),
        stream_(std::move(stream)) {}
  rt::Status loadMachineCode();
  rt::Status loadText();
  rt::Result<rt::cuda::Function> functionOf(const rt::Launch &launch);
  [[nodiscard]] rt::cuda::DevicePointer
  addressOf(const Layout &layout, const Argument &argument) const;

  rt::cuda::ContextRef context_;
  std::shared_ptr<const rt::Program> program_;
  rt::cuda::Stream stream_;
  std::vector<rt::cuda::Module> modules_;
  std::string refusal_;
  rt::cuda::DeviceBuffer memory_;
};

/// What the argument is filled with in a round: by its number among those of
/// the kernel, so that another kernel of the same body gets the same.
[[nodiscard]] Filling fillingOf(const rt::Program &program,
                                const Argument &argument, size_t number,
                                int round);

} // namespace mpc::gpu

#endif // MPC_BENCHMARKS_GPU_KERNELBENCH_H
