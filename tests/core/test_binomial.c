/* The bounds of the hat by search over the binomials it must cover, and draws against exact distributions. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "draws.h"
#include "study/binomial.h"
#include "study/binomial_hat.h"

/* A u that proposes k lies where g(u) = (2 a / (1/2 - |u|) + b) u + shift is in
 * [k - mode, k - mode + 1). */
static double edge_of(const candor_hat *hat, double distance)
{
  /* |g(u) - shift| = distance, solved for 1/2 - |u|: b e^2 - (b / 2 - 2 a - distance) e - a = 0 */
  const double d = fabs(distance), c = 0.5 * hat->b - 2.0 * hat->a - d, root = sqrt(c * c + 4.0 * hat->b * hat->a);
  return c > 0 ? (c + root) / (2.0 * hat->b) : 2.0 * hat->a / (root - c);
}

/* Both bounds, for every value of a binomial that has a probability above 1e-300 of the largest: the hat is above it, and
 * what is accepted unseen is below it. The probabilities come from the ratios of neighbours. */
static void check_bounds(double n, double p)
{
  const candor_hat hat = candor_hat_of(n, p);
  if (n * p < LEAST_MEAN) return;
  int above = 1, below = 1;
  for (int way = -1; way <= 1; way += 2) {
    double log_f = 0;
    for (double k = hat.mode; k >= 0 && k <= n && log_f > -690; k += way) {
      const double low = k - hat.mode - hat.shift, high = low + 1;
      /* Where the slope is largest and least: the far end of the cell, and the near one or the middle of all. */
      const double far = edge_of(&hat, fmax(fabs(low), fabs(high)));
      const double near = low <= 0 && high >= 0 ? 0.5 : edge_of(&hat, fmin(fabs(low), fabs(high)));
      const double f = exp(log_f) * (1 + 1e-12);
      above &= exp(log_f) * candor_hat_slope(&hat, far) <= hat.alpha * (1 + 1e-12);
      if (near >= INNER) below &= f * candor_hat_slope(&hat, near) >= hat.sure * hat.alpha;
      log_f += way > 0 ? log((n - k) / (k + 1) * (p / (1 - p))) : log(k / (n - k + 1) * ((1 - p) / p));
    }
  }
  if (!above || !below) fprintf(stderr, "n %g p %g: above %d below %d\n", n, p, above, below);
  CHECK(above && below);
}

static void test_bounds(void)
{
  /* All small numbers of trials. */
  for (double n = 20; n < 200; n++)
    for (double p = 0.5; n * p >= LEAST_MEAN; p -= 0.004) check_bounds(n, p);
  static const double p[] = {1e-9, 1e-6, 1e-4, 0.01, 0.03, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.48, 0.5};
  for (size_t i = 0; i < sizeof p / sizeof *p; i++)
    for (double mean = LEAST_MEAN; mean < 1e5; mean *= mean < 100 ? 1.01 : mean < 2000 ? 1.04 : 1.7)
      check_bounds(ceil(mean / p[i]), p[i]);
  /* Between whole n the mean moves within its step: probabilities that put it everywhere. */
  for (double part = 0; part < 1; part += 0.02) {
    for (double mean = LEAST_MEAN; mean < 500; mean *= 1.25) {
      const double wanted = floor(mean) + part;
      for (double times = 2.1; times < 1e8; times *= 7) {
        const double n = ceil(times * mean);
        check_bounds(n, wanted < 0.5 * n ? wanted / n : 0.5);
      }
    }
  }
}

