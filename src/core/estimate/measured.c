#include "estimate/measured.h"

#include <math.h>

typedef struct measured {
  const double *counts, *sizes;
  double nearest;
  int is_scaled; /* the study's error has the weights of the estimate */
} measured;

/* The share p with x - n p = c p (1 - p). */
static double tilted_share(double x, double n, double c)
{
  const double root = sqrt(fmax(0, (n + c) * (n + c) - 4 * c * x));
  const double p = n + c >= 0 ? 2 * x / (n + c + root) : (n + c - root) / (2 * c);
  return fmin(fmax(p, 0), 1);
}

/* r - t s - (1 - t) f, of the shares with this multiplier: it falls in the multiplier. */
static double constraint(const measured *m, double t, double multiplier, double shares[3])
{
  const double weights[3] = {1, -t, t - 1};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    shares[i] = tilted_share(m->counts[i], m->sizes[i], multiplier * weights[i]);
    sum += weights[i] * shares[i];
  }
  return sum;
}

/* The root of the constraint, between 0 and a multiplier that is doubled until it is beyond: by the secant, of which
 * an end that stays counts half (Illinois). */
static double solve_multiplier(const measured *m, double t, double difference, double shares[3])
{
  double from = 0, value_from = difference, to = copysign(1, difference), value_to;
  int side = 0;
  while ((value_to = constraint(m, t, to, shares)) * difference > 0 && fabs(to) < 1e300) {
    from = to;
    value_from = value_to;
    to *= 4;
  }
  double middle = to;
  for (int step = 0; step < 100 && value_to != 0; step++) {
    middle = (from * value_to - to * value_from) / (value_to - value_from);
    if (!(fabs(middle - to) > 1e-13 * fabs(to)) || !(fabs(middle - from) > 1e-13 * fabs(from))) break;
    const double value = constraint(m, t, middle, shares);
    if (value == 0) break;
    if (value * value_to > 0) {
      to = middle;
      value_to = value;
      if (side == 1) value_from /= 2;
      side = 1;
    } else {
      from = middle;
      value_from = value;
      if (side == -1) value_to /= 2;
      side = -1;
    }
  }
  return middle;
}

static double variance(const measured *m, const double shares[3], double u)
{
  const double weights[3] = {1, u, 1 - u};
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += weights[i] * weights[i] * shares[i] * (1 - shares[i]) / m->sizes[i];
  return sum;
}

/* Twice the log-likelihood that shares lose against those observed. */
static double deviance(const measured *m, const double shares[3])
{
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const double yes = m->counts[i], no = m->sizes[i] - yes;
    if (yes > 0) sum += yes * log(yes / (m->sizes[i] * shares[i]));
    if (no > 0) sum += no * log(no / (m->sizes[i] * (1 - shares[i])));
  }
  return fmax(0, 2 * sum);
}

static double statistic(const measured *m, double t)
{
  double shares[3];
  const double difference = constraint(m, t, 0, shares);
  if (difference == 0) return 0;
  const double multiplier = solve_multiplier(m, t, difference, shares);
  const double mean = (multiplier * difference + deviance(m, shares)) / 2;
  return m->is_scaled ? mean * variance(m, shares, t) / variance(m, shares, m->nearest) : mean;
}

/* Widens `limits` until they hold what the statistic accepts. */
static void widen(const measured *m, double threshold, int is_inside, double limits[2])
{
  /* Roundings of an estimate inside count as 0. */
  const double least = is_inside ? 0 : statistic(m, m->nearest);
  for (int end = 0; end < 2; end++) {
    double outside = end, inside = limits[end];
    if (inside == outside || statistic(m, inside) - least > threshold) continue;
    if (statistic(m, outside) - least <= threshold) inside = outside;
    for (int step = 0; step < 42 && inside != outside; step++) {
      const double middle = (inside + outside) / 2;
      if (statistic(m, middle) - least <= threshold) inside = middle;
      else outside = middle;
    }
    limits[end] = inside;
  }
}

candor_status candor_measured_interval(const double counts[3], const double sizes[3], double quantile, double limits[2])
{
  double share[3];
  for (int i = 0; i < 3; i++) {
    if (!isfinite(counts[i]) || !isfinite(sizes[i])) return CANDOR_NOT_FINITE;
    if (counts[i] < 0 || sizes[i] <= 0 || counts[i] > sizes[i]) return CANDOR_DOMAIN;
    share[i] = counts[i] / sizes[i];
  }
  if (!isfinite(quantile)) return CANDOR_NOT_FINITE;
  if (quantile < 0) return CANDOR_DOMAIN;
  limits[0] = 0;
  limits[1] = 1;
  if (share[1] <= share[2]) return CANDOR_OK;
  const double inverse = (share[0] - share[2]) / (share[1] - share[2]), threshold = quantile * quantile;
  measured m = {counts, sizes, fmin(fmax(inverse, 0), 1), 1};
  limits[0] = limits[1] = m.nearest;
  widen(&m, threshold, inverse == m.nearest, limits);
  if ((sizes[1] < CANDOR_FEW_LABELS && limits[1] > CANDOR_COMMON_SHARE) ||
      (sizes[2] < CANDOR_FEW_LABELS && 1 - limits[0] > CANDOR_COMMON_SHARE)) {
    m.is_scaled = 0;
    widen(&m, threshold, inverse == m.nearest, limits);
  }
  return CANDOR_OK;
}
