/* Random channels, dense and products, with random counts: whatever comes out, the certificate must
 * hold by brute force, the likelihood must not be beaten by the vertices or by a long plain EM run, and
 * no status may be OK on bad input. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/em.h"
#include "estimate/solver.h"
#include "require.h"

enum { SIDE = 24, CELLS = 64 };

typedef struct bytes {
  const uint8_t *at;
  size_t left;
} bytes;

static unsigned take(bytes *b)
{
  if (b->left == 0) return 0;
  b->left--;
  return *b->at++;
}

/* Mostly ordinary sizes, some exact zeros, some far apart. */
static double value(bytes *b)
{
  const unsigned kind = take(b), x = take(b);
  if (kind < 40) return 0;
  if (kind < 60) return ldexp(1 + x, -(int) (kind - 39) * 4);
  return (x + 1 + kind / 256.0) / 256;
}

static void fill_rows(bytes *b, double *C, size_t K, size_t J)
{
  for (size_t i = 0; i < K; i++) {
    double sum = 0;
    for (size_t j = 0; j < J; j++) sum += C[i * J + j] = value(b);
    if (sum == 0) sum = C[i * J] = 1;
    for (size_t j = 0; j < J; j++) C[i * J + j] /= sum;
  }
  /* Now and then a row that almost repeats another. */
  if (K > 1 && take(b) < 64) {
    for (size_t j = 0; j < J; j++) C[(K - 1) * J + j] = C[j];
    if (J > 1 && take(b) < 128) {
      const double shift = C[(K - 1) * J] * ldexp(1, -(int) (take(b) % 50));
      C[(K - 1) * J] -= shift;
      C[(K - 1) * J + 1] += shift;
    }
  }
}

static double mean_loglik(const candor_channel *channel, const double *phi, const double *theta, size_t K, size_t J,
                          double *g)
{
  double row[CELLS], loglik = 0;
  long double m[CELLS] = {0}, score[CELLS] = {0};
  for (size_t i = 0; i < K; i++) {
    candor_channel_row(channel, i, row);
    for (size_t j = 0; j < J; j++) m[j] += (long double) theta[i] * row[j];
  }
  for (size_t i = 0; i < K; i++) {
    candor_channel_row(channel, i, row);
    for (size_t j = 0; j < J; j++)
      if (phi[j] > 0) score[i] += phi[j] * row[j] / m[j];
    if (g) g[i] = (double) score[i];
  }
  for (size_t j = 0; j < J; j++)
    if (phi[j] > 0) loglik += phi[j] * (double) logl(m[j]);
  return loglik;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bytes b = {data, size};
  double C[4][SIDE * SIDE], base[4], counts[CELLS], phi[CELLS], start[CELLS], g[CELLS];
  candor_axis axis[4];
  candor_channel channel = {1 + take(&b) % 4, axis};
  const size_t side = channel.axes == 1 ? SIDE : channel.axes == 2 ? 8 : channel.axes == 3 ? 4 : 2;
  for (size_t d = 0; d < channel.axes; d++) {
    const size_t K = 1 + take(&b) % side, J = 1 + take(&b) % side;
    axis[d] = (candor_axis){CANDOR_AXIS_DENSE, K, J, C[d], NULL, 0, {0}};
    if (d == 0 && K <= 4 && take(&b) < 100) {
      for (size_t k = 0; k < K; k++) base[k] = value(&b);
      axis[d] = (candor_axis){CANDOR_AXIS_ADDITIVE, K, K, NULL, base, value(&b), {0}};
    } else {
      fill_rows(&b, C[d], K, J);
    }
  }
  const size_t K = candor_channel_truths(&channel), J = candor_channel_reports(&channel);
  int bad = 0;
  double total = 0;
  for (size_t j = 0; j < J; j++) {
    counts[j] = floor(1000 * value(&b)) * (take(&b) < 16 ? 1e6 : 1);
    const unsigned odd = take(&b);
    if (odd == 255) counts[j] = NAN;
    if (odd == 254) counts[j] = -1;
    if (odd == 253) counts[j] = INFINITY;
    bad |= odd >= 253;
    total += counts[j];
  }
  candor_solver_options options = candor_solver_defaults(&channel);
  options.warm_cycles = take(&b) % 12;
  options.newton_limit = take(&b) % 2 ? 1 + take(&b) % 64 : options.newton_limit;
  const int own_start = take(&b) < 64;
  for (size_t i = 0; i < K; i++) start[i] = value(&b);
  double *work = malloc(candor_solver_work(&channel, &options) * sizeof *work);
  size_t *index = malloc(candor_solver_index(&channel) * sizeof *index);
  candor_solver s;
  candor_status status = candor_solver_init(&s, &channel, counts, own_start ? start : NULL, &options, work, index);
  if (bad) REQUIRE(status == CANDOR_DOMAIN || status == CANDOR_NOT_FINITE);
  else if (total == 0) REQUIRE(status == CANDOR_EMPTY);
  if (status == CANDOR_OK || status == CANDOR_AGAIN) {
    double before = -INFINITY;
    for (int k = 0; k < 400 && status == CANDOR_AGAIN; k++) status = candor_solver_run(&s, 1);
    for (size_t j = 0; j < J; j++) phi[j] = counts[j] / total;
    before = mean_loglik(&channel, phi, s.theta, K, J, g);
    REQUIRE(fabs(before - s.loglik / total) <= 1e-11 * (1 + fabs(before)));
    double sum = 0, most = 0;
    for (size_t i = 0; i < K; i++) {
      REQUIRE(s.theta[i] >= 0);
      sum += s.theta[i];
      most = fmax(most, g[i]);
    }
    REQUIRE(fabs(sum - 1) <= 1e-13);
    REQUIRE(fabs(log(most) - s.gap / total) <= 1e-13 * most);
    if (status == CANDOR_OK) REQUIRE(s.gap <= options.tolerance);
    /* Anything else is no better than the certificate allows. */
    double other[CELLS];
    for (size_t i = 0; i < K; i++) other[i] = 1 / (double) K;
    double em_work[4 * CELLS + 8 * CELLS];
    candor_em em;
    if (candor_em_start(&em, &channel, counts, other, em_work) == CANDOR_OK) {
      em.limit = 50;
      candor_em_run(&em, 50, NULL);
      REQUIRE(mean_loglik(&channel, phi, other, K, J, NULL) <= before + s.gap / total + 1e-12);
    }
    candor_solver_unique(&s, 1 + take(&b) % 64);
#ifdef FUZZ_STRICT
    /* With room for its Hessian it should reach 1e-10 an observation on everything this small. */
    if (options.newton_limit >= K) REQUIRE(status == CANDOR_OK || s.gap <= 1e-10 * total);
#endif
  }
  free(work), free(index);
  return 0;
}
