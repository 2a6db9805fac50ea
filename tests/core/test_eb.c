/* Empirical Bayes against sums by brute force, closed forms, and what must hold of any prior and posterior. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "estimate/eb.h"

enum { ROWS = 200, POINTS = 20000, KERNEL = 2000000 };

static double x[POINTS], low[POINTS], high[POINTS], prior[POINTS], work[4 * POINTS], kernel[KERNEL];
static double count[ROWS], categories[ROWS], base[ROWS], slope[ROWS], trials[ROWS], share[ROWS], tilt[ROWS];
static double mean[ROWS], variance[ROWS], quantile[ROWS];
static size_t first[ROWS], last[ROWS], start[ROWS];
static uint64_t state = 20260202;

static double uniform(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return ((double) (state >> 11) + 0.5) / 9007199254740992.0;
}

static candor_eb_rows rows_of(size_t n)
{
  const candor_eb_rows rows = {n, count, categories, base, slope, NULL, share, tilt};
  return rows;
}

/* k categories of a k-ary mechanism with these counts, all different or not, in rising order. */
static candor_eb_rows equal_rows(size_t n, double k, double reports, double a, double b)
{
  for (size_t i = 0; i < n; i++) {
    categories[i] = 1;
    base[i] = reports * b;
    slope[i] = reports * a / k;
    share[i] = tilt[i] = 1 / k;
  }
  return rows_of(n);
}

static candor_eb_grid grid_of(const candor_eb_rows *rows, double most, double relative)
{
  candor_eb_grid grid = {0, x, low, high};
  CHECK(candor_eb_grid_most(rows, relative) <= POINTS);
  CHECK(candor_eb_grid_make(rows, most, relative, &grid) == CANDOR_OK);
  CHECK(grid.n <= candor_eb_grid_most(rows, relative));
  return grid;
}

static void check_grid(const candor_eb_grid *grid, double most)
{
  int one = 0, rising = 1, cells = 1;
  CHECK(grid->x[0] == 0 && grid->low[0] == 0);
  CHECK(grid->x[grid->n - 1] <= most * (1 + 1e-9));
  for (size_t j = 0; j < grid->n; j++) {
    one += grid->x[j] == 1;
    rising = rising && (j == 0 || grid->x[j] > grid->x[j - 1]);
    cells = cells && grid->low[j] <= grid->x[j] && grid->x[j] <= grid->high[j];
    cells = cells && (j == 0 || grid->low[j] >= grid->high[j - 1]);
  }
  CHECK(one == 1 && rising && cells);
}

static candor_eb_bands bands_of(const candor_eb_rows *rows, const candor_eb_grid *grid)
{
  double loglik;
  candor_eb_bands bands = {first, last, start, 0};
  CHECK(candor_eb_bands_make(rows, grid, &bands) == CANDOR_OK);
  CHECK(bands.size <= KERNEL);
  candor_eb_kernel(rows, grid, &bands, kernel, &loglik);
  CHECK(loglik <= 0);
  return bands;
}

/* The kernel is the Poisson (binomial) probability up to a factor of its row. */
static void kernels(void)
{
  const double counts[] = {0, 1, 7, 60, 5000};
  for (int binomial = 0; binomial < 2; binomial++) {
    memcpy(count, counts, sizeof counts);
    candor_eb_rows rows = equal_rows(5, 5, 6000, 0.5, 0.1);
    for (size_t i = 0; i < 5; i++) {
      base[i] = count[i] / 2 + 0.1;
      slope[i] = count[i] / 4 + 0.1;
      trials[i] = 20000;
    }
    rows.trials = binomial ? trials : NULL;
    const double points[] = {0, 0.5, 1, 1.7, 2, 2.3, 3, 5};
    memcpy(x, points, sizeof points);
    const candor_eb_grid grid = {8, x, low, high};
    bands_of(&rows, &grid);
    for (size_t i = 0; i < 5; i++) {
      double best = -INFINITY, exact[8];
      for (size_t j = 0; j < 8; j++) {
        const double m = base[i] + slope[i] * x[j];
        exact[j] = count[i] * log(m) + (binomial ? (20000 - count[i]) * log(1 - m / 20000) : -m);
        best = fmax(best, exact[j]);
      }
      for (size_t j = first[i]; j < last[i]; j++)
        CHECK_NEAR(kernel[start[i] + j - first[i]], exp(exact[j] - best), 1e-10);
      for (size_t j = 0; j < 8; j++) CHECK((j >= first[i] && j < last[i]) || exact[j] - best < -45.9);
    }
  }
}

