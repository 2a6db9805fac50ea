/* Speed of the simplex and ibu kernels against one memcpy of K doubles, and of the exact estimate
 * against the papers' Algorithm 1 with qsort, side by side in one run (medians).
 *
 *   tools/bench/run simplex */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "estimate/ibu.h"
#include "estimate/simplex.h"

enum { RUNS = 31 };

typedef struct bench {
  size_t n;
  double total;
  double *counts, *work, *theta, *copy;
  candor_additive channel;
  candor_simplex_fit fit;
  candor_ibu ibu;
} bench;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return ((double) (state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Good enough for a benchmark: inversion below 30, a rounded normal above. */
static double poisson(double mean)
{
  if (mean > 30) {
    const double x = floor(mean + sqrt(mean) * normal() + 0.5);
    return x > 0 ? x : 0;
  }
  double k = 0;
  for (double u = uniform(), term = exp(-mean), sum = term; u > sum && k < 200; k++) {
    term *= mean / (k + 1);
    sum += term;
  }
  return k;
}

static candor_additive grr(size_t n, double epsilon)
{
  const double z = exp(-epsilon), size = (double) n;
  const double below = 1 + (size - 1) * z;
  return (candor_additive){n, -expm1(-epsilon) / below, NULL, z / below, expm1(epsilon)};
}

static void reports(bench *b, double exponent, double users, double epsilon)
{
  double norm = 0;
  b->channel = grr(b->n, epsilon);
  for (size_t i = 0; i < b->n; i++) norm += pow((double) (i + 1), -exponent);
  b->total = 0;
  for (size_t i = 0; i < b->n; i++) {
    /* The order of the categories says nothing about their frequency. */
    const size_t at = (size_t) (((uint64_t) i * 2654435761u) % b->n);
    const double truth = pow((double) (i + 1), -exponent) / norm;
    b->counts[at] = poisson(users * (b->channel.other_all + b->channel.keep * truth));
  }
  for (size_t i = 0; i < b->n; i++) b->total += b->counts[i];
}

static int by_value(const void *x, const void *y)
{
  const double u = *(const double *) x, v = *(const double *) y;
  return (u > v) - (u < v);
}

/* The papers' Algorithm 1: shares, sorted; drop the smallest until the next exceeds the threshold. */
static void algorithm_1(bench *b)
{
  const size_t n = b->n;
  const double q = b->channel.other_all, d = b->channel.keep;
  size_t i = 0;
  double s = 1;
  for (size_t k = 0; k < n; k++) {
    b->theta[k] = b->counts[k] / b->total;
    b->work[k] = b->theta[k];
  }
  qsort(b->work, n, sizeof(double), by_value);
  while (i < n && q * s > b->work[i] * (1 - (double) i * q)) {
    s -= b->work[i];
    i++;
  }
  const double tau = i < n ? b->work[i] : 2;
  const double scale = (1 - (double) i * q) / s;
  for (size_t k = 0; k < n; k++) b->theta[k] = b->theta[k] >= tau ? (b->theta[k] * scale - q) / d : 0;
}

static void run_memcpy(bench *b)
{
  memcpy(b->copy, b->counts, b->n * sizeof(double));
}
static void run_mle(bench *b)
{
  candor_mle(&b->channel, b->counts, 0, b->work, &b->fit, b->theta);
}
static void run_invp(bench *b)
{
  candor_invp(&b->channel, b->counts, b->work, &b->fit, b->theta);
}
static void run_invn(bench *b)
{
  candor_invn(&b->channel, b->counts, b->theta);
}
static void run_ibu(bench *b)
{
  candor_ibu_run(&b->ibu, 1, NULL);
}

static double time_of(bench *b, void (*run)(bench *))
{
  const double start = now();
  run(b);
  return now() - start;
}

static double median(double *x, int n)
{
  qsort(x, (size_t) n, sizeof(double), by_value);
  return x[n / 2];
}

/* Each kernel runs right after a memcpy of its own; medians of the ratios, and the ratio of the
 * fastest runs, which other work on the machine disturbs least. */
static void against_memcpy(bench *b, const char *name, void (*run)(bench *))
{
  double ratio[RUNS], best = INFINITY, best_copy = INFINITY;
  run(b);
  for (int r = 0; r < RUNS; r++) {
    const double copy = time_of(b, run_memcpy), time = time_of(b, run);
    ratio[r] = time / copy;
    best = time < best ? time : best;
    best_copy = copy < best_copy ? copy : best_copy;
  }
  printf("  %-22s %6.2f x memcpy (median), %6.2f (fastest), %6.2f ms\n", name, median(ratio, RUNS), best / best_copy,
         1e3 * best);
}

static void compare(bench *b, const char *what)
{
  double ratio[3];
  printf("%s\n", what);
  against_memcpy(b, "memcpy itself", run_memcpy);
  against_memcpy(b, "exact MLE", run_mle);
  printf("    passes %zu, active %zu, zeros %zu\n", b->fit.passes, b->fit.active, b->fit.zeros);
  for (int r = 0; r < 3; r++) ratio[r] = time_of(b, algorithm_1) / time_of(b, run_mle);
  printf("  Algorithm 1 with qsort takes %.1f x the exact MLE (median of 3)\n", median(ratio, 3));
  against_memcpy(b, "InvP", run_invp);
  against_memcpy(b, "InvN", run_invn);
  for (size_t i = 0; i < b->n; i++) b->theta[i] = 1 / (double) b->n;
  candor_ibu_start(&b->ibu, &b->channel, b->counts, b->theta, b->work);
  b->ibu.limit = SIZE_MAX;
  against_memcpy(b, "one IBU step", run_ibu);
}

/* Gaps that shrink geometrically, one category dropped a sweep as far as doubles can tell; with the
 * scan limit at its default and at 1 (always sorted). */
static void adversarial(size_t n)
{
  bench b = {0};
  b.n = n;
  b.counts = malloc(n * sizeof(double));
  b.work = malloc(n * sizeof(double));
  b.theta = malloc(n * sizeof(double));
  const double shapes[] = {1e-3, 0.05, 0.5};
  for (int s = 0; s < 3; s++) {
    b.channel = grr(n, 1e-6);
    for (size_t i = 0; i < n; i++) {
      /* A share `f` falls at each step of a gap f / (1 - f) times the last. */
      const double f = shapes[s], level = floor((double) i / (f * (double) n));
      b.counts[i] = 1 - pow(f / (1 - f) * 0.9, level);
    }
    candor_mle(&b.channel, b.counts, 0, b.work, &b.fit, b.theta);
    const double start = now();
    candor_mle(&b.channel, b.counts, 0, b.work, &b.fit, b.theta);
    const double sweeps = now() - start;
    const size_t passes = b.fit.passes;
    const int sorted = b.fit.sorted;
    candor_mle(&b.channel, b.counts, 1, b.work, &b.fit, b.theta);
    const double sort = now() - start - sweeps;
    printf("geometric gaps, share %-6g K = %-8zu %6.1f ns a category (passes %zu, sorted %d); "
           "forced to sort %6.1f ns = %.1f ns log2 K\n",
           shapes[s], n, 1e9 * sweeps / (double) n, passes, sorted, 1e9 * sort / (double) n,
           1e9 * sort / (double) n / log2((double) n));
  }
  free(b.counts);
  free(b.work);
  free(b.theta);
}

int main(int argc, char **argv)
{
  bench b = {0};
  b.n = argc > 1 ? (size_t) strtod(argv[1], NULL) : 1423000;
  b.counts = malloc(b.n * sizeof(double));
  b.work = malloc(b.n * sizeof(double));
  b.theta = malloc(b.n * sizeof(double));
  b.copy = malloc(b.n * sizeof(double));
  const double users[] = {1e6, 1e7, 1e8, 1e15}, epsilons[] = {1, 4};
  const double exponents[] = {1.1, 0};
  printf("K = %zu\n", b.n);
  for (int t = 0; t < 2; t++) {
    for (int u = 0; u < 4; u++) {
      for (int e = 0; e < 2; e++) {
        char what[64];
        reports(&b, exponents[t], users[u], epsilons[e]);
        snprintf(what, sizeof what, "%s N = %.0e epsilon = %g", exponents[t] > 0 ? "Zipf(1.1)" : "uniform  ", users[u],
                 epsilons[e]);
        compare(&b, what);
      }
    }
  }
  for (size_t n = 1000; n <= 1000000; n *= 10) adversarial(n);
  free(b.counts);
  free(b.work);
  free(b.theta);
  free(b.copy);
  return 0;
}
