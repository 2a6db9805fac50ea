#include "regress/dealt.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A polynomial with its derivatives: `top + 1` coefficients each of the value, the gradient, and pairs c <= d. */
typedef struct polynomial {
  size_t top, columns;
  double *at;
} polynomial;

static size_t parts(size_t columns)
{
  return 1 + columns + columns * (columns + 1) / 2;
}

static size_t pair_at(size_t c, size_t d)
{
  return d * (d + 1) / 2 + c;
}

size_t candor_dealt_work(size_t columns, size_t people)
{
  return (2 * parts(columns) + columns + 5) * (people + 1) + columns;
}

static void start(polynomial *f, double *at, size_t top, size_t columns)
{
  f->top = top;
  f->columns = columns;
  f->at = at;
  memset(at, 0, (top + 1) * parts(columns) * sizeof *at);
  at[0] = 1;
}

/* Times rest + a s, a having the slope and the bend of its person's linear predictor with the covariates x, and `rest`
 * none. */
static void multiply(polynomial *f, const double *x, double rest, double a, double slope, double bend, int derive)
{
  const size_t n = f->top + 1, p = f->columns;
  double *value = f->at, *first = value + n, *second = first + p * n;
  for (size_t d = 0; derive && d < p; d++) {
    for (size_t c = 0; c <= d; c++) {
      double *h = second + pair_at(c, d) * n;
      for (size_t k = f->top; k > 0; k--)
        h[k] = rest * h[k] + a * h[k - 1] + slope * (x[c] * first[d * n + k - 1] + x[d] * first[c * n + k - 1]) +
               bend * x[c] * x[d] * value[k - 1];
      h[0] *= rest;
    }
  }
  for (size_t c = 0; derive && c < p; c++) {
    double *g = first + c * n;
    for (size_t k = f->top; k > 0; k--) g[k] = rest * g[k] + a * g[k - 1] + slope * x[c] * value[k - 1];
    g[0] *= rest;
  }
  for (size_t k = f->top; k > 0; k--) value[k] = rest * value[k] + a * value[k - 1];
  value[0] *= rest;
}

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* One answer of a block: its people, the cards that dictate it, and the numbers of truths that a deal allows. `truths`:
 * the number that is expected. A person's factor 1 + F s is taken as (1 + odds F s) / (1 + odds F), whose coefficients
 * are probabilities, most of them near `truths`: these of a thousand people are within the range of doubles. */
typedef struct answer {
  size_t people, cards, low, top;
  double truths, odds;
  double *weight; /* of each number of truths: 1 at the expected one, with the odds taken off */
} answer;

/* The share of the person among those who said so that is a truth, F being of their answer; -1 outside the link. */
static double share_of(const candor_dealt *block, const double *b, size_t i, candor_curve *curve)
{
  double eta = block->offset ? block->offset[i] : 0;
  for (size_t c = 0; c < block->columns; c++) eta += block->z[c * block->stride + i] * b[c];
  candor_link_at(block->link, eta, curve);
  if (!isfinite(eta) || !(curve->yes >= 0 && curve->no >= 0)) return -1;
  return block->said[i] ? curve->yes : curve->no;
}

/* The expected numbers of truths at the odds, and their variances. */
static void expect(const candor_dealt *block, const double *share, const answer side[2], double mean[2],
                   double variance[2])
{
  mean[0] = mean[1] = variance[0] = variance[1] = 0;
  for (size_t i = 0; i < block->people; i++) {
    const int said = block->said[i] != 0;
    const double v = side[said].odds * share[i], p = v / (1 + v);
    mean[said] += p;
    variance[said] += p / (1 + v);
  }
}

