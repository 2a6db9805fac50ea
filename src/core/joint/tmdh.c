/* Covariances of estimated joint counts. See tmdh.h. */
#include "joint/tmdh.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Union of two sets, with bit masks over it of the members of each. */
typedef struct joined {
  int member[64];
  size_t size, in_j, in_k;
} joined;

static candor_status join(const int *j, size_t n_j, const int *k, size_t n_k, joined *u)
{
  if (n_j + n_k > 63) return CANDOR_DOMAIN;
  size_t a = 0, b = 0;
  u->size = u->in_j = u->in_k = 0;
  while (a < n_j || b < n_k) {
    const size_t bit = (size_t) 1 << u->size;
    const int take_j = a < n_j && (b == n_k || j[a] <= k[b]);
    const int take_k = b < n_k && (a == n_j || k[b] <= j[a]);
    u->member[u->size++] = take_j ? j[a] : k[b];
    if (take_j) {
      u->in_j |= bit;
      a++;
    }
    if (take_k) {
      u->in_k |= bit;
      b++;
    }
  }
  return CANDOR_OK;
}

/* The union's weight is prod(kappa) - 1; kappa = 1 exactly when p + q = 1, up to rounding in p and q. */
static int union_matters(const candor_histogram *h, const joined *u, size_t both)
{
  for (size_t m = 0; m < u->size; m++) {
    const size_t column = (size_t) u->member[m];
    if (((both >> m) & 1) && fabs(1 - h->p[column] - h->q[column]) > 4 * DBL_EPSILON) return 1;
  }
  return 0;
}

/* The contraction without its last leaf: all sets strictly between. With every kappa equal to 1 the
 * term of the union cancels against the subtracted union. */
static candor_status sum_below_union(const candor_histogram *h, const joined *u, size_t both, const double *weight,
                                     double *out)
{
  const size_t rest = (u->in_j | u->in_k) & ~both;
  double sum = 0;
  for (size_t present = (both - 1) & both;; present = (present - 1) & both) {
    double product, value;
    const candor_status status = candor_table_get(h->table, u->member, u->size, rest | present, &value);
    if (status != CANDOR_OK) return status;
    product = value;
    for (size_t m = 0; m < u->size; m++)
      if ((both >> m) & 1) product *= weight[2 * m + ((present >> m) & 1)];
    sum += product;
    if (present == 0) break;
  }
  *out = sum;
  return CANDOR_OK;
}

/* Do two members of the set (bits `among` of the union) belong to one block? */
static int holds_rivals(const candor_histogram *h, const joined *u, size_t among)
{
  for (size_t a = 0; h->block != NULL && a < u->size; a++) {
    for (size_t b = a + 1; b < u->size && ((among >> a) & 1); b++)
      if (((among >> b) & 1) && h->block[u->member[a]] >= 0 && h->block[u->member[a]] == h->block[u->member[b]])
        return 1;
  }
  return 0;
}

static candor_status sample_entry(const candor_histogram *h, const joined *u, double *out)
{
  const size_t all = u->in_j | u->in_k, both = u->in_j & u->in_k;
  const int rivals = holds_rivals(h, u, all);
  double weight[128], sum, of_union = 0;
  if (both == 0 && !rivals) {
    *out = 0;
    return CANDOR_OK;
  }
  for (size_t m = 0; m < u->size; m++) {
    const size_t column = (size_t) u->member[m];
    weight[2 * m] = candor_bit_v(h->p[column], h->q[column]);
    weight[2 * m + 1] = candor_bit_kappa(h->p[column], h->q[column]);
  }
  if (!rivals && !union_matters(h, u, both)) return sum_below_union(h, u, both, weight, out);
  candor_status status = candor_contract(h->table, u->member, u->size, all & ~both, both, weight, &sum);
  if (status == CANDOR_OK && !rivals) status = candor_table_get(h->table, u->member, u->size, all, &of_union);
  if (status == CANDOR_OK) *out = sum - of_union;
  return status;
}

