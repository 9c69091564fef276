// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Contractions by their loops: as the text of a kernel, compiled and run with
/// the kernel that packs for it, and as a plain chain of std::fma.
#ifndef MPC_TEST_LIB_CODEGEN_CPU_CONTRACTIONS_H
#define MPC_TEST_LIB_CODEGEN_CPU_CONTRACTIONS_H

#include "lib/Codegen/CPU/Jit.h"
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace mpc::test {

enum class Format { F32, F16, BF16 };

/// Bytes of an element.
int64_t getBytes(Format format);

/// A tensor's index maps: one row a tensor dimension, in it the coefficient of
/// each loop.
using Map = std::vector<std::vector<int64_t>>;

/// A contraction: loops, and what its tensors read and write in an iteration.
struct Loops {
  std::vector<int64_t> extents;
  std::string kinds; ///< 'p'arallel or 'r'eduction, one a loop.
  Map a, b;
  std::vector<int64_t> result; ///< The result's loops, outermost first.
  Format aFormat = Format::F32, bFormat = Format::F32;
  bool fused = true; ///< math.fma, or mulf and addf.
  /// Whether evaluate() multiplies pairs of bf16 as `vdpbf16ps` does.
  bool pairs = false;
  /// Whether windows slide over an operand, so that a chain is whole taps or a
  /// part of one, and how many k lie side by side in a window.
  bool windows = false;
  int64_t run = 0;
  /// Zeros at both ends of the axes of `a` and `b`, which the text states.
  std::vector<int64_t> aBorder, bBorder;
  /// Whether the kernel is given these without borders, and pads them itself.
  bool pads = false;

  std::vector<int64_t> getShape(const Map &map) const;
  std::vector<int64_t> getResultShape() const;
  int64_t countFlops() const;
  /// The shapes of `a` and `b` as the kernel is given them.
  std::vector<int64_t> getShapeInMemory(const Map &map,
                                        std::vector<int64_t> border) const;
};

/// What follows the contraction in its kernel.
enum class After {
  Nothing,  ///< The f32 result.
  Truncate, ///< To f16.
  /// relu(result + bias[last]) + residual, to f16; written with the dimensions
  /// of the result reversed. And the relu's mask as i1.
  Everything,
};

/// a @ b with m, n, k; either may be transposed.
Loops matmul(int64_t m, int64_t n, int64_t k, bool aTransposed = false,
             bool bTransposed = false);
/// `count` of them.
Loops batched(int64_t count, int64_t m, int64_t n, int64_t k);

/// A convolution of a padded input.
struct Convolution {
  int64_t batch, groups, inputs, outputs; ///< Channels: of one group.
  int64_t height, width;                  ///< Of the output.
  int64_t kernel, stride, dilation;
};
/// Output (n, g, o, y, x) over (kh, kw, c).
Loops convolve(const Convolution &convolution);
/// Gradient of the weight: (g, o, c, kh, kw) over (y, x, n).
Loops convolveWeightGradient(const Convolution &convolution);
/// Gradient of the input for stride 1, the kernel flipped by its map's order:
/// (n, g, c, y, x) over (kh, kw, o) of a padded gradient.
Loops convolveInputGradient(const Convolution &convolution);

/// The kernel `@k`: a, b, then what `after` needs (bias, residual), then the
/// destinations.
std::string getText(const Loops &loops, After after);

/// What `vdpbf16ps` computes of a sum and two pairs of bf16, by its
/// description in lib/Codegen/CPU/Units.h.
float addPair(float sum, std::array<float, 2> a, std::array<float, 2> b);

/// How many k, the last reduction innermost, are one chain of multiply-adds.
int64_t getChain(const Loops &loops);
/// The result of `after == Nothing`, in f32: chains from zero on, whose sums
/// are added in order.
std::vector<float> evaluate(const Loops &loops, const std::vector<float> &a,
                            const std::vector<float> &b);

/// Threads that wait for work; the caller is one of them.
class Workers {
public:
  explicit Workers(unsigned count);
  ~Workers();
  /// Runs `work` on all threads at once, and returns when all are done.
  void run(const std::function<void()> &work);

private:
  void wait();

  std::vector<std::thread> threads_;
  const std::function<void()> *work_ = nullptr; ///< Null ends the threads.
  std::atomic<unsigned> round_ = 0, busy_ = 0;
};

/// Instead of a number of lanes: by scalar loops, as `--naive` does.
constexpr int64_t kScalarLoops = 1;

/// A compiled kernel `@k` and the kernel that packs for it, if there is one.
class GemmKernels {
public:
  /// `lanes` 0 is what the machine has; see kScalarLoops. `bf16` multiplies
  /// bf16; scalar loops compute the same on any machine.
  static llvm::Expected<GemmKernels> compile(const std::string &text,
                                             int64_t lanes,
                                             cpu::Unit bf16 = cpu::Unit::FMA);

  /// Runs on the buffers that the text's kernel takes; all chunks on this
  /// thread, in `pieces` calls.
  void run(std::vector<void *> buffers, int64_t pieces = 1);
  /// The same by several threads.
  void runParallel(std::vector<void *> buffers, Workers &workers);
  /// The schedule of `@k`.
  const std::string &schedule() const { return scheduleText_; }
  int64_t chunks() const { return main_.chunks; }

private:
  using Buffers = std::vector<void *>;
  Buffers getMainBuffers(const Buffers &buffers);

  cpu::CompiledKernels compiled_;
  cpu::CompiledKernel main_, pack_;
  std::string scheduleText_;
  /// The packed factor's place in the text's and in the main kernel's
  /// arguments, and memory for it.
  unsigned packedSource_ = 0, packedArgument_ = 0;
  std::vector<float> packed_;
};

} // namespace mpc::test

#endif // MPC_TEST_LIB_CODEGEN_CPU_CONTRACTIONS_H
