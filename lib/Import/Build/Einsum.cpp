// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms are multiplied from left to right.
#include "lib/Import/Build/Einsum.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace mpc::build {

/// The number of the first axis of an ellipsis.
static constexpr int kFirstHidden = 256;

/// Reads "ab...c" for a tensor of `rank` axes. Axes of an ellipsis are aligned
/// at the last one.
Expected<Einsum::Labels> Einsum::readLabels(StringRef text, int64_t rank) {
  Labels labels;
  auto [front, back] = text.split("...");
  bool hasHidden = text.contains("...");
  int64_t letters = static_cast<int64_t>(front.size() + back.size());
  bool isWell = all_of((front + back).str(), isAlpha);
  if (!isWell || letters > rank || (!hasHidden && letters != rank))
    return invalidModel("the term '" + printable(text) + "' does not name " +
                        Twine(rank) + " axes");
  append_range(labels, front);
  hidden_ = std::max(hidden_, rank - letters);
  for (int64_t i = rank - letters; i-- > 0;)
    labels.push_back(kFirstHidden + static_cast<int>(i));
  append_range(labels, back);
  return labels;
}

Error Einsum::keepSizes(const Term &term) {
  for (auto [label, size] : zip_equal(term.labels, term.tensor.shape)) {
    int64_t &known = sizes_.try_emplace(label, size).first->second;
    if (known != size && known != 1 && size != 1)
      return invalidModel("an axis has sizes " + Twine(known) + " and " +
                          Twine(size));
    known = std::max(known, size);
  }
  return Error::success();
}

static SmallVector<StringRef> termsIn(StringRef inputs) {
  SmallVector<StringRef> texts;
  inputs.split(texts, ',');
  return texts;
}

Error Einsum::checkCount(size_t count) const {
  size_t found = termsIn(inputs()).size();
  if (found == count)
    return Error::success();
  return invalidModel("the equation has " + Twine(found) + " terms, the node " +
                      Twine(count) + " inputs");
}

Error Einsum::add(const Operand &input) {
  StringRef text = termsIn(inputs())[terms_.size()];
  MPC_TRY_ASSIGN(Labels labels, readLabels(text, input.rank()));
  terms_.push_back({input, labels});
  return keepSizes(terms_.back());
}

/// Reads the output. Without an arrow it has the ellipsis' axes, and then the
/// names that occur once, in order.
Expected<Einsum::Labels> Einsum::readOutput(StringRef text, bool isGiven) {
  if (isGiven) {
    int64_t letters = static_cast<int64_t>(text.size());
    bool hasHidden = text.contains("...");
    MPC_TRY_ASSIGN(
        Labels labels,
        readLabels(text, hasHidden ? letters - 3 + hidden_ : letters));
    for (auto [index, label] : enumerate(labels))
      if (!sizes_.contains(label) ||
          is_contained(ArrayRef<int>(labels).take_front(index), label))
        return invalidModel("the output '" + printable(text) +
                            "' names an axis that is in no term, or twice");
    return labels;
  }
  std::map<int, int> counts;
  for (const Term &term : terms_)
    for (int label : term.labels)
      ++counts[label];
  Labels labels;
  for (int64_t i = hidden_; i-- > 0;)
    labels.push_back(kFirstHidden + static_cast<int>(i));
  for (auto [label, count] : counts)
    if (label < kFirstHidden && count == 1)
      labels.push_back(label);
  return labels;
}

/// "ii": sets elements off the diagonal to zero, and sums over one of the axes.
void Einsum::takeDiagonals(Term &term) {
  for (size_t i = 0; i < term.labels.size(); ++i)
    for (size_t j = term.labels.size(); j-- > i + 1;) {
      if (term.labels[i] != term.labels[j])
        continue;
      auto along = [&](size_t axis) {
        return b_.fromValue(
            nn::IotaOp::create(b_.builder(), b_.location(),
                               b_.tensorType(b_.i64(), term.tensor.shape),
                               static_cast<uint64_t>(axis)));
      };
      Operand isOn = b_.compare(nn::CompareKind::EQ, along(i), along(j));
      term.tensor =
          b_.select(isOn, term.tensor, b_.splatLike(term.tensor, 0.0));
      term.tensor = b_.reduceSum(term.tensor, {static_cast<int64_t>(j)});
      term.labels.erase(term.labels.begin() + j);
    }
}

void Einsum::sumAway(Term &term, ArrayRef<int> kept) {
  SmallVector<int64_t> axes;
  Labels left;
  for (auto [axis, label] : enumerate(term.labels))
    if (is_contained(kept, label))
      left.push_back(label);
    else
      axes.push_back(static_cast<int64_t>(axis));
  term.tensor = b_.reduceSum(term.tensor, axes);
  term.labels = left;
}

/// Repeats axes of size 1 that have the name of a longer axis.
void Einsum::repeat(Term &term) {
  Shape shape;
  for (int label : term.labels)
    shape.push_back(sizes_[label]);
  term.tensor = b_.broadcastTo(term.tensor, shape);
}

Operand Einsum::grouped(const Term &term, ArrayRef<Labels> groups) {
  SmallVector<int64_t> order;
  Shape shape;
  for (const Labels &group : groups) {
    shape.push_back(1);
    for (int label : group) {
      order.push_back(find(term.labels, label) - term.labels.begin());
      shape.back() *= sizes_[label];
    }
  }
  return b_.reshape(b_.transpose(term.tensor, order), shape);
}

/// Multiplies two terms. Axes of both are batch axes if they are needed later,
/// else they are contracted.
Einsum::Term Einsum::product(Term lhs, Term rhs, ArrayRef<int> needed) {
  Labels batch, contracted, left, right, keptLeft(needed), keptRight(needed);
  append_range(keptLeft, rhs.labels);
  append_range(keptRight, lhs.labels);
  sumAway(lhs, keptLeft);
  sumAway(rhs, keptRight);
  for (int label : lhs.labels)
    if (!is_contained(rhs.labels, label))
      left.push_back(label);
    else
      (is_contained(needed, label) ? batch : contracted).push_back(label);
  for (int label : rhs.labels)
    if (!is_contained(lhs.labels, label))
      right.push_back(label);
  Operand result = b_.matmul(grouped(lhs, {batch, left, contracted}),
                             grouped(rhs, {batch, contracted, right}));
  Labels labels = batch;
  append_range(labels, left);
  append_range(labels, right);
  Shape shape;
  for (int label : labels)
    shape.push_back(sizes_[label]);
  return {b_.reshape(result, shape), labels};
}

Expected<Operand> Einsum::result() {
  MPC_TRY_ASSIGN(Labels output, readOutput(equation_.split("->").second,
                                           equation_.contains("->")));
  for (Term &term : terms_) {
    repeat(term);
    takeDiagonals(term);
  }
  Term result = terms_.front();
  for (size_t i = 1; i < terms_.size(); ++i) {
    Labels needed = output;
    for (const Term &later : ArrayRef(terms_).drop_front(i + 1))
      append_range(needed, later.labels);
    result = product(std::move(result), terms_[i], needed);
  }
  sumAway(result, output);
  SmallVector<int64_t> order;
  for (int label : output)
    order.push_back(find(result.labels, label) - result.labels.begin());
  return b_.transpose(result.tensor, order);
}

} // namespace mpc::build
