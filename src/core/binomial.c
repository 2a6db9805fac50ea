#include "binomial.h"

#include <math.h>

#include "binomial_hat.h"

enum { PROPOSALS = 1 << 20 };

/* Sequential search from zero, for n p < 10; log_rest: log1p(-p). */
static candor_status binomial_inversion(candor_draw *draw, double n, double p, double log_rest, double *value)
{
  const double odds = p / (1.0 - p);
  const double none = exp(n * log_rest);
  for (int proposal = 0; proposal < PROPOSALS && draw->status == CANDOR_OK; proposal++) {
    double u = candor_draw_uniform(draw);
    double f = none;
    /* Beyond 120 lies less than 1e-60: what gets there is the rounding of the sum. */
    for (double k = 0; k <= n && k < 120; k++) {
      if (u <= f) {
        *value = k;
        return CANDOR_OK;
      }
      u -= f;
      f *= odds * (n - k) / (k + 1.0);
    }
  }
  return CANDOR_GENERATOR;
}

/* log(n!) minus Stirling's approximation. */
static double stirling_error(double n)
{
  static const double small[16] = {
    0, 0.081061466795327258, 0.041340695955409294, 0.027677925684998339,
    0.020790672103765093, 0.016644691189821192, 0.013876128823070747, 0.011896709945891769,
    0.010411265261972097, 0.0092554621827127335, 0.0083305634333628714, 0.0075736754879518412,
    0.0069428401072095288, 0.0064089941880042077, 0.005951370112758849, 0.0055547335519627999
  };
  if (n < 16) return small[(int) n];
  const double inverse = 1.0 / n, r = inverse * inverse;
  return (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188))))) * inverse;
}

/* x log(x / mean) + mean - x >= 0 without cancellation, and log(x / mean): with v = (x - mean) / (x + mean) and
 * o = v^2 / 3 + v^4 / 5 + ... they are v (x - mean + 2 x o) and 2 v (1 + o). */
static inline double deviance(double x, double mean, double *logarithm)
{
  const double difference = x - mean, v = difference / (x + mean), w = v * v;
  if (w > 0.01) {
    *logarithm = log(x / mean);
    return x * *logarithm - difference;
  }
  const double o = w * (1.0 / 3 + w * (1.0 / 5 + w * (1.0 / 7 + w * (1.0 / 9 + w * (1.0 / 11 + w * (1.0 / 13 +
                   w * (1.0 / 15 + w * (1.0 / 17))))))));
  *logarithm = 2.0 * v * (1.0 + o);
  return v * (difference + 2.0 * x * o);
}

/* Logarithm of the binomial probability of k times s sqrt(2 pi). */
static double log_probability(double n, double p, double k)
{
  const double mean = n * p, rest = n * (1.0 - p);
  if (k <= 0 || k >= n) {
    if (k < 0 || k > n) return -INFINITY;
    return (k == 0 ? n * log1p(-p) : n * log(p)) + 0.5 * log(mean * (1.0 - p)) + 0.91893853320467274178;
  }
  double log_k, log_rest;
  const double deviances = deviance(k, mean, &log_k) + deviance(n - k, rest, &log_rest);
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviances - 0.5 * (log_k + log_rest);
}

/* A proposal that the inner part of its layer does not settle: 1 if it is accepted, and then *value is it. */
static int settle(candor_draw *draw, double n, double p, double deviation, size_t layer, double z, double *value)
{
  const double mean = n * p, higher = HIGHER / deviation;
  const double foot = -0.5 * edge[layer] * edge[layer], top = -0.5 * edge[layer + 1] * edge[layer + 1];
  const double v = candor_draw_uniform(draw);
  if (layer > 0) {
    const double k = *value = floor(mean + 0.5 + (deviation + WIDER) * z);
    /* The height, exp(foot) + v (exp(top) - exp(foot)), has a logarithm above the chord and (Hoeffding's lemma) less
     * than rise^2 / 8 above it, and the probability has one near a cubic: enough to decide nearly always. */
    const double rise = top - foot, least = foot + v * rise + higher - 0.5 * higher * higher;
    const double most = foot + v * rise + higher + 0.125 * rise * rise, steps = (k - mean) / deviation;
    const double about = log_cubic(steps, p, deviation), error = cubic_error(steps, deviation);
    if (about - error >= most) return 1;
    if (about + error < least) return 0;
    const double probability = log_probability(n, p, k);
    if (probability >= most) return 1;
    if (probability < least) return 0;
    return log(exp(foot) + v * (exp(top) - exp(foot))) + log1p(higher) <= probability;
  }
  double height = log(v) + top;
  if (fabs(z) > edge[1]) {
    const double fall = log(candor_draw_uniform(draw));
    z = copysign(edge[1] - fall / TAIL_RATE, z);
    height += fall;
  }
  *value = floor(mean + 0.5 + (deviation + WIDER) * z);
  return height + log1p(higher) <= log_probability(n, p, *value);
}

