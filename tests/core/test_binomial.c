/* The hat's equations and bounds by search over the binomials it must cover, and draws against exact distributions. */
#include <stdlib.h>
#include <string.h>

#include "binomial.h"
#include "binomial_hat.h"
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

static double log_hat(double z)
{
  const double r = fabs(z);
  return r <= edge[1] ? -0.5 * r * r : -0.5 * edge[1] * edge[1] - TAIL_RATE * (r - edge[1]);
}

/* The probabilities come from the ratios of neighbours, and their sum is 1. */
static void check_hat(double n, double p)
{
  const double mean = n * p, s = sqrt(n * p * (1 - p)), width = s + WIDER;
  const double low = floor(fmax(0, mean - 12 * s)), high = fmin(n, ceil(mean + 15 * s + 60));
  const size_t values = (size_t) (high - low) + 1;
  double *log_f = malloc(values * sizeof *log_f), total = 0;
  const size_t mode = (size_t) (floor((n + 1) * p) - low);
  log_f[mode] = 0;
  for (size_t v = mode; v + 1 < values; v++) {
    const double k = low + (double) v;
    log_f[v + 1] = log_f[v] + log((n - k) / (k + 1) * (p / (1 - p)));
  }
  for (size_t v = mode; v > 0; v--) {
    const double k = low + (double) v;
    log_f[v - 1] = log_f[v] - log((n - k + 1) / k * (p / (1 - p)));
  }
  for (size_t v = 0; v < values; v++) total += exp(log_f[v]);
  int below = 1, above = 1, cubic = 1;
  for (size_t v = 0; v < values; v++) {
    const double k = low + (double) v, log_t = log_f[v] - log(total) + log(s) + 0.91893853320467274178;
    const double left = (k - mean - 0.5) / width, right = (k + 1 - mean - 0.5) / width;
    /* The hat's lowest points over the step from k to k + 1 are its ends. */
    below &= log_t <= log1p(HIGHER / s) + fmin(log_hat(left), log_hat(right));
    for (int part = 0; part <= 8; part++) {
      const double z = left + (right - left) * part / 8, r = fabs(z);
      if (r <= edge[1]) above &= log_t - log1p(HIGHER / s) >= -0.5 * (r * r + slack(r, s) / s);
    }
    cubic &= fabs(log_t - log_cubic((k - mean) / s, p, s)) <= cubic_error((k - mean) / s, s);
  }
  if (!below || !above || !cubic) fprintf(stderr, "n %g p %g: hat %d slack %d cubic %d\n", n, p, below, above, cubic);
  CHECK(below && above && cubic);
  free(log_f);
}

static void test_hat(void)
{
  /* Where slack() holds at |z| it holds for every r above, because it grows with r. */
  for (double r = 0.01; r < edge[1]; r += 0.01) CHECK(slack(r, 5) > slack(r - 0.01, 5));
  static const double p[] = {1e-8, 1e-4, 0.01, 0.03, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.48, 0.5};
  for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
    for (double mean = 10; mean < 2e5; mean *= mean < 600 ? 1.013 : mean < 3000 ? 1.05 : 1.6) {
      const double n = ceil(mean / p[i]);
      if (n < 1e10) check_hat(n, p[i]);
    }
  }
  /* Between whole n the mean moves within its step: probabilities that put it everywhere. */
  for (double part = 0; part < 1; part += 0.02) {
    for (double mean = 10; mean < 500; mean *= 1.35) {
      const double n = ceil(2.3 * mean), wanted = floor(mean) + part;
      check_hat(1e6, wanted * 1e-6);
      check_hat(n, wanted < 0.5 * n ? wanted / n : 0.5);
    }
  }
}

static void test_binomial(void)
{
  static const double cases[][2] = {
    {1, 0.3}, {5, 0.5}, {40, 0.01}, {30, 0.32}, {33, 0.31}, {25, 0.97}, {100, 0.1}, {100, 0.5}, {1000, 0.37},
    {1000, 0.9}, {1e5, 1e-4}, {1e5, 2e-4}, {1e6, 0.25}, {1e9, 2e-8}, {1e9, 1e-6}, {1e12, 3e-10},
    /* just above where rejection begins; the deviations 5 and 10, where its squeezes do and change; p near 1; large n */
    {20, 0.5}, {1e6, 1.01e-5}, {1e6, 2.49e-5}, {1e6, 2.51e-5}, {99, 0.5}, {101, 0.5}, {399, 0.5}, {401, 0.5}, {1e6, 1.01e-4},
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
    double sums[6], share[3], log_rest[3], counts[6];
    uint32_t lighter[3];
    candor_tree tree = {0, share, log_rest, lighter};
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
    double sums[2 * CELLS], share[CELLS], log_rest[CELLS], counts[2 * CELLS], weight[CELLS], total = 0, odd = 0;
    double *x = malloc(DRAWS * sizeof *x), *y = malloc(DRAWS * sizeof *y), *z = malloc(DRAWS * sizeof *z);
    uint32_t lighter[CELLS];
    candor_tree tree = {0, share, log_rest, lighter};
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

/* A generator that fails is said so. */
static candor_status fail(void *state, uint32_t *words, size_t n)
{
  (void) state, (void) words, (void) n;
  return CANDOR_GENERATOR;
}

static void test_failure(void)
{
  double sums[8] = {0, 0, 0, 0, 1, 2, 3, 4}, share[4], log_rest[4], counts[8] = {0, 1e6}, value;
  uint32_t lighter[4];
  candor_tree tree = {0, share, log_rest, lighter};
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
  test_hat();
  test_binomial();
  test_tree_exhaustively();
  test_tree();
  test_failure();
  return check_report();
}
