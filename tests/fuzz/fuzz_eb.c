/* Invariants of the empirical Bayes kernels under arbitrary rows: an OK status means a grid that rises from 0, a prior
 * that adds up to 1, finite posteriors within the grid, quantiles that rise with their level, and totals that are met
 * where a tilt can meet them. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "estimate/eb.h"

enum { ROWS = 12, POINTS = 2000, KERNEL = ROWS * POINTS };

static void demand(int condition)
{
  if (!condition) __builtin_trap();
}

typedef struct bytes {
  const uint8_t *data;
  size_t size;
} bytes;

static double small(bytes *in)
{
  if (in->size == 0) return 0;
  in->size--;
  return *in->data++;
}

/* Small numbers most of the time, any double else. */
static double take(bytes *in)
{
  const double head = small(in);
  double value = 0;
  if (head < 200) return head;
  if (head < 240) {
    const double factor = 1 + small(in);
    return ldexp(factor, (int) small(in) % 54);
  }
  const size_t n = in->size < sizeof value ? in->size : sizeof value;
  memcpy(&value, in->data, n);
  in->data += n;
  in->size -= n;
  return value;
}

static double x[POINTS], low[POINTS], high[POINTS], prior[POINTS], work[4 * POINTS], kernel[KERNEL];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  double column[7][ROWS], mean[ROWS], variance[ROWS], lower[ROWS], upper[ROWS], eta, loglik;
  size_t first[ROWS], last[ROWS], start[ROWS];
  bytes in = {data, size};
  const size_t n = 1 + (size_t) small(&in) % ROWS;
  const int kind = (int) small(&in) % 8, alike = kind & 1, binomial = kind & 2;
  const double relative = kind & 4 ? 0.03 : 0;
  for (size_t i = 0; i < n; i++) {
    for (int c = 0; c < 7; c++) column[c][i] = alike && i > 0 && c > 0 ? column[c][0] : take(&in);
    if (alike && i > 0) column[0][i] += column[0][i - 1];
  }
  for (size_t i = 0; i < n; i++) column[6][i] += column[0][alike ? n - 1 : i];
  const candor_eb_rows rows = {n,         column[0],
                               column[1], column[2],
                               column[3], binomial ? column[6] : NULL,
                               column[4], alike ? column[4] : column[5]};
  candor_eb_grid grid = {0, x, low, high};
  candor_eb_bands bands = {first, last, start, 0};
  const double most = 2 + small(&in) * small(&in);
  const size_t points = candor_eb_grid_most(&rows, relative);
  if (points == 0 || points > POINTS) return 0;
  if (candor_eb_grid_make(&rows, most, relative, &grid) != CANDOR_OK) return 0;
  demand(grid.n > 0 && grid.n <= points && grid.x[0] == 0);
  for (size_t j = 1; j < grid.n; j++) demand(x[j] > x[j - 1] && low[j] <= x[j] && x[j] <= high[j]);
  if (candor_eb_bands_make(&rows, &grid, &bands) != CANDOR_OK) return 0;
  demand(bands.size <= n * grid.n);
  candor_eb_kernel(&rows, &grid, &bands, kernel, &loglik);
  const candor_eb_shapes shapes = {1 + take(&in), 0.4, 0.3, 0.1, 0.2, relative > 0, small(&in) < 128};
  candor_eb_summary summary;
  if (candor_eb_prior(&rows, &grid, &bands, kernel, &shapes, work, prior, &summary) != CANDOR_OK) return 0;
  double sum = 0, total = 0;
  for (size_t j = 0; j < grid.n; j++) {
    demand(prior[j] > 0);
    sum += prior[j];
  }
  demand(fabs(sum - 1) < 1e-6);
  if (candor_eb_posterior(&rows, &grid, &bands, kernel, prior, 1, &eta, mean, variance) != CANDOR_OK) return 0;
  demand(isfinite(eta));
  for (size_t i = 0; i < n; i++) {
    demand(mean[i] >= 0 && mean[i] <= x[grid.n - 1] * (1 + 1e-9) && variance[i] >= 0 && isfinite(variance[i]));
    if (!alike || i == 0) continue;
    /* Counts need not rise here: that is a precondition of the grid's steps alone. */
    const size_t less = column[0][i] < column[0][i - 1] ? i : i - 1;
    demand(mean[2 * i - 1 - less] >= mean[less] * (1 - 1e-9));
  }
  candor_eb_cumulate(&rows, &grid, &bands, prior, eta, kernel);
  candor_eb_quantiles(&rows, &grid, &bands, kernel, 0.1, lower);
  candor_eb_quantiles(&rows, &grid, &bands, kernel, 0.9, upper);
  for (size_t i = 0; i < n; i++) demand(lower[i] >= 0 && lower[i] <= upper[i] && upper[i] <= x[grid.n - 1]);
  candor_eb_median(&rows, &grid, &bands, kernel, 1, upper);
  for (size_t i = 0; i < n; i++) total += upper[i];
  demand(isfinite(total));
  return 0;
}
