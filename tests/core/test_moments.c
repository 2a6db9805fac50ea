/* Kronecker maps against their dense definitions; the law of a count against enumeration of all reports. */
#include "check.h"
#include "inverse_weights.h"

#include <math.h>
#include <string.h>

#include "joint/cooccurrence.h"
#include "joint/moments.h"

static const double p[4] = {0.8, 0.95, 0.25, 0.7};
static const double q[4] = {0.1, 0.3, 0.75, 0.0}; /* the third column has p < q */

static size_t work[4096];

/* Row J, column S of M or of its inverse (Carette 2022, eqs. (24), (25)): each member of J has its weight for being
 * present in S or absent from it; 0 if S is no subset of J. */
static double entry(const candor_set_list *sets, size_t row, size_t column, const double *weight)
{
  int J[CANDOR_SET_MAX], S[CANDOR_SET_MAX];
  const size_t size = candor_sets_members(sets, row, J), wanted = candor_sets_members(sets, column, S);
  size_t found = 0;
  double product = 1;
  for (size_t m = 0; m < size; m++) {
    const int present = found < wanted && S[found] == J[m];
    product *= weight[2 * J[m] + present];
    found += (size_t) present;
  }
  return found == wanted ? product : 0;
}

/* Lemma 3.4 of Carette: M^-1 in closed form is the inverse of M, with and without truncation. */
static void lemma_3_4(size_t columns, size_t order)
{
  candor_set_list sets;
  CHECK(candor_sets_init(&sets, columns, order, work) == CANDOR_OK);
  const size_t n = sets.total - 1;
  double forward[8], inverse[8], m[225], w[225];
  for (size_t j = 0; j < columns; j++) {
    candor_weights_report(p[j], q[j], forward + 2 * j);
    inverse_weights(p[j], q[j], inverse + 2 * j);
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      m[i * n + j] = entry(&sets, i + 1, j + 1, forward);
      w[i * n + j] = entry(&sets, i + 1, j + 1, inverse);
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += m[i * n + k] * w[k * n + j];
      CHECK_NEAR(sum, i == j ? 1 : 0, 1e-12);
    }
  }
  /* Theorem 3.1: the axes, the contraction and M t + N P agree; the axes of the inverse go back. */
  double t[16], e[16];
  for (size_t s = 0; s < sets.total; s++) t[s] = e[s] = 100.0 / (1 + (double) s);
  const candor_table table = {&sets, t, 0, 0, NULL, NULL};
  for (size_t j = 0; j < columns; j++)
    CHECK(candor_sets_axis(&sets, j, forward[2 * j], forward[2 * j + 1], e) == CANDOR_OK);
  for (size_t s = 1; s < sets.total; s++) {
    int members[CANDOR_SET_MAX];
    double weight[8], folded, sum = t[0] * entry(&sets, s, 0, forward);
    const size_t size = candor_sets_members(&sets, s, members);
    for (size_t k = 0; k < size; k++) memcpy(weight + 2 * k, forward + 2 * members[k], 2 * sizeof *weight);
    CHECK(candor_contract(&table, members, size, 0, ((size_t) 1 << size) - 1, weight, &folded) == CANDOR_OK);
    for (size_t k = 0; k < n; k++) sum += m[(s - 1) * n + k] * t[k + 1];
    CHECK_NEAR(e[s], sum, 1e-12);
    CHECK_NEAR(folded, sum, 1e-12);
  }
  for (size_t j = 0; j < columns; j++)
    CHECK(candor_sets_axis(&sets, j, inverse[2 * j], inverse[2 * j + 1], e) == CANDOR_OK);
  for (size_t s = 0; s < sets.total; s++) CHECK_NEAR(e[s], t[s], 1e-10);
}

static void axes(size_t columns)
{
  const size_t total = (size_t) 1 << columns;
  double x[16], y[16], matrix[16], tall[24], ternary[81], spare[81];
  for (size_t i = 0; i < total; i++) x[i] = y[i] = (double) (i * 37 % 11) - 4;
  for (size_t i = 0; i < 4 * columns; i++) matrix[i] = (double) (i * 29 % 13) / 7 - 0.6;
  for (size_t i = 0; i < 6 * columns; i++) tall[i] = (double) (i * 31 % 17) / 5 - 1.1;
  CHECK(candor_axes2(y, columns, matrix) == CANDOR_OK);
  for (size_t r = 0; r < total; r++) {
    double sum = 0;
    for (size_t c = 0; c < total; c++) {
      double product = x[c];
      for (size_t j = 0; j < columns; j++) product *= matrix[4 * j + 2 * ((r >> j) & 1) + ((c >> j) & 1)];
      sum += product;
    }
    CHECK_NEAR(y[r], sum, 1e-12);
  }
  CHECK(candor_axes3(x, columns, tall, spare, ternary) == CANDOR_OK);
  size_t power = 1;
  for (size_t j = 0; j < columns; j++) power *= 3;
  for (size_t r = 0; r < power; r++) {
    double sum = 0;
    for (size_t c = 0; c < total; c++) {
      double product = x[c];
      size_t digits = r;
      for (size_t j = 0; j < columns; j++, digits /= 3) product *= tall[6 * j + 2 * (digits % 3) + ((c >> j) & 1)];
      sum += product;
    }
    CHECK_NEAR(ternary[r], sum, 1e-12);
  }
}

