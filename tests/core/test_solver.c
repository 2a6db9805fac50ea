/* The certified solver: golden vectors, brute-force certificates, hard channels, bad input; and the
 * plain iterative update. */
#include "estimate/solver.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "estimate/em.h"
#include "uniform.h"
#include "workspace.h"

typedef struct solution {
  candor_status status;
  double gap, loglik;
  double theta[4096];
  int unique;
  size_t products;
} solution;

static void solve(const candor_channel *channel, const double *counts, const double *start, double tolerance,
                  solution *out)
{
  candor_solver_options options = candor_solver_defaults(channel);
  options.tolerance = tolerance;
  double *work = workspace(candor_solver_work(channel, &options));
  size_t *index = malloc(candor_solver_index(channel) * sizeof *index);
  candor_solver s;
  candor_status status = candor_solver_init(&s, channel, counts, start, &options, work, index);
  for (int k = 0; k < 5000 && status == CANDOR_AGAIN; k++) status = candor_solver_run(&s, 1);
  out->status = status;
  if (status == CANDOR_OK || status == CANDOR_AGAIN || status == CANDOR_STALLED) {
    out->gap = s.gap;
    out->loglik = s.loglik;
    memcpy(out->theta, s.theta, s.truths * sizeof *s.theta);
    out->products = s.products;
    out->unique = candor_solver_unique(&s, 1000);
  }
  free(work), free(index);
}

static solution result;

static void solve_dense(const double *C, size_t K, size_t J, const double *counts, double tolerance)
{
  const candor_axis axis = {CANDOR_AXIS_DENSE, K, J, C, NULL, 0, {0}};
  const candor_channel channel = {1, &axis};
  solve(&channel, counts, NULL, tolerance, &result);
}

/* N log max g from the definition, in long double, row by row. */
static double certificate(const candor_channel *channel, const double *counts, const double *theta)
{
  const size_t K = candor_channel_truths(channel), J = candor_channel_reports(channel);
  long double *m = calloc(J, sizeof *m), total = 0, most = 0;
  double *row = malloc(J * sizeof *row);
  for (size_t j = 0; j < J; j++) total += counts[j];
  for (size_t i = 0; i < K; i++) {
    candor_channel_row(channel, i, row);
    for (size_t j = 0; j < J; j++) m[j] += (long double) theta[i] * row[j];
  }
  for (size_t i = 0; i < K; i++) {
    long double g = 0;
    candor_channel_row(channel, i, row);
    for (size_t j = 0; j < J; j++)
      if (counts[j] > 0) g += counts[j] / total * row[j] / m[j];
    if (g > most) most = g;
  }
  free(m), free(row);
  return (double) (total * logl(most));
}

static void test_golden(void)
{
  /* golden/mle_channel.json, cases 1 to 4: abs 1e-9 on theta, 1e-13 on the mean log-likelihood. */
  static const struct {
    size_t K, J;
    double C[24], counts[6], theta[4], mean_loglik;
  } cases[] = {{2,
                3,
                {0.17578125, 0.59765625, 0.2265625, 0.640625, 0.3125, 0.046875},
                {24, 11, 5},
                {0.1786156247536648, 0.8213843752463352},
                -0.9461513910463236},
               {3,
                3,
                {0.26953125, 0.33984375, 0.390625, 0.515625, 0.21875, 0.265625, 0.484375, 0.42578125, 0.08984375},
                {31, 20, 9},
                {0.0, 0.3866436664814823, 0.6133563335185177},
                -0.9927841259860432},
               {3,
                5,
                {0.359375, 0.03125, 0.24609375, 0.296875, 0.06640625, 0.58203125, 0.03125, 0.0234375, 0.1796875,
                 0.18359375, 0.11328125, 0.01953125, 0.125, 0.578125, 0.1640625},
                {0, 5, 22, 92, 29},
                {0, 0, 1},
                -1.1368711773155034},
               {4,
                6,
                {0.26953125, 0.10546875, 0.2421875, 0.08984375, 0.140625,   0.15234375, 0.046875,   0.24609375,
                 0.3125,     0.21875,    0.125,     0.05078125, 0.12890625, 0.0546875,  0.30078125, 0.21875,
                 0.07421875, 0.22265625, 0.265625,  0.1171875,  0.2421875,  0.1796875,  0.13671875, 0.05859375},
                {0, 15, 25, 11, 17, 5},
                {0, 1, 0, 0},
                -1.6038238486479226}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double total = 0;
    for (size_t j = 0; j < cases[k].J; j++) total += cases[k].counts[j];
    /* Convergence in theta goes with the root of the gap: ask for all there is. */
    solve_dense(cases[k].C, cases[k].K, cases[k].J, cases[k].counts, 1e-13);
    CHECK(result.status == CANDOR_OK || result.gap < 1e-12);
    for (size_t i = 0; i < cases[k].K; i++) CHECK_NEAR(result.theta[i], cases[k].theta[i], 1e-9);
    CHECK_NEAR(result.loglik / total, cases[k].mean_loglik, 1e-13);
    CHECK(result.unique == 1);
  }
}

