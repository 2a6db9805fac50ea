/* Times and certificates of the solver on hard and large channels, without R.
 * cc -O2 -Isrc/core tools/bench/bench-solver-core.c src/core/{solver,channel,cholesky,quadratic}.c -lm */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "estimate/solver.h"

static uint64_t state = 88172645463325252u;
static double uniform(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return ((double) (state >> 11) + 0.5) * 0x1p-53;
}
static double normal(void)
{
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}
/* Poisson counts; a rounded normal where the mean is large. */
static double poisson(double mean)
{
  if (mean > 50) return fmax(0, floor(mean + sqrt(mean) * normal() + 0.5));
  double product = uniform(), limit = exp(-mean), k = 0;
  while (product > limit) {
    product *= uniform();
    k++;
  }
  return k;
}
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static void run(const char *name, const candor_channel *ch, const double *theta, double N)
{
  const size_t K = candor_channel_truths(ch), J = candor_channel_reports(ch);
  double *m = calloc(J, 8), *work = malloc(8 * (candor_channel_work(ch) + 1));
  candor_channel_forward(ch, theta, work, m);
  for (size_t j = 0; j < J; j++) m[j] = poisson(N * m[j]);
  candor_solver_options o = candor_solver_defaults(ch);
  double *w = malloc(8 * candor_solver_work(ch, &o));
  size_t *index = malloc(8 * candor_solver_index(ch));
  candor_solver s;
  const double t0 = now();
  candor_status st = candor_solver_init(&s, ch, m, NULL, &o, w, index);
  while (st == CANDOR_AGAIN && s.iterations < 2000 && now() - t0 < 60) {
    st = candor_solver_run(&s, 1);
    if (getenv("TRACE")) {
      printf("  %zu gap/N %.2e loglik/N %.15g free %zu damping %.1e products %zu t %.3f\n", s.iterations,
             log1p(s.excess), s.loglik / s.total, s.free_count, s.damping, s.products, now() - t0);
    }
  }
  size_t support = 0;
  for (size_t i = 0; i < K; i++) support += s.theta[i] > 0;
  printf("%-28s %4zux%-5zu N %.0e status %d gap %.1e gap/N %.1e iterations %zu products %zu support %zu time %.4f\n",
         name, K, J, N, st, s.gap, s.gap / s.total, s.iterations, s.products, support, now() - t0);
  free(m);
  free(work);
  free(w);
  free(index);
}

static void dense(const char *name, double *C, size_t K, size_t J, const double *theta, double N)
{
  for (size_t i = 0; i < K; i++) {
    double sum = 0;
    for (size_t j = 0; j < J; j++) sum += C[i * J + j];
    for (size_t j = 0; j < J; j++) C[i * J + j] /= sum;
  }
  const candor_axis axis = {CANDOR_AXIS_DENSE, K, J, C, NULL, 0};
  const candor_channel ch = {1, &axis};
  run(name, &ch, theta, N);
}

static double *truth(size_t K, int zipf)
{
  double *theta = malloc(8 * K), sum = 0;
  for (size_t i = 0; i < K; i++) sum += theta[i] = zipf ? pow((double) (i + 1), -1.1) : -log(uniform());
  for (size_t i = 0; i < K; i++) theta[i] /= sum;
  return theta;
}

int main(int argc, char **argv)
{
  const int which = argc > 1 ? atoi(argv[1]) : 0;
  static double C[1000 * 1000];
  static const size_t sizes[][2] = {{50, 80}, {200, 200}, {500, 500}, {1000, 500}, {1000, 1000}};
  static const double Ns[] = {1e4, 1e6};
  for (size_t n = 0; n < 2; n++) {
    const double N = Ns[n];
    if (which == 0 || which == 1)
      for (size_t k = 0; k < 5; k++) {
        const size_t K = sizes[k][0], J = sizes[k][1];
        for (size_t i = 0; i < K * J; i++) C[i] = uniform();
        dense("random", C, K, J, truth(K, k & 1), N);
      }
    if (which == 0 || which == 2) {
      for (size_t i = 0; i < 500 * 500; i++) C[i] = i % 501 == 0 ? exp(0.5) : 1;
      dense("grr 0.5", C, 500, 500, truth(500, 1), N);
      for (size_t i = 0; i < 1000 * 1000; i++) C[i] = i % 1001 == 0 ? exp(1) : 1;
      dense("grr 1", C, 1000, 1000, truth(1000, 1), N);
    }
    if (which == 0 || which == 3)
      for (double eps = 1; eps > 0.01; eps /= 5) {
        for (size_t i = 0; i < 200; i++)
          for (size_t j = 0; j < 200; j++)
            C[i * 200 + j] = pow(exp(-eps), fabs((double) i - (double) j)) *
                             (j == 0 || j == 199 ? 1 / (1 + exp(-eps)) : (1 - exp(-eps)) / (1 + exp(-eps)));
        char name[40];
        snprintf(name, sizeof name, "geometric %g", eps);
        dense(name, C, 200, 200, truth(200, 0), N);
      }
    if (which == 0 || which == 4) {
      const double width[] = {2, 10, 40};
      for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < 200; i++)
          for (size_t j = 0; j < 200; j++)
            C[i * 200 + j] = exp(-0.5 * pow(((double) i - (double) j) / width[k], 2)) + 1e-12;
        char name[40];
        snprintf(name, sizeof name, "gaussian width %g", width[k]);
        dense(name, C, 200, 200, truth(200, 0), N);
      }
      for (size_t K = 8; K <= 128; K *= 4) { /* two almost equal truths: sigma_min ~ 1e-8 */
        for (size_t i = 0; i < K * K; i++) C[i] = uniform();
        for (size_t j = 0; j < K; j++) C[(K - 1) * K + j] = C[j] * (1 + 1e-7 * uniform());
        dense("near-duplicate truths", C, K, K, truth(K, 0), N);
      }
    }
    if (which == 0 || which == 5) {
      const double ps[] = {0.95, 0.8, 0.6};
      for (int k = 0; k < 3; k++) {
        const double B[4] = {ps[k], 1 - ps[k], 1 - ps[k], ps[k]};
        candor_axis axes[12];
        for (int d = 0; d < 12; d++) axes[d] = (candor_axis){CANDOR_AXIS_DENSE, 2, 2, B, NULL, 0};
        const candor_channel ch = {12, axes};
        double *theta = malloc(8 * 4096);
        for (size_t i = 0; i < 4096; i++) {
          theta[i] = 1;
          for (int d = 0; d < 12; d++) theta[i] *= (i >> d & 1) ? 0.1 + 0.05 * d : 0.9 - 0.05 * d;
        }
        char name[40];
        snprintf(name, sizeof name, "12 binary p %g", ps[k]);
        run(name, &ch, theta, N);
        run(name, &ch, truth(4096, 1), N);
      }
    }
  }
  return 0;
}
