/* Vectors of every length around a row of lanes, against sums in long double and against the order of additions that
 * vector.h states. */
#include <math.h>

#include "base/lanes.h"
#include "base/twofold.h"
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

/* Blocks of 512 under Neumaier's compensation: what a plain sum loses stays; a total beyond doubles is infinite, not NaN. */
static void sums(void)
{
  static double many[5 * CANDOR_BLOCK];
  for (size_t n = 0; n <= 5 * CANDOR_BLOCK; n += n < 40 ? 1 : 83) {
    double expected = 0;
    for (size_t i = 0; i < n; i++) expected += many[i] = (double) (i * i % 1013);
    CHECK(candor_vector_sum(many, n) == expected && candor_block_sum(many, n) == expected);
  }
  const double parts[][4] = {{1, 1e100, 1, -1e100}, {1e100, 1, -1e100, 1}, {-1, 3e-17, 1, 3e-17}, {0x1p53, 1, 1, 1}};
  const double totals[] = {2, 2, 6e-17, 0x1p53 + 4}; /* 2^53 + 3 lies in the middle, and is rounded to even */
  for (int k = 0; k < 4; k++) {
    for (size_t i = 0; i < 4 * CANDOR_BLOCK; i++) many[i] = i % CANDOR_BLOCK == 7 ? parts[k][i / CANDOR_BLOCK] : 0;
    CHECK_NEAR(candor_vector_sum(many, 4 * CANDOR_BLOCK), totals[k], 1e-16 * fabs(totals[k]));
  }
  many[7] = many[CANDOR_BLOCK + 7] = 1.5e308;
  CHECK(candor_vector_sum(many, 2 * CANDOR_BLOCK) == INFINITY);
  CHECK(candor_smaller(2, 3) == 2 && candor_smaller(3, 2) == 2 && candor_smaller(2, 2) == 2);
}

typedef __int128 whole_number;

static candor_twofold twofold_of(whole_number x)
{
  const double hi = (double) x;
  return (candor_twofold){hi, (double) (x - (whole_number) hi)};
}

static int is_number(candor_twofold x, whole_number expected)
{
  return (whole_number) x.hi + (whole_number) x.lo == expected && x.hi + x.lo == x.hi;
}

/* Twice the precision: whole numbers of up to 106 bits add and multiply without error. */
static void twofolds(void)
{
  int right = 1;
  for (int round = 0; round < 5000; round++) {
    const double scale[] = {0x1p20, 0x1p52, 0x1p53}, a = floor((2 * uniform() - 1) * scale[round % 3]);
    const double b = floor((2 * uniform() - 1) * scale[round / 3 % 3]);
    right &= is_number(candor_two_sum(a, b), (whole_number) a + (whole_number) b);
    right &= is_number(candor_two_product(a, b), (whole_number) a * (whole_number) b);
    const whole_number x = (whole_number) a * (whole_number) 0x1p50 + (whole_number) (uniform() * 0x1p50);
    const whole_number y =
        (whole_number) b * (whole_number) (round % 2 ? 0x1p50 : 1) - (whole_number) (uniform() * 0x1p30);
    right &= is_number(candor_twofold_add(twofold_of(x), twofold_of(y)), x + y);
    const double times = floor(uniform() * 0x1p10);
    const whole_number z = x / (whole_number) 0x1p20;
    right &= is_number(candor_twofold_scale(twofold_of(z), times), z * (whole_number) times);
  }
  CHECK(right);
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
  sums();
  twofolds();
  return check_report();
}
