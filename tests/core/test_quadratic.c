/* The quadratic programme and its linear algebra, against the conditions that define their answers. */
#include "estimate/quadratic.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "estimate/cholesky.h"
#include "uniform.h"
#include "workspace.h"

enum { K = 23, J = 31 };

/* gram = C_S W C_S' entry by entry, factor times its transpose, and the solution put back. */
static void test_cholesky(void)
{
  for (size_t n = 1; n <= K; n++) {
    double C[K * J], w[J], work[J], gram[K * K], factor[K * K], x[K], b[K];
    size_t index[K];
    for (size_t k = 0; k < K * J; k++) C[k] = uniform();
    for (size_t j = 0; j < J; j++) w[j] = uniform();
    for (size_t k = 0; k < n; k++) index[k] = K - 1 - k;
    candor_gram(C, J, index, n, w, work, gram);
    memcpy(factor, gram, sizeof gram);
    CHECK(candor_cholesky(factor, n) == 1);
    for (size_t k = 0; k < n; k++) {
      for (size_t l = 0; l <= k; l++) {
        double sum = 0, product = 0;
        for (size_t j = 0; j < J; j++) sum += C[index[k] * J + j] * w[j] * C[index[l] * J + j];
        for (size_t m = 0; m <= l; m++) product += factor[k * n + m] * factor[l * n + m];
        CHECK_NEAR(gram[k * n + l], sum, 1e-13);
        CHECK_NEAR(product, sum, 1e-13);
      }
      b[k] = x[k] = uniform();
    }
    candor_cholesky_solve(factor, n, x);
    for (size_t k = 0; k < n; k++) {
      double sum = 0;
      for (size_t l = 0; l < n; l++) sum += gram[k >= l ? k * n + l : l * n + k] * x[l];
      CHECK_NEAR(sum, b[k], 1e-9);
    }
  }
  double indefinite[4] = {1, 0, 2, 1};
  CHECK(candor_cholesky(indefinite, 2) == 0);
}

/* Multipliers: zero where x > 0, not above the tolerance where x = 0. */
static void test_conditions(int warm, size_t limit, candor_status expected)
{
  double C[K * J], weights[J], diagonal[K], linear[K], centre[K], x[K] = {0}, gradient[K], m[J] = {0};
  unsigned char blocked[K];
  size_t set[K], count = 0, products = 0;
  for (size_t k = 0; k < K * J; k++) C[k] = uniform();
  for (size_t j = 0; j < J; j++) weights[j] = uniform();
  for (size_t i = 0; i < K; i++) {
    linear[i] = uniform() - 0.3;
    centre[i] = uniform();
  }
  const candor_axis axis = {CANDOR_AXIS_DENSE, K, J, C, NULL, 0, {0}};
  const candor_channel channel = {1, &axis};
  candor_channel_adjoint_square(&channel, weights, gradient, diagonal);
  const candor_quadratic q = {&channel, weights, diagonal, linear, centre, 1e-6, 1e-12, limit, 100000};
  for (size_t i = 0; warm && i < K; i += 2) {
    x[i] = uniform();
    set[count++] = i;
  }
  double *work = workspace(candor_quadratic_work(&channel, limit));
  CHECK(candor_quadratic_minimize(&q, set, &count, blocked, work, &products, x) == expected);
  free(work);
  size_t positive = 0;
  for (size_t i = 0; i < K; i++) {
    CHECK(x[i] >= 0);
    positive += x[i] > 0;
    for (size_t j = 0; j < J; j++) m[j] += C[i * J + j] * x[i];
  }
  CHECK(positive == count);
  for (size_t i = 0; expected == CANDOR_OK && i < K; i++) {
    gradient[i] = linear[i] + q.damping * diagonal[i] * (centre[i] - x[i]);
    for (size_t j = 0; j < J; j++) gradient[i] -= C[i * J + j] * weights[j] * m[j];
    if (x[i] > 0) CHECK_NEAR(gradient[i], 0, 1e-9);
    else CHECK(gradient[i] <= 1e-9);
  }
}

