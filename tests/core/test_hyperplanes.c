/* Sums over hyperplanes against the sum over all points, product by product; sets against the same products. */
#include <stdlib.h>

#include "check.h"
#include "estimate/hyperplanes.h"
#include "workspace.h"

enum { MOST = 1100 };

typedef struct space {
  uint32_t order, prime, coordinates;
  uint32_t power[24];
} space;

/* Powers of a generator by hand: 2 of 3, 2 of 5, 3 of 7; x of x^2 + x + 1, x^3 + x + 1, and x + 1 of x^2 + 1 over 3. */
static const space spaces[] = {{2, 2, 2, {1}},
                               {2, 2, 10, {1}},
                               {3, 3, 3, {1, 2}},
                               {3, 3, 6, {1, 2}},
                               {4, 2, 4, {1, 2, 3}},
                               {5, 5, 4, {1, 2, 4, 3}},
                               {7, 7, 3, {1, 3, 2, 6, 4, 5}},
                               {8, 2, 3, {1, 2, 4, 3, 6, 7, 5}},
                               {9, 3, 3, {1, 4, 6, 7, 2, 8, 3, 5}}};

static uint32_t product_of(const candor_field *field, uint32_t t, const uint32_t *x, const uint32_t *u)
{
  uint32_t sum = 0;
  for (uint32_t j = 0; j < t; j++) sum = candor_field_sum(field, sum, candor_field_product(field, x[j], u[j]));
  return sum;
}

static const candor_hyperplane_way ways[] = {CANDOR_BY_COORDINATES, CANDOR_BY_SUMS, CANDOR_BY_VALUES};

/* Sums by one way, in workspaces of exactly the stated size. */
static candor_status sums_by(candor_hyperplane_way way, const candor_field *field, uint32_t t, const double *value,
                             size_t k, double *sum)
{
  const uint32_t v = candor_field_points(field->order, t);
  candor_hyperplanes sums = {.field = field, .t = t, .k = k, .value = value, .sum = sum, .way = way};
  candor_status status = candor_hyperplane_begin(&sums);
  if (status != CANDOR_OK) return status;
  double *work = way == CANDOR_BY_COORDINATES ? workspace(candor_hyperplane_work(v)) : NULL;
  uint32_t *list = work == NULL ? malloc(candor_field_points(field->order, t - 1) * sizeof *list) : NULL;
  sums.work = work;
  sums.list = list;
  while ((status = candor_hyperplane_run(&sums)) == CANDOR_AGAIN) continue;
  free(work), free(list);
  return status;
}

static void one_space(const space *in)
{
  static double value[MOST], sum[3][MOST];
  static uint32_t point[MOST], at[MOST][CANDOR_COORDINATES];
  static uint8_t bits[MOST * MOST / 8 + MOST];
  uint32_t logarithm[25] = {0};
  for (uint32_t i = 0; i + 1 < in->order; i++) logarithm[in->power[i]] = i;
  const candor_field field = {in->order, in->prime, in->power, logarithm};
  const uint32_t t = in->coordinates, v = candor_field_points(in->order, t), k = v - v / 4;
  CHECK(v <= MOST);
  for (uint32_t u = 0; u < v; u++) {
    candor_field_coordinates(&field, t, u, at[u]);
    CHECK(candor_field_point(&field, t, at[u]) == u);
    value[u] = (double) (u * 2654435761u % 1001u);
    point[u] = u;
  }
  for (int i = 0; i < 3; i++) CHECK(sums_by(ways[i], &field, t, value, k, sum[i]) == CANDOR_OK);
  CHECK(candor_hyperplane_bits(&field, t, point, v, k, bits) == CANDOR_OK);
  int right = 1;
  for (uint32_t x = 0; x < k; x++) {
    double want = 0;
    for (uint32_t u = 0; u < v; u++) {
      const int on = product_of(&field, t, at[x], at[u]) == 0;
      if (on) want += value[u];
      right &= on == (bits[x / 8 * v + u] >> x % 8 & 1);
    }
    for (int i = 0; i < 3; i++) right &= want == sum[i][x];
  }
  CHECK(right);
  point[0] = v;
  CHECK(candor_hyperplane_bits(&field, t, point, 1, k, bits) == CANDOR_DOMAIN);
  CHECK(sums_by(CANDOR_BY_SUMS, &field, t, value, v + 1, sum[0]) == CANDOR_DOMAIN);
}

