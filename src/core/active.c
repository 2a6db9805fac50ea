#include "active.h"

#include "lanes.h"

/* The store is unconditional and the index moves by a comparison, so that unpredictable counts cost
 * no branch. Summing each block right after, from the first cache, is cheaper than masking. */
static size_t keep_plain(const double *from, size_t n, double sign, double t, double *out, double *sum)
{
  candor_sum total = {0, 0};
  size_t kept = 0;
  for (size_t i = 0; i < n; i += CANDOR_BLOCK) {
    const size_t end = i + candor_smaller(CANDOR_BLOCK, n - i);
    const size_t first = kept;
    for (size_t j = i; j < end; j++) {
      const double x = sign * from[j];
      out[kept] = x;
      kept += x >= t;
    }
    candor_sum_add(&total, candor_block_sum(out + first, kept - first));
  }
  *sum = candor_sum_total(&total);
  return kept;
}

enum { PATCH = 4 * CANDOR_LANES };

static inline double patch_max(const double *from, double sign)
{
  double top[CANDOR_LANES];
  for (int l = 0; l < CANDOR_LANES; l++) {
    const double u = sign * from[l], v = sign * from[l + CANDOR_LANES];
    top[l] = u > v ? u : v;
  }
  for (int l = 0; l < CANDOR_LANES; l++) {
    const double u = sign * from[l + 2 * CANDOR_LANES];
    top[l] = u > top[l] ? u : top[l];
  }
  for (int l = 0; l < CANDOR_LANES; l++) {
    const double u = sign * from[l + 3 * CANDOR_LANES];
    top[l] = u > top[l] ? u : top[l];
  }
  for (int l = 0; l < CANDOR_LANES / 2; l++) {
    top[l] = top[l] > top[l + CANDOR_LANES / 2] ? top[l] : top[l + CANDOR_LANES / 2];
  }
  double best = top[0];
  for (int l = 1; l < CANDOR_LANES / 2; l++) {
    best = top[l] > best ? top[l] : best;
  }
  return best;
}

/* The same where almost nothing is kept: a patch whose maximum lies below t is passed over. */
static size_t keep_rare(const double *from, size_t n, double sign, double t, double *out, double *sum)
{
  candor_sum total = {0, 0};
  size_t kept = 0;
  for (size_t i = 0; i < n; i += PATCH) {
    const size_t end = i + candor_smaller(PATCH, n - i);
    if (end - i == PATCH && patch_max(from + i, sign) < t) {
      continue;
    }
    for (size_t j = i; j < end; j++) {
      const double x = sign * from[j];
      out[kept] = x;
      kept += x >= t;
    }
  }
  for (size_t i = 0; i < kept; i += CANDOR_BLOCK) {
    candor_sum_add(&total, candor_block_sum(out + i, candor_smaller(CANDOR_BLOCK, kept - i)));
  }
  *sum = candor_sum_total(&total);
  return kept;
}

static size_t keep_weighted(const double *from, const double *weights, size_t n, double sign, double t,
                            double *out, double *out_weights, double *sum, double *weight)
{
  candor_sum total = {0, 0}, total_weight = {0, 0};
  size_t kept = 0;
  for (size_t i = 0; i < n; i += CANDOR_BLOCK) {
    const size_t end = i + candor_smaller(CANDOR_BLOCK, n - i);
    const size_t first = kept;
    for (size_t j = i; j < end; j++) {
      const double x = sign * from[j];
      const double w = weights[j];
      out[kept] = x;
      out_weights[kept] = w;
      kept += x >= t * w;
    }
    candor_sum_add(&total, candor_block_sum(out + first, kept - first));
    candor_sum_add(&total_weight, candor_block_sum(out_weights + first, kept - first));
  }
  *sum = candor_sum_total(&total);
  *weight = candor_sum_total(&total_weight);
  return kept;
}

/* Categories never seen and never drawn have no ratio; they belong anywhere. */
static size_t drop_void(double *x, double *w, size_t n)
{
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    x[kept] = x[i];
    w[kept] = w[i];
    kept += x[i] != 0 || w[i] != 0;
  }
  return kept;
}

static double threshold_of(double sum, double weight, const candor_active_rule *rule)
{
  return (sum - rule->target) / (weight + rule->r);
}

enum { SAMPLE = 4096, SAMPLE_LEAST = 12, SAMPLE_RUN = 8 };

typedef struct guess {
  double t;
  int rare; /* few categories lie above t */
  int bulk; /* at least half of them do */
} guess;

