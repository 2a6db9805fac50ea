/* What one pass of the kernels costs, without R: nanoseconds an entry, median of five, and the ratio to a plain loop over
 * the same integers. Build: cc -O2 -I src/core tools/bench/bench-extremes.c src/core/{extremes,cardinality}.c -lm */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sets/cardinality.h"
#include "sets/extremes.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static volatile double sink;

int main(void)
{
  enum { passes = 5, kinds = 6 };
  const size_t m = 1000000, n = 64, length = m * n;
  int *bits = malloc(length * sizeof(int));
  double *flips = malloc(length * sizeof(double)), *work = malloc(CANDOR_CARDINALITY_WORK * sizeof(double));
  double *ones = malloc(m * sizeof(double)), seconds[kinds][passes];
  uint64_t seed = UINT64_C(88172645463325252);
  for (size_t i = 0; i < length; i++) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    bits[i] = (int) (seed & 1);
    flips[i] = 0.05 + 0.4 * (double) (seed >> 11) / 9007199254740992.0;
  }
  for (int pass = 0; pass < passes; pass++) {
    double start = now(), count;
    size_t where;
    int in_flips;
    long long sum = 0;
    candor_extreme state;
    candor_cardinality total;
    candor_membership sets = {bits, m, n, flips, 0, NULL};
    for (size_t i = 0; i < length; i++)
      if (bits[i] != INT_MIN) sum += bits[i];
    sink = (double) sum;
    seconds[0][pass] = now() - start;
    start = now();
    candor_count_ones(bits, length, &count, &where);
    seconds[1][pass] = now() - start;
    start = now();
    candor_extreme_start(&state);
    candor_extreme_bits(bits, flips, length, &state, &where);
    seconds[2][pass] = now() - start;
    start = now();
    candor_row_ones(bits, m, n, ones, &where);
    seconds[3][pass] = now() - start;
    start = now();
    candor_cardinality_total(&sets, work, &total, &where, &in_flips);
    seconds[4][pass] = now() - start;
    start = now();
    sets.flip_per_bit = 1;
    candor_cardinality_total(&sets, work, &total, &where, &in_flips);
    seconds[5][pass] = now() - start;
  }
  const char *names[kinds] = {"plain sum",        "equal flips, ones",   "flip per bit, OR and AND",
                              "ones of each row", "union, flip per set", "union, flip per bit"};
  double plain = 1;
  for (int kind = 0; kind < kinds; kind++) {
    qsort(seconds[kind], passes, sizeof(double), ascending);
    const double median = seconds[kind][passes / 2];
    if (kind == 0) plain = median;
    printf("%-26s %6.3f ns  %6.2f x\n", names[kind], 1e9 * median / (double) length, median / plain);
  }
  free(bits);
  free(flips);
  free(work);
  free(ones);
  return 0;
}
