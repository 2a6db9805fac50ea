/* Any bytes as flips and bits: a status other than OK leaves the state alone; OK means finite logarithms, the same
 * answer bit by bit and in one call, and a merge that equals the whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "sets/extremes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(const candor_extreme *state)
{
  for (int kind = 0; kind < 2; kind++) {
    candor_extreme_estimate value;
    REQUIRE(candor_extreme_value(state, (candor_extreme_kind) kind, &value) == CANDOR_OK);
    REQUIRE(!isnan(value.estimate) && !isnan(value.log) && !isnan(value.log_bound));
    REQUIRE(value.log < INFINITY && value.bound >= 0 && value.log_bound >= 0);
    REQUIRE(value.variance >= -0.25 - 1e-12);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { most = 400 };
  static double flips[most];
  static int bits[most];
  const size_t n = size / 9 < most ? size / 9 : most;
  size_t where = n;
  for (size_t i = 0; i < n; i++) {
    const uint8_t *const at = data + 9 * i;
    if (at[0] & 4) memcpy(&flips[i], at + 1, 8);
    else flips[i] = (double) at[1] / 255 * 0.998 + 0.001;
    bits[i] = (at[0] & 3) == 3 ? (int) at[8] - 3 : at[0] & 1;
  }
  candor_extreme whole, first, second;
  candor_extreme_start(&whole);
  candor_extreme_start(&first);
  candor_extreme_start(&second);
  const candor_status status = candor_extreme_bits(bits, flips, n, &whole, &where);
  if (status != CANDOR_OK) {
    REQUIRE(where < n && whole.bits == 0);
    return 0;
  }
  if (n == 0) return 0;
  check_value(&whole);
  REQUIRE(candor_extreme_bits(bits, flips, n / 2, &first, &where) == CANDOR_OK);
  for (size_t i = n / 2; i < n; i++) REQUIRE(candor_extreme_equal(1, bits[i], flips[i], &second) == CANDOR_OK);
  candor_extreme_merge(&first, &second);
  REQUIRE(second.bits == whole.bits && second.ones == whole.ones);
  REQUIRE((second.none.zeros > 0) == (whole.none.zeros > 0) && (second.all.zeros > 0) == (whole.all.zeros > 0));
  REQUIRE(fabs(second.none.log.hi - whole.none.log.hi) <= 1e-12 * (1 + fabs(whole.none.log.hi)) * (double) n);
  REQUIRE(fmod(second.none.negatives - whole.none.negatives, 2) == 0 || whole.none.zeros > 0);
  return 0;
}
