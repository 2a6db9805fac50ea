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
  return (2 * parts(columns) + columns + 2) * (people + 1) + columns;
}

static void start(polynomial *f, double *at, size_t top, size_t columns)
{
  f->top = top;
  f->columns = columns;
  f->at = at;
  memset(at, 0, (top + 1) * parts(columns) * sizeof *at);
  at[0] = 1;
}

/* Times 1 + a s, a having the slope and the bend of its person's linear predictor with the covariates x. */
static void multiply(polynomial *f, const double *x, double a, double slope, double bend, int derive)
{
  const size_t n = f->top + 1, p = f->columns;
  double *value = f->at, *first = value + n, *second = first + p * n;
  for (size_t d = 0; derive && d < p; d++) {
    for (size_t c = 0; c <= d; c++) {
      double *h = second + pair_at(c, d) * n;
      for (size_t k = f->top; k > 0; k--)
        h[k] += a * h[k - 1] + slope * (x[c] * first[d * n + k - 1] + x[d] * first[c * n + k - 1]) +
                bend * x[c] * x[d] * value[k - 1];
    }
  }
  for (size_t c = 0; derive && c < p; c++)
    for (size_t k = f->top; k > 0; k--) first[c * n + k] += a * first[c * n + k - 1] + slope * x[c] * value[k - 1];
  for (size_t k = f->top; k > 0; k--) value[k] += a * value[k - 1];
}

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* The probability of k and l truths, given who said what; 0 if the deck has no such deal. Factors above and below take
 * turns, so that neither leaves the range of doubles alone. */
static double chance(const candor_dealt *block, size_t yes, size_t k, size_t l)
{
  const size_t r = block->people, truth = block->cards - block->yes - block->no;
  const size_t part[3] = {yes - k, r - yes - l, k + l}, deck[3] = {block->yes, block->no, truth};
  double value = 1;
  size_t dealt = 0;
  for (int kind = 0; kind < 3; kind++) {
    if (part[kind] > deck[kind]) return 0;
    for (size_t j = 0; j < part[kind]; j++) value *= (double) (deck[kind] - j) / (double) (block->cards - dealt++);
  }
  return value;
}

static double product(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* What the coefficients of one polynomial weigh, by the coefficients `other` of the other one. */
static void weigh(const candor_dealt *block, size_t yes, size_t top, size_t far, const double *other, int of_yes,
                  double *weight)
{
  for (size_t k = 0; k <= top; k++) {
    weight[k] = 0;
    for (size_t l = 0; l <= far; l++) {
      const double w = chance(block, yes, of_yes ? k : l, of_yes ? l : k);
      if (w > 0) weight[k] += w * other[l];
    }
  }
}

double candor_dealt_block(const candor_dealt *block, const double *b, double *work, double *gradient, double *observed,
                          double *complete)
{
  const size_t p = block->columns, r = block->people;
  const int derive = gradient != NULL;
  const double asked = 1 - (double) (block->yes + block->no) / (double) block->cards;
  size_t said = 0;
  for (size_t i = 0; i < r; i++) said += block->said[i] != 0;
  const size_t truth = block->cards - block->yes - block->no;
  polynomial f[2];
  double *x = work, *weight = x + p, *cross = weight + 2 * (r + 1);
  start(&f[1], cross + p * (r + 1), least(said, truth), p);
  start(&f[0], f[1].at + parts(p) * (r + 1), least(r - said, truth), p);
  for (size_t i = 0; i < r; i++) {
    double eta = block->offset ? block->offset[i] : 0;
    for (size_t c = 0; c < p; c++) eta += (x[c] = block->z[c * block->stride + i]) * b[c];
    candor_curve curve;
    candor_link_at(block->link, eta, &curve);
    if (!isfinite(eta) || !(curve.yes >= 0 && curve.no >= 0)) return -INFINITY;
    if (block->said[i]) multiply(&f[1], x, curve.yes, curve.slope, curve.bend, derive);
    else multiply(&f[0], x, curve.no, -curve.slope, -curve.bend, derive);
    const double known = curve.slope > 0 ? asked * curve.slope * (curve.slope / (curve.yes * curve.no)) : 0;
    for (size_t d = 0; derive && d < p; d++)
      for (size_t c = 0; c < p; c++) complete[d * p + c] += isfinite(known) ? known * x[c] * x[d] : 0;
  }
  const size_t n1 = f[1].top + 1, n0 = f[0].top + 1;
  double *by_yes = weight, *by_no = weight + r + 1;
  weigh(block, said, f[1].top, f[0].top, f[0].at, 1, by_yes);
  const double likelihood = product(by_yes, f[1].at, n1);
  if (!(likelihood >= DBL_MIN)) return -INFINITY;
  if (!derive) return log(likelihood);
  weigh(block, said, f[0].top, f[1].top, f[1].at, 0, by_no);
  const double *first1 = f[1].at + n1, *first0 = f[0].at + n0, *second1 = first1 + p * n1, *second0 = first0 + p * n0;
  for (size_t c = 0; c < p; c++) {
    x[c] = (product(by_yes, first1 + c * n1, n1) + product(by_no, first0 + c * n0, n0)) / likelihood;
    gradient[c] += x[c];
    weigh(block, said, f[1].top, f[0].top, first0 + c * n0, 1, cross + c * n1);
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
  return log(likelihood);
}
