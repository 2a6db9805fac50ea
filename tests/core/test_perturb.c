/* Exactness is checked in 128-bit integers, not in doubles: a probability on the grid is an integer number of
 * units of 2^-64, a double is mantissa * 2^exponent.
 *
 * The chi-square tests run on a fixed key, so they either always pass or always fail. Each would reject a
 * correct sampler with probability 1e-6 under a random key; there are about 40 of them. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "respond/chacha20.h"
#include "respond/perturb.h"

typedef unsigned __int128 wide;

static wide units(candor_grid g)
{
  return ((wide) g.high << 32) + g.low;
}

static const wide ONE = (wide) 1 << 64;

static int bit_length(wide x)
{
  int n = 0;
  for (; x > 0; x >>= 1) n++;
  return n;
}

/* Compares u * 2^-64 (u <= 2^97) with times * x exactly: -1, 0, 1. */
static int compare(wide u, double x, uint32_t times)
{
  if (x == 0 || u == 0) return (u > 0) - (x > 0);
  int e;
  const double fraction = frexp(x, &e);
  const wide m = (wide) ldexp(fraction, 53) * times; /* times * x = m * 2^(e - 53) */
  const int shift = e - 53 + 64;                     /* times * x in units = m * 2^shift */
  wide left = u, right = m;
  if (shift >= 0) {
    if (bit_length(m) + shift > 127) return -1;
    right <<= shift;
  } else {
    if (bit_length(u) - shift > 127) return 1;
    left <<= -shift;
  }
  return left < right ? -1 : left > right;
}

/* most / least <= high / low, in integers. */
static int ratio_holds(wide most, wide least, double high, double low)
{
  int eh, el;
  const wide mh = (wide) ldexp(frexp(high, &eh), 53), ml = (wide) ldexp(frexp(low, &el), 53);
  const int shift = eh - el;                       /* >= 0 since high >= low */
  const wide left = most * ml, right = least * mh; /* at most 65 + 53 bits */
  return bit_length(right) + shift > 127 || left <= right << shift;
}

/* ---- generators ------------------------------------------------------------------------------------ */

static candor_chacha20 stream;
static const candor_random secure = {candor_chacha20_fill, &stream};

static void seed(uint32_t number)
{
  const uint32_t key[8] = {number, 20, 26, 3, 141, 59, 26, 5}, nonce[2] = {0, 0};
  candor_chacha20_start(&stream, key, nonce, 0);
}

static double uniform(void)
{
  uint32_t w[2];
  candor_chacha20_fill(&stream, w, 2);
  return ((double) w[0] + (double) w[1] / 4294967296.0) / 4294967296.0;
}

typedef struct script {
  const uint32_t *words;
  size_t left;
} script;

static candor_status scripted(void *state, uint32_t *words, size_t n)
{
  script *s = state;
  if (n > s->left) return CANDOR_GENERATOR;
  memcpy(words, s->words, n * sizeof *words);
  s->words += n;
  s->left -= n;
  return CANDOR_OK;
}

/* ---- the grid -------------------------------------------------------------------------------------- */

static void grid_is_exact(void)
{
  const double x[] = {0,
                      1,
                      0.5,
                      0.75,
                      0.1,
                      1e-12,
                      1e-18,
                      5e-20,
                      5.421010862427522e-20,
                      1e-300,
                      DBL_MIN,
                      4.9e-324,
                      1 - DBL_EPSILON / 2,
                      1.0 / 3};
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
    const wide down = units(candor_grid_floor(x[i])), up = units(candor_grid_ceiling(x[i]));
    CHECK(compare(down, x[i], 1) <= 0 && compare(down + 1, x[i], 1) > 0);
    CHECK(compare(up, x[i], 1) >= 0 && (up == 0 || compare(up - 1, x[i], 1) < 0));
    CHECK_NEAR(candor_grid_value(candor_grid_floor(x[i])), x[i], 1e-16 * x[i] + 5.5e-20);
  }
  CHECK(units(candor_grid_one) == ONE);
  CHECK(units(candor_grid_down(1, 1e-30)) == ONE - 1);
  CHECK(units(candor_grid_down(1, 0)) == ONE);
  CHECK(units(candor_grid_up(0, 1)) == 0);
  CHECK(units(candor_grid_up(1e-30, 1)) == 1);
}

/* ---- achieved epsilon ------------------------------------------------------------------------------ */

static const double epsilons[] = {1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 1,  2,   3,   5,
                                  10,    20,   30,   36,   37,  40,  50, 100, 700, 800};
enum { EPSILONS = sizeof epsilons / sizeof *epsilons };

