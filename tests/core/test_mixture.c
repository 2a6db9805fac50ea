/* The mixture over truths: against its likelihood written out in long double, without maps, and numerical derivatives. */
#include "regress/mixture.h"

#include <string.h>

#include "check.h"
#include "workspace.h"

/* Truths u (3 levels) and v (2 levels given u); predictors: u 0 to 2, v 3 to 8, outcomes 9 to 14. */
enum { N = 6, P = 2, CELLS = 12, Q = 15, SIZE = 11, WIDTH = 4 };

static const double z[N * P] = {1, 1, 1, 1, 1, 0.5, 0.75, -1.25, 2, 0.125, -0.5, 1.5};
static const double weight[N] = {1, 2, 0.5, 1, 0, 3};
static const double numbers[N] = {0.5, -1, 2, 3, 1, 0.25}, yes[N] = {1, 0, 0, 1, 1, 1}, counts[N] = {0, 1, 5, 2, 40, 0};
static const double point[SIZE] = {0.25, -0.5, 1, 0.375, -0.75, 0.5, 0.625, 0.125, 0.25, -0.375, 0.2};
static const double hidden[CELLS] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
static const int levels[2] = {3, 2}, designs[2] = {1, 3};

typedef struct example {
  candor_mixture m;
  double reports[N * CELLS], map[(Q * P + 1) * SIZE];
  int level[2 * CELLS], predictor[WIDTH * CELLS];
} example;

static void set(example *e, int predictor, int column, int coordinate, double value)
{
  e->map[(predictor * P + column) * (int) e->m.size + coordinate] = value;
}

static void make(example *e, candor_outcome family, const double *outcome)
{
  const int cells = outcome ? 6 : 12, size = SIZE - (family != CANDOR_GAUSSIAN);
  memset(e, 0, sizeof *e);
  e->m = (candor_mixture){N,      P,      2,       (size_t) cells, Q,           (size_t) size,
                          family, z,      weight,  outcome,        hidden,      e->reports,
                          e->map, levels, designs, e->level,       e->predictor};
  for (int k = 0; k < P; k++) {
    for (int j = 1; j < 3; j++) set(e, j, k, 2 * (j - 1) + k, 1);
    for (int u = 0; u < 3; u++) set(e, 3 + 2 * u + 1, k, 4 + k, 1);
    for (int c = 0; c < 6; c++) set(e, 9 + c, k, 7 + k, 1);
  }
  for (int u = 0; u < 3; u++) set(e, 3 + 2 * u + 1, 0, 6, u);
  for (int c = 0; c < 6; c++) set(e, 9 + c, 0, 9, c % 3 + 2 * (c / 3));
  if (family == CANDOR_GAUSSIAN) set(e, Q, 0, SIZE - 1, 1);
  for (int c = 0; c < cells; c++) {
    const int u = c % 3, v = c / 3 % 2;
    const int predictor[WIDTH] = {1, 2, 3 + 2 * u + 1, 9 + c % 6};
    memcpy(e->predictor + WIDTH * c, predictor, sizeof predictor);
    e->level[2 * c] = u;
    e->level[2 * c + 1] = 3 + 2 * u + v;
    for (int i = 0; i < N; i++) e->reports[c * N + i] = i == 1 && c == 2 ? -INFINITY : log(0.1 + (7 * c + 5 * i) % 9);
  }
}

/* The logarithm of the probability of row i in cell c, in the coordinates. */
static long double joint(const example *e, const long double *b, int i, int c)
{
  const int u = c % 3, v = c / 3 % 2;
  const long double x = z[i], w = z[N + i], one = b[0] * x + b[1] * w, two = b[2] * x + b[3] * w;
  const long double logit = b[4] * x + b[5] * w + b[6] * u * x;
  const long double eta = b[7] * x + b[8] * w + b[9] * (u + 2 * v) * x;
  const long double y = e->m.outcome ? e->m.outcome[i] : hidden[c];
  long double value = (u == 1 ? one : u == 2 ? two : 0) - logl(1 + expl(one) + expl(two));
  value += v * logit - logl(1 + expl(logit)) + e->reports[c * N + i];
  if (e->m.family == CANDOR_BINOMIAL) return value + y * eta - logl(1 + expl(eta));
  if (e->m.family == CANDOR_POISSON) return value + (y > 0 ? y * (eta - logl(y)) + y : 0) - expl(eta);
  return value - (y - eta) * (y - eta) / 2 * expl(-2 * b[10]) - b[10];
}

