/* The equations of the layers, the bounds of the proposals by search over the binomials they must cover, and draws against exact distributions. */
#include <stdlib.h>
#include <string.h>

#include "binomial.h"
#include "binomial_proposal.h"
#include "check.h"
#include "draws.h"

/* Layers of equal area that end at height 1. */
static void test_layers(void)
{
  const double foot = exp(-0.5 * edge[1] * edge[1]);
  const double area = edge[1] * foot + foot / TAIL_RATE;
  CHECK_NEAR(edge[0] * foot, area, 1e-15);
  double height = foot;
  for (int i = 1; i < LAYERS; i++) {
    CHECK_NEAR(height, exp(-0.5 * edge[i] * edge[i]), 1e-14);
    height += area / edge[i];
  }
  CHECK_NEAR(height, 1.0, 1e-13);
  CHECK(edge[LAYERS] == 0.0);
}

/* The curve of each layer against its chord. */
static void test_chords(void)
{
  int good = 1;
  for (int i = 1; i < LAYERS; i++) {
    const double inner = edge[i + 1], outer = edge[i], height = exp(-0.5 * inner * inner) - exp(-0.5 * outer * outer);
    for (double part = 0; part <= 1; part += 1.0 / 64) {
      const double z = outer + part * (inner - outer), curve = (exp(-0.5 * z * z) - exp(-0.5 * outer * outer)) / height;
      good &= fabs(curve - part) <= chord_error(inner, outer);
    }
  }
  CHECK(good);
  CHECK(chord_error(1, 1.01) < 0.003);
}

static long double above(long double z)
{
  return 0.5L * erfcl(z * 0.707106781186547524400844362104849039L);
}

/* Solves bend(z) = distance by the schoolbook formula, in more digits than the core has. */
static long double solve_bend(long double distance, long double s, long double skew)
{
  const long double half = 3 * s / skew, c = 1 + 6 * distance / skew;
  if (skew == 0) return distance / s;
  if (half * half + c <= 0) return -half;
  /* Which cancels where the skewness is small. */
  return c / (half + sqrtl(half * half + c));
}

/* The bounds, for every value of a binomial: HIGHER where it is proposed at all, doubt() at the place in |z| <= edge[1]
 * where it is least. The binomial's probabilities come from the ratios of neighbours, and their sum is 1. */
static void check_bounds(double n, double p)
{
  const long double mean = (long double) n * p, variance = mean * (1 - (long double) p), s = sqrtl(variance);
  const long double skew = 1 - 2 * (long double) p, odds = p / (1 - (long double) p);
  if (variance < LEAST_VARIANCE) return;
  const double low = floor(fmax(0, (double) (mean - 14 * s))), high = fmin(n, ceil((double) (mean + 16 * s + 60)));
  const size_t values = (size_t) (high - low) + 1;
  long double *log_f = malloc(values * sizeof *log_f), total = 0;
  const size_t mode = (size_t) (fmin(floor((n + 1) * p), high) - low);
  log_f[mode] = 0;
  for (size_t v = mode; v + 1 < values; v++) {
    const long double k = low + (double) v;
    log_f[v + 1] = log_f[v] + logl((n - k) / (k + 1) * odds);
  }
  for (size_t v = mode; v > 0; v--) {
    const long double k = low + (double) v;
    log_f[v - 1] = log_f[v] - logl((n - k + 1) / k * odds);
  }
  for (size_t v = 0; v < values; v++) total += expl(log_f[v]);
  int higher = 1, sure = 1;
  /* One step more on either side, of numbers that have no probability if they are -1 or n + 1. */
  for (double k = low - 1; k <= high + 1; k++) {
    const long double from = solve_bend(k - 0.5L - mean, s, skew), to = solve_bend(k + 0.5L - mean, s, skew);
    const long double proposed = from >= to ? 0 : to < 0 ? above(-to) - above(-from) : above(from) - above(to);
    const int possible = k >= low && k <= high;
    const long double log_p = possible ? log_f[(size_t) (k - low)] - logl(total) : -INFINITY;
    if (possible && log_p > -11000) higher &= proposed > 0 && log_p - logl(proposed) <= HIGHER / variance;
    const double least = from * to < 0 ? 0 : (double) fminl(fabsl(from), fabsl(to));
    if (proposed == 0 || least > edge[1] || k < 0 || (k > high && k <= n) || (k < low && k >= 0)) continue;
    const long double accepted = possible ? expl(log_p - logl(proposed) - HIGHER / variance) : 0;
    sure &= 1 - doubt(least) / variance <= accepted;
  }
  if (!higher || !sure) fprintf(stderr, "n %g p %g: higher %d sure %d\n", n, p, higher, sure);
  CHECK(higher && sure);
  free(log_f);
}

