/* Channel operators against the joint matrix that they never form. */
#include "estimate/channel.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "uniform.h"
#include "workspace.h"

/* C[x, y] of a product, from the definition. */
static double entry(const candor_channel *channel, size_t x, size_t y)
{
  double product = 1;
  for (size_t d = 0; d < channel->axes; d++) {
    const candor_axis *a = &channel->axis[d];
    const size_t i = x % a->truths, j = y % a->reports;
    product *= a->kind == CANDOR_AXIS_DENSE ? a->matrix[i * a->reports + j] : a->base[j] + (i == j ? a->slope : 0);
    x /= a->truths;
    y /= a->reports;
  }
  return product;
}

static void compare(const candor_channel *channel)
{
  const size_t K = candor_channel_truths(channel), J = candor_channel_reports(channel);
  double *work = workspace(candor_channel_work(channel));
  double *theta = malloc(K * sizeof *theta), *w = malloc(J * sizeof *w);
  double *m = malloc(J * sizeof *m), *g = malloc(K * sizeof *g), *h = malloc(K * sizeof *h),
         *row = malloc(J * sizeof *row);
  size_t *index = malloc(K * sizeof *index);
  for (size_t i = 0; i < K; i++) theta[i] = uniform();
  for (size_t j = 0; j < J; j++) w[j] = uniform();
  theta[0] = 0;
  CHECK(candor_channel_check(channel) == CANDOR_OK);
  candor_channel_forward(channel, theta, work, m);
  candor_channel_adjoint(channel, w, work, g);
  candor_channel_adjoint_square(channel, w, work, h);
  for (size_t j = 0; j < J; j++) {
    double sum = 0;
    for (size_t i = 0; i < K; i++) sum += theta[i] * entry(channel, i, j);
    CHECK_NEAR(m[j], sum, 1e-14 * sum);
  }
  for (size_t i = 0; i < K; i++) {
    double sum = 0, squares = 0;
    for (size_t j = 0; j < J; j++) {
      sum += w[j] * entry(channel, i, j);
      squares += w[j] * entry(channel, i, j) * entry(channel, i, j);
    }
    CHECK_NEAR(g[i], sum, 1e-14 * sum);
    CHECK_NEAR(h[i], squares, 1e-14 * squares);
  }
  candor_channel_row(channel, K - 1, row);
  for (size_t j = 0; j < J; j++) CHECK_NEAR(row[j], entry(channel, K - 1, j), 1e-15);
  index[0] = K - 1;
  index[1] = K / 2;
  memset(h, 0, K * sizeof *h);
  candor_channel_adjoint_at(channel, w, index, 2, work, h);
  CHECK_NEAR(h[K - 1], g[K - 1], 0);
  CHECK_NEAR(h[K / 2], g[K / 2], 0);
  free(work), free(theta), free(w), free(m), free(g), free(h), free(row), free(index);
}

static void test_products(void)
{
  double dense[2][12], binary[4] = {0.8, 0.2, 0.3, 0.7}, base[3] = {0.1, 0.05, 0.2}, least[4] = {0.3, 0.24, 0.45, 0.05};
  for (int k = 0; k < 24; k++) dense[k / 12][k % 12] = uniform();
  const candor_axis wide = {CANDOR_AXIS_DENSE, 3, 4, dense[0], NULL, 0, {0}},
                    tall = {CANDOR_AXIS_DENSE, 4, 3, dense[1], NULL, 0, {0}};
  const candor_axis yes_no = {CANDOR_AXIS_DENSE, 2, 2, binary, NULL, 0, {0}};
  const candor_axis grr = {CANDOR_AXIS_ADDITIVE, 3, 3, NULL, base, 0.65, {0}};
  const candor_axis pair = {
      CANDOR_AXIS_ADDITIVE, 2, 2, NULL, base, 0.85, {0}}; /* a yes/no question written as base + slope */
  const candor_axis reversed = {CANDOR_AXIS_ADDITIVE, 2, 2, NULL, base, -0.05, {0}}; /* p < q */
  const candor_axis against = {
      CANDOR_AXIS_ADDITIVE, 4, 4, NULL, least, -0.04, {0}}; /* the truth is the least likely report */
  const candor_axis cases[][5] = {{wide},
                                  {tall},
                                  {grr},
                                  {yes_no},
                                  {wide, tall},
                                  {yes_no, yes_no},
                                  {yes_no, pair, yes_no},
                                  {grr, wide, yes_no},
                                  {wide, grr, tall},
                                  {yes_no, yes_no, grr, pair, reversed},
                                  {tall, tall, wide},
                                  {yes_no, wide, yes_no, yes_no},
                                  {against},
                                  {against, grr},
                                  {yes_no, yes_no, against, grr},
                                  {grr, wide, against}};
  const size_t axes[] = {1, 1, 1, 1, 2, 2, 3, 3, 3, 5, 3, 4, 1, 2, 4, 3};
  for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
    const candor_channel channel = {axes[k], cases[k]};
    compare(&channel);
  }
}

