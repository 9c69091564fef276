// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// erf and erfc.
#include "lib/Codegen/CPU/MathErf.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::cpu;

// Two polynomials, found by N. Juffa, with an error of 1 ulp. erf(x) = 1 -
// exp(p(|x|)) beyond 475/512.
static Fp erfSingle(Fp x) {
  Fp t = abs(x), s = x * x;
  Fp r = fma(t.constant(-1.72853470e-5), t, 3.83197126e-4);
  Fp u = fma(t.constant(-3.88396438e-3), t, 2.42546219e-2);
  r = fma(r, s, u);
  r = fma(r, t, -1.06777877e-1);
  r = fma(r, t, -6.34846687e-1);
  r = fma(r, t, -1.28717512e-1);
  r = fma(r, t, -t);
  Fp far = copysign(1 - exp(r), x);
  Fp near = polynomial(s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                           1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  return select(greater(t, 0.927734375), far, fma(near, x, x));
}

// The four intervals of fdlibm's s_erf.c.
static Fp nearQuotient(Fp z) {
  Fp p =
      polynomial(z, {-2.37630166566501626084e-05, -5.77027029648944159157e-03,
                     -2.84817495755985104766e-02, -3.25042107247001499370e-01,
                     1.28379167095512558561e-01});
  Fp q = polynomial(z, {-3.96022827877536812320e-06, 1.32494738004321644526e-04,
                        5.08130628187576562776e-03, 6.50222499887672944485e-02,
                        3.97917223959155352819e-01, 1.0});
  return p / q;
}

static constexpr double kErx = 8.45062911510467529297e-01;

static Fp middleQuotient(Fp s) {
  Fp p = polynomial(s, {-2.16637559486879084300e-03, 3.54783043256182359371e-02,
                        -1.10894694282396677476e-01, 3.18346619901161753674e-01,
                        -3.72207876035701323847e-01, 4.14856118683748331666e-01,
                        -2.36211856075265944077e-03});
  Fp q = polynomial(s, {1.19844998467991074170e-02, 1.36370839120290507362e-02,
                        1.26171219808761642112e-01, 7.18286544141962662868e-02,
                        5.40397917702171048937e-01, 1.06420880400844228286e-01,
                        1.0});
  return p / q;
}

static Fp farQuotient(Fp s) {
  Fp p =
      polynomial(s, {-9.81432934416914548592e+00, -8.12874355063065934246e+01,
                     -1.84605092906711035994e+02, -1.62396669462573470355e+02,
                     -6.23753324503260060396e+01, -1.05586262253232909814e+01,
                     -6.93858572707181764372e-01, -9.86494403484714822705e-03});
  Fp q = polynomial(s, {-6.04244152148580987438e-02, 6.57024977031928170135e+00,
                        1.08635005541779435134e+02, 4.29008140027567833386e+02,
                        6.45387271733267880336e+02, 4.34565877475229228821e+02,
                        1.37657754143519042600e+02, 1.96512716674392571292e+01,
                        1.0});
  return p / q;
}

static Fp outerQuotient(Fp s) {
  Fp p =
      polynomial(s, {-4.83519191608651397019e+02, -1.02509513161107724954e+03,
                     -6.37566443368389627722e+02, -1.60636384855821916062e+02,
                     -1.77579549177547519889e+01, -7.99283237680523006574e-01,
                     -9.86494292470009928597e-03});
  Fp q = polynomial(s, {-2.24409524465858183362e+01, 4.74528541206955367215e+02,
                        2.55305040643316442583e+03, 3.19985821950859553908e+03,
                        1.53672958608443695994e+03, 3.25792512996573918826e+02,
                        3.03380607434824582924e+01, 1.0});
  return p / q;
}

/// erfc(t) for t >= 1.25.
static Fp erfcFar(Fp t) {
  t = clamp(t, 1, 28);
  Fp s = 1 / (t * t);
  Fp quotient =
      select(less(t, 2.857142857142857), farQuotient(s), outerQuotient(s));
  // t^2 in two parts. The lower half of z's bits is cleared, so that z*z is
  // exact.
  Value mask = integer(t, static_cast<int64_t>(0xffffffff00000000));
  Fp z = fromBits(t, arith::AndIOp::create(*t.b, toBits(t), mask));
  Fp scale = exp(fma(-z, z, -0.5625)) * exp(fma(z - t, z + t, quotient));
  return scale / t;
}

static Fp erfDouble(Fp x) {
  Fp t = abs(x);
  Fp near = fma(x, nearQuotient(x * x), x);
  Fp middle = copysign(middleQuotient(t - 1) + kErx, x);
  Fp far = copysign(1 - erfcFar(t), x);
  return select(less(t, 0.84375), near, select(less(t, 1.25), middle, far));
}

static Fp erfcDouble(Fp x) {
  Fp t = abs(x);
  Fp y = nearQuotient(x * x);
  Fp near = select(less(x, 0.25), 1 - fma(x, y, x), 0.5 - fma(x, y, x - 0.5));
  Fp quotient = middleQuotient(t - 1);
  Condition negative = less(x, 0);
  Fp middle = select(negative, quotient + kErx + 1, (1 - kErx) - quotient);
  Fp far = erfcFar(t);
  far = select(negative, 2 - far, far);
  return select(less(t, 0.84375), near, select(less(t, 1.25), middle, far));
}

Fp mpc::cpu::erf(Fp x) {
  Fp y = x.isDouble() ? erfDouble(x) : erfSingle(x);
  return select(equal(x, x), y, x);
}

Fp mpc::cpu::erfc(Fp x) { return select(equal(x, x), erfcDouble(x), x); }
