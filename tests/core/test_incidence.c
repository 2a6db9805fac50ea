/* The channel against the convolution of two binomials, its inverse against the identity, the signed Poisson-binomial
 * against the inverse, and the mixture against enumeration. */
#include "sets/incidence.h"

#include <stdlib.h>

#include "check.h"

/* P(s | t) by adding one set after the other. */
static void convolve(size_t n, size_t t, double flip, double *row)
{
  for (size_t s = 0; s <= n; s++) row[s] = s == 0;
  for (size_t j = 0; j < n; j++) {
    const double one = j < t ? 1 - flip : flip, zero = j < t ? flip : 1 - flip;
    for (size_t s = j + 1; s > 0; s--) row[s] = zero * row[s] + one * row[s - 1];
    row[0] *= zero;
  }
}

static void test_channel(size_t n, double flip)
{
  const size_t k = n + 1;
  double *channel = malloc(k * k * sizeof(double)), *row = malloc(k * sizeof(double));
  CHECK(candor_incidence_channel(n, flip, channel) == CANDOR_OK);
  int bad = 0;
  for (size_t t = 0; t <= n; t++) {
    convolve(n, t, flip, row);
    for (size_t s = 0; s <= n; s++)
      bad += !(fabs(channel[t + s * k] - row[s]) <= 4e-15 * (double) (n + 10) * row[s] + 1e-290);
  }
  CHECK(bad == 0);
  free(channel);
  free(row);
}

static void test_inverse(size_t n, double flip)
{
  const size_t k = n + 1;
  double *channel = malloc(k * k * sizeof(double)), *inverse = malloc(k * k * sizeof(double)), worst = 0;
  CHECK(candor_incidence_channel(n, flip, channel) == CANDOR_OK);
  CHECK(candor_incidence_inverse(n, flip, inverse) == CANDOR_OK);
  for (size_t t = 0; t < k; t++) {
    for (size_t u = 0; u < k; u++) {
      double sum = 0, size = 1;
      for (size_t s = 0; s < k; s++) {
        sum += channel[t + s * k] * inverse[s + u * k];
        size += fabs(channel[t + s * k] * inverse[s + u * k]);
      }
      worst = fmax(worst, fabs(sum - (t == u)) / size);
    }
  }
  CHECK_NEAR(worst, 0, 1e-13);
  for (size_t s = 0; s < k; s++) {
    int *bits = calloc(n, sizeof(int));
    double *flips = malloc(n * sizeof(double)), *exactly = malloc(k * sizeof(double));
    for (size_t j = 0; j < n; j++) {
      bits[j] = j < s;
      flips[j] = flip;
    }
    CHECK(candor_incidence_element(bits, 1, flips, 1, n, exactly) == CANDOR_OK);
    for (size_t t = 0; t < k && n < 12; t++)
      CHECK_NEAR(exactly[t], inverse[s + t * k], 1e-11 * fmax(1, fabs(inverse[s + t * k])));
    free(bits);
    free(flips);
    free(exactly);
  }
  free(channel);
  free(inverse);
}

static void test_mixture(void)
{
  const double flips[4] = {0.1, 0.3, 0.2, 0.8};
  double channel[25], expected[25] = {0}, work[50];
  const double choices[5] = {1, 4, 6, 4, 1};
  for (int truth = 0; truth < 16; truth++) {
    for (int report = 0; report < 16; report++) {
      double p = 1;
      int t = 0, s = 0;
      for (int j = 0; j < 4; j++) {
        const int x = (truth >> j) & 1, y = (report >> j) & 1;
        t += x;
        s += y;
        p *= x == y ? 1 - flips[j] : flips[j];
      }
      expected[t + s * 5] += p / choices[t];
    }
  }
  CHECK(candor_incidence_mixture(4, flips, work, channel) == CANDOR_OK);
  for (int i = 0; i < 25; i++) CHECK_NEAR(channel[i], expected[i], 1e-15);
  const double equal[4] = {0.3, 0.3, 0.3, 0.3};
  double plain[25];
  CHECK(candor_incidence_mixture(4, equal, work, channel) == CANDOR_OK);
  CHECK(candor_incidence_channel(4, 0.3, plain) == CANDOR_OK);
  for (int i = 0; i < 25; i++) CHECK_NEAR(channel[i], plain[i], 1e-15);
}

static void test_total(void)
{
  /* Three elements, two sets, by hand: flip 1/4 debiases 1 to 3/2 and 0 to -1/2. */
  const int bits[6] = {0, 1, 1, 0, 0, 1};
  const double flips[2] = {0.25, 0.25};
  double work[3], total[3] = {0, 0, 0}, cross[9] = {0};
  CHECK(candor_incidence_total(bits, 3, 2, flips, 0, 0, 2, work, total, cross) == CANDOR_OK);
  CHECK(candor_incidence_total(bits, 3, 2, flips, 0, 2, 3, work, total, cross) == CANDOR_OK);
  /* 00: (9, -6, 1)/4; 10: (-3, 10, -3)/4; 11: (1, -6, 9)/4 */
  CHECK_NEAR(total[0], 1.75, 1e-15);
  CHECK_NEAR(total[1], -0.5, 1e-15);
  CHECK_NEAR(total[2], 1.75, 1e-15);
  CHECK_NEAR(cross[0], (81 + 9 + 1) / 16.0, 1e-14);
  CHECK_NEAR(cross[1], (-54 - 30 - 6) / 16.0, 1e-14);
  CHECK_NEAR(cross[3], cross[1], 0);
  CHECK_NEAR(cross[8], cross[0], 1e-14);
}

