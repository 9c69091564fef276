// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lays the rows of groups into blocks, multiplies, and takes them out again.
#include "lib/Import/Build/GroupedProduct.h"

#include <algorithm>
#include <bit>

using namespace llvm;

namespace mpc::build {

namespace {

/// Which rows belong to which group; all numbers are int64.
struct Groups {
  int64_t count;
  Operand starts, ends; ///< The first row of each group, and that behind it.
};

/// Blocks of rows; those of a group are neighbours.
struct Blocks {
  int64_t size;        ///< Rows in a block.
  int64_t count;       ///< As many as any sizes of groups need.
  Operand first, ends; ///< The first block of each group, and that behind it.
};

} // namespace

static Operand atMost(TensorBuilder &b, const Operand &x, int64_t most) {
  return b.binary(Binary::Min, x, b.splatLike(x, static_cast<double>(most)));
}

static Groups readGroups(TensorBuilder &b, const Operand &ends, int64_t rows) {
  Operand last = atMost(b, b.cast(ends, b.i64()), rows);
  return {ends.shape[0], b.shifted(last, 0, 1, 0.0), last};
}

/// Blocks of about the mean size of a group: smaller ones multiply fewer rows
/// for nothing, and read the matrices more often.
static Blocks cutIntoBlocks(TensorBuilder &b, const Groups &groups,
                            int64_t rows) {
  uint64_t mean = std::max<int64_t>(rows / groups.count, 1);
  Blocks blocks;
  blocks.size = std::clamp<int64_t>(std::bit_floor(mean), 4, 64);
  blocks.count =
      std::clamp<int64_t>(rows / blocks.size + groups.count, 1, rows);
  Operand sizes = b.binary(Binary::Sub, groups.ends, groups.starts);
  auto size = static_cast<double>(blocks.size);
  Operand counts =
      b.binary(Binary::Div, b.binary(Binary::Add, sizes, size - 1.0), size);
  blocks.ends = b.scan(Binary::Add, counts, 0);
  blocks.first = b.binary(Binary::Sub, blocks.ends, counts);
  return blocks;
}

/// The group of each of `count` things that lie in the order of their groups:
/// the number of groups that end in front of it. Behind the last group it is
/// the number of groups.
static Operand groupsOf(TensorBuilder &b, const Operand &ends, int64_t count) {
  Shape shape{count, ends.shape[0]};
  Operand isBehind = b.compare(nn::CompareKind::GE, b.coordinates(shape, 0),
                               b.broadcast(ends, shape, {1}));
  return b.reduceSum(b.cast(isBehind, b.i64()), {1});
}

/// The rows as blocks behind one another. A group's last block is filled up
/// with rows of others, whose products nothing reads.
static Operand layIntoBlocks(TensorBuilder &b, const Operand &rows,
                             const Groups &groups, const Blocks &blocks,
                             const Operand &groupOfBlock) {
  int64_t places = blocks.count * blocks.size;
  Shape grid{blocks.count, blocks.size};
  auto perPlace = [&](const Operand &perBlock) {
    return b.reshape(b.broadcast(perBlock, grid, {0}), {places});
  };
  auto ofGroup = [&](const Operand &perGroup) {
    return b.gather(perGroup, groupOfBlock, 0);
  };
  // The number of the block within its group, then of the row.
  Operand block = b.binary(Binary::Sub, b.coordinates({blocks.count}, 0),
                           ofGroup(blocks.first));
  Operand row = b.binary(
      Binary::Add,
      perPlace(b.binary(Binary::Mul, block, static_cast<double>(blocks.size))),
      b.reshape(b.coordinates(grid, 1), {places}));
  row = b.binary(Binary::Add, row, perPlace(ofGroup(groups.starts)));
  Operand source = atMost(b, row, rows.shape[0] - 1);
  return b.reshape(b.gather(rows, source, 0),
                   {blocks.count, blocks.size, rows.shape[1]});
}

/// Rows from blocks; one behind the last group is zeros.
static Operand takeFromBlocks(TensorBuilder &b, const Operand &product,
                              const Groups &groups, const Blocks &blocks,
                              int64_t rows) {
  Operand group = groupsOf(b, groups.ends, rows);
  Operand isThere =
      b.compare(nn::CompareKind::LT, group,
                b.splatLike(group, static_cast<double>(groups.count)));
  group = atMost(b, group, groups.count - 1);
  auto ofGroup = [&](const Operand &perGroup) {
    return b.gather(perGroup, group, 0);
  };
  Operand place = b.binary(Binary::Mul, ofGroup(blocks.first),
                           static_cast<double>(blocks.size));
  place = b.binary(
      Binary::Add, place,
      b.binary(Binary::Sub, b.coordinates({rows}, 0), ofGroup(groups.starts)));
  int64_t places = blocks.count * blocks.size;
  Operand flat = b.reshape(product, {places, product.shape[2]});
  Operand taken = b.gather(flat, atMost(b, place, places - 1), 0);
  return b.select(b.broadcast(isThere, taken.shape, {0}), taken,
                  b.splatLike(taken, 0.0));
}

Operand groupedProduct(TensorBuilder &b, const Operand &rows,
                       const Operand &matrices, const Operand &ends) {
  int64_t count = rows.shape[0];
  Groups groups = readGroups(b, ends, count);
  Blocks blocks = cutIntoBlocks(b, groups, count);
  Operand groupOfBlock =
      atMost(b, groupsOf(b, blocks.ends, blocks.count), groups.count - 1);
  Operand product =
      b.matmul(layIntoBlocks(b, rows, groups, blocks, groupOfBlock),
               b.gather(matrices, groupOfBlock, 0));
  return takeFromBlocks(b, product, groups, blocks, count);
}

} // namespace mpc::build
