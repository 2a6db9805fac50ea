/* Theorems 1 and 3 by enumeration of every truth and every report, the log domain against closed forms in long double,
 * merges, and the counting kernels against a plain loop. */
#include "sets/extremes.h"

#include <stdlib.h>

#include "check.h"
#include "uniform.h"

static double chance(int report, int truth, double q)
{
  return report == truth ? 1 - q : q;
}

static void enumerate(const double *flips, int n, candor_extreme_kind kind)
{
  for (int truth = 0; truth < 1 << n; truth++) {
    int x[4];
    double mean = 0, square = 0, guess = 0;
    size_t where;
    for (int i = 0; i < n; i++) x[i] = (truth >> i) & 1;
    const double goal = kind == CANDOR_ANY ? truth != 0 : truth == (1 << n) - 1;
    for (int report = 0; report < 1 << n; report++) {
      int bits[4];
      double p = 1;
      candor_extreme state;
      candor_extreme_estimate value;
      for (int i = 0; i < n; i++) {
        bits[i] = (report >> i) & 1;
        p *= chance(bits[i], x[i], flips[i]);
      }
      candor_extreme_start(&state);
      CHECK(candor_extreme_bits(bits, flips, (size_t) n, &state, &where) == CANDOR_OK);
      CHECK(candor_extreme_value(&state, kind, &value) == CANDOR_OK);
      mean += p * value.estimate;
      square += p * value.estimate * value.estimate;
      guess += p * value.variance;
      CHECK_NEAR(value.variance, value.estimate * (value.estimate - 1), 1e-9 * (1 + value.estimate * value.estimate));
    }
    const double exact = square - goal * goal, tolerance = 1e-10 * (1 + square);
    CHECK_NEAR(mean, goal, tolerance);
    CHECK_NEAR(guess, exact, tolerance);
    candor_extreme state;
    candor_extreme_estimate value;
    candor_extreme_start(&state);
    CHECK(candor_extreme_bits(x, flips, (size_t) n, &state, &where) == CANDOR_OK);
    CHECK(candor_extreme_value(&state, kind, &value) == CANDOR_OK);
    CHECK(exact <= value.bound * (1 + 1e-12) + tolerance);
  }
}

static void test_enumeration(void)
{
  const double grid[6][4] = {{0.25, 0.25, 0.25, 0.25}, {0.1, 0.3, 0.45, 0.02}, {0.75, 0.6, 0.2, 0.9},
                             {0, 0.2, 1, 0.4},         {1, 0, 0, 1},           {1.0 / 3, 2.0 / 3, 1e-9, 0.5 + 1e-2}};
  for (int g = 0; g < 6; g++) {
    for (int n = 1; n <= 4; n++) {
      enumerate(grid[g], n, CANDOR_ANY);
      enumerate(grid[g], n, CANDOR_ALL);
    }
  }
}

static void test_log_domain(void)
{
  /* n, ones, q, sign, log|1 - OR|, log(1 + Var) for all-zero truth: golden values, relative 1e-12. */
  const double golden[4][6] = {{1e6, 100001, 0.1, -1, -101941.61930181581, 131576.3577887193},
                               {1e5, 0, 1e-7, 1, 0.010000001500000234, 0.010000002500000533},
                               {1e6, 300000, 0.25, 1, 75881.42150773147, 559615.7879354227},
                               {1e6, 1, 1e-9, -1, -20.72226583594491, 0.0010000000025}};
  for (int i = 0; i < 4; i++) {
    candor_extreme state;
    candor_extreme_estimate value;
    candor_extreme_start(&state);
    CHECK(candor_extreme_equal(golden[i][0], golden[i][1], golden[i][2], &state) == CANDOR_OK);
    CHECK(candor_extreme_value(&state, CANDOR_ANY, &value) == CANDOR_OK);
    CHECK(value.sign == golden[i][3]);
    CHECK_NEAR(value.log, golden[i][4], 1e-12 * fabs(golden[i][4]));
    CHECK_NEAR(value.log_bound, golden[i][5], 1e-12 * fabs(golden[i][5]));
  }
}

