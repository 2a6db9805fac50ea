/* Which categories are active: sweeps, and sorting where sweeps would take too long. See active.h. */
#include "estimate/active.h"

#include "base/lanes.h"

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

static size_t keep_weighted(const double *from, const double *weights, size_t n, double sign, double t, double *out,
                            double *out_weights, double *sum, double *weight)
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

/* Heap sort: in place, no recursion, O(n log n) whatever the order. w may be NULL (weights 1). */
static int below(const double *x, const double *w, size_t i, size_t j)
{
  return w ? x[i] * w[j] < x[j] * w[i] : x[i] < x[j];
}

static void swap(double *x, size_t i, size_t j)
{
  const double held = x[i];
  x[i] = x[j];
  x[j] = held;
}

static void sift(double *x, double *w, size_t root, size_t n)
{
  for (;;) {
    size_t child = 2 * root + 1;
    if (child >= n) return;
    if (child + 1 < n && below(x, w, child, child + 1)) child++;
    if (!below(x, w, root, child)) return;
    swap(x, root, child);
    if (w) swap(w, root, child);
    root = child;
  }
}

static void sort_ascending(double *x, double *w, size_t n)
{
  for (size_t i = n / 2; i-- > 0;) sift(x, w, i, n);
  for (size_t i = n; i-- > 1;) {
    swap(x, 0, i);
    if (w) swap(w, 0, i);
    sift(x, w, 0, i);
  }
}

/* From the largest ratio down: a category is active as long as it reaches the threshold that it
 * would have with all those above it. */
static void by_sorting(double *x, double *w, size_t n, const candor_active_rule *rule, candor_active *set)
{
  candor_sum sum = {0, 0}, weight = {0, 0};
  size_t count = 0;
  sort_ascending(x, w, n);
  for (size_t i = n; i-- > 0; count++) {
    candor_sum next = sum, next_weight = weight;
    const double wi = w ? w[i] : 1;
    candor_sum_add(&next, x[i]);
    candor_sum_add(&next_weight, wi);
    const double room = candor_sum_total(&next_weight) + rule->r;
    /* Equals stay together whatever the rounding. */
    if (count > 0 && x[i] * room < (candor_sum_total(&next) - rule->target) * wi && below(x, w, i, i + 1)) break;
    sum = next;
    weight = next_weight;
  }
  set->count = count;
  set->sum = candor_sum_total(&sum);
  set->weight = candor_sum_total(&weight);
  set->threshold = (set->sum - rule->target) / (set->weight + rule->r);
  set->sorted = 1;
  for (size_t i = 0; i < count; i++) x[i] = x[n - count + i];
}

static double least_of(const double *x, size_t n)
{
  double least = x[0];
  for (size_t i = 1; i < n; i++) least = x[i] < least ? x[i] : least;
  return least;
}

/* One sweep at t. Nothing kept means equal values on which t was rounded upwards: all stay. */
static size_t sweep_plain(const double *from, size_t n, double sign, double t, double *work, double *sum)
{
  const double first = from[0];
  const size_t kept = keep_plain(from, n, sign, t, work, sum);
  if (kept > 0) return kept;
  if (from == work) work[0] = first;
  return keep_plain(from, n, sign, -INFINITY, work, sum);
}

void candor_active_plain(const double *from, size_t n, double sign, double sum, const candor_active_rule *rule,
                         double *work, candor_active *set)
{
  double t = threshold_of(sum, (double) n, rule);
  size_t scanned = 0, before = n;
  *set = (candor_active){n, sum, (double) n, 0, 0, 0, 0};
  for (;;) {
    set->count = sweep_plain(from, before, sign, t, work, &set->sum);
    set->weight = (double) set->count;
    set->passes++;
    scanned += before;
    /* With p = 0 and one category left there is no threshold, and nothing more to drop. */
    set->threshold = set->weight + rule->r > 0 ? threshold_of(set->sum, set->weight, rule) : -INFINITY;
    if (set->count == before || !(set->threshold > t)) break;
    if (scanned > rule->scan_limit) {
      by_sorting(work, NULL, set->count, rule, set);
      break;
    }
    t = set->threshold;
    from = work;
    sign = 1;
    before = set->count;
  }
  set->least = least_of(work, set->count);
}

void candor_active_weighted(const double *from, const double *weights, size_t n, double sign, double sum,
                            const candor_active_rule *rule, double *work, candor_active *set)
{
  double *const x = work;
  double *const w = work + n;
  candor_sum all = {0, 0};
  size_t scanned = 0;
  for (size_t i = 0; i < n; i++) candor_sum_add(&all, weights[i]);
  *set = (candor_active){n, sum, candor_sum_total(&all), 0, 0, 0, 0};
  for (;;) {
    const double room = set->weight + rule->r;
    double next_sum, next_weight;
    set->threshold = room > 0 ? set->sum / room : 0;
    if (!(room > 0)) return;
    if (scanned > rule->scan_limit) {
      by_sorting(x, w, drop_void(x, w, set->count), rule, set);
      return;
    }
    const size_t kept = keep_weighted(from, weights, set->count, sign, set->threshold, x, w, &next_sum, &next_weight);
    scanned += set->count;
    set->passes++;
    if (kept == set->count || kept == 0) return;
    set->count = kept;
    set->sum = next_sum;
    set->weight = next_weight;
    from = x;
    weights = w;
    sign = 1;
  }
}
