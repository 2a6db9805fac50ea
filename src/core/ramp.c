#include "ramp.h"

#include <math.h>
#include <string.h>

#include "logs.h"
#include "wide.h"

enum {
  HISTOGRAM = 4096,      /* bins, at most: one a category */
  CROWDED = 64,          /* bins in which neighbours are often equal */
  HISTOGRAM_FROM = 128,  /* counts of fewer categories are sorted into a histogram only if they are close together */
  LANES = 8
};

static void *take(unsigned char **memory, size_t bytes)
{
  void *start = *memory;
  *memory += (bytes + 15) / 16 * 16;
  return start;
}

static size_t bins(size_t categories)
{
  return categories < HISTOGRAM ? categories : HISTOGRAM;
}

/* Room for all distinct counts, zero, and what fills the last lanes. */
static size_t room(size_t categories)
{
  return categories + 1 + LANES;
}

size_t candor_spectrum_bytes(size_t categories)
{
  return 4 * room(categories) * sizeof(double) + 4 * bins(categories) * sizeof(uint32_t) + 128;
}

void candor_spectrum_start(candor_spectrum *spectrum, const candor_additive *channel, double reports, void *memory)
{
  const size_t k = channel->categories;
  unsigned char *at = memory;
  spectrum->channel = channel;
  spectrum->reports = reports;
  spectrum->at_zero = reports * (1.0 - channel->keep) / (double) k;
  for (size_t m = 0; m < CANDOR_STUDY_METHODS; m++) spectrum->guess[m] = spectrum->at_zero;
  spectrum->value = take(&at, room(k) * sizeof *spectrum->value);
  spectrum->multiplicity = take(&at, room(k) * sizeof *spectrum->multiplicity);
  spectrum->logs = take(&at, room(k) * sizeof *spectrum->logs);
  spectrum->work = take(&at, room(k) * sizeof *spectrum->work);
  spectrum->histogram = take(&at, 4 * bins(k) * sizeof *spectrum->histogram);
  memset(spectrum->histogram, 0, 4 * bins(k) * sizeof *spectrum->histogram);
}

static CANDOR_WIDE void range(const double *x, size_t n, double *lowest, double *highest)
{
  double low[LANES], high[LANES];
  for (size_t l = 0; l < LANES; l++) low[l] = high[l] = x[0];
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t l = 0; l < LANES; l++) low[l] = x[i + l] < low[l] ? x[i + l] : low[l];
    for (size_t l = 0; l < LANES; l++) high[l] = x[i + l] > high[l] ? x[i + l] : high[l];
  }
  for (; i < n; i++) {
    low[0] = x[i] < low[0] ? x[i] : low[0];
    high[0] = x[i] > high[0] ? x[i] : high[0];
  }
  for (size_t l = 1; l < LANES; l++) {
    low[0] = low[l] < low[0] ? low[l] : low[0];
    high[0] = high[l] > high[0] ? high[l] : high[0];
  }
  *lowest = low[0];
  *highest = high[0];
}

int candor_spectrum_range(candor_spectrum *spectrum, const double *counts)
{
  range(counts, spectrum->channel->categories, &spectrum->lowest, &spectrum->highest);
  return spectrum->lowest > spectrum->at_zero;
}

/* work = the values above `start` by a line, 1 for the others; n a multiple of the lanes. */
static CANDOR_WIDE void line_above(const double *restrict value, size_t n, double start, double level, double slope,
                                   double *restrict work)
{
  for (size_t d = 0; d < n; d += LANES) {
    double line[LANES];
    for (size_t l = 0; l < LANES; l++) line[l] = level + slope * value[d + l];
    for (size_t l = 0; l < LANES; l++) line[l] = value[d + l] > start ? line[l] : 1.0;
    for (size_t l = 0; l < LANES; l++) work[d + l] = line[l];
  }
}

static size_t whole_lanes(size_t n)
{
  return (n + LANES - 1) / LANES * LANES;
}

/* Fills the last lanes with values of no weight, and takes the logarithms. */
static void complete(candor_spectrum *spectrum)
{
  const size_t d = spectrum->distinct, padded = whole_lanes(d);
  for (size_t j = d; j < padded; j++) spectrum->value[j] = spectrum->multiplicity[j] = 0.0;
  line_above(spectrum->value, padded, 1.0, 0.0, 1.0, spectrum->work);
  candor_logs(spectrum->work, padded, spectrum->logs);
}

/* Counts from the lowest on into bins of `each` numbers, which take turns: equal neighbours, zeros above all, would
 * otherwise wait for each other. */
static inline void fill_histogram(const double *counts, size_t k, double lowest, const size_t each, uint32_t *histogram)
{
  size_t i = 0;
  for (; i + LANES <= k; i += LANES) {
    int32_t place[LANES];
    for (size_t l = 0; l < LANES; l++) place[l] = (int32_t) (counts[i + l] - lowest);
    for (size_t l = 0; l < LANES; l++) histogram[each * (size_t) place[l] + l % each]++;
  }
  for (; i < k; i++) histogram[each * (size_t) (int32_t) (counts[i] - lowest)]++;
}

