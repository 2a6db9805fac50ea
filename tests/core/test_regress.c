/* Regressions of several blocks of rows against their definitions in long double: values, derivatives by differences,
 * information by enumeration of reports; arrows against elimination; what is climbed against closed forms. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "regress/distinct.h"
#include "regress/unknown.h"
#include "uniform.h"
#include "workspace.h"

enum { ROWS = 600, COLUMNS = 6, LEVELS = 3, ALL = LEVELS + COLUMNS, SIZE = LEVELS + COLUMNS * ALL };

static double x[ROWS * COLUMNS], y[ROWS], weight[ROWS], offset[ROWS];
static int arm[ROWS], level[ROWS];
static const candor_device device[2] = {{0.8, 0.3, 0.2, 0.7, 0.5}, {0.1, 0.6, 0.9, 0.4, -0.5}};

static long double share_of(candor_link link, long double eta)
{
  const long double pi = 3.14159265358979323846264338327950288L;
  switch (link) {
  case CANDOR_LOGIT: return 1 / (1 + expl(-eta));
  case CANDOR_PROBIT: return erfcl(-eta / sqrtl(2)) / 2;
  case CANDOR_CLOGLOG: return 1 - expl(-expl(eta));
  case CANDOR_CAUCHIT: return 0.5L + atanl(eta) / pi;
  case CANDOR_LOG: return expl(eta);
  default: return eta;
  }
}

/* Column k of the dense model: the levels' indicators, then x. */
static double entry(const candor_binary *m, size_t row, size_t k)
{
  if (k < m->levels) return m->level[row] == (int) k;
  return m->x[(k - m->levels) * m->rows + row];
}

static long double eta_of(const candor_binary *m, const double *b, size_t row, int with_offset)
{
  long double eta = with_offset && m->offset ? m->offset[row] : 0;
  for (size_t k = 0; k < m->levels + m->columns; k++) eta += (long double) b[k] * entry(m, row, k);
  return eta;
}

static long double barrier_of(const candor_binary *m, long double eta)
{
  if (!(m->barrier > 0)) return 0;
  return m->barrier * (m->link == CANDOR_LOG ? logl(-eta) : logl(1 - eta) + logl(eta));
}

static const candor_device *device_of(const candor_binary *m, size_t row)
{
  return m->device + (m->arm ? m->arm[row] : 0);
}

static long double loglik_of(const candor_binary *m, const double *b)
{
  long double sum = 0;
  for (size_t i = 0; i < m->rows; i++) {
    const candor_device *v = device_of(m, i);
    const long double eta = eta_of(m, b, i, 1), f = share_of(m->link, eta), mu = v->q + (v->p - (long double) v->q) * f;
    const double w = m->weight ? m->weight[i] : 1;
    if (!(w > 0)) continue;
    sum += w * ((m->y[i] > 0 ? m->y[i] * logl(mu) : 0) + (m->y[i] < 1 ? (1 - m->y[i]) * logl(1 - mu) : 0));
    sum += barrier_of(m, eta);
  }
  return sum;
}

/* An arrow's entry for columns k >= l. */
static double arrow_entry(const candor_binary *m, const double *arrow, size_t k, size_t l)
{
  if (k < m->levels) return k == l ? arrow[k] : 0;
  if (l < m->levels) return arrow[m->levels + l * m->columns + k - m->levels];
  return arrow[m->levels * (1 + m->columns) + (k - m->levels) * m->columns + l - m->levels];
}

static candor_binary model_of(candor_link link, int weighted, int grouped, size_t rows, size_t columns)
{
  const int narrow = link == CANDOR_LOG || link == CANDOR_IDENTITY;
  for (size_t i = 0; i < rows; i++) {
    for (size_t k = 0; k < columns; k++) x[k * rows + i] = k == 0 ? 1 : uniform() - 0.5;
    y[i] = weighted && i % 5 == 0 ? uniform() : uniform() < 0.5;
    weight[i] = i % 7 == 3 ? 0 : 0.5 + uniform();
    offset[i] = narrow ? 0.01 * uniform() : uniform() - 0.5;
    arm[i] = (int) (i % 2);
    level[i] = (int) (i % (LEVELS + 1)) - 1;
  }
  if (columns > 1) x[rows] = 1.5; /* the largest of all, in the first row */
  return (candor_binary){rows,
                         columns,
                         x,
                         grouped ? level : NULL,
                         grouped ? LEVELS : 0,
                         y,
                         weighted ? weight : NULL,
                         weighted ? offset : NULL,
                         arm,
                         device,
                         2,
                         link,
                         narrow && weighted ? 0.5 : 0};
}

