/* Vectors of every length around a row of lanes, against sums in long double and against the order of additions that
 * vector.h states. */
#include <math.h>

#include "base/lanes.h"
#include "base/vector.h"
#include "check.h"
#include "uniform.h"

enum { MOST = 83 };

static void fill(double *x, size_t n)
{
  for (size_t i = 0; i < n; i++) x[i] = 2 * uniform() - 1;
}

/* Lane l holds the elements l, l + 16, ...; neighbours at half the distance are added until one is left. */
static double stated_order(const double *x, const double *y, size_t n)
{
  double lane[CANDOR_LANES] = {0};
  for (size_t i = 0; i < n; i++) {
    volatile double product = x[i] * y[i]; /* rounded before it is added */
    lane[i % CANDOR_LANES] += product;
  }
  for (size_t width = CANDOR_LANES / 2; width > 0; width /= 2)
    for (size_t l = 0; l < width; l++) lane[l] += lane[l + width];
  return lane[0];
}

int main(void)
{
  double x[MOST + 1], y[MOST + 1], out[MOST + 1];
  for (size_t n = 0; n <= MOST; n++) {
    long double sum = 0, size = 0;
    fill(x, n + 1);
    fill(y, n + 1);
    for (size_t i = 0; i < n; i++) {
      sum += (long double) x[i] * y[i];
      size += fabsl((long double) x[i] * y[i]);
    }
    const double dot = candor_vector_dot(x, y, n);
    CHECK(fabsl(dot - sum) <= 1e-15L * size);
    CHECK(dot == stated_order(x, y, n));

    fill(out, n + 1);
    double before[MOST + 1], beyond = out[n];
    int right = 1;
    for (size_t i = 0; i <= n; i++) before[i] = out[i];
    candor_vector_multiply(x, out, n);
    for (size_t i = 0; i < n; i++) {
      right &= out[i] == before[i] * x[i];
      out[i] = before[i];
    }
    candor_vector_add(0.5, x, out, n); /* a power of two: the product is exact, fused or not */
    for (size_t i = 0; i < n; i++) {
      right &= out[i] == before[i] + 0.5 * x[i];
      out[i] = before[i];
    }
    candor_vector_follow(-2, x, out, n);
    for (size_t i = 0; i < n; i++) {
      right &= out[i] == x[i] - 2 * before[i];
      out[i] = before[i];
    }
    candor_vector_add_product(x, y, out, n);
    for (size_t i = 0; i < n; i++) right &= fabs(out[i] - (before[i] + x[i] * y[i])) <= 1e-15;
    CHECK(right && out[n] == beyond);
    candor_vector_divide(x, y, out, n);
    for (size_t i = 0; i < n; i++) right &= out[i] == x[i] / y[i];
    CHECK(right && out[n] == beyond);
  }
  return check_report();
}
