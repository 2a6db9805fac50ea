/* Iterative Bayesian update against a naive one, its certificate, and the exact estimate. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "estimate/ibu.h"
#include "estimate/simplex.h"
#include "uniform.h"

enum { MOST = 600 };

static candor_additive grr(size_t n, double epsilon)
{
  const double z = exp(-epsilon), below = 1 + ((double) n - 1) * z;
  return (candor_additive){n, -expm1(-epsilon) / below, NULL, z / below, expm1(epsilon)};
}

static double other_of(const candor_additive *channel, size_t i)
{
  return channel->other ? channel->other[i] : channel->other_all;
}

/* The definition, with the whole matrix. */
static void naive_step(const candor_additive *channel, const double *counts, double *theta)
{
  const size_t n = channel->categories;
  double g[MOST] = {0}, total = 0;
  for (size_t y = 0; y < n; y++) total += counts[y];
  for (size_t y = 0; y < n; y++) {
    double m = 0;
    if (counts[y] == 0) continue;
    for (size_t x = 0; x < n; x++) m += theta[x] * (other_of(channel, y) + (x == y ? channel->keep : 0));
    for (size_t x = 0; x < n; x++)
      g[x] += counts[y] / total * (other_of(channel, y) + (x == y ? channel->keep : 0)) / m;
  }
  for (size_t x = 0; x < n; x++) theta[x] *= g[x];
}

static void fill(double *theta, size_t n)
{
  for (size_t i = 0; i < n; i++) theta[i] = 1 / (double) n;
}

/* By hand: counts 1 2 7, epsilon = 1, one and two updates (golden values of the reference). */
static void by_hand(void)
{
  const double counts[] = {1, 2, 7};
  const candor_additive channel = grr(3, 1);
  double theta[3], work[3], gaps[3], logliks[3];
  const candor_ibu_trace trace = {gaps, logliks, NULL, NULL};
  candor_ibu ibu;
  fill(theta, 3);
  CHECK(candor_ibu_start(&ibu, &channel, counts, theta, work) == CANDOR_OK);
  CHECK_NEAR(ibu.gap, 0.3368956183136899, 1e-14);
  ibu.limit = 2;
  CHECK(candor_ibu_run(&ibu, 1, &trace) == CANDOR_AGAIN);
  CHECK_NEAR(theta[0], 0.24835909033195983, 1e-14);
  CHECK_NEAR(ibu.gap, 0.23126629043976, 1e-14);
  CHECK(candor_ibu_run(&ibu, 100, &trace) == CANDOR_OK);
  CHECK_NEAR(theta[2], 0.5883399335103066, 1e-14);
  CHECK(ibu.steps == 2);
  CHECK_NEAR(gaps[0], 0.3368956183136899, 1e-14);
  CHECK_NEAR(gaps[2], 0.15310294659833856, 1e-14);
  CHECK_NEAR(logliks[0], -log(3), 1e-14);
  CHECK_NEAR(logliks[1], -1.0239325211875383, 1e-14);
  CHECK_NEAR(logliks[2], -0.9681337829219284, 1e-14);
  /* p = 1 with an empty category: the papers' program gives NaN from the second update (errata P26). */
  const candor_additive plain = {3, 1, NULL, 0, INFINITY};
  const double gone[] = {0, 5, 5};
  fill(theta, 3);
  CHECK(candor_ibu_start(&ibu, &plain, gone, theta, work) == CANDOR_OK);
  ibu.limit = 5;
  CHECK(candor_ibu_run(&ibu, 100, NULL) == CANDOR_OK);
  CHECK(theta[0] == 0 && theta[1] == 0.5 && theta[2] == 0.5 && ibu.gap == 0);
}

static void against_naive(void)
{
  static double counts[MOST], theta[MOST], expected[MOST], work[MOST], b[MOST], gradient[MOST];
  candor_ibu ibu;
  for (int round = 0; round < 300; round++) {
    const size_t n = 2 + (size_t) (uniform() * (round % 10 ? 40 : MOST - 2));
    candor_additive channel = grr(n, (uniform() - 0.4) * 5);
    double sum = 0, loglik, gap, top = 0;
    for (size_t i = 0; i < n; i++) {
      counts[i] = uniform() < 0.2 ? 0 : floor(30 * uniform());
      b[i] = uniform();
      sum += b[i];
    }
    counts[1] += 2;
    if (round % 2) {
      for (size_t i = 0; i < n; i++) b[i] *= 0.6 / sum;
      channel = (candor_additive){n, 0.4, b, 0, 0};
    }
    fill(theta, n);
    fill(expected, n);
    CHECK(candor_ibu_start(&ibu, &channel, counts, theta, work) == CANDOR_OK);
    ibu.limit = 70;
    CHECK(candor_ibu_run(&ibu, 33, NULL) == CANDOR_AGAIN);
    CHECK(candor_ibu_run(&ibu, 1000, NULL) == CANDOR_OK);
    for (int step = 0; step < 70; step++) naive_step(&channel, counts, expected);
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(theta[i] - expected[i]));
    /* 70 updates magnify a rounding where p < q and a category is nearly excluded. */
    CHECK(worst <= 1e-11);
    CHECK(candor_loglik(&channel, counts, theta, &loglik, &gap, gradient) == CANDOR_OK);
    CHECK_NEAR(gap, ibu.gap, 1e-11);
    for (size_t i = 0; i < n; i++) top = fmax(top, gradient[i]);
    CHECK_NEAR(gap, log(top), 1e-13);
  }
}