static void by_definition(candor_link link, int weighted, int grouped, size_t rows, size_t columns)
{
  const candor_binary m = model_of(link, weighted, grouped, rows, columns);
  const size_t n = m.levels + columns;
  double b[ALL], gradient[ALL], J[SIZE], I[SIZE], metric[SIZE];
  for (size_t k = 0; k < n; k++) b[k] = (link == CANDOR_LOG || link == CANDOR_IDENTITY ? 0.1 : 0.7) * (uniform() - 0.5);
  if (link == CANDOR_LOG) b[m.levels] = -0.7;
  if (link == CANDOR_IDENTITY) b[m.levels] = 0.45;
  CHECK(candor_binary_check(&m) == CANDOR_OK);
  CHECK_NEAR(candor_binary_value(&m, b, gradient, J, I), (double) loglik_of(&m, b), 1e-10);
  CHECK_NEAR(candor_binary_value(&m, b, NULL, NULL, NULL), (double) loglik_of(&m, b), 1e-10);
  candor_binary_metric(&m, metric);
  const double h = 1e-3;
  for (size_t k = 0; k < n; k++) {
    double up[ALL], down[ALL], above[ALL], below[ALL];
    memcpy(up, b, sizeof up);
    memcpy(down, b, sizeof down);
    up[k] += h / 100;
    down[k] -= h / 100;
    CHECK_NEAR(gradient[k], (double) ((loglik_of(&m, up) - loglik_of(&m, down)) / (2 * h / 100)), 1e-6);
    candor_binary_value(&m, up, above, NULL, NULL);
    candor_binary_value(&m, down, below, NULL, NULL);
    for (size_t l = 0; l <= k; l++) {
      CHECK_NEAR(arrow_entry(&m, J, k, l), -(above[l] - below[l]) / (2 * h / 100), 1e-5);
      long double information = 0, gram = 0;
      for (size_t i = 0; i < rows; i++) {
        const double w = m.weight ? m.weight[i] : 1;
        const long double xx = (long double) entry(&m, i, k) * entry(&m, i, l), eta = eta_of(&m, b, i, 1), e = 1e-6L;
        const candor_device *v = device_of(&m, i);
        const long double mu = v->q + v->d * share_of(link, eta);
        const long double slope = v->d * (share_of(link, eta + e) - share_of(link, eta - e)) / (2 * e);
        gram += w * xx;
        if (!(w > 0)) continue;
        information += w * xx * slope * slope / (mu * (1 - mu));
        information -=
            xx * (barrier_of(&m, eta + 1e-4L) - 2 * barrier_of(&m, eta) + barrier_of(&m, eta - 1e-4L)) * 1e8L;
      }
      CHECK_NEAR(arrow_entry(&m, metric, k, l), (double) gram, 1e-10);
      CHECK_NEAR(arrow_entry(&m, I, k, l), (double) information, m.barrier > 0 ? 1e-4 : 1e-6);
    }
  }
}

/* The largest change of a predictor, and how far a step may go until one leaves [0, 1], or 0 for the log link. */
static void reach_and_room(candor_link link, int weighted)
{
  const candor_binary m = model_of(link, weighted, 1, ROWS, COLUMNS);
  const candor_objective f = candor_binary_objective(&m);
  double b[ALL], step[ALL], reach = 0, room = INFINITY;
  for (size_t k = 0; k < ALL; k++) b[k] = 0.1 * (uniform() - 0.5), step[k] = uniform() - 0.5;
  b[LEVELS] = link == CANDOR_LOG ? -0.7 : 0.45;
  for (size_t i = 0; i < ROWS; i++) {
    const double eta = (double) eta_of(&m, b, i, 1), change = (double) eta_of(&m, step, i, 0);
    reach = fmax(reach, fabs(change));
    if (m.weight && m.weight[i] == 0) continue;
    if (change > 0) room = fmin(room, ((link == CANDOR_LOG ? 0 : 1) - eta) / change);
    if (change < 0 && link == CANDOR_IDENTITY) room = fmin(room, eta / -change);
  }
  CHECK_NEAR(f.reach(&m, step), reach, 1e-12);
  CHECK((f.room == NULL) == (link < CANDOR_LOG));
  if (f.room) CHECK_NEAR(f.room(&m, b, step), room, 1e-12);
}

/* Predictors outside the range of the link, impossible reports, and rows of weight 0 that do not matter. */
static void outside(void)
{
  const candor_device direct = {1, 0, 0, 1, 1};
  double cell[2] = {1, 1}, answer[2] = {1, 0}, weights[2] = {1, 1}, b = 0, gradient, J, I;
  candor_binary m = {2, 1, cell, NULL, 0, answer, weights, NULL, NULL, &direct, 1, CANDOR_IDENTITY, 0};
  b = 0.25;
  CHECK_NEAR(candor_binary_value(&m, &b, &gradient, &J, &I), log(0.25) + log(0.75), 1e-15);
  CHECK_NEAR(gradient, 4 - 4 / 3.0, 1e-14);
  CHECK_NEAR(J, 16 + 16 / 9.0, 1e-13);
  CHECK_NEAR(I, 2 / (0.25 * 0.75), 1e-13);
  for (double bad = -0.25; bad < 1.5; bad += 1.5) CHECK(candor_binary_value(&m, &bad, NULL, NULL, NULL) == -INFINITY);
  const double edge[2] = {0, 1};
  for (int e = 0; e < 2; e++) {
    answer[0] = answer[1] = e;
    CHECK(candor_binary_value(&m, &edge[e], NULL, NULL, NULL) == 0);
    CHECK(candor_binary_value(&m, &edge[e], NULL, NULL, &I) == 0 && I == 0); /* nothing varies */
    CHECK(candor_binary_value(&m, &edge[1 - e], NULL, NULL, NULL) == -INFINITY);
  }
  m.link = CANDOR_LOG;
  b = 0;
  CHECK(candor_binary_value(&m, &b, NULL, NULL, NULL) == 0);
  b = 1e-9;
  CHECK(candor_binary_value(&m, &b, NULL, NULL, NULL) == -INFINITY);
  weights[0] = weights[1] = 0;
  CHECK(candor_binary_value(&m, &b, NULL, NULL, NULL) == 0);
  /* Without weights, one answer a row: a probability that is 0 in doubles. */
  m.link = CANDOR_LOGIT;
  m.weight = NULL;
  b = 0;
  CHECK_NEAR(candor_binary_value(&m, &b, NULL, NULL, NULL), 2 * log(0.5), 1e-15);
  b = -800;
  CHECK(candor_binary_value(&m, &b, NULL, NULL, NULL) == -INFINITY);
  b = -600; /* the product of the two is below the range of doubles */
  CHECK_NEAR(candor_binary_value(&m, &b, &gradient, &J, &I), -1200, 1e-9);
  CHECK_NEAR(gradient, 2, 1e-12);
}