/* Long double carries 64 bits here, ten more than the margin that the plan leaves. */
static void grr_epsilon(void)
{
  const size_t sizes[] = {2, 3, 10, 1000, 41270, 1000000, 2147483647u};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (int i = 0; i < EPSILONS; i++) {
      candor_perturb_plan plan;
      CHECK(candor_plan_grr_epsilon(sizes[s], epsilons[i], &plan) == CANDOR_OK);
      CHECK(plan.kind == CANDOR_PERTURB_ALL);
      const wide keep = units(plan.chance);
      CHECK(keep < ONE);
      const long double k = (long double) sizes[s], eps = epsilons[i];
      const long double achieved = log1pl(k * (long double) keep / (long double) (ONE - keep));
      CHECK(achieved <= eps);
      /* ... and is not wasteful: the next grid point but one, and the margin, exceed it. */
      const long double z = expl(-eps), d = -expm1l(-eps) / (1 + (k - 1) * z), noise = k * z / (1 + (k - 1) * z);
      const long double lost =
          d < 0.5L ? d - ldexpl((long double) keep, -64) : ldexpl((long double) (ONE - keep), -64) - noise;
      CHECK(lost >= 0 && lost <= ldexpl(d < 0.5L ? d : noise, -48) + ldexpl(1, -63));
      CHECK_NEAR(candor_plan_epsilon(&plan, NULL), (double) achieved, 1e-15 * (double) (1 + achieved));
    }
  }
  candor_perturb_plan plan;
  CHECK(candor_plan_grr_epsilon(5, INFINITY, &plan) == CANDOR_OK && units(plan.chance) == ONE);
  CHECK(candor_plan_grr_epsilon(5, 0, &plan) == CANDOR_OK && units(plan.chance) == 0);
  CHECK(candor_plan_grr_epsilon(5, -1, &plan) == CANDOR_DOMAIN);
  CHECK(candor_plan_grr_epsilon(1, 1, &plan) == CANDOR_DOMAIN);
  CHECK(candor_plan_grr_epsilon(5, NAN, &plan) == CANDOR_NOT_FINITE);
}

static void grr_from_probabilities(void)
{
  candor_perturb_plan plan;
  CHECK(candor_plan_grr(2, 0.75, 0.25, 0.5, &plan) == CANDOR_OK && units(plan.chance) == ONE / 2);
  CHECK(candor_plan_grr(4, 1, 0, 1, &plan) == CANDOR_OK && units(plan.chance) == ONE);
  CHECK(candor_plan_grr(4, 0, 1.0 / 3, -1.0 / 3, &plan) == CANDOR_OK);
  CHECK(plan.kind == CANDOR_PERTURB_OTHERS && units(plan.chance) == 0);
  CHECK(candor_plan_grr(4, 0.25, 0.25, 0, &plan) == CANDOR_OK);
  CHECK(plan.kind == CANDOR_PERTURB_ALL && units(plan.chance) == 0);
  seed(1);
  for (int i = 0; i < 2000; i++) {
    const uint32_t k = (uint32_t) (2 + i % 50);
    const double p = uniform() / k * (i % 3 == 0 ? 1e-15 : 1), q = (1 - p) / (k - 1);
    CHECK(candor_plan_grr(k, p, q, p - q, &plan) == CANDOR_OK && plan.kind == CANDOR_PERTURB_OTHERS);
    const wide keep = units(plan.chance);
    CHECK(compare(keep, p, 1) >= 0 && keep * k <= ONE);
    const double p2 = (1 + (k - 1) * uniform()) / k, q2 = (1 - p2) / (k - 1), d2 = (k * p2 - 1) / (k - 1);
    if (d2 > 0) {
      CHECK(candor_plan_grr(k, p2, q2, d2, &plan) == CANDOR_OK && plan.kind == CANDOR_PERTURB_ALL);
      const wide keep2 = units(plan.chance);
      CHECK(d2 <= k * q2 ? compare(keep2, d2, 1) <= 0 : compare(ONE - keep2, q2, k) >= 0);
    }
  }
  CHECK(candor_plan_grr(2, NAN, 0, 1, &plan) == CANDOR_NOT_FINITE);
  CHECK(candor_plan_grr(2, 1.5, 0, 1, &plan) == CANDOR_DOMAIN);
  CHECK(candor_plan_grr(2, 0.3, 0.7, 0.4, &plan) == CANDOR_DOMAIN);
  CHECK(candor_plan_grr((size_t) 1 << 40, 0.3, 0.1, 0.2, &plan) == CANDOR_DOMAIN);
}

/* yes[1] : yes[0] and (1 - yes[0]) : (1 - yes[1]) against the nominal pairs, both ways round. */
static void binary_epsilon(void)
{
  seed(2);
  for (int i = 0; i < 4000; i++) {
    double z = i < EPSILONS ? exp(-epsilons[i]) : pow(10, -25 * uniform());
    double p_no = z / (1 + z), p = 1 / (1 + z), q = p_no, q_no = p;
    if (i % 4 == 3) {
      q = pow(10, -22 * uniform());
      q_no = 1 - q;
    }
    if (i % 4 == 2) { /* the mirror */
      const double swap = p, swap_no = p_no;
      p = q, p_no = q_no, q = swap, q_no = swap_no;
    }
    candor_perturb_plan plan;
    CHECK(candor_plan_binary(p, p_no, q, q_no, &plan) == CANDOR_OK);
    const wide yes = units(plan.yes[1]), no = units(plan.yes[0]);
    const int above = p > q || (p == q && p_no < q_no);
    const wide big = above ? yes : no, small = above ? no : yes;
    const double hi = above ? p : q, hi_c = above ? p_no : q_no, lo = above ? q : p, lo_c = above ? q_no : p_no;
    CHECK(big >= small && (big < ONE || hi_c == 0) && (small > 0 || lo == 0 || big == 0));
    if (big > small) {
      CHECK(hi <= hi_c ? compare(big, hi, 1) <= 0 : compare(ONE - big, hi_c, 1) >= 0);
      CHECK(lo <= lo_c ? compare(small, lo, 1) >= 0 : compare(ONE - small, lo_c, 1) <= 0);
    }
  }
  candor_perturb_plan plan;
  CHECK(candor_plan_binary(1, 0, 0, 1, &plan) == CANDOR_OK && units(plan.yes[1]) == ONE && units(plan.yes[0]) == 0);
  CHECK(candor_plan_binary(0, 1, 1, 0, &plan) == CANDOR_OK && units(plan.yes[1]) == 0 && units(plan.yes[0]) == ONE);
  CHECK(candor_plan_binary(0.8, 0.2, 0.3, 0.7, &plan) == CANDOR_OK);
  CHECK_NEAR(candor_grid_value(plan.yes[1]), 0.8, 1e-16);
  CHECK_NEAR(candor_grid_value(plan.yes[0]), 0.3, 1e-16);
  CHECK(candor_plan_binary(0.8, 0.3, 0.3, 0.7, &plan) == CANDOR_DOMAIN);
  CHECK(candor_plan_binary(0.8, NAN, 0.3, 0.7, &plan) == CANDOR_NOT_FINITE);
  CHECK(candor_plan_binary(-0.2, 1.2, 0.3, 0.7, &plan) == CANDOR_DOMAIN);
}

