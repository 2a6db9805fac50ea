/* Closed-form estimates on top of the active set. See simplex.h. */
#include "estimate/simplex.h"

#include <float.h>

#include "base/lanes.h"
#include "estimate/active.h"

/* What all constrained estimates share: v_i = shift + (x_i - least) scale on the active categories,
 * 0 elsewhere. Anchored at the least active x, both terms are parts of the total: nothing cancels,
 * however steep the slope. */
typedef struct line {
  double shift;
  double least;
  double scale;
} line;

/* The clip is needed because of rounding: in exact arithmetic no active value is negative. */
static void draw(const line *through, double sign, const double *x, size_t n, double *out)
{
  const line l = *through;
  for (size_t i = 0; i < n; i++) {
    const double y = sign * x[i], v = l.shift + (y - l.least) * l.scale;
    out[i] = y >= l.least && v > 0 ? v : 0;
  }
}

static void rescale(double *x, size_t n, double factor)
{
  for (size_t i = 0; i < n; i++) x[i] *= factor;
}

/* sum (x - least) of the active x. Few additions in a row before the compensated one: good to 1e-16 or so. */
static double excess(const double *active, size_t n, double least)
{
  enum { SHORT_BLOCK = 64 };
  candor_sum sum = {0, 0};
  for (size_t i = 0; i < n; i += SHORT_BLOCK) {
    const size_t end = i + candor_smaller(SHORT_BLOCK, n - i);
    double lane[4] = {0, 0, 0, 0};
    for (size_t j = i; j < end; j++) lane[j % 4] += active[j] - least;
    candor_sum_add(&sum, (lane[0] + lane[1]) + (lane[2] + lane[3]));
  }
  return candor_sum_total(&sum);
}

static size_t count_above(const double *x, size_t n, double sign, double least)
{
  size_t above = 0;
  for (size_t i = 0; i < n; i++) above += sign * x[i] > least;
  return above;
}

/* Draws the line of this slope that sums to `total`; its value at the least active x is what the
 * slope leaves over, or `known` if that is not negative. */
static candor_status draw_total(const candor_active *set, const double *work, double scale, double known, double total,
                                double sign, const double *x, size_t n, double *out, size_t *zeros)
{
  const double m = (double) set->count;
  double shift = known;
  if (!(known > 0)) {
    double rise = scale * (set->sum - m * set->least);
    /* The shortcut loses scale |S| / total roundings. */
    if (!(scale * fabs(set->sum) <= 4 * total && scale * m * fabs(set->least) <= 4 * total))
      rise = scale * excess(work, set->count, set->least);
    if (!isfinite(rise)) return CANDOR_NOT_FINITE;
    shift = (total - rise) / m;
    /* Rounding kept a category that ties with the threshold; the slope alone makes up the total. */
    if (known == 0 || !(shift > 0)) {
      shift = 0;
      scale = rise > 0 ? scale * (total / rise) : scale;
    }
  }
  const line l = {shift, set->least, scale};
  draw(&l, sign, x, n, out);
  *zeros = n - (shift > 0 ? set->count : count_above(x, n, sign, set->least));
  return CANDOR_OK;
}

size_t candor_simplex_work(const candor_additive *channel)
{
  return channel->other ? 2 * channel->categories : channel->categories;
}

static candor_status prepare(const candor_additive *channel, const double *counts, double *total)
{
  const candor_status status = candor_additive_check(channel);
  return status == CANDOR_OK ? candor_counts_total(counts, channel->categories, total) : status;
}

static void report(const candor_active *set, double sign, candor_simplex_fit *fit)
{
  fit->active = set->count;
  fit->active_sum = sign * set->sum;
  fit->threshold = sign * set->threshold;
  fit->passes = set->passes;
  fit->sorted = set->sorted;
  fit->unique = !(set->sum == 0 && set->count > 1);
}

static void shares(const double *counts, size_t n, double total, candor_simplex_fit *fit, double *theta)
{
  size_t positive = 0;
  for (size_t i = 0; i < n; i++) {
    theta[i] = counts[i] / total;
    positive += theta[i] > 0;
  }
  *fit = (candor_simplex_fit){n, total, 0, n - positive, 1, 1, 0};
}

