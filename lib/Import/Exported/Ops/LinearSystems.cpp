// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's inverses, solutions, determinants and factors of matrices.
#include "lib/Import/Build/LinearSystems.h"

#include "lib/Import/Build/Determinant.h"
#include "lib/Import/Exported/Call.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace llvm;

namespace mpc::exported {

namespace {

/// Square matrices, whose leading axes become one, and what they were.
struct Matrices {
  Operand flat; ///< [batch, n, n]
  Shape batch;

  int64_t size() const { return flat.shape.back(); }
};

Operand flattened(TensorBuilder &b, const Operand &x) {
  ArrayRef<int64_t> shape = x.shape, inner = shape.take_back(2);
  return b.reshape(x, {*countElements(shape.drop_back(2)), inner[0], inner[1]});
}

Expected<Matrices> readSquare(Call &call, StringRef name) {
  MPC_TRY_ASSIGN(Operand x, call.real(name));
  if (x.rank() < 2 || x.shape.back() != x.shape[x.rank() - 2] ||
      *countElements(x.shape) == 0)
    return call.fail("'" + name + "' is " + shapeText(x.shape) +
                     ", expected square matrices");
  Shape twice(x.shape);
  twice.back() *= 2;
  MPC_TRY(checkSize(twice));
  return Matrices{flattened(call.build, x),
                  Shape(ArrayRef(x.shape).drop_back(2))};
}

/// The same of the only operand, which has one of two names.
Expected<Matrices> readSquare(Call &call) {
  return readSquare(call, call.has("A") ? "A" : "self");
}

/// The result in the shape that it is declared to have.
Error giveAs(Call &call, const Operand &result, size_t index = 0) {
  MPC_TRY_ASSIGN(Shape shape, call.resultShape(index));
  MPC_TRY_ASSIGN(Operand shaped, call.reshaped(result, shape));
  call.result(shaped);
  return Error::success();
}

/// What the forms named _ex say of failures: none, since what cannot be
/// computed is NaN.
Error giveNoFailures(Call &call) {
  MPC_TRY_ASSIGN(Shape shape, call.resultShape(1));
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType(1));
  call.result(call.build.splat(type, shape, 0.0));
  return Error::success();
}

Error emitInverse(Call &call) {
  MPC_TRY_ASSIGN(Matrices a, readSquare(call));
  return giveAs(call, inverse(call.build, a.flat));
}

Error emitExponential(Call &call) {
  MPC_TRY_ASSIGN(Matrices a, readSquare(call, "self"));
  return giveAs(call, matrixExponential(call.build, a.flat));
}

Error emitInverseEx(Call &call) {
  MPC_TRY(emitInverse(call));
  return giveNoFailures(call);
}

Error emitDeterminant(Call &call) {
  MPC_TRY_ASSIGN(Matrices a, readSquare(call));
  return giveAs(call, determinant(call.build, a.flat));
}

Error emitSignedLog(Call &call) {
  MPC_TRY_ASSIGN(Matrices a, readSquare(call));
  SignedLog found = logDeterminant(call.build, a.flat);
  MPC_TRY(giveAs(call, found.sign, 0));
  return giveAs(call, found.log, 1);
}

/// NaN where the determinant is negative.
Error emitLogDeterminant(Call &call) {
  MPC_TRY_ASSIGN(Matrices a, readSquare(call, "self"));
  TensorBuilder &b = call.build;
  SignedLog found = logDeterminant(b, a.flat);
  Operand isNegative =
      b.compare(nn::CompareKind::LT, found.sign, b.splatLike(found.sign, 0.0));
  return giveAs(call,
                b.select(isNegative, b.splatLike(found.log, NAN), found.log));
}

Error emitCholesky(Call &call) {
  MPC_TRY_ASSIGN(Matrices a, readSquare(call, "self"));
  MPC_TRY_ASSIGN(bool isUpper, call.flag("upper", false));
  TensorBuilder &b = call.build;
  // Of an upper triangle the matrix's upper one is read.
  Operand lower = cholesky(b, isUpper ? transposed(b, a.flat) : a.flat);
  return giveAs(call, isUpper ? transposed(b, lower) : lower);
}

Error emitCholeskyEx(Call &call) {
  MPC_TRY(emitCholesky(call));
  return giveNoFailures(call);
}

/// A system whose sides broadcast over their leading axes.
struct System {
  Operand matrix, rhs; ///< [batch, n, n] and [batch, n, k].
};

/// `x` broadcast to leading axes `batch`, which become one.
Operand widened(TensorBuilder &b, const Operand &x, const Shape &batch) {
  Shape shape(batch);
  append_range(shape, ArrayRef(x.shape).take_back(2));
  return flattened(b, b.broadcastTo(x, shape));
}

Expected<System> joined(Call &call, const Matrices &a, const Operand &rhs) {
  ArrayRef<int64_t> shape = rhs.shape;
  auto batch = broadcastShape(a.batch, shape.drop_back(2));
  if (rhs.type != a.flat.type || !batch || *countElements(shape) == 0 ||
      shape[shape.size() - 2] != a.size())
    return call.fail("solves for " + shapeText(shape) + " with " +
                     shapeText(a.flat.shape) + ", or types differ");
  TensorBuilder &b = call.build;
  Shape own(a.batch), whole(*batch);
  own.append({a.size(), a.size()});
  whole.append({a.size(), 2 * a.size() + shape.back()});
  MPC_TRY(checkSize(whole));
  return System{widened(b, b.reshape(a.flat, own), *batch),
                widened(b, rhs, *batch)};
}

/// X with A X = B or, without `isLeft`, X A = B.
Expected<Operand> solution(Call &call, const Matrices &a, const Operand &rhs,
                           bool isLeft) {
  TensorBuilder &b = call.build;
  MPC_TRY_ASSIGN(System system,
                 joined(call, a, isLeft ? rhs : transposed(b, rhs)));
  if (isLeft)
    return solve(b, system.matrix, system.rhs);
  return transposed(b, solve(b, transposed(b, system.matrix), system.rhs));
}

/// The right side as matrices. It is vectors where it has an axis less than the
/// matrices, and their leading sizes.
Expected<Operand> readRightSide(Call &call, const Matrices &a) {
  MPC_TRY_ASSIGN(Operand rhs, call.real("B"));
  Shape vectors(a.batch);
  vectors.push_back(a.size());
  if (rhs.rank() == 1 || rhs.shape == vectors) {
    Shape columns(rhs.shape);
    columns.push_back(1);
    return call.build.reshape(rhs, columns);
  }
  return rhs.rank() == 0 ? Expected<Operand>(call.fail("B is a scalar")) : rhs;
}

Error emitSolve(Call &call) {
  MPC_TRY_ASSIGN(Matrices a, readSquare(call, "A"));
  MPC_TRY_ASSIGN(Operand rhs, readRightSide(call, a));
  MPC_TRY_ASSIGN(bool isLeft, call.flag("left", true));
  MPC_TRY_ASSIGN(Operand x, solution(call, a, rhs, isLeft));
  return giveAs(call, x);
}

Error emitSolveEx(Call &call) {
  MPC_TRY(emitSolve(call));
  return giveNoFailures(call);
}

Error emitSolveTriangular(Call &call) {
  MPC_TRY_ASSIGN(Matrices a, readSquare(call, "self"));
  MPC_TRY_ASSIGN(Operand rhs, call.real("B"));
  MPC_TRY_ASSIGN(bool isUpper, call.flag("upper", false));
  MPC_TRY_ASSIGN(bool isLeft, call.flag("left", true));
  MPC_TRY_ASSIGN(bool hasUnits, call.flag("unitriangular", false));
  if (rhs.rank() < 2)
    return call.fail("B is " + shapeText(rhs.shape) + ", expected matrices");
  a.flat = triangleOf(call.build, a.flat, isUpper, hasUnits);
  MPC_TRY_ASSIGN(Operand x, solution(call, a, rhs, isLeft));
  return giveAs(call, x);
}

/// The lower triangle that the argument is, or the transpose of the upper one.
/// As in PyTorch, the other triangle is not read and has a gradient all the
/// same: that of a factor with elements there.
Operand factorOf(TensorBuilder &b, const Operand &matrix, bool isUpper) {
  Operand lower = isUpper ? transposed(b, matrix) : matrix;
  Operand fixed = b.withoutGradient(lower);
  return b.binary(Binary::Add, triangleOf(b, fixed, /*upper=*/false),
                  b.binary(Binary::Sub, lower, fixed));
}

/// The product that a triangle is a factor of, times X, is B.
Error emitCholeskySolve(Call &call) {
  MPC_TRY_ASSIGN(Matrices a, readSquare(call, "input2"));
  MPC_TRY_ASSIGN(Operand rhs, call.real("self"));
  MPC_TRY_ASSIGN(bool isUpper, call.flag("upper", false));
  if (rhs.rank() < 2)
    return call.fail("'self' is " + shapeText(rhs.shape) +
                     ", expected matrices");
  TensorBuilder &b = call.build;
  a.flat = factorOf(b, a.flat, isUpper);
  MPC_TRY_ASSIGN(System system, joined(call, a, rhs));
  Operand half = solve(b, system.matrix, system.rhs);
  return giveAs(call, solve(b, transposed(b, system.matrix), half));
}

Error emitCholeskyInverse(Call &call) {
  MPC_TRY_ASSIGN(Matrices a, readSquare(call, "self"));
  MPC_TRY_ASSIGN(bool isUpper, call.flag("upper", false));
  TensorBuilder &b = call.build;
  Operand found = inverse(b, factorOf(b, a.flat, isUpper));
  return giveAs(call, b.matmulAsWritten(transposed(b, found), found));
}

} // namespace

ArrayRef<OpRow> linearSystemRows() {
  static const OpRow rows[] = {
      {"cholesky_inverse.default", emitCholeskyInverse},
      {"cholesky_solve.default", emitCholeskySolve},
      {"det.default", emitDeterminant},
      {"inverse.default", emitInverse},
      {"linalg_cholesky.default", emitCholesky},
      {"linalg_cholesky_ex.default", emitCholeskyEx},
      {"linalg_det.default", emitDeterminant},
      {"linalg_inv.default", emitInverse},
      {"linalg_inv_ex.default", emitInverseEx},
      {"linalg_matrix_exp.default", emitExponential},
      {"linalg_slogdet.default", emitSignedLog},
      {"linalg_solve.default", emitSolve},
      {"linalg_solve_ex.default", emitSolveEx},
      {"linalg_solve_triangular.default", emitSolveTriangular},
      {"logdet.default", emitLogDeterminant},
      {"matrix_exp.default", emitExponential},
      {"slogdet.default", emitSignedLog},
  };
  return rows;
}

} // namespace mpc::exported