static void refused(void)
{
  candor_device devices[2] = {device[0], device[1]};
  candor_binary valid = model_of(CANDOR_LOGIT, 1, 1, 20, 2), m;
  valid.device = devices;
  CHECK(candor_binary_check(&valid) == CANDOR_OK);
#define REFUSED(change, status)               \
  do {                                        \
    m = valid;                                \
    change;                                   \
    CHECK(candor_binary_check(&m) == status); \
  } while (0)
  REFUSED(m.rows = 0, CANDOR_EMPTY);
  REFUSED((m.columns = 0, m.levels = 0), CANDOR_OK); /* its offsets; a climb needs more */
  REFUSED(m.columns = 0, CANDOR_OK);
  REFUSED(m.levels = 0, CANDOR_OK);
  REFUSED(m.devices = 0, CANDOR_DOMAIN);
  REFUSED(m.devices = 1, CANDOR_DOMAIN); /* a row has the second */
  REFUSED(m.link = CANDOR_LINKS, CANDOR_DOMAIN);
  REFUSED(m.barrier = -1, CANDOR_DOMAIN);
  REFUSED(m.barrier = NAN, CANDOR_DOMAIN);
#undef REFUSED
  double *const numbers[] = {&devices[1].p, &devices[1].q, &devices[1].p_no, &devices[1].q_no};
  for (int k = 0; k < 4; k++) {
    const double before = *numbers[k];
    *numbers[k] = -0.1;
    CHECK(candor_binary_check(&valid) == CANDOR_DOMAIN);
    *numbers[k] = NAN;
    CHECK(candor_binary_check(&valid) == CANDOR_DOMAIN);
    *numbers[k] = 1.1;
    CHECK(candor_binary_check(&valid) == (k < 2 ? CANDOR_DOMAIN : CANDOR_OK));
    *numbers[k] = 0;
    CHECK(candor_binary_check(&valid) == CANDOR_OK);
    *numbers[k] = 1;
    CHECK(candor_binary_check(&valid) == CANDOR_OK);
    *numbers[k] = before;
  }
  const struct {
    double *target, value;
    candor_status status;
  } cells[] = {
      {&y[19], -0.1, CANDOR_DOMAIN},         {&y[19], 1.1, CANDOR_DOMAIN},     {&y[0], NAN, CANDOR_NOT_FINITE},
      {&weight[19], -1, CANDOR_DOMAIN},      {&weight[0], NAN, CANDOR_DOMAIN}, {&weight[1], INFINITY, CANDOR_DOMAIN},
      {&offset[19], NAN, CANDOR_NOT_FINITE}, {&x[39], NAN, CANDOR_NOT_FINITE}, {&x[0], INFINITY, CANDOR_NOT_FINITE}};
  for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
    const double before = *cells[c].target;
    *cells[c].target = cells[c].value;
    CHECK(candor_binary_check(&valid) == cells[c].status);
    *cells[c].target = before;
  }
  const struct {
    int *target, value;
  } codes[] = {{&arm[19], 2}, {&arm[0], -1}, {&level[19], LEVELS}, {&level[0], -2}};
  for (size_t c = 0; c < 4; c++) {
    const int before = *codes[c].target;
    *codes[c].target = codes[c].value;
    CHECK(candor_binary_check(&valid) == CANDOR_DOMAIN);
    *codes[c].target = before;
  }
}

/* ---- arrows ---- */

