// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ops and settings that ONNX does not have. Who reads a model may give a node
/// such a form or setting; emitters know what they mean, and not who wrote the
/// file.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_FORMS_H
#define MPC_LIB_IMPORT_ONNX_OPS_FORMS_H

#include "llvm/ADT/StringRef.h"

namespace mpc::onnx {

/// What a node is imported as in place of its op; messages still name the op.
namespace form {

using Name = llvm::StringLiteral;

/// Input 0, from which no gradient comes back.
inline constexpr Name kDetach = "Detach";
/// Input 0, quantized and dequantized at once by scale and zero point; inputs 3
/// and 4 are the bounds of the levels, where there are any.
inline constexpr Name kFakeQuantize = "FakeQuantize";
/// Selects by input 0, a mask of the first axes: input 1 where it is true, else
/// input 2, or ones without it.
inline constexpr Name kMaskSelect = "MaskSelect";
/// Writes input 2 to where input 1, a mask, is true of input 0.
inline constexpr Name kMaskWrite = "MaskWrite";
/// alpha_dropout() of input 0, by a mask of input 1's shape; setting::kStays.
inline constexpr Name kAlphaDropout = "AlphaDropout";
/// Input 1, probabilities, where a row of input 0, a mask, is true anywhere; 0
/// in the other rows.
inline constexpr Name kRowsWithKeys = "RowsWithKeys";
/// The rows of table 0 by indices 1, joined bag by bag as setting::kMode says;
/// bags begin at offsets 2. Settings kPadding, kEndsWithSize, kIsPlain.
inline constexpr Name kEmbeddingBag = "EmbeddingBag";
/// How often each number of input 0 occurs; setting::kMinLength.
inline constexpr Name kBinCount = "BinCount";
/// Setting kEps.
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

/// What ops are told beyond their attributes. A flag is set or not there.
namespace setting {

using Name = llvm::StringLiteral;

/// Flag, of all ops: no gradient goes through the results, which were computed
/// without one.
inline constexpr Name kUntracked = "untracked";
/// Flag of BatchNormalization: the running statistics normalize, in training
/// too.
inline constexpr Name kFrozen = "frozen";
/// Flag of Pow: where an element is 0, a negative power has the gradient 0.
inline constexpr Name kFlatAtPole = "flat_at_pole";
/// Flag of HammingWindow: by 0.54 and 0.46, not by 25/46 and 21/46.
inline constexpr Name kTwoDigits = "two_digits";
/// Integer of Gather: the row whose gradient is 0.
inline constexpr Name kFrozenRow = "frozen_row";
/// Flags of Gather: each row shares its gradient among all that read it; the
/// second, only where a table of floats is read by a list.
inline constexpr Name kSharesGradient = "shares_gradient";
inline constexpr Name kSharesGradientOfList = "shares_gradient_of_list";
/// Flag of losses: scores may be those of one sample, [classes].
inline constexpr Name kUnbatched = "unbatched";
/// Real of SoftmaxCrossEntropyLoss.
inline constexpr Name kLabelSmoothing = "label_smoothing";
/// Flag of Squeeze: an axis that has not size 1 stays.
inline constexpr Name kKeepsLongAxes = "keeps_long_axes";
/// Flags of scatters: the mean goes to each place, of what is there or without
/// it.
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
/// Flags of Resize: corners are placed by the size of the output, not by what
/// it was before it was rounded; with antialias and align_corners the distance
/// of the corners decides the scale.
inline constexpr Name kCornersBySize = "corners_by_size";
/// Reals of Resize: the scale of each spatial axis, where one is given beside
/// the sizes.
inline constexpr Name kScales = "scales";
/// Flag of Range: bounds may be of several types; a float decides.
inline constexpr Name kMixedTypes = "mixed_types";
/// Integer of AveragePool: what each sum is divided by.
inline constexpr Name kDivisor = "divisor";

/// Of forms: see there.
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
