// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude: matrices of attention in global memory, their tiles in shared
// memory, and products of tiles by the units of each type.

// What elements are in memory, and what they are in registers.
struct mpc_f32 {
  typedef float Storage;
  static MPC_MEMBER Storage narrow(float x) { return x; }
  static MPC_MEMBER float widen(Storage x) { return x; }
};
struct mpc_f16 {
  typedef mpc_u16 Storage;
  static MPC_MEMBER Storage narrow(float x) { return mpc_f32_to_f16(x); }
  static MPC_MEMBER float widen(Storage x) { return mpc_f16_to_f32(x); }
};
struct mpc_bf16 {
  typedef mpc_u16 Storage;
  static MPC_MEMBER Storage narrow(float x) { return mpc_f32_to_bf16(x); }
  static MPC_MEMBER float widen(Storage x) { return mpc_bf16_to_f32(x); }
};

// Where the elements of a matrix of one head lie: (r, c) `RowStride` * r +
// `ColumnStride` * c behind the first, the same of the next head `HeadStride`
// behind. So many neighbours of a row as `Width` can be moved at once.
template <typename Element_, typename Index, int Rows_, int Columns_,
          mpc_i64 RowStride, mpc_i64 ColumnStride, mpc_i64 HeadStride,
          int Width_>
struct mpc_places {
  typedef Element_ Element;
  typedef typename Element::Storage Storage;
  static constexpr int Rows = Rows_, Columns = Columns_, Width = Width_;

  static MPC_MEMBER Index place(int row, int column) {
    return static_cast<Index>(row) * static_cast<Index>(RowStride) +
           static_cast<Index>(column) * static_cast<Index>(ColumnStride);
  }
  static MPC_MEMBER Index head(int number) {
    return static_cast<Index>(number) * static_cast<Index>(HeadStride);
  }
};
// An operand and a result with such places.
template <typename Places>
struct mpc_matrix : Places {
  const typename Places::Storage *at;
  explicit MPC_MEMBER mpc_matrix(const typename Places::Storage *at) : at(at) {}
  MPC_MEMBER mpc_matrix ofHead(int number) const {
    return mpc_matrix(at + Places::head(number));
  }
  MPC_MEMBER float load(int row, int column) const {
    return Places::Element::widen(at[Places::place(row, column)]);
  }
};
template <typename Places>
struct mpc_result : Places {
  typename Places::Storage *at;
  explicit MPC_MEMBER mpc_result(typename Places::Storage *at) : at(at) {}
};

// A result that nobody reads.
struct mpc_no_result {};

// The columns of a tile, with zeros up to a multiple of 16; and the distance of
// its lines, by which rows of 16 bytes lie in different banks.
MPC_DEVICE constexpr int mpc_tile_columns(int columns) {
  return (columns + 15) / 16 * 16;
}
template <typename Storage>
MPC_DEVICE constexpr int mpc_tile_pitch(int columns) {
  return mpc_tile_columns(columns) + 16 / static_cast<int>(sizeof(Storage));
}

// Starts to bring `Count` rows of a matrix, from `first` on, to a tile in
// shared memory. What is outside of the matrix is zero there. All threads of
// the block take part.
template <int Count, int Threads, typename Matrix>
MPC_DEVICE void mpc_fetch_rows(typename Matrix::Storage *tile,
                               const Matrix &matrix, int first) {
  typedef typename Matrix::Storage Storage;
  constexpr int kPitch = mpc_tile_pitch<Storage>(Matrix::Columns);
  constexpr int kPieces = mpc_tile_columns(Matrix::Columns) / Matrix::Width;
#pragma unroll 4
  for (int i = threadIdx.x; i < Count * kPieces; i += Threads) {
    const int row = i / kPieces, column = i % kPieces * Matrix::Width;
    const bool isInside =
        first + row < Matrix::Rows && column < Matrix::Columns;
    Storage *to = tile + row * kPitch + column;
    if constexpr (Matrix::Width > 1)
      mpc_copy_async16(mpc_shared_address(to),
                       matrix.at +
                           (isInside ? matrix.place(first + row, column) : 0),
                       isInside ? 16 : 0);
    else
      *to =
          isInside ? matrix.at[matrix.place(first + row, column)] : Storage(0);
  }
}

