#include "study/binomial.h"

#include <math.h>

#include "study/binomial_hat.h"

enum { PROPOSALS = 1 << 16 };

/* ---- few successes ---- */

/* Sequential search from zero; log_rest = log(1 - p). */
static candor_status search(candor_draw *draw, double n, double p, double log_rest, double *value)
{
  const double odds = p / (1.0 - p), none = exp(n * log_rest);
  for (int proposal = 0; proposal < PROPOSALS && draw->status == CANDOR_OK; proposal++) {
    double u = candor_draw_uniform(draw), f = none;
    /* Beyond 120 lies less than 1e-60: what gets there is the rounding of the sum. */
    for (double k = 0; k <= n && k < 120; k++) {
      if (u <= f) {
        *value = k;
        return draw->status;
      }
      u -= f;
      f *= odds * (n - k) / (k + 1.0);
    }
  }
  return CANDOR_GENERATOR;
}

/* ---- the exact probability ---- */

/* log(n!) minus Stirling's approximation. */
static double stirling_error(double n)
{
  static const double small[16] = {0,
                                   0.081061466795327258,
                                   0.041340695955409294,
                                   0.027677925684998339,
                                   0.020790672103765093,
                                   0.016644691189821192,
                                   0.013876128823070747,
                                   0.011896709945891769,
                                   0.010411265261972097,
                                   0.0092554621827127335,
                                   0.0083305634333628714,
                                   0.0075736754879518412,
                                   0.0069428401072095288,
                                   0.0064089941880042077,
                                   0.005951370112758849,
                                   0.0055547335519627999};
  if (n < 16) return small[(int) n];
  const double inverse = 1.0 / n, r = inverse * inverse;
  return (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188))))) * inverse;
}

/* x log(x / mean) + mean - x >= 0 without cancellation, and log(x / mean): with v = (x - mean) / (x + mean) and
 * o = v^2 / 3 + v^4 / 5 + ... they are v (x - mean + 2 x o) and 2 v (1 + o). */
static double deviance(double x, double mean, double *logarithm)
{
  const double difference = x - mean, v = difference / (x + mean), w = v * v;
  if (w > 0.01) {
    *logarithm = log(x / mean);
    return x * *logarithm - difference;
  }
  const double o =
      w * (1.0 / 3 +
           w * (1.0 / 5 +
                w * (1.0 / 7 + w * (1.0 / 9 + w * (1.0 / 11 + w * (1.0 / 13 + w * (1.0 / 15 + w * (1.0 / 17))))))));
  *logarithm = 2.0 * v * (1.0 + o);
  return v * (difference + 2.0 * x * o);
}

/* Logarithm of the binomial probability of k, up to a constant. */
static double log_probability(double n, double p, double k)
{
  const double mean = n * p, rest = n * (1.0 - p);
  if (k <= 0 || k >= n)
    return (k <= 0 ? n * log1p(-p) : n * log(p)) + 0.5 * log(mean * (1.0 - p)) + 0.91893853320467274178;
  double log_k, log_rest;
  const double deviances = deviance(k, mean, &log_k) + deviance(n - k, rest, &log_rest);
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviances - 0.5 * (log_k + log_rest);
}

/* ---- many successes ---- */

enum { NEAR = 40 };

/* f(k) / f(mode), near the mode by the ratios of neighbours, each about 1. */
static double relative_probability(double n, double p, double mode, double k)
{
  if (fabs(k - mode) > NEAR) return exp(log_probability(n, p, k) - log_probability(n, p, mode));
  const double low = fmin(k, mode), high = fmax(k, mode), unit = 1.0 / (mode + 1.0), odds = p / (1.0 - p) * unit;
  double up = 1.0, down = 1.0;
  for (double j = low; j < high; j++) {
    up *= (n - j) * odds;
    down *= (j + 1.0) * unit;
  }
  return k > mode ? up / down : down / up;
}

