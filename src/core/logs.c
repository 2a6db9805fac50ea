#include "logs.h"

#include <stdint.h>
#include <string.h>

#include "wide.h"

enum { LANES = 8 };

/* log 2 in two parts, the first with so few digits that its product with an exponent is exact. */
static const double LOG2_HIGH = 0x1.62e42feep-1, LOG2_LOW = 1.908214929270587700e-10;

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
      const double series = z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * (2.0 / 9 + z * (2.0 / 11 + z * (2.0 / 13 +
                            z * (2.0 / 15 + z * (2.0 / 17 + z * (2.0 / 19 + z * (2.0 / 21))))))))));
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