static void arrows(void)
{
  for (int round = 0; round < 60; round++) {
    const candor_shape s = {(size_t) round % 5, round % 5 ? (size_t) round % 4 : 1 + (size_t) round % 3};
    const size_t n = s.levels + s.dense, size = candor_arrow_size(s);
    CHECK(size == s.levels + s.levels * s.dense + s.dense * s.dense);
    double full[81] = {0}, right[9], solved[9], product[9];
    double *A = malloc(size * sizeof *A), *factor = malloc(size * sizeof *factor);
    const candor_binary m = {.levels = s.levels, .columns = s.dense};
    /* The gram matrix of random rows of which each has one level at most. */
    for (size_t k = 0; k < size; k++) A[k] = 0;
    for (size_t row = 0; row < 30; row++) {
      double z[9] = {0};
      if (s.levels && row % (s.levels + 1)) z[row % (s.levels + 1) - 1] = 1 + uniform();
      for (size_t k = s.levels; k < n; k++) z[k] = (uniform() - 0.5) * pow(10, (double) k - 3);
      for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++) full[k * n + l] += z[k] * z[l];
    }
    for (size_t k = 0; k < n; k++) {
      right[k] = solved[k] = uniform() - 0.5;
      for (size_t l = 0; l <= k; l++) {
        if (k < s.levels && k == l) A[k] = full[k * n + k];
        if (k >= s.levels && l < s.levels) A[s.levels + l * s.dense + k - s.levels] = full[k * n + l];
        if (l >= s.levels) A[s.levels * (1 + s.dense) + (k - s.levels) * s.dense + l - s.levels] = full[k * n + l];
        CHECK_NEAR(arrow_entry(&m, A, k, l), full[k * n + l], 0);
      }
    }
    CHECK(candor_arrow_factor(s, A, factor) == 1);
    candor_arrow_solve(s, factor, solved);
    double quadratic = 0, sum = 0;
    for (size_t k = 0; k < n; k++) {
      double back = 0, by_row = 0;
      for (size_t l = 0; l < n; l++) back += full[k * n + l] * solved[l];
      for (size_t l = 0; l < n; l++) by_row += full[k * n + l] * right[l];
      CHECK_NEAR(back, right[k], 1e-9);
      quadratic += by_row * right[k];
      sum += fabs(by_row * right[k]);
      product[k] = by_row;
    }
    double there[9];
    CHECK_NEAR(candor_arrow_form(s, A, right, there), quadratic, 1e-13 * sum);
    CHECK_NEAR(candor_arrow_form(s, A, right, NULL), quadratic, 1e-13 * sum);
    for (size_t k = 0; k < n; k++) CHECK_NEAR(there[k], product[k], 1e-13 * (sum + 1));
    /* Singular: any entry of the diagonal 0, or the last column of the dense part a copy of another. */
    for (size_t k = 0; k < n; k++) {
      double *diagonal = k < s.levels ? &A[k] : &A[s.levels * (1 + s.dense) + (k - s.levels) * (s.dense + 1)];
      const double before = *diagonal;
      *diagonal = 0;
      CHECK(candor_arrow_factor(s, A, factor) == 0);
      *diagonal = -before;
      CHECK(candor_arrow_factor(s, A, factor) == 0);
      *diagonal = before;
    }
    free(A), free(factor);
  }
  /* A dense column that the levels make up, but for a rounding. */
  const double sum[] = {4, 9, 4, 9, 13}, apart[] = {4, 9, 4, 9, 13 * (1 + 1e-12)};
  double factor[5];
  CHECK(candor_arrow_factor((candor_shape){2, 1}, sum, factor) == 0);
  CHECK(candor_arrow_factor((candor_shape){2, 1}, apart, factor) == 1);
}

/* ---- climbs ---- */

static candor_status climbed(const candor_objective *f, size_t steps, double *b, candor_top *top)
{
  double *work = workspace(candor_climb_work(f->shape));
  const candor_status status = candor_climb(f, (candor_climb_options){1e-10, steps}, b, work, top);
  free(work);
  return status;
}

/* At the top nothing rises: the derivative of the value with its prior is 0 in every direction. */
static void tops(candor_link link, int grouped, int with_prior)
{
  candor_binary m = model_of(link, 1, grouped, ROWS, 3);
  const size_t n = m.levels + 3;
  m.barrier = m.barrier > 0 ? 1e-3 : 0;
  candor_objective f = candor_binary_objective(&m);
  double metric[SIZE], prior[SIZE] = {0}, b[ALL] = {0}, zero[ALL] = {0}, work[ALL], gradient[ALL], J[SIZE], E[SIZE];
  if (link == CANDOR_LOG) b[m.levels] = zero[m.levels] = -1;
  if (link == CANDOR_IDENTITY) b[m.levels] = zero[m.levels] = 0.4;
  candor_binary_metric(&m, metric);
  for (size_t k = 0; k < n; k++) {
    const size_t d = k - m.levels;
    if (k < m.levels) prior[k] = 2 + (double) k;
    else prior[m.levels * 4 + d * 3 + d] = 5;
  }
  f.metric = metric;
  f.prior = with_prior ? prior : NULL;
  candor_top top;
  CHECK(climbed(&f, 300, b, &top) == CANDOR_OK);
  CHECK(top.decrement >= 0 && top.decrement < 1e-8 && !top.pressed && top.steps > 1 && top.steps < 40);
  double penalty = 0;
  for (size_t k = 0; with_prior && k < n; k++) penalty += 0.5 * (k < m.levels ? 2 + (double) k : 5) * b[k] * b[k];
  CHECK_NEAR(top.value, (double) loglik_of(&m, b) - penalty, 1e-9);
  for (size_t k = 0; k < n; k++) {
    double up[ALL], down[ALL];
    memcpy(up, b, sizeof up);
    memcpy(down, b, sizeof down);
    up[k] += 1e-5;
    down[k] -= 1e-5;
    const double slope = (double) ((loglik_of(&m, up) - loglik_of(&m, down)) / 2e-5);
    CHECK_NEAR(slope, with_prior ? (k < m.levels ? 2 + (double) k : 5) * b[k] : 0, 2e-5);
  }
  /* The prior is in the value's derivatives too. */
  double bare[ALL], bare_J[SIZE], bare_E[SIZE];
  candor_binary_value(&m, b, bare, bare_J, bare_E);
  CHECK_NEAR(candor_climb_value(&f, b, gradient, J, E, work), top.value, 1e-9);
  for (size_t k = 0; k < n; k++)
    CHECK_NEAR(bare[k] - gradient[k], with_prior ? (k < m.levels ? 2 + (double) k : 5) * b[k] : 0, 1e-9);
  for (size_t k = 0; k < candor_arrow_size(f.shape); k++) {
    CHECK_NEAR(J[k] - bare_J[k], with_prior ? prior[k] : 0, 1e-9);
    CHECK_NEAR(E[k] - bare_E[k], with_prior ? prior[k] : 0, 1e-9);
  }
  /* One step at a time is the same way, and never down. */
  candor_top one = {0};
  double before = candor_climb_value(&f, zero, NULL, NULL, NULL, work);
  for (size_t step = 0; step < top.steps; step++) {
    CHECK(climbed(&f, 1, zero, &one) == CANDOR_OK);
    CHECK(one.value >= before && one.steps == 1);
    before = one.value;
  }
  CHECK_NEAR(one.value, top.value, 1e-8);
  CHECK(climbed(&f, 0, zero, &one) == CANDOR_OK && one.steps == 0 && one.decrement == INFINITY);
}

