#include "estimate/hyperplanes.h"

#include <string.h>

static void add_graphs(const candor_field *field, uint32_t d, const double *value, double *work, double *graph);

/* Adds to graph[y] as below, for all y of d >= 2 coordinates with this last one. */
static void add_last(const candor_field *field, uint32_t d, const double *value, uint32_t last, double *work,
                     double *graph)
{
  const uint32_t s = field->order;
  const size_t fewer = candor_field_points(s, d - 1);
  size_t step = 1; /* y of one coordinate less are `step` apart for the same last one: they are their own digits */
  for (uint32_t j = 1; j < d; j++) step *= s;
  double *moved = work, *inner = work + fewer * s;
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

/* graph[y] += sum over points w of d coordinates of value[w, y w], for all y of d coordinates, numbered by their digits
 * (the first the highest). `value` has `order` elements a point. */
static void add_graphs(const candor_field *field, uint32_t d, const double *value, double *work, double *graph)
{
  for (uint32_t last = 0; last < field->order; last++)
    if (d == 1) graph[last] += value[last];
    else add_last(field, d, value, last, work, graph);
}

/* The sums of the points (y, -1) of d coordinates, which stand in `graph`: the sum of number x to sum[x * apart]. */
static void place_graphs(const candor_field *field, uint32_t d, const double *graph, size_t k, size_t apart,
                         double *sum)
{
  for (uint32_t x = 0; x < candor_field_points(field->order, d) && x * apart < k; x++) {
    uint32_t point[CANDOR_COORDINATES];
    candor_field_coordinates(field, d, x, point);
    if (point[d - 1] == 0) continue;
    size_t y = 0;
    for (uint32_t j = 0; j + 1 < d; j++) y = y * field->order + candor_field_minus_ratio(field, point[j], point[d - 1]);
    sum[x * apart] = graph[y];
  }
}

/* One last coordinate of the points (y, -1) of d coordinates; after the last of them the points of one less. */
static candor_status run_coordinates(candor_hyperplanes *sums)
{
  const candor_field *field = sums->field;
  const uint32_t s = field->order, d = sums->d;
  const size_t fewer = candor_field_points(s, d - 1);
  size_t vectors = 1;
  for (uint32_t j = 1; j < d; j++) vectors *= s;
  double *graph = sums->work + fewer;
  if (sums->next == 0)
    for (size_t i = 0; i < vectors; i++) graph[i] = sums->flat;
  if (d > 2) {
    add_last(field, d - 1, sums->value, (uint32_t) sums->next++, graph + vectors, graph);
    if (sums->next < s) return CANDOR_AGAIN;
  } else {
    add_graphs(field, 1, sums->value, graph + vectors, graph);
  }
  place_graphs(field, d, graph, sums->k, sums->apart, sums->sum);
  /* The point (0, 1) lies on the hyperplane of each point (z, 0). */
  sums->flat += sums->value[fewer * s];
  for (size_t w = 0; w < fewer; w++) {
    double all = 0;
    for (uint32_t a = 0; a < s; a++) all += sums->value[w * s + a];
    sums->work[w] = all;
  }
  sums->value = sums->work;
  sums->work += fewer;
  sums->apart *= s;
  sums->next = 0;
  sums->d--;
  if (sums->d >= 2) return CANDOR_AGAIN;
  if (sums->k > 0) sums->sum[0] = sums->flat;
  return CANDOR_OK;
}

/* The points on the hyperplane of point x, each once, and their number. Up to the last coordinate of x that is not 0,
 * which is -1 after scaling, a point (w, c) has c = w y; the coordinates after it may be any. */
static size_t hyperplane_list(const candor_field *field, uint32_t t, uint32_t x, uint32_t *list)
{
  const uint32_t s = field->order;
  uint32_t y[CANDOR_COORDINATES], last = t - 1;
  candor_field_coordinates(field, t, x, y);
  while (y[last] == 0) last--;
  size_t n = 0;
  for (uint32_t j = 0; j < last; j++) {
    const uint32_t ratio = candor_field_minus_ratio(field, y[j], y[last]);
    /* Points (w, a) and (0, 1): from behind, a point of one coordinate less is read before it is written over. */
    for (size_t w = n; w-- > 0;)
      for (uint32_t a = s; a-- > 0;)
        list[w * s + a] = candor_field_sum(field, list[w], candor_field_product(field, ratio, a));
    list[n * s] = ratio;
    n = n * s + 1;
  }
  for (size_t w = 0; w < n; w++) list[w] += (uint32_t) w * s;
  for (uint32_t j = last + 1; j < t; j++) {
    for (size_t w = n; w-- > 0;)
      for (uint32_t a = s; a-- > 0;) list[w * s + a] = list[w] * s + a;
    list[n * s] = candor_field_points(s, j) * s;
    n = n * s + 1;
  }
  return n;
}

static candor_status run_lists(candor_hyperplanes *sums)
{
  const int by_values = sums->way == CANDOR_BY_VALUES;
  const uint32_t points = candor_field_points(sums->field->order, sums->t);
  const size_t end = by_values ? points : sums->k;
  size_t done = 0;
  for (; sums->next < end && done < (size_t) 1 << 22; sums->next++) {
    const double value = by_values ? sums->value[sums->next] : 0;
    done++;
    if (by_values && value == 0) continue;
    const size_t n = hyperplane_list(sums->field, sums->t, (uint32_t) sums->next, sums->list);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      const uint32_t u = sums->list[i];
      if (!by_values) sum += sums->value[u];
      else if (u < sums->k) sums->sum[u] += value;
    }
    if (!by_values) sums->sum[sums->next] = sum;
    done += n;
  }
  return sums->next < end ? CANDOR_AGAIN : CANDOR_OK;
}

candor_status candor_hyperplane_begin(candor_hyperplanes *sums)
{
  const uint32_t points = candor_field_points(sums->field->order, sums->t);
  if (sums->t < 2 || points == UINT32_MAX || sums->k > points) return CANDOR_DOMAIN;
  for (size_t x = 0; x < sums->k; x++) sums->sum[x] = 0;
  sums->next = 0;
  sums->d = sums->t;
  sums->apart = 1;
  sums->flat = 0;
  return CANDOR_OK;
}

candor_status candor_hyperplane_run(candor_hyperplanes *sums)
{
  return sums->way == CANDOR_BY_COORDINATES ? run_coordinates(sums) : run_lists(sums);
}

candor_hyperplane_way candor_hyperplane_cheapest(const candor_field *field, uint32_t t, const double *value, size_t k)
{
  const uint32_t points = candor_field_points(field->order, t);
  size_t n = 0;
  for (size_t u = 0; u < points; u++) n += value[u] != 0;
  const size_t fewer = n < k ? n : k;
  /* An addition of a list also finds its point, and takes as long as four by coordinates. */
  const double lists = 4.0 * (double) fewer * candor_field_points(field->order, t - 1);
  if ((double) t * field->order * points < lists) return CANDOR_BY_COORDINATES;
  return n < k ? CANDOR_BY_VALUES : CANDOR_BY_SUMS;
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