static void add_kahan(long double *sum, long double *lost, long double x)
{
  const long double y = x - *lost, next = *sum + y;
  *lost = (next - *sum) - y;
  *sum = next;
}

/* The logarithms of a million bits with their own flips, against long double, within 1e-11 or one unit in the last
 * place of the result. Repeated flips are the hard case: rounding then has the same sign a million times. */
static void test_million_bits(double low, double width)
{
  const size_t n = 1000000;
  int *bits = malloc(n * sizeof(int));
  double *flips = malloc(n * sizeof(double));
  long double none = 0, all = 0, none_lost = 0, all_lost = 0; /* Kahan's: a plain sum would lose 1e-9 here */
  int negative = 0;
  for (size_t i = 0; i < n; i++) {
    flips[i] = low + width * uniform();
    bits[i] = uniform() < 0.3;
    const long double q = flips[i], d = fabsl(1 - 2 * q);
    add_kahan(&none, &none_lost, logl((bits[i] ? q : 1 - q) / d));
    add_kahan(&all, &all_lost, logl((bits[i] ? 1 - q : q) / d));
    negative ^= bits[i] ^ (q > 0.5L);
  }
  candor_extreme state;
  candor_extreme_estimate any, every;
  size_t where;
  candor_extreme_start(&state);
  CHECK(candor_extreme_bits(bits, flips, n, &state, &where) == CANDOR_OK);
  CHECK(candor_extreme_value(&state, CANDOR_ANY, &any) == CANDOR_OK);
  CHECK(candor_extreme_value(&state, CANDOR_ALL, &every) == CANDOR_OK);
  CHECK_NEAR(any.log, (double) none, 1e-11 + 4e-16 * fabs((double) none));
  CHECK_NEAR(every.log, (double) all, 1e-11 + 4e-16 * fabs((double) all));
  CHECK(any.sign == (negative ? -1 : 1));
  if (width == 0) {
    candor_extreme equal;
    double ones;
    CHECK(candor_count_ones(bits, n, &ones, &where) == CANDOR_OK);
    candor_extreme_start(&equal);
    CHECK(candor_extreme_equal((double) n, ones, low, &equal) == CANDOR_OK);
    CHECK(candor_extreme_value(&equal, CANDOR_ANY, &any) == CANDOR_OK);
    CHECK_NEAR(any.log, (double) none, 1e-11 + 4e-16 * fabs((double) none));
  }
  free(bits);
  free(flips);
}

static void test_merge(void)
{
  enum { parts = 50 };
  candor_extreme part[parts], forward, backward;
  candor_extreme_start(&forward);
  candor_extreme_start(&backward);
  for (int i = 0; i < parts; i++) {
    candor_extreme_start(&part[i]);
    CHECK(candor_extreme_equal(1000 + i, floor(900 * uniform()), 0.6 * uniform(), &part[i]) == CANDOR_OK);
  }
  for (int i = 0; i < parts; i++) {
    candor_extreme_merge(&part[i], &forward);
    candor_extreme_merge(&part[parts - 1 - i], &backward);
  }
  CHECK(forward.none.log.hi == backward.none.log.hi);
  CHECK(forward.all.log.hi == backward.all.log.hi);
  CHECK(forward.bound.hi == backward.bound.hi);
  CHECK(forward.bits == backward.bits && forward.ones == backward.ones);
}

