/* The regression kernel: derivatives against differences, the closed form of a saturated model, identical rows, and
 * devices with an unknown number. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "regress/distinct.h"
#include "regress/unknown.h"

enum { ROWS = 40, COLUMNS = 3 };

static uint64_t state = 11;

static double uniform(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return ((double) (state >> 11) + 0.5) / 9007199254740992.0;
}

static double x[ROWS * COLUMNS], y[ROWS], weight[ROWS];
static int arm[ROWS];
static const candor_device device[2] = {{0.8, 0.3, 0.2, 0.7, 0.5}, {0.1, 0.6, 0.9, 0.4, -0.5}};

static candor_binary model_of(candor_link link)
{
  for (size_t i = 0; i < ROWS; i++) {
    x[i] = 1;
    x[ROWS + i] = uniform();
    x[2 * ROWS + i] = uniform() < 0.5;
    y[i] = i % 5 == 0 ? uniform() : uniform() < 0.5;
    weight[i] = 0.5 + uniform();
    arm[i] = (int) (i % 2);
  }
  return (candor_binary){ROWS, COLUMNS, x, NULL, 0, y, weight, NULL, arm, device, 2, link, 0};
}

static void derivatives(candor_link link)
{
  const candor_binary m = model_of(link);
  double b[COLUMNS] = {-0.3, 0.4, 0.2}, gradient[COLUMNS], J[COLUMNS * COLUMNS], I[COLUMNS * COLUMNS];
  if (link == CANDOR_LOG) b[0] = -1.5;
  if (link == CANDOR_IDENTITY) b[0] = 0.2;
  CHECK(candor_binary_check(&m) == CANDOR_OK);
  candor_binary_value(&m, b, gradient, J, I);
  for (size_t k = 0; k < COLUMNS; k++) {
    const double h = 1e-5, keep = b[k];
    double up[COLUMNS], down[COLUMNS];
    b[k] = keep + h;
    const double high = candor_binary_value(&m, b, up, NULL, NULL);
    b[k] = keep - h;
    const double low = candor_binary_value(&m, b, down, NULL, NULL);
    b[k] = keep;
    CHECK(fabs((high - low) / (2 * h) - gradient[k]) < 1e-6);
    for (size_t l = 0; l < k; l++) CHECK(fabs((up[l] - down[l]) / (2 * h) + J[k * COLUMNS + l]) < 1e-5);
  }
  for (size_t k = 0; k < COLUMNS; k++) CHECK(I[k * COLUMNS + k] > 0);
}

/* From 0 to the end. */
static candor_top climbed(candor_objective objective, double *at)
{
  static double work[400];
  candor_top top;
  CHECK(candor_climb_work(objective.shape) <= 400);
  CHECK(candor_climb(&objective, (candor_climb_options){1e-11, 300}, at, work, &top) == CANDOR_OK);
  return top;
}

static void saturated(void)
{
  /* Two groups: each share is (mean - q) / d. */
  const double cells[4] = {1, 1, 0, 1}, share[2] = {0.45, 0.62}, answers[2] = {60, 50};
  const candor_binary m = {2, 2, cells, NULL, 0, share, answers, NULL, NULL, device, 1, CANDOR_LOGIT, 0};
  candor_objective objective = candor_binary_objective(&m);
  double at[2] = {0, 0}, metric[4];
  candor_binary_metric(&m, metric);
  CHECK(metric[0] == 110 && metric[2] == 50 && metric[3] == 50);
  objective.metric = metric;
  const candor_top top = climbed(objective, at);
  CHECK(top.decrement < 1e-11 && !top.pressed);
  for (size_t g = 0; g < 2; g++) {
    const double pi = 1 / (1 + exp(-at[0] - (g ? at[1] : 0)));
    CHECK(fabs(pi - (share[g] - 0.3) / 0.5) < 1e-9);
  }
}