/* Totals over elements, flips by bit or by set, in two parts, against all choices of t sets. */
static void test_totals(int flip_per_bit)
{
  enum { m = 5, n = 3 };
  const int bits[m * n] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0};
  double flips[m * n], work[n + 1], total[n + 1] = {0}, cross[(n + 1) * (n + 1)] = {0};
  double expected[n + 1] = {0}, products[(n + 1) * (n + 1)] = {0};
  for (int i = 0; i < m * n; i++) flips[i] = 0.02 * (i + 1) + (i % 4 == 3 ? 0.6 : 0);
  for (int i = 0; i < m; i++) {
    double exactly[n + 1] = {0};
    for (int truth = 0; truth < 1 << n; truth++) {
      double product = 1;
      int t = 0;
      for (int j = 0; j < n; j++) {
        const double q = flips[flip_per_bit ? i + j * m : j], in = (bits[i + j * m] - q) / (1 - 2 * q);
        t += (truth >> j) & 1;
        product *= (truth >> j) & 1 ? in : 1 - in;
      }
      exactly[t] += product;
    }
    for (int t = 0; t <= n; t++) {
      expected[t] += exactly[t];
      for (int u = 0; u <= n; u++) products[t + u * (n + 1)] += exactly[t] * exactly[u];
    }
  }
  CHECK(candor_incidence_total(bits, m, n, flips, flip_per_bit, 0, 3, work, total, cross) == CANDOR_OK);
  CHECK(cross[0 + 1 * (n + 1)] == 0); /* mirrored at the end alone */
  CHECK(candor_incidence_total(bits, m, n, flips, flip_per_bit, 3, m, work, total, cross) == CANDOR_OK);
  for (int t = 0; t <= n; t++) CHECK_NEAR(total[t], expected[t], 1e-12);
  for (int t = 0; t < (n + 1) * (n + 1); t++) CHECK_NEAR(cross[t], products[t], 1e-11);
  const double bad[] = {-0.1, 1.1, NAN, 0.5};
  const candor_status refused[] = {CANDOR_DOMAIN, CANDOR_DOMAIN, CANDOR_NOT_FINITE, CANDOR_NO_INFORMATION};
  for (int b = 0; b < 4; b++) {
    flips[2] = bad[b];
    CHECK(candor_incidence_total(bits, m, n, flips, flip_per_bit, 0, m, work, total, cross) == refused[b]);
  }
  flips[2] = 0; /* the ends are flips, and certain */
  CHECK(candor_incidence_total(bits, m, n, flips, flip_per_bit, 2, 3, work, total, cross) == CANDOR_OK);
  flips[2] = 1;
  CHECK(candor_incidence_total(bits, m, n, flips, flip_per_bit, 2, 3, work, total, cross) == CANDOR_OK);
  const int no_bits[3] = {0, 2, 1}, minus[3] = {0, -1, 1};
  CHECK(candor_incidence_element(no_bits, 1, flips, 1, 3, work) == CANDOR_DOMAIN);
  CHECK(candor_incidence_element(minus, 1, flips, 1, 3, work) == CANDOR_DOMAIN);
}

static void test_refusals(void)
{
  double channel[4], work[18], flips[2] = {0.1, 0.2};
  CHECK(candor_incidence_mixture(0, flips, work, channel) == CANDOR_EMPTY);
  flips[1] = NAN;
  CHECK(candor_incidence_mixture(2, flips, work, channel) == CANDOR_NOT_FINITE);
  flips[1] = -0.1;
  CHECK(candor_incidence_mixture(2, flips, work, channel) == CANDOR_DOMAIN);
  CHECK(candor_incidence_channel(1, -0.1, channel) == CANDOR_DOMAIN);
  CHECK(candor_incidence_inverse(1, NAN, channel) == CANDOR_NOT_FINITE);
  CHECK(candor_incidence_inverse(1, 2, channel) == CANDOR_DOMAIN);
  CHECK(candor_incidence_inverse(0, 0.1, channel) == CANDOR_EMPTY);
  /* (1 - 2q)^-n: e^700 is a double, e^720 is none. */
  enum { k = 435 };
  static double inverse[(k + 1) * (k + 1)];
  CHECK(candor_incidence_inverse(434, 0.4, inverse) == CANDOR_OK);
  CHECK_NEAR(log(inverse[0]) - 434 * log(3), 0, 1e-9); /* ((1 - q) / (1 - 2q))^434 */
  CHECK(candor_incidence_inverse(k, 0.4, inverse) == CANDOR_DOMAIN);
}

int main(void)
{
  const double flips[9] = {0, 1e-12, 0.01, 0.25, 0.4, 0.5, 0.75, 0.999, 1};
  double channel[4];
  for (int i = 0; i < 9; i++) {
    test_channel(1, flips[i]);
    test_channel(2, flips[i]);
    test_channel(7, flips[i]);
    test_channel(60, flips[i]);
  }
  test_channel(200, 0.3);
  test_channel(400, 0.05); /* entries down to 1e-520: below a double they are 0 */
  test_inverse(1, 0.3);
  test_inverse(5, 0.25);
  test_inverse(5, 0.8);
  test_inverse(6, 0);
  test_inverse(6, 1);
  test_inverse(40, 0.1);
  test_mixture();
  test_total();
  CHECK(candor_incidence_inverse(1, 0.5, channel) == CANDOR_NO_INFORMATION);
  CHECK(candor_incidence_channel(1, 1.5, channel) == CANDOR_DOMAIN);
  CHECK(candor_incidence_channel(1, NAN, channel) == CANDOR_NOT_FINITE);
  CHECK(candor_incidence_channel(0, 0.1, channel) == CANDOR_EMPTY);
  test_channel(7, 1e-300);
  test_channel(7, 1e-200);
  test_totals(0);
  test_totals(1);
  test_refusals();
  return check_report();
}
