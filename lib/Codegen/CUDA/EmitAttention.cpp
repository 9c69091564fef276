// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cuda.attention: which rows a block has, where its operands lie, and the call
// of the prelude's function (Prelude/Attention.cuh).
#include "lib/Codegen/CUDA/AttentionPlan.h"
#include "lib/Codegen/CUDA/Emitters.h"
#include "lib/Codegen/CUDA/ScalarText.h"

#include "dialects/Kernel/Philox.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;
using llvm::formatv;

namespace {

/// Writes one kernel. Of a group's heads the text knows the first; the prelude
/// walks the others.
class AttentionEmitter {
public:
  AttentionEmitter(KernelText &text, AttentionOpInterface op,
                   AttentionAttr schedule)
      : text_(text), op_(op), schedule_(schedule),
        sizes_(mpc::kernel::getSizes(op)),
        grid_(getGrid(op, schedule.getTile()[0], schedule.isByLoops())) {}

  LogicalResult emit();

private:
  /// Rows and columns of an operand's matrix.
  struct Extents {
    int64_t rows, columns;
  };

  LogicalResult check();
  void emitForward();
  void emitGradient(AttentionGradientOp op);
  void emitTile();
  void emitPlace(bool isKeys);
  void emitCall(const std::string &role, ArrayRef<int64_t> columns,
                const char *operands);
  std::string placesOf(OpOperand &operand, Extents extents, int64_t width);
  std::string firstOf(OpOperand &operand, const char *head);
  int64_t widthOf(OpOperand &operand, Value memory, Extents extents,
                  int64_t bytes);
  void emitMatrix(const char *name, OpOperand &operand, Extents extents,
                  const char *head);
  void emitRowNumbers(const char *name, OpOperand &operand);
  void emitResult(const char *name, unsigned number, Extents extents);
  void emitScores();
  std::string emitMask();
  void emitDropout();
  void emitOperands();

  KernelText &text_;
  AttentionOpInterface op_;
  AttentionAttr schedule_;
  AttentionSizes sizes_;
  AttentionGrid grid_;
};

} // namespace

/// The prelude's name for elements of `type`.
static const char *getElementText(Type type) {
  if (type.isInteger(1))
    return "mpc_bool";
  if (type.isF16())
    return "mpc_f16";
  return type.isBF16() ? "mpc_bf16" : "mpc_f32";
}

static std::string literalOf(AttentionOpInterface op, double number) {
  auto type = Float32Type::get(op.getContext());
  return getLiteral(FloatAttr::get(type, number));
}

