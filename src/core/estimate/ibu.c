#include "estimate/ibu.h"

#include <string.h>

#include "base/lanes.h"

/* Running totals of one sweep. */
typedef struct tally {
  candor_sum base; /* sum b score, which is a times the g of a category never reported */
  double top;      /* max of score */
} tally;

/* Below this a probability counts as 0: products of two stay normal numbers. */
static const double least_m = 1e-150;

/* The rounding of 64 steps is far below this; a start may be off by 1e-8. */
static const double most_drift = 1e-6;

enum { ROW = 4 };

typedef struct sums {
  double spread[ROW], top[ROW]; /* of b score, and the largest score */
} sums;

/* theta <- theta g, then the new score a phi / m, of ROW categories: loops of a fixed length become vector
 * instructions, of which one divides two numbers in the time of one. Without a count the score is 0 even where m is 0,
 * which only start() has to look out for. */
static inline void sweep_row(const candor_ibu *ibu, double base, double share, const double *restrict b,
                             const double *restrict counts, double *restrict theta, double *restrict score,
                             sums *restrict s)
{
  const double keep = ibu->channel.keep;
  double moved[ROW], m[ROW], found[ROW];
  for (int l = 0; l < ROW; l++) moved[l] = theta[l] * (score[l] + base);
  for (int l = 0; l < ROW; l++) m[l] = b[l] + keep * moved[l];
  for (int l = 0; l < ROW; l++) m[l] = m[l] > least_m ? m[l] : least_m;
  for (int l = 0; l < ROW; l++) found[l] = share * counts[l] / m[l];
  for (int l = 0; l < ROW; l++) theta[l] = moved[l];
  for (int l = 0; l < ROW; l++) score[l] = found[l];
  for (int l = 0; l < ROW; l++) s->spread[l] += b[l] * found[l];
  for (int l = 0; l < ROW; l++) s->top[l] = found[l] > s->top[l] ? found[l] : s->top[l];
}

