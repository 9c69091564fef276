// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The headers of LLVM and MLIR that most files of the compiler read, parsed
/// once: they are nine tenths of what a file costs to compile. A file still
/// includes what it uses; -DMPC_PRECOMPILE_HEADERS=OFF shows one that does not.
#ifndef MPC_CMAKE_PRECOMPILED_H
#define MPC_CMAKE_PRECOMPILED_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#endif // MPC_CMAKE_PRECOMPILED_H