/* Every random channel is certified again by the definition, and no random distribution does better. */
static void test_random(void)
{
  static double C[60 * 60];
  for (int round = 0; round < 300; round++) {
    const size_t K = 2 + (size_t) (uniform() * 58), J = 2 + (size_t) (uniform() * 58);
    const double power = round % 3 == 0 ? 1 : round % 3 == 1 ? 8 : 0.1;
    double counts[60], total = 0;
    for (size_t k = 0; k < K * J; k++) C[k] = pow(uniform(), power);
    for (size_t i = 0; i < K; i++) {
      double sum = 0;
      for (size_t j = 0; j < J; j++) sum += C[i * J + j];
      for (size_t j = 0; j < J; j++) C[i * J + j] /= sum;
    }
    for (size_t j = 0; j < J; j++) total += counts[j] = floor(pow(uniform(), 3) * 1000);
    if (total == 0) continue;
    solve_dense(C, K, J, counts, 1e-8);
    const candor_axis axis = {CANDOR_AXIS_DENSE, K, J, C, NULL, 0, {0}};
    const candor_channel channel = {1, &axis};
    CHECK(result.status == CANDOR_OK && result.gap <= 1e-8);
    CHECK(certificate(&channel, counts, result.theta) <= 1e-8 + 1e-14 * total);
    double sum = 0, m[60] = {0};
    for (size_t i = 0; i < K; i++) {
      CHECK(result.theta[i] >= 0);
      sum += result.theta[i];
      for (size_t j = 0; j < J; j++) m[j] += result.theta[i] * C[i * J + j];
    }
    /* What is near 0 and falls is 0: a step of its own, (1 - g) / (sum of phi C^2 / m^2), would take it there. */
    for (size_t i = 0; i < K; i++) {
      double decrease = 1, curvature = 0;
      for (size_t j = 0; j < J; j++) {
        if (counts[j] == 0) continue;
        decrease -= counts[j] / total * C[i * J + j] / m[j];
        curvature += counts[j] / total * C[i * J + j] / m[j] * C[i * J + j] / m[j];
      }
      CHECK(result.theta[i] == 0 || decrease < 1e-9 || result.theta[i] * curvature > 0.9 * decrease);
    }
    CHECK_NEAR(sum, 1, 1e-14);
  }
}

/* Gap <= 1e-10 an observation, checked from the definition, for no more products with the channel than are allowed, which
 * are one and a half times those that it took in November 2026: a solver that has lost one of its means ends, but late. */
static void check_hard(const candor_channel *channel, const double *counts, double total, size_t products)
{
  solve(channel, counts, NULL, 1e-8, &result);
  CHECK(result.products <= products);
  CHECK(result.status == CANDOR_OK);
  CHECK(certificate(channel, counts, result.theta) <= 1e-10 * total);
}