static void test_counts(void)
{
  enum { n = 200003 };
  static int bits[n];
  static unsigned char packed[n / 8 + 1];
  double expected = 0, ones;
  size_t where = 0;
  for (int i = 0; i < n; i++) {
    bits[i] = uniform() < 0.5;
    expected += bits[i];
    packed[i / 8] = (unsigned char) (packed[i / 8] | bits[i] << (i % 8));
  }
  CHECK(candor_count_ones(bits, n, &ones, &where) == CANDOR_OK && ones == expected);
  candor_count_packed(packed, n, &ones);
  CHECK(ones == expected);
  for (size_t length = 0; length < 200; length++) {
    double plain = 0;
    for (size_t i = 0; i < length; i++) plain += bits[i];
    candor_count_packed(packed, length, &ones);
    CHECK(ones == plain);
  }
  bits[70001] = -5;
  bits[190000] = 2;
  CHECK(candor_count_ones(bits, n, &ones, &where) == CANDOR_DOMAIN && where == 70001);
}

static void test_refusals(void)
{
  candor_extreme state;
  candor_extreme_estimate value;
  size_t where = 99;
  int bits[200] = {0};
  double flips[200];
  for (int i = 0; i < 200; i++) flips[i] = 0.2;
  candor_extreme_start(&state);
  CHECK(candor_extreme_value(&state, CANDOR_ANY, &value) == CANDOR_EMPTY);
  CHECK(candor_extreme_equal(2, 1, 0.5, &state) == CANDOR_NO_INFORMATION);
  CHECK(candor_extreme_equal(2, 3, 0.1, &state) == CANDOR_DOMAIN);
  CHECK(candor_extreme_equal(2.5, 1, 0.1, &state) == CANDOR_DOMAIN);
  CHECK(candor_extreme_equal(2, 1, -0.1, &state) == CANDOR_DOMAIN);
  CHECK(candor_extreme_equal(2, 1, NAN, &state) == CANDOR_NOT_FINITE);
  flips[150] = NAN;
  CHECK(candor_extreme_bits(bits, flips, 200, &state, &where) == CANDOR_NOT_FINITE && where == 150);
  flips[150] = 0.5;
  CHECK(candor_extreme_bits(bits, flips, 200, &state, &where) == CANDOR_NO_INFORMATION && where == 150);
  flips[150] = 1.5;
  CHECK(candor_extreme_bits(bits, flips, 200, &state, &where) == CANDOR_DOMAIN && where == 150);
  bits[7] = 2;
  CHECK(candor_extreme_bits(bits, flips, 200, &state, &where) == CANDOR_DOMAIN && where == 7);
  CHECK(state.bits == 0);
}