static void sizes(void)
{
  CHECK(candor_field_points(2, 31) == 2147483647u);
  CHECK(candor_field_points(2, 32) == UINT32_MAX);
  CHECK(candor_field_points(46341, 2) == 46342u);
  CHECK(candor_field_points(46341, 3) == UINT32_MAX);
}

/* As many of the points as are asked for, and not one more; a line, whose hyperplanes are points; workspace as stated. */
static void few_points(void)
{
  const uint32_t power[4] = {1, 2, 4, 3}, logarithm[5] = {0, 0, 1, 3, 2};
  const candor_field field = {5, 5, power, logarithm};
  for (uint32_t t = 2; t <= 4; t++) {
    const uint32_t v = candor_field_points(5, t);
    double *value = malloc(v * sizeof *value), sum[160];
    for (uint32_t u = 0; u < v; u++) value[u] = (double) (u * u % 17);
    for (uint32_t k = 0; k <= v; k++)
      for (int way = 0; way < 3; way++) {
        for (uint32_t x = 0; x < 160; x++) sum[x] = -1;
        CHECK(sums_by(ways[way], &field, t, value, k, sum) == CANDOR_OK);
        int right = 1;
        for (uint32_t x = 0; x < 160; x++) {
          uint32_t at[CANDOR_COORDINATES], of[CANDOR_COORDINATES];
          double want = x < k ? 0 : -1;
          if (x < k) candor_field_coordinates(&field, t, x, at);
          for (uint32_t u = 0; u < v && x < k; u++) {
            candor_field_coordinates(&field, t, u, of);
            if (product_of(&field, t, at, of) == 0) want += value[u];
          }
          right &= sum[x] == want;
        }
        CHECK(right);
      }
    free(value);
  }
  uint8_t bits[4];
  const uint32_t point[1] = {0};
  double one[1] = {1}, sum[1];
  CHECK(sums_by(CANDOR_BY_SUMS, &field, 1, one, 1, sum) == CANDOR_DOMAIN);
  CHECK(candor_hyperplane_bits(&field, 1, point, 1, 1, bits) == CANDOR_DOMAIN);
  CHECK(candor_hyperplane_bits(&field, 2, point, 1, 7, bits) == CANDOR_DOMAIN);
  CHECK(sums_by(CANDOR_BY_SUMS, &field, 15, one, 1, sum) == CANDOR_DOMAIN); /* 5^14 and more points */
  CHECK(candor_hyperplane_bits(&field, 15, point, 1, 1, bits) == CANDOR_DOMAIN);
}

/* By hand, an addition of a list counted four times: over the field of 5 3 * 5 * 31 = 465 by coordinates and 24 a
 * hyperplane, over the field of 2 10 * 2 * 1023 = 20460 and 2044. */
static void cheapest_way(void)
{
  const uint32_t power[4] = {1, 2, 4, 3}, logarithm[5] = {0, 0, 1, 3, 2}, one[1] = {1}, zeros[2] = {0, 0};
  const candor_field fives = {5, 5, power, logarithm}, bits = {2, 2, one, zeros};
  static double value[1023];
  CHECK(candor_hyperplane_cheapest(&fives, 3, value, 31) == CANDOR_BY_VALUES);
  for (uint32_t u = 0; u < 19; u++) value[u] = 1;
  CHECK(candor_hyperplane_cheapest(&fives, 3, value, 31) == CANDOR_BY_VALUES);
  for (uint32_t u = 0; u < 1023; u++) value[u] = 1;
  CHECK(candor_hyperplane_cheapest(&fives, 3, value, 19) == CANDOR_BY_SUMS);
  CHECK(candor_hyperplane_cheapest(&fives, 3, value, 20) == CANDOR_BY_COORDINATES);
  CHECK(candor_hyperplane_cheapest(&bits, 10, value, 10) == CANDOR_BY_SUMS);
  CHECK(candor_hyperplane_cheapest(&bits, 10, value, 11) == CANDOR_BY_COORDINATES);
}

int main(void)
{
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) one_space(spaces + i);
  sizes();
  few_points();
  cheapest_way();
  return check_report();
}
