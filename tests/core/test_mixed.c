/* The random intercept: derivatives against differences, sigma = 0 against the model without it, one row a person against an integral by
 * another rule, evenness, a repeated group against its weight. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"
#include "regress/mixed.h"
#include "workspace.h"

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
static double nodes[170000];

static candor_mixed model_of(candor_link link)
{
  CHECK(candor_mixed_work(COLUMNS, ROWS) <= sizeof nodes / sizeof *nodes);
  for (size_t i = 0; i < ROWS; i++) {
    x[i] = 1;
    x[ROWS + i] = 2 * uniform() - 1;
    y[i] = uniform() < 0.4;
    arm[i] = (int) (i % 2);
  }
  for (int g = 0; g <= GROUPS; g++) first[g] = 3 * g;
  for (size_t g = 0; g < GROUPS; g++) weight[g] = 0.5 + uniform();
  const candor_binary base = {ROWS, COLUMNS, x, NULL, 0, y, NULL, NULL, arm, device, 2, link, 0};
  return (candor_mixed){base, GROUPS, first, weight, 8.5, 1, 0, 0, nodes};
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

/* Scores of each group by differences of its own log-likelihood, with sigma estimated and fixed; the fallback is the
 * expected information of the rows given u, averaged over its posterior by Simpson's rule. */
static void scores_of_groups(candor_link link, int fixed)
{
  candor_mixed m = model_of(link);
  m.fixed = fixed;
  m.sigma = 0.9;
  const size_t places = COLUMNS + !fixed;
  double at[PLACES] = {-0.3, 0.5, 0.9}, scores[GROUPS * PLACES], loglik[GROUPS], up[GROUPS], down[GROUPS];
  double gradient[PLACES], fallback[PLACES * PLACES], *own = workspace(candor_mixed_work(COLUMNS, ROWS));
  const candor_mixed_groups told = {loglik, NULL, NULL, scores, NULL}, high = {up, NULL, NULL, NULL, NULL},
                            low = {down, NULL, NULL, NULL, NULL};
  m.work = own;
  CHECK(candor_mixed_check(&m) == CANDOR_OK);
  const double value = candor_mixed_value(&m, at, gradient, NULL, fallback, &told);
  CHECK_NEAR(candor_mixed_value(&m, at, NULL, NULL, NULL, &told), value, 1e-12);
  double sum = 0;
  for (size_t g = 0; g < GROUPS; g++) sum += weight[g] * loglik[g];
  CHECK_NEAR(value, sum, 1e-12);
  for (size_t k = 0; k < places; k++) {
    const double h = 1e-5, before = at[k];
    double total = 0;
    at[k] = before + h;
    candor_mixed_value(&m, at, NULL, NULL, NULL, &high);
    at[k] = before - h;
    candor_mixed_value(&m, at, NULL, NULL, NULL, &low);
    at[k] = before;
    for (size_t g = 0; g < GROUPS; g++) {
      CHECK_NEAR(scores[k * GROUPS + g], (up[g] - down[g]) / (2 * h), 1e-8);
      total += weight[g] * scores[k * GROUPS + g];
    }
    CHECK_NEAR(gradient[k], total, 1e-12);
  }
  double expected[PLACES * PLACES] = {0};
  for (size_t g = 0; g < GROUPS; g++) {
    enum { n = 2000 };
    double all = 0, inner[PLACES * PLACES] = {0};
    for (int k = 0; k <= n; k++) {
      const double u = -8 + 16.0 * k / n, rule = k == 0 || k == n ? 1 : k % 2 ? 4 : 2;
      double product = rule * exp(-0.5 * u * u), information[3] = {0};
      candor_term t[3];
      for (size_t i = 0; i < 3; i++) {
        const size_t row = 3 * g + i;
        candor_binary_term(link, device + arm[row], at[0] + at[1] * x[ROWS + row] + 0.9 * u, y[row], &t[i]);
        product *= exp(t[i].loglik);
        information[i] = t[i].expected;
      }
      all += product;
      for (size_t i = 0; i < 3; i++) {
        const double v[PLACES] = {1, x[ROWS + 3 * g + i], u};
        for (size_t a = 0; a < places; a++)
          for (size_t b = 0; b <= a; b++) inner[a * places + b] += product * information[i] * v[a] * v[b];
      }
    }
    for (size_t a = 0; a < places * places; a++) expected[a] += weight[g] * inner[a] / all;
  }
  for (size_t a = 0; a < places; a++)
    for (size_t b = 0; b <= a; b++) CHECK_NEAR(fallback[a * places + b], expected[a * places + b], 1e-7);
  free(own);
}

