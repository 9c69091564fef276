// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The places of a tensor that indices name, for ops that read or write there.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_PLACES_H
#define MPC_LIB_IMPORT_ONNX_OPS_PLACES_H

#include "lib/Import/Build/Scatter.h"
#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

/// The places that the elements of `indices` name along `axis` of `shape`.
llvm::Expected<Flattened> placesOfElements(NodeImporter &node,
                                           llvm::ArrayRef<int64_t> shape,
                                           const Operand &indices);

/// The places that the rows of `indices` name in `shape`, with one number for
/// each axis.
llvm::Expected<Flattened> placesOfRows(NodeImporter &node,
                                       llvm::ArrayRef<int64_t> shape,
                                       const Operand &indices);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_PLACES_H