static void test_hard_channels(void)
{
  static double C[500 * 500], counts[4096];
  const double N = 1e5;
  { /* 500-category GRR at epsilon 0.5, as a dense matrix */
    for (size_t k = 0; k < 500 * 500; k++) C[k] = (k % 501 == 0 ? exp(0.5) : 1) / (exp(0.5) + 499);
    double total = 0;
    for (size_t j = 0; j < 500; j++) total += counts[j] = floor(N / 500 + sqrt(N / 500) * 3 * (uniform() - 0.5));
    const candor_axis axis = {CANDOR_AXIS_DENSE, 500, 500, C, NULL, 0, {0}};
    const candor_channel channel = {1, &axis};
    check_hard(&channel, counts, total, 800);
  }
  for (int k = 0; k < 4; k++) { /* 200 points: geometric noise; Gaussian noise of condition 1e8 and beyond */
    static const double width[] = {0, 2, 6, 25};
    static const size_t products[] = {650, 4800, 1350, 600};
    double total = 0;
    for (size_t i = 0; i < 200; i++) {
      double sum = 0;
      for (size_t j = 0; j < 200; j++) {
        const double distance = fabs((double) i - (double) j);
        sum += C[i * 200 + j] = k == 0 ? exp(-0.5 * distance) : exp(-0.5 * pow(distance / width[k], 2)) + 1e-12;
      }
      for (size_t j = 0; j < 200; j++) C[i * 200 + j] /= sum;
    }
    for (size_t j = 0; j < 200; j++) total += counts[j] = floor(N / 200 * (0.5 + uniform()));
    const candor_axis axis = {CANDOR_AXIS_DENSE, 200, 200, C, NULL, 0, {0}};
    const candor_channel channel = {1, &axis};
    check_hard(&channel, counts, total, products[k]);
  }
  for (size_t K = 8; K <= 128; K *= 4) { /* two truths that differ by 1e-7: smallest singular value about 1e-8 */
    double total = 0;
    for (size_t k = 0; k < K * K; k++) C[k] = uniform();
    for (size_t j = 0; j < K; j++) C[(K - 1) * K + j] = C[j] * (1 + 1e-7 * uniform());
    for (size_t i = 0; i < K; i++) {
      double sum = 0;
      for (size_t j = 0; j < K; j++) sum += C[i * K + j];
      for (size_t j = 0; j < K; j++) C[i * K + j] /= sum;
    }
    for (size_t j = 0; j < K; j++) total += counts[j] = floor(1000 * uniform());
    const candor_axis axis = {CANDOR_AXIS_DENSE, K, K, C, NULL, 0, {0}};
    const candor_channel channel = {1, &axis};
    check_hard(&channel, counts, total, K == 8 ? 100 : K == 32 ? 140 : 200);
  }
  for (int k = 0; k < 2; k++) { /* 12 yes/no questions */
    const double p = k ? 0.65 : 0.9, B[4] = {p, 1 - p, 1 - p, p};
    candor_axis axes[12];
    double total = 0;
    for (int d = 0; d < 12; d++) axes[d] = (candor_axis){CANDOR_AXIS_DENSE, 2, 2, B, NULL, 0, {0}};
    for (size_t j = 0; j < 4096; j++) total += counts[j] = floor(-40 * log(uniform()));
    const candor_channel channel = {12, axes};
    check_hard(&channel, counts, total, k ? 1500 : 320);
  }
}

/* Counts that are all but exactly N C' theta, of theta with a thousand positive cells: hardly a multiplier differs from
 * 0 by more than rounding. */
static void test_near_exact(void)
{
  static double theta[4096], counts[4096], work[3 * 4096];
  double base[12][2], total = 0, sum = 0;
  candor_axis axes[12];
  for (int d = 0; d < 12; d++) {
    const double p = 0.65 + 0.3 * d / 11;
    base[d][0] = base[d][1] = 1 - p;
    axes[d] = (candor_axis){CANDOR_AXIS_ADDITIVE, 2, 2, NULL, base[d], 2 * p - 1, {0}};
  }
  const candor_channel channel = {12, axes};
  for (size_t i = 0; i < 4096; i++) sum += theta[i] = uniform() < 0.25 ? -log(uniform()) : 0;
  for (size_t i = 0; i < 4096; i++) theta[i] /= sum;
  candor_channel_forward(&channel, theta, work, counts);
  for (size_t j = 0; j < 4096; j++) total += counts[j] = floor(1e10 * counts[j] + 0.5);
  solve(&channel, counts, NULL, 1e-8, &result);
  CHECK(result.status == CANDOR_OK || result.status == CANDOR_STALLED);
  CHECK(result.gap <= 1e-14 * total); /* 1e-8 of 1e10 is beyond doubles */
  CHECK(certificate(&channel, counts, result.theta) <= 1e-14 * total);
}

