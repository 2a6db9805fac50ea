/* Rows of the channel are distributions; unbiased counts of one element add up to 1; the inverse undoes the channel. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "require.h"
#include "sets/incidence.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const double *channel, size_t k)
{
  for (size_t t = 0; t < k; t++) {
    double sum = 0;
    for (size_t s = 0; s < k; s++) {
      REQUIRE(channel[t + s * k] >= 0 && channel[t + s * k] <= 1 + 1e-12);
      sum += channel[t + s * k];
    }
    REQUIRE(fabs(sum - 1) <= 1e-11);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { most = 65 };
  static double channel[most * most], inverse[most * most], work[2 * most * most], flips[most], exactly[most];
  static int bits[most];
  double flip;
  if (size < 10) return 0;
  const size_t n = 1 + data[0] % (most - 1), k = n + 1;
  memcpy(&flip, data + 1, 8);
  if (data[9] & 1) flip = (double) data[1] / 255;
  const candor_status status = candor_incidence_channel(n, flip, channel);
  REQUIRE((status == CANDOR_OK) == (flip >= 0 && flip <= 1));
  if (status != CANDOR_OK) return 0;
  check_rows(channel, k);
  if (candor_incidence_inverse(n, flip, inverse) == CANDOR_OK) {
    for (size_t t = 0; t < k; t++) {
      double sum = 0, scale = 1;
      for (size_t s = 0; s < k; s++) {
        sum += channel[t + s * k] * inverse[s];
        scale += fabs(channel[t + s * k] * inverse[s]);
      }
      REQUIRE(fabs(sum - (t == 0)) <= 1e-10 * scale);
    }
  }
  for (size_t j = 0; j < n; j++) {
    flips[j] = (double) data[(j + 2) % size] / 255;
    bits[j] = data[j % size] & 1;
  }
  REQUIRE(candor_incidence_mixture(n, flips, work, channel) == CANDOR_OK);
  check_rows(channel, k);
  if (candor_incidence_element(bits, 1, flips, 1, n, exactly) == CANDOR_OK) {
    double sum = 0, scale = 1;
    for (size_t t = 0; t < k; t++) {
      sum += exactly[t];
      scale += fabs(exactly[t]);
    }
    REQUIRE(fabs(sum - 1) <= 1e-10 * scale);
  }
  return 0;
}