static void maxima_of_climbs(void)
{
  const candor_device direct = {1, 0, 0, 1, 1};
  double cell = 1, share = 1, answers = 10, b = 0.5;
  candor_binary m = {1, 1, &cell, NULL, 0, &share, &answers, NULL, NULL, &direct, 1, CANDOR_IDENTITY, 0};
  candor_objective f = candor_binary_objective(&m);
  candor_top top;
  f.metric = &answers;
  /* 10 yes of 10: the end of the domain is the maximum, and every step goes nineteen twentieths of the way to it. */
  CHECK(climbed(&f, 1, &b, &top) == CANDOR_OK);
  CHECK_NEAR(b, 0.975, 1e-12);
  CHECK(climbed(&f, 500, &b, &top) == CANDOR_OK);
  CHECK_NEAR(b, 1, 1e-8);
  CHECK_NEAR(top.value, 0, 1e-6);
  CHECK(top.pressed == 1);
  /* The same under the log link, whose end is 0; the first step is not stopped by it yet. */
  m.link = CANDOR_LOG;
  f = candor_binary_objective(&m);
  f.metric = &answers;
  b = -1;
  CHECK(climbed(&f, 1, &b, &top) == CANDOR_OK && top.pressed == 0);
  CHECK_NEAR(b, -0.05, 1e-12);
  CHECK(climbed(&f, 500, &b, &top) == CANDOR_OK && top.pressed == 1);
  CHECK_NEAR(top.value, 0, 1e-9);
  /* Quadratic: answers at the logit 0 have their maximum in one step of at most 3. */
  m.link = CANDOR_LOGIT;
  f = candor_binary_objective(&m);
  f.metric = &answers;
  b = 0;
  CHECK(climbed(&f, 200, &b, &top) == CANDOR_OK);
  CHECK(b > 20 && top.value > -1e-7 && !top.pressed);
  share = 0.25;
  b = 0;
  CHECK(climbed(&f, 200, &b, &top) == CANDOR_OK);
  CHECK_NEAR(b, log(1 / 3.0), 1e-9);
  /* A start on the steep side goes down to the middle. */
  b = 8;
  CHECK(climbed(&f, 1, &b, &top) == CANDOR_OK);
  CHECK(b < 8 && b > -8 && top.value > -10 * 0.75 * 8);
  CHECK(climbed(&f, 200, &b, &top) == CANDOR_OK);
  CHECK_NEAR(b, log(1 / 3.0), 1e-9);
  b = NAN;
  CHECK(climbed(&f, 200, &b, &top) == CANDOR_NOT_FINITE);
  b = 1000;
  CHECK(climbed(&f, 200, &b, &top) == CANDOR_IMPOSSIBLE);
  m.columns = 0;
  f.shape.dense = 0;
  CHECK(climbed(&f, 200, &b, &top) == CANDOR_EMPTY);
}

/* ---- one unknown number of the devices ---- */

/* P(yes and other answer), P(no and other answer), P(no other answer) of a row. */
static void chances(const candor_unknown *m, const double *point, size_t row, long double out[3])
{
  const candor_family_of_devices *f = m->family + (m->base.arm ? m->base.arm[row] : 0);
  const long double psi = point[m->base.columns], share = share_of(m->base.link, eta_of(&m->base, point, row, 1));
  const long double p = f->p0 + f->p1 * psi, q = f->q0 + f->q1 * psi, all = f->all0 + f->all1 * psi;
  out[0] = p * share + q * (1 - share);
  out[1] = all - out[0];
  out[2] = 1 - all;
}

static long double unknown_loglik(const candor_unknown *m, const double *point)
{
  long double sum = 0, chance[3];
  for (size_t i = 0; i < m->base.rows; i++) {
    const double w = m->base.weight ? m->base.weight[i] : 1, yes = m->base.y[i];
    if (!(w > 0)) continue;
    chances(m, point, i, chance);
    sum += w * ((yes > 0 ? yes * logl(chance[0]) : 0) + (yes < 1 ? (1 - yes) * logl(chance[1]) : 0));
  }
  return sum;
}