static void test_dense_remainders(void)
{
  for (size_t K = 2; K <= 11; K += 3) {
    for (size_t J = 2; J <= 19; J++) {
      double C[11 * 19];
      for (size_t k = 0; k < K * J; k++) C[k] = uniform();
      const candor_axis axis = {CANDOR_AXIS_DENSE, K, J, C, NULL, 0, {0}};
      const candor_channel channel = {1, &axis};
      compare(&channel);
    }
  }
}

static void test_domain(void)
{
  double good[4] = {0.5, 0.5, 0.1, 0.9}, negative[4] = {1.1, -0.1, 0.5, 0.5}, nan[4] = {0.5, NAN, 0.5, 0.5};
  candor_axis axis = {CANDOR_AXIS_DENSE, 2, 2, good, NULL, 0, {0}};
  candor_channel channel = {1, &axis};
  CHECK(candor_channel_check(&channel) == CANDOR_OK);
  axis.matrix = negative;
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN);
  axis.matrix = nan;
  CHECK(candor_channel_check(&channel) == CANDOR_NOT_FINITE);
  axis.matrix = good;
  channel.axes = 0;
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN);
  const candor_axis lame = {CANDOR_AXIS_ADDITIVE, 2, 2, NULL, good, -0.6, {0}};
  const candor_channel minus = {1, &lame};
  CHECK(candor_channel_check(&minus) == CANDOR_DOMAIN);
  /* 2^70 cells: the product of sizes does not fit. */
  candor_axis many[70];
  for (int d = 0; d < 70; d++) many[d] = (candor_axis){CANDOR_AXIS_DENSE, 2, 2, good, NULL, 0, {0}};
  const candor_channel huge = {70, many};
  CHECK(candor_channel_truths(&huge) == 0);
  CHECK(candor_channel_check(&huge) == CANDOR_DOMAIN);
}

static void test_find_additive(void)
{
  enum { K = 7 };
  double C[K * K], base[K], slope = 0;
  const double b[K] = {0.01, 0.02, 0.05, 0, 0.1, 0.03, 0.04};
  for (size_t x = 0; x < K; x++)
    for (size_t y = 0; y < K; y++) C[x * K + y] = b[y] + (x == y ? 0.75 : 0);
  CHECK(candor_channel_find_additive(C, K, 1e-15, base, &slope) == 1);
  CHECK_NEAR(slope, 0.75, 1e-15);
  for (size_t y = 0; y < K; y++) CHECK_NEAR(base[y], b[y], 0);
  C[3] += 1e-9;
  CHECK(candor_channel_find_additive(C, K, 1e-15, base, &slope) == 0);
  C[3] -= 1e-9;
  C[0] += 1e-9;
  CHECK(candor_channel_find_additive(C, K, 1e-15, base, &slope) == 0);
}

