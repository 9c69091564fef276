// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude: attention and its gradient, after Dao, "FlashAttention-2:
// Faster Attention with Better Parallelism and Work Partitioning" (2023). A
// warp has `RowTiles` times 16 rows (of queries, or of keys) for itself, and
// walks blocks of the others. No score reaches memory.

// The sizes of a block: the warps, the tiles of 16 rows of each, the rows of a
// step of what is walked, and how many such steps are in shared memory.
template <int Warps, int RowTiles_, int Step, int Stages>
struct mpc_attention_tile {
  static constexpr int kWarps = Warps, kThreads = Warps * 32;
  static constexpr int RowTiles = RowTiles_, kRows = Warps * RowTiles * 16;
  static constexpr int kStep = Step, kStages = Stages;
};

// Shared memory: two tiles of a block's own rows, and for each stage two of
// what it walks.
template <typename Tile, typename First, typename Second>
struct mpc_attention_memory {
  typedef typename First::Storage Storage;
  static constexpr int kFirst = mpc_tile_pitch<Storage>(First::Columns);
  static constexpr int kSecond = mpc_tile_pitch<Storage>(Second::Columns);
  static constexpr int kStage = Tile::kStep * (kFirst + kSecond);

  Storage *own, *stages;

  MPC_MEMBER Storage *first(int step) const {
    return stages + step % Tile::kStages * kStage;
  }
  MPC_MEMBER Storage *second(int step) const {
    return first(step) + Tile::kStep * kFirst;
  }
};

// Runs `compute(step)` for steps from `first` to `end`, each when
// `fetch(step)` has brought its tiles. The copies of the next steps are under
// way then.
template <int Stages, typename Fetch, typename Compute>
MPC_DEVICE void mpc_pipeline(int first, int end, Fetch fetch, Compute compute) {
  auto begin = [&](int step) {
    if (step < end)
      fetch(step);
    mpc_copy_async_commit();
  };
  for (int stage = 0; stage + 1 < Stages; ++stage)
    begin(first + stage);
#pragma unroll 1
  for (int step = first; step < end; ++step) {
    if constexpr (Stages == 1) {
      mpc_sync_block();
      begin(step);
      mpc_copy_async_wait<0>();
      mpc_sync_block();
    } else {
      mpc_copy_async_wait<(Stages > 1 ? Stages - 2 : 0)>();
      mpc_sync_block();
      begin(step + Stages - 1);
    }
    compute(step);
  }
}

// The softmax of a warp's rows so far.
template <typename Scores, int RowTiles>
struct mpc_softmax {
  float peak[RowTiles][2], total[RowTiles][2];

  MPC_MEMBER void begin() {
#pragma unroll
    for (int i = 0; i < RowTiles; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        peak[i][half] = mpc_float(0xff800000u);
        total[i][half] = 0.0f;
      }
  }

  // Makes weights of the logits of a row, takes them into its numbers, and
  // returns what everything so far must be multiplied by.
  template <int Columns>
  MPC_MEMBER float take(float (&logits)[Columns][4], int i, int half) {
    float most = peak[i][half];
#pragma unroll
    for (int j = 0; j < Columns; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        most = mpc_max_plain(most, logits[j][half * 2 + e]);
    most = mpc_max_plain(most, mpc_shuffle_xor(MPC_FULL_WARP, most, 1));
    most = mpc_max_plain(most, mpc_shuffle_xor(MPC_FULL_WARP, most, 2));
    // Without a key so far, the difference of two infinities would be NaN.
    const float shift = most == mpc_float(0xff800000u) ? 0.0f : most;
    const float factor = Scores::exponential(peak[i][half] - shift);
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < Columns; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float &logit = logits[j][half * 2 + e];
        logit = Scores::exponential(logit - shift);
        sum = sum + logit;
      }
    peak[i][half] = most;
    total[i][half] = total[i][half] * factor + sum;
    return factor;
  }