static long double row_loglik(const example *e, const long double *b, int i)
{
  long double sum = 0;
  for (int c = 0; c < (int) e->m.cells; c++) sum += expl(joint(e, b, i, c));
  return logl(sum);
}

static long double loglik(const example *e, const long double *b)
{
  long double sum = 0;
  for (int i = 0; i < N; i++) sum += weight[i] * row_loglik(e, b, i);
  return sum;
}

/* The mean of the log-likelihood of known truths over posteriors at `point`. */
static long double complete(const example *e, const long double *b)
{
  long double at[SIZE], sum = 0;
  for (int s = 0; s < SIZE; s++) at[s] = point[s];
  for (int i = 0; i < N; i++) {
    for (int c = 0; c < (int) e->m.cells; c++) {
      const long double share = expl(joint(e, at, i, c) - row_loglik(e, at, i));
      if (share > 0) sum += weight[i] * share * joint(e, b, i, c);
    }
  }
  return sum;
}

static long double curvature(const example *e, long double (*f)(const example *, const long double *), int r, int s)
{
  const long double h = 1e-4L;
  long double sum = 0;
  for (int k = 0; k < 4; k++) {
    long double b[SIZE];
    for (int j = 0; j < SIZE; j++) b[j] = point[j];
    b[r] += k & 1 ? h : -h;
    b[s] += k & 2 ? h : -h;
    sum += (k == 0 || k == 3 ? -1 : 1) * f(e, b);
  }
  return sum / (4 * h * h);
}

typedef struct answer {
  double gradient[SIZE], observed[SIZE * SIZE], fallback[SIZE * SIZE], score[N * SIZE], posterior[N * CELLS], value;
} answer;

static candor_status pass(const candor_mixture *m, const double *b, int only_value, answer *a)
{
  double *work = workspace(candor_mixture_work(m));
  size_t *span = malloc(2 * m->predictors * sizeof *span);
  candor_mixture_sums sums = {NAN, a->gradient, a->observed, a->fallback, a->score, a->posterior};
  if (only_value) sums.gradient = NULL;
  const candor_status status = candor_mixture_add(m, b, work, span, &sums);
  a->value = sums.value;
  free(work), free(span);
  return status;
}

static void derivatives(candor_outcome family, const double *outcome)
{
  example e;
  answer a, other;
  make(&e, family, outcome);
  const int size = (int) e.m.size, cells = (int) e.m.cells;
  long double b[SIZE];
  for (int s = 0; s < SIZE; s++) b[s] = point[s];
  CHECK(pass(&e.m, point, 0, &a) == CANDOR_OK);
  CHECK(pass(&e.m, point, 1, &other) == CANDOR_OK);
  CHECK(a.value == other.value);
  CHECK_NEAR(a.value, (double) loglik(&e, b), 1e-13 * fabs(a.value));
  for (int i = 0; i < N; i++)
    for (int c = 0; c < cells; c++)
      CHECK_NEAR(a.posterior[c * N + i], (double) expl(joint(&e, b, i, c) - row_loglik(&e, b, i)), 1e-14);
  for (int s = 0; s < size; s++) {
    const long double h = 1e-5L;
    double sum = 0;
    for (int i = 0; i < N; i++) {
      b[s] = point[s] + h;
      const long double up = row_loglik(&e, b, i);
      b[s] = point[s] - h;
      const long double slope = (up - row_loglik(&e, b, i)) / (2 * h);
      b[s] = point[s];
      CHECK_NEAR(a.score[s * N + i], (double) slope, 1e-6);
      sum += weight[i] * a.score[s * N + i];
    }
    CHECK_NEAR(a.gradient[s], sum, 1e-12);
    for (int r = 0; r < size; r++) {
      const int cross = family == CANDOR_GAUSSIAN && (r == SIZE - 1) != (s == SIZE - 1);
      CHECK_NEAR(a.observed[s * size + r], (double) curvature(&e, loglik, r, s), 1e-5);
      CHECK_NEAR(a.fallback[s * size + r], cross ? 0 : (double) curvature(&e, complete, r, s), 1e-5);
    }
  }
}

