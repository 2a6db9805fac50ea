/* The exact estimate, inversions and projections against closed forms by hand, a naive oracle that
 * sorts, and the KKT certificate. */
#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "estimate/ibu.h"
#include "estimate/simplex.h"
#include "uniform.h"
#include "workspace.h"

enum { MOST = 4096 };

static candor_additive grr(size_t n, double epsilon)
{
  const double z = exp(-epsilon), below = 1 + ((double) n - 1) * z;
  return (candor_additive){n, -expm1(-epsilon) / below, NULL, z / below, expm1(epsilon)};
}

static double sum_of(const double *x, size_t n)
{
  long double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  return (double) sum;
}

static double gap_of(const candor_additive *channel, const double *counts, const double *theta)
{
  double loglik, gap = NAN;
  CHECK(candor_loglik(channel, counts, theta, &loglik, &gap, NULL) == CANDOR_OK);
  return gap;
}

static int descending(const void *x, const void *y)
{
  const double u = *(const double *) x, v = *(const double *) y;
  return (u < v) - (u > v);
}

/* Every prefix of the sorted counts as a support; the one whose threshold parts it from the rest. */
static void naive_mle(const candor_additive *channel, const double *counts, double *theta)
{
  const size_t n = channel->categories;
  double sorted[MOST];
  memcpy(sorted, counts, n * sizeof(double));
  qsort(sorted, n, sizeof(double), descending);
  long double sum = 0, t = 0;
  for (size_t m = 1; m <= n; m++) {
    sum += sorted[m - 1];
    t = sum / ((long double) m + channel->odds);
    if (m == n || sorted[m] < t) break;
  }
  for (size_t i = 0; i < n; i++) {
    const long double v = ((long double) counts[i] / t - 1) / channel->odds;
    theta[i] = v > 0 ? (double) v : 0;
  }
}

static void by_hand(void)
{
  double theta[5], work[10];
  candor_simplex_fit fit;
  /* p = 1/2, q = 1/4, counts 1 1 2: at the threshold 1/4 of the total both ones tie, theta = (0, 0, 1). */
  const candor_additive half = {3, 0.25, NULL, 0.25, 1};
  const double tie[] = {1, 1, 2};
  CHECK(candor_mle(&half, tie, 0, work, &fit, theta) == CANDOR_OK);
  CHECK_NEAR(theta[0], 0, 1e-15);
  CHECK_NEAR(theta[2], 1, 1e-15);
  CHECK(fit.zeros == 2 && fit.unique);
  /* phi = (1, 7, 12)/20, p = 4/5, q = 1/10: theta = (0, 44, 89)/133. */
  const candor_additive four_fifths = {3, 0.7, NULL, 0.1, 7};
  const double paper[] = {1, 7, 12};
  CHECK(candor_mle(&four_fifths, paper, 0, work, &fit, theta) == CANDOR_OK);
  CHECK_NEAR(theta[0], 0, 0);
  CHECK_NEAR(theta[1], 44.0 / 133, 1e-15);
  CHECK_NEAR(theta[2], 89.0 / 133, 1e-15);
  CHECK(fit.active == 2 && fit.zeros == 1);
  CHECK_NEAR(fit.active_sum, 19, 0);
  CHECK_NEAR(fit.threshold, 19.0 / 9, 1e-15);
  CHECK(candor_inv(&four_fifths, paper, theta) == CANDOR_OK);
  CHECK_NEAR(theta[0], -1.0 / 14, 1e-15);
  CHECK_NEAR(theta[2], 5.0 / 7, 1e-15);
  CHECK(candor_invn(&four_fifths, paper, theta) == CANDOR_OK);
  CHECK_NEAR(theta[1], 1.0 / 3, 1e-15);
  CHECK(candor_invp(&four_fifths, paper, work, NULL, theta) == CANDOR_OK);
  CHECK_NEAR(theta[0], 0, 0);
  CHECK_NEAR(theta[1], 9.0 / 28, 1e-15);
  /* p = 0: a report excludes its category. Only the first is observed; the others share. */
  const candor_additive never = {3, -0.5, NULL, 0.5, -1};
  const double one[] = {5, 0, 0};
  CHECK(candor_mle(&never, one, 0, work, &fit, theta) == CANDOR_OK);
  CHECK(theta[0] == 0 && theta[1] == 0.5 && theta[2] == 0.5 && !fit.unique);
  /* ... and one that was never reported takes all, whatever the ratio of the others. */
  const double but_one[] = {5, 0, 7};
  CHECK(candor_mle(&never, but_one, 0, work, &fit, theta) == CANDOR_OK);
  CHECK(theta[0] == 0 && theta[1] == 1 && theta[2] == 0 && fit.unique);
  /* Truth for certain: the shares. */
  const candor_additive plain = {3, 1, NULL, 0, INFINITY};
  CHECK(candor_mle(&plain, but_one, 0, work, &fit, theta) == CANDOR_OK);
  CHECK(theta[0] == 5.0 / 12 && theta[1] == 0 && theta[2] == 7.0 / 12);
  CHECK(fit.zeros == 1);
  const candor_additive single = {1, 1, NULL, 0, INFINITY};
  CHECK(candor_mle(&single, one, 0, work, &fit, theta) == CANDOR_OK && theta[0] == 1);
}

