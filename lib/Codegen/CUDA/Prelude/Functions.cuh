// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude: functions of f32.
//
// The functions below are, step by step, those that the CPU's emitter prints
// (lib/Codegen/CPU/MathBuilder.cpp, MathErf.cpp, f32), so that both have the
// same bits. Change both or neither.

MPC_DEVICE float mpc_abs(float x) {
  return mpc_float(mpc_bits(x) & 0x7fffffffu);
}
MPC_DEVICE double mpc_copysign(double size, double sign) {
  return mpc_double((mpc_bits(size) & ~(1ull << 63)) |
                    (mpc_bits(sign) & 1ull << 63));
}
MPC_DEVICE float mpc_copysign(float size, float sign) {
  return mpc_float((mpc_bits(size) & 0x7fffffffu) |
                   (mpc_bits(sign) & 0x80000000u));
}

MPC_DEVICE float mpc_power_of_two(int n) {
  return mpc_float(static_cast<mpc_u32>(n + 127) << 23);
}

MPC_DEVICE float mpc_exp(float x) {
  x = x < -104.0f ? -104.0f : x;
  x = x > 89.0f ? 89.0f : x;
  float sum = x * 1.44269504088896340736f + 12582912.0f;
  int n = static_cast<int>(mpc_bits(sum) - 0x4b400000u);
  float whole = sum - 12582912.0f;
  float r = mpc_fma(whole, -6.93359375e-1f, x);
  r = mpc_fma(whole, 2.12194440e-4f, r);
  float p = 1.9875691500e-4f;
  p = mpc_fma(p, r, 1.3981999507e-3f);
  p = mpc_fma(p, r, 8.3334519073e-3f);
  p = mpc_fma(p, r, 4.1665795894e-2f);
  p = mpc_fma(p, r, 1.6666665459e-1f);
  p = mpc_fma(p, r, 5.0000001201e-1f);
  float y = mpc_fma(p, r * r, r) + 1.0f;
  int half = n >> 1;
  return y * mpc_power_of_two(half) * mpc_power_of_two(n - half);
}

MPC_DEVICE float mpc_log(float x) {
  bool tiny = x < 1.1754943508222875e-38f;
  float scaled = tiny ? x * 33554432.0f : x;
  mpc_u32 bits = mpc_bits(scaled) - 0x3f3504f3u;
  int n = static_cast<int>(bits) >> 23;
  float mantissa =
      mpc_float(bits - (static_cast<mpc_u32>(n) << 23) + 0x3f3504f3u);
  float k = static_cast<float>(n);
  k = tiny ? k - 25.0f : k;
  float f = mantissa - 1.0f;
  float s = f / (f + 2.0f);
  float half = f * f * 0.5f;
  float z = s * s;
  float p = 0.24279078841f;
  p = mpc_fma(p, z, 0.28498786688f);
  p = mpc_fma(p, z, 0.40000972152f);
  p = mpc_fma(p, z, 0.66666662693f);
  float low = mpc_fma(k, 9.0580006145e-6f, s * (half + z * p));
  float y = mpc_fma(k, 6.9313812256e-1f, f - (half - low));
  y = x == mpc_float(0x7f800000u) ? x : y;
  y = x == 0.0f ? mpc_float(0xff800000u) : y;
  return x >= 0.0f ? y : mpc_float(0x7fc00000u);
}

MPC_DEVICE float mpc_tanh(float x) {
  float size = mpc_abs(x), z = x * x;
  float p = -5.70498872745e-3f;
  p = mpc_fma(p, z, 2.06390887954e-2f);
  p = mpc_fma(p, z, -5.37397155531e-2f);
  p = mpc_fma(p, z, 1.33314422036e-1f);
  p = mpc_fma(p, z, -3.33332819422e-1f);
  float near = mpc_fma(p * z, x, x);
  float far = 1.0f - 2.0f / (mpc_exp(size + size) + 1.0f);
  return size < 0.625f ? near : mpc_copysign(far, x);
}

template <typename Exp>
MPC_DEVICE float mpc_erf_by(float x, Exp exp) {
  float t = mpc_abs(x), s = x * x;
  float r = mpc_fma(-1.72853470e-5f, t, 3.83197126e-4f);
  float u = mpc_fma(-3.88396438e-3f, t, 2.42546219e-2f);
  r = mpc_fma(r, s, u);
  r = mpc_fma(r, t, -1.06777877e-1f);
  r = mpc_fma(r, t, -6.34846687e-1f);
  r = mpc_fma(r, t, -1.28717512e-1f);
  r = mpc_fma(r, t, -t);
  float far = mpc_copysign(1.0f - exp(r), x);
  float p = -5.96761703e-4f;
  p = mpc_fma(p, s, 4.99119423e-3f);
  p = mpc_fma(p, s, -2.67681349e-2f);
  p = mpc_fma(p, s, 1.12819925e-1f);
  p = mpc_fma(p, s, -3.76125336e-1f);
  p = mpc_fma(p, s, 1.28379166e-1f);
  return t > 0.927734375f ? far : mpc_fma(p, x, x);
}
MPC_DEVICE float mpc_erf(float x) {
  return mpc_erf_by(x, [](float r) { return mpc_exp(r); });
}

// The same by the device's approximate instructions, for results that are
// rounded to 16 bits: within 6e-6 of x, relative, and of 1e-7 where tanh and
// erf are polynomials. An exponential below 2^-126 is 0.
MPC_DEVICE float mpc_near_exp(float x) {
  return mpc_exp2_approximate(x * 1.44269504088896340736f);
}
MPC_DEVICE float mpc_near_tanh(float x) {
  const float size = mpc_abs(x), z = x * x;
  float p = mpc_fma(2.06390887954e-2f, z, -5.37397155531e-2f);
  p = mpc_fma(p, z, 1.33314422036e-1f);
  p = mpc_fma(p, z, -3.33332819422e-1f);
  const float near = mpc_fma(p * z, x, x);
  const float far =
      1.0f - mpc_divide_approximate(2.0f, mpc_near_exp(size + size) + 1.0f);
  return size < 0.5f ? near : mpc_copysign(far, x);
}
MPC_DEVICE float mpc_near_erf(float x) {
  return mpc_erf_by(x, [](float r) { return mpc_near_exp(r); });
}