// A warp's products of tiles whose lines are rows. All have the layout of
// mma.m16n8k16's result: of `sums[i][j]`, lane l has the rows 16 i + l / 4 and
// that + 8, and of each the columns 8 j + 2 (l % 4) and the next.
template <typename Element>
struct mpc_products;

// On Tensor Cores.
template <typename Element, bool IsBF16>
struct mpc_matrix_products {
  // sums[i][j] += rows 16 i from `row` on times the rows 8 j of `columns`.
  template <int Depth, int RowTiles, int ColumnTiles>
  static MPC_MEMBER void multiply(float (&sums)[RowTiles][ColumnTiles][4],
                                  const mpc_u16 *rows, int row,
                                  const mpc_u16 *columns) {
    typedef mpc_tile<true, mpc_tile_pitch<mpc_u16>(Depth)> Tile;
    mpc_multiply_tiles<Tile, Tile, IsBF16, mpc_tile_columns(Depth), RowTiles,
                       ColumnTiles>(sums, rows, row, columns, 0);
  }

  static MPC_MEMBER mpc_u32 pairOf(float first, float second) {
    return mpc_pair(Element::narrow(first), Element::narrow(second));
  }

  // sums[i][j] += factors times the columns 8 j of the tile, whose rows are the
  // factors' columns.
  template <int Depth, int RowTiles, int Terms, int ColumnTiles>
  static MPC_MEMBER void add(float (&sums)[RowTiles][ColumnTiles][4],
                             const float (&factors)[RowTiles][Terms][4],
                             const mpc_u16 *tile) {
#pragma unroll
    for (int k = 0; k < Terms; k += 2) {
      mpc_u32 a[RowTiles][4];
#pragma unroll
      for (int i = 0; i < RowTiles; ++i)
#pragma unroll
        for (int part = 0; part < 4; ++part)
          a[i][part] = pairOf(factors[i][k + part / 2][part % 2 * 2],
                              factors[i][k + part / 2][part % 2 * 2 + 1]);
#pragma unroll
      for (int j = 0; j < ColumnTiles; j += 2) {
        mpc_u32 both[4];
        mpc_load_columns<false, mpc_tile_pitch<mpc_u16>(Depth)>(both, tile,
                                                                j * 8, k * 8);
        mpc_multiply_columns<IsBF16>(sums, j, a, both);
      }
    }
  }
};
template <>
struct mpc_products<mpc_f16> : mpc_matrix_products<mpc_f16, false> {};
template <>
struct mpc_products<mpc_bf16> : mpc_matrix_products<mpc_bf16, true> {};