static void test_binomial(void)
{
  static const double cases[][2] = {{1, 0.3},
                                    {5, 0.5},
                                    {40, 0.01},
                                    {30, 0.32},
                                    {33, 0.31},
                                    {25, 0.97},
                                    {100, 0.1},
                                    {100, 0.5},
                                    {1000, 0.37},
                                    {1000, 0.9},
                                    {1e5, 1e-4},
                                    {1e5, 2e-4},
                                    {1e6, 0.25},
                                    {1e9, 2e-8},
                                    {1e9, 1e-6},
                                    {1e12, 3e-10},
                                    /* around the mean 10, from which on numbers are proposed; p near 1; large n */
                                    {19, 0.5},
                                    {20, 0.5},
                                    {21, 0.5},
                                    {40, 0.25},
                                    {39, 0.25},
                                    {1e6, 9.99e-6},
                                    {1e6, 1.001e-5},
                                    {7, 0.5},
                                    {8, 0.5},
                                    {9, 0.5},
                                    {1e6, 1.99e-6},
                                    {1e6, 2.01e-6},
                                    {1e6, 3e-6},
                                    {12, 0.25},
                                    {1e6, 1.01e-5},
                                    {101, 0.5},
                                    {401, 0.5},
                                    {39999, 0.5},
                                    {40001, 0.5},
                                    {1e6, 1.01e-2},
                                    {1e6, 1.02e-2},
                                    {1e6, 1.01e-4},
                                    {1e6, 1 - 3e-5},
                                    {1e9, 1 - 2e-7},
                                    {1e9, 1e-4},
                                    {1e9, 0.5},
                                    {1e9, 0.02},
                                    {4e9, 0.3}};
  const size_t draws = 200000;
  double *x = malloc(draws * sizeof *x);
  generator g;
  start(&g, 1);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    int good = 1;
    for (size_t i = 0; i < draws; i++)
      good &= candor_draw_binomial(&g.draw, cases[c][0], cases[c][1], &x[i]) == CANDOR_OK;
    CHECK(good);
    if (!fits_binomial(x, draws, cases[c][0], cases[c][1])) fprintf(stderr, "n %g p %g\n", cases[c][0], cases[c][1]);
    CHECK(fits_binomial(x, draws, cases[c][0], cases[c][1]));
  }
  /* Too many values for a table: mean and variance, within 5 standard errors. */
  static const double huge[][2] = {{1e9, 0.5}, {1e9, 0.123}, {4e15, 0.7}, {9007199254740992.0, 1e-9}};
  for (size_t c = 0; c < 4; c++) {
    const double mean = huge[c][0] * huge[c][1], variance = mean * (1 - huge[c][1]);
    double sum = 0, square = 0, fourth = 0;
    for (size_t i = 0; i < draws; i++) {
      double value;
      candor_draw_binomial(&g.draw, huge[c][0], huge[c][1], &value);
      const double z = (value - mean) / sqrt(variance);
      sum += z;
      square += z * z;
      fourth += z * z * z * z;
    }
    const double n = (double) draws;
    CHECK_NEAR(sum / n, 0.0, 5 / sqrt(n));
    CHECK_NEAR(square / n, 1.0, 5 * sqrt(2 / n));
    CHECK_NEAR(fourth / n, 3.0, 5 * sqrt(96 / n));
  }
  double value;
  CHECK(candor_draw_binomial(&g.draw, -1, 0.5, &value) == CANDOR_DOMAIN);
  CHECK(candor_draw_binomial(&g.draw, 1.5, 0.5, &value) == CANDOR_DOMAIN);
  CHECK(candor_draw_binomial(&g.draw, 10, 1.1, &value) == CANDOR_DOMAIN);
  CHECK(candor_draw_binomial(&g.draw, 10, NAN, &value) == CANDOR_DOMAIN);
  CHECK(candor_draw_binomial(&g.draw, 10, 1, &value) == CANDOR_OK && value == 10);
  free(x);
}

/* All outcomes of small multinomials, by the tree and by single picks. */
static void test_multinomial_exhaustively(int pick)
{
  static const double cases[][4] = {
      {0.5, 0.3, 0.2, 6}, {0.9, 0.05, 0.05, 10}, {0.01, 0.0, 0.99, 12}, {1, 1, 1, 60}, {0, 2, 1, 4}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double sums[6], splits[6], counts[6], ends[3], begin[3];
    const double *w = cases[c], total = w[0] + w[1] + w[2], n = w[3];
    const int balls = (int) n, draws = 300000;
    memcpy(sums + 3, w, 3 * sizeof *w);
    candor_tree_start(3, sums, splits);
    candor_pick_start(3, w, ends, begin);
    double *seen = calloc((size_t) ((balls + 1) * (balls + 1)), sizeof *seen), chi = 0, df = -1, rest = draws,
           rest_seen = draws;
    generator g;
    start(&g, 21 + c + (pick ? 100 : 0));
    for (int r = 0; r < draws; r++) {
      memset(counts, 0, sizeof counts);
      counts[1] = n;
      CHECK((pick ? candor_pick_draw(&g.draw, 3, ends, begin, n, counts + 3)
                  : candor_tree_draw(&g.draw, 3, sums, splits, counts)) == CANDOR_OK);
      CHECK(counts[3] + counts[4] + counts[5] == n);
      seen[(int) counts[3] * (balls + 1) + (int) counts[4]] += 1;
    }
    for (int x = 0; x <= balls; x++) {
      for (int y = 0; x + y <= balls; y++) {
        const double z = n - x - y;
        const double expected = draws * exp(lgamma(n + 1) - lgamma(x + 1) - lgamma(y + 1) - lgamma(z + 1)) *
                                pow(w[0] / total, x) * pow(w[1] / total, y) * pow(w[2] / total, z);
        const double got = seen[x * (balls + 1) + y];
        if (expected == 0) CHECK(got == 0);
        if (expected < 10) continue;
        chi += (got - expected) * (got - expected) / expected;
        df++;
        rest -= expected;
        rest_seen -= got;
      }
    }
    if (rest >= 5) chi += (rest_seen - rest) * (rest_seen - rest) / rest, df++;
    CHECK(chi < chi_limit(df));
    free(seen);
  }
}

