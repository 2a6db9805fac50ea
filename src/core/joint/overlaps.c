/* The sets that share a member with a given one: the only entries of a sample covariance that are not zero. */
#include "joint/tmdh.h"

static double choose(double n, size_t k)
{
  double value = 1;
  for (size_t i = 1; i <= k; i++) value = value * (n - (double) k + (double) i) / (double) i;
  return n < (double) k ? 0 : value;
}

double candor_overlaps_total(size_t columns, size_t order)
{
  double ordered = 0, sets = 0;
  for (size_t s = 1; s <= order && s <= columns; s++) {
    const double n_s = choose((double) columns, s);
    sets += n_s;
    for (size_t t = 1; t <= order && t <= columns; t++)
      ordered += n_s * (choose((double) columns, t) - choose((double) (columns - s), t));
  }
  return (ordered + sets) / 2;
}

static int shares_member(const int *a, size_t n_a, const int *b, size_t n_b)
{
  size_t i = 0, j = 0;
  while (i < n_a && j < n_b) {
    if (a[i] == b[j]) return 1;
    if (a[i] < b[j]) i++;
    else j++;
  }
  return 0;
}

/* Moves `set` to the first set from itself on, of its size, that shares a member with k; 0 if none. Where
 * the leading members share nothing the last one must, so it jumps straight to the next member of k. */
static int next_overlap(size_t columns, int *set, size_t size, const int *k, size_t n_k)
{
  for (;;) {
    if (shares_member(set, size, k, n_k)) return 1;
    size_t m = 0;
    while (m < n_k && k[m] < set[size - 1]) m++;
    if (m < n_k) {
      set[size - 1] = k[m];
      return 1;
    }
    set[size - 1] = (int) columns - 1;
    if (!candor_sets_next(columns, set, size)) return 0;
  }
}

candor_status candor_tmdh_column(const candor_histogram *h, const candor_set_list *family, size_t position, int *row,
                                 double *value, size_t *n)
{
  if (position < 1 || position >= family->total || h->target != CANDOR_SAMPLE || h->block != NULL) return CANDOR_DOMAIN;
  int k[CANDOR_SET_MAX] = {0}, set[CANDOR_SET_MAX] = {0};
  const size_t n_k = candor_sets_members(family, position, k);
  size_t at = 0;
  for (size_t size = 1; size <= n_k; size++) {
    for (size_t m = 0; m < size; m++) set[m] = (int) m;
    do {
      if (!next_overlap(family->columns, set, size, k, n_k)) break;
      const size_t here = candor_sets_rank(family, set, size);
      if (here > position) break;
      const candor_status status = candor_tmdh_entry(h, set, size, k, n_k, value + at);
      if (status != CANDOR_OK) return status;
      row[at++] = (int) (here - 1);
    } while (candor_sets_next(family->columns, set, size));
  }
  *n = at;
  return CANDOR_OK;
}