/* u' = y' + base of a column: a bit, so u'^2 = v + kappa u' too. base is -q or -(1 - q). */
static double centred_kappa(double base, double q)
{
  return base == -q ? 1 - 2 * q : 2 * q - 1;
}

candor_status candor_centre(const candor_table *reported, const double *p, const double *q, double *base, double *scale,
                            double *value, double *more_value)
{
  const candor_set_list *sets = reported->sets;
  const double n = reported->value[0];
  for (size_t j = 0; j < sets->columns; j++) {
    const int turned = reported->value[1 + j] > n / 2;
    base[j] = turned ? -(1 - q[j]) : -q[j];
    scale[j] = (turned ? -1 : 1) / (p[j] - q[j]);
  }
  memcpy(value, reported->value, sets->total * sizeof *value);
  for (size_t j = 0; j < sets->columns; j++) {
    if (reported->value[1 + j] > n / 2) {
      const candor_status status = candor_sets_axis(sets, j, 1, -1, value);
      if (status != CANDOR_OK) return status;
    }
  }
  value[0] = 0;
  const candor_table turned = {sets, value, reported->n_more, reported->width, reported->more, more_value};
  double weight[2 * CANDOR_SET_MAX];
  /* Both passes over the further sets: turned counts first, then sums, the largest sets first because
   * each reads the turned counts of its subsets. */
  for (size_t pass = 0; pass < 2; pass++) {
    for (size_t s = reported->n_more; s-- > 0;) {
      const int *set = reported->more + s * reported->width;
      size_t size = 0;
      int any = pass == 1;
      for (; size < reported->width && set[size] >= 0; size++) {
        const int swap = reported->value[1 + set[size]] > n / 2;
        weight[2 * size] = pass == 0 ? swap : base[set[size]];
        weight[2 * size + 1] = pass == 0 && swap ? -1 : 1;
        any |= swap;
      }
      if (!any) {
        more_value[s] = reported->more_value[s];
        continue;
      }
      const candor_status status = candor_contract(pass == 0 ? reported : &turned, set, size, 0,
                                                   ((size_t) 1 << size) - 1, weight, more_value + s);
      if (status != CANDOR_OK) return status;
    }
  }
  for (size_t j = 0; j < sets->columns; j++) {
    const candor_status status = candor_sets_axis(sets, j, base[j], 1, value);
    if (status != CANDOR_OK) return status;
  }
  return CANDOR_OK;
}

/* A variance is a sum of squares. Its terms are sums over at most `deviating` rows of products that do not exceed 1,
 * added up over the subsets of `size` columns: what is below 0 by less than their rounding is 0. */
static double not_negative(double variance, double deviating, size_t size)
{
  const double rounding = 8 * DBL_EPSILON * (double) (size + 1) * (double) ((size_t) 1 << size) * deviating;
  return variance < 0 && variance >= -rounding ? 0 : variance;
}

/* sum u_J u_K - mu_J mu_K / n where every sum is the constant row's product, n base_J, plus what deviates from
 * it: base_J base_K n cancels by algebra, and only the deviations are left. */
static double centred_product(double sum, double mean_j, double mean_k, double base_j, double base_k, double n)
{
  return sum - base_j * mean_k - base_k * mean_j - mean_j * mean_k / n;
}

/* Columns without variation are factors: the debiased bit that all rows share, once for each of the two sets it is in.
 * base and weight are then those of the columns that vary. */