/* Fewer bits than a block, some blocks and a rest; flips from 0 to 1: against the plain product. */
static void test_lengths(void)
{
  const double grid[] = {0.2, 1e-3, 0.45, 0.9, 1e-6, 0.49999, 1 - 1e-7, 1.0 / 3};
  const size_t lengths[] = {1, 8, 63, 64, 65, 127, 128, 129, 300};
  for (size_t l = 0; l < 9; l++) {
    for (int extreme = 0; extreme < 3; extreme++) {
      const size_t n = lengths[l];
      int *bits = malloc(n * sizeof *bits);
      double *flips = malloc(n * sizeof *flips), ones = 0;
      long double log_none = 0, log_all = 0, bound = 0;
      int none_sign = 1, all_sign = 1;
      for (size_t i = 0; i < n; i++) {
        bits[i] = uniform() < 0.5;
        ones += bits[i];
        /* All of a size that blocks multiply, a few that they leave to the slow way, or most. */
        flips[i] = grid[(size_t) (uniform() * (extreme == 0 ? 3 : 8))];
        if (extreme == 1 && i % 70 != 5) flips[i] = 0.3;
        const long double q = flips[i], d = 1 - 2 * q, none = (1 - q - bits[i]) / d, all = (bits[i] - q) / d;
        log_none += logl(fabsl(none));
        log_all += logl(fabsl(all));
        none_sign *= none < 0 ? -1 : 1;
        all_sign *= all < 0 ? -1 : 1;
        bound += log1pl(q * (1 - q) / (d * d));
      }
      candor_extreme state;
      candor_extreme_estimate any, every;
      size_t where;
      candor_extreme_start(&state);
      CHECK(candor_extreme_bits(bits, flips, n, &state, &where) == CANDOR_OK);
      CHECK(state.bits == (double) n && state.ones == ones);
      CHECK(candor_extreme_value(&state, CANDOR_ANY, &any) == CANDOR_OK);
      CHECK(candor_extreme_value(&state, CANDOR_ALL, &every) == CANDOR_OK);
      CHECK(any.sign == none_sign && every.sign == all_sign);
      CHECK_NEAR(any.log, (double) log_none, 1e-12 * (1 + fabs((double) log_none)));
      CHECK_NEAR(every.log, (double) log_all, 1e-12 * (1 + fabs((double) log_all)));
      CHECK_NEAR(any.log_bound, (double) bound, 1e-12 * (1 + (double) bound));
      /* A state that is merged with another has the product of both. */
      candor_extreme twice = state;
      candor_extreme_merge(&state, &twice);
      CHECK(candor_extreme_value(&twice, CANDOR_ANY, &any) == CANDOR_OK);
      CHECK(any.sign == 1 && twice.bits == 2 * (double) n && twice.ones == 2 * ones);
      CHECK_NEAR(any.log, 2 * (double) log_none, 2e-12 * (1 + fabs((double) log_none)));
      CHECK_NEAR(any.log_bound, 2 * (double) bound, 2e-12 * (1 + (double) bound));
      /* In two parts, the same. */
      candor_extreme_start(&state);
      CHECK(candor_extreme_bits(bits, flips, n / 2, &state, &where) == CANDOR_OK);
      CHECK(candor_extreme_bits(bits + n / 2, flips + n / 2, n - n / 2, &state, &where) == CANDOR_OK);
      CHECK(candor_extreme_value(&state, CANDOR_ALL, &every) == CANDOR_OK && every.sign == all_sign);
      CHECK_NEAR(every.log, (double) log_all, 1e-12 * (1 + fabs((double) log_all)));
      free(bits), free(flips);
    }
  }
}

/* Flips of 0 and 1: a bit is what it says, or its contrary. By hand. */
static void test_certain(void)
{
  candor_extreme state;
  candor_extreme_estimate any, every;
  for (int flip = 0; flip < 2; flip++) {
    for (int ones = 0; ones <= 3; ones++) {
      candor_extreme_start(&state);
      CHECK(candor_extreme_equal(3, ones, flip, &state) == CANDOR_OK);
      CHECK(candor_extreme_value(&state, CANDOR_ANY, &any) == CANDOR_OK);
      CHECK(candor_extreme_value(&state, CANDOR_ALL, &every) == CANDOR_OK);
      const int truths = flip ? 3 - ones : ones;
      CHECK(any.estimate == (truths > 0) && every.estimate == (truths == 3));
      CHECK(any.variance == 0 && every.variance == 0 && any.bound == 0 && every.bound == 0);
      CHECK(any.sign == (truths == 0) && any.log == (truths == 0 ? 0 : -INFINITY));
    }
  }
  /* q = 1/4: z is 3/2 or -1/2. */
  candor_extreme_start(&state);
  CHECK(candor_extreme_equal(3, 1, 0.25, &state) == CANDOR_OK);
  CHECK(candor_extreme_value(&state, CANDOR_ANY, &any) == CANDOR_OK);
  CHECK(candor_extreme_value(&state, CANDOR_ALL, &every) == CANDOR_OK);
  CHECK_NEAR(any.estimate, 1 + 9 / 8.0, 1e-15);
  CHECK_NEAR(any.variance, 9 / 8.0 * (17 / 8.0), 1e-14);
  CHECK_NEAR(any.bound, pow(1.75, 3) - 1, 1e-14);
  CHECK_NEAR(every.estimate, 3 / 8.0, 1e-15);
  CHECK_NEAR(every.variance, -3 / 8.0 * 5 / 8.0, 1e-15);
  state.none.log.hi = NAN;
  CHECK(candor_extreme_value(&state, CANDOR_ANY, &any) == CANDOR_NOT_FINITE);
  state.all.negatives = NAN;
  CHECK(candor_extreme_value(&state, CANDOR_ALL, &any) == CANDOR_NOT_FINITE);
}