static candor_status reject(candor_draw *draw, double n, double p, double *value)
{
  const candor_hat hat = candor_hat_of(n, p);
  const double inner = 1.0 - 2.0 * INNER;
  for (int proposal = 0; proposal < PROPOSALS; proposal++) {
    /* One number decides first whether the pair (u, v) lies where every proposal is accepted, and is u there. */
    double v = candor_draw_uniform(draw), u = v / hat.sure - 0.5 + INNER;
    const int sure = v <= hat.sure * inner;
    if (!sure && v < hat.sure) {
      u = v / hat.sure - inner; /* the rest of v <= sure: u within INNER of an end */
      u = u < INNER ? u - 0.5 : u + 0.5 - 2.0 * INNER;
      v = candor_draw_uniform(draw) * hat.sure;
    } else if (!sure) {
      u = candor_draw_uniform(draw) - 0.5;
    }
    if (draw->status != CANDOR_OK) return draw->status;
    const double edge = 0.5 - fabs(u), k = hat.mode + floor((2.0 * hat.a / edge + hat.b) * u + hat.shift);
    if (k < 0 || k > n) continue;
    if (!sure && v * hat.alpha > candor_hat_slope(&hat, edge) * relative_probability(n, p, hat.mode, k)) continue;
    *value = k;
    return CANDOR_OK;
  }
  return CANDOR_GENERATOR;
}

/* 0 <= p <= 1/2; log_rest: log(1 - p), or NULL where nobody has it in store. */
static candor_status draw_lighter(candor_draw *draw, double n, double p, const double *log_rest, double *value)
{
  if (n * p >= LEAST_MEAN) return reject(draw, n, p, value);
  *value = 0.0;
  return n > 0 && p > 0 ? search(draw, n, p, log_rest ? *log_rest : log1p(-p), value) : CANDOR_OK;
}

candor_status candor_draw_binomial(candor_draw *draw, double n, double p, double *value)
{
  if (!(n >= 0 && n <= 9007199254740992.0 && n == floor(n) && p >= 0 && p <= 1)) return CANDOR_DOMAIN;
  return candor_draw_first(draw, n, p, 1.0 - p, value);
}

candor_status candor_draw_first(candor_draw *draw, double n, double first, double second, double *value)
{
  double lighter = 0.0;
  const candor_status status = draw_lighter(draw, n, fmin(first, second) / (first + second), NULL, &lighter);
  *value = first <= second ? lighter : n - lighter;
  return status;
}

/* ---- a whole among many ---- */

void candor_tree_start(size_t cells, double *sums, double *splits)
{
  for (size_t j = cells; j-- > 1;) {
    const double first = sums[2 * j], second = sums[2 * j + 1];
    sums[j] = first + second;
    splits[2 * j] = sums[j] > 0 ? fmin(first, second) / sums[j] : 0;
    splits[2 * j + 1] = log1p(-splits[2 * j]);
  }
}

candor_status candor_tree_draw(candor_draw *draw, size_t cells, const double *sums, const double *splits, double *nodes)
{
  for (size_t j = 1; j < cells; j++) {
    if (nodes[j] == 0.0) continue;
    double lighter;
    const candor_status status = draw_lighter(draw, nodes[j], splits[2 * j], &splits[2 * j + 1], &lighter);
    if (status != CANDOR_OK) return status;
    const double first = sums[2 * j] <= sums[2 * j + 1] ? lighter : nodes[j] - lighter;
    nodes[2 * j] += first;
    nodes[2 * j + 1] += nodes[j] - first;
  }
  return CANDOR_OK;
}

void candor_pick_start(size_t cells, const double *weights, double *ends, double *begin)
{
  double total = 0.0;
  size_t c = 0;
  for (size_t i = 0; i < cells; i++) ends[i] = total += weights[i];
  for (size_t i = 0; i < cells; i++) ends[i] /= total;
  for (size_t g = 0; g < cells; g++) {
    while (ends[c] * (double) cells <= (double) g) c++;
    begin[g] = (double) c;
  }
}

candor_status candor_pick_draw(candor_draw *draw, size_t cells, const double *ends, const double *begin, double n,
                               double *counts)
{
  for (double i = 0; i < n; i++) {
    const double u = candor_draw_uniform(draw);
    size_t c = (size_t) begin[(size_t) fmin(u * (double) cells, (double) (cells - 1))];
    while (ends[c] <= u) c++;
    counts[c]++;
  }
  return draw->status;
}
