// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude: products of tiles in shared memory.

// Fragments of a tile in shared memory whose lines are `Pitch` elements apart.
// A line holds k of one row where `Lines` (of one column below), else the rows
// of one k. A fragment of 16 rows and 16 k from (row, k) on:
template <bool Lines, int Pitch>
MPC_DEVICE void mpc_load_rows(mpc_u32 (&fragment)[4], const mpc_u16 *tile,
                              int row, int k) {
  const int lane = mpc_lane();
  if constexpr (Lines)
    mpc_ldmatrix_x4(fragment,
                    mpc_shared_address(tile + (row + (lane & 15)) * Pitch + k +
                                       (lane >> 4) * 8));
  else
    mpc_ldmatrix_x4_transposed(
        fragment,
        mpc_shared_address(tile + (k + (lane >> 4) * 8 + (lane & 7)) * Pitch +
                           row + (lane >> 3 & 1) * 8));
}

// Two fragments, of 8 columns and 16 k each, from (column, k) on.
template <bool Lines, int Pitch>
MPC_DEVICE void mpc_load_columns(mpc_u32 (&fragments)[4], const mpc_u16 *tile,
                                 int column, int k) {
  const int lane = mpc_lane();
  if constexpr (Lines)
    mpc_ldmatrix_x4(fragments,
                    mpc_shared_address(
                        tile + (column + (lane >> 4) * 8 + (lane & 7)) * Pitch +
                        k + (lane >> 3 & 1) * 8));
  else
    mpc_ldmatrix_x4_transposed(
        fragments, mpc_shared_address(
                       tile + (k + (lane >> 3 & 1) * 8 + (lane & 7)) * Pitch +
                       column + (lane >> 4) * 8));
}