static void unknown(candor_link link, int weighted, const candor_family_of_devices *family)
{
  enum { K = 3, N = K + 1 };
  const candor_unknown m = {model_of(link, weighted, 0, 50, K), family, NULL, 0, 0};
  double point[N] = {-0.2, 0.3, 0.1, 0.6}, gradient[N], J[N * N], I[N * N], metric[N * N], alone[N];
  CHECK(candor_unknown_check(&m) == CANDOR_OK);
  CHECK_NEAR(candor_unknown_value(&m, point, gradient, J, I), (double) unknown_loglik(&m, point), 1e-11);
  CHECK_NEAR(candor_unknown_value(&m, point, alone, NULL, NULL), (double) unknown_loglik(&m, point), 1e-11);
  candor_unknown_metric(&m, metric);
  double slopes[50][3][N];
  for (size_t k = 0; k < N; k++) {
    double up[N], down[N], above[N], below[N];
    memcpy(up, point, sizeof up);
    memcpy(down, point, sizeof down);
    up[k] += 1e-5;
    down[k] -= 1e-5;
    CHECK_NEAR(gradient[k], (double) ((unknown_loglik(&m, up) - unknown_loglik(&m, down)) / 2e-5L), 1e-7);
    CHECK(alone[k] == gradient[k]);
    candor_unknown_value(&m, up, above, NULL, NULL);
    candor_unknown_value(&m, down, below, NULL, NULL);
    for (size_t l = 0; l <= k; l++) CHECK_NEAR(J[k * N + l], -(above[l] - below[l]) / 2e-5, 1e-6);
    for (size_t i = 0; i < 50; i++) {
      long double high[3], low[3];
      chances(&m, up, i, high);
      chances(&m, down, i, low);
      for (int r = 0; r < 3; r++) slopes[i][r][k] = (double) ((high[r] - low[r]) / 2e-5L);
    }
  }
  /* The expectation of the curvature of the answers that were given; so many gave the other one. */
  for (size_t k = 0; k < N; k++) {
    for (size_t l = 0; l <= k; l++) {
      double information = 0, gram = 0;
      for (size_t i = 0; i < 50; i++) {
        const double w = m.base.weight ? m.base.weight[i] : 1;
        long double chance[3];
        chances(&m, point, i, chance);
        const double other = (double) (chance[0] + chance[1]);
        const double change[2] = {slopes[i][0][k] + slopes[i][1][k], slopes[i][0][l] + slopes[i][1][l]};
        gram += k < K && l < K ? w * entry(&m.base, i, k) * entry(&m.base, i, l) : k == K && l == K ? w : 0;
        const double product = (double) (chance[0] * chance[1]);
        const double others[2] = {change[0] / other, change[1] / other};
        information += w * ((slopes[i][0][k] - (double) chance[0] * others[0]) *
                                (slopes[i][0][l] - (double) chance[0] * others[1]) / product +
                            others[0] * others[1]);
      }
      CHECK_NEAR(I[k * N + l], information, 1e-6);
      CHECK_NEAR(metric[k * N + l], gram, 1e-11);
    }
  }
  /* By the logit of psi: the chain rule, by differences. */
  const candor_objective f = candor_unknown_objective(&m);
  double logit[N], step[N] = {0.1, -0.2, 0.3, -0.7}, fallback[N * N], reach = 0.7;
  memcpy(logit, point, sizeof logit);
  logit[K] = log(0.6 / 0.4);
  CHECK_NEAR(f.value(&m, logit, gradient, J, fallback), (double) unknown_loglik(&m, point), 1e-11);
  for (size_t k = 0; k < N; k++) {
    double up[N], down[N], above[N], below[N];
    memcpy(up, logit, sizeof up);
    memcpy(down, logit, sizeof down);
    up[k] += 1e-5;
    down[k] -= 1e-5;
    const double high = f.value(&m, up, above, NULL, NULL), low = f.value(&m, down, below, NULL, NULL);
    CHECK_NEAR(gradient[k], (high - low) / 2e-5, 1e-6);
    for (size_t l = 0; l <= k; l++) {
      const double scale = (k == K ? 0.24 : 1) * (l == K ? 0.24 : 1);
      CHECK_NEAR(J[k * N + l], -(above[l] - below[l]) / 2e-5, 1e-5);
      CHECK_NEAR(fallback[k * N + l], I[k * N + l] * scale, 1e-10);
    }
  }
  for (size_t i = 0; i < 50; i++) reach = fmax(reach, fabs((double) eta_of(&m.base, step, i, 0)));
  CHECK_NEAR(f.reach(&m, step), reach, 1e-12);
  step[0] = 5;
  for (size_t i = 0; i < 50; i++) reach = fmax(reach, fabs((double) eta_of(&m.base, step, i, 0)));
  CHECK_NEAR(f.reach(&m, step), reach, 1e-12);
  for (double psi = -0.1; psi < 1.5; psi += 1.2) {
    point[K] = psi;
    CHECK(candor_unknown_value(&m, point, NULL, NULL, NULL) == -INFINITY);
  }
}

/* ---- the logit of the unknown number follows a regression ---- */

enum { X = 2, V = 3, XV = X + V };
static double v[ROWS * V];

