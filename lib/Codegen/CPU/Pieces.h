// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The pieces into which tiles of contractions are cut, one for each chunk, so
/// that many workers can share a tile, and few pack once for all of it.
#ifndef MPC_LIB_CODEGEN_CPU_PIECES_H
#define MPC_LIB_CODEGEN_CPU_PIECES_H

#include <array>
#include <cstdint>

namespace mpc::cpu {

/// The pieces along the two sides of a tile of `flops` floating-point
/// operations, where there are `tiles` of them: enough for many workers, as
/// long as a piece is worth handing out. The first side, of `units[0]` parts,
/// is cut before the second. The parts are `smallest` where there would be
/// fewer chunks than workers.
std::array<int64_t, 2> choosePieces(int64_t tiles, int64_t flops,
                                    std::array<int64_t, 2> units,
                                    std::array<int64_t, 2> smallest);

/// The size of a piece where `size` is cut into `pieces`, each but the last one
/// the same number of whole units.
int64_t getPieceSize(int64_t size, int64_t pieces, int64_t unit);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_PIECES_H
