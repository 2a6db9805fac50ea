/* The transform against its matrix, entry by entry. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "estimate/hadamard.h"

static double entry(size_t i, size_t j)
{
  int sign = 1;
  for (size_t both = i & j; both != 0; both &= both - 1) sign = -sign;
  return sign;
}

static double whole(size_t i)
{
  return (double) ((i * 2654435761u + 12345u) % 2001) - 1000;
}

static void transform(void)
{
  static double x[256], want[256];
  for (size_t n = 1; n <= 256; n *= 2) {
    for (size_t i = 0; i < n; i++) {
      x[i] = whole(i);
      want[i] = 0;
      for (size_t j = 0; j < n; j++) want[i] += entry(i, j) * whole(j);
    }
    CHECK(candor_hadamard_transform(x, n) == CANDOR_OK);
    CHECK(memcmp(x, want, n * sizeof *x) == 0);
  }
  CHECK(candor_hadamard_transform(x, 0) == CANDOR_DOMAIN);
  CHECK(candor_hadamard_transform(x, 6) == CANDOR_DOMAIN);
}

static void blocks(void)
{
  static double counts[640], work[256], sums[640], want[640];
  const size_t k[] = {1, 3, 5, 7, 10, 20, 31, 200}, b[] = {1, 1, 3, 2, 5, 2, 1, 5},
               size[] = {2, 4, 4, 8, 4, 16, 32, 64};
  for (size_t t = 0; t < sizeof k / sizeof *k; t++) {
    for (size_t y = 0; y < b[t] * size[t]; y++) counts[y] = whole(y);
    for (size_t v = 0; v < k[t]; v++) {
      want[v] = 0;
      for (size_t j = 0; j < size[t]; j++) want[v] += entry(v / b[t] + 1, j) * counts[v % b[t] * size[t] + j];
    }
    CHECK(candor_hadamard_sums(counts, b[t], size[t], k[t], work, sums) == CANDOR_OK);
    CHECK(memcmp(sums, want, k[t] * sizeof *sums) == 0);
  }
  CHECK(candor_hadamard_sums(counts, 1, 4, 4, work, sums) == CANDOR_DOMAIN);
  CHECK(candor_hadamard_sums(counts, 0, 4, 1, work, sums) == CANDOR_DOMAIN);
  CHECK(candor_hadamard_sums(counts, 2, 3, 4, work, sums) == CANDOR_DOMAIN);
}

int main(void)
{
  transform();
  blocks();
  return check_report();
}
