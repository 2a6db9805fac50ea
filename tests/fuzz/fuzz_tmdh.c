/* Counts that some bits produced, any usable probabilities: estimates undo expectations, every route to a
 * covariance gives the same number, population variances are not negative, nothing is NaN. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "inverse_weights.h"
#include "joint/cooccurrence.h"
#include "joint/tmdh.h"

#define MAX_COLUMNS 5

static void must(int condition)
{
  if (!condition) __builtin_trap();
}

static double scale_of(const double *x, size_t n)
{
  double largest = 1;
  for (size_t i = 0; i < n; i++) {
    must(isfinite(x[i]));
    largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
  }
  return largest;
}

static void covariances(const candor_set_list *sets, const double *counts, const double *counts_by_mask,
                        const double *mu_by_mask, const double *mu, const double *p, const double *q,
                        candor_target target)
{
  static double all[31 * 31], spare[2 * 243 + 4 * 32];
  const size_t n = sets->total - 1;
  const candor_table table = {sets, mu, 0, 0, NULL, NULL};
  double base[MAX_COLUMNS], scale[MAX_COLUMNS], value[32];
  const candor_table reported = {sets, counts, 0, 0, NULL, NULL}, deviations = {sets, value, 0, 0, NULL, NULL};
  must(candor_centre(&reported, p, q, base, scale, value, NULL) == CANDOR_OK);
  const candor_centred centred = {&deviations, base, scale};
  const candor_histogram h = {&table, p, q, target, 0, NULL, &centred};
  must(candor_tmdh_all(counts_by_mask, mu_by_mask, sets->columns, p, q, target, spare, all) == CANDOR_OK);
  /* Entries are differences of sums of squares of debiased rows, which this bounds. */
  double tolerance = 1e-12 * (1 + mu[0]);
  for (size_t j = 0; j < sets->columns; j++) {
    const double d = p[j] - q[j], zero = q[j] / d, one = (1 - q[j]) / d;
    const double square = zero * zero > one * one ? zero * zero : one * one;
    tolerance *= square > 1 ? square : 1;
  }
  scale_of(all, n * n);
  int j[CANDOR_SET_MAX], k[CANDOR_SET_MAX];
  for (size_t a = 1; a <= n; a++) {
    const size_t n_j = candor_sets_members(sets, a, j);
    size_t mask_a = 0;
    for (size_t m = 0; m < n_j; m++) mask_a |= (size_t) 1 << j[m];
    for (size_t b = 1; b <= n; b++) {
      const size_t n_k = candor_sets_members(sets, b, k);
      size_t mask_b = 0;
      double entry;
      for (size_t m = 0; m < n_k; m++) mask_b |= (size_t) 1 << k[m];
      must(candor_tmdh_entry(&h, j, n_j, k, n_k, &entry) == CANDOR_OK);
      must(fabs(entry - all[(mask_a - 1) + (mask_b - 1) * n]) <= tolerance);
      must(a != b || target == CANDOR_SAMPLE || entry >= 0);
    }
    if (target == CANDOR_SAMPLE) {
      int row[31];
      double value[31];
      size_t found;
      must(candor_tmdh_column(&h, sets, a, row, value, &found) == CANDOR_OK);
      must(found <= a && row[found - 1] == (int) a - 1);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const size_t columns = size > 0 ? 1 + data[0] % MAX_COLUMNS : 0;
  if (size < 1 + 2 * columns + 1) return 0;
  double p[MAX_COLUMNS], q[MAX_COLUMNS];
  for (size_t j = 0; j < columns; j++) {
    p[j] = data[1 + 2 * j] / 255.0;
    q[j] = data[2 + 2 * j] / 255.0;
  }
  size_t which, work[256];
  const candor_status status = candor_columns_check(columns, p, q, &which);
  must(status == CANDOR_OK || (status == CANDOR_NO_INFORMATION && p[which] == q[which]));
  for (size_t j = 0; j < columns; j++)
    if (fabs(p[j] - q[j]) < 0.05) return 0; /* ill-conditioned, not wrong */
  candor_set_list sets;
  must(candor_sets_init(&sets, columns, columns, work) == CANDOR_OK);
  double c[32] = {0}, mu[32], back[32], mu_by_mask[32], by_set[32];
  double rows = 0;
  for (size_t i = 1 + 2 * columns; i < size; i++) {
    c[data[i] & ((1u << columns) - 1)] += 1 + (data[i] >> columns);
    rows += 1 + (data[i] >> columns);
  }
  candor_superset_sum(c, columns);
  must(candor_sets_from_masks(&sets, c, by_set) == CANDOR_OK);
  memcpy(mu, by_set, sizeof mu);
  for (size_t j = 0; j < columns; j++) {
    double weight[2];
    inverse_weights(p[j], q[j], weight);
    must(candor_sets_axis(&sets, j, weight[0], weight[1], mu) == CANDOR_OK);
  }
  memcpy(back, mu, sizeof mu);
  for (size_t j = 0; j < columns; j++) {
    double weight[2];
    candor_weights_report(p[j], q[j], weight);
    must(candor_sets_axis(&sets, j, weight[0], weight[1], back) == CANDOR_OK);
  }
  const double tolerance = 1e-10 * scale_of(mu, sets.total);
  for (size_t s = 0; s < sets.total; s++) must(fabs(back[s] - by_set[s]) <= tolerance);
  must(candor_sets_to_masks(&sets, mu, mu_by_mask) == CANDOR_OK);
  covariances(&sets, by_set, c, mu_by_mask, mu, p, q, CANDOR_SAMPLE);
  if (rows >= 2) covariances(&sets, by_set, c, mu_by_mask, mu, p, q, CANDOR_POPULATION);
  return 0;
}