// By multiply-adds of f32, each sum a chain in index order.
template <>
struct mpc_products<mpc_f32> {
  template <int Depth, int RowTiles, int ColumnTiles>
  static MPC_MEMBER void multiply(float (&sums)[RowTiles][ColumnTiles][4],
                                  const float *rows, int row,
                                  const float *columns) {
    typedef mpc_vector<float, 4> Four;
    constexpr int kPitch = mpc_tile_pitch<float>(Depth);
    const int lane = mpc_lane();
#pragma unroll 1
    for (int k = 0; k < mpc_tile_columns(Depth); k += 4) {
      Four a[RowTiles][2];
#pragma unroll
      for (int i = 0; i < RowTiles; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          a[i][half] = Four::get(
              rows + (row + i * 16 + half * 8 + lane / 4) * kPitch + k);
#pragma unroll
      for (int j = 0; j < ColumnTiles; ++j)
#pragma unroll
        for (int second = 0; second < 2; ++second) {
          const Four b =
              Four::get(columns + (j * 8 + lane % 4 * 2 + second) * kPitch + k);
#pragma unroll
          for (int i = 0; i < RowTiles; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half)
#pragma unroll
              for (int e = 0; e < 4; ++e) {
                float &sum = sums[i][j][half * 2 + second];
                sum = mpc_fma(a[i][half].at[e], b.at[e], sum);
              }
        }
    }
  }

  template <int Depth, int RowTiles, int Terms, int ColumnTiles>
  static MPC_MEMBER void add(float (&sums)[RowTiles][ColumnTiles][4],
                             const float (&factors)[RowTiles][Terms][4],
                             const float *tile) {
    constexpr int kPitch = mpc_tile_pitch<float>(Depth);
    const int lane = mpc_lane();
#pragma unroll
    for (int k = 0; k < Terms * 8; ++k) {
      float a[RowTiles][2];
#pragma unroll
      for (int i = 0; i < RowTiles; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          a[i][half] =
              mpc_shuffle(MPC_FULL_WARP, factors[i][k / 8][half * 2 + k % 2],
                          (lane & ~3) | k % 8 / 2);
#pragma unroll
      for (int j = 0; j < ColumnTiles; ++j)
#pragma unroll
        for (int second = 0; second < 2; ++second) {
          const float b = tile[k * kPitch + j * 8 + lane % 4 * 2 + second];
#pragma unroll
          for (int i = 0; i < RowTiles; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
              float &sum = sums[i][j][half * 2 + second];
              sum = mpc_fma(a[i][half], b, sum);
            }
        }
    }
  }
};

// The row and the column of element `e` of a warp's sums[i][j].
MPC_DEVICE int mpc_row_of(int i, int e) {
  return i * 16 + e / 2 * 8 + mpc_lane() / 4;
}
MPC_DEVICE int mpc_column_of(int j, int e) {
  return j * 8 + mpc_lane() % 4 * 2 + e % 2;
}

// Writes a row's elements of a warp's sums, each times `factor`, from column
// `from` on of the result: by pairs where a row allows it.
template <typename Result, int ColumnTiles>
MPC_DEVICE void mpc_store_row(const Result &result, int row, int from,
                              const float (&sums)[ColumnTiles][4], int half,
                              float factor) {
  typedef typename Result::Element Element;
#pragma unroll
  for (int j = 0; j < ColumnTiles; ++j) {
    const int column = from + mpc_column_of(j, 0);
    if (row >= Result::Rows || column >= Result::Columns)
      continue;
    const typename Result::Storage first =
        Element::narrow(sums[j][half * 2] * factor);
    const typename Result::Storage second =
        Element::narrow(sums[j][half * 2 + 1] * factor);
    if constexpr (Result::Width == 2) {
      mpc_vector<typename Result::Storage, 2> both;
      both.at[0] = first;
      both.at[1] = second;
      both.store(result.at + Result::place(row, column));
    } else {
      result.at[Result::place(row, column)] = first;
      if (column + 1 < Result::Columns)
        result.at[Result::place(row, column + 1)] = second;
    }
  }
}

// The same of all rows of a warp, from row `first` on.
template <typename Result, int RowTiles, int ColumnTiles>
MPC_DEVICE void mpc_store_sums(const Result &result, int first, int from,
                               const float (&sums)[RowTiles][ColumnTiles][4],
                               const float (&factors)[RowTiles][2]) {
#pragma unroll
  for (int i = 0; i < RowTiles; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      mpc_store_row(result, first + mpc_row_of(i, half * 2), from, sums[i],
                    half, factors[i][half]);
}
template <int RowTiles, int ColumnTiles>
MPC_DEVICE void mpc_store_sums(const mpc_no_result &, int, int,
                               const float (&)[RowTiles][ColumnTiles][4],
                               const float (&)[RowTiles][2]) {}

// One number of a row, by the first of the lanes that have it.
template <typename Result>
MPC_DEVICE void mpc_store_number(const Result &result, int row, float x) {
  if (mpc_lane() % 4 == 0 && row < Result::Rows)
    result.at[Result::place(row, 0)] = Result::Element::narrow(x);
}
MPC_DEVICE void mpc_store_number(const mpc_no_result &, int, float) {}