LogicalResult AttentionEmitter::check() {
  int64_t chunks = grid_.countKeys(sizes_) + grid_.countQueries(sizes_);
  if (schedule_.getChunks() != chunks)
    return op_.emitOpError("is ")
           << chunks << " blocks, not " << schedule_.getChunks();
  for (Value operand : op_->getOperands())
    if (getElementTypeOrSelf(operand).isF64())
      return op_.emitOpError("has elements of f64, which no GPU's schedule of "
                             "attention takes");
  for (Value operand :
       cast<DestinationStyleOpInterface>(op_.getOperation()).getDpsInputs())
    if (!isa<BlockArgument>(operand))
      return op_.emitOpError("reads what is no argument of its kernel");
  return success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Neighbours of a row of `memory`, where `operand` says how they lie, that are
/// moved by one access of `bytes`; 1 where rows do not begin at its multiples.
int64_t AttentionEmitter::widthOf(OpOperand &operand, Value memory,
                                  Extents extents, int64_t bytes) {
  Type element = getElementTypeOrSelf(operand.get().getType());
  int64_t count = schedule_.isByLoops() ? 1 : bytes / getStorageBytes(element);
  Linear place = getPlace(op_, operand);
  auto isMultiple = [&](int64_t number) { return number % count == 0; };
  bool isWide = place.strides.size() == 4 && place.strides.back() == 1 &&
                llvm::all_of(ArrayRef(place.strides).drop_back(), isMultiple) &&
                isMultiple(place.offset) && isMultiple(extents.columns);
  return isWide && isAligned(memory, count) ? count : 1;
}

/// The places of an operand's matrix, whose last dimensions are rows and
/// columns, or rows alone.
std::string AttentionEmitter::placesOf(OpOperand &operand, Extents extents,
                                       int64_t width) {
  Linear place = getPlace(op_, operand);
  Type element = getElementTypeOrSelf(operand.get().getType());
  int64_t column = place.strides.size() == 4 ? place.strides[3] : 0;
  return formatv("mpc_places<{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}>",
                 getElementText(element), text_.indexType(), extents.rows,
                 extents.columns, place.strides[2], column, place.strides[1],
                 width);
}

/// Where the matrix of the block's batch, and of its head or group, begins.
std::string AttentionEmitter::firstOf(OpOperand &operand, const char *head) {
  Linear place = getPlace(op_, operand);
  llvm::fill(MutableArrayRef(place.strides).drop_front(2), 0);
  Texts dims(place.strides.size(), "0");
  dims[0] = "batch";
  dims[1] = head;
  return text_.index(place, dims);
}

void AttentionEmitter::emitMatrix(const char *name, OpOperand &operand,
                                  Extents extents, const char *head) {
  constexpr int64_t kBytes = 16;
  int64_t width = widthOf(operand, operand.get(), extents, kBytes);
  text_.line("const mpc_matrix<{0}> {1}({2} + {3});",
             placesOf(operand, extents, width), name,
             text_.pointer(operand.get(), width), firstOf(operand, head));
}

/// An operand with one number for each query.
void AttentionEmitter::emitRowNumbers(const char *name, OpOperand &operand) {
  text_.line("const mpc_matrix<{0}> {1}({2} + {3});",
             placesOf(operand, {sizes_.queries, 1}, 1), name,
             text_.pointer(operand.get()), firstOf(operand, "head"));
}

/// Declares a result, of whose rows a lane has pairs of neighbours.
void AttentionEmitter::emitResult(const char *name, unsigned number,
                                  Extents extents) {
  SmallVector<Value> destinations =
      text_.destinationsOf(op_->getResult(number));
  if (destinations.empty())
    return text_.line("const mpc_no_result {0}{{};", name);
  OpOperand &init = *cast<DestinationStyleOpInterface>(op_.getOperation())
                         .getDpsInitOperand(number);
  Value to = destinations.front();
  int64_t bytes = 2 * getStorageBytes(getElementTypeOrSelf(to.getType()));
  int64_t width = widthOf(init, to, extents, bytes);
  bool isGrouped = isa<AttentionGradientOp>(op_.getOperation()) && number > 0;
  text_.line("const mpc_result<{0}> {1}({2} + {3});",
             placesOf(init, extents, width), name, text_.pointer(to, width),
             firstOf(init, isGrouped ? "group" : "head"));
}

void AttentionEmitter::emitOperands() {
  emitMatrix("query", op_.getQueryMutable(), {sizes_.queries, sizes_.depth},
             "head");
  emitMatrix("key", op_.getKeyMutable(), {sizes_.keys, sizes_.depth}, "group");
  emitMatrix("value", op_.getValueMutable(), {sizes_.keys, sizes_.width},
             "group");
  emitScores();
  emitDropout();
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Declares the mask, and returns its type.
std::string AttentionEmitter::emitMask() {
  MutableOperandRange masks = op_.getMaskMutable();
  if (masks.empty()) {
    text_.line("const mpc_no_mask mask{{};");
    return "mpc_no_mask";
  }
  OpOperand &mask = masks[0];
  bool isBool = getElementTypeOrSelf(mask.get().getType()).isInteger(1);
  std::string matrix = formatv(
      "mpc_matrix<{0}>", placesOf(mask, {sizes_.queries, sizes_.keys}, 1));
  std::string type =
      formatv("mpc_mask<{0}, {1}>", matrix, isBool ? "true" : "false");
  text_.line("const {0} mask{{{1}({2} + {3})};", type, matrix,
             text_.pointer(mask.get()), firstOf(mask, "head"));
  return type;
}

void AttentionEmitter::emitScores() {
  std::string mask = emitMask();
  Type element = getElementTypeOrSelf(op_.getQueryMutable().get().getType());
  TargetAttr target = TargetAttr::lookup(op_);
  bool isExact = element.isF32() || target.getExact() || target.getNaive();
  // A window that is wider than the queries hides nothing.
  int64_t window = op_.getWindow().value_or(0);
  if (window > sizes_.queries)
    window = 0;
  std::optional<APFloat> cap = op_.getSoftcap();
  auto truth = [](bool value) { return value ? "true" : "false"; };
  text_.line("const mpc_scores<{0}, {1}, {2}, {3}, {4}, {5}, {6}> "
             "scores{{mask, {7}, {8}};",
             mask, sizes_.queries, sizes_.keys, truth(op_.getCausal()), window,
             truth(cap.has_value()), truth(isExact),
             literalOf(op_, op_.getScale().convertToDouble()),
             literalOf(op_, cap ? cap->convertToDouble() : 1.0));
}

void AttentionEmitter::emitDropout() {
  std::optional<APFloat> ratio = op_.getDropout();
  if (!ratio)
    return text_.line("const mpc_no_dropout dropout{{};");
  RandomRows rows =
      getRandomRows({sizes_.batch, sizes_.heads, sizes_.queries, sizes_.keys});
  double kept = 1.0 - ratio->convertToDouble();
  auto least =
      static_cast<int64_t>(std::nearbyint(std::ldexp(kept, kUniformBits)));
  auto number = [&](unsigned at) {
    return text_.load(op_.getRandomMutable()[at].get(), "0");
  };
  text_.line("const mpc_dropout<{0}, {1}, {2}> dropout{{{3}, {4}, {5} * {6}, "
             "mpc_u64(batch * {7} + head) * {0}, {8}u, {9}};",
             sizes_.queries, sizes_.keys, rows.length / sizes_.keys, number(0),
             number(1), number(2), rows.rows, sizes_.heads, least,
             literalOf(op_, kept > 0.0 ? 1.0 / kept : 0.0));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void AttentionEmitter::emitTile() {
  if (schedule_.isByLoops())
    return;
  ArrayRef<int64_t> tile = schedule_.getTile();
  int64_t warps = schedule_.getThreads() / 32;
  text_.line("typedef mpc_attention_tile<{0}, {1}, {2}, {3}> Tile;", warps,
             tile[0] / (16 * warps), tile[1], schedule_.getStages());
  text_.line("MPC_DYNAMIC_SHARED(mpc_u8, shared);");
}

/// Emits the part, the block and the head of the grid's block `place` among
/// those of its kind. Blocks of queries come in reverse: those that see most
/// begin first.
void AttentionEmitter::emitPlace(bool isKeys) {
  const std::string &type = text_.indexType();
  int64_t parts = isKeys ? grid_.keyParts : grid_.queryParts;
  int64_t blocks = isKeys ? grid_.keyBlocks : grid_.queryBlocks;
  int64_t heads = isKeys ? sizes_.groups : sizes_.heads;
  text_.line("const int part = place % {0};", parts);
  text_.line("const int whole = place / {0};", parts);
  text_.line("const int block = {0}whole % {1};",
             isKeys ? "" : formatv("{0} - ", blocks - 1).str(), blocks);
  text_.line("const {0} batch = whole / {1};", type, blocks * heads);
  text_.line("const {0} {1} = whole / {2} % {3};", type,
             isKeys ? "group" : "head", blocks, heads);
  text_.line(isKeys ? "const {0} head = group * {1};"
                    : "const {0} group = head / {1};",
             type, sizes_.getShared());
}

/// Emits the call of the prelude's function for `role`, of blocks or of loops.
/// Of a gradient the block has a part of so many columns of each result.
void AttentionEmitter::emitCall(const std::string &role,
                                ArrayRef<int64_t> columns,
                                const char *operands) {
  std::string heads = role == "_keys" ? std::to_string(sizes_.getShared()) : "";
  if (schedule_.isByLoops()) {
    text_.line("const int row = block * {0} + threadIdx.x;",
               schedule_.getTile()[0]);
    return text_.line("mpc_attention_loops{0}{1}(row, {2});", role,
                      heads.empty() ? "" : "<" + heads + ">", operands);
  }
  std::string numbers = "Tile";
  for (int64_t count : columns)
    numbers += ", " + std::to_string(count);
  if (!heads.empty())
    numbers += ", " + heads;
  text_.line("mpc_attention{0}<{1}>(shared, block, {2}{3});", role, numbers,
             columns.empty() ? "" : "part, ", operands);
}

void AttentionEmitter::emitForward() {
  text_.line("const int place = blockIdx.x;");
  emitPlace(/*isKeys=*/false);
  emitOperands();
  emitResult("output", 0, {sizes_.queries, sizes_.width});
  emitResult("peaks", 1, {sizes_.queries, 1});
  emitResult("sums", 2, {sizes_.queries, 1});
  emitCall("", {}, "query, key, value, scores, dropout, output, peaks, sums");
}

void AttentionEmitter::emitGradient(AttentionGradientOp op) {
  auto emitInputs = [&] {
    emitOperands();
    emitMatrix("dOutput", op.getDOutputMutable(),
               {sizes_.queries, sizes_.width}, "head");
    emitRowNumbers("peaks", op.getRowMaxMutable());
    emitRowNumbers("sums", op.getRowSumMutable());
    emitRowNumbers("deltas", op.getDeltaMutable());
    text_.line("const mpc_query_numbers<decltype(peaks), decltype(sums), "
               "decltype(deltas)> numbers{{peaks, sums, deltas};");
  };
  int64_t depth = getTileColumns(sizes_.depth);
  int64_t width = getTileColumns(sizes_.width);
  int64_t keyBlocks = grid_.countKeys(sizes_);
  text_.block(formatv("if (blockIdx.x < {0}u)", keyBlocks), [&] {
    text_.line("const int place = blockIdx.x;");
    emitPlace(/*isKeys=*/true);
    emitInputs();
    emitResult("dKey", 1, {sizes_.keys, sizes_.depth});
    emitResult("dValue", 2, {sizes_.keys, sizes_.width});
    emitCall("_keys", {depth / grid_.keyParts, width / grid_.keyParts},
             "query, key, value, dOutput, numbers, scores, dropout, dKey, "
             "dValue");
  });
  text_.block("else", [&] {
    text_.line("const int place = blockIdx.x - {0}u;", keyBlocks);
    emitPlace(/*isKeys=*/false);
    emitInputs();
    emitResult("dQuery", 0, {sizes_.queries, sizes_.depth});
    emitCall("_queries", {depth / grid_.queryParts},
             "query, key, value, dOutput, numbers, scores, dropout, dQuery");
  });
}

LogicalResult AttentionEmitter::emit() {
  if (failed(check()))
    return failure();
  // Two blocks of four warps: 255 registers for each thread.
  constexpr int64_t kResident = 256;
  text_.setResidentThreads(kResident);
  emitTile();
  if (auto gradient = dyn_cast<AttentionGradientOp>(op_.getOperation()))
    emitGradient(gradient);
  else
    emitForward();
  return success();
}

LogicalResult mpc::cuda::emitAttention(KernelText &text, const Body &body,
                                       AttentionAttr schedule) {
  auto op = cast<AttentionOpInterface>(body.statements.front().op);
  return AttentionEmitter(text, op, schedule).emit();
}
