// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing to where a mask is true: masked_scatter(mask, source) and
// x[mask] = values, which the exporter writes as the places of the mask, of
// which nobody knows the number, and a ScatterND to them.
#include "lib/Import/ONNX/PyTorch/MaskedWrites.h"

#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace mpc::onnx {

//===----------------------------------------------------------------------===//
// In the graph
//===----------------------------------------------------------------------===//

namespace {

/// The nodes of a graph by what they make.
class Producers {
public:
  explicit Producers(const Graph &graph) {
    for (const Node &node : graph.nodes)
      for (const std::string &output : node.outputs)
        nodes_[output] = &node;
  }

  /// The first input of what makes `name`, if that is an `opType`; else empty.
  StringRef inputOf(StringRef name, StringRef opType) const {
    const Node *node = nodes_.lookup(name);
    bool isOne = node && node->domain.empty() && node->opType == opType &&
                 !node->inputs.empty();
    return isOne ? StringRef(node->inputs[0]) : StringRef();
  }

  /// What is broadcast to `name`.
  StringRef unexpanded(StringRef name) const {
    for (StringRef input = inputOf(name, "Expand"); !input.empty();
         input = inputOf(name, "Expand"))
      name = input;
    return name;
  }

private:
  StringMap<const Node *> nodes_;
};

} // namespace

/// What is written, as the user gave it; empty where `node` writes to no mask.
static StringRef sourceOf(const Node &node, const Producers &producers) {
  StringRef target = OriginalCall(node).target();
  if (target.starts_with("aten.masked_scatter"))
    return producers.inputOf(node.inputs[2], "Slice");
  if (target.starts_with("aten.index_put"))
    return producers.unexpanded(producers.inputOf(node.inputs[2], "Reshape"));
  return {};
}

void restoreMaskedWrites(Graph &graph) {
  Producers producers(graph);
  std::vector<std::string> calls;
  for (Node &node : graph.nodes) {
    if (node.opType != "ScatterND" || !node.domain.empty() ||
        node.inputs.size() != 3)
      continue;
    StringRef mask = producers.unexpanded(producers.inputOf(
        producers.inputOf(node.inputs[1], "Transpose"), "NonZero"));
    StringRef source = sourceOf(node, producers);
    if (mask.empty() || source.empty())
      continue;
    node.inputs = {node.inputs[0], mask.str(), source.str()};
    node.writesToMask = true;
    calls.push_back(node.call);
  }
  for (const std::string &call : calls)
    removeUnread(graph, call);
}

//===----------------------------------------------------------------------===//
// As ops
//===----------------------------------------------------------------------===//

namespace {

/// A mask over data, of which it has, at the last axes, all or nothing: rows.
struct RowMask {
  RowMask(TensorBuilder &b, const Operand &given, ArrayRef<int64_t> shape) {
    Shape aligned(shape.size() - given.shape.size(), 1);
    append_range(aligned, given.shape);
    size_t outer = shape.size();
    while (outer > 0 && aligned[outer - 1] == 1)
      --outer;
    row = Shape(shape.drop_front(outer));
    ArrayRef<int64_t> rows = shape.take_front(outer);
    mask = b.broadcastTo(b.reshape(given, ArrayRef(aligned).take_front(outer)),
                         rows);
    mask = b.reshape(mask, {countElements(rows).value_or(0)});
  }

  Operand mask; ///< One element a row.
  Shape row;
};

} // namespace

/// Whether one row is written to all that the mask has: x[mask] = value.
static bool isRepeated(const NodeImporter &node, const Operand &source,
                       ArrayRef<int64_t> row) {
  if (!OriginalCall(node.node()).target().starts_with("aten.index_put"))
    return false;
  ArrayRef<int64_t> given = source.shape;
  while (!given.empty() && given.front() == 1)
    given = given.drop_front();
  return given.size() <= row.size() &&
         all_of(zip(given, row.take_back(given.size())), [](auto sizes) {
           auto [size, wanted] = sizes;
           return size == 1 || size == wanted;
         });
}

/// A row of `source` for each of the mask: the first for the first that is
/// true. Nothing where the source would do for no row.
static std::optional<Operand> inOrder(TensorBuilder &b, const Operand &source,
                                      const RowMask &of) {
  int64_t elements = countElements(source.shape).value_or(0);
  int64_t inner = countElements(of.row).value_or(0);
  int64_t given = inner == 0 ? 0 : elements / inner;
  if (given == 0)
    return std::nullopt;
  Operand flat =
      b.sliceAxis(b.reshape(source, {elements}), 0, 0, given * inner);
  Operand counts = b.scan(Binary::Add, b.cast(of.mask, b.i64()), 0);
  return b.gather(b.reshape(flat, {given, inner}),
                  b.binary(Binary::Sub, counts, 1.0), 0);
}

Error emitMaskedWrite(NodeImporter &node) {
  MPC_TRY(node.requireSameType(2, 0));
  TensorBuilder &b = node.build;
  const Operand &data = node.in(0), &source = node.in(2);
  Operand mask = b.cast(node.in(1), b.i1());
  MPC_TRY_ASSIGN(Operand isWritten,
                 node.broadcastTo(mask, data.shape, "the mask"));
  RowMask of(b, mask, data.shape);
  Operand written = data;
  if (isRepeated(node, source, of.row))
    written = b.broadcastTo(source, data.shape);
  else if (auto rows = inOrder(b, source, of))
    written = b.reshape(*rows, data.shape);
  // index_put(accumulate=True).
  if (node.stringAttr("reduction", "none") == "add")
    written = b.binary(Binary::Add, data, written);
  node.result(0, b.select(isWritten, written, data));
  return Error::success();
}

} // namespace mpc::onnx
