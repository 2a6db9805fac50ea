/* Any matrix of small size, flips per set or per bit: OK means that neither total is NaN, that the union of one set
 * and its intersection agree, and that the size of the complement's intersection is m minus the union. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "require.h"
#include "sets/cardinality.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { most = 2048 };
  static int bits[most];
  static double flips[most], work[CANDOR_CARDINALITY_WORK];
  static unsigned char invert[most];
  candor_cardinality total;
  size_t where = 0;
  int in_flips = 0;
  if (size < 4) return 0;
  const size_t n = 1 + data[0] % 40, m = 1 + data[1] % 50;
  const int per_bit = data[2] & 1, wild = data[2] & 2;
  for (size_t i = 0; i < m * n; i++) {
    const uint8_t byte = data[3 + i % (size - 3)];
    bits[i] = wild && byte == 255 ? -1 : byte & 1;
    flips[i] = (double) (byte >> 1) / 127;
    if (wild && byte == 254 && size > 12) memcpy(&flips[i], data + 4, 8);
    invert[i] = 1;
  }
  candor_membership sets = {bits, m, n, flips, per_bit, NULL};
  const candor_status status = candor_cardinality_total(&sets, work, &total, &where, &in_flips);
  if (status != CANDOR_OK) {
    REQUIRE(where < m * n);
    return 0;
  }
  candor_size_estimate either, both, outside, neither;
  double covariance, bound;
  candor_cardinality_value(&total, &either, &both, &covariance, &bound);
  REQUIRE(!isnan(either.size) && !isnan(both.size) && !isnan(either.variance) && !isnan(both.variance));
  REQUIRE(either.variance >= -0.25 * (double) m - 1e-9);
  if (n == 1) REQUIRE(fabs(either.size - both.size) <= 1e-9 * (1 + fabs(both.size)) * (double) m);
  sets.invert = invert;
  REQUIRE(candor_cardinality_total(&sets, work, &total, &where, &in_flips) == CANDOR_OK);
  candor_cardinality_value(&total, &outside, &neither, &covariance, &bound);
  if (isfinite(either.size) && isfinite(neither.size))
    REQUIRE(fabs((double) m - either.size - neither.size) <= 1e-9 * ((double) m + fabs(either.size)));
  return 0;
}