static void innocuous_epsilon(void)
{
  enum { MOST = 60 };
  double b[MOST];
  candor_grid truth, other[MOST];
  seed(3);
  for (int i = 0; i < 3000; i++) {
    const size_t n = 1 + (size_t) (uniform() * (MOST - 1));
    const double a = i % 5 == 0 ? pow(10, -20 * uniform()) : uniform();
    double sum = 0;
    for (size_t y = 0; y < n; y++) {
      b[y] = (y + (size_t) i) % 7 == 3 ? 0 : pow(uniform(), i % 3 == 0 ? 12 : 1) + 1e-300;
      sum += b[y];
    }
    if (sum == 0) b[0] = sum = 1;
    for (size_t y = 0; y < n; y++) b[y] *= (1 - a) / sum;
    CHECK(candor_quantize_innocuous(n, a, b, &truth, other) == CANDOR_OK);
    wide total = units(truth);
    CHECK(compare(units(truth), a, 1) <= 0);
    for (size_t y = 0; y < n; y++) {
      CHECK(b[y] == 0 ? units(other[y]) == 0 : units(truth) == 0 || compare(units(other[y]), b[y], 1) >= 0);
      CHECK_NEAR(candor_grid_value(other[y]), b[y], 1e-14);
      total += units(other[y]);
    }
    CHECK(total == ONE);
  }
  const double certain[2] = {0, 0}, bad[2] = {0.4, 0.4}, none[2] = {NAN, 1};
  CHECK(candor_quantize_innocuous(2, 1, certain, &truth, other) == CANDOR_OK && units(truth) == ONE);
  CHECK(candor_quantize_innocuous(2, 0.5, bad, &truth, other) == CANDOR_DOMAIN);
  CHECK(candor_quantize_innocuous(2, 0, none, &truth, other) == CANDOR_NOT_FINITE);
  CHECK(candor_quantize_innocuous(0, 1, certain, &truth, other) == CANDOR_DOMAIN);
}

enum { ROWS = 9, COLUMNS = 11 };

static void check_channel(size_t rows, size_t columns, const double *c, double off)
{
  static candor_grid out[ROWS * COLUMNS], bound[2 * COLUMNS];
  static double work[2 * COLUMNS];
  CHECK(candor_quantize_channel(rows, columns, c, work, bound, out) == CANDOR_OK);
  int sums = 1, zeros = 1, ratios = 1;
  double distance = 0;
  for (size_t x = 0; x < rows; x++) {
    wide total = 0;
    for (size_t y = 0; y < columns; y++) {
      const wide u = units(out[x * columns + y]);
      total += u;
      zeros &= c[x + y * rows] > 0 || u == 0;
      distance = fmax(distance, fabs(candor_grid_value(out[x * columns + y]) - c[x + y * rows]));
    }
    sums &= total == ONE;
  }
  for (size_t y = 0; y < columns; y++) {
    double low = 2, high = -1;
    wide least = ONE, most = 0;
    for (size_t x = 0; x < rows; x++) {
      const wide u = units(out[x * columns + y]);
      low = fmin(low, c[x + y * rows]);
      high = fmax(high, c[x + y * rows]);
      least = u < least ? u : least;
      most = u > most ? u : most;
    }
    ratios &= low == 0 || (least == 0 && most == 0) || ratio_holds(most, least, high, low);
  }
  CHECK(sums && zeros && ratios);
  CHECK(distance <= off);
}

static void channel_epsilon(void)
{
  static double c[ROWS * COLUMNS];
  seed(4);
  for (int i = 0; i < 6000; i++) {
    const size_t rows = 1 + (size_t) (uniform() * ROWS), columns = 1 + (size_t) (uniform() * COLUMNS);
    const double small = pow(10, -18 * uniform());
    const int kind = i % 7;
    double base[COLUMNS];
    for (size_t y = 0; y < columns; y++) base[y] = pow(uniform(), 3) + 1e-3;
    for (size_t x = 0; x < rows; x++) {
      double sum = 0;
      for (size_t y = 0; y < columns; y++) {
        double value = uniform();
        if (kind == 1 || kind == 6) /* rows nearly the same */
          value = base[y] * (1 + small * value);
        else if (kind == 2) /* all rows the same */ value = base[y];
        else if (kind == 3) /* wild magnitudes */ value = pow(10, -40 * value);
        else if (kind == 4) /* zeros */ value = value < 0.4 && y != x % columns ? 0 : value;
        else if (kind == 5) /* geometric, as a truncated two-sided law */
          value = exp(-fmin(small * 1e6, 50) * fabs((double) x - (double) y));
        if (kind == 6 && y == 0 && columns > 1) value = 0; /* beside a report that nobody gives */
        c[x + y * rows] = value;
        sum += value;
      }
      for (size_t y = 0; y < columns; y++) c[x + y * rows] /= sum;
    }
    check_channel(rows, columns, c, 2e-14);
  }
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, edge[4] = {1 - DBL_EPSILON / 2, 0.5, 0, 0.5},
               below[4] = {0.5, 0.5, 0.5 - DBL_EPSILON, 0.5 - DBL_EPSILON}, bad[2] = {0.5, 0.4},
               negative[2] = {-0.5, 1.5}, nan[2] = {NAN, 1};
  check_channel(3, 3, identity, 0);
  check_channel(2, 2, edge, 2e-14);
  check_channel(2, 2, below, 2e-14);
  candor_grid out[4], bound[4];
  double work[4];
  CHECK(candor_quantize_channel(1, 2, bad, work, bound, out) == CANDOR_DOMAIN);
  CHECK(candor_quantize_channel(1, 2, negative, work, bound, out) == CANDOR_DOMAIN);
  CHECK(candor_quantize_channel(1, 2, nan, work, bound, out) == CANDOR_NOT_FINITE);
  CHECK(candor_quantize_channel(0, 2, bad, work, bound, out) == CANDOR_DOMAIN);
}