static void at_infinity(void)
{
  const double cell = 1, share = 0.1, answers = 50;
  const candor_binary m = {1, 1, &cell, NULL, 0, &share, &answers, NULL, NULL, device, 1, CANDOR_LOGIT, 0};
  candor_objective objective = candor_binary_objective(&m);
  double at = 0;
  objective.metric = &answers;
  const candor_top top = climbed(objective, &at);
  CHECK(at < -10 && isfinite(at));
  CHECK(fabs(top.value - 50 * (0.1 * log(0.3) + 0.9 * log(0.7))) < 1e-4);
  /* A prior of variance 4 holds it: its slope is that of the likelihood. */
  const double prior = 0.25;
  double gradient;
  objective.prior = &prior;
  at = 0;
  climbed(objective, &at);
  candor_binary_value(&m, &at, &gradient, NULL, NULL);
  CHECK(fabs(gradient - 0.25 * at) < 1e-8 && at > -10);
}

/* A factor as an arrow is the same model as one of dense columns. */
static void levels(void)
{
  enum { GROUPS = 3, ALL = GROUPS + COLUMNS };
  candor_binary m = model_of(CANDOR_LOGIT), dense = m;
  static double wide[ROWS * ALL];
  static int group[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    group[i] = (int) (i % (GROUPS + 1)) - 1;
    for (size_t g = 0; g < GROUPS; g++) wide[g * ROWS + i] = group[i] == (int) g;
    for (size_t k = 0; k < COLUMNS; k++) wide[(GROUPS + k) * ROWS + i] = x[k * ROWS + i];
  }
  dense.x = wide;
  dense.columns = ALL;
  m.level = group;
  m.levels = GROUPS;
  CHECK(candor_binary_check(&m) == CANDOR_OK);
  double at[ALL] = {0.1, -0.2, 0.3, 0.2, -0.3, 0.1}, g1[ALL], g2[ALL], I1[GROUPS + COLUMNS * ALL], I2[ALL * ALL],
         factor[ALL * ALL];
  const double v1 = candor_binary_value(&m, at, g1, NULL, I1), v2 = candor_binary_value(&dense, at, g2, NULL, I2);
  CHECK(fabs(v1 - v2) < 1e-10);
  for (size_t k = 0; k < ALL; k++) CHECK(fabs(g1[k] - g2[k]) < 1e-10);
  const candor_shape arrow = candor_binary_shape(&m), square = candor_binary_shape(&dense);
  double s1[ALL], s2[ALL], product[ALL];
  memcpy(s1, g1, sizeof s1);
  memcpy(s2, g1, sizeof s2);
  CHECK(candor_arrow_factor(arrow, I1, factor));
  candor_arrow_solve(arrow, factor, s1);
  CHECK(fabs(candor_arrow_form(arrow, I1, s1, product) - candor_arrow_form(square, I2, s1, NULL)) < 1e-9);
  for (size_t k = 0; k < ALL; k++) CHECK(fabs(product[k] - g1[k]) < 1e-9);
  CHECK(candor_arrow_factor(square, I2, factor));
  candor_arrow_solve(square, factor, s2);
  for (size_t k = 0; k < ALL; k++) CHECK(fabs(s1[k] - s2[k]) < 1e-8);
  /* A level that no row has makes it singular. */
  I1[1] = 0;
  CHECK(!candor_arrow_factor(arrow, I1, factor));
  group[5] = GROUPS;
  CHECK(candor_binary_check(&m) == CANDOR_DOMAIN);
}

/* By the logit of the unknown number, as the climb has it. */
static void unknown_climb(const candor_unknown *m)
{
  enum { N = COLUMNS + 1 };
  const candor_objective objective = candor_unknown_objective(m);
  double at[N] = {-0.3, 0.4, 0.2, 0.6}, gradient[N], J[N * N], up[N], down[N], none[N], metric[N * N];
  objective.value(m, at, gradient, J, NULL);
  for (size_t k = 0; k < N; k++) {
    const double h = 1e-5, keep = at[k];
    at[k] = keep + h;
    const double high = objective.value(m, at, up, NULL, NULL);
    at[k] = keep - h;
    const double low = objective.value(m, at, down, NULL, NULL);
    at[k] = keep;
    CHECK(fabs((high - low) / (2 * h) - gradient[k]) < 1e-6);
    for (size_t l = 0; l <= k; l++) CHECK(fabs((up[l] - down[l]) / (2 * h) + J[k * N + l]) < 1e-4);
  }
  for (size_t k = 0; k < N; k++) none[k] = k == COLUMNS ? 0.7 : 0;
  CHECK(fabs(objective.reach(m, none) - 0.7) < 1e-12);
  candor_unknown_metric(m, metric);
  CHECK(metric[N * N - 1] > 0 && fabs(metric[N * N - 1] - metric[0]) < 1e-9);
}

