// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names, and tensors that share elements.
#include "lib/Import/Exported/Scope.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace mpc::exported {

/// What makes each write a tensor of its own.
static constexpr StringLiteral kRemedy =
    "call run_decompositions({}) on the program before it is saved";

Expected<Operand> Scope::read(StringRef name) const {
  auto forbidden = forbidden_.find(name);
  if (forbidden != forbidden_.end())
    return invalidModel(forbidden->second);
  auto value = values_.find(name);
  if (value == values_.end())
    return invalidModel("uses '" + printable(name) +
                        "', which nothing before it defines");
  return value->second;
}

void Scope::share(StringRef name, View view) {
  if (view.sharing == Sharing::Nothing || name == view.base)
    return;
  viewsOf_[view.base].push_back(name.str());
  views_[name] = std::move(view);
}

StringRef Scope::rootOf(StringRef name) const {
  auto view = views_.find(name);
  while (view != views_.end()) {
    name = view->second.base;
    view = views_.find(name);
  }
  return name;
}

/// `base` where `part`, a view of it, has been written.
Expected<Operand> Scope::writtenThrough(const View &view, const Operand &base,
                                        const Operand &part) {
  if (view.sharing == Sharing::All)
    return build_.reshape(part, base.shape);
  if (view.sharing != Sharing::Part)
    return invalidModel("writes to a view that shows elements in another "
                        "order: " +
                        kRemedy);
  Shape shape = base.shape;
  shape[view.axis] = view.limit - view.start;
  std::vector<Operand> parts;
  if (view.start > 0)
    parts.push_back(build_.sliceAxis(base, view.axis, 0, view.start));
  parts.push_back(build_.reshape(part, shape));
  if (view.limit < base.shape[view.axis])
    parts.push_back(
        build_.sliceAxis(base, view.axis, view.limit, base.shape[view.axis]));
  return parts.size() == 1 ? parts.front() : build_.concat(parts, view.axis);
}

/// Who reads what shows `base`, but `kept`, would read what was.
void Scope::forbidViewsOf(StringRef base, StringRef kept) {
  SmallVector<std::string> bases{base.str()};
  while (!bases.empty()) {
    std::string of = bases.pop_back_val();
    for (const std::string &name : viewsOf_.lookup(of)) {
      if (name == kept || forbidden_.contains(name))
        continue;
      forbid(name,
             "reads '" + printable(name) +
                 "', a view of what has been written since: " + kRemedy.str());
      bases.push_back(name);
    }
  }
}

Error Scope::write(StringRef written, Operand result) {
  std::string name = written.str(), kept;
  while (true) {
    auto refusal = protected_.find(name);
    if (refusal != protected_.end())
      return invalidModel(refusal->second);
    values_[name] = result;
    written_.insert(name);
    forbidViewsOf(name, kept);
    auto found = views_.find(name);
    if (found == views_.end())
      return Error::success();
    const View &view = found->second;
    if (view.sharing == Sharing::Maybe) {
      // The elements are the result's own, or those of all that it shows.
      std::string root = rootOf(name).str();
      auto guarded = protected_.find(root);
      if (guarded != protected_.end())
        return invalidModel(guarded->second);
      forbid(root, "reads '" + printable(root) +
                       "', of which what may be a copy has been written: " +
                       kRemedy.str());
      forbidViewsOf(root, name);
      return Error::success();
    }
    MPC_TRY_ASSIGN(result, writtenThrough(view, values_[view.base], result));
    kept = name;
    name = view.base;
  }
}

} // namespace mpc::exported