/* An axis of many categories beside a yes/no question: plain sums over it once certified what was not so. */
static void test_wide_axis(void)
{
  enum { WIDE = 2000 };
  static double base[WIDE], counts[2 * WIDE];
  const double q = 1 / (exp(4) + WIDE - 1);
  for (size_t y = 0; y < WIDE; y++) base[y] = q;
  const double warner[2] = {0.2, 0.2};
  const candor_axis axes[] = {{CANDOR_AXIS_ADDITIVE, WIDE, WIDE, NULL, base, expm1(4) * q, {0}},
                              {CANDOR_AXIS_ADDITIVE, 2, 2, NULL, warner, 0.6, {0}}};
  const candor_channel forwards = {2, axes};
  const candor_axis turned[] = {axes[1], axes[0]};
  const candor_channel backwards = {2, turned};
  for (int k = 0; k < 2; k++) {
    double total = 0;
    for (size_t j = 0; j < 2 * WIDE; j++) total += counts[j] = floor(400 * uniform() + 2000 / (1 + (double) j));
    const candor_channel *channel = k ? &backwards : &forwards;
    solve(channel, counts, NULL, 1e-8, &result);
    CHECK(result.status == CANDOR_OK);
    CHECK(certificate(channel, counts, result.theta) <= 3e-15 * total + result.gap);
  }
}

/* I v = rhs on the support, I from its definition. */
static void test_information(void)
{
  const double B[3][4] = {{0.8, 0.2, 0.3, 0.7}, {0.6, 0.4, 0.1, 0.9}, {0.75, 0.25, 0.25, 0.75}};
  candor_axis axes[3];
  for (int d = 0; d < 3; d++) axes[d] = (candor_axis){CANDOR_AXIS_DENSE, 2, 2, B[d], NULL, 0, {0}};
  const candor_channel channel = {3, axes};
  const double counts[] = {310, 120, 95, 400, 210, 35, 150, 60};
  candor_solver_options options = candor_solver_defaults(&channel);
  double *work = workspace(candor_solver_work(&channel, &options));
  size_t *index = malloc(candor_solver_index(&channel) * sizeof *index);
  candor_solver s;
  candor_status status = candor_solver_init(&s, &channel, counts, NULL, &options, work, index);
  while (status == CANDOR_AGAIN) status = candor_solver_run(&s, 1);
  CHECK(status == CANDOR_OK);
  size_t set[8], n = 0;
  for (size_t i = 0; i < 8; i++)
    if (s.theta[i] > 0) set[n++] = i;
  double rhs[8], v[8], row[8][8];
  for (size_t k = 0; k < n; k++) {
    rhs[k] = uniform() - 0.5;
    candor_channel_row(&channel, set[k], row[k]);
  }
  CHECK(candor_solver_information(&s, set, n, rhs, 1000, v) == 1);
  for (size_t k = 0; k < n; k++) {
    double sum = 0;
    for (size_t l = 0; l < n; l++)
      for (size_t j = 0; j < 8; j++)
        sum += row[k][j] * row[l][j] * counts[j] / s.total / (s.reported[j] * s.reported[j]) * v[l];
    CHECK_NEAR(sum, rhs[k], 1e-9);
  }
  CHECK(candor_solver_information(&s, set, n, rhs, 1, v) == 0); /* and says when it has not */
  free(work), free(index);
}

