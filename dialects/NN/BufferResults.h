// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Results of a model that are the next values of its buffers (nn.buffer): a
/// step keeps them, and no loss is computed from them.
#ifndef MPC_DIALECTS_NN_BUFFERRESULTS_H
#define MPC_DIALECTS_NN_BUFFERRESULTS_H

#include "dialects/NN/EntryNames.h"
#include "dialects/NN/NNDialect.h"

namespace mpc::nn {

/// The attributes of the result for the buffer of this symbol.
inline mlir::DictionaryAttr bufferAttributes(mlir::Builder &b,
                                             mlir::StringAttr symbol) {
  mlir::NamedAttribute attributes[] = {
      nameAttribute(b, "stat." + symbol.getValue()),
      b.getNamedAttr(kBuffer, mlir::FlatSymbolRefAttr::get(symbol))};
  return b.getDictionaryAttr(attributes);
}

inline bool isBufferResult(mlir::FunctionOpInterface function, unsigned index) {
  return function.getResultAttr(index, kBuffer) != nullptr;
}

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_BUFFERRESULTS_H
