// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ops and settings that ONNX does not have. The reader of a model may give a
/// node such a form or setting. Emitters know its meaning, and not who wrote
/// the file.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_FORMS_H
#define MPC_LIB_IMPORT_ONNX_OPS_FORMS_H

#include "llvm/ADT/StringRef.h"

namespace mpc::onnx {

/// The forms as which a node may be imported in place of its op. Messages still
/// name the op.
namespace form {

using Name = llvm::StringLiteral;

/// Input 0 without a gradient.
inline constexpr Name kDetach = "Detach";
/// Input 0, quantized and dequantized in one step by scale and zero point.
/// Inputs 3 and 4 are the bounds of the levels, if there are any.
inline constexpr Name kFakeQuantize = "FakeQuantize";
/// Selects by input 0, a mask over the first axes: input 1 where it is true;
/// elsewhere input 2, or ones without that input.
inline constexpr Name kMaskSelect = "MaskSelect";
/// Input 0, with input 2 written to the places where input 1, a mask, is true.
inline constexpr Name kMaskWrite = "MaskWrite";
/// alpha_dropout() of input 0, by a mask of input 1's shape; setting::kStays.
inline constexpr Name kAlphaDropout = "AlphaDropout";
/// Input 1, probabilities, where a row of input 0, a mask, is true anywhere; 0
/// in the other rows.
inline constexpr Name kRowsWithKeys = "RowsWithKeys";
/// The rows of table 0 at indices 1, combined bag by bag as setting::kMode
/// says. Bags begin at offsets 2. Settings kPadding, kEndsWithSize, kIsPlain.
inline constexpr Name kEmbeddingBag = "EmbeddingBag";
/// The number of occurrences of each number in input 0; setting::kMinLength.
inline constexpr Name kBinCount = "BinCount";
/// log(z / (1 - z)), with setting kEps.
inline constexpr Name kLogit = "Logit";
/// Functions of one or two operands.
inline constexpr Name kAngle = "Angle";
inline constexpr Name kAtan2 = "Atan2";
inline constexpr Name kErfcx = "Erfcx";
inline constexpr Name kExpm1 = "Expm1";
inline constexpr Name kLog1p = "Log1p";
inline constexpr Name kLogAddExp = "LogAddExp";
inline constexpr Name kLogAddExp2 = "LogAddExp2";
inline constexpr Name kLogSigmoid = "LogSigmoid";
inline constexpr Name kSinc = "Sinc";
inline constexpr Name kXLogY = "XLogY";

} // namespace form

/// The settings of ops in addition to their attributes. A flag is present or
/// missing.
namespace setting {

using Name = llvm::StringLiteral;

/// Flag of all ops: the results have no gradient, because they were computed
/// without one.
inline constexpr Name kUntracked = "untracked";
/// Flag of BatchNormalization: running statistics normalize in training too.
inline constexpr Name kFrozen = "frozen";
/// Flag of Pow: a negative power has the gradient 0 where an element is 0.
inline constexpr Name kFlatAtPole = "flat_at_pole";
/// Flag of HammingWindow: with 0.54 and 0.46 in place of 25/46 and 21/46.
inline constexpr Name kTwoDigits = "two_digits";
/// Integer of Gather: the row whose gradient is 0.
inline constexpr Name kFrozenRow = "frozen_row";
/// Flags of Gather: each row divides its gradient among all that read it. The
/// second flag holds only where a list reads a table of floats.
inline constexpr Name kSharesGradient = "shares_gradient";
inline constexpr Name kSharesGradientOfList = "shares_gradient_of_list";
/// Flag of losses: scores may be of a single sample, [classes].
inline constexpr Name kUnbatched = "unbatched";
/// Real of SoftmaxCrossEntropyLoss.
inline constexpr Name kLabelSmoothing = "label_smoothing";
/// Flag of Squeeze: an axis of a size other than 1 stays.
inline constexpr Name kKeepsLongAxes = "keeps_long_axes";
/// Flags of scatters: each place gets the mean, of the data and the updates or
/// of the updates alone.
inline constexpr Name kMean = "mean";
inline constexpr Name kExcludesData = "excludes_data";
/// Flag of form::kMaskWrite: a source that fits is repeated for each row.
inline constexpr Name kRepeats = "repeats";
/// Flag of quantizations: multiplies by 1 / scale.
inline constexpr Name kByReciprocal = "by_reciprocal";
/// Flag of reductions: a scalar may be reduced along its axis 0 or -1.
inline constexpr Name kScalarHasAxis = "scalar_has_axis";
/// Flag of ReduceMax and ReduceMin along one axis: the gradient goes to the
/// first of equal elements.
inline constexpr Name kFirstOfEqual = "first_of_equal";
/// Flags of Resize. With the first, corners are placed by the output's size
/// after rounding. With the second, for antialias and align_corners, the
/// distance of corners decides the scale.
inline constexpr Name kCornersBySize = "corners_by_size";
/// Reals of Resize: the scale of each spatial axis, where scales are given
/// beside sizes.
inline constexpr Name kScales = "scales";
/// Flag of Range: bounds may have several types, and a float among them
/// decides.
inline constexpr Name kMixedTypes = "mixed_types";
/// Integer of AveragePool: the divisor of each sum.
inline constexpr Name kDivisor = "divisor";

/// Settings of forms; the forms describe them.
inline constexpr Name kStays = "stays"; ///< Real: the probability.
inline constexpr Name kEps = "eps";     ///< Real.
inline constexpr Name kMinLength = "min_length";
inline constexpr Name kMode = "mode"; ///< Integer: sum, mean or max.
inline constexpr Name kPadding = "padding";
inline constexpr Name kEndsWithSize = "ends_with_size";
inline constexpr Name kIsPlain = "is_plain";

} // namespace setting

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_FORMS_H