/* Two cells by hand: the matrix is the identity, and so on down to the edge. */
static void test_by_hand(void)
{
  const double C[4] = {1, 0, 0, 1}, weights[2] = {1, 1}, diagonal[2] = {1, 1}, centre[2] = {5, 7};
  const candor_axis axis = {CANDOR_AXIS_DENSE, 2, 2, C, NULL, 0, {0}};
  const candor_channel channel = {1, &axis};
  double linear[2] = {3, -1}, x[2] = {0, 0};
  unsigned char blocked[2];
  size_t set[2] = {0, 0}, count = 0, products = 0;
  CHECK(candor_quadratic_work(&channel, 2) == 4 + 2 + 0 + 2 + 4);
  double *work = workspace(candor_quadratic_work(&channel, 2));
  candor_quadratic q = {&channel, weights, diagonal, linear, centre, 0, 1e-12, 2, 1000};
  CHECK(candor_quadratic_minimize(&q, set, &count, blocked, work, &products, x) == CANDOR_OK);
  CHECK(x[0] == 3 && x[1] == 0 && count == 1 && set[0] == 0 && products > 0);
  /* Damping 1/2 draws towards the centre: x = (linear + centre / 2) / (1 + 1/2). */
  q.damping = 0.5;
  count = 0, x[0] = x[1] = 0;
  CHECK(candor_quadratic_minimize(&q, set, &count, blocked, work, &products, x) == CANDOR_OK);
  CHECK_NEAR(x[0], 5.5 / 1.5, 1e-15);
  CHECK_NEAR(x[1], 2.5 / 1.5, 1e-15);
  /* A tolerance above all multipliers: nobody enters. Without a budget nothing is proved. */
  q.damping = 0;
  q.tolerance = 3;
  count = 0, x[0] = x[1] = 0;
  CHECK(candor_quadratic_minimize(&q, set, &count, blocked, work, &products, x) == CANDOR_OK && count == 0);
  q.tolerance = 2.999;
  CHECK(candor_quadratic_minimize(&q, set, &count, blocked, work, &products, x) == CANDOR_OK && count == 1 &&
        x[0] == 3);
  q.budget = 0;
  count = 0, x[0] = x[1] = 0;
  CHECK(candor_quadratic_minimize(&q, set, &count, blocked, work, &products, x) == CANDOR_AGAIN && count == 0);
  /* From a start on both: the second leaves on the way. */
  q.budget = 1000;
  x[0] = x[1] = 1;
  set[0] = 1, set[1] = 0, count = 2;
  CHECK(candor_quadratic_minimize(&q, set, &count, blocked, work, &products, x) == CANDOR_OK);
  CHECK(x[0] == 3 && x[1] == 0 && count == 1 && set[0] == 0);
  free(work);
  /* Two cells that are the same: the second has no place beside the first. */
  const double twins[4] = {0.5, 0.5, 0.5, 0.5}, half[2] = {0.5, 0.5}, both[2] = {1, 1};
  const candor_axis singular = {CANDOR_AXIS_DENSE, 2, 2, twins, NULL, 0, {0}};
  const candor_channel flat = {1, &singular};
  const candor_quadratic same = {&flat, weights, half, both, centre, 0, 1e-12, 2, 1000};
  work = workspace(candor_quadratic_work(&flat, 2));
  x[0] = x[1] = 1;
  set[0] = 0, set[1] = 1, count = 2;
  CHECK(candor_quadratic_minimize(&same, set, &count, blocked, work, &products, x) == CANDOR_OK);
  CHECK_NEAR(x[0] + x[1], 2, 1e-14);
  /* The second would gain more, and has no place: it is passed over, and the search ends. */
  const double apart[2] = {1, 2};
  const candor_quadratic refused = {&flat, weights, half, apart, centre, 0, 1e-12, 2, 1000};
  x[0] = 1, x[1] = 0;
  set[0] = 0, count = 1, products = 0;
  CHECK(candor_quadratic_minimize(&refused, set, &count, blocked, work, &products, x) == CANDOR_AGAIN);
  CHECK(count == 1 && fabs(x[0] - 2) < 1e-14 && x[1] == 0 && products < 20);
  free(work);
}

int main(void)
{
  uniform_seed = 99;
  test_cholesky();
  for (int k = 0; k < 200; k++) {
    test_conditions(0, K, CANDOR_OK);
    test_conditions(1, K, CANDOR_OK);
  }
  /* Room for one cell only: it says that this was not enough. */
  test_conditions(0, 1, CANDOR_STALLED);
  test_by_hand();
  return check_report();
}