/* Axes long enough for blocks, first, in the middle and last. */
static void test_long_axes(void)
{
  enum { LONG = 530 };
  static double base[LONG], turned[LONG];
  const double b[4] = {0.8, 0.2, 0.3, 0.7}, c[6] = {0.5, 0.3, 0.2, 0.1, 0.1, 0.8};
  for (size_t y = 0; y < LONG; y++) base[y] = uniform() / LONG, turned[y] = (1 + uniform()) / LONG;
  const candor_axis wide = {CANDOR_AXIS_ADDITIVE, LONG, LONG, NULL, base, 0.4, {0}},
                    against = {CANDOR_AXIS_ADDITIVE, LONG, LONG, NULL, turned, -0.9 / LONG, {0}},
                    yes_no = {CANDOR_AXIS_DENSE, 2, 2, b, NULL, 0, {0}},
                    three = {CANDOR_AXIS_DENSE, 2, 3, c, NULL, 0, {0}};
  const candor_axis cases[][3] = {{wide, yes_no, three},
                                  {yes_no, wide, three},
                                  {three, wide, yes_no},
                                  {yes_no, yes_no, wide},
                                  {three, against, yes_no}};
  for (size_t k = 0; k < 5; k++) {
    const candor_channel one = {1, &cases[k][k == 0 ? 0 : 1]}, three_axes = {3, cases[k]};
    const size_t K = candor_channel_truths(&three_axes), J = candor_channel_reports(&three_axes);
    CHECK(candor_channel_check(&one) == CANDOR_OK && candor_channel_check(&three_axes) == CANDOR_OK);
    double *theta = malloc(K * sizeof *theta), *m = malloc(J * sizeof *m), *w = malloc(J * sizeof *w),
           *g = malloc(K * sizeof *g), *h = malloc(K * sizeof *h), *row = malloc(J * sizeof *row);
    double *expected = calloc(J, sizeof *expected), *work = workspace(candor_channel_work(&three_axes));
    for (size_t i = 0; i < K; i++) theta[i] = uniform();
    for (size_t j = 0; j < J; j++) w[j] = uniform();
    candor_channel_forward(&three_axes, theta, work, m);
    candor_channel_adjoint(&three_axes, w, work, g);
    candor_channel_adjoint_square(&three_axes, w, work, h);
    double worst = 0;
    for (size_t i = 0; i < K; i++) {
      double sum = 0, squares = 0;
      candor_channel_row(&three_axes, i, row);
      for (size_t j = 0; j < J; j++) {
        expected[j] += theta[i] * row[j];
        sum += w[j] * row[j];
        squares += w[j] * row[j] * row[j];
      }
      worst = fmax(worst, fmax(fabs(g[i] / sum - 1), fabs(h[i] / squares - 1)));
      if (i % 97 == 0)
        for (size_t j = 0; j < J; j += 13) CHECK_NEAR(row[j], entry(&three_axes, i, j), 1e-15);
    }
    for (size_t j = 0; j < J; j++) worst = fmax(worst, fabs(m[j] / expected[j] - 1));
    CHECK(worst < 1e-11);
    free(theta), free(m), free(w), free(g), free(h), free(row), free(expected), free(work);
  }
}

