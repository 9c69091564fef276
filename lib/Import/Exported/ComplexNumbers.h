// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Complex tensors of an exported program as pairs of real ones. What comes
/// after this sees real numbers alone.
///
/// A complex tensor `x` becomes `x.re` and `x.im`. Gradients are those of the
/// two parts, which is PyTorch's convention. State that is complex keeps its
/// name, and has the parts along a last axis, as torch.view_as_real has them.
#ifndef MPC_LIB_IMPORT_EXPORTED_COMPLEXNUMBERS_H
#define MPC_LIB_IMPORT_EXPORTED_COMPLEXNUMBERS_H

#include "lib/Import/Exported/Program.h"

namespace mpc::exported {

/// The type of the parts of a complex torch.dtype, by the number that the
/// schema gives it.
std::optional<rt::DType> partTypeOfScalarType(int64_t scalarType);

/// Replaces them everywhere. Inputs and outputs of the program must be real. An
/// op that has no rule gets a name that no table has.
llvm::Error replaceComplexNumbers(Program &program);

/// The ops that are there for complex numbers alone: "view_as_complex.default".
llvm::ArrayRef<llvm::StringLiteral> complexOps();

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_COMPLEXNUMBERS_H