/* ---- the tables hold what was asked for ------------------------------------------------------------- */

static void check_table(const candor_alias_cell *cells, unsigned bits, uint32_t first, const candor_grid *weights,
                        size_t n)
{
  const size_t size = (size_t) 1 << bits;
  wide *mass = calloc(size, sizeof *mass);
  const wide capacity = ONE >> bits;
  int right = 1;
  for (size_t i = 0; i < size; i++) {
    const wide below = cells[i].cut - (wide) i * capacity;
    right &= below < capacity;
    if (cells[i].below - first < size && cells[i].above - first < size) {
      mass[cells[i].below - first] += below;
      mass[cells[i].above - first] += capacity - below;
    } else {
      right = 0;
    }
  }
  for (size_t i = 0; i < size; i++) right &= mass[i] == (i < n ? units(weights[i]) : 0);
  CHECK(right);
  free(mass);
}

static void tables_are_exact(void)
{
  enum { BITS = 7, SIZE = 1 << BITS };
  static candor_alias_cell cells[SIZE];
  static candor_grid truth, other[SIZE], weights[SIZE], all[SIZE];
  static uint32_t stack[SIZE];
  double b[SIZE];
  const candor_table_memory memory = {weights, stack, cells};
  CHECK(candor_plan_bits(1) == 1 && candor_plan_bits(2) == 1 && candor_plan_bits(3) == 2);
  CHECK(candor_plan_bits(1024) == 10 && candor_plan_bits(1025) == 11);
  CHECK(candor_plan_bits(((size_t) 1 << 30) + 1) == 0);
  seed(5);
  for (int i = 0; i < 500; i++) {
    const size_t n = 1 + (size_t) (uniform() * (SIZE - 2));
    const double a = i % 10 == 0 ? 0 : i % 10 == 1 ? 1 : uniform();
    double sum = 0;
    for (size_t y = 0; y < n; y++) {
      b[y] = pow(uniform(), i % 9);
      sum += b[y];
    }
    for (size_t y = 0; y < n; y++) b[y] *= (1 - a) / sum;
    candor_perturb_plan plan;
    CHECK(candor_plan_innocuous(n, a, b, &memory, &truth, other, &plan) == CANDOR_OK);
    all[0] = truth;
    memcpy(all + 1, other, n * sizeof *other);
    check_table(cells, plan.bits, 0, all, n + 1);
    CHECK(candor_plan_channel(1, n + 1, all, &memory, &plan) == CANDOR_OK);
    check_table(cells, plan.bits, 1, all, n + 1);
    all[0] = candor_grid_add(all[0], candor_grid_one);
    CHECK(candor_plan_channel(1, n + 1, all, &memory, &plan) == CANDOR_DOMAIN);
  }
}

/* ---- thresholds: which 64-bit number gives which report --------------------------------------------- */

static int one_report(const candor_perturb_plan *plan, int truth, const uint32_t *words, size_t n, size_t *used)
{
  static candor_perturb_run_state state;
  script s = {words, n};
  const candor_random random = {scripted, &s};
  int report = -1;
  state.done = 0;
  CHECK(candor_perturb_run(plan, &truth, 1, 1, &random, &state, &report) == CANDOR_OK);
  *used = n - s.left;
  return report;
}

static void ties_are_settled_exactly(void)
{
  candor_perturb_plan plan;
  size_t used;
  CHECK(candor_plan_binary(0.5 + ldexp(1, -40), 0.5 - ldexp(1, -40), 0.25, 0.75, &plan) == CANDOR_OK);
  const uint32_t at = 0x80000000u, low = (uint32_t) 1 << 24; /* p = 1/2 + 2^-40: low digit 2^24 */
  const uint32_t below[2] = {at - 1, 0}, tie_below[2] = {at, low - 1}, tie[2] = {at, low}, above[2] = {at + 1, 0};
  CHECK(one_report(&plan, 2, below, 2, &used) == 2 && used == 1);
  CHECK(one_report(&plan, 2, tie_below, 2, &used) == 2 && used == 2);
  CHECK(one_report(&plan, 2, tie, 2, &used) == 1 && used == 2);
  CHECK(one_report(&plan, 2, above, 2, &used) == 1 && used == 1);

  CHECK(candor_plan_grr(4, 0.625, 0.125, 0.5, &plan) == CANDOR_OK);
  plan.chance.low = 7;
  const uint32_t keep[3] = {at, 6, 0}, give[3] = {at, 7, 0xffffffffu}, give_first[3] = {at, 8, 0};
  CHECK(one_report(&plan, 2, keep, 3, &used) == 2 && used == 2);
  CHECK(one_report(&plan, 2, give, 3, &used) == 4 && used == 3);
  CHECK(one_report(&plan, 2, give_first, 3, &used) == 1 && used == 3);
  CHECK(candor_plan_grr(4, 0, 1.0 / 3, -1.0 / 3, &plan) == CANDOR_OK);
  for (uint32_t third = 0; third < 3; third++) { /* never the truth, each other level once */
    for (int truth = 1; truth <= 4; truth++) {
      const uint32_t words[2] = {1, 0x55555556u * third + 1};
      const int expected = (int) third + 1 >= truth ? (int) third + 2 : (int) third + 1;
      CHECK(one_report(&plan, truth, words, 2, &used) == expected && used == 2);
    }
  }
}

