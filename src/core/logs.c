#include "logs.h"

#include <stdint.h>
#include <string.h>

#include "wide.h"

enum { LANES = 8 };

/* log 2 in two parts, the first with so few digits that its product with an exponent is exact. */
static const double LOG2_HIGH = 0x1.62e42feep-1, LOG2_LOW = 1.908214929270587700e-10;

/* 2 atanh(s) = 2 s + s^3 (2/3 + 2/5 s^2 + 2/7 s^4 + ...), s^2 below 0.0295: the polynomial that meets the series in the
 * seven Chebyshev nodes, within 2^-58 of the logarithm. */
static const double ODD[7] = {
  0x1.5555555555558p-1, 0x1.99999999952abp-2, 0x1.2492492df7663p-2, 0x1.c71c62ddb431bp-3, 0x1.7462b6e311a89p-3,
  0x1.39fe16ad885a7p-3, 0x1.2b5bd9a316a24p-3
};

/* Integers where a compiler has no vector conversion between them and doubles: what is shifted is never negative, and
 * the exponent becomes a double as the low digits of 2^52. The tail is a call, so that the loop stands here once, in
 * the function itself: what it called would not be made wide. */
CANDOR_WIDE void candor_logs(const double *x, size_t n, double *logarithm)
{
  const uint64_t below_root = 0x0009577d6a000000u; /* from sqrt(1/2), cut off, to 1 */
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    double result[LANES];
    for (size_t l = 0; l < LANES; l++) {
      uint64_t bits, exponent;
      double m, e;
      memcpy(&bits, x + i + l, sizeof bits);
      exponent = (bits + below_root) >> 52;
      bits = bits - (exponent << 52) + 0x3ff0000000000000u;
      exponent |= 0x4330000000000000u;
      memcpy(&m, &bits, sizeof m);
      memcpy(&e, &exponent, sizeof e);
      const double k = e - (4503599627370496.0 + 1023.0), f = m - 1.0, s = f / (2.0 + f), z = s * s;
      /* Terms side by side, which wait less for each other than one in the next. */
      const double z2 = z * z;
      const double series = z * ((ODD[0] + z * ODD[1]) + z2 * (ODD[2] + z * ODD[3]) +
                                 z2 * z2 * ((ODD[4] + z * ODD[5]) + z2 * ODD[6]));
      /* 2 s = f - s f. */
      result[l] = k * LOG2_HIGH + (f - (s * (f - series) - k * LOG2_LOW));
    }
    for (size_t l = 0; l < LANES; l++) logarithm[i + l] = result[l];
  }
  if (i == n) return;
  double rest[LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
  memcpy(rest, x + i, (n - i) * sizeof *rest);
  candor_logs(rest, LANES, rest);
  memcpy(logarithm + i, rest, (n - i) * sizeof *rest);
}