  // The sums of a row's lanes.
  MPC_MEMBER void finish() {
#pragma unroll
    for (int i = 0; i < RowTiles; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        for (int distance = 1; distance < 4; distance *= 2)
          total[i][half] =
              total[i][half] +
              mpc_shuffle_xor(MPC_FULL_WARP, total[i][half], distance);
  }
};

// Makes weights of the products of queries from `row` and keys from `key` on,
// with those of before taken into account: `result` is what there is so far.
template <bool IsWhole, int RowTiles, int Step, int Columns, typename Scores,
          typename Dropout>
MPC_DEVICE void mpc_weigh(float (&logits)[RowTiles][Step][4],
                          float (&result)[RowTiles][Columns][4],
                          mpc_softmax<Scores, RowTiles> &softmax,
                          const Scores &scores, const Dropout &dropout, int row,
                          int key) {
#pragma unroll
  for (int i = 0; i < RowTiles; ++i) {
#pragma unroll
    for (int j = 0; j < Step; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        float slope;
        logits[i][j][e] = scores.template logit<IsWhole>(
            logits[i][j][e], row + mpc_row_of(i, e), key + mpc_column_of(j, e),
            slope);
      }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float factor = softmax.take(logits[i], i, half);
#pragma unroll
      for (int j = 0; j < Columns; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          result[i][j][half * 2 + e] = result[i][j][half * 2 + e] * factor;
      if constexpr (Dropout::kDrops) {
        const mpc_u32 kept =
            dropout.template keptKeys<Step>(row + mpc_row_of(i, half * 2), key);
#pragma unroll
        for (int j = 0; j < Step; ++j)
#pragma unroll
          for (int e = 0; e < 2; ++e)
            if ((kept >> (2 * j + e) & 1) == 0)
              logits[i][j][half * 2 + e] = 0.0f;
      }
    }
  }
}

// Rows of queries from `block` times the tile's rows on.
template <typename Tile, typename Query, typename Key, typename Value,
          typename Scores, typename Dropout, typename Output, typename Peaks,
          typename Sums>
MPC_DEVICE void
mpc_attention(mpc_u8 *shared, int block, const Query &query, const Key &key,
              const Value &value, const Scores &scores, const Dropout &dropout,
              const Output &output, const Peaks &peaks, const Sums &sums) {
  typedef mpc_products<typename Query::Element> Products;
  typedef typename Query::Storage Storage;
  typedef mpc_attention_memory<Tile, Key, Value> Memory;
  constexpr int kRowTiles = Tile::RowTiles, kStep = Tile::kStep;
  constexpr int kColumns = mpc_tile_columns(Value::Columns) / 8;
  Storage *own = reinterpret_cast<Storage *>(shared);
  const Memory memory = {own, own + Tile::kRows * Memory::kFirst};

  const int first = block * Tile::kRows;
  const int local = mpc_warp() * kRowTiles * 16, row = first + local;
  const int endRow = row + kRowTiles * 16;
  float result[kRowTiles][kColumns][4] = {};
  mpc_softmax<Scores, kRowTiles> softmax;
  softmax.begin();

  auto fetch = [&](int step) {
    mpc_fetch_rows<kStep, Tile::kThreads>(memory.first(step), key,
                                          step * kStep);
    mpc_fetch_rows<kStep, Tile::kThreads>(memory.second(step), value,
                                          step * kStep);
  };
  auto compute = [&](int step) {
    const int from = step * kStep, end = from + kStep;
    if (Scores::isEmpty(row, endRow, from, end))
      return;
    float logits[kRowTiles][kStep / 8][4] = {};
    Products::template multiply<Query::Columns>(logits, memory.own, local,
                                                memory.first(step));
    if (Scores::isWhole(row, endRow, from, end))
      mpc_weigh<true>(logits, result, softmax, scores, dropout, row, from);
    else
      mpc_weigh<false>(logits, result, softmax, scores, dropout, row, from);
    Products::template add<Value::Columns>(result, logits, memory.second(step));
  };

  mpc_fetch_rows<Tile::kRows, Tile::kThreads>(memory.own, query, first);
  mpc_pipeline<Tile::kStages>(
      Scores::template firstKeys<kStep>(first),
      Scores::template endKeys<kStep>(first + Tile::kRows), fetch, compute);
  // Without a step nobody has waited for the queries.
  mpc_copy_async_commit();
  mpc_copy_async_wait<0>();

  softmax.finish();
  float factors[kRowTiles][2];
#pragma unroll
  for (int i = 0; i < kRowTiles; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float total = softmax.total[i][half];
      const int number = row + mpc_row_of(i, half * 2);
      factors[i][half] = total == 0.0f ? 0.0f : dropout.scale() / total;
      mpc_store_number(peaks, number,
                       softmax.peak[i][half] * Scores::kInverseUnit);
      mpc_store_number(sums, number, total);
    }
  mpc_store_sums(output, row, 0, result, factors);
}

// What the gradient must know of a row of queries: logits less `shift` give
// exponentials, these times `factor` weights.
struct alignas(16) mpc_row_numbers {
  float shift, factor, delta, unused;
};
template <typename Peaks, typename Sums, typename Deltas>
struct mpc_query_numbers {
  Peaks peaks;
  Sums sums;
  Deltas deltas;