/* ---- distribution ----------------------------------------------------------------------------------- */

/* Upper 1e-6 quantile of chi-square (Wilson and Hilferty 1931; within 1 % here, on the safe side for the
 * few-degree cases). */
static double chi_square_bound(double df)
{
  const double h = 2 / (9 * df), root = 1 - h + 4.7534 * sqrt(h);
  return 1.02 * df * root * root * root;
}

/* expected[(x - 1) * reports + y - 1]; a report of probability 0 must never be seen. */
static void check_distribution(const candor_perturb_plan *plan, const double *expected)
{
  enum { N = 200000 };
  static int truth[N], report[N];
  static candor_perturb_run_state state;
  for (uint32_t x = 1; x <= plan->truths; x++) {
    static double count[1000];
    memset(count, 0, sizeof count);
    for (int i = 0; i < N; i++) truth[i] = (int) x;
    state.done = 0;
    candor_status status;
    while ((status = candor_perturb_run(plan, truth, N, 5000, &secure, &state, report)) == CANDOR_AGAIN) {
    }
    CHECK(status == CANDOR_OK && state.done == N);
    int inside = 1;
    for (int i = 0; i < N; i++) {
      inside &= report[i] >= 1 && report[i] <= (int) plan->reports;
      if (report[i] >= 1 && report[i] <= (int) plan->reports) count[report[i] - 1]++;
    }
    CHECK(inside);
    double chi = 0, df = -1;
    for (uint32_t y = 0; y < plan->reports; y++) {
      const double e = N * expected[(x - 1) * plan->reports + y];
      if (e == 0) {
        CHECK(count[y] == 0);
      } else {
        chi += (count[y] - e) * (count[y] - e) / e;
        df++;
      }
    }
    CHECK(df < 1 || chi <= chi_square_bound(df));
    if (df >= 1 && chi > chi_square_bound(df))
      printf("kind %d truth %u: chi-square %g, df %g\n", (int) plan->kind, x, chi, df);
  }
}

static void distribution(void)
{
  candor_perturb_plan plan;
  double c[81];
  const double p[] = {0.6, 0.05, 0, 1};
  seed(6);
  for (int t = 0; t < 4; t++) {
    const double q = (1 - p[t]) / 4;
    for (int i = 0; i < 25; i++) c[i] = i % 6 == 0 ? p[t] : q;
    CHECK(candor_plan_grr(5, p[t], q, p[t] - q, &plan) == CANDOR_OK);
    check_distribution(&plan, c);
  }
  const double pair[4] = {0.7, 0.3, 0.15, 0.85}, mirror[4] = {0.2, 0.8, 0.9, 0.1};
  CHECK(candor_plan_binary(0.85, 0.15, 0.3, 0.7, &plan) == CANDOR_OK);
  check_distribution(&plan, pair);
  CHECK(candor_plan_binary(0.1, 0.9, 0.8, 0.2, &plan) == CANDOR_OK);
  check_distribution(&plan, mirror);

  candor_grid truth, other[9], weights[16], achieved[81], bound[18];
  uint32_t stack[16];
  candor_alias_cell cells[9 * 16];
  const candor_table_memory memory = {weights, stack, cells};
  double work[18];
  const double b[6] = {0.1, 0, 0.05, 0.2, 0.02, 0.03};
  for (int x = 0; x < 6; x++)
    for (int y = 0; y < 6; y++) c[6 * x + y] = b[y] + (x == y ? 0.6 : 0);
  CHECK(candor_plan_innocuous(6, 0.6, b, &memory, &truth, other, &plan) == CANDOR_OK);
  check_distribution(&plan, c);

  double channel[81];
  for (int x = 0; x < 9; x++) {
    double sum = 0;
    for (int y = 0; y < 9; y++) {
      c[9 * x + y] = abs(x - y) > 6 ? 0 : exp(-0.7 * abs(x - y));
      sum += c[9 * x + y];
    }
    for (int y = 0; y < 9; y++) {
      c[9 * x + y] /= sum;
      channel[x + 9 * y] = c[9 * x + y];
    }
  }
  CHECK(candor_quantize_channel(9, 9, channel, work, bound, achieved) == CANDOR_OK);
  CHECK(candor_plan_channel(9, 9, achieved, &memory, &plan) == CANDOR_OK);
  check_distribution(&plan, c);
  CHECK(isinf(candor_plan_epsilon(&plan, achieved)));
}

