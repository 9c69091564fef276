// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The part of cuBLASLt's binary interface that mpc calls, declared here so
/// that no CUDA header is needed to build. Source: cublasLt.h, cublas_api.h and
/// library_types.h of CUDA 13.0, which are the same in CUDA 12 for what stands
/// here. Where these headers are found, BlasHeaderTest.cpp compares every line
/// below with them.
#ifndef MPC_RUNTIME_DEVICE_CUDA_BLASAPI_H
#define MPC_RUNTIME_DEVICE_CUDA_BLASAPI_H

#include "runtime/Device/CUDA/Api.h"

#include <cstddef>
#include <cstdint>

namespace mpc::rt::cuda {

/// A cublasStatus_t; 0 is success.
using BlasCode = int;

using BlasHandle = struct BlasOpaque *;
using BlasProductHandle = struct BlasProductOpaque *;
using BlasLayoutHandle = struct BlasLayoutOpaque *;
using BlasPreferenceHandle = struct BlasPreferenceOpaque *;

namespace blas_code {
inline constexpr BlasCode kSuccess = 0;
inline constexpr BlasCode kNotInitialized = 1;
inline constexpr BlasCode kInvalidValue = 7;
inline constexpr BlasCode kExecutionFailed = 13;
inline constexpr BlasCode kNotSupported = 15;
} // namespace blas_code

/// A cublasLtMatmulAlgo_t: one way to compute a product. Plain data, which a
/// process of the same device and library version may use again.
struct BlasAlgorithm {
  uint64_t data[8] = {};
};

/// A cublasLtMatmulHeuristicResult_t.
struct BlasHeuristic {
  BlasAlgorithm algorithm;
  size_t workspaceBytes = 0;
  BlasCode state = blas_code::kNotInitialized;
  float waves = 0;
  int reserved[4] = {};
};

/// cudaDataType.
enum class BlasType : int { F32 = 0, F16 = 2, BF16 = 14 };
/// CUBLAS_COMPUTE_32F: sums in f32, of factors as they are.
inline constexpr int kBlasComputeF32 = 68;

/// cublasLtMatmulDescAttributes_t. All values are int32_t but the pointers, and
/// what says otherwise.
enum class BlasProductAttribute : int {
  TransposeA = 3,
  TransposeB = 4,
  Epilogue = 7,
  BiasPointer = 8,
  AuxPointer = 11,
  AuxLeading = 12,     ///< int64_t
  AuxBatchStride = 13, ///< int64_t
};

/// cublasLtMatrixLayoutAttribute_t.
enum class BlasLayoutAttribute : int {
  BatchCount = 5,  ///< int32_t
  BatchStride = 6, ///< int64_t, in elements
};

/// cublasLtMatmulPreferenceAttributes_t.
enum class BlasPreference : int {
  WorkspaceBytes = 1,   ///< uint64_t
  ReductionSchemes = 3, ///< uint32_t, a mask
  AlignmentA = 5,       ///< uint32_t, in bytes; so are the next ones
  AlignmentB = 6,
  AlignmentC = 7,
  AlignmentD = 8,
};

/// cublasLtReductionScheme_t: no split of a sum, one whose parts are added in
/// place in order, and one whose parts are in the type of the sum. Parts in the
/// result's 16 bits are left out.
inline constexpr uint32_t kBlasReductionsInF32 = 0 | 1 | 2;

/// cublasLtEpilogue_t: bits that are joined.
namespace blas_epilogue {
inline constexpr int kNone = 1;
inline constexpr int kBias = 4;
inline constexpr int kGelu = 32;
inline constexpr int kGeluGradient = 64;
inline constexpr int kAux = 128;
} // namespace blas_epilogue

/// cublasOperation_t.
inline constexpr int kBlasAsItIs = 0, kBlasTransposed = 1;

} // namespace mpc::rt::cuda

// Every entry: the exported symbol, then its parameters. cublasLtGetVersion and
// cublasLtGetStatusString have other results.
#define MPC_CUDA_BLAS_SYMBOLS(X)                                               \
  X(cublasLtCreate, BlasHandle *handle)                                        \
  X(cublasLtDestroy, BlasHandle handle)                                        \
  X(cublasLtMatmul, BlasHandle handle, BlasProductHandle product,              \
    const void *alpha, const void *a, BlasLayoutHandle layoutA, const void *b, \
    BlasLayoutHandle layoutB, const void *beta, const void *c,                 \
    BlasLayoutHandle layoutC, void *d, BlasLayoutHandle layoutD,               \
    const BlasAlgorithm *algorithm, void *workspace, size_t workspaceBytes,    \
    StreamHandle stream)                                                       \
  X(cublasLtMatmulDescCreate, BlasProductHandle *product, int computeType,     \
    BlasType scaleType)                                                        \
  X(cublasLtMatmulDescDestroy, BlasProductHandle product)                      \
  X(cublasLtMatmulDescSetAttribute, BlasProductHandle product,                 \
    BlasProductAttribute attribute, const void *value, size_t bytes)           \
  X(cublasLtMatrixLayoutCreate, BlasLayoutHandle *layout, BlasType type,       \
    uint64_t rows, uint64_t columns, int64_t leading)                          \
  X(cublasLtMatrixLayoutDestroy, BlasLayoutHandle layout)                      \
  X(cublasLtMatrixLayoutSetAttribute, BlasLayoutHandle layout,                 \
    BlasLayoutAttribute attribute, const void *value, size_t bytes)            \
  X(cublasLtMatmulPreferenceCreate, BlasPreferenceHandle *preference)          \
  X(cublasLtMatmulPreferenceDestroy, BlasPreferenceHandle preference)          \
  X(cublasLtMatmulPreferenceSetAttribute, BlasPreferenceHandle preference,     \
    BlasPreference attribute, const void *value, size_t bytes)                 \
  X(cublasLtMatmulAlgoGetHeuristic, BlasHandle handle,                         \
    BlasProductHandle product, BlasLayoutHandle layoutA,                       \
    BlasLayoutHandle layoutB, BlasLayoutHandle layoutC,                        \
    BlasLayoutHandle layoutD, BlasPreferenceHandle preference, int wanted,     \
    BlasHeuristic *results, int *count)                                        \
  X(cublasLtMatmulAlgoCheck, BlasHandle handle, BlasProductHandle product,     \
    BlasLayoutHandle layoutA, BlasLayoutHandle layoutB,                        \
    BlasLayoutHandle layoutC, BlasLayoutHandle layoutD,                        \
    const BlasAlgorithm *algorithm, BlasHeuristic *result)

#endif // MPC_RUNTIME_DEVICE_CUDA_BLASAPI_H
