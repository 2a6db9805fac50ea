/* Draws from a fixed seed, and chi-square tests of them. Compared with its 1 - 1e-6 quantile a test would be failed by
 * a right sampler once in a million seeds; there are about 150 of them. */
#ifndef CANDOR_TEST_DRAWS_H
#define CANDOR_TEST_DRAWS_H

#include <math.h>
#include <stdlib.h>

#include "study/stream.h"

typedef struct generator {
  candor_chacha20 stream;
  candor_random random;
  candor_draw draw;
} generator;

static inline void start(generator *g, uint64_t seed)
{
  candor_stream_start(&g->stream, seed, 0, 0);
  g->random.fill = candor_chacha20_fill;
  g->random.state = &g->stream;
  candor_draw_start(&g->draw, &g->random);
}

/* Wilson and Hilferty's approximation of the 1 - 1e-6 quantile of chi-square: right within 1 % from 1 degree on. */
static inline double chi_limit(double df)
{
  const double z = 4.753424, c = 2.0 / (9.0 * df), root = 1.0 - c + z * sqrt(c);
  return 1.03 * df * root * root * root;
}

static inline double log_binomial(double n, double p, double k)
{
  return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p);
}

/* Chi-square of values against Binomial(n, p), in cells of expectation 10 or more from the first value on. */
static inline int fits_binomial(const double *x, size_t draws, double n, double p)
{
  const double sd = sqrt(n * p * (1 - p));
  const double low = floor(fmax(0, n * p - 7 * sd - 2)), high = fmin(n, ceil(n * p + 7 * sd + 2));
  const size_t values = (size_t) (high - low) + 1;
  double *seen = calloc(values, sizeof *seen);
  for (size_t i = 0; i < draws; i++) {
    if (x[i] < low || x[i] > high) {
      free(seen);
      return 0;
    }
    seen[(size_t) (x[i] - low)] += 1.0;
  }
  double chi = 0, df = -1, expected = 0, observed = 0;
  for (size_t v = 0; v < values; v++) {
    expected += (double) draws * exp(log_binomial(n, p, low + (double) v));
    observed += seen[v];
    if (expected >= 10 || v + 1 == values) {
      if (expected > 0.5) {
        chi += (observed - expected) * (observed - expected) / expected;
        df++;
      }
      expected = observed = 0;
    }
  }
  free(seen);
  return df < 1 ? chi < 25 : chi < chi_limit(df);
}

#endif
