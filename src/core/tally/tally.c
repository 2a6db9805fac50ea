#include "tally/tally.h"

#include <math.h>

enum { MOST_CELLS_COPIED = 4096, COPIES = 4 };

/* Equal reports in a row would wait for each other's increment of one counter: four tables take turns. */
static size_t copies_of(size_t k)
{
  return k <= MOST_CELLS_COPIED ? COPIES : 1;
}

size_t candor_tally_work(size_t k)
{
  return copies_of(k) * k;
}

/* The general case: groups, weights, missing reports. It costs one branch per report. */
static candor_status tally_general(const candor_tally_reports *reports, size_t k, size_t n_groups, double *counts,
                                   double *weight_squares, double *missing, size_t *position)
{
  const unsigned first = (unsigned) reports->first;
  for (size_t i = 0; i < reports->n; i++) {
    const size_t cell = (size_t) ((unsigned) reports->codes[i] - first);
    const size_t group = reports->groups ? (size_t) ((unsigned) reports->groups[i] - 1u) : 0;
    const double weight = reports->weights ? reports->weights[i] : 1.0;
    if (reports->codes[i] == reports->missing && reports->skip_missing) {
      *missing += 1.0;
      continue;
    }
    if (reports->codes[i] == reports->missing || cell >= k || group >= n_groups || !(weight >= 0.0) || isinf(weight)) {
      *position = i;
      return CANDOR_DOMAIN;
    }
    counts[group * k + cell] += weight;
    if (reports->weights) weight_squares[group] += weight * weight;
  }
  return CANDOR_OK;
}

/* Position of the first code outside first .. first + k - 1, or n. */
static size_t first_outside(const int *codes, size_t n, unsigned first, size_t k)
{
  size_t i = 0;
  while (i < n && (size_t) ((unsigned) codes[i] - first) < k) i++;
  return i;
}

static candor_status tally_plain(const candor_tally_reports *reports, size_t k, uint32_t *work, double *counts,
                                 size_t *position)
{
  const int *codes = reports->codes;
  const unsigned first = (unsigned) reports->first;
  const size_t n = reports->n;
  const size_t copies = copies_of(k), stride = copies == 1 ? 0 : k;
  uint32_t *lane0 = work, *lane1 = lane0 + stride, *lane2 = lane1 + stride, *lane3 = lane2 + stride;
  for (size_t j = 0; j < copies * k; j++) work[j] = 0;

  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const size_t a = (size_t) ((unsigned) codes[i] - first), b = (size_t) ((unsigned) codes[i + 1] - first);
    const size_t c = (size_t) ((unsigned) codes[i + 2] - first), d = (size_t) ((unsigned) codes[i + 3] - first);
    if (a >= k || b >= k || c >= k || d >= k) break;
    lane0[a]++;
    lane1[b]++;
    lane2[c]++;
    lane3[d]++;
  }
  const size_t rest = first_outside(codes + i, n - i, first, k);
  for (size_t j = 0; j < rest; j++) lane0[(unsigned) codes[i + j] - first]++;
  if (i + rest < n) {
    *position = i + rest;
    return CANDOR_DOMAIN;
  }
  for (size_t copy = 0; copy < copies; copy++)
    for (size_t j = 0; j < k; j++) counts[j] += (double) work[copy * k + j];
  return CANDOR_OK;
}

candor_status candor_tally(const candor_tally_reports *reports, size_t k, size_t n_groups, uint32_t *work,
                           double *counts, double *weight_squares, double *missing, size_t *position)
{
  if (reports->n > CANDOR_TALLY_BLOCK || k == 0 || n_groups == 0) {
    *position = 0;
    return CANDOR_DOMAIN;
  }
  const int plain = !reports->groups && !reports->weights && !reports->skip_missing &&
                    (size_t) ((unsigned) reports->missing - (unsigned) reports->first) >= k;
  if (plain) return tally_plain(reports, k, work, counts, position);
  return tally_general(reports, k, n_groups, counts, weight_squares, missing, position);
}

/* Four sums in registers, or those of the group in memory. */
candor_status candor_tally_powers(const candor_tally_numbers *numbers, size_t n_groups, long double *sums,
                                  size_t *position)
{
  const double *x = numbers->x, *weights = numbers->weights;
  const int *groups = numbers->groups;
  long double first = 0, second = 0, third = 0, fourth = 0;
  for (size_t i = 0; i < numbers->n; i++) {
    const double share = (x[i] - numbers->low) / numbers->width;
    const size_t group = groups ? (size_t) ((unsigned) groups[i] - 1u) : 0;
    if (!(share >= 0.0 && share <= 1.0) || group >= n_groups) {
      *position = i;
      return CANDOR_DOMAIN;
    }
    const double a = weights ? weights[i] * share : share, b = a * share, c = b * share, d = c * share;
    if (groups) {
      long double *sum = sums + CANDOR_POWERS * group;
      sum[0] += a;
      sum[1] += b;
      sum[2] += c;
      sum[3] += d;
    } else {
      first += a;
      second += b;
      third += c;
      fourth += d;
    }
  }
  sums[0] += first;
  sums[1] += second;
  sums[2] += third;
  sums[3] += fourth;
  return CANDOR_OK;
}

/* 1 where a count can be a count: finite, not negative, and whole if asked. Adding and taking away
 * 2^52 rounds to a whole number, in vector registers too, where floor() would be a call. */
static int is_count(double x, int whole)
{
  const double shift = 4503599627370496.0;
  const double rounded = x < shift ? (x + shift) - shift : x;
  return x >= 0.0 && x <= 1.7976931348623157e308 && (!whole || rounded == x);
}

candor_status candor_check_counts(const double *counts, size_t n, int whole, double *total, size_t *position)
{
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    int good = 1;
    for (int lane = 0; lane < 4; lane++) {
      good &= is_count(counts[i + (size_t) lane], whole);
      sum[lane] += counts[i + (size_t) lane];
    }
    if (!good) break;
  }
  for (; i < n; i++) {
    if (!is_count(counts[i], whole)) {
      *position = i;
      return isfinite(counts[i]) ? CANDOR_DOMAIN : CANDOR_NOT_FINITE;
    }
    sum[0] += counts[i];
  }
  *total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  return isfinite(*total) ? CANDOR_OK : CANDOR_NOT_FINITE;
}
