#include "regress/arrow.h"

#include <math.h>

#include "estimate/cholesky.h"

/* Ratio of the pivots below which a matrix is taken for singular. */
static const double least_pivot = 1e-14;

size_t candor_arrow_size(candor_shape s)
{
  return s.levels + s.dense * (s.levels + s.dense);
}

int candor_arrow_factor(candor_shape s, const double *A, double *factor)
{
  const size_t m = s.dense;
  const double *cross = A + s.levels, *dense = cross + s.levels * m;
  double *ratio = factor + s.levels, *root = ratio + s.levels * m;
  for (size_t g = 0; g < s.levels; g++)
    if (!(A[g] > 0)) return 0;
  for (size_t k = 0; k < m; k++)
    if (!(dense[k * m + k] > 0)) return 0;
  /* The scale is that before the levels are eliminated: a column that they make up is then seen to be one. */
  for (size_t k = 0; k < m; k++)
    for (size_t l = 0; l <= k; l++) root[k * m + l] = dense[k * m + l];
  for (size_t g = 0; g < s.levels; g++)
    for (size_t k = 0; k < m; k++) {
      const double share = cross[g * m + k] / A[g];
      for (size_t l = 0; l <= k; l++) root[k * m + l] -= share * cross[g * m + l];
    }
  for (size_t k = 0; k < m; k++)
    for (size_t l = 0; l <= k; l++) root[k * m + l] /= sqrt(dense[k * m + k]) * sqrt(dense[l * m + l]);
  if (!candor_cholesky(root, m)) return 0;
  for (size_t k = 0; k < m; k++) {
    if (!(root[k * m + k] * root[k * m + k] > least_pivot)) return 0;
    for (size_t l = 0; l <= k; l++) root[k * m + l] *= sqrt(dense[k * m + k]);
  }
  for (size_t g = 0; g < s.levels; g++) {
    for (size_t k = 0; k < m; k++) ratio[g * m + k] = cross[g * m + k] / A[g];
    factor[g] = A[g];
  }
  return 1;
}

void candor_arrow_solve(candor_shape s, const double *factor, double *x)
{
  const size_t m = s.dense;
  const double *ratio = factor + s.levels, *root = ratio + s.levels * m;
  double *rest = x + s.levels;
  for (size_t g = 0; g < s.levels; g++)
    for (size_t k = 0; k < m; k++) rest[k] -= ratio[g * m + k] * x[g];
  if (m) candor_cholesky_solve(root, m, rest);
  for (size_t g = 0; g < s.levels; g++) {
    x[g] /= factor[g];
    for (size_t k = 0; k < m; k++) x[g] -= ratio[g * m + k] * rest[k];
  }
}

double candor_arrow_form(candor_shape s, const double *A, const double *x, double *product)
{
  const size_t m = s.dense;
  const double *cross = A + s.levels, *dense = cross + s.levels * m, *rest = x + s.levels;
  double sum = 0;
  for (size_t g = 0; g < s.levels; g++) {
    double entry = A[g] * x[g];
    for (size_t k = 0; k < m; k++) entry += cross[g * m + k] * rest[k];
    if (product) product[g] = entry;
    sum += entry * x[g];
  }
  for (size_t k = 0; k < m; k++) {
    double entry = 0;
    for (size_t l = 0; l < m; l++) entry += (l <= k ? dense[k * m + l] : dense[l * m + k]) * rest[l];
    for (size_t g = 0; g < s.levels; g++) entry += cross[g * m + k] * x[g];
    if (product) product[s.levels + k] = entry;
    sum += entry * rest[k];
  }
  return sum;
}