/* The certificate is honest: the exact maximum is no further than the gap says. */
static void certified(void)
{
  static double counts[MOST], theta[MOST], best[MOST], work[2 * MOST];
  candor_ibu ibu;
  candor_simplex_fit fit;
  for (int round = 0; round < 200; round++) {
    const size_t n = 2 + (size_t) (uniform() * 20);
    const candor_additive channel = grr(n, uniform() * 4 + 0.5);
    double at, highest, gap;
    for (size_t i = 0; i < n; i++) counts[i] = floor(100 * uniform() * uniform());
    counts[0] += 3;
    fill(theta, n);
    CHECK(candor_ibu_start(&ibu, &channel, counts, theta, work) == CANDOR_OK);
    ibu.limit = 200000;
    ibu.tolerance = 1e-3;
    CHECK(candor_ibu_run(&ibu, ibu.limit, NULL) == CANDOR_OK);
    CHECK(ibu.total * ibu.gap <= 1e-3);
    CHECK(candor_loglik(&channel, counts, theta, &at, &gap, NULL) == CANDOR_OK);
    CHECK(candor_mle(&channel, counts, 0, work, &fit, best) == CANDOR_OK);
    CHECK(candor_loglik(&channel, counts, best, &highest, &gap, NULL) == CANDOR_OK);
    CHECK(highest - at >= -1e-9 && highest - at <= 1e-3 + 1e-9);
  }
}

static void likelihoods(void)
{
  double loglik, gap, gradient[4];
  const candor_additive plain = {4, 1, NULL, 0, INFINITY};
  const double counts[] = {3, 0, 1, 0}, theta[] = {0.75, 0, 0.25, 0}, impossible[] = {1, 0, 0, 0};
  CHECK(candor_loglik(&plain, counts, theta, &loglik, &gap, gradient) == CANDOR_OK);
  CHECK_NEAR(loglik, 3 * log(0.75) + log(0.25), 1e-15);
  CHECK(gap == 0 && gradient[0] == 1 && gradient[1] == 0);
  CHECK(candor_loglik(&plain, counts, impossible, &loglik, &gap, gradient) == CANDOR_OK);
  CHECK(loglik == -INFINITY && gap == INFINITY && gradient[2] == INFINITY && gradient[0] == 0.75);
  const double off[] = {0.5, 0.5, 0.5, 0}, minus[] = {1.5, -0.5, 0, 0}, nan[] = {NAN, 1, 0, 0};
  CHECK(candor_loglik(&plain, counts, off, &loglik, &gap, NULL) == CANDOR_DOMAIN);
  CHECK(candor_loglik(&plain, counts, minus, &loglik, &gap, NULL) == CANDOR_DOMAIN);
  CHECK(candor_loglik(&plain, counts, nan, &loglik, &gap, NULL) == CANDOR_NOT_FINITE);
  candor_ibu ibu;
  double start[4], work[4];
  memcpy(start, impossible, sizeof start);
  CHECK(candor_ibu_start(&ibu, &plain, counts, start, work) == CANDOR_IMPOSSIBLE);
  memcpy(start, off, sizeof start);
  CHECK(candor_ibu_start(&ibu, &plain, counts, start, work) == CANDOR_DOMAIN);
  const double nothing[] = {0, 0, 0, 0};
  fill(start, 4);
  CHECK(candor_ibu_start(&ibu, &plain, nothing, start, work) == CANDOR_EMPTY);
}

/* The answer is always turned round (p = 0), and one report in 1e27 is another: theta is 1 to the last bit, where m
 * is 0 and a step has no correct digit. The fuzzer found NaN called an estimate. */