/* Large predictors and spreads, where products of exponentials would overflow: the same integral by the rule. */
static void far_out(void)
{
  candor_mixed m = model_of(CANDOR_LOGIT);
  double offsets[ROWS], loglik[GROUPS];
  const candor_mixed_groups told = {loglik, NULL, NULL, NULL, NULL};
  m.halvings = 2;
  m.base.offset = offsets;
  const double shifts[] = {350, -350, 0, 0, 290}, sigmas[] = {1, 1, 45, 60, 5};
  for (int k = 0; k < 5; k++) {
    const double at[PLACES] = {0.1, 0.2, sigmas[k]};
    for (size_t i = 0; i < ROWS; i++) offsets[i] = shifts[k];
    CHECK(isfinite(candor_mixed_value(&m, at, NULL, NULL, NULL, &told)));
    for (size_t g = 0; g < 2; g++) {
      const int n = 100000;
      double total = 0;
      for (int step = 0; step <= n; step++) {
        const double u = -9 + 18.0 * step / n, rule = step == 0 || step == n ? 1 : step % 2 ? 4 : 2;
        double product = rule * exp(-0.5 * u * u);
        for (size_t row = 3 * g; row < 3 * g + 3; row++) {
          candor_term t;
          candor_binary_term(CANDOR_LOGIT, device + arm[row], shifts[k] + at[0] + at[1] * x[ROWS + row] + at[2] * u,
                             y[row], &t);
          product *= exp(t.loglik);
        }
        total += product;
      }
      CHECK_NEAR(loglik[g], log(total * 18 / n / 3 / sqrt(2 * 3.14159265358979323846)), 1e-6);
    }
  }
  /* A group so long that its probability is below the range of doubles: identical rows at sigma = 0 are a power. */
  enum { LONG = 2000 };
  static double ones[LONG], yes[LONG];
  static int ends[2] = {0, LONG};
  for (size_t i = 0; i < LONG; i++) ones[i] = 1, yes[i] = (double) (i % 2);
  const candor_binary base = {LONG, 1, ones, NULL, 0, yes, NULL, NULL, NULL, device, 1, CANDOR_LOGIT, 0};
  double *own = workspace(candor_mixed_work(1, LONG));
  const candor_mixed one = {base, 1, ends, NULL, 8.5, 0, 1, 0, own};
  const double zero = 0; /* mu = 0.55 */
  CHECK(candor_mixed_check(&one) == CANDOR_OK);
  CHECK_NEAR(candor_mixed_value(&one, &zero, NULL, NULL, NULL, NULL), 1000 * (log(0.55) + log(0.45)), 1e-8);
  free(own);
}

static void reach_and_room(void)
{
  candor_mixed m = model_of(CANDOR_LOGIT);
  const candor_objective f = candor_mixed_objective(&m);
  const double at[PLACES] = {0, 0, 10}, steps[3][PLACES] = {{0.1, 0.2, 0.3}, {2, 0.1, -0.5}, {0.1, 0.1, 0}};
  double reaches[3] = {0}, rooms[3] = {50 / 0.3, 70 / 0.5, INFINITY};
  CHECK(f.shape.levels == 0 && f.shape.dense == PLACES);
  for (int s = 0; s < 3; s++) {
    reaches[s] = 3 * fabs(steps[s][COLUMNS]);
    for (size_t i = 0; i < ROWS; i++) reaches[s] = fmax(reaches[s], fabs(steps[s][0] + steps[s][1] * x[ROWS + i]));
    CHECK_NEAR(f.reach(&m, steps[s]), reaches[s], 1e-14);
    CHECK_NEAR(f.room(&m, at, steps[s]), rooms[s], 1e-12);
  }
  m.fixed = 1;
  const candor_objective held = candor_mixed_objective(&m);
  CHECK(held.shape.dense == COLUMNS && held.room(&m, at, steps[0]) == INFINITY);
  CHECK_NEAR(held.reach(&m, steps[1]), reaches[1], 1e-14);
}