static void unknown(const candor_family_of_devices *family)
{
  const candor_unknown m = {model_of(CANDOR_LOGIT), family, NULL, 0, 0};
  enum { N = COLUMNS + 1 };
  double at[N] = {-0.3, 0.4, 0.2, 0.6}, gradient[N], J[N * N], I[N * N];
  CHECK(candor_unknown_check(&m) == CANDOR_OK);
  unknown_climb(&m);
  candor_unknown_value(&m, at, gradient, J, I);
  for (size_t k = 0; k < N; k++) {
    const double h = 1e-5, keep = at[k];
    double up[N], down[N];
    at[k] = keep + h;
    const double high = candor_unknown_value(&m, at, up, NULL, NULL);
    at[k] = keep - h;
    const double low = candor_unknown_value(&m, at, down, NULL, NULL);
    at[k] = keep;
    CHECK(fabs((high - low) / (2 * h) - gradient[k]) < 1e-6);
    for (size_t l = 0; l <= k; l++) CHECK(fabs((up[l] - down[l]) / (2 * h) + J[k * N + l]) < 1e-4);
  }
}

static void distinct(void)
{
  const double first[6] = {0.0, 1, -0.0, 1, 2, 1}, second[6] = {5, 5, 5, 6, 5, 5};
  const double *const columns[2] = {first, second};
  const candor_rows table = {6, 2, columns, NULL};
  int slot[16], id[6];
  size_t where[8], count;
  CHECK(candor_distinct(&table, 8, slot, 16, id, where, &count) == CANDOR_OK);
  CHECK(count == 4 && id[0] == id[2] && id[1] == id[5] && id[1] != id[3] && where[3] == 4);
  CHECK(candor_distinct(&table, 3, slot, 16, id, where, &count) == CANDOR_STALLED);
  CHECK(candor_distinct(&table, 8, slot, 8, id, where, &count) == CANDOR_DOMAIN);
}

static void refused(void)
{
  candor_binary m = model_of(CANDOR_LOGIT);
  y[3] = 1.5;
  CHECK(candor_binary_check(&m) == CANDOR_DOMAIN);
  y[3] = NAN;
  CHECK(candor_binary_check(&m) == CANDOR_NOT_FINITE);
  y[3] = 1;
  arm[2] = 2;
  CHECK(candor_binary_check(&m) == CANDOR_DOMAIN);
  arm[2] = 0;
  m.rows = 0;
  CHECK(candor_binary_check(&m) == CANDOR_EMPTY);
}

int main(void)
{
  for (int link = 0; link < CANDOR_LINKS; link++) derivatives((candor_link) link);
  saturated();
  at_infinity();
  levels();
  const candor_family_of_devices detector[2] = {{0, 1, 0.8, 0, 1, 0}, {0, 1, 0.2, 0, 1, 0}};
  /* A crosswise item of .15 beside an anchor item of .25 that no attentive respondent's truth is yes to; the others, a
   * share psi, answer both at random. */
  const candor_family_of_devices anchor[2] = {
      {0.75 * 0.15, 0.25 - 0.75 * 0.15, 0.75 * 0.85, 0.25 - 0.75 * 0.85, 0.75, 0.5 - 0.75},
      {0.25 * 0.15, 0.25 - 0.25 * 0.15, 0.25 * 0.85, 0.25 - 0.25 * 0.85, 0.25, 0.5 - 0.25}};
  unknown(detector);
  unknown(anchor);
  /* No probabilities at one end: p above 1, below 0, above that of the other answer, and that above 1. */
  const candor_family_of_devices wrong[] = {{0.5, 0.6, 0.2, 0, 1, 0},
                                            {0.5, -0.6, 0.2, 0, 1, 0},
                                            {0.5, 0, 0.2, 0, 0.4, 0.3},
                                            {0.5, 0, 0.2, 0, 1, 0.1},
                                            {0.5, NAN, 0.2, 0, 1, 0}};
  for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
    const candor_family_of_devices pair[2] = {wrong[w], detector[0]};
    const candor_unknown m = {model_of(CANDOR_LOGIT), pair, NULL, 0, 0};
    CHECK(candor_unknown_check(&m) == CANDOR_DOMAIN);
  }
  distinct();
  refused();
  return check_report();
}