/* A threshold that most likely lies below the root but already drops the bulk: Newton's method on a
 * sample of the categories, halted while the survivors still speak for the whole. */
static guess sampled_start(const double *from, size_t n, double sign, double start,
                           const candor_active_rule *rule)
{
  double x[SAMPLE];
  const size_t runs = SAMPLE / SAMPLE_RUN, stride = n / runs;
  const double blowup = (double) n / SAMPLE;
  guess best = {start, 0, 1};
  size_t count = SAMPLE;
  double t = start, sum;
  for (size_t i = 0; i < SAMPLE; i++) {
    x[i] = sign * from[i / SAMPLE_RUN * stride + i % SAMPLE_RUN];
  }
  for (;;) {
    const size_t kept = keep_plain(x, count, 1, t, x, &sum);
    if (kept < SAMPLE_LEAST || kept == count) {
      return best;
    }
    count = kept;
    best = (guess) {t, kept < SAMPLE / 64, kept > SAMPLE / 2};
    t = threshold_of(blowup * sum, blowup * (double) kept, rule);
  }
}

static double least_of(const double *x, size_t n)
{
  double low[CANDOR_LANES];
  size_t i = 0;
  for (int l = 0; l < CANDOR_LANES; l++) {
    low[l] = x[0];
  }
  for (; i + CANDOR_LANES <= n; i += CANDOR_LANES) {
    const double *row = x + i;
    for (int l = 0; l < CANDOR_LANES; l++) {
      low[l] = row[l] < low[l] ? row[l] : low[l];
    }
  }
  for (; i < n; i++) {
    low[0] = x[i] < low[0] ? x[i] : low[0];
  }
  double least = low[0];
  for (int l = 1; l < CANDOR_LANES; l++) {
    least = low[l] < least ? low[l] : least;
  }
  return least;
}

/* One sweep at t. Nothing kept means equal values on which t was rounded upwards: all stay. */
static size_t sweep_plain(const double *from, size_t n, double sign, guess at, double *work, double *sum)
{
  const double first = from[0];
  const size_t kept = at.rare ? keep_rare(from, n, sign, at.t, work, sum)
                              : keep_plain(from, n, sign, at.t, work, sum);
  if (kept > 0) {
    return kept;
  }
  if (from == work) {
    work[0] = first;
  }
  return keep_plain(from, n, sign, -INFINITY, work, sum);
}

/* From the start t on, until nothing drops. */
static void sweep_to_the_end(const double *from, size_t n, double sign, guess at,
                             const candor_active_rule *rule, double *work, candor_active *set)
{
  size_t scanned = 0, before = n;
  for (;;) {
    set->count = sweep_plain(from, before, sign, at, work, &set->sum);
    set->weight = (double) set->count;
    set->passes++;
    scanned += before;
    /* With p = 0 and one category left there is no threshold, and nothing more to drop. */
    const double next = set->weight + rule->r > 0 ? threshold_of(set->sum, set->weight, rule) : -INFINITY;
    if (set->count == before || !(next > at.t)) {
      set->threshold = next;
      return;
    }
    if (scanned > rule->scan_limit) {
      candor_active_sort(work, NULL, set->count, rule, set);
      return;
    }
    at = (guess) {next, 0, 0};
    from = work;
    sign = 1;
    before = set->count;
  }
}

/* What lies at or above t: how many, and their sum. Nothing is stored: cheaper than a sweep as long as
 * most stay. */
static size_t measure(const double *from, size_t n, double sign, double t, double *sum)
{
  candor_sum total = {0, 0};
  double count = 0;
  for (size_t i = 0; i < n; i += CANDOR_BLOCK) {
    const size_t end = i + candor_smaller(CANDOR_BLOCK, n - i);
    double lane[CANDOR_LANES] = {0}, ones[CANDOR_LANES] = {0};
    double y[CANDOR_LANES], v[CANDOR_LANES], one[CANDOR_LANES];
    size_t j = i;
    for (; j + CANDOR_LANES <= end; j += CANDOR_LANES) {
      const double *row = from + j;
      for (int l = 0; l < CANDOR_LANES; l++) {
        y[l] = sign * row[l];
        v[l] = y[l] >= t ? y[l] : 0.0;
        one[l] = y[l] >= t ? 1.0 : 0.0;
        lane[l] += v[l];
        ones[l] += one[l];
      }
    }
    for (; j < end; j++) {
      lane[0] += sign * from[j] >= t ? sign * from[j] : 0;
      ones[0] += sign * from[j] >= t;
    }
    candor_sum_add(&total, candor_lane_sum(lane));
    count += candor_lane_sum(ones);
  }
  *sum = candor_sum_total(&total);
  return (size_t) count;
}