/* Closed forms by hand. */
static void epsilon_of_each_kind(void)
{
  candor_perturb_plan plan;
  candor_grid achieved[7], bound[6], weights[8];
  uint32_t stack[8];
  candor_alias_cell cells[16];
  const candor_table_memory memory = {weights, stack, cells};
  double work[6];
  CHECK(candor_plan_grr(4, 0.625, 0.125, 0.5, &plan) == CANDOR_OK);
  CHECK_NEAR(candor_plan_epsilon(&plan, NULL), log(5), 1e-15);
  CHECK(candor_plan_grr(4, 0.125, 0.875 / 3, 0.125 - 0.875 / 3, &plan) == CANDOR_OK);
  CHECK_NEAR(candor_plan_epsilon(&plan, NULL), log(7.0 / 3), 1e-15);
  CHECK(candor_plan_grr(4, 0, 1.0 / 3, -1.0 / 3, &plan) == CANDOR_OK && isinf(candor_plan_epsilon(&plan, NULL)));
  CHECK(candor_plan_grr(4, 0.25, 0.25, 0, &plan) == CANDOR_OK && candor_plan_epsilon(&plan, NULL) == 0);
  CHECK(candor_plan_binary(0.75, 0.25, 0.5, 0.5, &plan) == CANDOR_OK);
  CHECK_NEAR(candor_plan_epsilon(&plan, NULL), log(2), 1e-15);
  CHECK(candor_plan_binary(0.25, 0.75, 1, 0, &plan) == CANDOR_OK && isinf(candor_plan_epsilon(&plan, NULL)));
  const double b[3] = {0.125, 0.25, 0.125};
  CHECK(candor_plan_innocuous(3, 0.5, b, &memory, achieved, achieved + 1, &plan) == CANDOR_OK);
  CHECK_NEAR(candor_plan_epsilon(&plan, achieved), log(5), 1e-15);
  const double c[6] = {0.5, 0.125, 0.25, 0.375, 0.25, 0.5};
  CHECK(candor_quantize_channel(2, 3, c, work, bound, achieved) == CANDOR_OK);
  CHECK(candor_plan_channel(2, 3, achieved, &memory, &plan) == CANDOR_OK);
  CHECK_NEAR(candor_plan_epsilon(&plan, achieved), log(4), 1e-15);
}

/* ---- failures and resumption ------------------------------------------------------------------------ */

static void failures(void)
{
  enum { N = 3000 };
  static int truth[N], report[N], again[N];
  static uint32_t zeros[N];
  static candor_perturb_run_state state;
  candor_perturb_plan plan;
  CHECK(candor_plan_grr(3, 0.5, 0.25, 0.25, &plan) == CANDOR_OK);
  for (int i = 0; i < N; i++) truth[i] = 1 + i % 3;
  const int strays[] = {0, 4, -2147483647 - 1, -1};
  for (int s = 0; s < 4; s++) {
    truth[2100] = strays[s];
    seed(7);
    state.done = 0;
    CHECK(candor_perturb_run(&plan, truth, N, N, &secure, &state, report) == CANDOR_DOMAIN);
    CHECK(state.done == 2100);
  }
  truth[2100] = 1;
  for (size_t words = 0; words < N; words += 500) {
    script s = {zeros, words};
    const candor_random failing = {scripted, &s};
    state.done = 0;
    CHECK(candor_perturb_run(&plan, truth, N, N, &failing, &state, report) == CANDOR_GENERATOR);
  }
  seed(8);
  state.done = 0;
  CHECK(candor_perturb_run(&plan, truth, N, N, &secure, &state, report) == CANDOR_OK);
  seed(8);
  state.done = 0;
  candor_status status;
  int calls = 0;
  while ((status = candor_perturb_run(&plan, truth, N, CANDOR_PERTURB_CHUNK, &secure, &state, again)) == CANDOR_AGAIN)
    calls++;
  CHECK(status == CANDOR_OK && calls == 2);
  CHECK(memcmp(report, again, sizeof report) == 0); /* steps in whole chunks change nothing */
  /* Codes from another first value: the same draws, moved; in place. */
  const int firsts[] = {0, -2147483647, 2147483645};
  for (int f = 0; f < 3; f++) {
    for (int i = 0; i < N; i++) again[i] = truth[i] - 1 + firsts[f];
    plan.first = firsts[f];
    seed(8);
    state.done = 0;
    CHECK(candor_perturb_run(&plan, again, N, N, &secure, &state, again) == CANDOR_OK);
    int same = 1;
    for (int i = 0; i < N; i++) same &= again[i] == report[i] - 1 + firsts[f];
    CHECK(same);
    CHECK(candor_perturb_stray(firsts[f], 3, again, N) == N);
    CHECK(candor_perturb_stray(firsts[f], 3, again, 0) == 0);
    const int last = again[N - 1];
    again[N - 1] = -2147483647 - 1; /* a missing value of R, in a later chunk */
    CHECK(candor_perturb_stray(firsts[f], 3, again, N) == N - 1);
    again[N - 1] = last;
    for (int s = 0; s < 2; s++) {
      again[5] = s == 0 ? -2147483647 - 1 : firsts[f] > 0 ? firsts[f] - 1 : firsts[f] + 3;
      state.done = 0;
      CHECK(candor_perturb_run(&plan, again, N, N, &secure, &state, again) == CANDOR_DOMAIN && state.done == 5);
      CHECK(candor_perturb_stray(firsts[f], 3, again, N) == 5 && candor_perturb_stray(firsts[f], 3, again, 5) == 5);
      again[5] = firsts[f];
    }
  }
  plan.first = 2147483646;
  state.done = 0;
  CHECK(candor_perturb_run(&plan, truth, N, N, &secure, &state, again) == CANDOR_DOMAIN && state.done == 0);
  plan.first = 1;
  CHECK(candor_perturb_run(&plan, truth, 0, 10, &secure, &state, report) == CANDOR_OK);
}