static void test_structure(void)
{
  /* A product solved axis by axis equals the joint matrix solved as one. */
  const double A[4] = {0.8, 0.2, 0.3, 0.7}, b[3] = {0.1, 0.1, 0.2};
  const candor_axis axes[2] = {{CANDOR_AXIS_DENSE, 2, 2, A, NULL, 0, {0}},
                               {CANDOR_AXIS_ADDITIVE, 3, 3, NULL, b, 0.6, {0}}};
  const candor_channel product = {2, axes};
  double joint[36], theta[6];
  const double counts[6] = {40, 3, 0, 17, 9, 31};
  for (size_t x = 0; x < 6; x++) candor_channel_row(&product, x, joint + 6 * x);
  solve_dense(joint, 6, 6, counts, 1e-10);
  memcpy(theta, result.theta, sizeof theta);
  solve(&product, counts, NULL, 1e-10, &result);
  CHECK(result.status == CANDOR_OK);
  for (size_t i = 0; i < 6; i++) CHECK_NEAR(result.theta[i], theta[i], 1e-6);
}

static void test_uniqueness(void)
{
  /* Rank 2 with 3 truths: the middle one is a mixture of the others. */
  const double flat[9] = {0.8, 0.1, 0.1, 0.45, 0.1, 0.45, 0.1, 0.1, 0.8}, counts[3] = {30, 10, 40};
  solve_dense(flat, 3, 3, counts, 1e-8);
  CHECK(result.status == CANDOR_OK);
  CHECK(result.unique == 0);
  /* Two identical truths. */
  const double twins[6] = {0.8, 0.2, 0.3, 0.7, 0.3, 0.7}, two[2] = {50, 50};
  solve_dense(twins, 3, 2, two, 1e-8);
  CHECK(result.status == CANDOR_OK && result.unique == 0);
  const double good[4] = {0.8, 0.2, 0.3, 0.7};
  solve_dense(good, 2, 2, two, 1e-8);
  CHECK(result.status == CANDOR_OK && result.unique == 1);
  CHECK_NEAR(result.theta[0], 0.4, 1e-7); /* the inversion: (0.5 - 0.3) / 0.5 */
}

static void test_bad_input(void)
{
  const double C[4] = {1, 0, 1, 0}, D[4] = {0.8, 0.2, 0.3, 0.7};
  const double impossible[2] = {1, 1}, fine[2] = {1, 0}, negative[2] = {1, -1}, nan[2] = {1, NAN}, zero[2] = {0, 0};
  const double huge[2] = {1e308, 1e308};
  solve_dense(C, 2, 2, impossible, 1e-8);
  CHECK(result.status == CANDOR_IMPOSSIBLE);
  solve_dense(C, 2, 2, fine, 1e-8);
  CHECK(result.status == CANDOR_OK && result.unique == 0);
  solve_dense(D, 2, 2, negative, 1e-8);
  CHECK(result.status == CANDOR_DOMAIN);
  solve_dense(D, 2, 2, nan, 1e-8);
  CHECK(result.status == CANDOR_NOT_FINITE);
  solve_dense(D, 2, 2, zero, 1e-8);
  CHECK(result.status == CANDOR_EMPTY);
  solve_dense(D, 2, 2, huge, 1e-8);
  CHECK(result.status == CANDOR_NOT_FINITE);
  solve_dense(D, 2, 2, impossible, NAN);
  CHECK(result.status == CANDOR_DOMAIN);
  const candor_axis axis = {CANDOR_AXIS_DENSE, 2, 2, C, NULL, 0, {0}};
  const candor_channel channel = {1, &axis};
  double work[8];
  CHECK(candor_impossible(&channel, impossible, work) == 1);
  CHECK(candor_impossible(&channel, fine, work) == 2);
  const double start[2] = {-1, 2}, lame[2] = {0, 0};
  solve(&channel, fine, start, 1e-8, &result);
  CHECK(result.status == CANDOR_DOMAIN);
  solve(&channel, fine, lame, 1e-8, &result);
  CHECK(result.status == CANDOR_DOMAIN);
  /* A tolerance that double precision cannot meet is never called met. */
  double big[40], R[40 * 40];
  for (size_t k = 0; k < 1600; k++) R[k] = uniform() / 20;
  for (size_t j = 0; j < 40; j++) big[j] = floor(1e12 * uniform());
  solve_dense(R, 40, 40, big, 1e-9);
  CHECK(result.status == CANDOR_STALLED || (result.status == CANDOR_OK && result.gap <= 1e-9));
}

