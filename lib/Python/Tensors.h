// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arrays of Python as tensors of the C ABI, and descriptions back.
#ifndef MPC_LIB_PYTHON_TENSORS_H
#define MPC_LIB_PYTHON_TENSORS_H

#include "mpc-c/DLPack.h"
#include "mpc-c/Tensor.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <string>
#include <vector>

namespace mpc::python {

namespace nb = nanobind;

/// An array that is read: any tensor in a CPU's memory. An array with gaps is
/// copied beforehand.
using Source = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
/// An array that is written, which is never a copy.
using Target = nb::ndarray<nb::c_contig, nb::device::cpu>;
/// The same two for a run, which may also lie in a GPU's memory.
using RunSource = nb::ndarray<nb::ro, nb::c_contig>;
using RunTarget = nb::ndarray<nb::c_contig>;

/// The memory of an array, which this object keeps alive. NumPy has no
/// bfloat16: with `isBF16` the array's 16-bit integers are bfloat16 numbers.
class ArrayTensor {
public:
  ArrayTensor(nb::ndarray<nb::ro> array, bool isBF16);

  /// The DLPack struct; it is valid while this object lives.
  [[nodiscard]] const DLTensor *get() {
    tensor_.shape = shape_.empty() ? nullptr : shape_.data();
    return &tensor_;
  }

private:
  nb::ndarray<nb::ro> array_;
  std::vector<int64_t> shape_;
  DLTensor tensor_ = {};
};

/// An input, an output, or a tensor of the state.
struct TensorInfo {
  std::string name;
  std::string dtype; ///< The name in NumPy: "float32", "bfloat16".
  std::vector<int64_t> shape;
};

TensorInfo toInfo(const MpcTensorInfo &info);

} // namespace mpc::python

#endif // MPC_LIB_PYTHON_TENSORS_H