/* Forced response "yes" with probability 1/6, "no" 1/12, truth 3/4: clip((phi - b) / a, 0, 1). */
static void forced_response(void)
{
  const double b[] = {1.0 / 12, 1.0 / 6};
  double theta[2], work[4];
  candor_simplex_fit fit;
  for (int yes = 0; yes <= 24; yes++) {
    for (int flip = 0; flip < 2; flip++) {
      const double counts[] = {24 - yes, yes};
      /* Flipped: the labels of the reports exchanged, which makes a = -3/4. */
      const double swapped[] = {yes, 24 - yes};
      const double other[] = {b[1] + 0.75, b[0] + 0.75};
      const candor_additive channel = {2, flip ? -0.75 : 0.75, flip ? other : b, 0, 0};
      const double expected = fmin(1, fmax(0, (yes / 24.0 - 1.0 / 6) / 0.75));
      CHECK(candor_mle(&channel, flip ? swapped : counts, 0, work, &fit, theta) == CANDOR_OK);
      CHECK_NEAR(theta[1], expected, 1e-15);
      CHECK_NEAR(theta[0] + theta[1], 1, 1e-15);
      CHECK(candor_inv(&channel, flip ? swapped : counts, theta) == CANDOR_OK);
      CHECK_NEAR(theta[1], (yes / 24.0 - 1.0 / 6) / 0.75, 1e-14);
    }
  }
}

static void against_naive(void)
{
  static double counts[MOST], theta[MOST], expected[MOST], sorted[MOST], work[2 * MOST];
  candor_simplex_fit fit;
  for (int round = 0; round < 4000; round++) {
    const size_t n = 1 + (size_t) (uniform() * (round % 10 ? 30 : MOST - 1));
    const double epsilon = exp(log(1e-3) + uniform() * log(1e4));
    const double most = exp(uniform() * 12);
    const candor_additive channel = n == 1 ? (candor_additive){1, 1, NULL, 0, INFINITY} : grr(n, epsilon);
    for (size_t i = 0; i < n; i++) counts[i] = floor(most * uniform() * uniform());
    counts[n - 1] += 1;
    CHECK(candor_mle(&channel, counts, 0, work, &fit, theta) == CANDOR_OK);
    CHECK_NEAR(sum_of(theta, n), 1, 2e-15);
    CHECK(gap_of(&channel, counts, theta) <= 1e-12);
    CHECK(candor_mle(&channel, counts, 1, work, &fit, sorted) == CANDOR_OK);
    double worst = 0, apart = 0;
    if (n > 1) {
      naive_mle(&channel, counts, expected);
      for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(theta[i] - expected[i]));
        apart = fmax(apart, fabs(theta[i] - sorted[i]));
      }
    }
    CHECK(worst <= 1e-12);
    CHECK(apart <= 1e-14);
  }
}