/* A count of 1.4e14 where at most 1e13 is expected: the chances of means that differ by e, relatively, differ by
 * (1.4e14 - 1e13) e on the logarithmic scale, less 1.4e14 e^2 / 2, which is below 1e-11. Each of the two logarithms is
 * about 2e14, with an error of .03. */
static void far_off(void)
{
  const double top = 1e13;
  for (int binomial = 0; binomial < 2; binomial++) {
    count[0] = 1.4e14;
    candor_eb_rows rows = equal_rows(1, 1, 1, 1, 0);
    slope[0] = top;
    trials[0] = 1e17;
    rows.trials = binomial ? trials : NULL;
    x[0] = 0;
    for (size_t j = 1; j < 9; j++) x[j] = 1 - (8 - (double) j) * 0x1p-45;
    const candor_eb_grid grid = {9, x, low, high};
    bands_of(&rows, &grid);
    CHECK(first[0] == 1 && last[0] == 9);
    /* Of the binomial's other reports (1e17 - 1.4e14) e / (1e17 - 1e13) 1e13 are lost, in place of e 1e13. */
    const double rate = binomial ? 1.4e14 - 1e13 * ((1e17 - 1.4e14) / (1e17 - 1e13)) : 1.3e14;
    for (size_t j = 1; j < 9; j++) CHECK_NEAR(kernel[j - 1], exp(rate * (x[j] - 1)), 1e-9);
  }
}

/* Means and variances of a given prior by plain sums, and quantiles as the inverse of the distribution function. */
static void posteriors(void)
{
  for (int round = 0; round < 200; round++) {
    const size_t n = 2 + (size_t) (uniform() * 30);
    double reports = 0, total = 0, eta;
    for (size_t i = 0; i < n; i++)
      reports += count[i] = floor(i > 0 ? count[i - 1] + 20 * uniform() * uniform() : 3 * uniform());
    reports += reports == 0 ? count[n - 1] = 1, 1 : 0;
    const candor_eb_rows rows = equal_rows(n, (double) n, reports, 0.6, 0.4 / (double) n);
    const candor_eb_grid grid = grid_of(&rows, (double) n, 0);
    check_grid(&grid, (double) n);
    const candor_eb_bands bands = bands_of(&rows, &grid);
    double sum = 0;
    for (size_t j = 0; j < grid.n; j++) sum += prior[j] = 0.01 + uniform();
    for (size_t j = 0; j < grid.n; j++) prior[j] /= sum;
    /* A total of 0 cannot be reached: no tilt. */
    CHECK(candor_eb_posterior(&rows, &grid, &bands, kernel, prior, 0, &eta, mean, variance) == CANDOR_OK && eta == 0);
    double expected[ROWS];
    for (size_t i = 0; i < n; i++) {
      double f = 0, e = 0, e2 = 0;
      for (size_t j = 0; j < grid.n; j++) {
        const double m = base[i] + slope[i] * x[j], c = count[i];
        const double p = prior[j] * exp((c > 0 ? c * log(m / c) : 0) - (m - c));
        f += p;
        e += p * x[j];
        e2 += p * x[j] * x[j];
      }
      CHECK_NEAR(mean[i], e / f, 1e-9 * (1 + e / f));
      CHECK_NEAR(variance[i], e2 / f - e * e / f / f, 1e-7 * (1 + e2 / f));
      expected[i] = e / f;
      total += share[i] * e / f;
    }
    /* Totals near what it is are reached, with means that rise with the count. */
    const double wanted = total * (0.8 + 0.4 * uniform());
    CHECK(candor_eb_posterior(&rows, &grid, &bands, kernel, prior, wanted, &eta, mean, variance) == CANDOR_OK);
    double reached = 0;
    for (size_t i = 0; i < n; i++) {
      reached += share[i] * mean[i];
      CHECK(i == 0 || mean[i] >= mean[i - 1] - 1e-12);
      CHECK((wanted - total) * (mean[i] - expected[i]) >= -1e-12);
    }
    CHECK_NEAR(reached, wanted, 1e-9);
    candor_eb_cumulate(&rows, &grid, &bands, prior, eta, kernel);
    double before[ROWS];
    for (int step = 1; step < 20; step++) {
      candor_eb_quantiles(&rows, &grid, &bands, kernel, step / 20.0, quantile);
      for (size_t i = 0; i < n; i++) CHECK(quantile[i] >= 0 && (step == 1 || quantile[i] >= before[i]));
      memcpy(before, quantile, sizeof before);
    }
    candor_eb_median(&rows, &grid, &bands, kernel, wanted, quantile);
    reached = 0;
    for (size_t i = 0; i < n; i++) reached += share[i] * quantile[i];
    CHECK_NEAR(reached, wanted, 1e-6);
  }
}

