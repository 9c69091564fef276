// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A TensorProto, and the place of its data. Only for OnnxModel.cpp.
#ifndef MPC_LIB_IMPORT_ONNX_READ_TENSORREADER_H
#define MPC_LIB_IMPORT_ONNX_READ_TENSORREADER_H

#include "lib/Import/ONNX/Read/ExternalData.h"
#include "lib/Import/ONNX/Read/Message.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// A TensorProto whose data has not been searched yet.
struct RawTensor {
  Tensor tensor;
  std::optional<protozero::data_view> raw;
  std::vector<int64_t> integers;
  std::vector<float> reals;
  std::vector<double> doubles;
  /// The numbers of the fields that have data.
  llvm::SmallVector<uint32_t, 1> held;
  bool segmented = false;
  int64_t location = 0;
  std::vector<std::pair<std::string, std::string>> externalKeys;
};

std::pair<std::string, std::string> readStringPair(Message message);

/// Throws the exceptions of Message.
RawTensor readRawTensor(Message message);

/// Checks type, shape and data of `raw` against each other and sets
/// `raw.tensor.bytes`. Data that is not raw is copied to `storage`.
llvm::Error findData(RawTensor &raw, ModelStorage &storage,
                     ExternalData &external);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_TENSORREADER_H