/* Counts and sums of counts of a tree that no enumeration reaches are binomial. */
static void test_tree(void)
{
  static const double totals[] = {50, 3000, 1e6, 1e9, 3e12};
  enum { CELLS = 37, DRAWS = 20000 };
  for (size_t t = 0; t < sizeof totals / sizeof *totals; t++) {
    double sums[2 * CELLS], splits[2 * CELLS], counts[2 * CELLS], weight[CELLS], total = 0, odd = 0;
    double *x = malloc(DRAWS * sizeof *x), *y = malloc(DRAWS * sizeof *y), *z = malloc(DRAWS * sizeof *z);
    for (int i = 0; i < CELLS; i++) {
      weight[i] = i == 5 ? 0 : i % 9 == 0 ? 1e-7 : pow(i + 1.0, -1.2);
      total += sums[CELLS + i] = weight[i];
      if (i % 2) odd += weight[i];
    }
    candor_tree_start(CELLS, sums, splits);
    generator g;
    start(&g, 31 + t);
    for (int r = 0; r < DRAWS; r++) {
      memset(counts, 0, sizeof counts);
      counts[1] = totals[t];
      CHECK(candor_tree_draw(&g.draw, CELLS, sums, splits, counts) == CANDOR_OK);
      double sum = 0;
      y[r] = 0;
      for (int i = 0; i < CELLS; i++) sum += counts[CELLS + i], y[r] += i % 2 ? counts[CELLS + i] : 0;
      CHECK(sum == totals[t] && counts[CELLS + 5] == 0);
      x[r] = counts[CELLS + 36];
      z[r] = counts[CELLS + 1];
    }
    if (totals[t] < 1e10) {
      CHECK(fits_binomial(x, DRAWS, totals[t], weight[36] / total));
      CHECK(fits_binomial(y, DRAWS, totals[t], odd / total));
      CHECK(fits_binomial(z, DRAWS, totals[t], weight[1] / total));
    }
    free(x), free(y), free(z);
  }
}

/* Counts that leave a double few digits after the point: as many leaves are odd as even, and a leaf of mean 3 beside
 * one that takes the rest is Poisson, but for 1e-9. */
static void test_tree_of_large_counts(void)
{
  enum { CELLS = 32, DRAWS = 100000, VALUES = 12 };
  for (int bits = 33; bits <= 53; bits += 2) {
    double sums[2 * CELLS], splits[2 * CELLS], counts[2 * CELLS];
    const double n = ldexp(1, bits) - 1;
    generator g;
    start(&g, 51 + (uint64_t) bits);
    for (size_t i = 0; i < CELLS; i++) sums[CELLS + i] = i % 2 ? 1.3 : 1;
    candor_tree_start(CELLS, sums, splits);
    double odd = 0;
    for (int r = 0; r < DRAWS; r++) {
      memset(counts, 0, sizeof counts);
      counts[1] = n;
      CHECK(candor_tree_draw(&g.draw, CELLS, sums, splits, counts) == CANDOR_OK);
      for (size_t i = 0; i < CELLS; i++) odd += fmod(counts[CELLS + i], 2);
    }
    /* Within 5 standard errors; all leaves of a draw but one are free. */
    CHECK_NEAR(odd / ((double) DRAWS * CELLS), 0.5, 2.5 / sqrt((double) DRAWS * (CELLS - 1)));

    memset(sums, 0, sizeof sums);
    sums[CELLS] = 1;
    sums[CELLS + 1] = 3 / n;
    candor_tree_start(CELLS, sums, splits);
    double seen[VALUES + 1] = {0}, p = exp(-3), rest = 1, chi = 0;
    for (int r = 0; r < DRAWS; r++) {
      memset(counts, 0, sizeof counts);
      counts[1] = n;
      CHECK(candor_tree_draw(&g.draw, CELLS, sums, splits, counts) == CANDOR_OK);
      CHECK(counts[CELLS] + counts[CELLS + 1] == n);
      seen[counts[CELLS + 1] < VALUES ? (size_t) counts[CELLS + 1] : VALUES]++;
    }
    for (int k = 0; k <= VALUES; k++) {
      const double expected = DRAWS * (k < VALUES ? p : rest);
      chi += (seen[k] - expected) * (seen[k] - expected) / expected;
      rest -= p;
      p *= 3.0 / (k + 1);
    }
    CHECK(chi < chi_limit(VALUES));
  }
}

