/* Sums for hot loops. At -O2 a compiler must keep the order of floating-point additions, so one
 * accumulator costs the latency of an addition per element; several independent ones do not. */
#ifndef CANDOR_LANES_H
#define CANDOR_LANES_H

#include <math.h>
#include <stddef.h>

/* Loops over a constant number of elements that store nothing before all is read are the ones that
 * gcc vectorises at -O2; rows of 16 leave room for that and still fit the registers. */
enum { CANDOR_LANES = 16, CANDOR_BLOCK = 512 };

typedef struct candor_sum {
  double value;
  double carry;
} candor_sum;

/* Neumaier's step: the carry takes what the addition rounds away. */
static inline void candor_sum_add(candor_sum *sum, double x)
{
  const double total = sum->value + x;
  if (fabs(sum->value) >= fabs(x)) sum->carry += (sum->value - total) + x;
  else sum->carry += (x - total) + sum->value;
  sum->value = total;
}

/* A total that has overflowed has a carry without meaning. */
static inline double candor_sum_total(const candor_sum *sum)
{
  return isfinite(sum->value) ? sum->value + sum->carry : sum->value;
}

static inline double candor_lane_sum(const double lane[CANDOR_LANES])
{
  double half[CANDOR_LANES];
  for (int l = 0; l < CANDOR_LANES; l++) half[l] = lane[l];
  for (int width = CANDOR_LANES / 2; width > 0; width /= 2)
    for (int l = 0; l < width; l++) half[l] += half[l + width];
  return half[0];
}

static inline size_t candor_smaller(size_t x, size_t y)
{
  return x < y ? x : y;
}

static inline double candor_block_sum(const double *x, size_t n)
{
  double lane[CANDOR_LANES] = {0};
  size_t i = 0;
  for (; i + CANDOR_LANES <= n; i += CANDOR_LANES)
    for (int l = 0; l < CANDOR_LANES; l++) lane[l] += x[i + (size_t) l];
  for (; i < n; i++) lane[0] += x[i];
  return candor_lane_sum(lane);
}

#endif
