#include "estimate/cholesky.h"

#include <math.h>

#include "base/vector.h"

void candor_gram(const double *rows, size_t length, const size_t *index, size_t n, const double *weights, double *work,
                 double *gram)
{
  for (size_t k = 0; k < n; k++) {
    for (size_t j = 0; j < length; j++) work[j] = weights[j] * rows[index[k] * length + j];
    for (size_t l = 0; l <= k; l++) gram[k * n + l] = candor_vector_dot(work, rows + index[l] * length, length);
  }
}

int candor_cholesky(double *a, size_t n)
{
  for (size_t k = 0; k < n; k++) {
    double *row = a + k * n;
    for (size_t l = 0; l < k; l++) row[l] = (row[l] - candor_vector_dot(row, a + l * n, l)) / a[l * n + l];
    const double pivot = row[k] - candor_vector_dot(row, row, k);
    if (!(pivot > 0)) return 0;
    row[k] = sqrt(pivot);
  }
  return 1;
}

void candor_cholesky_solve(const double *factor, size_t n, double *x)
{
  for (size_t k = 0; k < n; k++) {
    double sum = x[k];
    for (size_t j = 0; j < k; j++) sum -= factor[k * n + j] * x[j];
    x[k] = sum / factor[k * n + k];
  }
  for (size_t k = n; k-- > 0;) {
    x[k] /= factor[k * n + k];
    for (size_t j = 0; j < k; j++) x[j] -= factor[k * n + j] * x[k];
  }
}