static void any_channel(void)
{
  static double b[MOST], counts[MOST], theta[MOST], sorted[MOST], work[2 * MOST];
  candor_simplex_fit fit;
  for (int round = 0; round < 4000; round++) {
    const size_t n = 2 + (size_t) (uniform() * 40);
    const int negative = round % 3 == 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      b[i] = negative ? 0.05 + uniform() : uniform() < 0.2 ? 0 : uniform();
      counts[i] = uniform() < 0.3 ? 0 : floor(100 * uniform() * uniform());
      sum += b[i];
    }
    counts[0] += 1;
    /* a = -min(b) / 2 at most, after scaling to sum(b) = 1 - a. */
    const double a = negative ? -0.02 / (sum - 0.02) : 0.1 + 0.8 * uniform();
    for (size_t i = 0; i < n; i++) b[i] *= sum > 0 ? (1 - a) / sum : 0;
    if (!(sum > 0)) continue;
    const candor_additive channel = {n, a, b, 0, 0};
    CHECK(candor_mle(&channel, counts, 0, work, &fit, theta) == CANDOR_OK);
    CHECK_NEAR(sum_of(theta, n), 1, 2e-15);
    CHECK(gap_of(&channel, counts, theta) <= 1e-12);
    size_t zeros = 0;
    for (size_t i = 0; i < n; i++) zeros += theta[i] == 0;
    CHECK(fit.zeros == zeros);
    CHECK(candor_mle(&channel, counts, 1, work, &fit, sorted) == CANDOR_OK);
    double apart = 0;
    for (size_t i = 0; i < n; i++) apart = fmax(apart, fabs(theta[i] - sorted[i]));
    CHECK(apart <= 1e-13);
    CHECK(candor_invp(&channel, counts, work, &fit, theta) == CANDOR_OK);
    CHECK_NEAR(sum_of(theta, n), 1, 2e-15);
    CHECK(candor_invn(&channel, counts, theta) == CANDOR_OK);
    CHECK_NEAR(sum_of(theta, n), 1, 2e-15);
  }
}

/* p < q: the certificate decides. */
static void speaking_against(void)
{
  static double counts[MOST], theta[MOST], work[MOST];
  candor_simplex_fit fit;
  for (int round = 0; round < 3000; round++) {
    const size_t n = 2 + (size_t) (uniform() * 60);
    const candor_additive channel = grr(n, round % 7 ? -5 * uniform() - 1e-3 : -1e-6);
    for (size_t i = 0; i < n; i++) counts[i] = uniform() < 0.4 ? 0 : floor(60 * uniform());
    counts[0] += 1;
    CHECK(candor_mle(&channel, counts, 0, work, &fit, theta) == CANDOR_OK);
    CHECK_NEAR(sum_of(theta, n), 1, 2e-15);
    CHECK(gap_of(&channel, counts, theta) <= 1e-12);
  }
}

/* Long enough for the sampled start, with a sample that misleads: all that counts lies between the
 * places it looks at, or only there. */