/* One proposal, for p <= 1/2: 1 if it is accepted. */
static inline int propose(candor_draw *draw, double n, double p, double deviation, double *value)
{
  const uint64_t word = candor_draw_long(draw);
  const size_t layer = word % LAYERS;
  /* Midpoints of 2^53 cells of (-1, 1), from bits that the layer does not use. */
  const double u = ((double) ((int64_t) (word >> 11) - 4503599627370496) + 0.5) * (1.0 / 4503599627370496.0);
  const double z = u * edge[layer];
  const double inner = edge[layer + 1];
  if ((inner * inner - z * z) * deviation >= slack(inner, deviation)) {
    *value = (double) (int64_t) (n * p + 0.5 + (deviation + WIDER) * z);
    return 1;
  }
  return settle(draw, n, p, deviation, layer, z, value);
}

/* For n p >= 10 and p <= 1/2. */
static inline candor_status binomial_rejection(candor_draw *draw, double n, double p, double deviation, double *value)
{
  for (int proposal = 0; proposal < PROPOSALS && draw->status == CANDOR_OK; proposal++) {
    if (propose(draw, n, p, deviation, value)) return CANDOR_OK;
  }
  return CANDOR_GENERATOR;
}

candor_status candor_draw_binomial(candor_draw *draw, double n, double p, double *value)
{
  if (!(n >= 0 && n <= 9007199254740992.0 && n == floor(n) && p >= 0 && p <= 1)) return CANDOR_DOMAIN;
  if (n == 0 || p == 0 || p == 1) {
    *value = p == 1 ? n : 0.0;
    return CANDOR_OK;
  }
  const int swap = p > 0.5;
  const double rare = swap ? 1.0 - p : p, mean = n * rare;
  const candor_status status = mean < 10 ? binomial_inversion(draw, n, rare, log1p(-rare), value)
                                         : binomial_rejection(draw, n, rare, sqrt(mean * (1.0 - rare)), value);
  if (status == CANDOR_OK && swap) {
    *value = n - *value;
  }
  return status;
}

void candor_tree_plan(candor_tree *tree, size_t cells, double *sums)
{
  tree->cells = cells;
  for (size_t j = cells; j-- > 1;) {
    const double left = sums[2 * j], right = sums[2 * j + 1];
    sums[j] = left + right;
    tree->share[j] = sums[j] > 0.0 ? (left < right ? left : right) / sums[j] : 0.0;
    tree->log_rest[j] = log1p(-tree->share[j]);
    tree->lighter[j] = (uint32_t) (2 * j + (right < left));
  }
}

candor_status candor_tree_draw(const candor_tree *tree, candor_draw *draw, double *counts)
{
  for (size_t j = 1; j < tree->cells; j++) {
    const double n = counts[j], p = tree->share[j], variance = n * p * (1.0 - p);
    double value = 0.0;
    /* The first proposal here, where what the next nodes need can be worked out meanwhile. */
    const double deviation = sqrt(variance);
    if (variance < 25.0 || !propose(draw, n, p, deviation, &value)) {
      candor_status status = CANDOR_OK;
      if (n * p >= 10.0) status = binomial_rejection(draw, n, p, deviation, &value);
      else if (n > 0.0 && p > 0.0) status = binomial_inversion(draw, n, p, tree->log_rest[j], &value);
      if (status != CANDOR_OK) return status;
    }
    const size_t lighter = tree->lighter[j];
    counts[lighter] = value;
    counts[lighter ^ 1] = n - value;
  }
  return draw->status;
}