static candor_status mle_uniform(const candor_additive *channel, const double *counts, double total, size_t scan_limit,
                                 double *work, candor_simplex_fit *fit, double *theta)
{
  const size_t n = channel->categories;
  const double sign = channel->keep > 0 ? 1 : -1;
  const candor_active_rule rule = {0, channel->odds, scan_limit};
  candor_active set;
  if (isinf(channel->odds)) {
    shares(counts, n, total, fit, theta);
    return CANDOR_OK;
  }
  candor_active_plain(counts, n, sign, sign * total, &rule, work, &set);
  report(&set, sign, fit);
  const double m = (double) set.count;
  /* Only empty categories left (a < 0): they share. */
  const double scale = set.sum == 0 ? 0 : (1 + m / channel->odds) / set.sum;
  /* theta = n scale - 1/odds at the least n: where 1/odds is small this keeps the digits of small
   * parts, which the certificate sees; where it is large what the sum leaves over is more accurate. */
  const double known = channel->odds > m ? fmax(0, set.least * scale - 1 / channel->odds) : -1;
  return draw_total(&set, work, scale, known, 1, sign, counts, n, theta, &fit->zeros);
}

/* One active category, or only empty ones: theta is 1/m there. */
static void equal_parts(const candor_additive *channel, const double *counts, const candor_active *set, double *theta)
{
  const double sign = channel->keep > 0 ? 1 : -1;
  const double *b = channel->other;
  size_t best = 0;
  for (size_t i = 1; i < channel->categories; i++) {
    /* Cross-multiplied ratios; against a best that is void (0 / 0) anything wins. */
    if (sign * counts[i] * b[best] > sign * counts[best] * b[i] || (b[best] == 0 && counts[best] == 0)) best = i;
  }
  for (size_t i = 0; i < channel->categories; i++) {
    const int on = set->count == 1 ? i == best : counts[i] == 0;
    theta[i] = on ? 1 / (double) set->count : 0;
  }
}

static double sloped(const candor_additive *channel, const double *counts, const candor_active *set, double *theta)
{
  const double *b = channel->other;
  const double a = channel->keep;
  const double count_sum = a > 0 ? set->sum : -set->sum;
  const double share = 1 / count_sum, slope = set->weight / count_sum;
  candor_sum sum = {0, 0};
  for (size_t i = 0; i < channel->categories; i++) {
    const double v = counts[i] * share + (counts[i] * slope - b[i]) / a;
    theta[i] = v > 0 ? v : 0;
    candor_sum_add(&sum, theta[i]);
  }
  return candor_sum_total(&sum);
}

static candor_status mle_vector(const candor_additive *channel, const double *counts, double total, size_t scan_limit,
                                double *work, candor_simplex_fit *fit, double *theta)
{
  const size_t n = channel->categories;
  const double sign = channel->keep > 0 ? 1 : -1;
  const candor_active_rule rule = {0, channel->keep, scan_limit};
  candor_active set;
  candor_active_weighted(counts, channel->other, n, sign, sign * total, &rule, work, &set);
  report(&set, sign, fit);
  if (set.count == 1 || set.sum == 0) {
    equal_parts(channel, counts, &set, theta);
  } else {
    const double sum = sloped(channel, counts, &set, theta);
    if (!(sum > 0) || !isfinite(sum)) return CANDOR_NOT_FINITE;
    rescale(theta, n, 1 / sum);
  }
  fit->zeros = 0;
  for (size_t i = 0; i < n; i++) fit->zeros += theta[i] == 0;
  return CANDOR_OK;
}

candor_status candor_mle(const candor_additive *channel, const double *counts, size_t scan_limit, double *work,
                         candor_simplex_fit *fit, double *theta)
{
  double total;
  const candor_status status = prepare(channel, counts, &total);
  if (status != CANDOR_OK) return status;
  if (scan_limit == 0) scan_limit = 16 * channel->categories;
  return channel->other ? mle_vector(channel, counts, total, scan_limit, work, fit, theta)
                        : mle_uniform(channel, counts, total, scan_limit, work, fit, theta);
}