static void sampled_start(void)
{
  const size_t n = 70000;
  double *counts = malloc(n * sizeof(double)), *theta = malloc(n * sizeof(double));
  double *sorted = malloc(n * sizeof(double)), *work = malloc(n * sizeof(double));
  candor_simplex_fit fit;
  for (int shape = 0; shape < 6; shape++) {
    for (int e = 0; e < 4; e++) {
      const double epsilons[] = {0.01, 1, 8, -2};
      const candor_additive channel = grr(n, epsilons[e]);
      const size_t stride = n / 512;
      for (size_t i = 0; i < n; i++) {
        const int seen = i % stride < 8;
        const double noise = floor(10 * uniform());
        counts[i] = shape == 0   ? noise
                    : shape == 1 ? (seen ? 1000 * uniform() : 1)
                    : shape == 2 ? (seen ? 1 : 1000 * noise)
                    : shape == 3 ? (i == 17 ? 1e9 : noise)
                    : shape == 4 ? 5
                    : seen       ? floor(50 + 50 * uniform())
                                 : floor(60 * uniform());
      }
      CHECK(candor_mle(&channel, counts, 0, work, &fit, theta) == CANDOR_OK);
      CHECK_NEAR(sum_of(theta, n), 1, 2e-15);
      CHECK(gap_of(&channel, counts, theta) <= 1e-12);
      CHECK(candor_mle(&channel, counts, 1, work, &fit, sorted) == CANDOR_OK);
      double apart = 0;
      size_t zeros = 0;
      for (size_t i = 0; i < n; i++) {
        apart = fmax(apart, fabs(theta[i] - sorted[i]));
        zeros += sorted[i] == 0;
      }
      CHECK(apart <= 1e-13);
      CHECK(fit.zeros == zeros);
    }
  }
  free(counts);
  free(theta);
  free(sorted);
  free(work);
}

static void projections(void)
{
  double x[50], out[50], work[50];
  for (int round = 0; round < 2000; round++) {
    const size_t n = 1 + (size_t) (uniform() * 49);
    const double total = round % 2 ? 1 : 1000 * uniform() + 1;
    for (size_t i = 0; i < n; i++) x[i] = (uniform() - 0.3) * (round % 3 ? 1 : 1e6);
    CHECK(candor_project(x, n, total, work, out) == CANDOR_OK);
    CHECK_NEAR(sum_of(out, n) / total, 1, 2e-15);
    /* Optimal iff x - out is equal where out > 0, and no larger elsewhere. */
    double shift = -INFINITY, slack = -INFINITY, spread = INFINITY;
    for (size_t i = 0; i < n; i++) {
      CHECK(out[i] >= 0);
      if (out[i] > 0) {
        shift = fmax(shift, x[i] - out[i]);
        spread = fmin(spread, x[i] - out[i]);
      }
    }
    for (size_t i = 0; i < n; i++) slack = out[i] > 0 ? slack : fmax(slack, x[i] - shift);
    CHECK(shift - spread <= 1e-9 && slack <= 1e-9);
  }
  const double bad[] = {1, NAN};
  CHECK(candor_project(bad, 2, 1, work, out) == CANDOR_NOT_FINITE);
  CHECK(candor_project(bad, 1, 0, work, out) == CANDOR_DOMAIN);
  CHECK(candor_project(bad, 0, 1, work, out) == CANDOR_DOMAIN);
}

/* p - q by subtraction and running sums fail here by up to 1e1 (errata P25). */
static void hard_for_floats(void)
{
  const size_t n = 100;
  double counts[100], theta[100], work[100];
  candor_simplex_fit fit;
  const double epsilons[] = {1e-12, 1e-15, 1e-9, 30, 300, 700};
  for (int e = 0; e < 6; e++) {
    const candor_additive channel = grr(n, epsilons[e]);
    for (int weights = 0; weights < 2; weights++) {
      for (size_t i = 0; i < n; i++)
        counts[i] = weights ? 1 + 1e-3 * uniform() : floor(3 * uniform()) + (double) (i == 50);
      CHECK(candor_mle(&channel, counts, 0, work, &fit, theta) == CANDOR_OK);
      CHECK_NEAR(sum_of(theta, n), 1, 2e-15);
      CHECK(gap_of(&channel, counts, theta) <= 1e-12);
    }
    for (size_t i = 0; i < n; i++) counts[i] = 7;
    CHECK(candor_mle(&channel, counts, 0, work, &fit, theta) == CANDOR_OK);
    CHECK_NEAR(theta[31], 0.01, 1e-16);
  }
}