/* The same where some lie above the bins: those are listed. Counts so far apart are rarely equal. Returns how many are
 * listed. */
static size_t fill_and_list(const double *counts, size_t k, double lowest, size_t used, uint32_t *histogram,
                            double *large)
{
  const double limit = lowest + (double) used;
  size_t listed = 0;
  for (size_t i = 0; i < k; i++) {
    if (counts[i] < limit) histogram[(size_t) (int64_t) (counts[i] - lowest)]++;
    else large[listed++] = counts[i];
  }
  return listed;
}

/* Adds the bins that are not empty to the d distinct counts, and empties them; a bin has `each` numbers. */
static inline size_t collect(candor_spectrum *spectrum, size_t used, const size_t each, size_t d)
{
  double *value = spectrum->value, *multiplicity = spectrum->multiplicity;
  uint32_t *bin = spectrum->histogram;
  for (size_t v = 0; v < used; v++, bin += each) {
    uint32_t categories = 0;
    for (size_t e = 0; e < each; e++) {
      categories += bin[e];
      bin[e] = 0;
    }
    value[d] = spectrum->lowest + (double) (int32_t) v;
    multiplicity[d] = (double) (int32_t) categories;
    d += categories > 0;
  }
  return d;
}

void candor_spectrum_of(candor_spectrum *spectrum, const double *counts)
{
  const size_t k = spectrum->channel->categories;
  const double span = spectrum->highest - spectrum->lowest + 1.0;
  /* Counts of a large mean hardly ever coincide: their standard deviation is its root, at least. Above eight of these
   * bins would stay empty but for the few categories that are held by many. */
  const double spread = 4.0 * sqrt(spectrum->reports / (double) k), useful = 2.0 * spread + CROWDED;
  size_t d = 0;
  if (span < 0.5 * (double) k || (k >= HISTOGRAM_FROM && spread < 0.5 * (double) k)) {
    const size_t used = useful < (double) bins(k) ? (size_t) useful : bins(k);
    if (span <= CROWDED) {
      fill_histogram(counts, k, spectrum->lowest, 4, spectrum->histogram);
      d = collect(spectrum, (size_t) span, 4, 0);
    } else if (span <= (double) used) {
      fill_histogram(counts, k, spectrum->lowest, 1, spectrum->histogram);
      d = collect(spectrum, (size_t) span, 1, 0);
    } else {
      const size_t listed = fill_and_list(counts, k, spectrum->lowest, used, spectrum->histogram, spectrum->value);
      for (size_t i = 0; i < listed; i++) spectrum->multiplicity[i] = 1.0;
      d = collect(spectrum, used, 1, listed);
    }
  } else {
    memcpy(spectrum->value, counts, k * sizeof *counts);
    for (d = 0; d < k; d++) spectrum->multiplicity[d] = 1.0;
  }
  spectrum->distinct = d;
  complete(spectrum);
}

void candor_spectrum_sparse(candor_spectrum *spectrum, const double *counts, const uint32_t *seen, size_t n_seen)
{
  for (size_t d = 0; d < n_seen; d++) {
    spectrum->value[d] = counts[seen[d]];
    spectrum->multiplicity[d] = 1.0;
  }
  spectrum->value[n_seen] = 0.0;
  spectrum->multiplicity[n_seen] = (double) (spectrum->channel->categories - n_seen);
  spectrum->distinct = n_seen + 1;
  spectrum->lowest = 0.0;
  complete(spectrum);
}

/* Reports and number of the categories with a count above `start`. */
static CANDOR_WIDE void above(const double *value, const double *multiplicity, size_t n, double start, double *sum,
                              double *number)
{
  double s[LANES] = {0}, m[LANES] = {0};
  for (size_t d = 0; d < n; d += LANES) {
    double kept[LANES];
    for (size_t l = 0; l < LANES; l++) {
      const double all = multiplicity[d + l], x = value[d + l];
      kept[l] = x > start ? all : 0.0;
    }
    for (size_t l = 0; l < LANES; l++) s[l] += kept[l] * value[d + l];
    for (size_t l = 0; l < LANES; l++) m[l] += kept[l];
  }
  for (size_t width = LANES / 2; width > 0; width /= 2) {
    for (size_t l = 0; l < width; l++) s[l] += s[l + width];
    for (size_t l = 0; l < width; l++) m[l] += m[l + width];
  }
  *sum = s[0];
  *number = m[0];
}

/* The start at which sum max(0, count - start) = target + r start: Newton's steps, see simplex.h. The sum is convex, so
 * that the first step ends below the solution wherever it began, and from there each drops a category until none is
 * to be dropped (or rounding brings one back). The last replication's solution is a good beginning. */
