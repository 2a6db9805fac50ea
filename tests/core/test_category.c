/* The pass of a multinomial logit through a channel: against the plainest formulas in long double, against numerical
 * derivatives, and against its own definition of the expected information. */
#include "regress/category.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { N = 7, P = 3, K = 3, R = 4, SIZE = P * (K - 1) };

static const double x[N * P] = {1, 1, 1, 1, 1, 1, 1, 0.5, -1.25, 2, 0.125, -0.75, 1.5, 0, 1, 0, 0, 1, 1, 0, 1};
static const int report[N] = {1, 4, 2, 3, 3, 1, 2};
static const double weight[N] = {1, 2, 0.5, 1, 0, 3, 1.25};
/* Truths by reports, the truths of one report contiguous. */
static const double channel[K * R] = {0.625, 0.125, 0.0625, 0.125, 0.625, 0.0625,
                                      0.125, 0.125, 0.25,   0.125, 0.125, 0.625};
static const double beta[SIZE] = {0.25, -0.5, 1, -0.75, 0.375, 0.5};

static const candor_category_rows rows = {N, P, K, R, x, report, weight, channel};

static void shares(const double *b, size_t row, long double *theta)
{
  long double sum = 1;
  theta[0] = 1;
  for (size_t a = 1; a < K; a++) {
    long double eta = 0;
    for (size_t i = 0; i < P; i++) eta += (long double) x[i * N + row] * b[(a - 1) * P + i];
    sum += theta[a] = expl(eta);
  }
  for (size_t a = 0; a < K; a++) theta[a] /= sum;
}

static long double plain_loglik(const double *b)
{
  long double total = 0;
  for (size_t row = 0; row < N; row++) {
    long double theta[K], seen = 0;
    shares(b, row, theta);
    for (size_t a = 0; a < K; a++) seen += theta[a] * channel[(size_t) (report[row] - 1) * K + a];
    total += weight[row] * logl(seen);
  }
  return total;
}

static candor_status pass(const double *b, candor_category_curvature kind, double *loglik, double *score,
                          double *information)
{
  /* Of exactly the sizes that are stated, so that a sanitizer sees the first number beyond. */
  double *work = malloc(candor_category_work(&rows) * sizeof *work);
  double *packed = calloc(candor_category_packed(&rows), sizeof *packed);
  candor_category_sums sums = {0, 0, score, packed};
  memset(score, 0, SIZE * sizeof *score);
  /* In two parts, as the glue does between interrupts. */
  candor_status status = candor_category_add(&rows, b, kind, 0, 3, work, &sums);
  if (status == CANDOR_OK) status = candor_category_add(&rows, b, kind, 3, N, work, &sums);
  candor_category_unpack(&rows, packed, information);
  *loglik = sums.loglik + sums.rest;
  free(work), free(packed);
  return status;
}

static void derivatives(void)
{
  double loglik, score[SIZE], information[SIZE * SIZE];
  CHECK(pass(beta, CANDOR_CURVATURE_OBSERVED, &loglik, score, information) == CANDOR_OK);
  CHECK_NEAR(loglik, (double) plain_loglik(beta), 1e-14);
  const double h = 1e-4;
  for (size_t i = 0; i < SIZE; i++) {
    double up[SIZE], down[SIZE];
    memcpy(up, beta, sizeof up);
    memcpy(down, beta, sizeof down);
    up[i] += h;
    down[i] -= h;
    CHECK_NEAR(score[i], (double) ((plain_loglik(up) - plain_loglik(down)) / (2 * h)), 1e-7);
    double above[SIZE], below[SIZE], ignored[SIZE * SIZE], l;
    CHECK(pass(up, CANDOR_CURVATURE_OBSERVED, &l, above, ignored) == CANDOR_OK);
    CHECK(pass(down, CANDOR_CURVATURE_OBSERVED, &l, below, ignored) == CANDOR_OK);
    for (size_t j = 0; j < SIZE; j++) {
      CHECK_NEAR(information[i * SIZE + j], -(above[j] - below[j]) / (2 * h), 1e-7);
      CHECK_NEAR(information[i * SIZE + j], information[j * SIZE + i], 0);
    }
  }
}

/* Expected: the sum over reports of P(report) s s'. Complete: V(theta) in each row. */
static void expectations(void)
{
  double loglik, score[SIZE], expected[SIZE * SIZE], complete[SIZE * SIZE];
  CHECK(pass(beta, CANDOR_CURVATURE_EXPECTED, &loglik, score, expected) == CANDOR_OK);
  CHECK(pass(beta, CANDOR_CURVATURE_COMPLETE, &loglik, score, complete) == CANDOR_OK);
  for (size_t i = 0; i < SIZE; i++) {
    for (size_t j = 0; j < SIZE; j++) {
      const size_t a = 1 + i / P, b = 1 + j / P;
      long double information = 0, spread = 0;
      for (size_t row = 0; row < N; row++) {
        const long double xx = (long double) weight[row] * x[i % P * N + row] * x[j % P * N + row];
        long double theta[K];
        shares(beta, row, theta);
        spread += xx * ((a == b ? theta[a] : 0) - theta[a] * theta[b]);
        for (size_t y = 0; y < R; y++) {
          long double seen = 0;
          for (size_t c = 0; c < K; c++) seen += theta[c] * channel[y * K + c];
          information += xx * seen * (theta[a] * channel[y * K + a] / seen - theta[a]) *
                         (theta[b] * channel[y * K + b] / seen - theta[b]);
        }
      }
      CHECK_NEAR(expected[i * SIZE + j], (double) information, 1e-14);
      CHECK_NEAR(complete[i * SIZE + j], (double) spread, 1e-14);
    }
  }
}