static void collapses(void)
{
  const candor_additive turned = {2, -1, NULL, 1, -1};
  const double counts[] = {0.067631676784878345, 5.1429126632076458e+25};
  double theta[] = {0.5, 0.5}, work[2];
  candor_ibu ibu;
  CHECK(candor_ibu_start(&ibu, &turned, counts, theta, work) == CANDOR_OK);
  ibu.limit = 5;
  ibu.tolerance = 1e-6;
  CHECK(candor_ibu_run(&ibu, 100, NULL) == CANDOR_STALLED);
}

/* Tables long enough for blocks of 512 and of every remainder, and what stops a run. */
static void edges(void)
{
  static double all_counts[MOST], all_b[MOST], all_theta[MOST], all_work[MOST], expected[MOST];
  double *theta, *work;
  candor_ibu ibu;
  for (size_t n = 1; n <= MOST; n += n < 12 ? 1 : n < 500 ? 61 : 9) {
    double sum = 0;
    /* They end with their arrays, so that a sanitizer sees the first number beyond. */
    double *counts = all_counts + MOST - n, *b = all_b + MOST - n;
    theta = all_theta + MOST - n, work = all_work + MOST - n;
    for (size_t i = 0; i < n; i++) sum += b[i] = 0.5 + uniform(), counts[i] = floor(9 * uniform());
    counts[0] += 1;
    for (size_t i = 0; i < n; i++) b[i] *= 0.5 / sum;
    const candor_additive channel = {n, 0.5, b, 0, 0};
    fill(theta, n);
    fill(expected, n);
    CHECK(candor_ibu_start(&ibu, &channel, counts, theta, work) == CANDOR_OK);
    ibu.limit = 65;
    CHECK(candor_ibu_run(&ibu, 65, NULL) == CANDOR_OK && ibu.steps == 65);
    for (int step = 0; step < 65; step++) naive_step(&channel, counts, expected);
    double worst = 0, total = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(theta[i] - expected[i])), total += theta[i];
    CHECK(worst <= 1e-12);
    CHECK_NEAR(total, 1, 1e-14);
  }
  /* A tolerance ends a run at the first step that meets it; gaps fall. */
  const double hand[] = {1, 2, 7};
  const candor_additive three = grr(3, 1);
  double gaps[400];
  const candor_ibu_trace trace = {gaps, NULL, NULL, NULL};
  theta = all_theta + MOST - 3, work = all_work + MOST - 3;
  fill(theta, 3);
  CHECK(candor_ibu_start(&ibu, &three, hand, theta, work) == CANDOR_OK);
  ibu.limit = 399;
  ibu.tolerance = 10 * 0.2; /* of the total of ten reports: the third gap is .153, the second .231 */
  CHECK(candor_ibu_run(&ibu, 399, &trace) == CANDOR_OK && ibu.steps == 2);
  CHECK(candor_ibu_run(&ibu, 0, NULL) == CANDOR_OK && ibu.steps == 2);
  const double starts[][3] = {{0.5, 0.5, 2e-8}, {0.5, 0.5, 0.5e-8}, {1, 0, 0},
                              {-0.5, 1, 0.5},   {0, 0, 0},          {INFINITY, 0, 0}};
  const candor_status status[] = {CANDOR_DOMAIN, CANDOR_OK, CANDOR_OK, CANDOR_DOMAIN, CANDOR_DOMAIN, CANDOR_NOT_FINITE};
  for (int k = 0; k < 6; k++) {
    double loglik, gap;
    memcpy(theta, starts[k], 3 * sizeof *theta);
    CHECK(candor_loglik(&three, hand, theta, &loglik, &gap, NULL) == status[k]);
    CHECK(candor_ibu_start(&ibu, &three, hand, theta, work) == status[k]);
  }
  /* The gap of a maximum is 0; reports of no count do not enter, also where they are impossible. */
  double loglik, gap, gradient[3];
  const candor_additive certain = {3, 1, NULL, 0, INFINITY};
  const double never[] = {0, 5, 5}, halves[] = {0, 0.5, 0.5};
  CHECK(candor_loglik(&certain, never, halves, &loglik, &gap, gradient) == CANDOR_OK);
  CHECK(gap == 0 && gradient[0] == 0 && gradient[1] == 1 && gradient[2] == 1);
  CHECK_NEAR(loglik, 10 * log(0.5), 1e-14);
  /* A right angle of sides 3 and 4, beside a number that both have. */
  const double one[] = {1, -2, 7}, other[] = {4, 2, 7};
  CHECK_NEAR(candor_ibu_distance(one, other, 3), 5, 1e-15);
  CHECK_NEAR(candor_ibu_distance(other, one, 3), 5, 1e-15);
}

int main(void)
{
  uniform_seed = 7;
  by_hand();
  against_naive();
  certified();
  likelihoods();
  collapses();
  edges();
  return check_report();
}