// sums[i][j] and sums[i][j + 1] += rows a[i] * the columns of two fragments.
template <bool IsBF16, int RowTiles, int ColumnTiles>
MPC_DEVICE void mpc_multiply_columns(float (&sums)[RowTiles][ColumnTiles][4],
                                     int j, const mpc_u32 (&a)[RowTiles][4],
                                     const mpc_u32 (&both)[4]) {
  const mpc_u32 b[2][2] = {{both[0], both[1]}, {both[2], both[3]}};
#pragma unroll
  for (int i = 0; i < RowTiles; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if constexpr (IsBF16)
        mpc_mma_m16n8k16_bf16(sums[i][j + half], a[i], b[half]);
      else
        mpc_mma_m16n8k16_f16(sums[i][j + half], a[i], b[half]);
}

// How a tile of rows or columns lies in shared memory.
template <bool Lines_, int Pitch_>
struct mpc_tile {
  static constexpr bool Lines = Lines_;
  static constexpr int Pitch = Pitch_;
};

// sums += rows * columns over `Depth` k, for the warp's part of a block's tile:
// `RowTiles` x 16 rows from `row` on, `ColumnTiles` x 8 columns from `column`.
template <typename Rows, typename Columns, bool IsBF16, int Depth, int RowTiles,
          int ColumnTiles>
MPC_DEVICE void mpc_multiply_tiles(float (&sums)[RowTiles][ColumnTiles][4],
                                   const mpc_u16 *rows, int row,
                                   const mpc_u16 *columns, int column) {
#pragma unroll
  for (int k = 0; k < Depth; k += 16) {
    mpc_u32 a[RowTiles][4];
#pragma unroll
    for (int i = 0; i < RowTiles; ++i)
      mpc_load_rows<Rows::Lines, Rows::Pitch>(a[i], rows, row + i * 16, k);
#pragma unroll
    for (int j = 0; j < ColumnTiles; j += 2) {
      mpc_u32 both[4];
      mpc_load_columns<Columns::Lines, Columns::Pitch>(both, columns,
                                                       column + j * 8, k);
      mpc_multiply_columns<IsBF16>(sums, j, a, both);
    }
  }
}

// The rows of a warp's fragments that lie in one part of the result: 16 from
// `row` on, of 32 columns from `column` on. Lane l of a product has the rows
// l / 4 and l / 4 + 8, and of each the columns 2 * (l % 4) and the next.
template <int Pitch>
MPC_DEVICE void mpc_put_sums(float *part, const float (&sums)[4][4], int row,
                             int column) {
  const int lane = mpc_lane();
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      part[(row + lane / 4 + e / 2 * 8) * Pitch + column + j * 8 +
           lane % 4 * 2 + e % 2] = sums[j][e];
}

// Products of f32: the rows and columns of a tile are shared by `Groups` groups
// of threads each. This is the i-th of a group: neighbouring groups have
// neighbouring lines, or pieces of 4 along a line.
template <bool Lines, int Groups>
MPC_DEVICE int mpc_place_of(int group, int i) {
  return Lines ? group + i * Groups : (i / 4 * Groups + group) * 4 + i % 4;
}

// Four k from `k` on of 8 rows of a group.
template <typename Tile, int Groups>
MPC_DEVICE void mpc_load_f32_rows(float (&some)[8][4], const float *tile,
                                  int group, int k) {
  typedef mpc_vector<float, 4> Four;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if constexpr (Tile::Lines) {
      const Four line = Four::load(
          tile + mpc_place_of<true, Groups>(group, i) * Tile::Pitch + k);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        some[i][e] = line.at[e];
    } else {
      const Four piece =
          Four::load(tile + (k + i % 4) * Tile::Pitch +
                     mpc_place_of<false, Groups>(group, i / 4 * 4));
#pragma unroll
      for (int e = 0; e < 4; ++e)
        some[i / 4 * 4 + e][i % 4] = piece.at[e];
    }
}

// sums += rows * columns over `Depth` k, ascending, for the 8 rows and `Count`
// columns that a thread has of a block's tile of `Side` rows and columns. Four
// numbers of the columns are at hand at a time: more would not leave registers
// for two blocks. Nor would rows of the next four k, read ahead, where a tile
// of the largest side has 64 sums a thread.
template <typename Rows, typename Columns, int Depth, int Side, int Count>
MPC_DEVICE void mpc_multiply_f32_tiles(float (&sums)[8][Count],
                                       const float *rows, int rowGroup,
                                       const float *columns, int columnGroup) {
  typedef mpc_vector<float, 4> Four;
#pragma unroll(Side == 128 ? 1 : Depth / 4)
  for (int k = 0; k < Depth; k += 4) {
    float a[8][4];
    mpc_load_f32_rows<Rows, Side / 8>(a, rows, rowGroup, k);
#pragma unroll
    for (int j = 0; j < Count; ++j)
      if constexpr (Columns::Lines) {
        const Four b = Four::load(
            columns + mpc_place_of<true, 16>(columnGroup, j) * Columns::Pitch +
            k);
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
          for (int i = 0; i < 8; ++i)
            sums[i][j] = mpc_fma(a[i][e], b.at[e], sums[i][j]);
      } else {
        const int e = j % 4, first = j / 4 * 4;
        const Four b = Four::load(columns + (k + e) * Columns::Pitch +
                                  mpc_place_of<false, 16>(columnGroup, first));
#pragma unroll
        for (int column = 0; column < 4; ++column)
#pragma unroll
          for (int i = 0; i < 8; ++i)
            sums[i][first + column] =
                mpc_fma(a[i][e], b.at[column], sums[i][first + column]);
      }
  }
}

// `Rows` rows of a thread's sums, to the part of the result that they lie in.
template <int Pitch, int Rows, bool Lines, int Count>
MPC_DEVICE void mpc_put_f32_sums(float *part, const float (*sums)[Count],
                                 int rowGroup, int columnGroup) {
#pragma unroll
  for (int i = 0; i < Rows; ++i)
#pragma unroll
    for (int j = 0; j < Count; ++j)
      part[(rowGroup * Rows + i) * Pitch +
           mpc_place_of<Lines, 16>(columnGroup, j)] = sums[i][j];
}
