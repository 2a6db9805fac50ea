/* Channels of two values against their dense matrices, entry by entry, in the products and in the solver. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "estimate/channel.h"
#include "estimate/solver.h"
#include "workspace.h"

enum { TRUTHS = 40, REPORTS = 300 };
static double matrix[TRUTHS * REPORTS];
static unsigned char bits[TRUTHS * REPORTS];
static uint64_t state = 1;

static double draw(void)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double) (state >> 11) / 9007199254740992.0;
}

/* Bits by chance, and the matrix that they stand for. */
static candor_axis random_sets(size_t truths, size_t reports, double low, double high)
{
  memset(bits, 0, sizeof bits);
  for (size_t x = 0; x < truths; x++) {
    for (size_t s = 0; s < reports; s++) {
      const int in = draw() < 0.4;
      unsigned char *byte = bits + x / 8 * reports + s;
      if (in) *byte = (unsigned char) (*byte | 1 << x % 8);
      matrix[x * reports + s] = in ? high : low;
    }
  }
  const candor_axis axis = {
      CANDOR_AXIS_SUPPORT, truths, reports, NULL, NULL, 0, {truths, reports, low, high, bits, 0, 0}};
  return axis;
}

static candor_axis hadamard(size_t truths, size_t blocks, size_t size, double low, double high)
{
  for (size_t x = 0; x < truths; x++) {
    for (size_t y = 0; y < blocks * size; y++) {
      int sign = y / size == x % blocks ? 1 : -1;
      for (size_t both = (x / blocks + 1) & (y % size); both != 0 && y / size == x % blocks; both &= both - 1)
        sign = -sign;
      matrix[x * blocks * size + y] = sign > 0 ? high : low;
    }
  }
  const candor_axis axis = {CANDOR_AXIS_SUPPORT,
                            truths,
                            blocks * size,
                            NULL,
                            NULL,
                            0,
                            {truths, blocks * size, low, high, NULL, blocks, size}};
  return axis;
}

static void compare(candor_axis axis)
{
  const size_t K = axis.truths, J = axis.reports;
  const candor_channel channel = {1, &axis};
  CHECK(candor_channel_check(&channel) == CANDOR_OK);
  double *work = workspace(candor_channel_work(&channel));
  double *theta = malloc(K * sizeof *theta), *g = malloc(K * sizeof *g);
  double *w = malloc(J * sizeof *w), *m = malloc(J * sizeof *m), *row = malloc(J * sizeof *row);
  for (size_t x = 0; x < K; x++) theta[x] = draw();
  for (size_t y = 0; y < J; y++) w[y] = draw();
  candor_channel_forward(&channel, theta, work, m);
  for (size_t y = 0; y < J; y++) {
    double want = 0;
    for (size_t x = 0; x < K; x++) want += matrix[x * J + y] * theta[x];
    CHECK_NEAR(m[y], want, 1e-14 * want);
  }
  for (int square = 0; square < 2; square++) {
    if (square) candor_channel_adjoint_square(&channel, w, work, g);
    else candor_channel_adjoint(&channel, w, work, g);
    for (size_t x = 0; x < K; x++) {
      double want = 0;
      for (size_t y = 0; y < J; y++) want += matrix[x * J + y] * w[y] * (square ? matrix[x * J + y] : 1);
      CHECK_NEAR(g[x], want, 1e-14 * want);
    }
  }
  const size_t index[1] = {K - 1};
  candor_channel_adjoint(&channel, w, work, g);
  const double last = g[K - 1];
  candor_channel_adjoint_at(&channel, w, index, 1, work, g);
  CHECK(g[K - 1] == last);
  for (size_t x = 0; x < K; x++) {
    candor_channel_row(&channel, x, row);
    CHECK(memcmp(row, matrix + x * J, J * sizeof *row) == 0);
  }
  free(work), free(theta), free(g), free(w), free(m), free(row);
}

static void products(void)
{
  const size_t truths[] = {1, 2, 7, 8, 9, 16, 40}, reports[] = {1, 5, 300};
  for (size_t t = 0; t < 7; t++)
    for (size_t r = 0; r < 3; r++) compare(random_sets(truths[t], reports[r], 1, 2.5));
  compare(random_sets(40, 300, 1e-9, 1));
  compare(random_sets(40, 300, 0.7, 0.1));
  const size_t k[] = {1, 3, 5, 7, 10, 20, 31, 2}, b[] = {1, 1, 3, 2, 5, 2, 1, 4}, size[] = {2, 4, 4, 8, 4, 16, 32, 2};
  for (size_t t = 0; t < 8; t++) {
    compare(hadamard(k[t], b[t], size[t], 0.25, 1));
    compare(hadamard(k[t], b[t], size[t], 1e-12, 1));
  }
}

