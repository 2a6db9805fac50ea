/* The hat of Hoermann's transformed rejection. For test_binomial.c, which checks its bounds, and binomial.c. */
#ifndef CANDOR_BINOMIAL_HAT_H
#define CANDOR_BINOMIAL_HAT_H

#include <math.h>

/* From here on n p is large enough for the bounds. */
static const double LEAST_MEAN = 10.0;

typedef struct candor_hat {
  double mode, a, b, shift; /* u in (-1/2, 1/2) proposes mode + floor((2 a / (1/2 - |u|) + b) u + shift) */
  double alpha;             /* f(k) / f(mode) * candor_hat_slope() <= alpha for every u that proposes k */
  double sure;              /* and from INNER on it is at least sure * alpha */
} candor_hat;

static const double INNER = 0.07;

/* n p >= LEAST_MEAN, p <= 1/2 */
static inline candor_hat candor_hat_of(double n, double p)
{
  const double mean = n * p, deviation = sqrt(mean * (1.0 - p)), mode = floor(mean + p);
  const double b = 1.15 + 2.53 * deviation;
  const candor_hat hat = {
      mode, -0.0873 + 0.0248 * b + 0.01 * p, b, mean - mode + 0.5, (2.83 + 5.1 / b) * deviation, 0.92 - 4.2 / b};
  return hat;
}

/* The slope of the proposal where 1/2 - |u| = edge. */
static inline double candor_hat_slope(const candor_hat *hat, double edge)
{
  return hat->a / (edge * edge) + hat->b;
}

#endif
