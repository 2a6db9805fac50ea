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

/* Products near the end of the range of doubles, where mantissas and exponents begin: against long double. */
static void compare_wide(size_t m, size_t n, double flip, int per_bit, int inverted)
{
  int *bits = malloc(m * n * sizeof *bits);
  double *flips = malloc(m * n * sizeof *flips), covariance;
  unsigned char *invert = malloc(n);
  long double none_sum = 0, all_sum = 0, none_square = 0, all_square = 0, cross = 0, bound = 0, size = 0;
  for (size_t i = 0; i < m * n; i++) bits[i] = uniform() < 0.5;
  for (size_t i = 0; i < m * n; i++) flips[i] = flip * (1 + 1e-6 * uniform());
  for (size_t j = 0; j < n; j++) invert[j] = inverted && j % 3 == 1;
  for (size_t i = 0; i < m; i++) {
    long double none = 1, all = 1, most = 1;
    for (size_t j = 0; j < n; j++) {
      const long double q = flips[per_bit ? i + j * m : j], d = 1 - 2 * q;
      const int x = invert[j] ? 1 - bits[i + j * m] : bits[i + j * m];
      none *= (1 - q - x) / d;
      all *= (x - q) / d;
      most *= 1 + q * (1 - q) / (d * d);
    }
    none_sum += none, all_sum += all, none_square += none * none, all_square += all * all, cross += none * all;
    size += fabsl(none) + fabsl(all), bound += most - 1;
  }
  const candor_membership sets = {bits, m, n, flips, per_bit, invert};
  candor_size_estimate either, both;
  size_t where;
  CHECK(run(&sets, &either, &both, &covariance, &where) == CANDOR_OK);
  const double cancelled = (double) (size / fabsl(none_sum)), lost = (double) (size / fabsl(all_sum));
  CHECK(either.sign == (none_sum > 0 ? 1 : -1) && both.sign == (all_sum > 0 ? 1 : -1));
  CHECK_NEAR(either.log, (double) logl(fabsl(none_sum)), 1e-8 * cancelled);
  CHECK_NEAR(both.log, (double) logl(fabsl(all_sum)), 1e-8 * lost);
#define SAME(value, exact) \
  CHECK(isinf((double) (exact)) ? (value) == (double) (exact) : fabs((value) / (double) (exact) -1) < 1e-7)
  SAME(either.variance, none_square - none_sum);
  SAME(both.variance, all_square - all_sum);
  SAME(last_bound, bound);
  if (isfinite((double) size)) {
    CHECK_NEAR(either.size, (double) ((long double) m - none_sum), 1e-8 * (double) size);
    CHECK_NEAR(both.size, (double) all_sum, 1e-8 * (double) size);
  } else {
    CHECK(isinf(either.size) && isinf(both.size) && (either.size > 0) == (none_sum < 0) &&
          (both.size > 0) == (all_sum > 0));
  }
  if (isinf((double) cross)) CHECK(covariance == -(double) cross);
  else CHECK_NEAR(covariance, -(double) cross, 1e-7 * (double) (none_square + all_square));
  free(bits), free(flips), free(invert);
}

