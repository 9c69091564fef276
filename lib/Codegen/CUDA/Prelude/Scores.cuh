// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude: what attention makes of a query's product with a key, who sees
// whom, and dropout of weights.

// Masks: none, of truth values, and one that is added.
struct mpc_no_mask {
  static constexpr bool kHides = false, kAdds = false;
  MPC_MEMBER mpc_no_mask ofHead(int) const { return {}; }
  MPC_MEMBER bool shows(int, int) const { return true; }
  MPC_MEMBER float bias(int, int) const { return 0.0f; }
};
struct mpc_bool {
  typedef mpc_u8 Storage;
  static MPC_MEMBER float widen(Storage x) { return x ? 1.0f : 0.0f; }
};
template <typename Matrix, bool IsBool>
struct mpc_mask {
  static constexpr bool kHides = IsBool, kAdds = !IsBool;
  Matrix matrix;
  MPC_MEMBER mpc_mask ofHead(int head) const { return {matrix.ofHead(head)}; }
  MPC_MEMBER bool shows(int query, int key) const {
    return !IsBool || matrix.load(query, key) != 0.0f;
  }
  MPC_MEMBER float bias(int query, int key) const {
    return IsBool ? 0.0f : matrix.load(query, key);
  }
};

// A causal query sees the keys up to its own number; with a window (not 0) only
// the last so many of them. With HasCap scores are cap * tanh(score / cap).
// Unless IsExact the exponential is an approximate power of two, and logits are
// logarithms of that base; but those to which a mask is added, whose numbers
// may be the greatest that there are and stay finite.
template <typename Mask, int Queries, int Keys, bool IsCausal, int Window,
          bool HasCap, bool IsExact>
struct mpc_scores {
  static constexpr bool kIsNatural = Mask::kAdds || IsExact;
  static constexpr float kLog = 1.44269504088896340736f;
  static constexpr float kUnit = kIsNatural ? 1.0f : kLog;
  static constexpr float kInverseUnit =
      kIsNatural ? 1.0f : 0.69314718055994530942f;
  Mask mask;
  float scale, cap;

  // The exponential of a difference of logits.
  static MPC_MEMBER float exponential(float x) {
    if constexpr (IsExact)
      return mpc_exp(x);
    return mpc_exp2_approximate(kIsNatural ? x * kLog : x);
  }

  MPC_MEMBER mpc_scores ofHead(int head) const {
    return {mask.ofHead(head), scale, cap};
  }

  MPC_MEMBER bool sees(int query, int key) const {
    bool seen = query < Queries && key < Keys;
    if constexpr (IsCausal)
      seen = seen && key <= query;
    if constexpr (Window > 0)
      seen = seen && query - key < Window;
    if constexpr (Mask::kHides)
      seen = seen && mask.shows(query, key);
    return seen;
  }
  // Whether each of these queries sees each of these keys: the ends are the
  // first that do not belong to them.
  static MPC_MEMBER bool isWhole(int query, int endQuery, int key, int endKey) {
    return !Mask::kHides && endQuery <= Queries && endKey <= Keys &&
           (!IsCausal || endKey <= query + 1) &&
           (Window == 0 || endQuery - key <= Window);
  }
  // Whether none does.
  static MPC_MEMBER bool isEmpty(int query, int endQuery, int key, int endKey) {
    return query >= Queries || key >= Keys || (IsCausal && key >= endQuery) ||
           (Window > 0 && query + 1 - endKey >= Window);
  }
  // The keys that queries see, and the queries that see keys, in blocks of
  // `Block`: the first block, and the one behind the last.
  template <int Block>
  static MPC_MEMBER int firstKeys(int query) {
    return Window > 0 && query + 1 > Window ? (query + 1 - Window) / Block : 0;
  }
  template <int Block>
  static MPC_MEMBER int endKeys(int endQuery) {
    const int end = IsCausal && endQuery < Keys ? endQuery : Keys;
    return (end + Block - 1) / Block;
  }
  template <int Block>
  static MPC_MEMBER int firstQueries(int key) {
    const int first = IsCausal ? key : 0;
    return (first < Queries ? first : Queries) / Block;
  }
  template <int Block>
  static MPC_MEMBER int endQueries(int endKey) {
    const int end = Window > 0 && endKey + Window - 1 < Queries
                        ? endKey + Window - 1
                        : Queries;
    return (end + Block - 1) / Block;
  }

