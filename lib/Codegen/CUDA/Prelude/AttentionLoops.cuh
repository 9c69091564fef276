// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude: attention and its gradient by loops, a row a thread. It is what
// the blocks of Attention.cuh are held against.

// A row of `Columns` sums of products with rows of a matrix.
template <int Columns>
struct mpc_row_sums {
  float at[Columns] = {};

  template <typename Matrix>
  MPC_MEMBER void add(float factor, const Matrix &matrix, int row) {
    // As it is multiplied.
    factor = Matrix::Element::widen(Matrix::Element::narrow(factor));
#pragma unroll 1
    for (int i = 0; i < Columns; ++i)
      at[i] = mpc_fma(factor, matrix.load(row, i), at[i]);
  }
  template <typename Result>
  MPC_MEMBER void store(const Result &result, int row, float factor) const {
#pragma unroll 1
    for (int i = 0; i < Columns; ++i)
      result.at[Result::place(row, i)] =
          Result::Element::narrow(at[i] * factor);
  }
  MPC_MEMBER void store(const mpc_no_result &, int, float) const {}
};

template <typename Rows, typename Others>
MPC_DEVICE float mpc_dot(const Rows &rows, int row, const Others &others,
                         int other) {
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < Rows::Columns; ++i)
    sum = mpc_fma(rows.load(row, i), others.load(other, i), sum);
  return sum;
}

template <typename Result>
MPC_DEVICE void mpc_put_number(const Result &result, int row, float x) {
  result.at[Result::place(row, 0)] = Result::Element::narrow(x);
}
MPC_DEVICE void mpc_put_number(const mpc_no_result &, int, float) {}

template <typename Query, typename Key, typename Value, typename Scores,
          typename Dropout, typename Output, typename Peaks, typename Sums>
MPC_DEVICE void mpc_attention_loops(int row, const Query &query, const Key &key,
                                    const Value &value, const Scores &scores,
                                    const Dropout &dropout,
                                    const Output &output, const Peaks &peaks,
                                    const Sums &sums) {
  if (row >= Query::Rows)
    return;
  auto logit = [&](int other) {
    float slope;
    return scores.template logit<false>(mpc_dot(query, row, key, other), row,
                                        other, slope);
  };
  float peak = mpc_float(0xff800000u), total = 0.0f;
#pragma unroll 1
  for (int other = 0; other < Key::Rows; ++other)
    peak = mpc_max_plain(peak, logit(other));
  const float shift = peak == mpc_float(0xff800000u) ? 0.0f : peak;
  mpc_row_sums<Value::Columns> result;
#pragma unroll 1
  for (int other = 0; other < Key::Rows; ++other) {
    const float weight = Scores::exponential(logit(other) - shift);
    total = total + weight;
    result.add(dropout.keeps(row, other) ? weight : 0.0f, value, other);
  }
  mpc_put_number(peaks, row, peak * Scores::kInverseUnit);
  mpc_put_number(sums, row, total);
  result.store(output, row, total == 0.0f ? 0.0f : dropout.scale() / total);
}

template <typename Query, typename Key, typename Value, typename DOutput,
          typename Numbers, typename Scores, typename Dropout, typename DQuery>
MPC_DEVICE void
mpc_attention_loops_queries(int row, const Query &query, const Key &key,
                            const Value &value, const DOutput &dOutput,
                            const Numbers &numbers, const Scores &scores,
                            const Dropout &dropout, const DQuery &dQuery) {
  if (row >= Query::Rows)
    return;
  const mpc_row_numbers own = numbers.template of<Scores>(row);
  mpc_row_sums<Query::Columns> result;
#pragma unroll 1
  for (int other = 0; other < Key::Rows; ++other) {
    float score = mpc_dot(query, row, key, other);
    float weight = mpc_dot(dOutput, row, value, other);
    mpc_differentiate<false>(score, weight, row, other, own,
                             dropout.keeps(row, other), scores, dropout);
    result.add(score, key, other);
  }
  result.store(dQuery, row, scores.scale);
}

template <int Heads, typename Query, typename Key, typename Value,
          typename DOutput, typename Numbers, typename Scores, typename Dropout,
          typename DKey, typename DValue>
MPC_DEVICE void mpc_attention_loops_keys(
    int row, const Query &query, const Key &key, const Value &value,
    const DOutput &dOutput, const Numbers &numbers, const Scores &scores,
    const Dropout &dropout, const DKey &dKey, const DValue &dValue) {
  if (row >= Key::Rows)
    return;
  mpc_row_sums<Key::Columns> dKeys;
  mpc_row_sums<Value::Columns> dValues;
#pragma unroll 1
  for (int head = 0; head < Heads; ++head) {
    const Query queries = query.ofHead(head);
    const DOutput dOutputs = dOutput.ofHead(head);
    const Numbers own = numbers.ofHead(head);
    const Scores seen = scores.ofHead(head);
    const Dropout drops = dropout.ofHead(head);
#pragma unroll 1
    for (int other = 0; other < Query::Rows; ++other) {
      float score = mpc_dot(queries, other, key, row);
      float weight = mpc_dot(dOutputs, other, value, row);
      mpc_differentiate<false>(score, weight, other, row,
                               own.template of<Scores>(other),
                               drops.keeps(other, row), seen, drops);
      dKeys.add(score, queries, other);
      dValues.add(weight, dOutputs, other);
    }
  }
  dKeys.store(dKey, row, scores.scale);
  dValues.store(dValue, row, 1.0f);
}

// End of the prelude.