static candor_eb_summary learn(const candor_eb_rows *rows, candor_eb_grid *grid, candor_eb_bands *bands, double k,
                               double relative, double free)
{
  const candor_eb_shapes shapes = {k, 0.5, 0.2, 0.1, 0.2, relative > 0, free};
  candor_eb_summary summary = {0};
  *grid = grid_of(rows, k, relative);
  check_grid(grid, k);
  *bands = bands_of(rows, grid);
  CHECK(candor_eb_prior_work(grid) <= 4 * POINTS);
  CHECK(candor_eb_prior(rows, grid, bands, kernel, &shapes, work, prior, &summary) == CANDOR_OK);
  double sum = 0, least = 1;
  for (size_t j = 0; j < grid->n; j++) {
    sum += prior[j];
    least = fmin(least, prior[j]);
  }
  CHECK_NEAR(sum, 1, 1e-7);
  CHECK(least > 0);
  CHECK_NEAR(summary.point + summary.power + summary.pair + summary.single, 1, 1e-12);
  return summary;
}

/* What the counts say is what is learned. */
static void priors(void)
{
  candor_eb_grid grid;
  candor_eb_bands bands;
  double eta;
  /* 50 categories with the same count: the point. */
  count[0] = 1000;
  candor_eb_rows rows = equal_rows(1, 50, 50000, 0.5, 0.01);
  categories[0] = 50;
  candor_eb_summary summary = learn(&rows, &grid, &bands, 50, 0, 1);
  CHECK(summary.point > 0.5);
  CHECK(candor_eb_posterior(&rows, &grid, &bands, kernel, prior, 1, &eta, mean, variance) == CANDOR_OK);
  CHECK_NEAR(mean[0], 1, 1e-9);
  /* Two levels far apart, 90 at one and 10 at the other: the estimates are the levels. */
  count[0] = 1000;
  count[1] = 9000;
  rows = equal_rows(2, 100, 180000, 1, 0);
  categories[0] = 90;
  categories[1] = 10;
  summary = learn(&rows, &grid, &bands, 100, 0, 1);
  CHECK(summary.point < 1e-6);
  CHECK(candor_eb_posterior(&rows, &grid, &bands, kernel, prior, 1, &eta, mean, variance) == CANDOR_OK);
  CHECK_NEAR(mean[0], 1000.0 / 1800, 0.002);
  CHECK_NEAR(mean[1], 5, 0.02);
  /* Their errors are below those of one count alone, whose deviation is sqrt(1000) / 1800. */
  CHECK(sqrt(variance[0]) < 0.5 * sqrt(1000) / 1800);
  /* 19 categories with one count, one five standard deviations above them: not chance, which gets there once in 170,000
   * times twenty, and the power laws have too little in one category. */
  count[0] = 98;
  count[1] = 98 + 5 * sqrt(98);
  rows = equal_rows(2, 20, 19 * 98 + count[1], 0.05, 0.0475);
  categories[0] = 19;
  summary = learn(&rows, &grid, &bands, 20, 0, 1);
  CHECK(summary.point < 0.05 && summary.single > summary.power);
  CHECK(candor_eb_posterior(&rows, &grid, &bands, kernel, prior, 1, &eta, mean, variance) == CANDOR_OK);
  CHECK_NEAR(mean[1], (count[1] - base[1]) / slope[1], sqrt(count[1]) / slope[1]);
  /* Shares in a power law, as large as counts that follow it to the rounding: no point, no pair. */
  double reports = 0;
  const size_t n = 200;
  for (size_t i = 0; i < n; i++) reports += count[i] = floor(20000 / pow((double) (n - i), 1.2));
  rows = equal_rows(n, (double) n, reports, 1, 0);
  summary = learn(&rows, &grid, &bands, (double) n, 0, 0);
  /* (One category above a power law may be another.) */
  CHECK(summary.power + summary.single > 0.999);
  /* A reference that is right: the log-normal laws find little spread. */
  for (size_t i = 0; i < n; i++) {
    share[i] = count[i] / reports;
    slope[i] = count[i];
    tilt[i] = share[i];
  }
  summary = learn(&rows, &grid, &bands, (double) n, 0.03, 1);
  CHECK(candor_eb_posterior(&rows, &grid, &bands, kernel, prior, 1, &eta, mean, variance) == CANDOR_OK);
  for (size_t i = 0; i < n; i += 20) CHECK_NEAR(mean[i], 1, 0.05);
}