static void invert(const candor_additive *channel, const double *counts, double total, double *theta)
{
  const size_t n = channel->categories;
  const double a = channel->keep;
  if (channel->other) {
    for (size_t i = 0; i < n; i++) theta[i] = (counts[i] / total - channel->other[i]) / a;
    return;
  }
  /* mean + rest is N/K to twice the precision. */
  const double size = (double) n, scale = 1 / (total * a), mean = total / size;
  const double rest = fma(-mean, size, total) / size;
  const double shift = 1 / size - rest * scale;
  for (size_t i = 0; i < n; i++) theta[i] = shift + (counts[i] - mean) * scale;
}

/* Sets the negative ones to 0; returns the sum. */
static double clip(double *theta, size_t n)
{
  candor_sum sum = {0, 0};
  for (size_t i = 0; i < n; i += CANDOR_BLOCK) {
    const size_t length = candor_smaller(CANDOR_BLOCK, n - i);
    for (size_t j = i; j < i + length; j++) theta[j] = theta[j] > 0 ? theta[j] : 0;
    candor_sum_add(&sum, candor_block_sum(theta + i, length));
  }
  return candor_sum_total(&sum);
}

candor_status candor_inv(const candor_additive *channel, const double *counts, double *theta)
{
  double total;
  const candor_status status = prepare(channel, counts, &total);
  if (status != CANDOR_OK) return status;
  invert(channel, counts, total, theta);
  return isfinite(candor_block_sum(theta, channel->categories)) ? CANDOR_OK : CANDOR_NOT_FINITE;
}

candor_status candor_invn(const candor_additive *channel, const double *counts, double *theta)
{
  double total;
  const candor_status status = prepare(channel, counts, &total);
  if (status != CANDOR_OK) return status;
  invert(channel, counts, total, theta);
  const double sum = clip(theta, channel->categories);
  if (!(sum > 0) || !isfinite(sum)) return CANDOR_NOT_FINITE;
  rescale(theta, channel->categories, 1 / sum);
  return CANDOR_OK;
}

/* sum max(0, x - t) = target over the active set, drawn as parts of `total`. */
static candor_status project(const double *x, size_t n, double sign, double sum, double target, double total,
                             double *work, candor_simplex_fit *fit, double *out)
{
  const candor_active_rule rule = {target, 0, 16 * n};
  candor_active set;
  candor_active_plain(x, n, sign, sum, &rule, work, &set);
  report(&set, sign, fit);
  fit->unique = 1;
  return draw_total(&set, work, total / target, -1, total, sign, x, n, out, &fit->zeros);
}

candor_status candor_invp(const candor_additive *channel, const double *counts, double *work, candor_simplex_fit *fit,
                          double *theta)
{
  const size_t n = channel->categories;
  const double sign = channel->keep > 0 ? 1 : -1;
  candor_simplex_fit own;
  double total;
  const candor_status status = prepare(channel, counts, &total);
  if (status != CANDOR_OK) return status;
  fit = fit ? fit : &own;
  const double target = total * fabs(channel->keep);
  if (!channel->other) return project(counts, n, sign, sign * total, target, 1, work, fit, theta);
  double *excess = work + n;
  candor_sum sum = {0, 0};
  for (size_t i = 0; i < n; i++) {
    excess[i] = sign * (counts[i] - total * channel->other[i]);
    candor_sum_add(&sum, excess[i]);
  }
  return project(excess, n, 1, candor_sum_total(&sum), target, 1, work, fit, theta);
}

candor_status candor_project(const double *x, size_t n, double total, double *work, double *out)
{
  candor_simplex_fit fit;
  candor_sum sum = {0, 0};
  if (n == 0 || !(total >= 1e-100 && total <= 1e100)) return CANDOR_DOMAIN;
  for (size_t i = 0; i < n; i++) candor_sum_add(&sum, x[i]);
  if (!isfinite(candor_sum_total(&sum))) return CANDOR_NOT_FINITE;
  return project(x, n, 1, candor_sum_total(&sum), total, total, work, &fit, out);
}
