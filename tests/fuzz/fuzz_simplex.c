/* Invariants of every kernel for additive channels under arbitrary channels and counts: an OK status
 * means theta >= 0, sums to 1, keeps the order of the counts, and (mle) a KKT gap <= 1e-12. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "estimate/ibu.h"
#include "estimate/simplex.h"

enum { MOST = 64 };

static void demand(int condition)
{
  if (!condition) __builtin_trap();
}

static double take(const uint8_t **data, size_t *size)
{
  double x = 0;
  const size_t n = *size < sizeof x ? *size : sizeof x;
  memcpy(&x, *data, n);
  *data += n;
  *size -= n;
  return x;
}

static void check_simplex(const double *theta, size_t n, double slack)
{
  long double sum = 0; /* not to blame theta for the rounding of this sum */
  for (size_t i = 0; i < n; i++) {
    demand(theta[i] >= 0 && theta[i] <= 1 + slack);
    sum += theta[i];
  }
  demand(fabs((double) (sum - 1)) <= slack);
}

/* With equal b: more reports, no smaller an estimate (no larger where a < 0). */
static void check_order(const candor_additive *channel, const double *counts, const double *theta)
{
  const double sign = channel->keep > 0 ? 1 : -1;
  for (size_t i = 1; i < channel->categories && !channel->other; i++) {
    if (counts[i] > counts[i - 1]) demand(sign * (theta[i] - theta[i - 1]) >= 0);
    if (counts[i] == counts[i - 1]) demand(theta[i] == theta[i - 1]);
  }
}

/* counts: raw doubles, or small integers so that real cases are met often. */
static void read_counts(const uint8_t **data, size_t *size, int raw, double *counts, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (raw) {
      counts[i] = take(data, size);
      /* Shares below the smallest double are lost, and with them the certificate. */
      counts[i] = fabs(counts[i]) < 1e-150 ? 0 : counts[i];
    } else {
      counts[i] = *size > 0 ? **data : 0;
      counts[i] *= counts[i] > 200 ? 1e6 : 1;
      *data += *size > 0;
      *size -= *size > 0;
    }
  }
}

static candor_additive read_channel(const uint8_t **data, size_t *size, int kind, size_t n, double *b)
{
  candor_additive channel = {n, 0, NULL, 0, 0};
  const double x = take(data, size);
  if (kind == 0) {
    const double z = exp(-fabs(x)), below = 1 + ((double) n - 1) * z;
    /* Either sign of epsilon. */
    channel.other_all = x >= 0 ? z / below : 1 / (z + (double) n - 1);
    channel.keep = x >= 0 ? -expm1(-x) / below : expm1(x) / (z + (double) n - 1);
    channel.odds = expm1(x);
    if (n == 1) channel.keep = 1 - channel.other_all;
  } else if (kind == 1) {
    channel.keep = x;
    channel.other_all = take(data, size);
    channel.odds = take(data, size);
  } else {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      b[i] = *size > 0 ? **data : 1;
      *data += *size > 0;
      *size -= *size > 0;
      sum += b[i];
    }
    channel.keep = kind == 2 ? fabs(fmod(x, 1)) : x;
    for (size_t i = 0; kind == 2 && i < n && sum > 0; i++) b[i] *= (1 - channel.keep) / sum;
    channel.other = b;
  }
  return channel;
}

/* Where a < 0 a part near 1 leaves m = b - |a| theta near 0, whose relative error no theta held in
 * doubles can avoid. */
static double gap_allowed(const candor_additive *channel, const double *counts, const double *theta)
{
  double worst = 0;
  for (size_t i = 0; i < channel->categories; i++) {
    const double b = channel->other ? channel->other[i] : channel->other_all;
    const double m = b + channel->keep * theta[i];
    worst = counts[i] > 0 && channel->keep < 0 && b / m > worst ? b / m : worst;
  }
  return 1e-12 + 1e-15 * worst;
}

static void run_ibu(const candor_additive *channel, const double *counts, double *work)
{
  const size_t n = channel->categories;
  double theta[MOST];
  candor_ibu ibu;
  for (size_t i = 0; i < n; i++) theta[i] = 1 / (double) n;
  if (candor_ibu_start(&ibu, channel, counts, theta, work) != CANDOR_OK) return;
  ibu.limit = 5;
  ibu.tolerance = 1e-6;
  if (candor_ibu_run(&ibu, 100, NULL) == CANDOR_OK) {
    check_simplex(theta, n, 1e-13);
    demand(ibu.gap >= 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  double b[MOST], counts[MOST], theta[MOST], sorted[MOST], work[2 * MOST];
  candor_simplex_fit fit;
  double loglik, gap;
  if (size < 4) return 0;
  const size_t n = data[0] % MOST + (size_t) (data[0] == 0);
  const int kind = data[1] % 4, raw = data[1] / 4 % 2;
  data += 2;
  size -= 2;
  if (n == 0) return 0;
  const candor_additive channel = read_channel(&data, &size, kind, n, b);
  read_counts(&data, &size, raw, counts, n);
  if (candor_mle(&channel, counts, 0, work, &fit, theta) == CANDOR_OK) {
    check_simplex(theta, n, 4e-15);
    check_order(&channel, counts, theta);
    demand(fit.active >= 1 && fit.active <= n && fit.zeros < n);
    if (candor_loglik(&channel, counts, theta, &loglik, &gap, NULL) == CANDOR_OK)
      demand(gap <= gap_allowed(&channel, counts, theta));
    demand(candor_mle(&channel, counts, 1, work, &fit, sorted) == CANDOR_OK);
    check_simplex(sorted, n, 4e-15);
  }
  if (candor_invp(&channel, counts, work, &fit, theta) == CANDOR_OK) {
    check_simplex(theta, n, 4e-15);
    check_order(&channel, counts, theta);
  }
  if (candor_invn(&channel, counts, theta) == CANDOR_OK) check_simplex(theta, n, 4e-15);
  if (candor_project(counts, n, 1, work, theta) == CANDOR_OK) check_simplex(theta, n, 4e-15);
  run_ibu(&channel, counts, work);
  return 0;
}
