/* Any codes, groups and weights: either the counts, and the sums of powers of numbers, are those of the plainest loop,
 * or the position is that of the first report out of range. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tally/tally.h"

enum { MOST = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Numbers from -3 to 5, of which those beyond 0 and 1 as shares are out of range. */
static void check_powers(const uint8_t *bytes, size_t n, const int *groups, const double *weights, size_t n_groups)
{
  double x[MOST];
  for (size_t i = 0; i < n; i++)
    x[i] = bytes[i] == 255 ? (double) NAN : bytes[i] == 254 ? -3.5 : bytes[i] == 253 ? 5.5 : bytes[i] / 32.0 - 3;
  const candor_tally_numbers numbers = {x, groups, weights, n, -3, 8};
  long double sums[3 * CANDOR_POWERS] = {0};
  size_t position = MOST;
  const candor_status status = candor_tally_powers(&numbers, n_groups, sums, &position);
  double expected[3 * CANDOR_POWERS] = {0};
  for (size_t i = 0; i < n; i++) {
    if (bytes[i] >= 253 || (groups && groups[i] < 1)) {
      if (status != CANDOR_DOMAIN || position != i) __builtin_trap();
      return;
    }
    for (int power = 1; power <= CANDOR_POWERS; power++)
      expected[CANDOR_POWERS * (groups ? groups[i] - 1 : 0) + power - 1] +=
          (weights ? weights[i] : 1) * pow((x[i] + 3) / 8, power);
  }
  if (status != CANDOR_OK) __builtin_trap();
  for (size_t j = 0; j < CANDOR_POWERS * n_groups; j++)
    if (!(fabs((double) sums[j] - expected[j]) <= 1e-10 * (1 + expected[j]))) __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint32_t work[64];
  if (size < 4) return 0;
  const size_t k = 1 + data[0] % 7, n_groups = 1 + data[1] % 3;
  const int grouped = data[2] & 1, weighted = data[2] & 2, skip = (data[2] & 4) != 0, first = (int) (data[3] % 3) - 1;
  const size_t n = size - 4 < MOST ? size - 4 : MOST;

  int codes[MOST], groups[MOST];
  double weights[MOST];
  for (size_t i = 0; i < n; i++) {
    const uint8_t byte = data[4 + i];
    codes[i] = byte == 255 ? INT_MIN : byte == 254 ? INT_MAX : (int) (byte % (k + 1)) + first;
    groups[i] = byte == 253 ? 0 : 1 + (int) (byte % n_groups);
    weights[i] = byte == 252 ? -1.0 : byte == 251 ? (double) NAN : byte / 16.0;
  }
  double positive[MOST];
  for (size_t i = 0; i < n; i++) positive[i] = data[4 + i] / 16.0;
  check_powers(data + 4, n, grouped ? groups : NULL, weighted ? positive : NULL, grouped ? n_groups : 1);

  double counts[21] = {0.0}, squares[3] = {0.0}, missing = 0.0;
  size_t position = MOST;
  const candor_tally_reports reports = {codes, grouped ? groups : NULL, weighted ? weights : NULL, n, first, INT_MIN,
                                        skip};
  const candor_status status =
      candor_tally(&reports, k, grouped ? n_groups : 1, work, counts, squares, &missing, &position);

  double expected[21] = {0.0}, expected_squares[3] = {0.0}, expected_missing = 0.0;
  size_t bad = MOST;
  for (size_t i = 0; i < n && bad == MOST; i++) {
    if (codes[i] == INT_MIN && skip) {
      expected_missing += 1.0;
    } else if (codes[i] < first || codes[i] >= first + (int) k || (grouped && groups[i] < 1) ||
               (weighted && !(weights[i] >= 0.0))) {
      bad = i;
    } else {
      const size_t group = grouped ? (size_t) groups[i] - 1 : 0;
      const double weight = weighted ? weights[i] : 1.0;
      expected[group * k + (size_t) (codes[i] - first)] += weight;
      if (weighted) expected_squares[group] += weight * weight;
    }
  }
  if (bad < MOST) {
    if (status != CANDOR_DOMAIN || position != bad) __builtin_trap();
    return 0;
  }
  if (status != CANDOR_OK || missing != expected_missing) __builtin_trap();
  if (memcmp(counts, expected, sizeof counts) || memcmp(squares, expected_squares, sizeof squares)) __builtin_trap();
  return 0;
}
