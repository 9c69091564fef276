// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// nn.name: the names by which a user knows the arguments and results of
/// functions.
#ifndef MPC_DIALECTS_NN_ENTRYNAMES_H
#define MPC_DIALECTS_NN_ENTRYNAMES_H

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace mpc::nn {

inline constexpr llvm::StringLiteral kNameAttrName = "nn.name";

/// Null where the argument has no name.
inline mlir::StringAttr getArgumentName(mlir::FunctionOpInterface function,
                                        unsigned index) {
  return function.getArgAttrOfType<mlir::StringAttr>(index, kNameAttrName);
}
/// The name of an argument of a function; null where it has none.
inline mlir::StringAttr getArgumentName(mlir::BlockArgument argument) {
  return getArgumentName(
      mlir::cast<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp()),
      argument.getArgNumber());
}

/// Null where the result has no name.
inline mlir::StringAttr getResultName(mlir::FunctionOpInterface function,
                                      unsigned index) {
  return function.getResultAttrOfType<mlir::StringAttr>(index, kNameAttrName);
}
inline void setResultName(mlir::FunctionOpInterface function, unsigned index,
                          mlir::StringAttr name) {
  function.setResultAttr(index, kNameAttrName, name);
}

/// The attribute that gives a new argument or result the name `name`.
inline mlir::NamedAttribute nameAttribute(mlir::Builder &b,
                                          const llvm::Twine &name) {
  return b.getNamedAttr(kNameAttrName, b.getStringAttr(name));
}

/// The prefix of a parameter's name that names its gradient as an input or
/// output.
inline constexpr llvm::StringLiteral kGradientPrefix = "grad.";
inline std::string gradientName(llvm::StringRef parameter) {
  return (kGradientPrefix + parameter).str();
}
/// The same of an input of the model.
inline std::string inputGradientName(llvm::StringRef input) {
  return ("input_grad." + input).str();
}

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_ENTRYNAMES_H