/* The same maximum as the matrix's own. */
static void same_maximum(candor_axis axis)
{
  static double work[2][400000], counts[REPORTS];
  static size_t index[2][4 * TRUTHS];
  const size_t K = axis.truths, J = axis.reports;
  const candor_axis dense = {CANDOR_AXIS_DENSE, K, J, matrix, NULL, 0, {0}};
  const candor_channel channels[2] = {{1, &axis}, {1, &dense}};
  candor_solver solver[2];
  for (size_t y = 0; y < J; y++) counts[y] = floor(20 * draw());
  for (int c = 0; c < 2; c++) {
    candor_solver_options options = candor_solver_defaults(&channels[c]);
    options.tolerance = 1e-10;
    CHECK(candor_solver_work(&channels[c], &options) <= 400000);
    CHECK(candor_solver_init(&solver[c], &channels[c], counts, NULL, &options, work[c], index[c]) == CANDOR_AGAIN);
    CHECK(candor_solver_run(&solver[c], 1000) == CANDOR_OK);
  }
  CHECK_NEAR(solver[0].loglik, solver[1].loglik, 1e-10 * fabs(solver[1].loglik));
  double worst = 0;
  for (size_t x = 0; x < K; x++) worst = fmax(worst, fabs(solver[0].theta[x] - solver[1].theta[x]));
  CHECK(worst < 1e-5);
}

static void refusals(void)
{
  candor_axis axis = random_sets(9, 20, 1, 2), two[2];
  candor_channel channel = {1, &axis};
  bits[20 + 3] |= 4;
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN);
  axis = random_sets(9, 20, -1, 2);
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN);
  axis = random_sets(9, 20, 1, HUGE_VAL);
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN);
  axis = hadamard(5, 3, 4, 1, 2);
  axis.support.size = 3;
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN);
  axis = hadamard(5, 3, 4, 1, 2);
  axis.support.truths = 10;
  CHECK(candor_channel_check(&channel) == CANDOR_DOMAIN);
  two[0] = two[1] = hadamard(5, 3, 4, 1, 2);
  const candor_channel product = {2, two};
  CHECK(candor_channel_check(&product) == CANDOR_DOMAIN);
}

static void edges(void)
{
  candor_axis axis = random_sets(9, 20, 0, 2);
  CHECK(candor_support_axis_holds(&axis.support) && candor_support_axis_work(&axis.support) == 256);
  bits[20 + 19] |= 2; /* truth 9 of 0 to 8, of the last set */
  CHECK(!candor_support_axis_holds(&axis.support));
  axis = random_sets(9, 20, 2, 0);
  CHECK(candor_support_axis_holds(&axis.support));
  const double bad[] = {-1, NAN, INFINITY};
  for (int b = 0; b < 3; b++) {
    axis = random_sets(9, 20, bad[b], 1);
    CHECK(!candor_support_axis_holds(&axis.support));
    axis = random_sets(9, 20, 1, bad[b]);
    CHECK(!candor_support_axis_holds(&axis.support));
  }
  axis = random_sets(9, 20, 1, 2);
  axis.support.truths = 0;
  CHECK(!candor_support_axis_holds(&axis.support));
  axis.support.truths = 9, axis.support.reports = 0;
  CHECK(!candor_support_axis_holds(&axis.support));
  axis = hadamard(9, 3, 4, 1, 2);
  CHECK(candor_support_axis_holds(&axis.support) && candor_support_axis_work(&axis.support) == 8);
  const candor_support_axis good = axis.support;
  for (int k = 0; k < 5; k++) {
    candor_support_axis s = good;
    if (k == 0) s.truths = 10;
    if (k == 1) s.blocks = 0, s.reports = 0;
    if (k == 2) s.size = 1, s.reports = 3, s.truths = 1;
    if (k == 3) s.size = 6, s.reports = 18;
    if (k == 4) s.reports = 13;
    CHECK(!candor_support_axis_holds(&s));
  }
  candor_support_axis large = {3, 0, 1, 2, NULL, 4, (size_t) 1 << 62};
  CHECK(!candor_support_axis_holds(&large)); /* 2^64 reports */
}

int main(void)
{
  products();
  same_maximum(random_sets(12, 300, 1, 3));
  same_maximum(random_sets(40, 300, 1, 20));
  same_maximum(hadamard(20, 2, 16, 0.2, 1));
  same_maximum(hadamard(31, 1, 32, 0.05, 1));
  refusals();
  edges();
  return check_report();
}