/* A generator that fails is said so. */
static candor_status fail(void *state, uint32_t *words, size_t n)
{
  (void) state, (void) words, (void) n;
  return CANDOR_GENERATOR;
}

static void test_failure(void)
{
  double sums[8] = {0, 0, 0, 0, 1, 2, 3, 4}, splits[8], counts[8] = {0, 1e6}, value;
  const candor_random random = {fail, NULL};
  candor_draw draw;
  candor_draw_start(&draw, &random);
  candor_tree_start(4, sums, splits);
  CHECK(candor_tree_draw(&draw, 4, sums, splits, counts) == CANDOR_GENERATOR);
  double ends[4], begin[4];
  candor_draw_start(&draw, &random);
  candor_pick_start(4, sums + 4, ends, begin);
  CHECK(candor_pick_draw(&draw, 4, ends, begin, 3, counts) == CANDOR_GENERATOR);
  candor_draw_start(&draw, &random);
  CHECK(candor_draw_binomial(&draw, 5, 0.5, &value) == CANDOR_GENERATOR);
  CHECK(candor_draw_binomial(&draw, 500, 0.5, &value) == CANDOR_GENERATOR);
}

/* ---- thresholds, one by one ---- */

/* Uniform numbers as they are set, the last one again and again. */
typedef struct numbers {
  double value[4];
  size_t next;
  int low;
} numbers;

static candor_status set_numbers(void *state, uint32_t *words, size_t n)
{
  numbers *s = state;
  for (size_t i = 0; i < n; i++, s->low = !s->low) {
    const uint64_t cell = (uint64_t) (s->value[s->next] * 4503599627370496.0);
    words[i] = (uint32_t) (s->low ? cell & 0x3ffffff : cell >> 26) << 6;
    if (s->low && s->next < 3) s->next++;
  }
  return CANDOR_OK;
}

static double drawn(double n, double p, double first, double second, double rest)
{
  numbers state = {{first, second, rest, rest}, 0, 0};
  const candor_random random = {set_numbers, &state};
  candor_draw draw;
  double value = -1;
  candor_draw_start(&draw, &random);
  CHECK(candor_draw_binomial(&draw, n, p, &value) == CANDOR_OK);
  return value;
}

static long double log_chance(double n, double p, double k)
{
  return lgammal(n + 1.0L) - lgammal(k + 1.0L) - lgammal(n - k + 1.0L) + k * logl(p) +
         (n - k) * log1pl(-(long double) p);
}