  // The logit of a product; `slope` is what its gradient is multiplied by
  // beside the scale.
  template <bool IsWhole>
  MPC_MEMBER float logit(float product, int query, int key,
                         float &slope) const {
    slope = 1.0f;
    if (!IsWhole && !sees(query, key))
      return mpc_float(0xff800000u);
    if constexpr (!HasCap && !Mask::kAdds)
      return product * (scale * kUnit);
    float score = product * scale;
    if constexpr (HasCap) {
      const float part = mpc_tanh(score * (1.0f / cap));
      slope = 1.0f - part * part;
      score = part * cap;
    }
    if constexpr (Mask::kAdds)
      score = score + mask.bias(query, key);
    return score * kUnit;
  }
};

struct mpc_no_dropout {
  static constexpr bool kDrops = false;
  MPC_MEMBER mpc_no_dropout ofHead(int) const { return {}; }
  MPC_MEMBER float scale() const { return 1.0f; }
  template <int Tiles>
  MPC_MEMBER mpc_u32 keptKeys(int, int) const {
    return 0xffffffffu;
  }
  MPC_MEMBER bool keeps(int, int) const { return true; }
};

// The numbers of a tensor [batch, head, query, key]: a row of it is one of
// `Joined` queries, in runs of 64 elements, 16 blocks of 4 words each.
template <int Queries, int Keys, int Joined>
struct mpc_dropout {
  static constexpr bool kDrops = true;
  static constexpr int kRuns = (Joined * Keys + 63) / 64;
  mpc_u64 key, counter;
  // The rows of batches before this one, and the queries of this tensor before
  // this head's.
  mpc_u64 rows, queries;
  mpc_u32 least;
  float inverse;

  MPC_MEMBER mpc_dropout ofHead(int head) const {
    return {key,   counter,
            rows,  queries + static_cast<mpc_u64>(head) * Queries,
            least, inverse};
  }
  MPC_MEMBER float scale() const { return inverse; }

  MPC_MEMBER mpc_random draw(mpc_u64 run, int lane) const {
    return mpc_philox(run * 16 + lane, static_cast<mpc_u32>(counter >> 32),
                      static_cast<mpc_u32>(counter), static_cast<mpc_u32>(key),
                      static_cast<mpc_u32>(key >> 32));
  }
  MPC_MEMBER bool keeps(int query, int number) const {
    const mpc_u64 flat = queries + query;
    const int column = static_cast<int>(flat % Joined) * Keys + number;
    const mpc_random random =
        draw((rows + flat / Joined) * kRuns + column / 64, column % 16);
    return random.at(column % 64 / 16) >> 8 < least;
  }
  // Bit 2 j + e tells whether a lane's key of tile j and element e is kept, of
  // tiles of 8 keys from `first` on: 16, 32 or 64 keys, of which `first` is a
  // multiple, so that they lie in one run. A block of random words has those of
  // every second tile.
  template <int Tiles>
  MPC_MEMBER mpc_u32 keptKeys(int query, int first) const {
    static_assert(Tiles == 2 || Tiles == 4 || Tiles == 8);
    mpc_u32 kept = 0;
    if constexpr (Joined > 1) {
      for (int bit = 0; bit < 2 * Tiles; ++bit)
        if (keeps(query, first + mpc_column_of(bit / 2, bit)))
          kept |= 1u << bit;
      return kept;
    }
#pragma unroll
    for (int place = 0; place < 4; ++place) {
      const mpc_random random =
          draw((rows + queries + query) * kRuns + first / 64,
               mpc_column_of(place / 2, place));
#pragma unroll
      for (int two = 0; two < Tiles / 2; ++two) {
        // Which word it is does not depend on the step where that has 64 keys.
        const int part = Tiles == 8 ? two : first / 16 % 4 + two;
        if (random.at(part) >> 8 < least)
          kept |= 1u << (4 * two + place);
      }
    }
    return kept;
  }
};
