#include "base/vector.h"

#include "base/lanes.h"

double candor_vector_sum(const double *x, size_t n)
{
  candor_sum sum = {0, 0};
  for (size_t i = 0; i < n; i += CANDOR_BLOCK)
    candor_sum_add(&sum, candor_block_sum(x + i, candor_smaller(CANDOR_BLOCK, n - i)));
  return candor_sum_total(&sum);
}

double candor_vector_dot(const double *x, const double *y, size_t n)
{
  double lane[CANDOR_LANES] = {0};
  size_t i = 0;
  for (; i + CANDOR_LANES <= n; i += CANDOR_LANES)
    for (size_t l = 0; l < CANDOR_LANES; l++) lane[l] += x[i + l] * y[i + l];
  for (size_t l = 0; i + l < n; l++) lane[l] += x[i + l] * y[i + l];
  return candor_lane_sum(lane);
}

void candor_vector_multiply(const double *x, double *y, size_t n)
{
  for (size_t i = 0; i < n; i++) y[i] *= x[i];
}

void candor_vector_divide(const double *x, const double *y, double *out, size_t n)
{
  for (size_t i = 0; i < n; i++) out[i] = x[i] / y[i];
}

void candor_vector_add(double a, const double *x, double *y, size_t n)
{
  for (size_t i = 0; i < n; i++) y[i] += a * x[i];
}

void candor_vector_add_product(const double *x, const double *y, double *out, size_t n)
{
  for (size_t i = 0; i < n; i++) out[i] += x[i] * y[i];
}

void candor_vector_follow(double a, const double *x, double *y, size_t n)
{
  for (size_t i = 0; i < n; i++) y[i] = x[i] + a * y[i];
}