/* Which second numbers are accepted says how likely k is, relative to the mode: found by bisection. */
static void test_acceptance(double n, double p, double tolerance)
{
  const candor_hat hat = candor_hat_of(n, p);
  /* A number that is taken at once, and the value that it gives. */
  const double taken = 0.4 * hat.sure, usual = drawn(n, p, taken, taken, taken);
  CHECK(fabs(usual - hat.mode) <= 5 + 2 * hat.b);
  const double offsets[] = {-60, -45, -43, -41, -40, -39, -20, -7, -2, -1, 1, 2, 7, 20, 39, 40, 41, 60, 120, 400};
  for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
    const double k = hat.mode + offsets[o];
    const long double ratio = expl(log_chance(n, p, k) - log_chance(n, p, hat.mode));
    if (k < 0 || k > n || k == usual || ratio < 1e-13L) continue;
    double low = -0.5, high = 0.5;
    for (int step = 0; step < 60; step++) {
      const double u = 0.5 * (low + high);
      if ((2.0 * hat.a / (0.5 - fabs(u)) + hat.b) * u + hat.shift < offsets[o] + 0.5) low = u;
      else high = u;
    }
    /* The cell of 2^-52 that the number falls into is proposed. */
    const double u = (floor((low + 0.5) * 0x1p52) + 0.5) * 0x1p-52 - 0.5, slope = candor_hat_slope(&hat, 0.5 - fabs(u));
    const double exact = (double) ratio * slope / hat.alpha;
    if (exact > hat.sure && exact < 1) {
      /* The first number decides, the second proposes. */
      double yes = hat.sure, no = 1;
      for (int step = 0; step < 52; step++) {
        const double v = 0.5 * (yes + no);
        if (drawn(n, p, v, u + 0.5, taken) == k) yes = v;
        else no = v;
      }
      CHECK_NEAR(yes / exact, 1, tolerance);
    } else if (exact < hat.sure && fabs(u) > 0.5 - INNER) {
      /* Near an end the first number proposes as well, and the second decides. */
      const double inner = u < 0 ? u + 0.5 : u - 0.5 + 2 * INNER, first = (inner + 1 - 2 * INNER) * hat.sure;
      double yes = 0, no = 1;
      for (int step = 0; step < 60; step++) {
        const double v = step < 30 ? sqrt(fmax(yes, 1e-18) * no) : 0.5 * (yes + no);
        if (drawn(n, p, first, v, taken) == k) yes = v;
        else no = v;
      }
      const double cells = 4 * 0x1p-52 / (exact / hat.sure), edge = 1e-9; /* `first` is rounded beside an end */
      CHECK_NEAR(yes * hat.sure / exact, 1, tolerance + cells + edge / (0.5 - fabs(u)));
    }
  }
}

/* Few successes: where one value gives way to the next is the distribution function. */
static void test_search(double n, double p)
{
  long double below = 0;
  for (double k = 0; k < n && k < 30; k++) {
    below += expl(log_chance(n, p, k));
    if (below > 1 - 1e-9L) break;
    double yes = 0, no = 1;
    for (int step = 0; step < 52; step++) {
      const double u = 0.5 * (yes + no);
      if (drawn(n, p, u, u, u) <= k) yes = u;
      else no = u;
    }
    CHECK_NEAR(yes, (double) below, 1e-12);
  }
}

static void test_ends(void)
{
  generator g;
  double value = -1;
  start(&g, 31);
  CHECK(candor_draw_binomial(&g.draw, 0, 0.5, &value) == CANDOR_OK && value == 0);
  CHECK(candor_draw_binomial(&g.draw, 1e6, 0, &value) == CANDOR_OK && value == 0);
  CHECK(candor_draw_binomial(&g.draw, 1e6, 1, &value) == CANDOR_OK && value == 1e6);
  CHECK(candor_draw_binomial(&g.draw, 9007199254740992.0, 1, &value) == CANDOR_OK && value == 9007199254740992.0);
  CHECK(candor_draw_binomial(&g.draw, 9007199254740994.0, 1, &value) == CANDOR_DOMAIN);
  CHECK(candor_draw_binomial(&g.draw, 10, -0.1, &value) == CANDOR_DOMAIN);
  CHECK(candor_draw_binomial(&g.draw, NAN, 0.5, &value) == CANDOR_DOMAIN);
  /* Of two weights, one 0: all or none. */
  CHECK(candor_draw_first(&g.draw, 7, 0, 2, &value) == CANDOR_OK && value == 0);
  CHECK(candor_draw_first(&g.draw, 7, 2, 0, &value) == CANDOR_OK && value == 7);
  /* A half and a half: a number below it gives the first value, and the failures of the heavier are counted. */
  CHECK(drawn(1, 0.5, 0.49, 0, 0) == 0 && drawn(1, 0.5, 0.51, 0, 0) == 1);
  CHECK(drawn(1, 0.75, 0.74, 0, 0) == 1 && drawn(1, 0.75, 0.76, 0, 0) == 0);
}

int main(void)
{
  test_bounds();
  test_binomial();
  test_multinomial_exhaustively(0);
  test_multinomial_exhaustively(1);
  test_tree();
  test_tree_of_large_counts();
  test_failure();
  test_ends();
  test_search(5, 0.3);
  test_search(30, 0.3);
  test_search(1e6, 9.9e-6);
  test_search(3, 0.9 / 2);
  test_acceptance(1e6, 55e-6, 1e-6);
  test_acceptance(2000, 0.03, 1e-6);
  test_acceptance(400, 0.25, 1e-6);
  test_acceptance(120, 0.5, 1e-6);
  test_acceptance(1e4, 1e-3, 1e-6);
  test_acceptance(1e5, 0.3, 1e-6);
  test_acceptance(1e7, 0.45, 1e-5);
  return check_report();
}
