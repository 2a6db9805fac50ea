#include "estimate/hyperplanes.h"

#include <string.h>

/* graph[y] += sum over points w of d coordinates of value[w, y w], for all y of d coordinates, numbered by their digits
 * (the first the highest). `value` has `order` elements a point. */
static void add_graphs(const candor_field *field, uint32_t d, const double *value, double *work, double *graph)
{
  const uint32_t s = field->order;
  if (d == 1) {
    for (uint32_t y = 0; y < s; y++) graph[y] += value[y];
    return;
  }
  const size_t fewer = candor_field_points(s, d - 1);
  size_t step = 1; /* y of one coordinate less are `step` apart for the same last one: they are their own digits */
  for (uint32_t j = 1; j < d; j++) step *= s;
  double *moved = work, *inner = work + fewer * s;
  for (uint32_t last = 0; last < s; last++) {
    /* Points (w, a): their value at c + a last belongs to w at c. */
    for (size_t i = 0; i < fewer * s; i++) moved[i] = 0;
    for (uint32_t a = 0; a < s; a++) {
      const uint32_t product = candor_field_product(field, a, last);
      for (uint32_t c = 0; c < s; c++) {
        const uint32_t to = candor_field_sum(field, c, product);
        for (size_t w = 0; w < fewer; w++) moved[w * s + c] += value[(w * s + a) * s + to];
      }
    }
    /* The point (0, 1). */
    const double alone = value[fewer * s * s + last];
    for (size_t i = 0; i < step; i++) inner[i] = alone;
    add_graphs(field, d - 1, moved, inner + step, inner);
    for (size_t i = 0; i < step; i++) graph[i * s + last] += inner[i];
  }
}

/* The sums of the points (y, -1) of d coordinates, those of number x at sum[x * apart], plus `flat`. */
static void slanted_sums(const candor_field *field, uint32_t d, const double *value, double flat, size_t k,
                         size_t apart, double *work, double *sum)
{
  size_t vectors = 1;
  for (uint32_t j = 1; j < d; j++) vectors *= field->order;
  double *graph = work;
  for (size_t i = 0; i < vectors; i++) graph[i] = flat;
  add_graphs(field, d - 1, value, work + vectors, graph);
  for (uint32_t x = 0; x < candor_field_points(field->order, d) && x * apart < k; x++) {
    uint32_t point[CANDOR_COORDINATES];
    candor_field_coordinates(field, d, x, point);
    if (point[d - 1] == 0) continue;
    size_t y = 0;
    for (uint32_t j = 0; j + 1 < d; j++) y = y * field->order + candor_field_minus_ratio(field, point[j], point[d - 1]);
    sum[x * apart] = graph[y];
  }
}

candor_status candor_hyperplane_sums(const candor_field *field, uint32_t t, const double *value, size_t k, double *work,
                                     double *sum)
{
  const uint32_t s = field->order, points = candor_field_points(s, t);
  if (t < 2 || points == UINT32_MAX || k > points) return CANDOR_DOMAIN;
  double flat = 0;
  size_t apart = 1;
  for (uint32_t d = t; d >= 2; d--, apart *= s) {
    const size_t fewer = candor_field_points(s, d - 1);
    slanted_sums(field, d, value, flat, k, apart, work + fewer, sum);
    /* The point (0, 1) lies on the hyperplane of each point (z, 0). */
    flat += value[fewer * s];
    for (size_t w = 0; w < fewer; w++) {
      double all = 0;
      for (uint32_t a = 0; a < s; a++) all += value[w * s + a];
      work[w] = all;
    }
    value = work;
    work += fewer;
  }
  if (k > 0) sum[0] = flat;
  return CANDOR_OK;
}

candor_status candor_hyperplane_bits(const candor_field *field, uint32_t t, const uint32_t *point, size_t n, size_t k,
                                     uint8_t *bits)
{
  const uint32_t points = candor_field_points(field->order, t);
  if (t < 2 || points == UINT32_MAX || k > points) return CANDOR_DOMAIN;
  memset(bits, 0, (k + 7) / 8 * n);
  for (size_t i = 0; i < n; i++) {
    if (point[i] >= points) return CANDOR_DOMAIN;
    for (uint32_t number = 0; number < candor_field_points(field->order, t - 1); number++) {
      const uint32_t x = candor_field_hyperplane_point(field, t, point[i], number);
      if (x < k) bits[x / 8 * n + i] = (uint8_t) (bits[x / 8 * n + i] | 1u << x % 8);
    }
  }
  return CANDOR_OK;
}
