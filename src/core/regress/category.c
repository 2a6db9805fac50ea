#include "regress/category.h"

#include <math.h>
#include <string.h>

static size_t pairs(size_t k)
{
  return k * (k + 1) / 2;
}

size_t candor_category_packed(const candor_category_rows *rows)
{
  return pairs(rows->truths - 1) * pairs(rows->columns);
}

size_t candor_category_work(const candor_category_rows *rows)
{
  /* a row of covariates and its products; shares before and after; curvature; inverse shares of the reports */
  return rows->columns + pairs(rows->columns) + 2 * rows->truths + pairs(rows->truths - 1) + rows->reports;
}

/* theta[0 .. truths) from the covariates of one respondent; 0 if they are not finite. */
static int truth_shares(const candor_category_rows *rows, const double *x, const double *beta, double *theta)
{
  const size_t p = rows->columns, k = rows->truths;
  double top = 0.0, sum = 0.0;
  theta[0] = 0.0;
  for (size_t a = 1; a < k; a++) {
    const double *slope = beta + (a - 1) * p;
    double eta = 0.0;
    for (size_t i = 0; i < p; i++) eta += x[i] * slope[i];
    if (!isfinite(eta)) return 0;
    theta[a] = eta;
    if (eta > top) top = eta;
  }
  for (size_t a = 0; a < k; a++) sum += theta[a] = exp(theta[a] - top);
  for (size_t a = 0; a < k; a++) theta[a] /= sum;
  return 1;
}

/* The curvature of one respondent in the linear predictors, pair by pair. */
static void spread(const candor_category_rows *rows, candor_category_curvature kind, const double *theta,
                   const double *after, double *inverse, double *j)
{
  const size_t k = rows->truths;
  if (kind == CANDOR_CURVATURE_EXPECTED) {
    for (size_t y = 0; y < rows->reports; y++) {
      double share = 0.0;
      for (size_t a = 0; a < k; a++) share += theta[a] * rows->channel[y * k + a];
      inverse[y] = share > 0.0 ? 1.0 / share : 0.0;
    }
  }
  for (size_t b = 1; b < k; b++) {
    for (size_t a = b; a < k; a++, j++) {
      if (kind == CANDOR_CURVATURE_EXPECTED) {
        double sum = 0.0;
        for (size_t y = 0; y < rows->reports; y++)
          sum += rows->channel[y * k + a] * rows->channel[y * k + b] * inverse[y];
        *j = theta[a] * theta[b] * (sum - 1.0);
      } else {
        *j = a == b ? theta[a] * (1.0 - theta[a]) : -theta[a] * theta[b];
        if (kind == CANDOR_CURVATURE_OBSERVED) *j -= a == b ? after[a] * (1.0 - after[a]) : -after[a] * after[b];
      }
    }
  }
}

candor_status candor_category_add(const candor_category_rows *rows, const double *beta, candor_category_curvature kind,
                                  size_t from, size_t to, double *work, candor_category_sums *sums)
{
  const size_t p = rows->columns, k = rows->truths, inner = pairs(p), outer = pairs(k - 1);
  if (p < 1 || k < 2 || to > rows->n) return CANDOR_DOMAIN;
  double *x = work, *xx = x + p, *theta = xx + inner, *after = theta + k, *j = after + k, *inverse = j + outer;
  for (size_t row = from; row < to; row++) {
    const double w = rows->weight[row];
    if (!(w >= 0.0) || isinf(w)) return CANDOR_DOMAIN;
    if (rows->report[row] < 1 || (size_t) rows->report[row] > rows->reports) return CANDOR_DOMAIN;
    if (w == 0.0) continue;
    for (size_t i = 0; i < p; i++) x[i] = rows->x[i * rows->n + row];
    if (!truth_shares(rows, x, beta, theta)) return CANDOR_NOT_FINITE;

    const double *channel = rows->channel + ((size_t) rows->report[row] - 1) * k;
    double seen = 0.0;
    for (size_t a = 0; a < k; a++) seen += after[a] = theta[a] * channel[a];
    if (!(seen > 0.0)) {
      sums->loglik = -INFINITY;
      sums->rest = 0.0;
      return CANDOR_OK;
    }
    for (size_t a = 0; a < k; a++) after[a] /= seen;
    const double term = w * log(seen), total = sums->loglik + term, back = total - sums->loglik;
    sums->rest += (sums->loglik - (total - back)) + (term - back);
    sums->loglik = total;

    for (size_t a = 1; a < k; a++) {
      const double s = w * (after[a] - theta[a]);
      for (size_t i = 0; i < p; i++) sums->score[(a - 1) * p + i] += s * x[i];
    }
    for (size_t c = 0, e = 0; c < p; c++)
      for (size_t i = c; i < p; i++) xx[e++] = w * x[i] * x[c];
    spread(rows, kind, theta, after, inverse, j);
    for (size_t q = 0; q < outer; q++) {
      double *block = sums->packed + q * inner;
      for (size_t e = 0; e < inner; e++) block[e] += j[q] * xx[e];
    }
  }
  return CANDOR_OK;
}

void candor_category_unpack(const candor_category_rows *rows, const double *packed, double *information)
{
  const size_t p = rows->columns, m = rows->truths - 1, size = p * m;
  for (size_t b = 0; b < m; b++) {
    for (size_t a = b; a < m; a++) {
      for (size_t c = 0; c < p; c++) {
        for (size_t i = c; i < p; i++) {
          const double value = *packed++;
          information[(b * p + c) * size + a * p + i] = information[(a * p + i) * size + b * p + c] = value;
          information[(b * p + i) * size + a * p + c] = information[(a * p + c) * size + b * p + i] = value;
        }
      }
    }
  }
}