static void refusals(void)
{
  double theta[4], work[8];
  candor_simplex_fit fit;
  const candor_additive good = grr(3, 1);
  const double nothing[] = {0, 0, 0}, negative[] = {1, -1, 3}, nan[] = {1, NAN, 3};
  const double infinite[] = {1, INFINITY, 3}, fine[] = {1, 2, 3}, huge[] = {1e200, 1, 1};
  const double *bad[] = {nothing, negative, nan, infinite, huge};
  const candor_status expected[] = {CANDOR_EMPTY, CANDOR_DOMAIN, CANDOR_NOT_FINITE, CANDOR_NOT_FINITE, CANDOR_DOMAIN};
  for (int i = 0; i < 5; i++) {
    CHECK(candor_mle(&good, bad[i], 0, work, &fit, theta) == expected[i]);
    CHECK(candor_inv(&good, bad[i], theta) == expected[i]);
    CHECK(candor_invn(&good, bad[i], theta) == expected[i]);
    CHECK(candor_invp(&good, bad[i], work, &fit, theta) == expected[i]);
  }
  const double third[] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, off[] = {0.5, 0.5, 0.5}, minus[] = {-0.5, 0.5, 0.5};
  const candor_additive channels[] = {{3, 0, NULL, 1.0 / 3, 0},     {3, 0, third, 0, 0},    {0, 1, NULL, 0, INFINITY},
                                      {3, 0.5, NULL, 0.3, 5.0 / 3}, {3, NAN, NULL, 0.3, 1}, {3, 0.25, NULL, NAN, 1},
                                      {3, 0.25, NULL, 0.25, NAN},   {3, 0.5, off, 0, 0},    {3, 0.5, minus, 0, 0},
                                      {3, 0.25, NULL, 0.25, -1},    {3, 2, NULL, 0.25, 1},  {3, 0.25, NULL, 0.25, 3}};
  const candor_status refused[] = {CANDOR_NO_INFORMATION, CANDOR_NO_INFORMATION, CANDOR_DOMAIN,     CANDOR_DOMAIN,
                                   CANDOR_NOT_FINITE,     CANDOR_NOT_FINITE,     CANDOR_NOT_FINITE, CANDOR_DOMAIN,
                                   CANDOR_DOMAIN,         CANDOR_DOMAIN,         CANDOR_DOMAIN,     CANDOR_DOMAIN};
  for (int i = 0; i < 12; i++) CHECK(candor_mle(&channels[i], fine, 0, work, &fit, theta) == refused[i]);
}

static void counts_totals(void)
{
  double counts[600], total;
  for (size_t n = 1; n <= 600; n += n < 40 ? 1 : 91) {
    double expected = 0;
    for (size_t i = 0; i < n; i++) expected += counts[i] = floor(1000 * uniform()) + 1;
    CHECK(candor_counts_total(counts, n, &total) == CANDOR_OK && total == expected);
    for (size_t i = 0; i < n; i += n < 40 ? 1 : 17) {
      const double before = counts[i];
      counts[i] = -0.5;
      CHECK(candor_counts_total(counts, n, &total) == CANDOR_DOMAIN);
      counts[i] = NAN;
      CHECK(candor_counts_total(counts, n, &total) == CANDOR_NOT_FINITE);
      counts[i] = INFINITY;
      CHECK(candor_counts_total(counts, n, &total) == CANDOR_NOT_FINITE);
      counts[i] = before;
    }
  }
  const double totals[] = {1e-100, 1e100, 0.99e-100, 1.01e100, 0};
  const candor_status status[] = {CANDOR_OK, CANDOR_OK, CANDOR_DOMAIN, CANDOR_DOMAIN, CANDOR_EMPTY};
  for (int k = 0; k < 5; k++) CHECK(candor_counts_total(&totals[k], 1, &total) == status[k]);
}

