/* Any rows, maps, predictors and coordinates: a refusal, or a value that is the same with and without derivatives and in
 * any order of the rows, posteriors that add up to 1, and for yes and no an information of known truths that is positive
 * semidefinite along the gradient. */
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "regress/mixture.h"
#include "require.h"

enum { ROWS = 6, COLUMNS = 2, CELLS = 4, PREDICTORS = 12, SIZE = 5, SIDE = 11, WORK = 2048 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double small(bytes *in)
{
  return ((double) byte(in) - 128.0) / 32.0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bytes in = {data, size};
  const candor_outcome family = (candor_outcome) (byte(&in) % CANDOR_OUTCOMES);
  const size_t n = 1 + byte(&in) % ROWS, p = 1 + byte(&in) % COLUMNS, cells = 1 + byte(&in) % CELLS;
  const size_t truths = byte(&in) % 3, coordinates = 1 + byte(&in) % SIZE;
  int levels[2], designs[2], level[2 * CELLS], predictor[5 * CELLS];
  const size_t outcomes = 1 + byte(&in) % 4;
  size_t predictors = outcomes;
  for (size_t t = 0; t < truths; t++) {
    levels[t] = 1 + byte(&in) % 3;
    designs[t] = 1 + byte(&in) % 2;
    if (predictors + (size_t) (levels[t] * designs[t]) > PREDICTORS) return 0;
    predictors += (size_t) (levels[t] * designs[t]);
  }
  double z[ROWS * COLUMNS], turned[ROWS * COLUMNS], weight[ROWS], other_weight[ROWS], outcome[ROWS], other[ROWS];
  double hidden[CELLS], reports[ROWS * CELLS], other_reports[ROWS * CELLS], map[(PREDICTORS * COLUMNS + 1) * SIZE];
  double b[SIZE], work[WORK], gradient[SIZE], observed[SIZE * SIZE], fallback[SIZE * SIZE], score[ROWS * SIZE];
  double posterior[ROWS * CELLS];
  for (size_t i = 0; i < n; i++) {
    weight[i] = (1 + byte(&in)) / 32.0;
    outcome[i] = family == CANDOR_GAUSSIAN ? small(&in) : family == CANDOR_BINOMIAL ? byte(&in) % 2 : byte(&in);
    for (size_t k = 0; k < p; k++) turned[k * n + n - 1 - i] = z[k * n + i] = small(&in);
    for (size_t c = 0; c < cells; c++) {
      const uint8_t one = byte(&in);
      other_reports[c * n + n - 1 - i] = reports[c * n + i] = one == 255 ? -(double) INFINITY : -one / 16.0;
    }
    other[n - 1 - i] = outcome[i];
    other_weight[n - 1 - i] = weight[i];
  }
  const size_t columns = predictors * p + (family == CANDOR_GAUSSIAN);
  for (size_t k = 0; k < columns * coordinates; k++) map[k] = small(&in);
  for (size_t s = 0; s < coordinates; s++) {
    const uint8_t one = byte(&in);
    b[s] = one == 255 ? (double) INFINITY : one == 254 ? (double) NAN : ((double) one - 128.0) / 8.0;
  }
  for (size_t c = 0; c < cells; c++) hidden[c] = (double) (c % 2);
  const uint8_t is_hidden = byte(&in);
  candor_mixture m = {
      n,      p,       truths, cells,  predictors, coordinates, family,   z, weight, is_hidden % 2 ? NULL : outcome,
      hidden, reports, map,    levels, designs,    level,       predictor};
  const size_t width = candor_mixture_width(&m);
  for (size_t c = 0; c < cells; c++) {
    int first = 0, *next = predictor + c * width;
    for (size_t t = 0; t < truths; first += levels[t] * designs[t], t++) {
      const int start = first + byte(&in) % designs[t] * levels[t];
      level[c * truths + t] = start + byte(&in) % levels[t];
      for (int j = 1; j < levels[t]; j++) *next++ = start + j;
    }
    const uint8_t one = byte(&in);
    *next = one > 250 ? 100 - one : first + (int) (one % outcomes);
  }
  size_t span[2 * PREDICTORS];
  REQUIRE(width * p + 1 <= SIDE && candor_mixture_work(&m) <= WORK);
  candor_mixture_sums sums = {0, gradient, observed, fallback, score, posterior}, value = {0};
  const candor_status status = candor_mixture_add(&m, b, work, span, &sums);
  REQUIRE(status == CANDOR_OK || status == CANDOR_DOMAIN);
  REQUIRE(candor_mixture_add(&m, b, work, span, &value) == status);
  if (status != CANDOR_OK) return 0;
  REQUIRE(value.value == sums.value && sums.value < INFINITY);
  if (!(sums.value > -1e12)) return 0;
  m.z = turned, m.weight = other_weight, m.reports = other_reports;
  if (m.outcome) m.outcome = other;
  REQUIRE(candor_mixture_add(&m, b, work, span, &value) == CANDOR_OK);
  REQUIRE(fabs(value.value - sums.value) <= 1e-12 * (1 + fabs(value.value)));
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t c = 0; c < cells; c++) sum += posterior[c * n + i];
    REQUIRE(fabs(sum - 1) < 1e-12);
  }
  double along = 0, scale = 0, total = 0;
  for (size_t r = 0; r < coordinates; r++) {
    REQUIRE(!isnan(gradient[r]));
    for (size_t s = 0; s < coordinates; s++) {
      REQUIRE(!isnan(observed[r * coordinates + s]));
      along += gradient[r] * fallback[r * coordinates + s] * gradient[s];
      scale += fabs(gradient[r] * fallback[r * coordinates + s] * gradient[s]);
    }
    total += fabs(gradient[r]);
  }
  /* Roundings of terms that cancel in the map: z and the map are at most 4, weights at most 8. */
  REQUIRE(family != CANDOR_BINOMIAL || along >= -1e-9 * scale - 1e-9 * total * total);
  return 0;
}