static void test_em(void)
{
  /* golden/ibu_channel.json, case 1: 0, 1, 4 and 25 steps in one run, cut into chunks of 2. */
  const double C[6] = {0.17578125, 0.59765625, 0.2265625, 0.640625, 0.3125, 0.046875}, counts[3] = {24, 11, 5};
  const candor_axis axis = {CANDOR_AXIS_DENSE, 2, 3, C, NULL, 0, {0}};
  const candor_channel channel = {1, &axis};
  double theta[2] = {0.5, 0.5}, work[16], gap[26], loglik[26];
  const candor_ibu_trace trace = {gap, loglik, NULL, NULL};
  candor_em em;
  CHECK(candor_em_start(&em, &channel, counts, theta, work) == CANDOR_OK);
  em.limit = 25;
  while (candor_em_run(&em, 2, &trace) == CANDOR_AGAIN) continue;
  CHECK(em.steps == 25);
  CHECK_NEAR(theta[0], 0.1797074310130678, 1e-11);
  CHECK_NEAR(loglik[1], -0.9768266682543215, 1e-13);
  CHECK_NEAR(gap[4], 0.03070528307188327, 1e-12);
  CHECK_NEAR(gap[25], 0.00024171427081259067, 1e-12);
  em.limit = 100000;
  em.tolerance = 1e-9;
  CHECK(candor_em_run(&em, 100000, NULL) == CANDOR_OK);
  CHECK(em.total * em.gap <= 1e-9 && em.steps < 1000);
  const double zero[3] = {0, 0, 0}, bad[2] = {0.5, 0.6};
  CHECK(candor_em_start(&em, &channel, zero, theta, work) == CANDOR_EMPTY);
  memcpy(theta, bad, sizeof bad);
  CHECK(candor_em_start(&em, &channel, counts, theta, work) == CANDOR_DOMAIN);
}

static void test_starts(void)
{
  const double C[6] = {0.5, 0.25, 0.25, 0.125, 0.5, 0.375}, counts[3] = {30, 50, 20};
  const candor_axis axis = {CANDOR_AXIS_DENSE, 2, 3, C, NULL, 0, {0}};
  const candor_channel channel = {1, &axis};
  double best[2];
  solve(&channel, counts, NULL, 1e-9, &result);
  CHECK(result.status == CANDOR_OK && result.unique == 1);
  memcpy(best, result.theta, sizeof best);
  candor_solver_options options = candor_solver_defaults(&channel);
  options.tolerance = 1e-6;
  double *work = workspace(candor_solver_work(&channel, &options));
  size_t *index = malloc(candor_solver_index(&channel) * sizeof *index);
  candor_solver s;
  /* The maximum is one at once, from a start that needs no sum of 1. */
  double start[2] = {3 * best[0], 3 * best[1]};
  CHECK(candor_solver_init(&s, &channel, counts, start, &options, work, index) == CANDOR_OK);
  CHECK(candor_solver_run(&s, 10) == CANDOR_OK && s.iterations == 0);
  CHECK_NEAR(s.theta[0], best[0], 1e-15);
  start[0] = NAN;
  CHECK(candor_solver_init(&s, &channel, counts, start, &options, work, index) == CANDOR_NOT_FINITE);
  start[0] = start[1] = 1e308;
  CHECK(candor_solver_init(&s, &channel, counts, start, &options, work, index) == CANDOR_DOMAIN);
  options.tolerance = -1;
  CHECK(candor_solver_init(&s, &channel, counts, NULL, &options, work, index) == CANDOR_DOMAIN);
  options.tolerance = 1e-9;
  /* No more steps than were asked for. */
  CHECK(candor_solver_init(&s, &channel, counts, NULL, &options, work, index) == CANDOR_AGAIN);
  CHECK(candor_solver_run(&s, 0) == CANDOR_AGAIN && s.iterations == 0);
  CHECK(candor_solver_run(&s, 1) == CANDOR_AGAIN && s.iterations == 1);
  while (candor_solver_run(&s, 1) == CANDOR_AGAIN) continue;
  CHECK(candor_solver_unique(&s, 2) == 1 && candor_solver_unique(&s, 1) == 0); /* two cells are not one */
  free(work), free(index);
  /* A start that cannot have produced the reports gives way to the uniform distribution. */
  const double direct[4] = {1, 0, 0, 1}, both[2] = {30, 10}, one[2] = {1, 0};
  const candor_axis certain = {CANDOR_AXIS_DENSE, 2, 2, direct, NULL, 0, {0}};
  const candor_channel identity = {1, &certain};
  solve(&identity, both, one, 1e-9, &result);
  CHECK(result.status == CANDOR_OK);
  CHECK_NEAR(result.theta[0], 0.75, 1e-9);
  CHECK_NEAR(result.loglik, 30 * log(0.75) + 10 * log(0.25), 1e-9);
  /* Nobody reported the second: the truth is the first, and the unreported never enters. */
  solve(&identity, one, NULL, 1e-9, &result);
  CHECK(result.status == CANDOR_OK && result.theta[0] == 1 && result.theta[1] == 0 && result.loglik == 0);
  const double products[2] = {0, 0};
  double room[16];
  CHECK(candor_impossible(&identity, products, room) == 2);
  const double holes[6] = {0.5, 0, 0.5, 0.5, 0, 0.5}, last[3] = {0, 1, 1};
  const candor_axis with_hole = {CANDOR_AXIS_DENSE, 2, 3, holes, NULL, 0, {0}};
  const candor_channel hole = {1, &with_hole};
  CHECK(candor_impossible(&hole, last, room) == 1);
}

