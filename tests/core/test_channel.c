/* Channel operators against the joint matrix that they never form. */
#include "estimate/channel.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "uniform.h"

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
  double *work = malloc((candor_channel_work(channel) + 1) * sizeof *work);
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

int main(void)
{
  uniform_seed = 1234567;
  test_products();
  test_dense_remainders();
  test_domain();
  test_find_additive();
  return check_report();
}
