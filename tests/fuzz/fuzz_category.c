/* Any rows, coefficients and channels: either a refusal, or a likelihood of at most 0, finite sums, and informations that are
 * what they must be: complete and expected ones are positive semidefinite along the score, and the expected is no larger. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "regress/category.h"

enum { ROWS = 8, MOST = 4, SIZE = MOST * (MOST - 1) };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double along(const double *information, const double *direction, size_t size, double *scale)
{
  double sum = 0.0;
  *scale = 0.0;
  for (size_t i = 0; i < size; i++) {
    for (size_t j = 0; j < size; j++) {
      const double term = information[i * size + j] * direction[i] * direction[j];
      sum += term;
      *scale += fabs(term);
    }
  }
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 4) return 0;
  const size_t p = 1 + data[0] % MOST, k = 2 + data[1] % (MOST - 1), reports = 1 + data[2] % 5, n = 1 + data[3] % ROWS;
  const size_t m = p * (k - 1);
  size_t at = 4;
  double x[ROWS * MOST], weight[ROWS], channel[MOST * 5], beta[SIZE];
  int report[ROWS];
#define NEXT() (at < size ? data[at++] : (uint8_t) 77)
  for (size_t i = 0; i < n * p; i++) x[i] = ((double) NEXT() - 128.0) / 16.0;
  for (size_t i = 0; i < m; i++) {
    const uint8_t byte = NEXT();
    beta[i] = byte == 255   ? (double) INFINITY
              : byte == 254 ? (double) NAN
              : byte == 253 ? -1e300
                            : ((double) byte - 128.0) / 8.0;
  }
  for (size_t i = 0; i < n; i++) {
    const uint8_t byte = NEXT();
    report[i] = (int) (byte % (reports + 1)) + (byte < 250);
    weight[i] = byte == 252 ? -1.0 : byte == 251 ? (double) NAN : (byte >> 4) / 4.0;
  }
  for (size_t a = 0; a < k; a++) {
    double sum = 0.0;
    for (size_t y = 0; y < reports; y++) sum += channel[y * k + a] = NEXT() % 16;
    for (size_t y = 0; y < reports; y++)
      channel[y * k + a] = sum > 0.0 ? channel[y * k + a] / sum : 1.0 / (double) reports;
  }
  const candor_category_rows rows = {n, p, k, reports, x, report, weight, channel};
  double work[128], packed[64], score[SIZE], information[3][SIZE * SIZE], loglik[3];
  if (candor_category_work(&rows) > 128 || candor_category_packed(&rows) > 64) __builtin_trap();
  for (int kind = 0; kind < 3; kind++) {
    candor_category_sums sums = {0.0, 0.0, score, packed};
    memset(score, 0, sizeof score);
    memset(packed, 0, sizeof packed);
    const candor_status status = candor_category_add(&rows, beta, (candor_category_curvature) kind, 0, n, work, &sums);
    if (status != CANDOR_OK) return 0;
    candor_category_unpack(&rows, packed, information[kind]);
    loglik[kind] = sums.loglik + sums.rest;
    if (loglik[kind] == -INFINITY) return 0;
    if (!(loglik[kind] <= 1e-9)) __builtin_trap();
    for (size_t i = 0; i < m * m; i++)
      if (!isfinite(information[kind][i])) __builtin_trap();
    for (size_t i = 0; i < m; i++)
      if (!isfinite(score[i])) __builtin_trap();
  }
  if (loglik[0] != loglik[1] || loglik[1] != loglik[2]) __builtin_trap();
  double whole, part;
  const double complete = along(information[1], score, m, &whole), expected = along(information[2], score, m, &part);
  if (!isfinite(whole) || !isfinite(part)) return 0;
  /* Shares near 1 leave roundings of 1 in a curvature that is almost 0. */
  double slack = 1e-9 * (part + whole), largest = 0.0, total = 0.0;
  for (size_t i = 0; i < n * p; i++) largest = fmax(largest, fabs(x[i]));
  for (size_t i = 0; i < m; i++) total += fabs(score[i]);
  for (size_t i = 0; i < n; i++) slack += 1e-12 * weight[i] * largest * largest * total * total;
  if (complete < -slack || expected < -slack || expected > complete + slack) __builtin_trap();
  return 0;
}