/* Counts near 2^53, all reports in one category, no reports but one. */
static void extremes(void)
{
  const double counts[][3] = {{0, 0, 1},
                              {0, 1, 9007199254740991.0},
                              {4503599627370496.0, 4503599627370496.0, 4503599627370496.0},
                              {0, 5, 1e15},
                              {3, 3, 3}};
  const double keep[] = {1, 0.9, 1e-3};
  candor_eb_grid grid;
  candor_eb_bands bands;
  double eta;
  for (int c = 0; c < 5; c++) {
    for (int p = 0; p < 3; p++) {
      memcpy(count, counts[c], sizeof counts[c]);
      const double reports = count[0] + count[1] + count[2];
      const candor_eb_rows rows = equal_rows(3, 3, reports, keep[p], (1 - keep[p]) / 3);
      learn(&rows, &grid, &bands, 3, 0, 1);
      CHECK(candor_eb_posterior(&rows, &grid, &bands, kernel, prior, 1, &eta, mean, variance) == CANDOR_OK);
      for (int i = 0; i < 3; i++) CHECK(isfinite(mean[i]) && mean[i] >= 0 && isfinite(variance[i]) && variance[i] >= 0);
    }
  }
}

static void refusals(void)
{
  candor_eb_grid grid = {0, x, low, high};
  count[0] = 1;
  count[1] = 2;
  candor_eb_rows rows = equal_rows(2, 2, 3, 0.5, 0.25);
  CHECK(candor_eb_grid_make(&rows, 1, 0, &grid) == CANDOR_DOMAIN);
  CHECK(candor_eb_grid_make(&rows, 2, -1, &grid) == CANDOR_DOMAIN);
  rows.n = 0;
  CHECK(candor_eb_grid_make(&rows, 2, 0, &grid) == CANDOR_EMPTY);
  rows.n = 2;
  count[1] = -1;
  CHECK(candor_eb_grid_make(&rows, 2, 0, &grid) == CANDOR_DOMAIN);
  count[1] = NAN;
  CHECK(candor_eb_grid_make(&rows, 2, 0, &grid) == CANDOR_NOT_FINITE);
  count[1] = 2;
  slope[1] = 0;
  CHECK(candor_eb_grid_make(&rows, 2, 0, &grid) == CANDOR_DOMAIN);
  slope[1] = 1;
  grid = grid_of(&rows, 2, 0);
  const candor_eb_bands bands = bands_of(&rows, &grid);
  const candor_eb_shapes bad[] = {{2, 0, 1, 1, 1, 0, 0},
                                  {2, NAN, 1, 1, 1, 0, 0},
                                  {0, 1, 1, 1, 1, 0, 0},
                                  {2, 1, -1, 1, 1, 0, 0},
                                  {2, 1, 1, 1, -1, 0, 0}};
  const candor_status refused[] = {CANDOR_DOMAIN, CANDOR_NOT_FINITE, CANDOR_DOMAIN, CANDOR_DOMAIN, CANDOR_DOMAIN};
  candor_eb_summary summary;
  for (int i = 0; i < 5; i++)
    CHECK(candor_eb_prior(&rows, &grid, &bands, kernel, &bad[i], work, prior, &summary) == refused[i]);
}

int main(void)
{
  kernels();
  far_off();
  posteriors();
  priors();
  extremes();
  refusals();
  return check_report();
}