/* The least of what lies at or above t. */
static double least_above(const double *from, size_t n, double sign, double t)
{
  double low[CANDOR_LANES], y[CANDOR_LANES], v[CANDOR_LANES];
  size_t i = 0;
  for (int l = 0; l < CANDOR_LANES; l++) {
    low[l] = INFINITY;
  }
  for (; i + CANDOR_LANES <= n; i += CANDOR_LANES) {
    const double *row = from + i;
    for (int l = 0; l < CANDOR_LANES; l++) {
      y[l] = sign * row[l];
      v[l] = y[l] >= t ? y[l] : INFINITY;
      low[l] = v[l] < low[l] ? v[l] : low[l];
    }
  }
  for (; i < n; i++) {
    const double x = sign * from[i];
    low[0] = x >= t && x < low[0] ? x : low[0];
  }
  return least_of(low, CANDOR_LANES);
}

/* Newton's steps by measuring, while at least half of the categories stay. Returns 0 if it had to
 * leave the rest, from the threshold `at` on, to the sweeps. */
static int measure_to_the_end(const double *from, size_t n, double sign, guess *at,
                              const candor_active_rule *rule, candor_active *set)
{
  size_t before = n;
  for (;;) {
    double sum;
    const size_t count = measure(from, n, sign, at->t, &sum);
    set->passes++;
    if (2 * count < n || set->passes * n > rule->scan_limit) {
      at->bulk = 0;
      return 0;
    }
    set->count = count;
    set->sum = sum;
    set->weight = (double) count;
    set->threshold = set->weight + rule->r > 0 ? threshold_of(sum, set->weight, rule) : -INFINITY;
    if (count == before || !(set->threshold > at->t)) {
      set->least = least_above(from, n, sign, at->t);
      return 1;
    }
    at->t = set->threshold;
    before = count;
  }
}

/* By measuring, by sweeps, or both, from the threshold `at` on. */
static void settle_from(const double *from, size_t n, double sign, guess at, const candor_active_rule *rule,
                        double *work, candor_active *set)
{
  set->held = !(at.bulk && measure_to_the_end(from, n, sign, &at, rule, set));
  if (set->held) {
    sweep_to_the_end(from, n, sign, at, rule, work, set);
    set->least = least_of(work, set->count);
  }
}

void candor_active_plain(const double *from, size_t n, double sign, double sum,
                         const candor_active_rule *rule, double *work, candor_active *set)
{
  const guess plain = {threshold_of(sum, (double) n, rule), 0, 1};
  guess at = n >= 16 * SAMPLE ? sampled_start(from, n, sign, plain.t, rule) : plain;
  *set = (candor_active) {n, sum, (double) n, 0, 0, 0, 0, 0};
  settle_from(from, n, sign, at, rule, work, set);
  /* A start beyond the root stops at once, and its Newton step leads back before the root. */
  if (at.t > plain.t && set->threshold < at.t && !set->sorted) {
    at = (guess) {set->threshold > plain.t ? set->threshold : plain.t, 0, 0};
    settle_from(from, n, sign, at, rule, work, set);
  }
}

void candor_active_weighted(const double *from, const double *weights, size_t n, double sign, double sum,
                            const candor_active_rule *rule, double *work, candor_active *set)
{
  double *const x = work;
  double *const w = work + n;
  candor_sum all = {0, 0};
  size_t scanned = 0;
  for (size_t i = 0; i < n; i++) {
    candor_sum_add(&all, weights[i]);
  }
  *set = (candor_active) {n, sum, candor_sum_total(&all), 0, 0, 0, 0, 1};
  for (;;) {
    const double room = set->weight + rule->r;
    double next_sum, next_weight;
    set->threshold = room > 0 ? set->sum / room : 0;
    if (!(room > 0)) {
      return;
    }
    if (scanned > rule->scan_limit) {
      candor_active_sort(x, w, drop_void(x, w, set->count), rule, set);
      return;
    }
    const size_t kept = keep_weighted(from, weights, set->count, sign, set->threshold, x, w,
                                      &next_sum, &next_weight);
    scanned += set->count;
    set->passes++;
    if (kept == set->count || kept == 0) {
      return;
    }
    set->count = kept;
    set->sum = next_sum;
    set->weight = next_weight;
    from = x;
    weights = w;
    sign = 1;
  }
}
