/* Any counts: OK means limits in order, within 0 and 1, that hold the estimate and grow with the quantile. */
#include <math.h>

#include "bytes.h"
#include "estimate/measured.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bytes input = {data, size};
  double counts[3], sizes[3], narrow[2], wide[2], any;
  for (int i = 0; i < 3; i++) {
    sizes[i] = pow(10, byte(&input) % 10) * (1 + byte(&input)) / 16;
    counts[i] = sizes[i] * byte(&input) / 255;
  }
  const double quantile = byte(&input) / 32.0;
  /* A byte of 255 puts any double into the counts. */
  const int odd = byte(&input) == 255 && any_double(&input, &any);
  if (odd) counts[byte(&input) % 3] = any;
  const candor_status status = candor_measured_interval(counts, sizes, quantile, narrow);
  if (status != CANDOR_OK) {
    REQUIRE(odd && (status == CANDOR_DOMAIN || status == CANDOR_NOT_FINITE));
    return 0;
  }
  REQUIRE(narrow[0] >= 0 && narrow[0] <= narrow[1] && narrow[1] <= 1);
  REQUIRE(candor_measured_interval(counts, sizes, quantile + 1, wide) == CANDOR_OK);
  const double yes = counts[1] / sizes[1], no = counts[2] / sizes[2];
  if (yes <= no) {
    REQUIRE(narrow[0] == 0 && narrow[1] == 1);
    return 0;
  }
  const double inverse = fmin(fmax((counts[0] / sizes[0] - no) / (yes - no), 0), 1);
  REQUIRE(narrow[0] <= inverse && inverse <= narrow[1]);
  return 0;
}
