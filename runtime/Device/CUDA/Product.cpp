// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes products to cuBLASLt, and launches them.
#include "runtime/Device/CUDA/Product.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace mpc::rt::cuda {
namespace {

/// The library has algorithms for addresses that are aligned so, and for less.
constexpr uint32_t kMostAlignment = 256;

BlasType typeOf(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return BlasType::F16;
  case DType::BF16:
    return BlasType::BF16;
  default:
    return BlasType::F32;
  }
}

uint32_t alignmentOf(DevicePointer address) {
  return address == 0
             ? kMostAlignment
             : std::min(kMostAlignment,
                        uint32_t(1) << std::min(std::countr_zero(address), 8));
}

std::string textOf(const MatrixLayout &matrix, DevicePointer address) {
  return fmt::format("{}{} {} {} {}", name(matrix.dtype),
                     matrix.isTransposed ? "t" : "", matrix.leading,
                     matrix.batchStride, alignmentOf(address));
}

int epilogueOf(const MatrixProduct &product) {
  int epilogue = 0;
  if (product.hasBias)
    epilogue |= blas_epilogue::kBias;
  if (product.input)
    epilogue |=
        blas_epilogue::kAux | (product.isGradient ? blas_epilogue::kGeluGradient
                                                  : blas_epilogue::kGelu);
  return epilogue == 0 ? blas_epilogue::kNone : epilogue;
}

void *pointerOf(DevicePointer address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

} // namespace

ProductPlan::ProductPlan(std::shared_ptr<const CublasLt> library,
                         const MatrixProduct &product,
                         const ProductAddresses &addresses)
    : library_(std::move(library)), product_(product), addresses_(addresses),
      key_(fmt::format(
          "{}x{}x{}x{}, a {}, b {}, d {}, {}, {} {}, {} bytes", product.rows,
          product.columns, product.depth, product.batch,
          textOf(product.a, addresses.a), textOf(product.b, addresses.b),
          textOf(product.d, addresses.d),
          product.hasBias ? alignmentOf(addresses.bias) : 0,
          product.isGradient ? "gradient" : "",
          product.input ? textOf(*product.input, addresses.input) : "no input",
          addresses.workspaceBytes)) {}

Result<ProductPlan> ProductPlan::create(std::shared_ptr<const CublasLt> library,
                                        const MatrixProduct &product,
                                        const ProductAddresses &addresses) {
  ProductPlan plan(std::move(library), product, addresses);
  MPC_RETURN_IF_ERROR(plan.describe());
  return plan;
}

Status ProductPlan::set(BlasProductAttribute attribute, const auto &value) {
  MPC_BLAS_RETURN_IF_ERROR(
      *library_, cublasLtMatmulDescSetAttribute,
      (description_.get(), attribute, &value, sizeof(value)));
  return {};
}

/// A matrix of `rows` and `columns` behind its transposition.
Result<ProductPlan::Layout>
ProductPlan::createLayout(const MatrixLayout &matrix, int64_t rows,
                          int64_t columns) const {
  if (matrix.isTransposed)
    std::swap(rows, columns);
  BlasLayoutHandle handle = nullptr;
  MPC_BLAS_RETURN_IF_ERROR(*library_, cublasLtMatrixLayoutCreate,
                           (&handle, typeOf(matrix.dtype),
                            static_cast<uint64_t>(rows),
                            static_cast<uint64_t>(columns), matrix.leading));
  Layout layout(library_, handle);
  auto batch = static_cast<int32_t>(product_.batch);
  MPC_BLAS_RETURN_IF_ERROR(
      *library_, cublasLtMatrixLayoutSetAttribute,
      (handle, BlasLayoutAttribute::BatchCount, &batch, sizeof(batch)));
  MPC_BLAS_RETURN_IF_ERROR(*library_, cublasLtMatrixLayoutSetAttribute,
                           (handle, BlasLayoutAttribute::BatchStride,
                            &matrix.batchStride, sizeof(matrix.batchStride)));
  return layout;
}

