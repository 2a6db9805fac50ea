#include "estimate/hadamard.h"

#include <stdint.h>
#include <string.h>

candor_status candor_hadamard_transform(double *x, size_t n)
{
  if (n == 0 || (n & (n - 1)) != 0) return CANDOR_DOMAIN;
  for (size_t half = 1; half < n; half *= 2) {
    for (size_t from = 0; from < n; from += 2 * half) {
      double *low = x + from, *high = low + half;
      for (size_t j = 0; j < half; j++) {
        const double sum = low[j] + high[j];
        high[j] = low[j] - high[j];
        low[j] = sum;
      }
    }
  }
  return CANDOR_OK;
}

static int fits(size_t blocks, size_t size, size_t k)
{
  return blocks >= 1 && size >= 2 && (size & (size - 1)) == 0 && blocks <= SIZE_MAX / size && blocks * (size - 1) >= k;
}

candor_status candor_hadamard_sums(const double *counts, size_t blocks, size_t size, size_t k, double *work,
                                   double *sums)
{
  if (!fits(blocks, size, k)) return CANDOR_DOMAIN;
  for (size_t block = 0; block < blocks; block++) {
    memcpy(work, counts + block * size, size * sizeof *work);
    candor_hadamard_transform(work, size);
    for (size_t v = block, row = 1; v < k; v += blocks, row++) sums[v] = work[row];
  }
  return CANDOR_OK;
}