  MPC_MEMBER mpc_query_numbers ofHead(int head) const {
    return {peaks.ofHead(head), sums.ofHead(head), deltas.ofHead(head)};
  }
  template <typename Scores>
  MPC_MEMBER mpc_row_numbers of(int query) const {
    if (query >= Peaks::Rows)
      return {0.0f, 0.0f, 0.0f, 0.0f};
    const float peak = peaks.load(query, 0), sum = sums.load(query, 0);
    return {peak == mpc_float(0xff800000u) ? 0.0f : peak * Scores::kUnit,
            sum == 0.0f ? 1.0f : 1.0f / sum, deltas.load(query, 0), 0.0f};
  }
};

// From a product of a query and a key, and one of the result's gradient and the
// value: the gradient of the product but for the scale, and the weight.
template <bool IsWhole, typename Scores, typename Dropout>
MPC_DEVICE void mpc_differentiate(float &score, float &weight, int query,
                                  int key, const mpc_row_numbers &row,
                                  bool isKept, const Scores &scores,
                                  const Dropout &dropout) {
  float slope;
  const float logit = scores.template logit<IsWhole>(score, query, key, slope);
  const float p = Scores::exponential(logit - row.shift) * row.factor;
  const float scale = isKept ? dropout.scale() : 0.0f;
  const float gradient = Dropout::kDrops ? weight * scale : weight;
  score = p * (gradient - row.delta) * slope;
  weight = Dropout::kDrops ? p * scale : p;
}

// The same of a warp's tiles of queries from `query` on by keys from `key` on.
template <bool IsWhole, int RowTiles, int Step, typename Scores,
          typename Dropout>
MPC_DEVICE void mpc_differentiate_rows(
    float (&scored)[RowTiles][Step][4], float (&weights)[RowTiles][Step][4],
    const mpc_row_numbers (&rows)[RowTiles][2], const Scores &scores,
    const Dropout &dropout, int query, int key) {
#pragma unroll
  for (int i = 0; i < RowTiles; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int number = query + mpc_row_of(i, half * 2);
      const mpc_u32 kept = dropout.template keptKeys<Step>(number, key);
#pragma unroll
      for (int j = 0; j < Step; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          mpc_differentiate<IsWhole>(
              scored[i][j][half * 2 + e], weights[i][j][half * 2 + e], number,
              key + mpc_column_of(j, e), rows[i][half],
              (kept >> (2 * j + e) & 1) != 0, scores, dropout);
    }
}

// And of tiles of keys from `key` on by queries from `query` on, whose numbers
// are `rows`.
template <bool IsWhole, int RowTiles, int Step, typename Scores,
          typename Dropout>
MPC_DEVICE void
mpc_differentiate_columns(float (&scored)[RowTiles][Step][4],
                          float (&weights)[RowTiles][Step][4],
                          const mpc_row_numbers *rows, const Scores &scores,
                          const Dropout &dropout, int query, int key) {
#pragma unroll
  for (int j = 0; j < Step; ++j)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int column = mpc_column_of(j, e);
      const mpc_row_numbers numbers = rows[column];
#pragma unroll
      for (int i = 0; i < RowTiles; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int row = key + mpc_row_of(i, half * 2);
          mpc_differentiate<IsWhole>(
              scored[i][j][half * 2 + e], weights[i][j][half * 2 + e],
              query + column, row, numbers, dropout.keeps(query + column, row),
              scores, dropout);
        }
    }
}

// The gradient of rows of queries from `block` times the tile's rows on: part
// `part` of their columns, `Columns` of them.
template <typename Tile, int Columns, typename Query, typename Key,
          typename Value, typename DOutput, typename Numbers, typename Scores,
          typename Dropout, typename DQuery>
MPC_DEVICE void mpc_attention_queries(
    mpc_u8 *shared, int block, int part, const Query &query, const Key &key,
    const Value &value, const DOutput &dOutput, const Numbers &numbers,
    const Scores &scores, const Dropout &dropout, const DQuery &dQuery) {
  typedef mpc_products<typename Query::Element> Products;
  typedef typename Query::Storage Storage;
  typedef mpc_attention_memory<Tile, Key, Value> Memory;
  constexpr int kRowTiles = Tile::RowTiles, kStep = Tile::kStep;
  Storage *own = reinterpret_cast<Storage *>(shared);
  Storage *ownSecond = own + Tile::kRows * Memory::kFirst;
  const Memory memory = {own, ownSecond + Tile::kRows * Memory::kSecond};

  const int first = block * Tile::kRows;
  const int local = mpc_warp() * kRowTiles * 16, row = first + local;
  const int endRow = row + kRowTiles * 16;
  float result[kRowTiles][Columns / 8][4] = {};
  mpc_row_numbers rows[kRowTiles][2];
  float factors[kRowTiles][2];
#pragma unroll
  for (int i = 0; i < kRowTiles; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      rows[i][half] =
          numbers.template of<Scores>(row + mpc_row_of(i, half * 2));
      factors[i][half] = scores.scale;
    }

  auto fetch = [&](int step) {
    mpc_fetch_rows<kStep, Tile::kThreads>(memory.first(step), key,
                                          step * kStep);
    mpc_fetch_rows<kStep, Tile::kThreads>(memory.second(step), value,
                                          step * kStep);
  };
  auto compute = [&](int step) {
    const int key = step * kStep, endKey = key + kStep;
    if (Scores::isEmpty(row, endRow, key, endKey))
      return;
    float sums[kRowTiles][kStep / 8][4] = {};
    float weights[kRowTiles][kStep / 8][4] = {};
    Products::template multiply<Query::Columns>(sums, own, local,
                                                memory.first(step));
    Products::template multiply<Value::Columns>(weights, ownSecond, local,
                                                memory.second(step));
    if (Scores::isWhole(row, endRow, key, endKey))
      mpc_differentiate_rows<true>(sums, weights, rows, scores, dropout, row,
                                   key);
    else
      mpc_differentiate_rows<false>(sums, weights, rows, scores, dropout, row,
                                    key);
    Products::template add<Key::Columns>(result, sums,
                                         memory.first(step) + part * Columns);
  };

  mpc_fetch_rows<Tile::kRows, Tile::kThreads>(own, query, first);
  mpc_fetch_rows<Tile::kRows, Tile::kThreads>(ownSecond, dOutput, first);
  mpc_pipeline<Tile::kStages>(
      Scores::template firstKeys<kStep>(first),
      Scores::template endKeys<kStep>(first + Tile::kRows), fetch, compute);
  mpc_copy_async_commit();
  mpc_copy_async_wait<0>();
  mpc_store_sums(dQuery, row, part * Columns, result, factors);
}

// The gradients of rows of keys and values from `block` times the tile's rows
// on, summed over the queries of `Heads` heads: part `part` of their columns,
// `KeyColumns` and `ValueColumns` of them.
template <typename Tile, int KeyColumns, int ValueColumns, int Heads,
          typename Query, typename Key, typename Value, typename DOutput,
          typename Numbers, typename Scores, typename Dropout, typename DKey,
          typename DValue>
MPC_DEVICE void mpc_attention_keys(mpc_u8 *shared, int block, int part,
                                   const Query &query, const Key &key,
                                   const Value &value, const DOutput &dOutput,
                                   const Numbers &numbers, const Scores &scores,
                                   const Dropout &dropout, const DKey &dKey,
                                   const DValue &dValue) {
  typedef mpc_products<typename Query::Element> Products;
  typedef typename Query::Storage Storage;
  typedef mpc_attention_memory<Tile, Query, DOutput> Memory;
  constexpr int kRowTiles = Tile::RowTiles, kStep = Tile::kStep;
  Storage *own = reinterpret_cast<Storage *>(shared);
  Storage *ownSecond = own + Tile::kRows * Memory::kFirst;
  const Memory memory = {own, ownSecond + Tile::kRows * Memory::kSecond};
  mpc_row_numbers *all = reinterpret_cast<mpc_row_numbers *>(
      memory.stages + Tile::kStages * Memory::kStage);

  const int first = block * Tile::kRows;
  const int local = mpc_warp() * kRowTiles * 16, row = first + local;
  const int endRow = row + kRowTiles * 16;
  float dKeys[kRowTiles][KeyColumns / 8][4] = {};
  float dValues[kRowTiles][ValueColumns / 8][4] = {};

  // Steps walk the queries of a head, then those of the next.
  const int begin = Scores::template firstQueries<kStep>(first);
  const int end = Scores::template endQueries<kStep>(first + Tile::kRows);
  const int count = end > begin ? end - begin : 0;
  auto fetch = [&](int step) {
    const int head = step / count, from = (begin + step % count) * kStep;
    mpc_fetch_rows<kStep, Tile::kThreads>(memory.first(step),
                                          query.ofHead(head), from);
    mpc_fetch_rows<kStep, Tile::kThreads>(memory.second(step),
                                          dOutput.ofHead(head), from);
    mpc_row_numbers *rows = all + step % Tile::kStages * kStep;
    for (int i = threadIdx.x; i < kStep; i += Tile::kThreads)
      rows[i] = numbers.ofHead(head).template of<Scores>(from + i);
  };
  auto compute = [&](int step) {
    const int head = step / count, query = (begin + step % count) * kStep;
    if (Scores::isEmpty(query, query + kStep, row, endRow))
      return;
    float sums[kRowTiles][kStep / 8][4] = {};
    float weights[kRowTiles][kStep / 8][4] = {};
    Products::template multiply<Query::Columns>(sums, own, local,
                                                memory.first(step));
    Products::template multiply<Value::Columns>(weights, ownSecond, local,
                                                memory.second(step));
    const mpc_row_numbers *rows = all + step % Tile::kStages * kStep;
    if (Scores::isWhole(query, query + kStep, row, endRow))
      mpc_differentiate_columns<true>(sums, weights, rows, scores.ofHead(head),
                                      dropout.ofHead(head), query, row);
    else
      mpc_differentiate_columns<false>(sums, weights, rows, scores.ofHead(head),
                                       dropout.ofHead(head), query, row);
    Products::template add<Key::Columns>(
        dKeys, sums, memory.first(step) + part * KeyColumns);
    Products::template add<Value::Columns>(
        dValues, weights, memory.second(step) + part * ValueColumns);
  };

  mpc_fetch_rows<Tile::kRows, Tile::kThreads>(own, key, first);
  mpc_fetch_rows<Tile::kRows, Tile::kThreads>(ownSecond, value, first);
  mpc_pipeline<Tile::kStages>(0, Heads * count, fetch, compute);
  mpc_copy_async_commit();
  mpc_copy_async_wait<0>();

  float scales[kRowTiles][2], ones[kRowTiles][2];
#pragma unroll
  for (int i = 0; i < kRowTiles; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      scales[i][half] = scores.scale;
      ones[i][half] = 1.0f;
    }
  mpc_store_sums(dKey, row, part * KeyColumns, dKeys, scales);
  mpc_store_sums(dValue, row, part * ValueColumns, dValues, ones);
}