/* Every bound of what makes a plan; at the bound there is one. */
static void bounds_of_plans(void)
{
  candor_perturb_plan plan;
  const struct {
    size_t levels;
    double p, q, d;
    candor_status status;
  } grr[] = {{2, 0, 1, -1, CANDOR_OK},
             {1, 1, 0, 1, CANDOR_DOMAIN},
             {2147483647u, 1, 0, 1, CANDOR_OK},
             {2147483648u, 1, 0, 1, CANDOR_DOMAIN},
             {2, -0.1, 1, -1, CANDOR_DOMAIN},
             {2, 1, -0.1, 1, CANDOR_DOMAIN},
             {2, 0, 1.1, -1, CANDOR_DOMAIN},
             {2, 1, 0, 1.1, CANDOR_DOMAIN},
             {2, 0, 1, -1.1, CANDOR_DOMAIN},
             {2, 0.7, 0.3, -0.4, CANDOR_DOMAIN},
             {2, 0.5, 0.5, 0.1, CANDOR_OK},
             {2, 0.5, 0.5, -0.1, CANDOR_OK},
             {2, 0.5, NAN, 0.1, CANDOR_NOT_FINITE},
             {2, 0.5, 0.5, NAN, CANDOR_NOT_FINITE}};
  for (size_t k = 0; k < sizeof grr / sizeof *grr; k++)
    CHECK(candor_plan_grr(grr[k].levels, grr[k].p, grr[k].q, grr[k].d, &plan) == grr[k].status);
  const double good[4] = {0.75, 0.25, 0.5, 0.5}, bad[] = {-0.25, 1.25, NAN};
  for (int k = 0; k < 4; k++) {
    for (int b = 0; b < 3; b++) {
      double v[4] = {good[0], good[1], good[2], good[3]};
      v[k] = bad[b];
      CHECK(candor_plan_binary(v[0], v[1], v[2], v[3], &plan) == (b == 2 ? CANDOR_NOT_FINITE : CANDOR_DOMAIN));
    }
    for (int side = -1; side <= 1; side += 2) {
      double v[4] = {good[0], good[1], good[2], good[3]};
      v[k] += side * 0.9e-9;
      CHECK(candor_plan_binary(v[0], v[1], v[2], v[3], &plan) == CANDOR_OK);
      v[k] += side * 0.2e-9;
      CHECK(candor_plan_binary(v[0], v[1], v[2], v[3], &plan) == CANDOR_DOMAIN);
    }
  }
  CHECK(candor_plan_grr_epsilon(2, 0, &plan) == CANDOR_OK && plan.truths == 2 && plan.reports == 2);
  CHECK(plan.first == 1 && plan.bits == 0 && plan.cells == NULL); /* no table */
  CHECK(candor_plan_bits((size_t) 1 << 30) == 30);
  /* Channels: sizes, a row that lacks one unit, and the second of two rows. */
  candor_grid row[4] = {
      {(uint64_t) 1 << 31, 0}, {(uint64_t) 1 << 31, 0}, {(uint64_t) 1 << 31, 0}, {(uint64_t) 1 << 31, 0}};
  candor_grid weights[2];
  uint32_t stack[2];
  candor_alias_cell cells[4];
  const candor_table_memory memory = {weights, stack, cells};
  CHECK(candor_plan_channel(2, 2, row, &memory, &plan) == CANDOR_OK && plan.truths == 2 && plan.reports == 2);
  CHECK(candor_plan_channel(0, 2, row, &memory, &plan) == CANDOR_DOMAIN);
  CHECK(candor_plan_channel(2, 0, row, &memory, &plan) == CANDOR_DOMAIN);
  CHECK(candor_plan_channel(1, ((size_t) 1 << 30) + 1, row, &memory, &plan) == CANDOR_DOMAIN);
  row[3] = (candor_grid){((uint64_t) 1 << 31) - 1, 0xffffffffu};
  CHECK(candor_plan_channel(2, 2, row, &memory, &plan) == CANDOR_DOMAIN);
  CHECK(candor_plan_channel(1, 2, row, &memory, &plan) == CANDOR_OK);
}

/* Rows whose doubles miss 1 on either side: the tolerance, and who takes what is missing or left. */
static void rows_off_one(void)
{
  candor_grid truth, other[3], bound[6], out[6];
  double work[6];
  const struct {
    double a, b[2];
    candor_status status;
  } cases[] = {{0.5, {0.25, 0.25 + 0.9e-9}, CANDOR_OK},     {0.5, {0.25, 0.25 - 0.9e-9}, CANDOR_OK},
               {0.5, {0.25, 0.25 + 1.1e-9}, CANDOR_DOMAIN}, {0.5, {0.25, 0.25 - 1.1e-9}, CANDOR_DOMAIN},
               {-0.1, {0.5, 0.6}, CANDOR_DOMAIN},           {1.1, {0, 0}, CANDOR_DOMAIN},
               {0.5, {-0.1, 0.6}, CANDOR_DOMAIN},           {0, {0, 1.1}, CANDOR_DOMAIN},
               {NAN, {0.5, 0.5}, CANDOR_NOT_FINITE},        {0, {0, 1}, CANDOR_OK},
               {0, {0.5, 0.5 + 0.5e-9}, CANDOR_OK},         {0.9e-9, {0.5, 0.5}, CANDOR_OK}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    CHECK(candor_quantize_innocuous(2, cases[k].a, cases[k].b, &truth, other) == cases[k].status);
    if (cases[k].status != CANDOR_OK) continue;
    CHECK(units(truth) + units(other[0]) + units(other[1]) == ONE);
    CHECK(compare(units(truth), cases[k].a, 1) <= 0);
    for (int y = 0; y < 2; y++) CHECK((units(other[y]) == 0) == (cases[k].b[y] == 0));
  }
  /* Two rows of sums a little off in the same direction: ratios hold, sums are one. */
  for (int side = -1; side <= 1; side += 2) {
    const double e = side * 0.9e-9, c[6] = {0.5 + e, 0.25, 0.25, 0.25 + e, 0.25, 0.5};
    check_channel(2, 3, c, 1e-9);
    /* In opposite directions, on rows that are otherwise the same: one law for both. */
    const double opposite[4] = {0.5 + e, 0.5 - e, 0.5, 0.5};
    CHECK(candor_quantize_channel(2, 2, opposite, work, bound, out) == CANDOR_OK);
    CHECK(units(out[0]) == units(out[2]) && units(out[1]) == units(out[3]) && units(out[0]) + units(out[1]) == ONE);
  }
  const double beyond[2] = {0.5, 0.5 + 1.1e-9}, far[2] = {1.1, -0.1};
  CHECK(candor_quantize_channel(1, 2, beyond, work, bound, out) == CANDOR_DOMAIN);
  CHECK(candor_quantize_channel(1, 2, far, work, bound, out) == CANDOR_DOMAIN);
  CHECK(candor_quantize_channel(1, 0, far, work, bound, out) == CANDOR_DOMAIN);
}

