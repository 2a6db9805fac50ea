/* The random intercept: derivatives against differences, sigma = 0 against the model without it, one row a person against an integral by
 * another rule, evenness, a repeated group against its weight. */
#include <math.h>
#include <stdint.h>

#include "check.h"
#include "regress/mixed.h"

enum { ROWS = 24, COLUMNS = 2, GROUPS = 8, PLACES = COLUMNS + 1 };

static uint64_t state = 5;

static double uniform(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return ((double) (state >> 11) + 0.5) / 9007199254740992.0;
}

static double x[ROWS * COLUMNS], y[ROWS], weight[GROUPS];
static int arm[ROWS], first[GROUPS + 1];
static const candor_device device[2] = {{0.8, 0.3, 0.2, 0.7, 0.5}, {0.1, 0.6, 0.9, 0.4, -0.5}};
static double workspace[170000];

static candor_mixed model_of(candor_link link)
{
  CHECK(candor_mixed_work(COLUMNS, ROWS) <= sizeof workspace / sizeof *workspace);
  for (size_t i = 0; i < ROWS; i++) {
    x[i] = 1;
    x[ROWS + i] = 2 * uniform() - 1;
    y[i] = uniform() < 0.4;
    arm[i] = (int) (i % 2);
  }
  for (int g = 0; g <= GROUPS; g++) first[g] = 3 * g;
  for (size_t g = 0; g < GROUPS; g++) weight[g] = 0.5 + uniform();
  const candor_binary base = {ROWS, COLUMNS, x, NULL, 0, y, NULL, NULL, arm, device, 2, link, 0};
  return (candor_mixed){base, GROUPS, first, weight, 8.5, 1, 0, 0, workspace};
}

static void derivatives(candor_link link)
{
  const candor_mixed m = model_of(link);
  double at[PLACES] = {-0.3, 0.4, 1.3}, gradient[PLACES], J[PLACES * PLACES], E[PLACES * PLACES];
  CHECK(candor_mixed_check(&m) == CANDOR_OK);
  const double value = candor_mixed_value(&m, at, gradient, J, E, NULL);
  for (size_t k = 0; k < PLACES; k++) {
    const double h = 1e-5, keep = at[k];
    double up[PLACES], down[PLACES];
    at[k] = keep + h;
    const double high = candor_mixed_value(&m, at, up, NULL, NULL, NULL);
    at[k] = keep - h;
    const double low = candor_mixed_value(&m, at, down, NULL, NULL, NULL);
    at[k] = keep;
    CHECK(fabs((high - low) / (2 * h) - gradient[k]) < 1e-6);
    for (size_t l = 0; l <= k; l++) CHECK(fabs((up[l] - down[l]) / (2 * h) + J[k * PLACES + l]) < 1e-5);
    CHECK(E[k * PLACES + k] > 0);
  }
  at[COLUMNS] = -at[COLUMNS];
  CHECK(fabs(candor_mixed_value(&m, at, NULL, NULL, NULL, NULL) - value) < 1e-10);
}

/* Without spread the groups do not matter. */
static void no_spread(void)
{
  candor_mixed m = model_of(CANDOR_LOGIT);
  const double at[PLACES] = {-0.3, 0.4, 0};
  double gradient[PLACES], plain[COLUMNS];
  m.weight = NULL;
  const double value = candor_mixed_value(&m, at, gradient, NULL, NULL, NULL);
  CHECK(fabs(value - candor_binary_value(&m.base, at, plain, NULL, NULL)) < 1e-12);
  for (size_t k = 0; k < COLUMNS; k++) CHECK(fabs(gradient[k] - plain[k]) < 1e-12);
  CHECK(fabs(gradient[COLUMNS]) < 1e-12);
}

/* Simpson's rule, many nodes, of one group. */
static void integral(candor_link link)
{
  const candor_mixed m = model_of(link);
  const double at[PLACES] = {0.2, -0.7, 4};
  double loglik[GROUPS], mean[GROUPS], deviation[GROUPS], edge[GROUPS], total[3] = {0, 0, 0};
  const candor_mixed_groups told = {loglik, mean, deviation, NULL, edge};
  candor_mixed_value(&m, at, NULL, NULL, NULL, &told);
  const int n = 200000;
  for (int k = 0; k <= n; k++) {
    const double u = -9 + 18.0 * k / n, rule = k == 0 || k == n ? 1 : k % 2 ? 4 : 2;
    double product = rule * exp(-0.5 * u * u);
    for (size_t row = 0; row < 3; row++) {
      candor_term t;
      candor_binary_term(link, device + arm[row], at[0] + at[1] * x[ROWS + row] + at[2] * u, y[row], &t);
      product *= exp(t.loglik);
    }
    total[0] += product;
    total[1] += product * u;
    total[2] += product * u * u;
  }
  CHECK(fabs(loglik[0] - log(total[0] * 18 / n / 3 / sqrt(2 * 3.14159265358979323846))) < 1e-9);
  CHECK(fabs(mean[0] - total[1] / total[0]) < 1e-8);
  CHECK(fabs(deviation[0] - sqrt(total[2] / total[0] - mean[0] * mean[0])) < 1e-8);
  CHECK(edge[0] >= 0 && edge[0] < 1e-14);
}

static void repeated(void)
{
  candor_mixed m = model_of(CANDOR_PROBIT);
  const double at[PLACES] = {-0.2, 0.6, 0.8};
  double one[3] = {0, 0, 0}, two[3] = {0, 0, 0};
  weight[0] = 2;
  for (size_t g = 1; g < GROUPS; g++) weight[g] = 0;
  one[0] = candor_mixed_value(&m, at, NULL, NULL, NULL, NULL);
  /* The second group becomes a copy of the first. */
  for (size_t i = 0; i < 3; i++) {
    x[ROWS + 3 + i] = x[ROWS + i];
    y[3 + i] = y[i];
    arm[3 + i] = arm[i];
  }
  weight[0] = weight[1] = 1;
  two[0] = candor_mixed_value(&m, at, NULL, NULL, NULL, NULL);
  CHECK(fabs(one[0] - two[0]) < 1e-12);
}

static void refused(void)
{
  candor_mixed m = model_of(CANDOR_LOGIT);
  m.base.link = CANDOR_LOG;
  CHECK(candor_mixed_check(&m) == CANDOR_DOMAIN);
  m = model_of(CANDOR_LOGIT);
  first[3] = first[2];
  CHECK(candor_mixed_check(&m) == CANDOR_DOMAIN);
  m = model_of(CANDOR_LOGIT);
  y[3] = 0.5;
  CHECK(candor_mixed_check(&m) == CANDOR_DOMAIN);
  m = model_of(CANDOR_LOGIT);
  m.fixed = 1;
  m.sigma = 100;
  CHECK(candor_mixed_check(&m) == CANDOR_DOMAIN);
  const double far[PLACES] = {0, 0, 61};
  m.fixed = 0;
  CHECK(candor_mixed_value(&m, far, NULL, NULL, NULL, NULL) == -INFINITY);
}

int main(void)
{
  for (int link = CANDOR_LOGIT; link <= CANDOR_CAUCHIT; link++) {
    derivatives((candor_link) link);
    integral((candor_link) link);
  }
  no_spread();
  repeated();
  refused();
  return check_report();
}
