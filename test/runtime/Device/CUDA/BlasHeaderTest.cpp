// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our declarations of cuBLASLt against those of its header. Everything is
// checked while this file is compiled.
#include "runtime/Device/CUDA/BlasApi.h"
#include "test/support/HeaderAbi.h"

#include <cublasLt.h>

#include <gtest/gtest.h>

namespace mpc::rt::cuda {
namespace {

#define MPC_CHECK(name, ...)                                                   \
  static_assert(test::kSameAbi<decltype(&::name), BlasCode (*)(__VA_ARGS__)>,  \
                #name);
MPC_CUDA_BLAS_SYMBOLS(MPC_CHECK)
static_assert(test::kSameAbi<decltype(&::cublasLtGetVersion), size_t (*)()>);
static_assert(test::kSameAbi<decltype(&::cublasLtGetStatusString),
                             const char *(*)(BlasCode)>);

static_assert(sizeof(BlasAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
using Heuristic = cublasLtMatmulHeuristicResult_t;
static_assert(sizeof(BlasHeuristic) == sizeof(Heuristic));
static_assert(offsetof(BlasHeuristic, workspaceBytes) ==
              offsetof(Heuristic, workspaceSize));
static_assert(offsetof(BlasHeuristic, state) == offsetof(Heuristic, state));

constexpr bool same(auto ours, auto theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(same(blas_code::kNotInitialized, CUBLAS_STATUS_NOT_INITIALIZED));
static_assert(same(blas_code::kInvalidValue, CUBLAS_STATUS_INVALID_VALUE));
static_assert(same(blas_code::kExecutionFailed,
                   CUBLAS_STATUS_EXECUTION_FAILED));
static_assert(same(blas_code::kNotSupported, CUBLAS_STATUS_NOT_SUPPORTED));
static_assert(same(BlasType::F32, CUDA_R_32F));
static_assert(same(BlasType::F16, CUDA_R_16F));
static_assert(same(BlasType::BF16, CUDA_R_16BF));
static_assert(same(kBlasComputeF32, CUBLAS_COMPUTE_32F));
static_assert(same(kBlasAsItIs, CUBLAS_OP_N));
static_assert(same(kBlasTransposed, CUBLAS_OP_T));
using Product = BlasProductAttribute;
static_assert(same(Product::TransposeA, CUBLASLT_MATMUL_DESC_TRANSA));
static_assert(same(Product::TransposeB, CUBLASLT_MATMUL_DESC_TRANSB));
static_assert(same(Product::Epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE));
static_assert(same(Product::BiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER));
static_assert(same(Product::AuxPointer,
                   CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER));
static_assert(same(Product::AuxLeading, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD));
static_assert(same(Product::AuxBatchStride,
                   CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE));
using Layout = BlasLayoutAttribute;
static_assert(same(Layout::BatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT));
static_assert(same(Layout::BatchStride,
                   CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET));
using Prefer = BlasPreference;
static_assert(same(Prefer::WorkspaceBytes,
                   CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES));
static_assert(same(Prefer::ReductionSchemes,
                   CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK));
static_assert(same(Prefer::AlignmentA,
                   CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES));
static_assert(same(Prefer::AlignmentB,
                   CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES));
static_assert(same(Prefer::AlignmentC,
                   CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES));
static_assert(same(Prefer::AlignmentD,
                   CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES));
static_assert(kBlasReductionsInF32 == (CUBLASLT_REDUCTION_SCHEME_INPLACE |
                                       CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
static_assert(same(blas_epilogue::kNone, CUBLASLT_EPILOGUE_DEFAULT));
static_assert(same(blas_epilogue::kBias, CUBLASLT_EPILOGUE_BIAS));
static_assert(same(blas_epilogue::kGelu | blas_epilogue::kAux,
                   CUBLASLT_EPILOGUE_GELU_AUX));
static_assert(same(blas_epilogue::kGeluGradient | blas_epilogue::kAux,
                   CUBLASLT_EPILOGUE_DGELU));
static_assert(same(blas_epilogue::kGelu | blas_epilogue::kAux |
                       blas_epilogue::kBias,
                   CUBLASLT_EPILOGUE_GELU_AUX_BIAS));

TEST(BlasHeaderTest, DeclarationsMatch) { SUCCEED(); }

} // namespace
} // namespace mpc::rt::cuda