/* The log-likelihood of a row, written out: that of the answer and the other one together, or the sum of both. */
static long double row_loglik(const candor_unknown *m, const double *b, size_t row)
{
  const double yes = m->base.y[row];
  const candor_family_of_devices *f = m->family + (m->base.arm ? m->base.arm[row] : 0);
  long double zeta = 0;
  for (size_t k = 0; k < V; k++) zeta += (long double) b[X + k] * v[k * m->base.rows + row];
  const long double psi = 1 / (1 + expl(-zeta)), share = share_of(m->base.link, eta_of(&m->base, b, row, 1));
  const long double all = f->all0 + f->all1 * psi;
  const long double mu = (f->p0 + f->p1 * psi) * share + (f->q0 + f->q1 * psi) * (1 - share);
  const long double no = (m->separate ? 1 : all) - mu;
  return yes * logl(mu) + (1 - yes) * logl(no) + (m->separate ? logl(all) : 0);
}

static void row_score(const candor_unknown *m, const double *b, size_t row, double *score)
{
  for (size_t k = 0; k < XV; k++) {
    double up[XV], down[XV];
    memcpy(up, b, sizeof up);
    memcpy(down, b, sizeof down);
    up[k] += 1e-5;
    down[k] -= 1e-5;
    score[k] = (double) ((row_loglik(m, up, row) - row_loglik(m, down, row)) / 2e-5L);
  }
}

static void shared(candor_link link, int separate)
{
  enum { N = 60 };
  const candor_family_of_devices joint[2] = {{0.2, 0.1, 0.6, -0.3, 0.8, -0.3}, {0.1, 0.15, 0.1, 0.15, 0.2, 0.3}};
  const candor_family_of_devices two[2] = {{0.9, -0.4, 0.2, 0.3, 0.8, -0.3}, {0.15, 0.35, 0.85, -0.35, 0.2, 0.3}};
  const candor_unknown m = {model_of(link, 1, 0, N, X), separate ? two : joint, v, V, separate};
  const double b[XV] = {-0.2, 0.3, -0.6, 0.4, 0.1};
  double gradient[XV], J[XV * XV], I[XV * XV], sum[XV] = {0}, squares[XV * XV] = {0}, metric[XV * XV];
  long double value = 0;
  for (size_t i = 0; i < N * V; i++) v[i] = i < N ? 1 : uniform() - 0.5;
  CHECK(candor_unknown_check(&m) == CANDOR_OK);
  for (size_t i = 0; i < N; i++) {
    const double w = weight[i];
    double score[XV];
    value += w * row_loglik(&m, b, i);
    row_score(&m, b, i, score);
    for (size_t k = 0; k < XV; k++) {
      sum[k] += w * score[k];
      for (size_t l = 0; l <= k; l++) squares[k * XV + l] += w * score[k] * score[l];
    }
  }
  const candor_objective f = candor_unknown_objective(&m);
  CHECK_NEAR(f.value(&m, b, gradient, J, I), (double) value, 1e-11);
  candor_unknown_metric(&m, metric);
  for (size_t k = 0; k < XV; k++) {
    double up[XV], down[XV], above[XV], below[XV];
    memcpy(up, b, sizeof up);
    memcpy(down, b, sizeof down);
    up[k] += 1e-5;
    down[k] -= 1e-5;
    f.value(&m, up, above, NULL, NULL);
    f.value(&m, down, below, NULL, NULL);
    CHECK_NEAR(gradient[k], sum[k], 1e-7);
    for (size_t l = 0; l <= k; l++) {
      double gram = 0;
      for (size_t i = 0; i < N && (k < X) == (l < X); i++)
        gram += weight[i] * (k < X ? x[k * N + i] * x[l * N + i] : v[(k - X) * N + i] * v[(l - X) * N + i]);
      CHECK_NEAR(J[k * XV + l], -(above[l] - below[l]) / 2e-5, 1e-6);
      CHECK_NEAR(I[k * XV + l], squares[k * XV + l], 1e-7);
      CHECK_NEAR(metric[k * XV + l], gram, 1e-11);
    }
  }
  const double step[XV] = {0.1, 0, 3, 0, 0};
  CHECK_NEAR(f.reach(&m, step), 3, 1e-15);
  v[N * V - 1] = INFINITY;
  CHECK(candor_unknown_check(&m) == CANDOR_NOT_FINITE);
}

/* Far out the smaller of psi and 1 - psi keeps its digits: a yes that nobody gives at psi = 1. */
static void far_out(void)
{
  const candor_family_of_devices never = {0.8, -0.8, 0.8, -0.8, 1, 0};
  candor_unknown_term u;
  for (double logit = 20; logit < 600; logit += 50) {
    candor_unknown_row(CANDOR_LOGIT, &never, 0, 0.3, candor_psi_at(logit), 1, &u);
    CHECK_NEAR(u.answer.loglik, log(0.8) - logit, 1e-8);
  }
}