static candor_status population_entry(const candor_histogram *h, const joined *u, double *out)
{
  const candor_centred *centred = h->centred;
  const double n = h->table->value[0];
  double weight[128], factor = h->known ? 1 : n / (n - 1);
  double sum, mean_j = 0, mean_k = 0, base_j = 1, base_k = 1, deviating = 0;
  size_t varying = 0;
  if (centred == NULL) return CANDOR_DOMAIN;
  if (!(n >= (h->known ? 1 : 2))) return CANDOR_EMPTY;
  const double *of_column = centred->table->value + 1;
  for (size_t m = 0; m < u->size; m++) {
    const size_t column = (size_t) u->member[m], in_j = (u->in_j >> m) & 1, in_k = (u->in_k >> m) & 1;
    const double base = centred->base[column], q = h->q[column], rows = of_column[column];
    const double constant = centred->scale[column] * (rows == 0 ? base : 1);
    factor *= in_j && in_k ? constant * constant : constant;
    if (rows == 0) continue;
    varying |= (size_t) 1 << m;
    deviating += rows;
    base_j *= in_j ? base : 1;
    base_k *= in_k ? base : 1;
    weight[2 * m] = q * (1 - q);
    weight[2 * m + 1] = centred_kappa(base, q);
  }
  const size_t all = u->in_j | u->in_k, in_j = u->in_j & varying, in_k = u->in_k & varying;
  if (varying != all) {
    /* Whether a set can be estimated must not depend on the data. */
    const candor_status status = candor_table_get(centred->table, u->member, u->size, all, &sum);
    if (status != CANDOR_OK) return status;
  }
  if (in_j == 0 || in_k == 0) {
    *out = 0;
    return CANDOR_OK;
  }
  candor_status status = candor_contract(centred->table, u->member, u->size, in_j ^ in_k, in_j & in_k, weight, &sum);
  if (status == CANDOR_OK) status = candor_table_get(centred->table, u->member, u->size, in_j, &mean_j);
  if (status == CANDOR_OK && in_j != in_k) status = candor_table_get(centred->table, u->member, u->size, in_k, &mean_k);
  if (status != CANDOR_OK) return status;
  double value = centred_product(sum, mean_j, in_j == in_k ? mean_j : mean_k, base_j, base_k, n);
  if (in_j == in_k) value = not_negative(value, deviating, u->size);
  *out = value == 0 ? 0 : value * factor;
  return CANDOR_OK;
}

candor_status candor_tmdh_entry(const candor_histogram *h, const int *j, size_t n_j, const int *k, size_t n_k,
                                double *out)
{
  joined u;
  const candor_status status = join(j, n_j, k, n_k, &u);
  if (status != CANDOR_OK) return status;
  return h->target == CANDOR_SAMPLE ? sample_entry(h, &u, out) : population_entry(h, &u, out);
}

candor_status candor_pmdh_entry(const candor_histogram *h, const int *j, size_t n_j, const int *k, size_t n_k,
                                double *out)
{
  joined u;
  candor_status status = join(j, n_j, k, n_k, &u);
  if (status != CANDOR_OK) return status;
  const size_t all = u.in_j | u.in_k, both = u.in_j & u.in_k;
  const double n = h->table->value[0];
  double once[128], twice[128], of_union, second, of_k;
  for (size_t m = 0; m < u.size; m++) {
    const double p = h->p[u.member[m]], q = h->q[u.member[m]];
    const int shared = (int) ((both >> m) & 1);
    candor_weights_report(p, q, once + 2 * m);
    twice[2 * m] = shared ? q * q : q;
    twice[2 * m + 1] = shared ? (p - q) * (p + q) : p - q;
  }
  if (!(n >= 1)) return CANDOR_EMPTY;
  if (h->target == CANDOR_SAMPLE && both == 0) {
    *out = 0;
    return CANDOR_OK;
  }
  status = candor_contract(h->table, u.member, u.size, 0, all, once, &of_union);
  if (status == CANDOR_OK && h->target == CANDOR_SAMPLE) {
    status = candor_contract(h->table, u.member, u.size, 0, all, twice, &second);
  } else if (status == CANDOR_OK) {
    status = candor_contract(h->table, u.member, u.size, 0, u.in_j, once, &second);
    if (status == CANDOR_OK) {
      status = candor_contract(h->table, u.member, u.size, 0, u.in_k, once, &of_k);
      second *= of_k / n;
    }
  }
  if (status == CANDOR_OK) *out = of_union - second;
  return status;
}