static void test_edges(void)
{
  candor_extreme state;
  const double most = 9007199254740991.0;
  candor_extreme_start(&state);
  CHECK(candor_extreme_equal(0, 0, 0.25, &state) == CANDOR_OK && state.bits == 0);
  CHECK(candor_extreme_equal(most, most, 0.25, &state) == CANDOR_OK && state.bits == most);
  candor_extreme_start(&state);
  CHECK(candor_extreme_equal(most + 1, 0, 0.25, &state) == CANDOR_DOMAIN);
  CHECK(candor_extreme_equal(-1, -1, 0.25, &state) == CANDOR_DOMAIN);
  CHECK(candor_extreme_equal(1, -1, 0.25, &state) == CANDOR_DOMAIN);
  CHECK(candor_extreme_equal(2, 0.5, 0.25, &state) == CANDOR_DOMAIN);
  CHECK(candor_extreme_equal(2, 1, 1.1, &state) == CANDOR_DOMAIN);
  CHECK(state.bits == 0 && state.ones == 0);
  /* Every number of full words, and bits behind the last one that do not count. */
  static unsigned char full[8 * 130];
  for (size_t i = 0; i < sizeof full; i++) full[i] = 0xff;
  double ones;
  for (size_t n = 0; n <= 8 * 8 * 129; n += 61) {
    candor_count_packed(full, n, &ones);
    CHECK(ones == (double) n);
  }
  enum { n = (1 << 17) + 1 };
  static int bits[n];
  const size_t wrong[] = {0, 1, (1 << 16) - 1, 1 << 16, 1 << 17};
  for (int w = 0; w < 5; w++) {
    size_t where = 1;
    bits[wrong[w]] = 2;
    CHECK(candor_count_ones(bits, n, &ones, &where) == CANDOR_DOMAIN && where == wrong[w]);
    bits[wrong[w]] = 1;
    CHECK(candor_count_ones(bits, n, &ones, &where) == CANDOR_OK && ones == 1);
    bits[wrong[w]] = 0;
  }
}

/* Two bits of a block whose flips are certain: the block is left to the slow way, wherever they are. */
static void test_certain_pairs(void)
{
  for (int a = 0; a < 64; a += 1) {
    for (int b = 0; b < 8; b++) {
      int bits[64] = {0};
      double flips[64];
      candor_extreme state;
      candor_extreme_estimate any;
      size_t where;
      for (int i = 0; i < 64; i++) flips[i] = 0.3;
      flips[a] = flips[b] = 0;
      bits[a] = bits[b] = 1;
      candor_extreme_start(&state);
      CHECK(candor_extreme_bits(bits, flips, 64, &state, &where) == CANDOR_OK);
      CHECK(candor_extreme_value(&state, CANDOR_ANY, &any) == CANDOR_OK);
      CHECK(any.estimate == 1 && any.sign == 0 && state.none.zeros == 2 - (a == b) && isfinite(state.none.log.hi));
    }
  }
}

int main(void)
{
  test_enumeration();
  test_log_domain();
  test_million_bits(0.05, 0.4);
  test_million_bits(0.1, 0);
  test_million_bits(1.0 / 3, 0);
  test_million_bits(1e-4, 0);
  test_million_bits(1e-6, 0);
  test_million_bits(0.2, 0.7);
  test_million_bits(0.49, 0.00999);
  test_merge();
  test_counts();
  test_refusals();
  test_lengths();
  test_certain();
  test_edges();
  test_certain_pairs();
  return check_report();
}
