#include "cholesky.h"

#include <math.h>

/* Four rows against two: eight sums, each in two lanes, live in registers, and every entry that is
 * loaded is used more than once. */
static void dot_4x2(const double *const *a, const double *const *b, size_t n, double *out)
{
  const double *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3], *b0 = b[0], *b1 = b[1];
  double s00[2] = {0, 0}, s01[2] = {0, 0}, s10[2] = {0, 0}, s11[2] = {0, 0};
  double s20[2] = {0, 0}, s21[2] = {0, 0}, s30[2] = {0, 0}, s31[2] = {0, 0};
  const size_t even = n & ~(size_t) 1;
  for (size_t j = 0; j < even; j += 2) {
    for (size_t k = 0; k < 2; k++) {
      const double x = b0[j + k], y = b1[j + k];
      s00[k] += a0[j + k] * x;
      s01[k] += a0[j + k] * y;
      s10[k] += a1[j + k] * x;
      s11[k] += a1[j + k] * y;
      s20[k] += a2[j + k] * x;
      s21[k] += a2[j + k] * y;
      s30[k] += a3[j + k] * x;
      s31[k] += a3[j + k] * y;
    }
  }
  const double x = even < n ? b0[even] : 0, y = even < n ? b1[even] : 0;
  for (size_t r = 0; r < 4; r++) out[2 * r] = out[2 * r + 1] = 0;
  if (even < n) {
    for (size_t r = 0; r < 4; r++) {
      out[2 * r] = a[r][even] * x;
      out[2 * r + 1] = a[r][even] * y;
    }
  }
  out[0] += s00[0] + s00[1];
  out[1] += s01[0] + s01[1];
  out[2] += s10[0] + s10[1];
  out[3] += s11[0] + s11[1];
  out[4] += s20[0] + s20[1];
  out[5] += s21[0] + s21[1];
  out[6] += s30[0] + s30[1];
  out[7] += s31[0] + s31[1];
}

void candor_gram(const double *rows, size_t length, const size_t *index, size_t n, const double *weights,
                 double *work, double *gram)
{
  for (size_t k = 0; k < n; k += 4) {
    const size_t block = n - k < 4 ? n - k : 4;
    const double *a[4];
    for (size_t r = 0; r < 4; r++) {
      const double *row = rows + index[k + (r < block ? r : 0)] * length;
      double *scaled = work + r * length;
      for (size_t j = 0; j < length; j++) scaled[j] = weights[j] * row[j];
      a[r] = scaled;
    }
    for (size_t l = 0; l < k + block; l += 2) {
      double out[8];
      const size_t second = l + 1 < k + block ? l + 1 : l;
      const double *b[2] = {rows + index[l] * length, rows + index[second] * length};
      dot_4x2(a, b, length, out);
      for (size_t r = 0; r < block; r++) {
        if (l <= k + r) gram[(k + r) * n + l] = out[2 * r];
        if (second <= k + r) gram[(k + r) * n + second] = out[2 * r + 1];
      }
    }
  }
}

/* The entries of rows k .. k + 3 in columns 0 .. last, given the rows above. */
static void eliminate(double *a, size_t n, size_t k, size_t block, size_t l)
{
  const double *row[4], *above[2] = {a + l * n, a + (l + 1) * n};
  double out[8];
  for (size_t r = 0; r < 4; r++) row[r] = a + (k + (r < block ? r : 0)) * n;
  dot_4x2(row, above, l, out);
  for (size_t r = 0; r < block; r++) {
    double *here = a + (k + r) * n + l;
    here[0] = (here[0] - out[2 * r]) / above[0][l];
    here[1] = (here[1] - out[2 * r + 1] - here[0] * above[1][l]) / above[1][l + 1];
  }
}

int candor_cholesky(double *a, size_t n)
{
  for (size_t k = 0; k < n; k += 4) {
    const size_t block = n - k < 4 ? n - k : 4;
    for (size_t l = 0; l < k; l += 2) eliminate(a, n, k, block, l);
    for (size_t r = k; r < k + block; r++) {
      for (size_t l = k; l <= r; l++) {
        double sum = a[r * n + l];
        for (size_t j = k; j < l; j++) sum -= a[r * n + j] * a[l * n + j];
        double before[2] = {0, 0};
        for (size_t j = 0; j < k; j++) before[j & 1] += a[r * n + j] * a[l * n + j];
        sum -= before[0] + before[1];
        if (l < r) {
          a[r * n + l] = sum / a[l * n + l];
        } else {
          if (!(sum > 0)) return 0;
          a[r * n + r] = sqrt(sum);
        }
      }
    }
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
