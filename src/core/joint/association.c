#include "joint/association.h"

/* Quadratic form of the gradient g with the symmetric 3 x 3 covariance of (mu_i, mu_j, mu_ij). */
static double quadratic(const double g[3], const double v[6])
{
  return g[0] * g[0] * v[0] + g[1] * g[1] * v[1] + g[2] * g[2] * v[2] +
         2 * (g[0] * g[1] * v[3] + g[0] * g[2] * v[4] + g[1] * g[2] * v[5]);
}

/* Covariance of (mu_i, mu_j, mu_ij) under the sample target: the three variances, then (i, j), (i, ij), (j, ij). */
static void pair_sample(const candor_histogram *h, size_t i, size_t j, double a, double b, double c, double v[6])
{
  const double n = h->table->value[0];
  const double v_i = candor_bit_v(h->p[i], h->q[i]), k_i = candor_bit_kappa(h->p[i], h->q[i]);
  const double v_j = candor_bit_v(h->p[j], h->q[j]), k_j = candor_bit_kappa(h->p[j], h->q[j]);
  v[0] = v_i * n + k_i * a;
  v[1] = v_j * n + k_j * b;
  v[2] = v_i * v_j * n + k_i * v_j * a + v_i * k_j * b + k_i * k_j * c;
  v[3] = c;
  v[4] = v_i * b + k_i * c;
  v[5] = v_j * a + k_j * c;
  const double of_union[6] = {a, b, c, c, c, c};
  for (size_t m = 0; m < 6; m++) v[m] -= of_union[m];
  v[3] = 0;
}

/* The same under the population target, where the entries do their own cancelling. */
static candor_status pair_population(const candor_histogram *h, size_t i, size_t j, double v[6])
{
  const int pair[2] = {(int) i, (int) j};
  const int *const set[3] = {pair, pair + 1, pair};
  static const size_t size[3] = {1, 1, 2}, left[6] = {0, 1, 2, 0, 0, 1}, right[6] = {0, 1, 2, 1, 2, 2};
  for (size_t m = 0; m < 6; m++) {
    const candor_status status =
        candor_tmdh_entry(h, set[left[m]], size[left[m]], set[right[m]], size[right[m]], v + m);
    if (status != CANDOR_OK) return status;
  }
  return CANDOR_OK;
}

candor_status candor_pair_covariances(const candor_histogram *h, const candor_pairs *out)
{
  const candor_set_list *sets = h->table->sets;
  const double n = h->table->value[0];
  if (sets->order < 2) return CANDOR_DOMAIN;
  if (!(n >= (h->target == CANDOR_POPULATION && !h->known ? 2 : 1))) return CANDOR_EMPTY;
  size_t at = 0;
  const double *one = h->table->value + 1, *two = h->table->value + sets->start[2];
  for (size_t i = 0; i + 1 < sets->columns; i++) {
    for (size_t j = i + 1; j < sets->columns; j++, at++) {
      const double x = one[i] / n, y = one[j] / n, z = two[at] / n;
      double v[6];
      if (h->target == CANDOR_SAMPLE) {
        pair_sample(h, i, j, one[i], one[j], two[at], v);
      } else {
        const candor_status status = pair_population(h, i, j, v);
        if (status != CANDOR_OK) return status;
      }
      for (size_t m = 0; out->moments != NULL && m < 6; m++) out->moments[6 * at + m] = v[m];
      const double gradient[3] = {-y, -x, 1};
      out->covariance[at] = z - x * y;
      out->covariance_variance[at] = quadratic(gradient, v) / (n * n);
      const double *rows = h->target == CANDOR_POPULATION ? h->centred->table->value + 1 : NULL;
      if (rows != NULL && (rows[i] == 0 || rows[j] == 0)) {
        /* Reports that do not vary have covariance 0 with all others: the rounding of x y must not hide this. */
        out->covariance[at] = out->covariance_variance[at] = 0;
      }
    }
  }
  return CANDOR_OK;
}
