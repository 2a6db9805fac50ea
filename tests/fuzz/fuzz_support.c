/* Any bytes as reports, groups and weights: a kernel that accepts them counts what the plainest loop counts, and one that
 * does not names a position inside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "estimate/hadamard.h"
#include "tally/support.h"

#define ASSERT(condition)               \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (0)

enum { MOST = 64, K = 40, GROUPS = 3 };

/* Mostly in the range 0 .. most, sometimes anything. */
static int integer(bytes *b, int most)
{
  const uint8_t x = byte(b);
  return x < 250    ? x % (most + 1)
         : x == 250 ? -x
         : x == 251 ? -2147483647 - 1
         : x == 252 ? 2147483647
         : x == 253 ? -1
                    : most;
}

static int by_number(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return (x > y) - (x < y);
}

/* From 1 on. */
static int ordinal(bytes *b, int most)
{
  return (int) ((uint32_t) integer(b, most - 1) + 1u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static double weights[MOST], counts[GROUPS * 2 * K], again[GROUPS * 2 * K], sums[GROUPS], squares[GROUPS], work[260];
  static int groups[MOST], one[MOST * K], two[MOST], three[MOST];
  static uint8_t packed[MOST * K];
  static uint32_t ones[MOST];
  static uint64_t keys[MOST];
  static uint32_t code[K], order[MOST];
  bytes in = {data, size};
  const size_t n = byte(&in) % (MOST + 1), k = 1 + byte(&in) % K, part = byte(&in) % (k + 1);
  const int kind = byte(&in) % 8;
  candor_support_reports reports = {n, NULL, 1, NULL};
  for (size_t i = 0; i < n; i++) {
    groups[i] = ordinal(&in, GROUPS);
    weights[i] = (double) integer(&in, 7) / 4;
  }
  if (kind & 1) reports.groups = groups, reports.n_groups = GROUPS;
  if (kind & 2) reports.weights = weights;
  memset(counts, 0, sizeof counts);
  memset(again, 0, sizeof again);
  memset(sums, 0, sizeof sums);
  memset(squares, 0, sizeof squares);
  size_t position = n;
  if (candor_count_reports(&reports, sums, squares, &position) != CANDOR_OK) {
    ASSERT(position < n);
    return 0;
  }
  const int shape = byte(&in) % 4;
  if (shape == 0) { /* bits */
    const size_t width = (k + 7) / 8;
    for (size_t b = 0; b < n * width; b++) packed[b] = byte(&in);
    for (size_t i = 0; i < n && k % 8 != 0 && byte(&in) < 250; i++)
      packed[(width - 1) * n + i] = (uint8_t) (packed[(width - 1) * n + i] & ((1u << k % 8) - 1));
    if (candor_count_bits(&reports, packed, k, byte(&in) % 2 ? SIZE_MAX : part, ones, counts, &position) != CANDOR_OK) {
      ASSERT(position < n);
      return 0;
    }
    for (size_t i = 0; i < n; i++) {
      for (size_t v = 0; v < k; v++)
        if (packed[v / 8 * n + i] >> (v % 8) & 1)
          again[(kind & 1 ? (size_t) groups[i] - 1 : 0) * k + v] += kind & 2 ? weights[i] : 1;
    }
  } else if (shape == 1) { /* lists */
    const int with_signs = byte(&in) % 2;
    for (size_t i = 0; i < n * part; i++) {
      one[i] = integer(&in, (int) k);
      if (i % part > 0 && byte(&in) < 250) one[i] = abs(one[i - 1] % 1000) + 1;
      if (with_signs && byte(&in) % 2 && one[i] > 0) one[i] = -one[i];
    }
    if (candor_count_lists(&reports, one, part, k, with_signs, counts, &position) != CANDOR_OK) {
      ASSERT(position < n);
      return 0;
    }
    for (size_t i = 0; i < n * part; i++) {
      const size_t rows = with_signs ? 2 * k : k, group = kind & 1 ? (size_t) groups[i / part] - 1 : 0;
      again[group * rows + (size_t) abs(one[i]) - 1 + (one[i] < 0 ? k : 0)] += kind & 2 ? weights[i / part] : 1;
    }
  } else if (shape == 2) { /* hashes */
    const uint32_t primes[3] = {41, 257, 2147483647}, prime = primes[byte(&in) % 3], buckets = 2 + byte(&in) % 38;
    for (size_t i = 0; i < n; i++) {
      one[i] = ordinal(&in, (int) (prime - 1));
      two[i] = integer(&in, (int) (prime - 1));
      three[i] = ordinal(&in, (int) buckets);
      keys[i] = (uint64_t) (uint32_t) one[i] << 32 | i;
    }
    for (uint32_t v = 0; v < k; v++) code[v] = prime > 1000 ? prime - 1 - v * 50000000u : v;
    const candor_hashed hashed = {one, two, three, {prime, buckets}, code};
    if (candor_check_hashed(&reports, &hashed, &position) != CANDOR_OK) {
      ASSERT(position < n);
      return 0;
    }
    ASSERT(candor_count_hashed(&reports, &hashed, k, counts) == CANDOR_OK);
    for (size_t i = 0; i < n; i++) {
      for (size_t v = 0; v < k; v++) {
        const uint64_t residue = ((uint64_t) one[i] * code[v] + (uint64_t) two[i]) % prime;
        if (residue * buckets / prime + 1 == (uint64_t) three[i])
          again[(kind & 1 ? (size_t) groups[i] - 1 : 0) * k + v] += kind & 2 ? weights[i] : 1;
      }
    }
    if (prime < 260 && !(kind & 1)) {
      qsort(keys, n, sizeof *keys, by_number);
      for (size_t i = 0; i < n; i++) order[i] = (uint32_t) keys[i];
      memset(counts, 0, sizeof counts);
      ASSERT(candor_count_hashed_by_slope(&reports, &hashed, k, order, work, counts) == CANDOR_OK);
    }
  } else { /* the transform is its own inverse, but for a factor */
    const size_t order2 = (size_t) 1 << byte(&in) % 7;
    for (size_t j = 0; j < order2; j++) work[j] = integer(&in, 200);
    memcpy(counts, work, order2 * sizeof *work);
    ASSERT(candor_hadamard_transform(work, order2) == CANDOR_OK);
    ASSERT(candor_hadamard_transform(work, order2) == CANDOR_OK);
    for (size_t j = 0; j < order2; j++) again[j] = work[j] / (double) order2;
  }
  ASSERT(memcmp(counts, again, sizeof counts) == 0);
  return 0;
}
