// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The orders in which passes run. Nothing else knows one.
#ifndef MPC_PASSES_PIPELINES_H
#define MPC_PASSES_PIPELINES_H

#include "dialects/Interfaces/Precision.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc::nn {
struct AutocastPolicy;
} // namespace mpc::nn

namespace mpc {

/// What the precision and loss stages need to know.
struct PrecisionOptions {
  Precision precision = Precision::FP32;
  std::vector<std::string> keepFp32; ///< Regular expressions on names.
  std::vector<std::string> lower;
  /// Type of the model's outputs; none: as it declares.
  std::optional<Precision> outputType;
  /// Leave an op in f32 whose casts cost more than the low type saves.
  bool costAware = false;
  /// Weights beyond the low type's range have its largest number as their copy,
  /// which an infinity would be otherwise.
  bool saturateWeights = true;
  /// A built-in autocast policy, or a file; "preset:NAME" is no file.
  std::string policy = "preset:mpc";
  /// What `policy` names, where it has been read already.
  std::shared_ptr<const nn::AutocastPolicy> loadedPolicy;
  bool explain = false; ///< Keep in locations why each op has its precision.
};

/// What the kernel stages need to know.
struct KernelOptions {
  int64_t lanes = 8;  ///< f32 lanes of a vector register.
  bool fuse = true;   ///< Join structured ops into kernels.
  bool naive = false; ///< Run every kernel by scalar loops.
};

/// Casts: autocast, then placement and sharing.
void buildPrecisionPipeline(mlir::OpPassManager &manager,
                            const PrecisionOptions &options);

/// Expands vjps; afterwards only bit-exact folds run.
void buildAutodiffPipeline(mlir::OpPassManager &manager);

/// Bodies, fusion, schedules, memory. Leaves kernels and planned entries.
void buildKernelPipeline(mlir::OpPassManager &manager,
                         const KernelOptions &options);

} // namespace mpc

#endif // MPC_PASSES_PIPELINES_H
