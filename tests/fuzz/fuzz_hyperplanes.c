/* Any field of at most 9 elements and any values: the sums over hyperplanes add up to what each point is counted for, and
 * drawn points of a hyperplane are on it. */
#include <math.h>

#include "bytes.h"
#include "estimate/hyperplanes.h"

#define ASSERT(condition)               \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (0)

enum { MOST = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const uint32_t order[] = {2, 3, 4, 5, 7, 8, 9}, prime[] = {2, 3, 2, 5, 7, 2, 3};
  static const uint32_t power[][8] = {
      {1}, {1, 2}, {1, 2, 3}, {1, 2, 4, 3}, {1, 3, 2, 6, 4, 5}, {1, 2, 4, 3, 6, 7, 5}, {1, 4, 6, 7, 2, 8, 3, 5}};
  static double value[MOST], sum[MOST], work[5 * MOST];
  static uint8_t bits[MOST];
  bytes in = {data, size};
  const unsigned which = byte(&in) % 7;
  const uint32_t t = 1 + byte(&in) % 9;
  uint32_t logarithm[9] = {0};
  for (uint32_t i = 0; i + 1 < order[which]; i++) logarithm[power[which][i]] = i;
  const candor_field field = {order[which], prime[which], power[which], logarithm};
  const uint32_t v = candor_field_points(field.order, t);
  if (v > MOST) return 0;
  double all = 0;
  for (uint32_t u = 0; u < v; u++) all += value[u] = byte(&in);
  const size_t k = (size_t) byte(&in) + (size_t) byte(&in);
  const candor_status status = candor_hyperplane_sums(&field, t, value, k, work, sum);
  ASSERT((status == CANDOR_OK) == (t >= 2 && k <= v));
  if (status != CANDOR_OK) return 0;
  for (size_t x = 0; x < k; x++) ASSERT(sum[x] >= 0 && sum[x] <= all && sum[x] == floor(sum[x]));
  ASSERT(candor_hyperplane_sums(&field, t, value, v, work, sum) == CANDOR_OK);
  double total = 0;
  for (uint32_t x = 0; x < v; x++) total += sum[x];
  ASSERT(total == all * candor_field_points(field.order, t - 1));
  const uint32_t x = byte(&in) % v, number = byte(&in) % candor_field_points(field.order, t - 1);
  const uint32_t u = candor_field_hyperplane_point(&field, t, x, number);
  ASSERT(u < v);
  ASSERT(candor_hyperplane_bits(&field, t, &u, 1, v, bits) == CANDOR_OK);
  ASSERT(bits[x / 8] >> x % 8 & 1);
  return 0;
}