/* Lemma B.1: rows 11, 10, 00 of two columns; all 2^6 reports. */
static void lemma_B_1(void)
{
  const size_t truth[3] = {3, 1, 0};
  double expected[4] = {0}, pmf[4];
  for (size_t report = 0; report < 64; report++) {
    double probability = 1;
    size_t joint = 0;
    for (size_t i = 0; i < 3; i++) {
      const size_t y = (report >> (2 * i)) & 3;
      for (size_t j = 0; j < 2; j++) {
        const double one = (truth[i] >> j) & 1 ? p[j] : q[j];
        probability *= (y >> j) & 1 ? one : 1 - one;
      }
      joint += y == 3;
    }
    expected[joint] += probability;
  }
  const double count[4] = {1, 1, 0, 1};
  const double prob[4] = {q[0] * q[1], p[0] * q[1], q[0] * p[1], p[0] * p[1]};
  CHECK(candor_count_law(4, count, prob, pmf) == CANDOR_OK);
  for (size_t k = 0; k < 4; k++) CHECK_NEAR(pmf[k], expected[k], 1e-15);
  const double bad[4] = {1, -1, 0, 1}, half[4] = {0.5, 0, 0, 0}, nan[4] = {NAN, 0, 0, 0};
  CHECK(candor_count_law(4, bad, prob, pmf) == CANDOR_DOMAIN);
  CHECK(candor_count_law(4, half, prob, pmf) == CANDOR_DOMAIN);
  CHECK(candor_count_law(4, nan, prob, pmf) == CANDOR_NOT_FINITE);
}

static void further_sets(void)
{
  candor_set_list sets;
  CHECK(candor_sets_init(&sets, 6, 1, work) == CANDOR_OK);
  const double value[7] = {10, 1, 2, 3, 4, 5, 6}, more_value[3] = {7, 8, 9};
  const int more[9] = {0, 4, -1, 2, 3, -1, 1, 2, 5}, members[4] = {1, 2, 3, 5};
  const candor_table table = {&sets, value, 3, 3, more, more_value};
  double out;
  CHECK(candor_table_get(&table, members, 4, 0x6, &out) == CANDOR_OK && out == 8);
  CHECK(candor_table_get(&table, members, 4, 0xb, &out) == CANDOR_OK && out == 9);
  CHECK(candor_table_get(&table, members, 4, 0x8, &out) == CANDOR_OK && out == 6);
  CHECK(candor_table_get(&table, members, 4, 0xf, &out) == CANDOR_DOMAIN);
  CHECK(candor_table_get(&table, members, 4, 0x3, &out) == CANDOR_DOMAIN);
  CHECK(candor_table_check(&table) == CANDOR_OK);
  const double nan[7] = {10, 1, 2, NAN, 4, 5, 6}, nobody[7] = {0, 0, 0, 0, 0, 0, 0}, infinite[3] = {7, INFINITY, 9};
  const candor_table bad = {&sets, nan, 0, 0, NULL, NULL}, empty = {&sets, nobody, 0, 0, NULL, NULL};
  const candor_table bad_more = {&sets, value, 3, 3, more, infinite};
  CHECK(candor_table_check(&bad) == CANDOR_NOT_FINITE);
  CHECK(candor_table_check(&bad_more) == CANDOR_NOT_FINITE);
  CHECK(candor_table_check(&empty) == CANDOR_EMPTY);
}

static void columns_check(void)
{
  size_t which;
  const double equal[2] = {0.3, 0.4}, other[2] = {0.1, 0.4}, large[2] = {0.3, 1.5}, nan[2] = {NAN, 0.4};
  CHECK(candor_columns_check(4, p, q, &which) == CANDOR_OK);
  CHECK(candor_columns_check(2, equal, other, &which) == CANDOR_NO_INFORMATION && which == 1);
  CHECK(candor_columns_check(2, large, other, &which) == CANDOR_DOMAIN && which == 1);
  CHECK(candor_columns_check(2, nan, other, &which) == CANDOR_NOT_FINITE && which == 0);
}