static void sweep(candor_ibu *ibu, double base, tally *t)
{
  const double *vector = ibu->channel.other, all = ibu->channel.other_all, same[ROW] = {all, all, all, all};
  const size_t n = ibu->channel.categories;
  const double share = ibu->channel.keep / ibu->total;
  sums s = {{0, 0, 0, 0}, {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
  t->base = (candor_sum){0, 0};
  for (size_t i = 0; i < n; i += ROW) {
    if (i + ROW <= n) {
      sweep_row(ibu, base, share, vector ? vector + i : same, ibu->counts + i, ibu->theta + i, ibu->score + i, &s);
    } else {
      /* The last few in a row of their own, filled up with categories that nobody holds or reports. */
      double b[ROW] = {1, 1, 1, 1}, counts[ROW] = {0}, theta[ROW] = {0}, score[ROW] = {0};
      for (size_t l = 0; i + l < n; l++) {
        b[l] = vector ? vector[i + l] : all;
        counts[l] = ibu->counts[i + l];
        theta[l] = ibu->theta[i + l];
        score[l] = ibu->score[i + l];
      }
      double top[ROW];
      memcpy(top, s.top, sizeof top);
      sweep_row(ibu, base, share, b, counts, theta, score, &s);
      for (size_t l = n - i; l < ROW; l++) s.top[l] = top[l];
      memcpy(ibu->theta + i, theta, (n - i) * sizeof *theta);
      memcpy(ibu->score + i, score, (n - i) * sizeof *score);
    }
    if (i % CANDOR_BLOCK == CANDOR_BLOCK - ROW || i + ROW >= n) {
      candor_sum_add(&t->base, (s.spread[0] + s.spread[1]) + (s.spread[2] + s.spread[3]));
      memset(s.spread, 0, sizeof s.spread);
    }
  }
  t->top = fmax(fmax(s.top[0], s.top[1]), fmax(s.top[2], s.top[3]));
}

/* base = sum b phi / m = sum b score / a. */
static candor_status settle(candor_ibu *ibu, const tally *t)
{
  ibu->base = candor_sum_total(&t->base) / ibu->channel.keep;
  const double g = ibu->base + t->top;
  if (!isfinite(g)) return CANDOR_IMPOSSIBLE;
  /* max g >= sum theta g = 1 in exact arithmetic. */
  ibu->gap = g > 1 ? log(g) : 0;
  return CANDOR_OK;
}

static double mean_loglik(const candor_ibu *ibu)
{
  const candor_additive *channel = &ibu->channel;
  candor_sum sum = {0, 0};
  for (size_t i = 0; i < channel->categories; i++) {
    if (ibu->counts[i] > 0) {
      const double b = channel->other ? channel->other[i] : channel->other_all;
      candor_sum_add(&sum, ibu->counts[i] / ibu->total * log(b + channel->keep * ibu->theta[i]));
    }
  }
  return candor_sum_total(&sum);
}

static void note(const candor_ibu *ibu, const candor_ibu_trace *trace)
{
  if (trace && trace->gap) trace->gap[ibu->steps] = ibu->gap;
  if (trace && trace->loglik) trace->loglik[ibu->steps] = mean_loglik(ibu);
  if (trace && trace->distance)
    trace->distance[ibu->steps] = candor_ibu_distance(ibu->theta, trace->maximum, ibu->channel.categories);
}

static candor_status check_theta(const double *theta, size_t n, double *sum)
{
  const candor_status status = candor_counts_total(theta, n, sum);
  if (status == CANDOR_NOT_FINITE) return status;
  return status == CANDOR_OK && fabs(*sum - 1) <= 1e-8 ? CANDOR_OK : CANDOR_DOMAIN;
}

/* Rounding moves the sum of theta by about 1e-16 a step, and a step multiplies by `base` what it is
 * off: below 1 for a > 0, where now and then is enough, but above 1 for a < 0, where an error left alone
 * would grow like a power. */
static int must_renormalize(const candor_ibu *ibu)
{
  return ibu->channel.keep < 0 || ibu->steps % 64 == 0;
}

/* A step keeps the sum up to its rounding, of which g = score + base loses many digits where a < 0 and a part
 * nears the most it can be. What is left is then no estimate, however it is scaled. */
static candor_status renormalize(candor_ibu *ibu)
{
  const size_t n = ibu->channel.categories;
  candor_sum sum = {0, 0};
  for (size_t i = 0; i < n; i += CANDOR_BLOCK)
    candor_sum_add(&sum, candor_block_sum(ibu->theta + i, candor_smaller(CANDOR_BLOCK, n - i)));
  const double total = candor_sum_total(&sum);
  if (!(fabs(total - 1) <= most_drift)) return CANDOR_STALLED;
  const double factor = 1 / total;
  for (size_t i = 0; i < n; i++) ibu->theta[i] *= factor;
  return CANDOR_OK;
}

candor_status candor_ibu_start(candor_ibu *ibu, const candor_additive *channel, const double *counts, double *theta,
                               double *work)
{
  double sum;
  tally t;
  *ibu = (candor_ibu){0};
  candor_status status = candor_additive_check(channel);
  if (status == CANDOR_OK) status = candor_counts_total(counts, channel->categories, &ibu->total);
  if (status == CANDOR_OK) status = check_theta(theta, channel->categories, &sum);
  if (status != CANDOR_OK) return status;
  ibu->channel = *channel;
  ibu->counts = counts;
  ibu->theta = theta;
  ibu->score = work;
  for (size_t i = 0; i < channel->categories; i++) {
    const double b = channel->other ? channel->other[i] : channel->other_all;
    /* The likelihood never falls, so what is possible here stays possible. */
    if (counts[i] > 0 && !(b + channel->keep * theta[i] > least_m)) return CANDOR_IMPOSSIBLE;
    work[i] = 0;
  }
  status = renormalize(ibu);
  if (status != CANDOR_OK) return status;
  /* The sweep with g = 1: theta stays, the scores are filled in. */
  sweep(ibu, 1, &t);
  return settle(ibu, &t);
}

candor_status candor_ibu_run(candor_ibu *ibu, size_t chunk, const candor_ibu_trace *trace)
{
  note(ibu, trace);
  for (;; chunk--) {
    tally t;
    if (candor_ibu_done(ibu->steps, ibu->limit, ibu->total * ibu->gap, ibu->tolerance)) return renormalize(ibu);
    if (chunk == 0) return CANDOR_AGAIN;
    sweep(ibu, ibu->base, &t);
    /* The start was possible: only lost digits make it look otherwise. */
    if (settle(ibu, &t) != CANDOR_OK) return CANDOR_STALLED;
    ibu->steps++;
    if (must_renormalize(ibu) && renormalize(ibu) != CANDOR_OK) return CANDOR_STALLED;
    note(ibu, trace);
  }
}

/* b score with 0 Inf = 0: the report cannot come from another category at all. */
static double times(double b, double score)
{
  return b > 0 ? b * score : 0;
}

candor_status candor_loglik(const candor_additive *channel, const double *counts, const double *theta, double *loglik,
                            double *gap, double *gradient)
{
  const size_t n = channel->categories;
  double total, mass;
  candor_sum sum = {0, 0}, base = {0, 0};
  double top = -INFINITY;
  candor_status status = candor_additive_check(channel);
  if (status == CANDOR_OK) status = candor_counts_total(counts, n, &total);
  if (status == CANDOR_OK) status = check_theta(theta, n, &mass);
  if (status != CANDOR_OK) return status;
  for (size_t i = 0; i < n; i++) {
    const double b = channel->other ? channel->other[i] : channel->other_all;
    const double m = b + channel->keep * theta[i];
    const double score = counts[i] > 0 ? counts[i] / total / (m > 0 ? m : 0) : 0;
    if (counts[i] > 0) candor_sum_add(&sum, counts[i] * (m > 0 ? log(m) : -INFINITY));
    candor_sum_add(&base, times(b, score));
    top = channel->keep * score > top ? channel->keep * score : top;
    if (gradient) gradient[i] = channel->keep * score;
  }
  const double common = candor_sum_total(&base);
  for (size_t i = 0; gradient && i < n; i++) gradient[i] += common;
  *loglik = candor_sum_total(&sum);
  *gap = *loglik == -INFINITY ? INFINITY : common + top > 1 ? log(common + top) : 0;
  return CANDOR_OK;
}