static void test_bounds(void)
{
  /* All small numbers of trials. */
  for (double n = 8; n < 120; n++) {
    for (double p = 0.5; n * p * (1 - p) >= LEAST_VARIANCE; p -= 0.004) check_bounds(n, p);
  }
  static const double p[] = {1e-9, 1e-6, 1e-4, 0.01, 0.03, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.48, 0.5};
  for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
    for (double variance = LEAST_VARIANCE; variance < 3e4; variance *= variance < 30 ? 1.01 : variance < 600 ? 1.04 : 1.7) {
      check_bounds(ceil(variance / (p[i] * (1 - p[i]))), p[i]);
    }
  }
  /* Between whole n the mean moves within its step: probabilities that put it everywhere. */
  for (double part = 0; part < 1; part += 0.02) {
    for (double mean = 2; mean < 500; mean *= 1.25) {
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
  static const double cases[][2] = {
    {1, 0.3}, {5, 0.5}, {40, 0.01}, {30, 0.32}, {33, 0.31}, {25, 0.97}, {100, 0.1}, {100, 0.5}, {1000, 0.37},
    {1000, 0.9}, {1e5, 1e-4}, {1e5, 2e-4}, {1e6, 0.25}, {1e9, 2e-8}, {1e9, 1e-6}, {1e12, 3e-10},
    /* around the variance 2, from which on numbers are proposed, and 1e4, where their probability gets another form; p near
     * 1; large n */
    {7, 0.5}, {8, 0.5}, {9, 0.5}, {1e6, 1.99e-6}, {1e6, 2.01e-6}, {1e6, 3e-6}, {12, 0.25}, {20, 0.5}, {1e6, 1.01e-5},
    {101, 0.5}, {401, 0.5}, {39999, 0.5}, {40001, 0.5}, {1e6, 1.01e-2}, {1e6, 1.02e-2}, {1e6, 1.01e-4},
    {1e6, 1 - 3e-5}, {1e9, 1 - 2e-7}, {1e9, 1e-4}, {1e9, 0.5}, {1e9, 0.02}, {4e9, 0.3}
  };
  const size_t draws = 200000;
  double *x = malloc(draws * sizeof *x);
  generator g;
  start(&g, 1);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    int good = 1;
    for (size_t i = 0; i < draws; i++) {
      good &= candor_draw_binomial(&g.draw, cases[c][0], cases[c][1], &x[i]) == CANDOR_OK;
    }
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

/* All outcomes of small multinomials. */
static void test_tree_exhaustively(void)
{
  static const double cases[][4] = {{0.5, 0.3, 0.2, 6}, {0.9, 0.05, 0.05, 10}, {0.01, 0.0, 0.99, 12}, {1, 1, 1, 60}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double sums[6], first[3], second[3], counts[6];
    candor_tree tree = {0, first, second};
    const double *w = cases[c], total = w[0] + w[1] + w[2], n = w[3];
    const int balls = (int) n, draws = 300000;
    memcpy(sums + 3, w, 3 * sizeof *w);
    candor_tree_plan(&tree, 3, sums);
    double *seen = calloc((size_t) ((balls + 1) * (balls + 1)), sizeof *seen), chi = 0, df = -1, rest = draws, rest_seen = draws;
    generator g;
    start(&g, 21 + c);
    for (int r = 0; r < draws; r++) {
      counts[1] = n;
      CHECK(candor_tree_draw(&tree, &g.draw, counts) == CANDOR_OK);
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
    double sums[2 * CELLS], first[CELLS], second[CELLS], counts[2 * CELLS], weight[CELLS], total = 0, odd = 0;
    double *x = malloc(DRAWS * sizeof *x), *y = malloc(DRAWS * sizeof *y), *z = malloc(DRAWS * sizeof *z);
    candor_tree tree = {0, first, second};
    for (int i = 0; i < CELLS; i++) {
      weight[i] = i == 5 ? 0 : i % 9 == 0 ? 1e-7 : pow(i + 1.0, -1.2);
      total += sums[CELLS + i] = weight[i];
      if (i % 2) odd += weight[i];
    }
    candor_tree_plan(&tree, CELLS, sums);
    generator g;
    start(&g, 31 + t);
    for (int r = 0; r < DRAWS; r++) {
      counts[1] = totals[t];
      CHECK(candor_tree_draw(&tree, &g.draw, counts) == CANDOR_OK);
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
    double sums[2 * CELLS], first[CELLS], second[CELLS], counts[2 * CELLS];
    candor_tree tree = {0, first, second};
    const double n = ldexp(1, bits) - 1;
    generator g;
    start(&g, 51 + (uint64_t) bits);
    for (size_t i = 0; i < CELLS; i++) sums[CELLS + i] = i % 2 ? 1.3 : 1;
    candor_tree_plan(&tree, CELLS, sums);
    double odd = 0;
    for (int r = 0; r < DRAWS; r++) {
      counts[1] = n;
      CHECK(candor_tree_draw(&tree, &g.draw, counts) == CANDOR_OK);
      for (size_t i = 0; i < CELLS; i++) odd += fmod(counts[CELLS + i], 2);
    }
    /* Within 5 standard errors; all leaves of a draw but one are free. */
    CHECK_NEAR(odd / ((double) DRAWS * CELLS), 0.5, 2.5 / sqrt((double) DRAWS * (CELLS - 1)));

    memset(sums, 0, sizeof sums);
    sums[CELLS] = 1;
    sums[CELLS + 1] = 3 / n;
    candor_tree_plan(&tree, CELLS, sums);
    double seen[VALUES + 1] = {0}, p = exp(-3), rest = 1, chi = 0;
    for (int r = 0; r < DRAWS; r++) {
      counts[1] = n;
      CHECK(candor_tree_draw(&tree, &g.draw, counts) == CANDOR_OK);
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
  double sums[8] = {0, 0, 0, 0, 1, 2, 3, 4}, first[4], second[4], counts[8] = {0, 1e6}, value;
  candor_tree tree = {0, first, second};
  const candor_random random = {fail, NULL};
  candor_draw draw;
  candor_draw_start(&draw, &random);
  candor_tree_plan(&tree, 4, sums);
  CHECK(candor_tree_draw(&tree, &draw, counts) == CANDOR_GENERATOR);
  candor_draw_start(&draw, &random);
  CHECK(candor_draw_binomial(&draw, 5, 0.5, &value) == CANDOR_GENERATOR || draw.status == CANDOR_GENERATOR);
}

int main(void)
{
  test_layers();
  test_chords();
  test_bounds();
  test_binomial();
  test_tree_exhaustively();
  test_tree();
  test_tree_of_large_counts();
  test_failure();
  return check_report();
}