static void unknown_refused(void)
{
  const candor_family_of_devices family[2] = {{0.2, 0.5, 0.1, 0.2, 1, 0}, {0.1, 0.3, 0.3, 0.1, 0.5, 0.4}};
  candor_unknown m = {model_of(CANDOR_LOGIT, 1, 0, 20, 2), family, NULL, 0, 0};
  CHECK(candor_unknown_check(&m) == CANDOR_OK);
  arm[19] = 2;
  CHECK(candor_unknown_check(&m) == CANDOR_DOMAIN);
  arm[19] = -1;
  CHECK(candor_unknown_check(&m) == CANDOR_DOMAIN);
  arm[19] = 1;
  m.base.level = level;
  m.base.levels = 1;
  CHECK(candor_unknown_check(&m) == CANDOR_DOMAIN);
  m.base.levels = 0;
  /* The number may stand alone. */
  m.base.columns = 0;
  CHECK(candor_unknown_check(&m) == CANDOR_OK);
  m.base.columns = 2;
  y[0] = NAN;
  CHECK(candor_unknown_check(&m) == CANDOR_NOT_FINITE);
  y[0] = 1;
  /* The second device is wrong at psi = 1 alone, or at 0 alone. */
  const candor_family_of_devices wrong[] = {{0.1, -0.2, 0, 0, 1, 0},    {0, 0, 0.1, -0.2, 1, 0},
                                            {0.5, 0.3, 0, 0, 0.7, 0},   {0, 0, 0.5, 0.3, 0.7, 0},
                                            {0.1, 0, 0.1, 0, 0.9, 0.2}, {-0.1, 0.2, 0, 0, 1, 0}};
  for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
    const candor_family_of_devices pair[2] = {family[0], wrong[w]};
    m.family = pair;
    CHECK(candor_unknown_check(&m) == CANDOR_DOMAIN);
  }
  const candor_device ends[2] = {candor_unknown_device(&family[1], (candor_psi){0, 1}),
                                 candor_unknown_device(&family[1], (candor_psi){0.5, 0.5})};
  CHECK(ends[0].p == 0.1 && ends[0].q == 0.3 && ends[0].p_no == 0.4 && fabs(ends[0].q_no - 0.2) < 1e-16);
  CHECK_NEAR(ends[1].p, 0.25, 1e-15);
  CHECK_NEAR(ends[1].q, 0.35, 1e-15);
  CHECK_NEAR(ends[1].p_no, 0.45, 1e-15);
  CHECK_NEAR(ends[1].q_no, 0.35, 1e-15);
  CHECK_NEAR(ends[1].d, -0.1, 1e-15);
}

/* ---- distinct rows ---- */

static void distinct(int with_code)
{
  enum { N = 1500, LIMIT = 64 };
  static double one[N], two[N];
  static int code[N], id[N], expected[N];
  const double *const columns[] = {one, two};
  int slot[128];
  size_t first[LIMIT], count, patterns = 0, point[N];
  for (size_t i = 0; i < N; i++) {
    one[i] = floor(4 * uniform()) - 1;
    two[i] = floor(3 * uniform()) * (uniform() < 0.5 ? -1 : 1); /* -0 too */
    code[i] = (int) (2 * uniform());
  }
  for (size_t i = 0; i < N; i++) {
    size_t p = 0;
    while (p < patterns &&
           (one[point[p]] != one[i] || two[point[p]] != two[i] || (with_code && code[point[p]] != code[i])))
      p++;
    if (p == patterns) point[patterns++] = i;
    expected[i] = (int) p;
  }
  const candor_rows table = {N, 2, columns, with_code ? code : NULL};
  CHECK(candor_distinct(&table, LIMIT, slot, 128, id, first, &count) == CANDOR_OK);
  CHECK(count == patterns && memcmp(id, expected, sizeof id) == 0 &&
        memcmp(first, point, patterns * sizeof *point) == 0);
  /* As many as the limit are not too many. */
  CHECK(candor_distinct(&table, patterns, slot, 128, id, first, &count) == CANDOR_OK && count == patterns);
  CHECK(candor_distinct(&table, patterns - 1, slot, 128, id, first, &count) == CANDOR_STALLED);
  CHECK(candor_distinct(&table, 64, slot, 127, id, first, &count) == CANDOR_DOMAIN);
  CHECK(candor_distinct(&table, 48, slot, 96, id, first, &count) == CANDOR_DOMAIN); /* no power of two */
}

int main(void)
{
  uniform_seed = 77;
  for (int link = 0; link < CANDOR_LINKS; link++) {
    by_definition((candor_link) link, 1, 1, ROWS, COLUMNS);
    by_definition((candor_link) link, 0, 0, 257, 5);
    reach_and_room((candor_link) link, 1);
    reach_and_room((candor_link) link, 0);
    tops((candor_link) link, 0, 0);
    tops((candor_link) link, 1, 1);
  }
  by_definition(CANDOR_LOGIT, 0, 1, 511, 4);
  outside();
  refused();
  arrows();
  maxima_of_climbs();
  const candor_family_of_devices detector[2] = {{0, 1, 0.8, 0, 1, 0}, {0, 1, 0.2, 0, 1, 0}};
  const candor_family_of_devices anchor[2] = {{0.2, 0.5, 0.1, 0.2, 0.8, 0.1}, {0.1, 0.3, 0.3, 0.1, 0.5, 0.4}};
  for (int link = 0; link < CANDOR_LOG; link++) {
    unknown((candor_link) link, link % 2, detector);
    unknown((candor_link) link, 1 - link % 2, anchor);
  }
  for (int link = 0; link < 2 * CANDOR_LOG; link++) shared((candor_link) (link / 2), link % 2);
  far_out();
  unknown_refused();
  distinct(0);
  distinct(1);
  return check_report();
}