/* With room for a Hessian of three cells only, and none: gradients and vertices do it. */
static void test_little_room(void)
{
  enum { K = 12, J = 15 };
  double C[K * J], counts[J], total = 0;
  for (size_t i = 0; i < K; i++) {
    double sum = 0;
    for (size_t j = 0; j < J; j++) sum += C[i * J + j] = pow(uniform(), 4);
    for (size_t j = 0; j < J; j++) C[i * J + j] /= sum;
  }
  for (size_t j = 0; j < J; j++) total += counts[j] = floor(1000 * uniform());
  const candor_axis axis = {CANDOR_AXIS_DENSE, K, J, C, NULL, 0, {0}};
  const candor_channel channel = {1, &axis};
  for (size_t limit = 0; limit <= 3; limit += 3) {
    candor_solver_options options = candor_solver_defaults(&channel);
    options.newton_limit = limit;
    double *work = workspace(candor_solver_work(&channel, &options));
    size_t *index = malloc(candor_solver_index(&channel) * sizeof *index);
    candor_solver s;
    candor_status status = candor_solver_init(&s, &channel, counts, NULL, &options, work, index);
    for (int k = 0; k < 5000 && status == CANDOR_AGAIN; k++) status = candor_solver_run(&s, 1);
    CHECK(status == CANDOR_OK && s.gap <= 1e-8);
    CHECK(certificate(&channel, counts, s.theta) <= 1e-8 + 1e-13 * total);
    CHECK(candor_solver_unique(&s, 100) == 0); /* not examined */
    free(work), free(index);
  }
}