/* Ratios and differences of grid points against the integers that they stand for. */
static void grid_arithmetic(void)
{
  seed(12);
  for (int i = 0; i < 2000; i++) {
    const uint32_t draw[5] = {(uint32_t) (uniform() * 4294967296.0), (uint32_t) (uniform() * 4294967296.0),
                              (uint32_t) (uniform() * 4294967296.0), (uint32_t) (uniform() * 4294967296.0),
                              (uint32_t) (uniform() * 1e6)};
    candor_grid x = {draw[0], draw[1]}, y = {i % 3 ? draw[2] : draw[0], draw[3]};
    const wide u = units(x), v = units(y);
    CHECK(candor_grid_less(x, y) == (u < v));
    CHECK(units(candor_grid_add(x, y)) == u + v);
    CHECK(units(candor_grid_multiple(x, draw[4])) == u * draw[4]);
    if (u >= v) CHECK(units(candor_grid_subtract(x, y)) == u - v);
    const double ratio = u > v ? (double) logl((long double) u / (long double) v) : 0;
    CHECK_NEAR(candor_grid_log_ratio(x, y), ratio, 1e-12 * ratio + 1e-15);
    CHECK_NEAR(candor_grid_value(x), (double) ((long double) u / 18446744073709551616.0L), 2.3e-16);
  }
  CHECK(candor_grid_log_ratio(candor_grid_zero, candor_grid_zero) == 0);
  CHECK(isinf(candor_grid_log_ratio(candor_grid_one, candor_grid_zero)));
}

/* Rounded down within its column's range; what a row lacks of 1 goes to the largest entry that can take it. */
static void remainders(void)
{
  seed(13);
  int rows_seen = 0;
  for (int round = 0; round < 500; round++) {
    enum { R = 3, C = 4 };
    double c[R * C], work[2 * C];
    candor_grid out[R * C], bound[2 * C];
    wide low[C], high[C], entries[R][C];
    for (int x = 0; x < R; x++) {
      double sum = 0;
      for (int y = 0; y < C; y++) sum += c[x + y * R] = 0.2 + uniform();
      for (int y = 0; y < C; y++) c[x + y * R] /= sum;
    }
    int fits = 1;
    for (int y = 0; y < C; y++) {
      const double least = fmin(fmin(c[y * R], c[1 + y * R]), c[2 + y * R]);
      const double most = fmax(fmax(c[y * R], c[1 + y * R]), c[2 + y * R]);
      low[y] = units(candor_grid_ceiling(least)), high[y] = units(candor_grid_floor(most));
    }
    for (int x = 0; x < R; x++) {
      wide bottoms = 0, tops = 0, sum = 0;
      for (int y = 0; y < C; y++) {
        const wide floored = units(candor_grid_floor(c[x + y * R]));
        entries[x][y] = floored < low[y] ? low[y] : floored > high[y] ? high[y] : floored;
        bottoms += low[y], tops += high[y], sum += entries[x][y];
      }
      fits &= bottoms <= ONE && tops >= ONE;
      const wide lack = sum < ONE ? ONE - sum : sum - ONE;
      int taker = -1;
      for (int y = 0; y < C; y++) {
        const wide space = sum < ONE ? high[y] - entries[x][y] : entries[x][y] - low[y];
        if (space >= lack && (taker < 0 || entries[x][y] > entries[x][taker])) taker = y;
      }
      if (taker < 0) fits = 0; /* nobody alone */
      else if (sum < ONE) entries[x][taker] += lack;
      else entries[x][taker] -= lack;
    }
    if (!fits) continue;
    rows_seen++;
    CHECK(candor_quantize_channel(R, C, c, work, bound, out) == CANDOR_OK);
    int right = 1;
    for (int x = 0; x < R; x++)
      for (int y = 0; y < C; y++) right &= units(out[x * C + y]) == entries[x][y];
    CHECK(right);
  }
  CHECK(rows_seen > 100);
}

int main(void)
{
  grid_is_exact();
  grr_epsilon();
  grr_from_probabilities();
  binary_epsilon();
  innocuous_epsilon();
  channel_epsilon();
  tables_are_exact();
  ties_are_settled_exactly();
  distribution();
  epsilon_of_each_kind();
  failures();
  bounds_of_plans();
  rows_off_one();
  grid_arithmetic();
  remainders();
  return check_report();
}