/* Each field at and beyond its end. */
static void bounds(void)
{
  candor_mixed good = model_of(CANDOR_CAUCHIT), m;
  const double ones[ROWS] = {1};
#define STATUS(change, status)               \
  do {                                       \
    m = good;                                \
    change;                                  \
    CHECK(candor_mixed_check(&m) == status); \
  } while (0)
  STATUS((void) 0, CANDOR_OK);
  STATUS(m.base.rows = 0, CANDOR_EMPTY);
  STATUS(m.groups = 0, CANDOR_EMPTY);
  STATUS(m.groups = GROUPS - 1, CANDOR_DOMAIN);
  STATUS(m.base.weight = ones, CANDOR_DOMAIN);
  STATUS(m.base.barrier = 1, CANDOR_DOMAIN);
  STATUS((m.base.level = arm, m.base.levels = 2), CANDOR_DOMAIN);
  STATUS(m.base.link = CANDOR_IDENTITY, CANDOR_DOMAIN);
  STATUS(m.width = 6, CANDOR_OK);
  STATUS(m.width = 5.99, CANDOR_DOMAIN);
  STATUS(m.width = 10.5, CANDOR_OK);
  STATUS(m.width = 10.51, CANDOR_DOMAIN);
  STATUS(m.width = NAN, CANDOR_DOMAIN);
  STATUS(m.halvings = 0, CANDOR_OK);
  STATUS(m.halvings = 2, CANDOR_OK);
  STATUS(m.halvings = 3, CANDOR_DOMAIN);
  STATUS(m.halvings = -1, CANDOR_DOMAIN);
  STATUS((m.fixed = 1, m.sigma = 60), CANDOR_OK);
  STATUS((m.fixed = 1, m.sigma = -60.1), CANDOR_DOMAIN);
  STATUS((m.fixed = 1, m.sigma = NAN), CANDOR_DOMAIN);
  STATUS(m.sigma = 1000, CANDOR_OK); /* not read */
  STATUS(m.weight = NULL, CANDOR_OK);
#undef STATUS
  const double bad[] = {-1, NAN, INFINITY};
  for (int b = 0; b < 3; b++) {
    const double before = weight[GROUPS - 1];
    weight[GROUPS - 1] = bad[b];
    CHECK(candor_mixed_check(&good) == CANDOR_DOMAIN);
    weight[GROUPS - 1] = before;
  }
  weight[0] = 0;
  CHECK(candor_mixed_check(&good) == CANDOR_OK);
  first[0] = 1;
  CHECK(candor_mixed_check(&good) == CANDOR_DOMAIN);
  first[0] = 0;
  y[ROWS - 1] = 0.5;
  CHECK(candor_mixed_check(&good) == CANDOR_DOMAIN);
  y[ROWS - 1] = 0;
  /* The ends of sigma belong to the domain. */
  const double edge[PLACES] = {0, 0, -60}, beyond[PLACES] = {0, 0, NAN};
  CHECK(isfinite(candor_mixed_value(&good, edge, NULL, NULL, NULL, NULL)));
  CHECK(candor_mixed_value(&good, beyond, NULL, NULL, NULL, NULL) == -INFINITY);
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
  for (int link = CANDOR_LOGIT; link <= CANDOR_CAUCHIT; link++) {
    scores_of_groups((candor_link) link, 0);
    scores_of_groups((candor_link) link, 1);
  }
  far_out();
  reach_and_room();
  bounds();
  return check_report();
}