static void ends(void)
{
  example e;
  answer a;
  double b[SIZE];
  /* The error's logarithm is at most 30 away from that of the unit. */
  make(&e, CANDOR_GAUSSIAN, numbers);
  memcpy(b, point, sizeof b);
  b[SIZE - 1] = 30.5;
  CHECK(pass(&e.m, b, 0, &a) == CANDOR_OK && a.value == -INFINITY);
  b[SIZE - 1] = NAN;
  CHECK(pass(&e.m, b, 0, &a) == CANDOR_OK && a.value == -INFINITY);
  /* Reports that no truth gives. */
  for (int c = 0; c < 6; c++) e.reports[c * N + 3] = -INFINITY;
  CHECK(pass(&e.m, point, 0, &a) == CANDOR_OK && a.value == -INFINITY);
  /* Truths and outcomes that are sure: each row has one cell, and by hand the sum of its reports. */
  make(&e, CANDOR_BINOMIAL, yes);
  const double sure[2][SIZE] = {{2000, 0, 0, 0, 2000}, {-2000, 0, -2000, 0, -2000}}; /* cells 4 and 0, a first level */
  for (int k = 0; k < 2; k++) {
    double sum = 0;
    CHECK(pass(&e.m, sure[k], 0, &a) == CANDOR_OK);
    for (int i = 0; i < N; i++) sum += weight[i] * (e.reports[4 * (1 - k) * N + i] - log(2));
    CHECK_NEAR(a.value, sum, 1e-13);
    for (int s = 0; s < 7; s++) CHECK(a.gradient[s] == 0 && a.fallback[s * 10 + s] == 0);
  }
  /* Compensation: five terms of -log(2), of which each alone is rounded to -1. */
  const double one[N] = {1e16, 0, 0, 0, 0, 0}, all[N] = {1e16, 1, 1, 1, 1, 1}, nothing[SIZE] = {0};
  for (int k = 0; k < N * 6; k++) e.reports[k] = 0;
  e.m.weight = one;
  CHECK(pass(&e.m, nothing, 1, &a) == CANDOR_OK);
  const double first = a.value;
  CHECK_NEAR(first / 1e16, -log(2), 1e-15);
  e.m.weight = all;
  CHECK(pass(&e.m, nothing, 1, &a) == CANDOR_OK);
  CHECK_NEAR(a.value - first, -5 * log(2), 0.6);
}

static void refusals(void)
{
  example e;
  answer a;
  make(&e, CANDOR_POISSON, counts);
  const int wrong[] = {-1, Q};
  for (int k = 0; k < 2; k++) {
    e.level[11] = wrong[k];
    CHECK(pass(&e.m, point, 0, &a) == CANDOR_DOMAIN);
    e.level[11] = 4;
    e.predictor[23] = wrong[k];
    CHECK(pass(&e.m, point, 0, &a) == CANDOR_DOMAIN);
    e.predictor[23] = 9;
  }
  CHECK(pass(&e.m, point, 0, &a) == CANDOR_OK);
  candor_mixture bad = e.m;
  bad.cells = 0;
  CHECK(pass(&bad, point, 0, &a) == CANDOR_DOMAIN);
  bad = e.m, bad.columns = 0;
  CHECK(pass(&bad, point, 0, &a) == CANDOR_DOMAIN);
  bad = e.m, bad.predictors = 9; /* no outcome */
  CHECK(pass(&bad, point, 0, &a) == CANDOR_DOMAIN);
  CHECK(candor_mixture_width(&e.m) == WIDTH);
}

int main(void)
{
  derivatives(CANDOR_GAUSSIAN, numbers);
  derivatives(CANDOR_BINOMIAL, yes);
  derivatives(CANDOR_BINOMIAL, NULL);
  derivatives(CANDOR_POISSON, counts);
  ends();
  refusals();
  return check_report();
}