static void test_em_edges(void)
{
  /* The third report is impossible, and was never given. */
  const double C[6] = {0.75, 0.25, 0, 0.25, 0.75, 0}, counts[3] = {6, 4, 0};
  const candor_axis axis = {CANDOR_AXIS_DENSE, 2, 3, C, NULL, 0, {0}};
  const candor_channel channel = {1, &axis};
  double theta[2] = {0.5, 0.5}, *work = workspace(candor_em_work(&channel)), gap[3], loglik[3];
  const candor_ibu_trace trace = {gap, loglik, NULL, NULL}, no_trace = {NULL, NULL, NULL, NULL};
  candor_em em;
  CHECK(candor_em_start(&em, &channel, counts, theta, work) == CANDOR_OK);
  em.limit = 2;
  CHECK(candor_em_run(&em, 0, &trace) == CANDOR_AGAIN && em.steps == 0);
  /* One update by hand: theta_1 = (.6 .75 + .4 .25) .5 / .5. */
  CHECK(candor_em_run(&em, 1, &trace) == CANDOR_AGAIN && em.steps == 1);
  CHECK_NEAR(theta[0], 0.55, 1e-15);
  CHECK_NEAR(loglik[0], log(0.5), 1e-15);
  CHECK_NEAR(gap[0], log(1.1), 1e-15);
  CHECK_NEAR(loglik[1], 0.6 * log(0.525) + 0.4 * log(0.475), 1e-15);
  CHECK(candor_em_run(&em, 9, &no_trace) == CANDOR_OK && em.steps == 2);
  const double bad[][2] = {{NAN, 1}, {1.5, -0.5}, {0.5, 0.5 + 2e-8}, {1, 0}}, all[3] = {6, 4, 1};
  const candor_status expected[] = {CANDOR_NOT_FINITE, CANDOR_DOMAIN, CANDOR_DOMAIN, CANDOR_OK};
  for (int k = 0; k < 4; k++) {
    memcpy(theta, bad[k], sizeof theta);
    CHECK(candor_em_start(&em, &channel, counts, theta, work) == expected[k]);
  }
  CHECK(candor_em_start(&em, &channel, all, theta, work) == CANDOR_IMPOSSIBLE);
  const candor_channel none = {0, &axis};
  CHECK(candor_em_start(&em, &none, counts, theta, work) == CANDOR_DOMAIN);
  free(work);
}

/* p = 3/4 and q = 1/4, 2 and 3 reports: from equal shares the best vertex is the second, and the likelihood is greatest
 * where its share is (3/5 - q) / (p - q) = 7/10; from there no vertex gains. EM by hand: theta g. */
static void test_steps(void)
{
  const double C[4] = {0.75, 0.25, 0.25, 0.75}, counts[2] = {2, 3};
  const candor_axis axis = {CANDOR_AXIS_DENSE, 2, 2, C, NULL, 0, {0}};
  const candor_channel channel = {1, &axis};
  const candor_solver_options options = candor_solver_defaults(&channel);
  double *work = workspace(candor_solver_work(&channel, &options));
  size_t *index = malloc(candor_solver_index(&channel) * sizeof *index);
  candor_solver s;
  CHECK(candor_solver_init(&s, &channel, counts, NULL, &options, work, index) == CANDOR_AGAIN);
  CHECK_NEAR(s.score[0], 0.9, 1e-15); /* (.4 .75 + .6 .25) / .5 */
  CHECK_NEAR(s.gap, 5 * log(1.1), 1e-14);
  CHECK_NEAR(s.loglik, 5 * log(0.5), 1e-14);
  candor_certificate_em_step(&s);
  CHECK_NEAR(s.x[1], 0.55, 1e-15);
  CHECK_NEAR(s.m[1], 0.25 + 0.5 * 0.55, 1e-15);
  CHECK(candor_certificate_vertex_step(&s) == 1);
  CHECK_NEAR(s.x[1], 0.7, 1e-12);
  CHECK_NEAR(s.theta[0], 0.3, 1e-12);
  CHECK_NEAR(s.gap, 0, 1e-10);
  CHECK(candor_certificate_vertex_step(&s) == 0);
  const double even[2] = {0.5, 0.5}, certain[2] = {0.5, 0.5}, impossible[2] = {0.5, 0};
  /* F is sum x - sum phi log m. */
  CHECK_NEAR(candor_certificate_change(&s, even, certain), 0 - (0.4 * log(0.5 / 0.4) + 0.6 * log(0.5 / 0.6)), 1e-12);
  CHECK(candor_certificate_change(&s, even, impossible) == HUGE_VAL);
  CHECK(candor_certificate_possible(&s, certain) == 1 && candor_certificate_possible(&s, impossible) == 0);
  free(work), free(index);
}

int main(void)
{
  uniform_seed = 42;
  test_golden();
  test_random();
  test_hard_channels();
  test_near_exact();
  test_wide_axis();
  test_information();
  test_structure();
  test_uniqueness();
  test_bad_input();
  test_em();
  test_em_edges();
  test_starts();
  test_little_room();
  test_steps();
  return check_report();
}