Status ProductPlan::describe() {
  BlasProductHandle handle = nullptr;
  MPC_BLAS_RETURN_IF_ERROR(*library_, cublasLtMatmulDescCreate,
                           (&handle, kBlasComputeF32, BlasType::F32));
  description_ = Description(library_, handle);
  auto transposition = [](const MatrixLayout &matrix) {
    return int32_t(matrix.isTransposed ? kBlasTransposed : kBlasAsItIs);
  };
  MPC_RETURN_IF_ERROR(
      set(BlasProductAttribute::TransposeA, transposition(product_.a)));
  MPC_RETURN_IF_ERROR(
      set(BlasProductAttribute::TransposeB, transposition(product_.b)));
  MPC_RETURN_IF_ERROR(
      set(BlasProductAttribute::Epilogue, int32_t(epilogueOf(product_))));
  if (product_.hasBias)
    MPC_RETURN_IF_ERROR(
        set(BlasProductAttribute::BiasPointer, pointerOf(addresses_.bias)));
  if (product_.input) {
    MPC_RETURN_IF_ERROR(
        set(BlasProductAttribute::AuxPointer, pointerOf(addresses_.input)));
    MPC_RETURN_IF_ERROR(
        set(BlasProductAttribute::AuxLeading, product_.input->leading));
    MPC_RETURN_IF_ERROR(
        set(BlasProductAttribute::AuxBatchStride, product_.input->batchStride));
  }
  const MatrixProduct &p = product_;
  MPC_ASSIGN_OR_RETURN(a_, createLayout(p.a, p.rows, p.depth));
  MPC_ASSIGN_OR_RETURN(b_, createLayout(p.b, p.depth, p.columns));
  MPC_ASSIGN_OR_RETURN(d_, createLayout(p.d, p.rows, p.columns));
  return {};
}

Result<ProductPlan::Preference> ProductPlan::createPreference() const {
  BlasPreferenceHandle handle = nullptr;
  MPC_BLAS_RETURN_IF_ERROR(*library_, cublasLtMatmulPreferenceCreate,
                           (&handle));
  Preference preference(library_, handle);
  auto prefer = [&](BlasPreference attribute, auto value) -> Status {
    MPC_BLAS_RETURN_IF_ERROR(*library_, cublasLtMatmulPreferenceSetAttribute,
                             (handle, attribute, &value, sizeof(value)));
    return {};
  };
  MPC_RETURN_IF_ERROR(
      prefer(BlasPreference::WorkspaceBytes, addresses_.workspaceBytes));
  MPC_RETURN_IF_ERROR(
      prefer(BlasPreference::ReductionSchemes, kBlasReductionsInF32));
  MPC_RETURN_IF_ERROR(
      prefer(BlasPreference::AlignmentA, alignmentOf(addresses_.a)));
  MPC_RETURN_IF_ERROR(
      prefer(BlasPreference::AlignmentB, alignmentOf(addresses_.b)));
  for (BlasPreference result :
       {BlasPreference::AlignmentC, BlasPreference::AlignmentD})
    MPC_RETURN_IF_ERROR(prefer(result, alignmentOf(addresses_.d)));
  return preference;
}

Result<std::vector<BlasAlgorithm>>
ProductPlan::algorithms(const BlasDevice &device, int most) const {
  Current current(*device.context());
  MPC_RETURN_IF_ERROR(current.check("choosing an algorithm"));
  MPC_ASSIGN_OR_RETURN(Preference preference, createPreference());
  std::vector<BlasHeuristic> found(static_cast<size_t>(most));
  int count = 0;
  MPC_BLAS_RETURN_IF_ERROR(*library_, cublasLtMatmulAlgoGetHeuristic,
                           (device.handle(), description_.get(), a_.get(),
                            b_.get(), d_.get(), d_.get(), preference.get(),
                            most, found.data(), &count));
  std::vector<BlasAlgorithm> algorithms;
  for (int i = 0; i < std::min(count, most); ++i) {
    const BlasHeuristic &one = found[static_cast<size_t>(i)];
    if (one.state == blas_code::kSuccess &&
        one.workspaceBytes <= addresses_.workspaceBytes)
      algorithms.push_back(one.algorithm);
  }
  if (algorithms.empty())
    return environmentError("it has no algorithm for a product of " + key_);
  return algorithms;
}

bool ProductPlan::accepts(const BlasDevice &device,
                          const BlasAlgorithm &algorithm) const {
  Current current(*device.context());
  BlasHeuristic found;
  return current.answer() == code::kSuccess &&
         library_->table().cublasLtMatmulAlgoCheck(
             device.handle(), description_.get(), a_.get(), b_.get(), d_.get(),
             d_.get(), &algorithm, &found) == blas_code::kSuccess &&
         found.workspaceBytes <= addresses_.workspaceBytes;
}

Status ProductPlan::launch(const BlasDevice &device,
                           const BlasAlgorithm &algorithm,
                           const Stream &stream) const {
  Current current(*device.context());
  MPC_RETURN_IF_ERROR(current.check("launching a product"));
  const float alpha = 1, beta = 0;
  MPC_BLAS_RETURN_IF_ERROR(
      *library_, cublasLtMatmul,
      (device.handle(), description_.get(), &alpha, pointerOf(addresses_.a),
       a_.get(), pointerOf(addresses_.b), b_.get(), &beta,
       pointerOf(addresses_.d), d_.get(), pointerOf(addresses_.d), d_.get(),
       &algorithm, pointerOf(addresses_.workspace), addresses_.workspaceBytes,
       stream.handle()));
  return {};
}

} // namespace mpc::rt::cuda