static void bad_input(void)
{
  double work[64], packed[64] = {0}, score[SIZE] = {0};
  candor_category_sums sums = {0, 0, score, packed};
  int wrong[N];
  memcpy(wrong, report, sizeof wrong);
  wrong[2] = 5;
  candor_category_rows bad = rows;
  bad.report = wrong;
  CHECK(candor_category_add(&bad, beta, CANDOR_CURVATURE_OBSERVED, 0, N, work, &sums) == CANDOR_DOMAIN);
  wrong[2] = 0;
  CHECK(candor_category_add(&bad, beta, CANDOR_CURVATURE_OBSERVED, 0, N, work, &sums) == CANDOR_DOMAIN);
  CHECK(candor_category_add(&rows, beta, CANDOR_CURVATURE_OBSERVED, 0, N + 1, work, &sums) == CANDOR_DOMAIN);
  double heavy[N] = {1, 1, -1, 1, 1, 1, 1};
  bad = rows;
  bad.weight = heavy;
  CHECK(candor_category_add(&bad, beta, CANDOR_CURVATURE_OBSERVED, 0, N, work, &sums) == CANDOR_DOMAIN);
  const double far[SIZE] = {INFINITY, 0, 0, 0, 0, 0};
  CHECK(candor_category_add(&rows, far, CANDOR_CURVATURE_OBSERVED, 0, N, work, &sums) == CANDOR_NOT_FINITE);
  /* A truth of share 0, to doubles, whose report was given: minus infinity, not NaN. */
  const double identity[K * K] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double steep[SIZE] = {-2000, 0, 0, 0, 0, 0};
  const int second[N] = {2, 2, 2, 2, 2, 2, 2};
  const candor_category_rows direct = {N, P, K, K, x, second, weight, identity};
  sums.loglik = sums.rest = 0;
  CHECK(candor_category_add(&direct, steep, CANDOR_CURVATURE_OBSERVED, 0, N, work, &sums) == CANDOR_OK);
  CHECK(sums.loglik + sums.rest == -INFINITY);
}

/* Sizes and weights at their ends: rows of weight 0 add nothing, and one truth is no choice. */
static void edges(void)
{
  double work[64], packed[64] = {0}, score[SIZE] = {0};
  candor_category_sums sums = {0, 0, score, packed};
  candor_category_rows bad = rows;
  bad.columns = 0;
  CHECK(candor_category_add(&bad, beta, CANDOR_CURVATURE_OBSERVED, 0, 1, work, &sums) == CANDOR_DOMAIN);
  bad = rows, bad.truths = 1;
  CHECK(candor_category_add(&bad, beta, CANDOR_CURVATURE_OBSERVED, 0, 1, work, &sums) == CANDOR_DOMAIN);
  const double ends[] = {INFINITY, NAN, -1e-300};
  double heavy[N] = {1, 1, 1, 1, 1, 1, 1};
  bad = rows, bad.weight = heavy;
  for (int e = 0; e < 3; e++) {
    heavy[6] = ends[e];
    CHECK(candor_category_add(&bad, beta, CANDOR_CURVATURE_OBSERVED, 0, N, work, &sums) == CANDOR_DOMAIN);
  }
  /* Weight 0: the linear predictor may be anything. */
  for (int i = 0; i < N; i++) heavy[i] = 0;
  const double far[SIZE] = {INFINITY, 0, 0, 0, 0, 0};
  sums.loglik = sums.rest = 0;
  memset(score, 0, sizeof score);
  CHECK(candor_category_add(&bad, far, CANDOR_CURVATURE_OBSERVED, 0, N, work, &sums) == CANDOR_OK);
  CHECK(sums.loglik == 0 && sums.rest == 0 && score[0] == 0);
  CHECK(candor_category_add(&rows, beta, CANDOR_CURVATURE_OBSERVED, 3, 3, work, &sums) == CANDOR_OK &&
        sums.loglik == 0);
  CHECK(candor_category_packed(&rows) == 3 * 6); /* pairs of two truths, pairs of three covariates */
  CHECK(candor_category_work(&rows) == 3 + 6 + 2 * 3 + 3 + 4);
  /* Large predictors of either sign: shares of exactly 1 and 0, not NaN. By hand, direct reports. */
  const double identity[K * K] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, steep[SIZE] = {800, 0, 0, -800, 0, 0};
  const int second[N] = {2, 2, 2, 2, 2, 2, 2};
  const candor_category_rows direct = {N, P, K, K, x, second, weight, identity};
  sums.loglik = sums.rest = 0;
  CHECK(candor_category_add(&direct, steep, CANDOR_CURVATURE_EXPECTED, 0, N, work, &sums) == CANDOR_OK);
  CHECK(sums.loglik + sums.rest == 0);
  /* Compensation: a large term, then many small ones that a plain sum would lose. */
  enum { LONG = 4001 };
  static double ones[LONG], weights[LONG];
  static int reports[LONG];
  for (size_t i = 0; i < LONG; i++) ones[i] = 1, weights[i] = i ? 1 : 1e16, reports[i] = 1;
  const double half[4] = {0.5, 0.5, 0.5, 0.5}, nothing[1] = {0};
  const candor_category_rows many = {LONG, 1, 2, 2, ones, reports, weights, half};
  sums.loglik = sums.rest = 0;
  CHECK(candor_category_add(&many, nothing, CANDOR_CURVATURE_COMPLETE, 0, LONG, work, &sums) == CANDOR_OK);
  CHECK_NEAR((sums.loglik - 1e16 * log(0.5)) + sums.rest, 4000 * log(0.5), 2);
}

int main(void)
{
  derivatives();
  expectations();
  bad_input();
  edges();
  return check_report();
}