static void test_edges(void)
{
  const double base[3] = {0.25, 0.25, 0.5}, good[6] = {0.5, 0.5, 0.1, 0.9, 0, 1};
  candor_axis axis = {CANDOR_AXIS_ADDITIVE, 3, 3, NULL, base, -0.25, {0}};
  const candor_channel channel = {1, &axis};
  CHECK(candor_channel_check(&channel) == CANDOR_OK); /* base + slope may be 0 */
  CHECK(candor_channel_work(&channel) == 0);
  axis.slope = NAN;
  CHECK(candor_channel_check(&channel) == CANDOR_NOT_FINITE);
  axis.slope = 0.25;
  axis.truths = 2;
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN);
  axis.truths = axis.reports = 0;
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN && candor_channel_truths(&channel) == 0);
  const double minus[3] = {0.25, 0.5, -0.25}, lost[3] = {0.25, INFINITY, 0.5};
  axis = (candor_axis){CANDOR_AXIS_ADDITIVE, 3, 3, NULL, minus, 0.5, {0}};
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN);
  axis.base = lost;
  CHECK(candor_channel_check(&channel) == CANDOR_NOT_FINITE);
  /* A dense axis is read to its last entry, and its zeros are fine. */
  double matrix[6];
  memcpy(matrix, good, sizeof matrix);
  axis = (candor_axis){CANDOR_AXIS_DENSE, 3, 2, matrix, NULL, 0, {0}};
  CHECK(candor_channel_check(&channel) == CANDOR_OK);
  matrix[5] = -1;
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN);
  /* Between two axes: the larger of both directions, twice. 3 x 2 truths, 2 x 5 reports. */
  double five[10] = {0};
  const candor_axis two[2] = {{CANDOR_AXIS_DENSE, 3, 2, good, NULL, 0, {0}},
                              {CANDOR_AXIS_DENSE, 2, 5, five, NULL, 0, {0}}};
  const candor_channel product = {2, two};
  CHECK(candor_channel_work(&product) == 2 * 15); /* forward 2 x 2, adjoint 3 x 5 */
  CHECK(candor_channel_truths(&product) == 6 && candor_channel_reports(&product) == 10);
  /* The supporting kind only by itself. */
  const candor_axis pair[2] = {{.kind = CANDOR_AXIS_SUPPORT, .truths = 2, .reports = 2}, two[0]};
  const candor_channel mixed = {2, pair};
  CHECK(candor_channel_check(&mixed) == CANDOR_DOMAIN);
  /* Sizes that overflow in the middle. */
  candor_axis huge[3] = {two[1], {CANDOR_AXIS_DENSE, SIZE_MAX / 16, 2, good, NULL, 0, {0}}, two[1]};
  const candor_channel beyond = {3, huge};
  CHECK(candor_channel_truths(&beyond) == 0 && candor_channel_check(&beyond) == CANDOR_DOMAIN);
}

/* The tolerance is relative to the larger of two entries of a column; of one category there is nothing to find. */
static void test_near_additive(void)
{
  const double same = 0.125, up = same * (1 + 1e-6);
  double C[9] = {0.5, same, 0.25, 0.25, 0.375, up, 0.25, same, 0.5}, base[3], slope = 0;
  C[2] = up;
  CHECK(candor_channel_find_additive(C, 3, 1e-12, base, &slope) == 0); /* diagonal less base: .25, .25, .375 */
  C[8] = up + 0.25;
  CHECK(candor_channel_find_additive(C, 3, 1e-12, base, &slope) == 1);
  CHECK(base[0] == 0.25 && base[1] == same && base[2] == up);
  CHECK_NEAR(slope, 0.25, 1e-15);
  C[1] = up; /* differs from C[7] by a millionth */
  CHECK(candor_channel_find_additive(C, 3, 1.1e-6, base, &slope) == 1);
  CHECK(candor_channel_find_additive(C, 3, 0.9e-6, base, &slope) == 0);
  /* Slopes may differ by the tolerance times the largest entry of the diagonal, wherever that is. */
  const double lower[4] = {0.45, 0.55, 0.05, 0.9507}, upper[4] = {0.9507, 0.05, 0.55, 0.45};
  CHECK(candor_channel_find_additive(lower, 2, 1e-3, base, &slope) == 1);
  CHECK(candor_channel_find_additive(upper, 2, 1e-3, base, &slope) == 1);
  CHECK(candor_channel_find_additive(lower, 2, 0.7e-3, base, &slope) == 0);
  const double least[4] = {0.4, 0.6, 0.6, 0.4}, flat[4] = {0.5, 0.5, 0.5, 0.5};
  CHECK(candor_channel_find_additive(least, 2, 1e-12, base, &slope) == 0); /* a negative slope is not looked for */
  CHECK(candor_channel_find_additive(flat, 2, 1e-12, base, &slope) == 1 && slope == 0);
  CHECK(candor_channel_find_additive(flat, 1, 1e-12, base, &slope) == 0);
}

int main(void)
{
  uniform_seed = 1234567;
  test_products();
  test_dense_remainders();
  test_domain();
  test_find_additive();
  test_long_axes();
  test_edges();
  test_near_additive();
  return check_report();
}
