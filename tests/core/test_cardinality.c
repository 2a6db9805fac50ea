/* Totals against element-by-element products, the equal-flip histogram against the matrix, overflow, and refusals. */
#include "sets/cardinality.h"

#include <stdlib.h>

#include "check.h"
#include "sets/extremes.h"
#include "uniform.h"

static double last_bound;

static candor_status run(const candor_membership *sets, candor_size_estimate *either, candor_size_estimate *both,
                         double *covariance, size_t *where)
{
  double *work = malloc(CANDOR_CARDINALITY_WORK * sizeof(double));
  candor_cardinality total;
  int in_flips;
  const candor_status status = candor_cardinality_total(sets, work, &total, where, &in_flips);
  if (status == CANDOR_OK) candor_cardinality_value(&total, either, both, covariance, &last_bound);
  free(work);
  return status;
}

static void compare(size_t m, size_t n, int per_bit, int inverted)
{
  int *bits = malloc(m * n * sizeof(int));
  double *flips = malloc(m * n * sizeof(double)), union_size = 0, union_variance = 0, size = 0, variance = 0, cross = 0,
         bound = 0;
  unsigned char *invert = malloc(n);
  for (size_t i = 0; i < m * n; i++) {
    bits[i] = uniform() < 0.4;
    flips[i] = 0.02 + 0.3 * uniform() + (uniform() < 0.1 ? 0.6 : 0);
  }
  for (size_t j = 0; j < n; j++) invert[j] = uniform() < 0.5;
  for (size_t i = 0; i < m; i++) {
    double none = 1, all = 1, most = 1;
    for (size_t j = 0; j < n; j++) {
      const double q = flips[per_bit ? i + j * m : j];
      const int x = inverted && invert[j] ? 1 - bits[i + j * m] : bits[i + j * m];
      none *= (1 - q - x) / (1 - 2 * q);
      all *= (x - q) / (1 - 2 * q);
      most *= 1 + q * (1 - q) / ((1 - 2 * q) * (1 - 2 * q));
    }
    bound += most - 1;
    union_size += 1 - none;
    union_variance += (1 - none) * -none;
    size += all;
    variance += all * (all - 1);
    cross += -none * all;
  }
  const candor_membership sets = {bits, m, n, flips, per_bit, inverted ? invert : NULL};
  candor_size_estimate either, both;
  double covariance;
  size_t where;
  CHECK(run(&sets, &either, &both, &covariance, &where) == CANDOR_OK);
  CHECK_NEAR(either.size, union_size, 1e-11 * fmax((double) m, fabs(union_size)));
  CHECK_NEAR(either.variance, union_variance, 1e-11 * fmax((double) m, fabs(union_variance)));
  CHECK_NEAR(both.size, size, 1e-11 * fmax((double) m, fabs(size)));
  CHECK_NEAR(both.variance, variance, 1e-11 * fmax((double) m, fabs(variance)));
  CHECK_NEAR(covariance, cross, 1e-11 * fmax((double) m, fabs(cross)));
  CHECK_NEAR(last_bound, bound, 1e-11 * fmax((double) m, fabs(bound)));
  free(bits);
  free(flips);
  free(invert);
}

static void compare_histogram(size_t m, size_t n, double flip)
{
  int *bits = malloc(m * n * sizeof(int));
  double *flips = malloc(n * sizeof(double)), *ones = malloc(m * sizeof(double));
  double *histogram = calloc(n + 1, sizeof(double));
  for (size_t i = 0; i < m * n; i++) bits[i] = uniform() < 0.4;
  for (size_t j = 0; j < n; j++) flips[j] = flip;
  const candor_membership sets = {bits, m, n, flips, 0, NULL};
  candor_size_estimate either, both, either_2, both_2;
  candor_cardinality total;
  double covariance, covariance_2, bound;
  size_t where;
  CHECK(run(&sets, &either, &both, &covariance, &where) == CANDOR_OK);
  CHECK(candor_row_ones(bits, m, n, ones, &where) == CANDOR_OK);
  for (size_t i = 0; i < m; i++) histogram[(size_t) ones[i]]++;
  CHECK(candor_cardinality_histogram(histogram, n, flip, &total) == CANDOR_OK);
  candor_cardinality_value(&total, &either_2, &both_2, &covariance_2, &bound);
  CHECK(bound == last_bound || fabs(bound - last_bound) <= 1e-9 * bound + 1e-9);
  CHECK_NEAR(either.sign, either_2.sign, 0);
  CHECK_NEAR(either.log, either_2.log, 1e-9 * (1 + fabs(either.log)));
  CHECK_NEAR(both.log, both_2.log, 1e-9 * (1 + fabs(both.log)));
  if (isfinite(either.variance)) {
    CHECK_NEAR(either.size, either_2.size, 1e-10 * fmax((double) m, fabs(either.size)));
    CHECK_NEAR(either.variance, either_2.variance, 1e-10 * fmax((double) m, fabs(either.variance)));
    CHECK_NEAR(both.variance, both_2.variance, 1e-10 * fmax((double) m, fabs(both.variance)));
    CHECK_NEAR(covariance, covariance_2, 1e-10 * fmax((double) m, fabs(covariance)));
  } else {
    CHECK(either.size == either_2.size || fabs(either.size / either_2.size - 1) < 1e-9);
    CHECK(either.variance == either_2.variance);
  }
  free(bits);
  free(flips);
  free(ones);
  free(histogram);
}

static void test_refusals(void)
{
  int bits[6] = {0, 1, 0, 1, 7, 0};
  double flips[2] = {0.1, 0.5};
  candor_size_estimate either, both;
  double covariance, ones[3];
  size_t where = 99;
  candor_membership sets = {bits, 3, 2, flips, 0, NULL};
  CHECK(run(&sets, &either, &both, &covariance, &where) == CANDOR_NO_INFORMATION && where == 1);
  flips[1] = NAN;
  CHECK(run(&sets, &either, &both, &covariance, &where) == CANDOR_NOT_FINITE && where == 1);
  flips[1] = 0.2;
  CHECK(run(&sets, &either, &both, &covariance, &where) == CANDOR_DOMAIN && where == 4);
  CHECK(candor_row_ones(bits, 3, 2, ones, &where) == CANDOR_DOMAIN && where == 4);
  sets.m = 0;
  CHECK(run(&sets, &either, &both, &covariance, &where) == CANDOR_EMPTY);
}

int main(void)
{
  compare(1, 1, 0, 0);
  for (size_t n = 1; n <= 9; n++) {
    compare(1500, n, 0, 0);
    compare(1500, n, 0, 1);
    compare(1100, n, 1, 1);
  }
  compare(2100, 33, 1, 0);
  compare(2100, 33, 0, 1);
  compare_histogram(1500, 3, 0.25);
  compare_histogram(1500, 30, 0.75);
  compare_histogram(1500, 70, 0.4);
  compare_histogram(1500, 100, 0.4999); /* beyond the range of a double */
  compare_histogram(1500, 3, 0);
  test_refusals();
  return check_report();
}