/* Every bound of the probabilities and of the sizes; the ends themselves are allowed. */
static void bounds(void)
{
  size_t which;
  double pp[3] = {0, 1, 0.5}, qq[3] = {1, 0, 0.25};
  CHECK(candor_columns_check(3, pp, qq, &which) == CANDOR_OK);
  double *const places[2] = {&pp[1], &qq[1]};
  const double bad[] = {-1e-9, 1 + 1e-9, NAN, INFINITY};
  for (int side = 0; side < 2; side++) {
    for (int b = 0; b < 4; b++) {
      const double before = *places[side];
      *places[side] = bad[b];
      CHECK(candor_columns_check(3, pp, qq, &which) == (b < 2 ? CANDOR_DOMAIN : CANDOR_NOT_FINITE) && which == 1);
      *places[side] = before;
    }
  }
  double x[2] = {1, 2}, y[3], spare[3], pmf[4];
  CHECK(candor_axes2(x, 31, x) == CANDOR_DOMAIN);
  CHECK(candor_axes3(x, 0, x, spare, y) == CANDOR_DOMAIN);
  CHECK(candor_axes3(x, 16, x, spare, y) == CANDOR_DOMAIN);
  double count[2] = {1, 2}, prob[2] = {0, 1};
  CHECK(candor_count_law(2, count, prob, pmf) == CANDOR_OK);
  CHECK(pmf[0] == 0 && pmf[1] == 0 && pmf[2] == 1 && pmf[3] == 0); /* two sure ones */
  for (int b = 0; b < 4; b++) {
    prob[1] = bad[b];
    CHECK(candor_count_law(2, count, prob, pmf) == (b < 2 ? CANDOR_DOMAIN : CANDOR_NOT_FINITE));
  }
  /* No rows at all: 0 for sure. */
  count[0] = count[1] = 0;
  prob[1] = 0.5;
  CHECK(candor_count_law(2, count, prob, pmf) == CANDOR_OK && pmf[0] == 1);
}

/* A sum with members that are always there, free ones and ones left out; further sets of several sizes by bisection. */
static void contractions(void)
{
  enum { n = 6, order = 2 };
  candor_set_list sets;
  CHECK(candor_sets_init(&sets, n, order, work) == CANDOR_OK);
  double value[64], more_value[64], by_mask[64], weight[2 * n];
  int more[64 * n];
  size_t n_more = 0;
  for (size_t mask = 0; mask < 64; mask++) by_mask[mask] = (double) ((mask * 37) % 29) + 0.5;
  for (size_t s = 0; s < sets.total; s++) {
    int member[CANDOR_SET_MAX];
    size_t mask = 0;
    const size_t size = candor_sets_members(&sets, s, member);
    for (size_t m = 0; m < size; m++) mask |= (size_t) 1 << member[m];
    value[s] = by_mask[mask];
  }
  /* All sets of 3 to 6 members, by size and then by members. */
  for (size_t size = 3; size <= n; size++) {
    int member[n];
    for (size_t m = 0; m < size; m++) member[m] = (int) m;
    do {
      size_t mask = 0;
      for (size_t m = 0; m < n; m++) more[n_more * n + m] = m < size ? member[m] : -1;
      for (size_t m = 0; m < size; m++) mask |= (size_t) 1 << member[m];
      more_value[n_more++] = by_mask[mask];
    } while (candor_sets_next(n, member, size));
  }
  CHECK(n_more == 42);
  const candor_table table = {&sets, value, n_more, n, more, more_value};
  const int member[n] = {0, 1, 2, 3, 4, 5};
  for (size_t k = 0; k < 2 * n; k++) weight[k] = 0.25 * (double) (k * k % 7) - 0.6;
  for (size_t fixed = 0; fixed < 64; fixed += 5) {
    for (size_t open = 0; open < 64; open += 3) {
      const size_t free = open & ~fixed;
      double sum = 0, out;
      for (size_t t = free;; t = (t - 1) & free) {
        double product = by_mask[fixed | t];
        for (size_t m = 0; m < n; m++)
          if ((free >> m) & 1) product *= weight[2 * m + ((t >> m) & 1)];
        sum += product;
        if (t == 0) break;
      }
      CHECK(candor_contract(&table, member, n, fixed, free, weight, &out) == CANDOR_OK);
      CHECK_NEAR(out, sum, 1e-12 * (1 + fabs(sum)));
    }
  }
}

int main(void)
{
  for (size_t columns = 1; columns <= 4; columns++) {
    for (size_t order = 1; order <= columns; order++) lemma_3_4(columns, order);
    axes(columns);
  }
  lemma_B_1();
  further_sets();
  columns_check();
  bounds();
  contractions();
  return check_report();
}