static double between(double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

/* The odds that cards give: of the truths that are left against the dictating cards that are. */
static void natural_odds(size_t truth, answer side[2])
{
  const double left = fmax((double) truth - side[0].truths - side[1].truths, 0) + 0.5;
  for (int k = 0; k < 2; k++) {
    const double dictated = (double) side[k].cards - (double) side[k].people + side[k].truths;
    side[k].odds = between(left / (fmax(dictated, 0) + 0.5), 1e-250, 1e250);
  }
}

/* Where most of the sum is: each number of truths what the odds make it expected, which fall as it grows. Then the odds
 * that give these numbers, should a bound have cut them. */
static void settle(const candor_dealt *block, const double *share, size_t truth, answer side[2])
{
  double mean[2], variance[2];
  for (int k = 0; k < 2; k++) side[k].truths = (double) side[k].low;
  for (int round = 0; round < 8; round++) {
    natural_odds(truth, side);
    expect(block, share, side, mean, variance);
    for (int k = 0; k < 2; k++) {
      const double room = fmin((double) side[k].top, (double) (truth - side[1 - k].low));
      side[k].truths = between(0.5 * (side[k].truths + mean[k]), (double) side[k].low, room);
    }
  }
  /* Near enough is within a unit or a standard deviation. */
  for (int round = 0; round < 40; round++) {
    int near = 1;
    expect(block, share, side, mean, variance);
    for (int k = 0; k < 2; k++) {
      const double n = (double) side[k].people, off = between(side[k].truths, 0.5, n - 0.5) - mean[k];
      if (side[k].people == 0 || off * off <= 1 + variance[k]) continue;
      near = 0;
      side[k].odds = between(side[k].odds * exp(between(off / fmax(variance[k], 1e-3 * n), -8, 8)), 1e-250, 1e250);
    }
    if (near) break;
  }
}

/* The weights by products from the expected number on; `ratio` is of one truth more, at k. */
static void fill_weights(answer *side, size_t at, double left)
{
  const double dictated = (double) side->cards - (double) side->people, unit = left / side->odds;
  for (size_t k = 0; k <= side->top; k++) side->weight[k] = k == at;
  for (size_t k = at; k < side->top; k++)
    side->weight[k + 1] = fmin(side->weight[k] * (unit / (dictated + (double) k + 1)), 1e90);
  for (size_t k = at; k > side->low; k--)
    side->weight[k - 1] = fmin(side->weight[k] * ((dictated + (double) k) / unit), 1e90);
}

/* Adds the logarithms of factors, many at once. */
static void take(double factor, double *product, double *sum)
{
  if (factor < 1e-100) {
    *sum += log(factor);
    return;
  }
  *product *= factor;
  if (*product < 1e-200) {
    *sum += log(*product);
    *product = 1;
  }
}

/* The weights of the numbers of truths as three tables, and the logarithm of what is taken off. */
static double weights_of(const candor_dealt *block, size_t truth, answer side[2], double *together)
{
  size_t at[2];
  for (int k = 0; k < 2; k++) at[k] = (size_t) (side[k].truths + 0.5);
  while (at[0] + at[1] > truth) at[at[0] > side[0].low ? 0 : 1]--;
  const size_t middle = at[0] + at[1], most = least(side[0].top + side[1].top, truth);
  const double left = (double) (truth - middle) + 0.5;
  for (size_t m = 0; m <= side[0].top + side[1].top; m++) together[m] = m == middle;
  for (size_t m = middle; m < most; m++) together[m + 1] = fmin(together[m] * ((double) (truth - m) / left), 1e90);
  for (size_t m = middle; m > 0; m--) together[m - 1] = fmin(together[m] * (left / (double) (truth - m + 1)), 1e90);
  double sum = 0, product = 1;
  const size_t deck[3] = {side[0].cards, side[1].cards, truth};
  const size_t dealt[3] = {side[0].people - at[0], side[1].people - at[1], middle};
  size_t card = 0;
  for (int kind = 0; kind < 3; kind++)
    for (size_t j = 0; j < dealt[kind]; j++)
      take((double) (deck[kind] - j) / (double) (block->cards - card++), &product, &sum);
  for (int k = 0; k < 2; k++) {
    fill_weights(&side[k], at[k], left);
    sum -= (double) at[k] * log(side[k].odds);
  }
  return sum + log(product);
}

static double product(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* What the coefficients of one polynomial weigh, by the coefficients `other` of the other one. */
static void weigh(const answer *side, const answer *far, const double *together, const double *other, double *weight)
{
  for (size_t k = 0; k <= side->top; k++) {
    double sum = 0;
    for (size_t l = 0; l <= far->top; l++) sum += together[k + l] * (far->weight[l] * other[l]);
    weight[k] = side->weight[k] * sum;
  }
}

/* The two sides, the numbers of their people first; 0 if the deck has no such deal. */
static int divide(const candor_dealt *block, size_t truth, answer side[2])
{
  for (size_t i = 0; i < block->people; i++) side[block->said[i] != 0].people++;
  for (int k = 0; k < 2; k++) {
    side[k].low = side[k].people > side[k].cards ? side[k].people - side[k].cards : 0;
    side[k].top = least(side[k].people, truth);
  }
  return side[0].low + side[1].low <= truth;
}

double candor_dealt_block(const candor_dealt *block, const double *b, double *work, double *gradient, double *observed,
                          double *complete)
{
  const size_t p = block->columns, r = block->people, truth = block->cards - block->yes - block->no;
  const int derive = gradient != NULL;
  const double asked = 1 - (double) (block->yes + block->no) / (double) block->cards;
  polynomial f[2];
  double *x = work, *weight = x + p, *cross = weight + 2 * (r + 1), *together = cross + p * (r + 1);
  answer side[2] = {{0, block->no, 0, 0, 0, 1, together + r + 1}, {0, block->yes, 0, 0, 0, 1, NULL}};
  candor_curve curve;
  if (!divide(block, truth, side)) return -INFINITY;
  side[1].weight = side[0].weight + side[0].top + 1;
  start(&f[1], together + 3 * (r + 1), side[1].top, p);
  start(&f[0], f[1].at + parts(p) * (r + 1), side[0].top, p);
  double *share = weight; /* until the weights are filled */
  for (size_t i = 0; i < r; i++)
    if ((share[i] = share_of(block, b, i, &curve)) < 0) return -INFINITY;
  settle(block, share, truth, side);
  const double scale = weights_of(block, truth, side, together);
  double tilts = 0, tilt_product = 1;
  for (size_t i = 0; i < r; i++) {
    const int said = block->said[i] != 0;
    const double tilt = side[said].odds, rest = 1 / (1 + tilt * share_of(block, b, i, &curve)), sign = said ? 1 : -1;
    for (size_t c = 0; c < p; c++) x[c] = block->z[c * block->stride + i];
    multiply(&f[said], x, rest, (said ? curve.yes : curve.no) * tilt * rest, sign * curve.slope * tilt * rest,
             sign * curve.bend * tilt * rest, derive);
    take(rest, &tilt_product, &tilts);
    const double known = curve.slope > 0 ? asked * curve.slope * (curve.slope / (curve.yes * curve.no)) : 0;
    for (size_t d = 0; derive && d < p; d++)
      for (size_t c = 0; c < p; c++) complete[d * p + c] += isfinite(known) ? known * x[c] * x[d] : 0;
  }
  const size_t n1 = f[1].top + 1, n0 = f[0].top + 1;
  double *by_yes = weight, *by_no = weight + r + 1;
  weigh(&side[1], &side[0], together, f[0].at, by_yes);
  const double likelihood = product(by_yes, f[1].at, n1);
  if (!(likelihood >= DBL_MIN)) return -INFINITY;
  const double loglik = log(likelihood) + scale - tilts - log(tilt_product);
  if (!derive) return loglik;
  weigh(&side[0], &side[1], together, f[1].at, by_no);
  const double *first1 = f[1].at + n1, *first0 = f[0].at + n0, *second1 = first1 + p * n1, *second0 = first0 + p * n0;
  for (size_t c = 0; c < p; c++) {
    x[c] = (product(by_yes, first1 + c * n1, n1) + product(by_no, first0 + c * n0, n0)) / likelihood;
    gradient[c] += x[c];
    weigh(&side[1], &side[0], together, first0 + c * n0, cross + c * n1);
  }
  for (size_t d = 0; d < p; d++) {
    for (size_t c = 0; c <= d; c++) {
      const double bent = product(by_yes, second1 + pair_at(c, d) * n1, n1) +
                          product(by_no, second0 + pair_at(c, d) * n0, n0) +
                          product(cross + c * n1, first1 + d * n1, n1) + product(cross + d * n1, first1 + c * n1, n1);
      const double curvature = x[c] * x[d] - bent / likelihood;
      observed[d * p + c] += curvature;
      if (c < d) observed[c * p + d] += curvature;
    }
  }
  return loglik;
}
