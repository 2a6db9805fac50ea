/* Logarithms against the library's in extended precision. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "logs.h"
#include "check.h"

static double ulps(double x, double got)
{
  const long double exact = logl((long double) x);
  const double nearest = fabs((double) exact);
  return (double) (fabsl((long double) got - exact) / (long double) (nextafter(nearest, INFINITY) - nearest));
}

int main(void)
{
  double x[512], y[512], worst = 0.0;
  uint64_t state = 1;
  for (int round = 0; round < 2000; round++) {
    for (int i = 0; i < 512; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const double u = (double) (state >> 11) * (1.0 / 9007199254740992.0);
      switch (round % 5) {
      case 0: x[i] = exp((u - 0.5) * 1400); break;
      case 1: x[i] = floor(1 + u * 1e6); break;
      case 2: x[i] = floor(1 + u * 9e15); break;
      case 3: x[i] = 0.5 + u * 1.5; break;
      default: x[i] = 1 + (u - 0.5) * 1e-3;
      }
    }
    /* Any length, in place or not: what lies beyond it is left alone. */
    const size_t n = 512 - (size_t) (round % 17);
    memset(y, 0, sizeof y);
    candor_logs(x, n, y);
    for (size_t i = 0; i < n; i++) {
      const double error = ulps(x[i], y[i]);
      worst = error > worst ? error : worst;
    }
    for (size_t i = n; i < 512; i++) CHECK(y[i] == 0.0);
    candor_logs(x, n, x);
    CHECK(memcmp(x, y, n * sizeof *x) == 0);
  }
  CHECK(worst < 2.0);
  const double edges[] = {1.0, 2.0, 0.5, DBL_MIN, DBL_MAX, 1 - DBL_EPSILON / 2, 1 + DBL_EPSILON, sqrt(0.5), sqrt(2.0), 9007199254740992.0};
  const size_t n = sizeof edges / sizeof *edges;
  candor_logs(edges, n, y);
  CHECK(y[0] == 0.0);
  for (size_t i = 1; i < n; i++) CHECK(ulps(edges[i], y[i]) < 2.0);
  candor_logs(edges, 0, y);
  return check_report();
}