/* What is no channel, and what just is one. */
static void channels(void)
{
  double b[3] = {0.25, 0.25, 0.25};
  candor_additive c = {3, 0.25, b, 0, 0};
  CHECK(candor_additive_check(&c) == CANDOR_OK);
  b[2] = NAN;
  CHECK(candor_additive_check(&c) == CANDOR_NOT_FINITE);
  b[2] = 0.25 + 2e-8;
  CHECK(candor_additive_check(&c) == CANDOR_DOMAIN);
  b[2] = 0.25 + 0.5e-8;
  CHECK(candor_additive_check(&c) == CANDOR_OK);
  const double edges[][3] = {
      {1.25, 0, 0}, {0, 0.5, 0.75}, {0.2, 0.5, 0.55}, {0.25, 0.5, 0.5}, {0.25 - 1e-13, 0.5, 0.5 + 1e-13}};
  const candor_status against[] = {CANDOR_DOMAIN, CANDOR_DOMAIN, CANDOR_DOMAIN, CANDOR_OK, CANDOR_OK};
  c.keep = -0.25;
  for (int k = 0; k < 5; k++) {
    memcpy(b, edges[k], sizeof b);
    CHECK(candor_additive_check(&c) == against[k]);
  }
  const double whole[3] = {1, 0, 0};
  const candor_additive tiny = {3, 0.9e-14, whole, 0, 0}, small = {3, 1.1e-14, whole, 0, 0};
  CHECK(candor_additive_check(&tiny) == CANDOR_NO_INFORMATION && candor_additive_check(&small) == CANDOR_OK);
  const struct {
    candor_additive channel;
    candor_status status;
  } uniform_ones[] = {{{2, -1, NULL, 1, -1}, CANDOR_OK},
                      {{2, 1, NULL, 0, INFINITY}, CANDOR_OK},
                      {{2, 1, NULL, 0, 5}, CANDOR_DOMAIN},
                      {{2, 1, NULL, 1e-301, INFINITY}, CANDOR_OK},
                      {{2, 1, NULL, 1e-9, INFINITY}, CANDOR_DOMAIN},
                      {{2, 0.5, NULL, 0.25, 0}, CANDOR_NO_INFORMATION},
                      {{2, 0.5, NULL, 0.25, 2}, CANDOR_OK},
                      {{2, 0.5, NULL, 0.25, 2 * (1 + 2e-6)}, CANDOR_DOMAIN},
                      {{2, 0.5, NULL, 0.25, 2 * (1 + 0.5e-6)}, CANDOR_OK},
                      {{2, 0.5, NULL, 0.25 + 1e-8, 2}, CANDOR_DOMAIN},
                      {{2, -0.5, NULL, 0.75, -0.5 / 0.75}, CANDOR_OK},
                      {{2, -0.5, NULL, 0.75, 0.5 / 0.75}, CANDOR_DOMAIN},
                      {{3, -0.8, NULL, 0.6, -4.0 / 3}, CANDOR_DOMAIN},
                      {{2, 0.25e-100, NULL, 0.5, 0.5e-100}, CANDOR_DOMAIN},
                      {{1, -1, NULL, 2, -0.5}, CANDOR_DOMAIN},
                      {{1, 1, NULL, -0.1, INFINITY}, CANDOR_DOMAIN},
                      {{2, 1e-101, NULL, 0.5, 0.9e-100}, CANDOR_DOMAIN},
                      {{2, 1e-99, NULL, 0.5, 2e-99}, CANDOR_OK},
                      {{2, -1.5, NULL, 1, -1.5}, CANDOR_DOMAIN},
                      {{2, INFINITY, NULL, 0, INFINITY}, CANDOR_NOT_FINITE}};
  for (size_t k = 0; k < sizeof uniform_ones / sizeof *uniform_ones; k++)
    CHECK(candor_additive_check(&uniform_ones[k].channel) == uniform_ones[k].status);
}