static double solve_start(const candor_spectrum *spectrum, double target, double r, double guess, double *sum,
                          double *number)
{
  above(spectrum->value, spectrum->multiplicity, spectrum->distinct, guess, sum, number);
  if (*number == 0.0) {
    *sum = spectrum->reports;
    *number = (double) spectrum->channel->categories;
  }
  for (int first = 1;; first = 0) {
    const double next = (*sum - target) / (*number + r);
    double s = 0.0, n = 0.0;
    above(spectrum->value, spectrum->multiplicity, spectrum->distinct, next, &s, &n);
    if (n == *number || n == 0.0 || (!first && n > *number)) return next;
    *sum = s;
    *number = n;
  }
}

candor_ramp candor_ramp_of(candor_spectrum *spectrum, int method)
{
  const candor_additive *channel = spectrum->channel;
  const double n = spectrum->reports, a = channel->keep;
  double sum = 0.0, number = 0.0;
  candor_ramp r = {1.0 / (n * a), spectrum->at_zero, 0};
  switch (method) {
  case CANDOR_STUDY_INV:
    r.line = 1;
    break;
  case CANDOR_STUDY_INVN:
    above(spectrum->value, spectrum->multiplicity, spectrum->distinct, spectrum->at_zero, &sum, &number);
    r.slope = 1.0 / (sum - number * spectrum->at_zero);
    break;
  case CANDOR_STUDY_INVP:
    r.start = spectrum->guess[method] = solve_start(spectrum, n * a, 0.0, spectrum->guess[method], &sum, &number);
    break;
  default:
    if (isinf(channel->odds)) {
      r.start = 0.0;
      r.slope = 1.0 / n;
    } else {
      r.start = spectrum->guess[method] =
        solve_start(spectrum, 0.0, channel->odds, spectrum->guess[method], &sum, &number);
      r.slope = (number + channel->odds) / (sum * channel->odds);
    }
  }
  return r;
}

/* sum_d n_d logs_d over the counts above `start`, and the reports at or below it. */
static CANDOR_WIDE double weigh(const double *value, const double *multiplicity, const double *logs, size_t n,
                                double start, double *below)
{
  double sum[LANES] = {0}, rest[LANES] = {0};
  for (size_t d = 0; d < n; d += LANES) {
    double kept[LANES];
    for (size_t l = 0; l < LANES; l++) {
      const double all = multiplicity[d + l], x = value[d + l];
      kept[l] = x > start ? all : 0.0;
    }
    for (size_t l = 0; l < LANES; l++) sum[l] += kept[l] * value[d + l] * logs[d + l];
    for (size_t l = 0; l < LANES; l++) rest[l] += (multiplicity[d + l] - kept[l]) * value[d + l];
  }
  for (size_t width = LANES / 2; width > 0; width /= 2) {
    for (size_t l = 0; l < width; l++) sum[l] += sum[l + width];
    for (size_t l = 0; l < width; l++) rest[l] += rest[l + width];
  }
  *below = rest[0];
  return sum[0];
}

/* The model's share of a report is m = b + a slope max(0, count - start). Inversion reproduces the reported shares, and
 * so does every estimate that clips nothing; the MLE reproduces them up to a factor where it is not zero. */
double candor_ramp_nll(const candor_spectrum *spectrum, int method, const candor_ramp *r)
{
  const candor_additive *channel = spectrum->channel;
  const double n = spectrum->reports, b = channel->other_all;
  const double slope = channel->keep * r->slope, level = b - slope * r->start;
  const double *value = spectrum->value, *multiplicity = spectrum->multiplicity;
  const size_t d = spectrum->distinct;
  const int same = method == CANDOR_STUDY_INV || r->start < spectrum->lowest;
  double below = 0.0, sum;
  if (same || method == CANDOR_STUDY_MLE) {
    sum = weigh(value, multiplicity, spectrum->logs, d, same ? 0.0 : r->start, &below);
    sum += (n - below) * log(same ? 1.0 / n : slope);
  } else {
    double *shares = spectrum->work;
    line_above(value, whole_lanes(d), r->start, level, slope, shares);
    candor_logs(shares, whole_lanes(d), shares);
    sum = weigh(value, multiplicity, shares, d, r->start, &below);
  }
  return -(sum + (below > 0.0 ? below * log(b) : 0.0)) / n;
}

static CANDOR_WIDE double product(const double *x, const double *y, size_t n)
{
  double sum[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t l = 0; l < LANES; l++) sum[l] += x[i + l] * y[i + l];
  }
  for (; i < n; i++) sum[0] += x[i] * y[i];
  for (size_t width = LANES / 2; width > 0; width /= 2) {
    for (size_t l = 0; l < width; l++) sum[l] += sum[l + width];
  }
  return sum[0];
}

double candor_counts_nll(const candor_spectrum *spectrum, const double *counts)
{
  const size_t k = spectrum->channel->categories;
  const double n = spectrum->reports;
  candor_logs(counts, k, spectrum->work);
  return log(n) - product(counts, spectrum->work, k) / n;
}
