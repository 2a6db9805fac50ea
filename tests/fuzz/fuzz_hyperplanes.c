/* Any field of at most 9 elements and any values: the sums over hyperplanes are the same by each way and the sum over
 * all points whose product is 0; drawn points of a hyperplane are on it. */
#include "bytes.h"
#include "estimate/hyperplanes.h"

#define ASSERT(condition)               \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (0)

enum { MOST = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_on(const candor_field *field, uint32_t t, const uint32_t *x, const uint32_t *u)
{
  uint32_t product = 0;
  for (uint32_t j = 0; j < t; j++) product = candor_field_sum(field, product, candor_field_product(field, x[j], u[j]));
  return product == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const candor_hyperplane_way ways[] = {CANDOR_BY_COORDINATES, CANDOR_BY_SUMS, CANDOR_BY_VALUES};
  static const uint32_t order[] = {2, 3, 4, 5, 7, 8, 9}, prime[] = {2, 3, 2, 5, 7, 2, 3};
  static const uint32_t power[][8] = {
      {1}, {1, 2}, {1, 2, 3}, {1, 2, 4, 3}, {1, 3, 2, 6, 4, 5}, {1, 2, 4, 3, 6, 7, 5}, {1, 4, 6, 7, 2, 8, 3, 5}};
  static double value[MOST], sum[3][MOST], work[5 * MOST];
  static uint32_t list[MOST];
  static uint8_t bits[MOST];
  bytes in = {data, size};
  const unsigned which = byte(&in) % 7;
  const uint32_t t = 1 + byte(&in) % 9;
  uint32_t logarithm[9] = {0};
  for (uint32_t i = 0; i + 1 < order[which]; i++) logarithm[power[which][i]] = i;
  const candor_field field = {order[which], prime[which], power[which], logarithm};
  const uint32_t v = candor_field_points(field.order, t);
  if (v > MOST) return 0;
  for (uint32_t u = 0; u < v; u++) value[u] = byte(&in);
  const size_t k = (size_t) byte(&in) + (size_t) byte(&in);
  for (size_t i = 0; i < 3; i++) {
    candor_hyperplanes sums = {.field = &field, .t = t, .k = k, .value = value, .sum = sum[i]};
    sums.way = ways[i];
    sums.work = work;
    sums.list = list;
    candor_status status = candor_hyperplane_begin(&sums);
    ASSERT((status == CANDOR_OK) == (t >= 2 && k <= v));
    if (status != CANDOR_OK) return 0;
    while ((status = candor_hyperplane_run(&sums)) == CANDOR_AGAIN) continue;
    ASSERT(status == CANDOR_OK);
    ASSERT(memcmp(sum[0], sum[i], k * sizeof **sum) == 0);
  }
  const uint32_t x = byte(&in) % v;
  uint32_t at[CANDOR_COORDINATES], on[CANDOR_COORDINATES];
  candor_field_coordinates(&field, t, x, at);
  double expected = 0;
  for (uint32_t u = 0; u < v; u++) {
    candor_field_coordinates(&field, t, u, on);
    expected += value[u] * is_on(&field, t, at, on);
  }
  ASSERT(x >= k || sum[0][x] == expected);
  const uint32_t number = byte(&in) % candor_field_points(field.order, t - 1);
  const uint32_t u = candor_field_hyperplane_point(&field, t, x, number);
  ASSERT(u < v);
  ASSERT(candor_hyperplane_bits(&field, t, &u, 1, v, bits) == CANDOR_OK);
  ASSERT(bits[x / 8] >> x % 8 & 1);
  return 0;
}