/* What a fit says of itself, against the support by sorting; workspaces of exactly their sizes. */
static void reports_of_fits(void)
{
  for (int round = 0; round < 300; round++) {
    const size_t n = 2 + (size_t) (uniform() * 60);
    const candor_additive channel = grr(n, exp(log(1e-2) + uniform() * log(1e3)));
    double *counts = malloc(n * sizeof *counts), *theta = malloc(n * sizeof *theta),
           *sorted = malloc(n * sizeof *sorted);
    double *work = workspace(candor_simplex_work(&channel)), sum = 0, t = 0;
    candor_simplex_fit fit, by_order;
    for (size_t i = 0; i < n; i++) sorted[i] = counts[i] = 1000 * uniform() * uniform();
    qsort(sorted, n, sizeof(double), descending);
    size_t m = 1;
    for (; m <= n; m++) {
      sum += sorted[m - 1];
      t = sum / ((double) m + channel.odds);
      if (m == n || sorted[m] < t) break;
    }
    CHECK(candor_mle(&channel, counts, 0, work, &fit, theta) == CANDOR_OK);
    CHECK(fit.active == m && fit.zeros == n - m && fit.unique == 1 && fit.sorted == 0 && fit.passes >= 1);
    CHECK_NEAR(fit.active_sum, sum, 1e-9);
    CHECK_NEAR(fit.threshold, t, 1e-9);
    CHECK(candor_mle(&channel, counts, 1, work, &by_order, theta) == CANDOR_OK);
    CHECK(by_order.active == m && by_order.sorted == (fit.passes > 1) && by_order.passes == 1);
    /* The projection of the inversion: sum of max(0, n_i - t) is N a. */
    const double total = sum_of(counts, n), goal = total * channel.keep;
    sum = 0;
    for (m = 1; m <= n; m++) {
      sum += sorted[m - 1];
      t = (sum - goal) / (double) m;
      if (m == n || sorted[m] < t) break;
    }
    CHECK(candor_invp(&channel, counts, work, &fit, theta) == CANDOR_OK);
    CHECK(fit.active == m && fit.zeros == n - m && fit.unique == 1);
    CHECK_NEAR(fit.threshold, t, 1e-9 * (1 + fabs(t)));
    for (size_t i = 0; i < n; i++) CHECK_NEAR(theta[i], fmax(counts[i] - t, 0) / goal, 1e-9);
    CHECK(candor_inv(&channel, counts, theta) == CANDOR_OK);
    double clipped = 0;
    for (size_t i = 0; i < n; i++) {
      const double inverse = (counts[i] / total - channel.other_all) / channel.keep;
      CHECK_NEAR(theta[i], inverse, 1e-12 / channel.keep);
      clipped += fmax(inverse, 0);
    }
    CHECK(candor_invn(&channel, counts, sorted) == CANDOR_OK);
    for (size_t i = 0; i < n; i++) CHECK_NEAR(sorted[i], fmax(theta[i], 0) / clipped, 1e-10 / channel.keep);
    free(counts), free(theta), free(sorted), free(work);
  }
  const double b[2] = {0.2, 0.3};
  const candor_additive vector = {2, 0.5, b, 0, 0}, scalar = grr(2, 1);
  CHECK(candor_simplex_work(&vector) == 4 && candor_simplex_work(&scalar) == 2);
  double work[2], out[2];
  const double x[2] = {3, 1};
  CHECK(candor_project(x, 2, 1e-101, work, out) == CANDOR_DOMAIN);
  CHECK(candor_project(x, 2, 1.1e100, work, out) == CANDOR_DOMAIN);
  CHECK(candor_project(x, 2, 1e-100, work, out) == CANDOR_OK && candor_project(x, 2, 1e100, work, out) == CANDOR_OK);
  CHECK(candor_project(x, 2, 4, work, out) == CANDOR_OK && out[0] == 3 && out[1] == 1);
  CHECK(candor_project(x, 2, 2, work, out) == CANDOR_OK && out[0] == 2 && out[1] == 0);
}

int main(void)
{
  uniform_seed = 20260101;
  by_hand();
  forced_response();
  against_naive();
  any_channel();
  speaking_against();
  sampled_start();
  projections();
  hard_for_floats();
  refusals();
  counts_totals();
  channels();
  reports_of_fits();
  return check_report();
}
