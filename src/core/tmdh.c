#include "tmdh.h"

#include <float.h>
#include <math.h>

/* Union of two sets, with bit masks over it of the members of each. */
typedef struct joined {
  int member[64];
  size_t size, in_j, in_k;
} joined;

static candor_status join(const int *j, size_t n_j, const int *k, size_t n_k, joined *u)
{
  if (n_j + n_k > 63) {
    return CANDOR_DOMAIN;
  }
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

/* u = (y - q) / d satisfies u^2 = v + kappa u exactly, because y is a bit. */
static double bit_v(double p, double q)
{
  return q * (1 - q) / ((p - q) * (p - q));
}

static double bit_kappa(double p, double q)
{
  return (1 - 2 * q) / (p - q);
}

/* The union's weight is prod(kappa) - 1; kappa = 1 exactly when p + q = 1, up to rounding in p and q. */
static int union_matters(const candor_histogram *h, const joined *u, size_t both)
{
  for (size_t m = 0; m < u->size; m++) {
    const size_t column = (size_t) u->member[m];
    if (((both >> m) & 1) &&
        fabs(1 - h->p[column] - h->q[column]) > 4 * DBL_EPSILON) {
      return 1;
    }
  }
  return 0;
}

/* The contraction without its last leaf: all sets strictly between. With every kappa equal to 1 the
 * term of the union cancels against the subtracted union. */
static candor_status sum_below_union(const candor_histogram *h, const joined *u, size_t both,
                                     const double *weight, double *out)
{
  const size_t rest = (u->in_j | u->in_k) & ~both;
  double sum = 0;
  for (size_t present = (both - 1) & both;; present = (present - 1) & both) {
    double product, value;
    const candor_status status = candor_table_get(h->table, u->member, u->size, rest | present, &value);
    if (status != CANDOR_OK) {
      return status;
    }
    product = value;
    for (size_t m = 0; m < u->size; m++) {
      if ((both >> m) & 1) {
        product *= weight[2 * m + ((present >> m) & 1)];
      }
    }
    sum += product;
    if (present == 0) {
      break;
    }
  }
  *out = sum;
  return CANDOR_OK;
}

/* Do two members of the set (bits `among` of the union) belong to one block? */
static int holds_rivals(const candor_histogram *h, const joined *u, size_t among)
{
  for (size_t a = 0; h->block != NULL && a < u->size; a++) {
    for (size_t b = a + 1; b < u->size && ((among >> a) & 1); b++) {
      if (((among >> b) & 1) && h->block[u->member[a]] >= 0 &&
          h->block[u->member[a]] == h->block[u->member[b]]) {
        return 1;
      }
    }
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
    weight[2 * m] = bit_v(h->p[column], h->q[column]);
    weight[2 * m + 1] = bit_kappa(h->p[column], h->q[column]);
  }
  if (!rivals && !union_matters(h, u, both)) {
    return sum_below_union(h, u, both, weight, out);
  }
  candor_status status = candor_contract(h->table, u->member, u->size, all & ~both, both, weight, &sum);
  if (status == CANDOR_OK && !rivals) {
    status = candor_table_get(h->table, u->member, u->size, all, &of_union);
  }
  if (status == CANDOR_OK) {
    *out = sum - of_union;
  }
  return status;
}

static candor_status population_entry(const candor_histogram *h, const joined *u, double *out)
{
  const size_t all = u->in_j | u->in_k, both = u->in_j & u->in_k;
  const double n = h->table->value[0];
  double weight[128], sum, mean_j, mean_k;
  for (size_t m = 0; m < u->size; m++) {
    const size_t column = (size_t) u->member[m];
    weight[2 * m] = bit_v(h->p[column], h->q[column]);
    weight[2 * m + 1] = bit_kappa(h->p[column], h->q[column]);
  }
  if (!(n >= (h->known ? 1 : 2))) {
    return CANDOR_EMPTY;
  }
  candor_status status = candor_contract(h->table, u->member, u->size, all & ~both, both, weight, &sum);
  if (status == CANDOR_OK) {
    status = candor_table_get(h->table, u->member, u->size, u->in_j, &mean_j);
  }
  if (status == CANDOR_OK) {
    status = candor_table_get(h->table, u->member, u->size, u->in_k, &mean_k);
  }
  if (status == CANDOR_OK) {
    *out = (sum - mean_j * mean_k / n) * (h->known ? 1 : n / (n - 1));
  }
  return status;
}

candor_status candor_tmdh_entry(const candor_histogram *h, const int *j, size_t n_j,
                                const int *k, size_t n_k, double *out)
{
  joined u;
  const candor_status status = join(j, n_j, k, n_k, &u);
  if (status != CANDOR_OK) {
    return status;
  }
  return h->target == CANDOR_SAMPLE ? sample_entry(h, &u, out) : population_entry(h, &u, out);
}

candor_status candor_pmdh_entry(const candor_histogram *h, const int *j, size_t n_j,
                                const int *k, size_t n_k, double *out)
{
  joined u;
  candor_status status = join(j, n_j, k, n_k, &u);
  if (status != CANDOR_OK) {
    return status;
  }
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
  if (!(n >= 1)) {
    return CANDOR_EMPTY;
  }
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
  if (status == CANDOR_OK) {
    *out = of_union - second;
  }
  return status;
}

static double choose(double n, size_t k)
{
  double value = 1;
  for (size_t i = 1; i <= k; i++) {
    value = value * (n - (double) k + (double) i) / (double) i;
  }
  return n < (double) k ? 0 : value;
}

double candor_overlaps_total(size_t columns, size_t order)
{
  double ordered = 0, sets = 0;
  for (size_t s = 1; s <= order && s <= columns; s++) {
    const double n_s = choose((double) columns, s);
    sets += n_s;
    for (size_t t = 1; t <= order && t <= columns; t++) {
      ordered += n_s * (choose((double) columns, t) - choose((double) (columns - s), t));
    }
  }
  return (ordered + sets) / 2;
}

static int shares_member(const int *a, size_t n_a, const int *b, size_t n_b)
{
  size_t i = 0, j = 0;
  while (i < n_a && j < n_b) {
    if (a[i] == b[j]) {
      return 1;
    }
    if (a[i] < b[j]) {
      i++;
    } else {
      j++;
    }
  }
  return 0;
}

/* Moves `set` to the first set from itself on, of its size, that shares a member with k; 0 if none. Where
 * the leading members share nothing the last one must, so it jumps straight to the next member of k. */
static int next_overlap(size_t columns, int *set, size_t size, const int *k, size_t n_k)
{
  for (;;) {
    if (shares_member(set, size, k, n_k)) {
      return 1;
    }
    size_t m = 0;
    while (m < n_k && k[m] < set[size - 1]) {
      m++;
    }
    if (m < n_k) {
      set[size - 1] = k[m];
      return 1;
    }
    set[size - 1] = (int) columns - 1;
    if (!candor_sets_next(columns, set, size)) {
      return 0;
    }
  }
}

/* Visits the overlaps of the set at `position`; with h == NULL it only counts them. */
static candor_status overlaps(const candor_histogram *h, const candor_sets *family, size_t position,
                              int *row, double *value, size_t *n)
{
  int k[CANDOR_SET_MAX] = {0}, set[CANDOR_SET_MAX] = {0};
  const size_t n_k = candor_sets_members(family, position, k);
  size_t at = 0;
  for (size_t size = 1; size <= n_k; size++) {
    for (size_t m = 0; m < size; m++) {
      set[m] = (int) m;
    }
    do {
      if (!next_overlap(family->columns, set, size, k, n_k)) {
        break;
      }
      const size_t here = candor_sets_rank(family, set, size);
      if (here > position) {
        break;
      }
      if (h != NULL) {
        const candor_status status = candor_tmdh_entry(h, set, size, k, n_k, value + at);
        if (status != CANDOR_OK) {
          return status;
        }
        row[at] = (int) (here - 1);
      }
      at++;
    } while (candor_sets_next(family->columns, set, size));
  }
  *n = at;
  return CANDOR_OK;
}

size_t candor_overlaps(const candor_sets *family, size_t position)
{
  size_t n = 0;
  overlaps(NULL, family, position, NULL, NULL, &n);
  return n;
}

candor_status candor_tmdh_column(const candor_histogram *h, const candor_sets *family, size_t position,
                                 int *row, double *value, size_t *n)
{
  if (position < 1 || position >= family->total || h->target != CANDOR_SAMPLE || h->block != NULL) {
    return CANDOR_DOMAIN;
  }
  return overlaps(h, family, position, row, value, n);
}

candor_status candor_tmdh_all(const double *counts, const double *mean, size_t columns,
                              const double *p, const double *q, candor_target target,
                              double *work, double *out)
{
  if (columns < 1 || columns > 12) {
    return CANDOR_DOMAIN;
  }
  const double n = counts[0];
  if (!(n >= (target == CANDOR_POPULATION ? 2 : 1))) {
    return CANDOR_EMPTY;
  }
  double matrix[6 * 12];
  size_t power = 1, place[12];
  for (size_t j = 0; j < columns; j++) {
    const double d = p[j] - q[j];
    const double absent[2] = {1, 0}, once[2] = {-q[j] / d, 1 / d};
    const double twice[2] = {q[j] * q[j] / (d * d), (1 - 2 * q[j]) / (d * d)};
    for (size_t c = 0; c < 2; c++) {
      matrix[6 * j + c] = absent[c];
      matrix[6 * j + 2 + c] = once[c];
      matrix[6 * j + 4 + c] = twice[c];
    }
    place[j] = power;
    power *= 3;
  }
  double *tensor = work + power;
  const candor_status status = candor_axes3(counts, columns, matrix, work, tensor);
  if (status != CANDOR_OK) {
    return status;
  }
  const size_t sets = ((size_t) 1 << columns) - 1;
  /* Ternary index of a mask, and its sum over two masks, is the index of (in one, in both). */
  for (size_t k = 1; k <= sets; k++) {
    for (size_t j = 1; j <= sets; j++) {
      size_t index = 0;
      for (size_t m = 0; m < columns; m++) {
        index += (((j >> m) & 1) + ((k >> m) & 1)) * place[m];
      }
      const double sum = tensor[index];
      out[(j - 1) + (k - 1) * sets] = target == CANDOR_SAMPLE ?
        ((j & k) == 0 ? 0 : sum - mean[j | k]) : (sum - mean[j] * mean[k] / n) * (n / (n - 1));
    }
  }
  return CANDOR_OK;
}

/* Quadratic form of the gradient g with the symmetric 3 x 3 covariance of (mu_i, mu_j, mu_ij). */
static double quadratic(const double g[3], const double v[6])
{
  return g[0] * g[0] * v[0] + g[1] * g[1] * v[1] + g[2] * g[2] * v[2] +
    2 * (g[0] * g[1] * v[3] + g[0] * g[2] * v[4] + g[1] * g[2] * v[5]);
}

/* Covariance of (mu_i, mu_j, mu_ij): the three variances, then (i, j), (i, ij), (j, ij). */
static void pair_covariance(const candor_histogram *h, size_t i, size_t j,
                            double a, double b, double c, double v[6])
{
  const double n = h->table->value[0];
  const double v_i = bit_v(h->p[i], h->q[i]), k_i = bit_kappa(h->p[i], h->q[i]);
  const double v_j = bit_v(h->p[j], h->q[j]), k_j = bit_kappa(h->p[j], h->q[j]);
  v[0] = v_i * n + k_i * a;
  v[1] = v_j * n + k_j * b;
  v[2] = v_i * v_j * n + k_i * v_j * a + v_i * k_j * b + k_i * k_j * c;
  v[3] = c;
  v[4] = v_i * b + k_i * c;
  v[5] = v_j * a + k_j * c;
  if (h->target == CANDOR_SAMPLE) {
    const double of_union[6] = {a, b, c, c, c, c};
    for (size_t m = 0; m < 6; m++) {
      v[m] -= of_union[m];
    }
    v[3] = 0;
    return;
  }
  const double product[6] = {a * a, b * b, c * c, a * b, a * c, b * c};
  const double scale = h->known ? 1 : n / (n - 1);
  for (size_t m = 0; m < 6; m++) {
    v[m] = (v[m] - product[m] / n) * scale;
  }
}

candor_status candor_correlations(const candor_histogram *h, const candor_pairs *out)
{
  const candor_sets *sets = h->table->sets;
  const double n = h->table->value[0];
  if (sets->order < 2) {
    return CANDOR_DOMAIN;
  }
  if (!(n >= (h->target == CANDOR_POPULATION && !h->known ? 2 : 1))) {
    return CANDOR_EMPTY;
  }
  size_t at = 0;
  const double *one = h->table->value + 1, *two = h->table->value + sets->start[2];
  for (size_t i = 0; i + 1 < sets->columns; i++) {
    for (size_t j = i + 1; j < sets->columns; j++, at++) {
      const double x = one[i] / n, y = one[j] / n, z = two[at] / n;
      const double covariance = z - x * y, spread = x * (1 - x) * y * (1 - y);
      double v[6];
      pair_covariance(h, i, j, one[i], one[j], two[at], v);
      for (size_t m = 0; out->moments != NULL && m < 6; m++) {
        out->moments[6 * at + m] = v[m];
      }
      const double gradient[3] = {-y, -x, 1};
      out->covariance[at] = covariance;
      out->covariance_variance[at] = quadratic(gradient, v) / (n * n);
      out->correlation[at] = out->correlation_variance[at] = NAN;
      if (x > 0 && x < 1 && y > 0 && y < 1) {
        const double s = sqrt(spread), r = covariance / s;
        const double slope[3] = {-y / s - r * (1 - 2 * x) / (2 * x * (1 - x)),
                                 -x / s - r * (1 - 2 * y) / (2 * y * (1 - y)), 1 / s};
        out->correlation[at] = r;
        out->correlation_variance[at] = quadratic(slope, v) / (n * n);
      }
    }
  }
  return CANDOR_OK;
}
