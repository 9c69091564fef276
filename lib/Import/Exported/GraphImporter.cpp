// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks a graph once.
#include "lib/Import/Exported/GraphImporter.h"

#include "dialects/Interfaces/ElementTypes.h"
#include "lib/Import/Exported/MissingOps.h"
#include "lib/Import/Exported/Regions.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::exported {

Error GraphImporter::at(const Node &node, Error error) {
  if (std::exchange(isErrorPlaced_, true))
    return error;
  return prefixed(path_.str() + ": " + node.place(), std::move(error));
}

void GraphImporter::locate(const Node &node) {
  using mlir::NameLoc;
  std::vector<std::string> names = resultNames(node);
  auto named = find_if(names, [](StringRef name) { return !name.empty(); });
  mlir::OpBuilder &builder = build.builder();
  auto own = builder.getStringAttr(named == names.end() ? node.op() : *named);
  build.setLocation(node.module.empty()
                        ? NameLoc::get(own)
                        : NameLoc::get(own, NameLoc::get(builder.getStringAttr(
                                                node.module))));
}

Error GraphImporter::importGraph(const Graph &graph, Scope &scope) {
  llvm::DenseSet<const Node *> passed = findPassedOver(graph, table_);
  for (const Node &node : graph.nodes) {
    if (passed.contains(&node))
      continue;
    locate(node);
    if (Error error = importNode(node, graph, scope))
      return at(node, std::move(error));
  }
  return Error::success();
}

Error GraphImporter::importNode(const Node &node, const Graph &graph,
                                Scope &scope) {
  if (RegionEmitter emit = findRegion(node.target))
    return emit(*this, node, graph, scope);
  return importCall(node, graph, scope);
}

/// The first argument, where that is a tensor.
static StringRef firstTensor(const Node &node) {
  if (node.inputs.empty() ||
      node.inputs.front().value.kind != Argument::Kind::Tensor)
    return "";
  return node.inputs.front().value.names.front();
}

/// torch.autocast leaves products of complex numbers as they are.
Error GraphImporter::emit(Call &call, const OpRow &row) {
  if (!call.node().keepsTypes)
    return row.emit(call);
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  Error error = Error::success();
  Operand kept = build.asWritten(type, shape, [&] {
    error = row.emit(call);
    bool isThere = call.results().size() == 1 &&
                   call.results().front().type == type &&
                   call.results().front().shape == shape;
    return isThere ? call.results().front() : build.splat(type, shape, 0);
  });
  MPC_TRY(std::move(error));
  call.replaceResult(kept);
  return Error::success();
}

Error GraphImporter::importCall(const Node &node, const Graph &graph,
                                Scope &scope) {
  const OpRow *row = table_.find(node.op());
  if (!row)
    return invalidModel("this op is not supported");
  std::optional<StringRef> written = writtenTensor(node);
  if (written && written->empty())
    return invalidModel("writes to something that is not a tensor");
  Call call(node, graph, scope, build);
  MPC_TRY(chooseType(call, *row));
  MPC_TRY(emit(call, *row));
  MPC_TRY(define(node, graph, call.results(), scope));
  if (written && !call.results().empty())
    MPC_TRY(scope.write(*written, call.results().front()));
  View view = call.viewFor(written ? Sharing::All : row->sharing);
  view.base = written ? written->str() : firstTensor(node).str();
  for (const std::string &name : resultNames(node))
    scope.share(name, view);
  return Error::success();
}

/// Products take operands of one type; what other ops take of two types they
/// take as it is, unless they compute in another one.
Error GraphImporter::chooseType(Call &call, const OpRow &row) const {
  if (!isAutocast_ || call.node().outputs.empty())
    return Error::success();
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  if (!isa<mlir::FloatType>(type) || type.isF64())
    return Error::success();
  MPC_TRY_ASSIGN(mlir::Type first, call.firstFloatType());
  if (table_.takesOneType(row) || (first && first != type))
    call.computeIn(type);
  return Error::success();
}

std::vector<std::string> resultNames(const Node &node) {
  std::vector<std::string> names;
  for (const Argument &output : node.outputs)
    append_range(names, output.names);
  return names;
}

static Error checkDeclared(const Graph &graph, StringRef name, size_t index,
                           const Operand &result) {
  MPC_TRY_ASSIGN(const TensorMeta *meta, metaOf(graph, name));
  MPC_TRY_ASSIGN(rt::DType dtype, dtypeOf(*meta));
  mlir::Type type = typeOf(result.type.getContext(), dtype);
  if (type == result.type && meta->sizes == result.shape)
    return Error::success();
  return invalidModel("result " + Twine(index) + " is declared " +
                      shapeText(meta->sizes) + ", its operands give " +
                      shapeText(result.shape) +
                      (type == result.type ? "" : " of another type"));
}

Error define(const Node &node, const Graph &graph, ArrayRef<Operand> results,
             Scope &scope) {
  std::vector<std::string> names = resultNames(node);
  if (names.size() < results.size())
    return invalidModel("has " + Twine(names.size()) +
                        " results, expected more");
  for (auto [index, name] : enumerate(names)) {
    if (index >= results.size())
      return invalidModel("result " + Twine(index) + " is not computed");
    if (name.empty() || !results[index].value)
      continue;
    MPC_TRY(checkDeclared(graph, name, index, results[index]));
    scope.define(name, results[index]);
  }
  return Error::success();
}

} // namespace mpc::exported