/* Every entry under the sample target from the tensor over (in one, in both). */
static void all_sample(const double *tensor, const size_t *ternary, const double *mean, size_t sets, double *out)
{
  for (size_t k = 1; k <= sets; k++)
    for (size_t j = 1; j <= sets; j++)
      out[(j - 1) + (k - 1) * sets] = (j & k) == 0 ? 0 : tensor[ternary[j] + ternary[k]] - mean[j | k];
}

/* The same under the population target. base and factor are those of population_entry, over masks. */
static void all_population(const double *tensor, const size_t *ternary, const double *base, const double *factor,
                           const double *deviating, size_t varying, double n, size_t columns, double *out)
{
  const size_t sets = ((size_t) 1 << columns) - 1;
  for (size_t k = 1; k <= sets; k++) {
    const size_t in_k = k & varying;
    for (size_t j = 1; j <= sets; j++) {
      const size_t in_j = j & varying;
      double value = 0;
      if (in_j != 0 && in_k != 0) {
        value = centred_product(tensor[ternary[in_j] + ternary[in_k]], tensor[ternary[in_j]], tensor[ternary[in_k]],
                                base[in_j], base[in_k], n);
        value = in_j == in_k ? not_negative(value, deviating[in_j], columns) : value;
      }
      out[(j - 1) + (k - 1) * sets] = value == 0 ? 0 : value * factor[j] * factor[k] * (n / (n - 1));
    }
  }
}

#define ALL_COLUMNS 12

candor_status candor_tmdh_all(const double *counts, const double *mean, size_t columns, const double *p,
                              const double *q, candor_target target, double *work, double *out)
{
  if (columns < 1 || columns > ALL_COLUMNS) return CANDOR_DOMAIN;
  const double n = counts[0];
  const int sample = target == CANDOR_SAMPLE;
  if (!(n >= (sample ? 1 : 2))) return CANDOR_EMPTY;
  double matrix[6 * ALL_COLUMNS], turn[4 * ALL_COLUMNS];
  /* The ternary index of a mask; the sum of two masks' is the index of (in one, in both). */
  size_t ternary[(size_t) 1 << ALL_COLUMNS] = {0};
  const size_t total = (size_t) 1 << columns;
  size_t power = 1, varying = 0;
  double *base = work, *factor = base + total, *deviating = factor + total, *from = deviating + total;
  memcpy(from, counts, total * sizeof *from);
  base[0] = factor[0] = 1;
  deviating[0] = 0;
  for (size_t j = 0; j < columns; j++) {
    const size_t bit = (size_t) 1 << j;
    const double d = p[j] - q[j], one = counts[bit];
    const int swap = !sample && one > n / 2;
    const double off = sample ? -q[j] / d : swap ? -(1 - q[j]) : -q[j];
    const double differ = swap ? n - one : one;
    const double scale = (swap ? -1 : 1) / d * (differ == 0 ? off : 1);
    const double rows[6] = {
        1, 0, off, sample ? 1 / d : 1, off * off, sample ? (1 - 2 * q[j]) / (d * d) : centred_kappa(off, q[j])};
    const double turned[4] = {1, 0, swap, swap ? -1 : 1};
    memcpy(matrix + 6 * j, rows, sizeof rows);
    memcpy(turn + 4 * j, turned, sizeof turned);
    varying |= differ == 0 ? 0 : bit;
    for (size_t mask = 0; mask < bit; mask++) {
      base[bit + mask] = off * base[mask];
      factor[bit + mask] = scale * factor[mask];
      deviating[bit + mask] = differ + deviating[mask];
      ternary[bit + mask] = power + ternary[mask];
    }
    power *= 3;
  }
  double *first = from + total, *tensor = first + power;
  if (!sample) {
    const candor_status status = candor_axes2(from, columns, turn);
    if (status != CANDOR_OK) return status;
    from[0] = 0;
  }
  const candor_status status = candor_axes3(from, columns, matrix, first, tensor);
  if (status != CANDOR_OK) return status;
  if (sample) all_sample(tensor, ternary, mean, total - 1, out);
  else all_population(tensor, ternary, base, factor, deviating, varying, n, columns, out);
  return CANDOR_OK;
}