static void test_edges(void)
{
  int bits[2] = {1, 0}, in_flips = 2;
  double flips[2] = {0, 1}, work[CANDOR_CARDINALITY_WORK], covariance, bound;
  candor_membership sets = {bits, 1, 2, flips, 0, NULL};
  candor_cardinality total;
  candor_size_estimate either, both;
  size_t where = 7;
  /* Flips of 0 and 1 are certain: the element is in both. */
  CHECK(candor_cardinality_total(&sets, work, &total, &where, &in_flips) == CANDOR_OK && in_flips == 0);
  candor_cardinality_value(&total, &either, &both, &covariance, &bound);
  CHECK(total.elements == 1 && either.size == 1 && both.size == 1 && either.sign == 0 && both.sign == 1);
  CHECK(either.log == -INFINITY && both.log == 0 && either.variance == 0 && both.variance == 0 && covariance == 0 &&
        bound == 0);
  const double bad[] = {-0.1, 1.1, 0.5, NAN};
  const candor_status expected[] = {CANDOR_DOMAIN, CANDOR_DOMAIN, CANDOR_NO_INFORMATION, CANDOR_NOT_FINITE};
  for (int b = 0; b < 4; b++) {
    flips[1] = bad[b];
    CHECK(candor_cardinality_total(&sets, work, &total, &where, &in_flips) == expected[b] && in_flips == 1 &&
          where == 1);
  }
  sets.n = 0;
  CHECK(candor_cardinality_total(&sets, work, &total, &where, &in_flips) == CANDOR_EMPTY);
  /* Histograms. */
  double histogram[3] = {1, 2, 0.5};
  CHECK(candor_cardinality_histogram(histogram, 2, 0.25, &total) == CANDOR_OK);
  candor_cardinality_value(&total, &either, &both, &covariance, &bound);
  /* N is 9/4, -3/4, 1/4; A is 1/4, -3/4, 9/4; NA is 9/16 in all of 3.5 elements; the bound of one is (7/4)^2 - 1. */
  CHECK_NEAR(total.elements, 3.5, 0);
  CHECK_NEAR(either.size, 3.5 - (2.25 - 1.5 + 0.125), 1e-14);
  CHECK_NEAR(both.size, 0.25 - 1.5 + 1.125, 1e-14);
  CHECK_NEAR(either.variance, 81 / 16.0 + 2 * 9 / 16.0 + 0.5 / 16 - 0.875, 1e-14);
  CHECK_NEAR(covariance, -3.5 * 9 / 16, 1e-14);
  CHECK_NEAR(bound, 3.5 * (49 / 16.0 - 1), 1e-13);
  const double wrong[] = {-1, NAN, INFINITY, 1e16};
  for (int w = 0; w < 4; w++) {
    histogram[2] = wrong[w];
    CHECK(candor_cardinality_histogram(histogram, 2, 0.25, &total) == CANDOR_DOMAIN);
  }
  histogram[2] = 9007199254740992.0;
  CHECK(candor_cardinality_histogram(histogram, 2, 0.25, &total) == CANDOR_OK);
  CHECK(candor_cardinality_histogram(histogram, 2, 0.5, &total) == CANDOR_NO_INFORMATION);
  CHECK(candor_cardinality_histogram(histogram, 0, 0.25, &total) == CANDOR_EMPTY);
  const double nothing[3] = {0, 0, 0};
  CHECK(candor_cardinality_histogram(nothing, 2, 0.25, &total) == CANDOR_EMPTY);
  /* Products far below the least double still add up: A is f^60 and f^59 k, f = -q / (1 - 2q), k = (1 - q) / (1 - 2q). */
  double tiny[61] = {5, 7};
  const long double q = 1e-9, f = -q / (1 - 2 * q), k = (1 - q) / (1 - 2 * q);
  CHECK(candor_cardinality_histogram(tiny, 60, 1e-9, &total) == CANDOR_OK);
  candor_cardinality_value(&total, &either, &both, &covariance, &bound);
  CHECK(both.sign == -1 && both.size == 0);
  CHECK_NEAR(both.log, (double) logl(fabsl(5 * powl(f, 60) + 7 * powl(f, 59) * k)), 1e-9);
  /* An entry that is no bit, in the first set and in the second. */
  int stray[6] = {0, 1, 0, 1, 0, 0};
  const double tenths[2] = {0.1, 0.1};
  const candor_membership pair = {stray, 3, 2, tenths, 0, NULL};
  for (size_t i = 0; i < 6; i++) {
    const int before = stray[i];
    stray[i] = 2;
    CHECK(candor_cardinality_total(&pair, work, &total, &where, &in_flips) == CANDOR_DOMAIN && where == i && !in_flips);
    stray[i] = before;
  }
  /* An entry that is no bit in the second block of rows, in the second of two sets. */
  static int long_bits[2 * 1500];
  static double ones[1500];
  long_bits[1500 + 1023] = 1;
  CHECK(candor_row_ones(long_bits, 1500, 2, ones, &where) == CANDOR_OK && ones[1023] == 1 && ones[1024] == 0);
  long_bits[1500 + 1200] = -1;
  CHECK(candor_row_ones(long_bits, 1500, 2, ones, &where) == CANDOR_DOMAIN && where == 2700);
  flips[0] = flips[1] = 0.1;
  const candor_membership second = {long_bits, 1500, 2, flips, 0, NULL};
  CHECK(candor_cardinality_total(&second, work, &total, &where, &in_flips) == CANDOR_DOMAIN && where == 2700 &&
        !in_flips);
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
  for (int per_bit = 0; per_bit < 2; per_bit++) {
    for (int inverted = 0; inverted < 2; inverted++) {
      compare_wide(1030, 45, 0.49979, per_bit, inverted); /* 2^504: squares are doubles */
      compare_wide(1030, 45, 0.4998, per_bit, inverted);  /* 2^508 */
      compare_wide(1025, 60, 0.49985, per_bit, inverted); /* squares are not */
      compare_wide(30, 130, 0.49985, per_bit, inverted);  /* the sizes are not */
      compare_wide(7, 16, 0.3, per_bit, inverted);
      compare_wide(7, 17, 0.499, per_bit, inverted);
      compare_wide(7, 48, 0.49, per_bit, inverted);
    }
  }
  test_edges();
  return check_report();
}
