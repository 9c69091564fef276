// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude: random bits by Philox4x32-10, as dialects/Kernel/Philox.cpp has
// them.

// The four words of the block with this counter, under this key.
struct mpc_random {
  mpc_u32 word[4];

  // By selection, since registers have no numbers.
  MPC_MEMBER mpc_u32 at(int number) const {
    const mpc_u32 low = number == 0 ? word[0] : word[1];
    const mpc_u32 high = number == 2 ? word[2] : word[3];
    return number < 2 ? low : high;
  }
};
MPC_DEVICE mpc_random mpc_philox(mpc_u64 number, mpc_u32 stream, mpc_u32 step,
                                 mpc_u32 keyLow, mpc_u32 keyHigh) {
  mpc_u32 c[4] = {static_cast<mpc_u32>(number),
                  static_cast<mpc_u32>(number >> 32), stream, step};
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const mpc_u64 first = static_cast<mpc_u64>(c[0]) * 0xD2511F53u;
    const mpc_u64 second = static_cast<mpc_u64>(c[2]) * 0xCD9E8D57u;
    const mpc_u32 low = c[1] ^ keyLow, high = c[3] ^ keyHigh;
    c[0] = static_cast<mpc_u32>(second >> 32) ^ low;
    c[1] = static_cast<mpc_u32>(second);
    c[2] = static_cast<mpc_u32>(first >> 32) ^ high;
    c[3] = static_cast<mpc_u32>(first);
    keyLow += 0x9E3779B9u;
    keyHigh += 0xBB67AE85u;
  }
  return {{c[0], c[1], c[2], c[3]}};
}
