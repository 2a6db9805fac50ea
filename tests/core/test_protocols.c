/* Samplers of the protocols. Decisions are checked by enumerating every word that matters; reports against the complete
 * laws of small mechanisms, in the form P(y | x) = a(y) (1 + (E - 1) 1{y supports x}) or by independent bits, and never
 * with a formula of the code under test.
 *
 * The chi-square tests run on a fixed key, so they either always pass or always fail. Each would reject a correct
 * sampler with probability 1e-6 under a random key; there are about 60 of them. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "respond/chacha20.h"
#include "respond/protocols.h"

typedef unsigned __int128 wide;

static wide units(candor_grid g)
{
  return ((wide) g.high << 32) + g.low;
}

static const wide ONE = (wide) 1 << 64;

static candor_chacha20 stream;
static const candor_random secure = {candor_chacha20_fill, &stream};
static candor_words words;

static void seed(uint32_t number)
{
  const uint32_t key[8] = {number, 20, 26, 3, 141, 59, 26, 5}, nonce[2] = {0, 0};
  candor_chacha20_start(&stream, key, nonce, 0);
  candor_words_start(&words, &secure);
}

/* A generator whose first words are given; the rest are 0. */
typedef struct script {
  uint32_t word[64];
} script;

static candor_status scripted(void *state, uint32_t *out, size_t n)
{
  const script *s = state;
  for (size_t i = 0; i < n; i++) out[i] = i < 64 ? s->word[i] : 0;
  return CANDOR_OK;
}

static candor_status failing(void *state, uint32_t *out, size_t n)
{
  (void) state;
  memset(out, 0, n * sizeof *out);
  return CANDOR_GENERATOR;
}

/* ---- decisions ---------------------------------------------------------------------------------------- */

/* Chances of m / 16: all sequences of four digits, in one lane and (inverted) in another. */
static void bits_are_exact(void)
{
  for (uint64_t m = 0; m <= 16; m++) {
    const candor_grid chance = {m << 28, 0};
    int ones[2] = {0, 0};
    for (unsigned digits = 0; digits < 16; digits++) {
      script s = {{0}};
      for (int d = 0; d < 4; d++) {
        const uint32_t bit = digits >> (3 - d) & 1;
        s.word[2 * d] = bit ? 0 : 1u << 31;
        s.word[2 * d + 1] = bit;
      }
      const candor_random random = {scripted, &s};
      uint64_t out = 0;
      candor_words_start(&words, &random);
      CHECK(candor_words_bits(&words, chance, 1 | (uint64_t) 1 << 63, &out) == CANDOR_OK);
      CHECK((out & ~(1 | (uint64_t) 1 << 63)) == 0);
      ones[0] += (int) (out & 1);
      ones[1] += (int) (out >> 63);
      CHECK((out & 1) == (digits < m));
    }
    CHECK(ones[0] == (int) m && ones[1] == (int) m);
  }
}

/* Every sequence of draws of Floyd's method: each subset comes equally often. */
static void subsets_are_exact(void)
{
  enum { N = 6, SIZE = 3 };
  for (uint32_t left_out = 0; left_out <= N; left_out++) {
    const uint32_t numbers = N - (left_out < N);
    int seen[64] = {0}, sequences = 0, different = 0;
    uint32_t draw[SIZE] = {0, 0, 0};
    for (;;) {
      script s = {{0}};
      for (uint32_t d = 0; d < SIZE; d++) {
        const uint32_t bound = numbers - SIZE + d + 1;
        s.word[d] = (uint32_t) ((((uint64_t) draw[d] << 32) + ((uint64_t) 1 << 31)) / bound);
      }
      const candor_random random = {scripted, &s};
      uint64_t set = 0;
      candor_words_start(&words, &random);
      CHECK(candor_words_subset(&words, N, SIZE, left_out, &set) == CANDOR_OK);
      CHECK(set < 64);
      seen[set & 63]++;
      sequences++;
      uint32_t d = 0;
      while (d < SIZE && ++draw[d] == numbers - SIZE + d + 1) draw[d++] = 0;
      if (d == SIZE) break;
    }
    int subsets = 0;
    for (unsigned set = 0; set < 64; set++) {
      const int members = (int) (set & 1) + (int) (set >> 1 & 1) + (int) (set >> 2 & 1) + (int) (set >> 3 & 1) +
                          (int) (set >> 4 & 1) + (int) (set >> 5 & 1);
      const int legal = members == SIZE && !(left_out < N && (set >> left_out & 1));
      subsets += legal;
      different += legal && seen[set] != seen[7 << (left_out < 3 ? 3 : 0)];
      different += !legal && seen[set] != 0;
    }
    CHECK(different == 0);
    CHECK(sequences % subsets == 0);
  }
}

/* Larger sets are made in another way: every number, and every pair, is in as many as the sizes say. */
static void subsets_are_uniform(void)
{
  enum { N = 70, SETS = 40000 };
  static double one[N], pair[N][N];
  const uint32_t sizes[] = {6, 20, 35, 60, 69}, left_out[] = {70, 0, 69, 33, 64};
  seed(9);
  for (int t = 0; t < 5; t++) {
    memset(one, 0, sizeof one);
    memset(pair, 0, sizeof pair);
    int right = 1;
    for (int i = 0; i < SETS; i++) {
      uint64_t set[2] = {0, 0};
      uint32_t list[64 + N], members = 0;
      CHECK(t > 0 || i > 0 || candor_words_subset(&words, 1, 0, 1, set) == CANDOR_OK);
      right &= candor_words_subset(&words, N, sizes[t], left_out[t], set) == CANDOR_OK;
      right &= set[1] >> (N - 64) == 0;
      for (uint32_t v = 0; v < N; v++)
        if (set[v / 64] >> (v % 64) & 1) list[members++] = v;
      right &= members == sizes[t];
      for (uint32_t a = 0; a < members; a++) {
        one[list[a]]++;
        for (uint32_t b = 0; b < a; b++) pair[list[a]][list[b]]++;
      }
    }
    CHECK(right);
    const double n = left_out[t] < N ? N - 1 : N, p = sizes[t] / n, both = p * (sizes[t] - 1) / (n - 1);
    double worst = 0;
    for (uint32_t a = 0; a < N; a++) {
      if (a == left_out[t]) right &= one[a] == 0;
      else if (p < 1) worst = fmax(worst, fabs(one[a] - SETS * p) / sqrt(SETS * p * (1 - p)));
      for (uint32_t b = 0; b < a && p < 1; b++)
        if (a != left_out[t] && b != left_out[t])
          worst = fmax(worst, fabs(pair[a][b] - SETS * both) / sqrt(SETS * both * (1 - both)));
    }
    CHECK(right && worst < 5.5);
  }
}

/* Chances of m / 16384, and of half a step more: lane i of the first word has the digits of i, and its byte is given. Every
 * fifth m has every first and every last byte. */
static void many_bits_are_exact(void)
{
  for (uint64_t m = 0; m < 16384; m += 5) {
    int ones[3] = {0, 0, 0};
    for (uint32_t byte = 0; byte < 256; byte++) {
      script s = {{0}};
      for (uint32_t lane = 0; lane < 64; lane++)
        for (uint32_t d = 0; d < 6; d++) s.word[8 * d + lane / 32] |= (lane >> (5 - d) & 1) << lane % 32;
      s.word[48] = byte;
      for (int more = 0; more < 3; more++) {
        const candor_grid chance = {m << 18 | (more > 0 ? 1u << 17 : 0), 0};
        s.word[49] = s.word[50] = more == 2 ? UINT32_MAX : 0;
        const candor_random random = {scripted, &s};
        uint64_t drawn[4];
        candor_words_start(&words, &random);
        CHECK(candor_words_many_bits(&words, chance, 4, drawn) == CANDOR_OK);
        for (int lane = 0; lane < 64; lane++) ones[more] += (int) (drawn[0] >> lane & 1);
      }
    }
    CHECK(ones[0] == (int) m && ones[1] == (int) m + 1 && ones[2] == (int) m);
  }
  uint64_t drawn[7];
  seed(90);
  CHECK(candor_words_many_bits(&words, candor_grid_one, 7, drawn) == CANDOR_OK);
  for (int w = 0; w < 7; w++) CHECK(drawn[w] == UINT64_MAX);
  CHECK(candor_words_many_bits(&words, candor_grid_zero, 7, drawn) == CANDOR_OK);
  for (int w = 0; w < 7; w++) CHECK(drawn[w] == 0);
}

/* Every lane of six words (four together and two by themselves), and every lane together with its neighbour and with
 * the lane below it: sums of squares of 384 numbers that are nearly normal. The limit is 1 - 1e-6 for 384 of them. */
static void many_bits_are_independent(void)
{
  enum { N = 6, DRAWS = 20000 };
  const double p = 0.3141592653589793, both = p * p;
  static double one[64 * N], beside[64 * N], below[64 * N];
  uint64_t drawn[N];
  seed(91);
  for (int i = 0; i < DRAWS; i++) {
    CHECK(candor_words_many_bits(&words, candor_grid_floor(p), N, drawn) == CANDOR_OK);
    for (int at = 0; at < 64 * N; at++) {
      const uint64_t bit = drawn[at / 64] >> at % 64 & 1;
      one[at] += (double) bit;
      beside[at] += (double) (bit & drawn[(at + 1) % (64 * N) / 64] >> (at + 1) % 64);
      below[at] += (double) (bit & drawn[(at / 64 + 1) % N] >> at % 64);
    }
  }
  double chi[3] = {0, 0, 0};
  for (int at = 0; at < 64 * N; at++) {
    chi[0] += pow(one[at] - DRAWS * p, 2) / (DRAWS * p * (1 - p));
    chi[1] += pow(beside[at] - DRAWS * both, 2) / (DRAWS * both * (1 - both));
    chi[2] += pow(below[at] - DRAWS * both, 2) / (DRAWS * both * (1 - both));
  }
  /* Pairs that share a lane are correlated by p / (1 + p): the variance of their sum of squares is larger by the factor
   * 1 + 2 (p / (1 + p))^2 = 1.11. */
  CHECK(chi[0] < 531 && chi[0] > 262 && chi[1] < 540 && chi[1] > 255 && chi[2] < 540 && chi[2] > 255);
}

/* Against one byte after the other, for all shapes around the squares of eight. */
static void turned_as_bytes(void)
{
  static uint8_t reports[19 * 19], turned[19 * 25];
  for (size_t i = 0; i < sizeof reports; i++) reports[i] = (uint8_t) (i * 151 + i / 7);
  for (size_t n = 1; n <= 19; n++) {
    for (size_t bytes = 1; bytes <= 19; bytes++) {
      int same = 1;
      memset(turned, 0xa5, sizeof turned);
      candor_turn_bits(reports, n, bytes, turned, 25);
      for (size_t b = 0; b < 19; b++)
        for (size_t i = 0; i < 25; i++)
          same &= turned[b * 25 + i] == (b < bytes && i < n ? reports[i * bytes + b] : 0xa5);
      CHECK(same);
    }
  }
}

/* ---- chances ------------------------------------------------------------------------------------------ */

static const double epsilons[] = {1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 1, 2, 3, 5, 10, 20, 30, 36, 40, 50, 100, 700};
enum { EPSILONS = sizeof epsilons / sizeof *epsilons };

/* Long double carries 64 bits here, ten more than the margin that is left. */
static void chances_keep_epsilon(void)
{
  const double factors[] = {2, 3, 10, 3.7, 1e4 / 37, 1 + 1e-9, 1e6, 2147483647.0};
  for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
    for (int e = 0; e < EPSILONS; e++) {
      candor_grid chance;
      CHECK(candor_support_chance(factors[f], epsilons[e], &chance) == CANDOR_OK);
      const wide keep = units(chance);
      CHECK(keep < ONE);
      const long double factor = factors[f], eps = epsilons[e];
      const long double achieved = log1pl(factor * (long double) keep / (long double) (ONE - keep));
      CHECK(achieved <= eps);
      const long double z = expl(-eps), d = -expm1l(-eps) / (-expm1l(-eps) + factor * z);
      const long double noise = factor * z / (-expm1l(-eps) + factor * z);
      const long double lost =
          d < 0.5L ? d - ldexpl((long double) keep, -64) : ldexpl((long double) (ONE - keep), -64) - noise;
      CHECK(lost >= 0 && lost <= ldexpl(d < 0.5L ? d : noise, -48) + ldexpl(1, -63));
      CHECK_NEAR(candor_support_epsilon(factors[f], chance), (double) achieved, 1e-15 * (double) (1 + achieved));
    }
  }
  candor_grid chance;
  /* The odds of a huge factor are no double; log(factor) + log(2^64 - 1) is, 752.9... of the 1e6 asked for. */
  CHECK(candor_support_chance(5e307, 1e6, &chance) == CANDOR_OK && units(chance) == ONE - 1);
  CHECK_NEAR(candor_support_epsilon(5e307, chance), (double) (logl(5e307L) + 64 * logl(2.0L)), 1e-12);
  CHECK(candor_support_chance(5, INFINITY, &chance) == CANDOR_OK && units(chance) == ONE);
  CHECK(candor_support_chance(5, 0, &chance) == CANDOR_OK && units(chance) == 0);
  CHECK(candor_support_chance(5, -1, &chance) == CANDOR_DOMAIN);
  CHECK(candor_support_chance(0.5, 1, &chance) == CANDOR_DOMAIN);
  CHECK(candor_support_chance(INFINITY, 1, &chance) == CANDOR_DOMAIN);
  CHECK(candor_support_chance(NAN, 1, &chance) == CANDOR_NOT_FINITE);
  CHECK(candor_support_chance(2, NAN, &chance) == CANDOR_NOT_FINITE);
}

static long double ratio(wide more, wide less)
{
  return log1pl((long double) (more - less) / (long double) less);
}

static void bit_plans_keep_epsilon(void)
{
  for (int e = 0; e < EPSILONS; e++) {
    for (int optimized = 0; optimized < 2; optimized++) {
      candor_bit_plan plan;
      CHECK(candor_bit_plan_epsilon(epsilons[e], optimized, &plan) == CANDOR_OK);
      const wide own = units(plan.own), other = units(plan.other);
      CHECK(other > 0 && other <= own && (optimized ? own == ONE / 2 : own + other == ONE));
      const long double achieved = ratio(own, other) + ratio(ONE - other, ONE - own);
      CHECK(achieved <= (long double) epsilons[e]);
      /* Nothing is wasted but the margin, as long as the grid is fine beside the smaller probability. */
      CHECK(epsilons[e] > 10 || achieved >= epsilons[e] * (1 - 1e-13L) - ldexpl(1, -58));
      CHECK_NEAR(candor_bit_plan_epsilon_of(&plan), (double) achieved, 1e-14 * (double) (1 + achieved));
    }
  }
  candor_bit_plan plan;
  CHECK(candor_bit_plan_pair(0.75, 0.25, 0.125, 0.875, &plan) == CANDOR_OK);
  CHECK(units(plan.own) == ONE / 4 * 3 && units(plan.other) == ONE / 8);
  CHECK_NEAR(candor_bit_plan_epsilon_of(&plan), log(21), 1e-14);
  CHECK(candor_bit_plan_pair(0.125, 0.875, 0.75, 0.25, &plan) == CANDOR_OK);
  CHECK_NEAR(candor_bit_plan_epsilon_of(&plan), log(21), 1e-14);
  CHECK(candor_bit_plan_pair(0.5, 0.5, 0, 1, &plan) == CANDOR_OK && isinf(candor_bit_plan_epsilon_of(&plan)));
  CHECK(candor_bit_plan_pair(0.1, 0.9, 0.3, 0.7, &plan) == CANDOR_OK);
  CHECK_NEAR(candor_bit_plan_epsilon_of(&plan), log(27.0 / 7), 1e-14);
  CHECK(candor_bit_plan_pair(1.5, 0, 0, 1, &plan) == CANDOR_DOMAIN);
  CHECK(candor_bit_plan_epsilon(-1, 0, &plan) == CANDOR_DOMAIN);
}

/* ---- laws --------------------------------------------------------------------------------------------- */

enum { DRAWS = 200000, MOST = 4096 };
static int truth[DRAWS];
static double count[MOST], expected[MOST];

static double chi_square_bound(double df) /* Wilson and Hilferty's 1 - 1e-6 quantile */
{
  const double z = 4.753424, c = 2 / (9 * df), root = 1 - c + z * sqrt(c);
  return 1.02 * df * root * root * root;
}

/* `expected` are probabilities of `cells`; a report of probability 0 must never be seen. */
static void check_counts(const char *what, size_t cells)
{
  double chi = 0, df = -1, total = 0;
  for (size_t c = 0; c < cells; c++) {
    const double e = DRAWS * expected[c];
    total += expected[c];
    if (expected[c] == 0) {
      CHECK(count[c] == 0);
    } else {
      chi += (count[c] - e) * (count[c] - e) / e;
      df++;
    }
  }
  CHECK_NEAR(total, 1, 1e-12);
  CHECK(chi <= chi_square_bound(df));
  if (chi > chi_square_bound(df)) printf("%s: chi-square %g, df %g\n", what, chi, df);
}

static candor_answers answers_of(int level, int first, uint32_t levels)
{
  for (int i = 0; i < DRAWS; i++) truth[i] = level + first;
  memset(count, 0, sizeof count);
  memset(expected, 0, sizeof expected);
  const candor_answers answers = {truth, DRAWS, first, levels};
  return answers;
}

static void unary_law(void)
{
  enum { K = 10 };
  static uint8_t report[2 * DRAWS];
  const double p[3] = {0.75, 0.5, 0.1}, q[3] = {0.25, 0.2, 0.6};
  seed(1);
  for (int t = 0; t < 3; t++) {
    candor_bit_plan plan;
    CHECK(candor_bit_plan_pair(p[t], 1 - p[t], q[t], 1 - q[t], &plan) == CANDOR_OK);
    for (int x = 0; x < K; x += 3) {
      const candor_answers answers = answers_of(x, 1, K);
      size_t position;
      CHECK(candor_unary_run(&plan, &answers, &words, report, &position) == CANDOR_OK);
      int padded = 1;
      for (int i = 0; i < DRAWS; i++) {
        padded &= report[2 * i + 1] < 4;
        count[report[2 * i] + 256 * (report[2 * i + 1] & 3)]++;
      }
      CHECK(padded);
      for (unsigned y = 0; y < 1 << K; y++) {
        expected[y] = 1;
        for (int v = 0; v < K; v++) {
          const double one = v == x ? p[t] : q[t];
          expected[y] *= y >> v & 1 ? one : 1 - one;
        }
      }
      check_counts("unary", 1 << K);
    }
  }
}

/* (truth bit, report bit) of every place of 70 categories: a bit that is never cleared, or words that are used twice,
 * would show. */
static void unary_two_by_two(void)
{
  enum { K = 70, BYTES = 9, N = 20000 };
  static uint8_t report[BYTES * N];
  candor_bit_plan plan;
  seed(2);
  CHECK(candor_bit_plan_epsilon(1, 1, &plan) == CANDOR_OK);
  const double p = 0.5, q = 1 / (exp(1) + 1);
  for (int i = 0; i < N; i++) truth[i] = i % K;
  const candor_answers answers = {truth, N, 0, K};
  size_t position;
  CHECK(candor_unary_run(&plan, &answers, &words, report, &position) == CANDOR_OK);
  double worst = 0;
  for (int v = 0; v < K; v++) {
    double own = 0, holders = 0, other = 0;
    for (int i = 0; i < N; i++) {
      const int bit = report[BYTES * i + v / 8] >> (v % 8) & 1;
      holders += truth[i] == v;
      own += truth[i] == v && bit;
      other += truth[i] != v && bit;
    }
    worst = fmax(worst, fabs(own - holders * p) / sqrt(holders * p * (1 - p)));
    worst = fmax(worst, fabs(other - (N - holders) * q) / sqrt((N - holders) * q * (1 - q)));
  }
  CHECK(worst < 5);
}

static unsigned members(unsigned set)
{
  unsigned n = 0;
  for (; set != 0; set &= set - 1) n++;
  return n;
}

static void subset_law(void)
{
  enum { K = 10 };
  static uint8_t bits[2 * DRAWS];
  static int index[9 * DRAWS];
  uint64_t set[1];
  seed(3);
  for (uint32_t size = 1; size < K; size += 2) {
    const double e = 3;
    candor_subset_plan plan = {candor_grid_zero, size};
    CHECK(candor_support_chance((double) K / size, log(e), &plan.chance) == CANDOR_OK);
    for (int x = 0; x < K; x += 9) {
      double total = 0;
      candor_answers answers = answers_of(x, 0, K);
      size_t position;
      for (unsigned y = 0; y < 1 << K; y++) {
        expected[y] = members(y) != size ? 0 : y >> x & 1 ? e : 1;
        total += expected[y];
      }
      for (unsigned y = 0; y < 1 << K; y++) expected[y] /= total;
      CHECK(candor_subset_run(&plan, &answers, &words, set, bits, NULL, &position) == CANDOR_OK);
      for (int i = 0; i < DRAWS; i++) count[(bits[2 * i] + 256 * bits[2 * i + 1]) % MOST]++;
      check_counts("subset, bits", 1 << K);
      memset(count, 0, sizeof count);
      CHECK(candor_subset_run(&plan, &answers, &words, set, NULL, index, &position) == CANDOR_OK);
      int sorted = 1;
      for (int i = 0; i < DRAWS; i++) {
        unsigned y = 0;
        for (uint32_t j = 0; j < size; j++) {
          const int *report = index + (size_t) i * size;
          sorted &= report[j] >= 1 && report[j] <= K && (j == 0 || report[j] > report[j - 1]);
          y |= 1u << ((report[j] - 1) & 15);
        }
        count[y % MOST]++;
      }
      CHECK(sorted);
      check_counts("subset, lists", 1 << K);
    }
  }
}

static int sign_of(unsigned row, unsigned column)
{
  return members(row & column) % 2 ? -1 : 1;
}

static void hadamard_law(void)
{
  static int report[DRAWS], sign[DRAWS];
  const uint32_t levels[3] = {5, 7, 4}, blocks[3] = {3, 1, 2}, size[3] = {4, 8, 4};
  seed(4);
  for (int t = 0; t < 3; t++) {
    const double e = 4;
    candor_hadamard_plan plan = {candor_grid_zero, blocks[t], size[t]};
    CHECK(candor_support_chance(2.0 * blocks[t], log(e), &plan.chance) == CANDOR_OK);
    for (unsigned x = 0; x < levels[t]; x++) {
      const candor_answers answers = answers_of((int) x, 1, levels[t]);
      size_t position;
      CHECK(candor_hadamard_run(&plan, &answers, &words, report, &position) == CANDOR_OK);
      for (int i = 0; i < DRAWS; i++) count[report[i] % MOST]++;
      double total = 0;
      const unsigned cells = blocks[t] * size[t];
      for (unsigned y = 0; y < cells; y++) {
        const int own = y / size[t] == x % blocks[t] && sign_of(x / blocks[t] + 1, y % size[t]) > 0;
        total += expected[y] = own ? e : 1;
      }
      for (unsigned y = 0; y < cells; y++) expected[y] /= total;
      check_counts("hadamard", cells);
    }
  }
  candor_grid flip;
  CHECK(candor_support_flip(log(4), &flip) == CANDOR_OK);
  for (unsigned x = 0; x < 7; x++) {
    const candor_answers answers = answers_of((int) x, 0, 7);
    size_t position;
    CHECK(candor_hadamard_bit_run(flip, 8, &answers, &words, report, sign, &position) == CANDOR_OK);
    for (int i = 0; i < DRAWS; i++) count[(2 * report[i] + (sign[i] > 0)) % MOST]++;
    for (unsigned j = 0; j < 8; j++) {
      expected[2 * j + 1] = (sign_of(x, j) > 0 ? 0.8 : 0.2) / 8;
      expected[2 * j] = (sign_of(x, j) < 0 ? 0.8 : 0.2) / 8;
    }
    check_counts("hadamard, one bit", 16);
  }
}

/* The field of 4 elements, 0, 1, x and x + 1, in 3 coordinates: products by hand. */
static const uint32_t power_4[3] = {1, 2, 3}, logarithm_4[4] = {0, 0, 1, 2};

static unsigned product_4(unsigned a, unsigned b)
{
  static const unsigned table[4][4] = {{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}};
  return table[a][b];
}

/* Points (1, a, b) from 0 on, then (0, 1, a), then (0, 0, 1). */
static void point_4(unsigned point, unsigned *x)
{
  const unsigned some[3] = {point < 16, point < 16 ? point / 4 : point < 20, point < 20 ? point % 4 : 1};
  memcpy(x, some, sizeof some);
}

static int is_on(unsigned x, unsigned u)
{
  unsigned a[3], b[3], sum = 0;
  point_4(x, a);
  point_4(u, b);
  for (int j = 0; j < 3; j++) sum ^= product_4(a[j], b[j]);
  return sum == 0;
}

static void projective_law(void)
{
  enum { V = 21 };
  static int report[DRAWS];
  candor_projective_plan plan = {candor_grid_zero, {4, 2, power_4, logarithm_4}, 3};
  seed(9);
  CHECK(candor_support_chance(V / 5.0, log(3), &plan.chance) == CANDOR_OK);
  for (unsigned x = 0; x < V; x++) {
    const candor_answers answers = answers_of((int) x, 1, V);
    size_t position;
    CHECK(candor_projective_run(&plan, &answers, &words, report, &position) == CANDOR_OK);
    for (int i = 0; i < DRAWS; i++) count[(report[i] - 1) % MOST]++;
    for (unsigned u = 0; u < V; u++) expected[u] = (is_on(x, u) ? 3.0 : 1.0) / (5 * 3 + 16);
    check_counts("projective", V);
  }
  const candor_answers answers = answers_of(0, 1, V + 1);
  size_t position = 7;
  CHECK(candor_projective_run(&plan, &answers, &words, report, &position) == CANDOR_DOMAIN && position == 0);
}

static void hash_law(void)
{
  enum { P = 11, G = 3, K = 5 };
  static int slope[DRAWS], shift[DRAWS], value[DRAWS];
  const uint32_t code[K] = {4, 0, 10, 7, 2}, slopes[3] = {1, 6, 10}, shifts[3] = {0, 3, 10};
  const double e = 2.5;
  candor_hash_plan plan = {candor_grid_zero, {P, G}, code};
  const candor_hash_reports out = {slope, shift, value};
  const candor_cohorts cohorts = {slopes, shifts, 3};
  seed(5);
  CHECK(candor_support_chance(G, log(e), &plan.chance) == CANDOR_OK);
  for (unsigned x = 0; x < K; x++) {
    candor_answers answers = answers_of((int) x, 1, K);
    size_t position;
    CHECK(candor_hash_run(&plan, &answers, &words, &out, &position) == CANDOR_OK);
    for (int i = 0; i < DRAWS; i++) count[(((slope[i] - 1) * P + shift[i]) * G + value[i] - 1) % MOST]++;
    for (unsigned a = 1; a < P; a++) {
      for (unsigned b = 0; b < P; b++) {
        for (unsigned y = 0; y < G; y++) {
          const int own = (a * code[x] + b) % P * G / P == y;
          expected[((a - 1) * P + b) * G + y] = (own ? e : 1) / (e + G - 1) / (P * (P - 1));
        }
      }
    }
    check_counts("hash", P * (P - 1) * G);
    answers = answers_of((int) x, 1, K);
    CHECK(candor_cohort_run(&plan, &cohorts, &answers, &words, slope, value, &position) == CANDOR_OK);
    for (int i = 0; i < DRAWS; i++) count[((slope[i] - 1) * G + value[i] - 1) % MOST]++;
    for (unsigned m = 0; m < 3; m++) {
      for (unsigned y = 0; y < G; y++) {
        const int own = (slopes[m] * code[x] + shifts[m]) % P * G / P == y;
        expected[m * G + y] = (own ? e : 1) / (e + G - 1) / 3;
      }
    }
    check_counts("cohorts", 3 * G);
  }
}

static void bitflip_law(void)
{
  enum { K = 9, B = 4, D = 2 };
  static int report[D * DRAWS];
  const double p = 0.75, q = 0.2;
  const unsigned bucket[K] = {0, 0, 0, 1, 1, 2, 2, 3, 3}; /* x 4 / 9, rounded down */
  candor_bitflip_plan plan = {{candor_grid_zero, candor_grid_zero}, B, D};
  uint64_t set[1];
  seed(6);
  CHECK(candor_bit_plan_pair(p, 1 - p, q, 1 - q, &plan.bit) == CANDOR_OK);
  for (unsigned x = 0; x < K; x += 2) {
    const candor_answers answers = answers_of((int) x, 1, K);
    size_t position;
    CHECK(candor_bitflip_run(&plan, &answers, &words, set, report, &position) == CANDOR_OK);
    int sorted = 1;
    for (int i = 0; i < DRAWS; i++) {
      const int first = report[2 * i], second = report[2 * i + 1];
      sorted &= abs(first) >= 1 && abs(second) > abs(first) && abs(second) <= B;
      count[((abs(first) * 8 + abs(second)) * 4 + 2 * (first > 0) + (second > 0)) % MOST]++;
    }
    CHECK(sorted);
    for (unsigned j = 0; j < B; j++) {
      for (unsigned k = j + 1; k < B; k++) {
        for (unsigned bits = 0; bits < 4; bits++) {
          const double a = j == bucket[x] ? p : q, b = k == bucket[x] ? p : q;
          expected[((j + 1) * 8 + k + 1) * 4 + bits] = (bits & 2 ? a : 1 - a) * (bits & 1 ? b : 1 - b) / 6;
        }
      }
    }
    check_counts("bitflip", 4 * 8 * 8);
  }
}

/* ---- failures ------------------------------------------------------------------------------------------- */

static void failures(void)
{
  const int codes[4] = {1, 3, 4, 2}, whole[2] = {INT_MIN, 0};
  const candor_answers answers = {codes, 4, 1, 3}, early = {whole, 2, INT_MIN, 3}, late = {codes, 1, INT_MAX - 1, 3};
  const candor_random broken = {failing, NULL};
  const uint32_t code[3] = {0, 1, 2}, one[1] = {1};
  candor_bit_plan bit = {{(uint64_t) 1 << 31, 0}, {(uint64_t) 1 << 30, 0}};
  candor_subset_plan subset = {{(uint64_t) 1 << 31, 0}, 2};
  candor_hadamard_plan hadamard = {{(uint64_t) 1 << 31, 0}, 1, 4};
  candor_hash_plan hash = {{(uint64_t) 1 << 31, 0}, {7, 2}, code};
  candor_bitflip_plan flips = {bit, 3, 2};
  const candor_cohorts cohorts = {one, one, 1};
  uint8_t bytes[4];
  int a[8], b[8], c[8];
  const candor_hash_reports out = {a, b, c};
  uint64_t set[1];
  size_t at[7];
  for (int round = 0; round < 4; round++) {
    const candor_answers *in = round == 1 ? &early : round == 2 ? &late : &answers;
    const candor_status want = round == 3 ? CANDOR_GENERATOR : CANDOR_DOMAIN;
    seed(7);
    if (round == 3) candor_words_start(&words, &broken);
    CHECK(candor_unary_run(&bit, in, &words, bytes, at) == want);
    CHECK(candor_subset_run(&subset, in, &words, set, bytes, NULL, at + 1) == want);
    CHECK(candor_hadamard_run(&hadamard, in, &words, a, at + 2) == want);
    CHECK(candor_hadamard_bit_run(candor_grid_zero, 4, in, &words, a, b, at + 3) == want);
    CHECK(candor_hash_run(&hash, in, &words, &out, at + 4) == want);
    CHECK(candor_cohort_run(&hash, &cohorts, in, &words, a, b, at + 5) == want);
    CHECK(candor_bitflip_run(&flips, in, &words, set, a, at + 6) == want);
    for (int k = 0; k < 7; k++) CHECK(round == 3 || at[k] == (round == 0 ? 2u : 0u));
  }
  candor_words_start(&words, &secure);
  hadamard.blocks = 0;
  CHECK(candor_hadamard_run(&hadamard, &answers, &words, a, at) == CANDOR_DOMAIN);
  hadamard.blocks = 1, hadamard.size = 3;
  CHECK(candor_hadamard_run(&hadamard, &answers, &words, a, at) == CANDOR_DOMAIN);
  hadamard.size = 2;
  CHECK(candor_hadamard_run(&hadamard, &answers, &words, a, at) == CANDOR_DOMAIN);
  subset.size = 3;
  CHECK(candor_subset_run(&subset, &answers, &words, set, bytes, NULL, at) == CANDOR_DOMAIN);
  flips.size = 4;
  CHECK(candor_bitflip_run(&flips, &answers, &words, set, a, at) == CANDOR_DOMAIN);
  hash.hash.buckets = 1;
  CHECK(candor_hash_run(&hash, &answers, &words, &out, at) == CANDOR_DOMAIN);
}

/* What each run asks of its plan and codes, at the edge: without an answer, the status is that of these alone. */
static void preconditions(void)
{
  const uint32_t code[3] = {0, 1, 2}, one[1] = {1};
  const uint32_t power4[3] = {1, 2, 3}, logarithm4[4] = {0, 0, 1, 2};
  const candor_bit_plan bit = {candor_grid_zero, candor_grid_zero};
  uint64_t set[1];
  size_t at;
  candor_answers none = {NULL, 0, 1, 6};
#define STATUS(call, fits) CHECK((call) == ((fits) ? CANDOR_OK : CANDOR_DOMAIN))
  for (uint32_t size = 0; size <= 7; size++) {
    const candor_subset_plan subset = {candor_grid_zero, size};
    STATUS(candor_subset_run(&subset, &none, &words, set, NULL, NULL, &at), size >= 1 && size < 6);
    for (uint32_t buckets = 1; buckets <= 7; buckets++) {
      const candor_bitflip_plan flips = {bit, buckets, size};
      STATUS(candor_bitflip_run(&flips, &none, &words, set, NULL, &at), size >= 1 && size <= buckets && buckets <= 6);
    }
  }
  for (uint32_t blocks = 0; blocks <= 4; blocks++) {
    for (uint32_t size = 0; size <= 9; size++) {
      const candor_hadamard_plan hadamard = {candor_grid_zero, blocks, size};
      const int power = size == 2 || size == 4 || size == 8;
      STATUS(candor_hadamard_run(&hadamard, &none, &words, NULL, &at), power && blocks * (size - 1) >= 6);
      STATUS(candor_hadamard_bit_run(candor_grid_zero, size, &none, &words, NULL, NULL, &at), power && size >= 6);
    }
  }
  /* 2^30 reports are fewer than 2^31, and twice as many are not. */
  candor_hadamard_plan large = {candor_grid_zero, 1u << 14, 1u << 16};
  STATUS(candor_hadamard_run(&large, &none, &words, NULL, &at), 1);
  large.blocks *= 2;
  STATUS(candor_hadamard_run(&large, &none, &words, NULL, &at), 0);
  STATUS(candor_hadamard_bit_run(candor_grid_zero, 1u << 30, &none, &words, NULL, NULL, &at), 1);
  STATUS(candor_hadamard_bit_run(candor_grid_zero, 1u << 31, &none, &words, NULL, NULL, &at), 0);
  /* A projective line over 4 elements has 5 points, a plane 21; a space of 2^31 and more is refused. */
  candor_projective_plan projective = {candor_grid_zero, {4, 2, power4, logarithm4}, 2};
  STATUS(candor_projective_run(&projective, &none, &words, NULL, &at), 0);
  none.levels = 5;
  STATUS(candor_projective_run(&projective, &none, &words, NULL, &at), 1);
  none.levels = 1;
  for (uint32_t t = 0; t <= 18; t++) {
    projective.coordinates = t;
    STATUS(candor_projective_run(&projective, &none, &words, NULL, &at), t >= 2 && t <= 16); /* (4^16 - 1) / 3 */
  }
  for (uint32_t buckets = 1; buckets <= 8; buckets++) {
    for (uint32_t functions = 0; functions <= 2; functions++) {
      const candor_hash_plan hash = {candor_grid_zero, {7, buckets}, code};
      const candor_cohorts cohorts = {one, one, functions};
      const candor_hash_reports out = {NULL, NULL, NULL};
      const int fits = buckets >= 2 && buckets <= 7;
      STATUS(candor_hash_run(&hash, &none, &words, &out, &at), fits);
      STATUS(candor_cohort_run(&hash, &cohorts, &none, &words, NULL, NULL, &at), fits && functions >= 1);
    }
  }
  candor_hash_plan hash = {candor_grid_zero, {INT_MAX, 2}, code};
  candor_cohorts cohorts = {one, one, INT_MAX};
  STATUS(candor_cohort_run(&hash, &cohorts, &none, &words, NULL, NULL, &at), 1);
  cohorts.functions++;
  STATUS(candor_cohort_run(&hash, &cohorts, &none, &words, NULL, NULL, &at), 0);
  cohorts.functions = 1;
  hash.hash.prime++;
  STATUS(candor_cohort_run(&hash, &cohorts, &none, &words, NULL, NULL, &at), 0);
  /* Codes from above INT_MIN to INT_MAX, at least one, fewer than 2^31. */
  const struct {
    int first;
    uint32_t levels;
    int fits;
  } codes[] = {{INT_MIN, 2, 0},     {INT_MIN + 1, 2, 1}, {INT_MAX, 1, 1},           {INT_MAX, 2, 0},
               {INT_MAX - 1, 2, 1}, {1, 0, 0},           {1, INT_MAX, 1},           {2, INT_MAX, 0},
               {0, INT_MAX, 1},     {0, 1u << 31, 0},    {INT_MIN + 1, 1u << 31, 0}};
  for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
    const candor_answers edge = {NULL, 0, codes[k].first, codes[k].levels};
    at = 9;
    STATUS(candor_unary_run(&bit, &edge, &words, NULL, &at), codes[k].fits);
    CHECK(at == 0);
  }
  /* The codes themselves: the first and the last, and those beside them. */
  for (int beyond = -1; beyond <= 1; beyond++) {
    const int low = 3 + beyond, high = 5 + beyond;
    const candor_answers first = {&low, 1, 3, 3}, last = {&high, 1, 3, 3};
    uint8_t report = 0;
    seed(9);
    STATUS(candor_unary_run(&bit, &first, &words, &report, &at), beyond >= 0);
    STATUS(candor_unary_run(&bit, &last, &words, &report, &at), beyond <= 0);
  }
#undef STATUS
}

/* Certain bits: a truth of chance one and all else of chance zero, at every place of reports of one to many words. */
static void certain_bits(void)
{
  static uint8_t report[700];
  const candor_bit_plan truth = {candor_grid_one, candor_grid_zero}, others = {candor_grid_zero, candor_grid_one};
  seed(10);
  for (uint32_t levels = 1; levels <= 4200; levels += levels < 140 ? 1 : 811) {
    for (uint32_t x = 0; x < levels; x += levels < 140 ? 1 : 97) {
      const int code = (int) x;
      const candor_answers answers = {&code, 1, 0, levels};
      size_t at;
      int right = 1;
      for (int turned = 0; turned < 2; turned++) {
        memset(report, 0xaa, sizeof report);
        CHECK(candor_unary_run(turned ? &others : &truth, &answers, &words, report, &at) == CANDOR_OK);
        const uint32_t bytes = (levels + 7) / 8;
        for (uint32_t b = 0; b < 8 * bytes; b++)
          right &= (report[b / 8] >> b % 8 & 1) == (b < levels ? (b == x) != turned : 0);
        right &= report[bytes] == 0xaa; /* not a byte more */
      }
      CHECK(right);
    }
  }
}

/* Subsets of many numbers: as many as were asked for, within bounds, with or without one that is left out and stays as it
 * was; each number as often as any other. */
static void large_subsets(void)
{
  const uint32_t sizes[][2] = {{64, 5},   {64, 6},     {65, 30}, {128, 127}, {200, 16},
                               {200, 17}, {1000, 999}, {63, 60}, {130, 0}};
  seed(11);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const uint32_t n = sizes[k][0], size = sizes[k][1], n_words = (n + 63) / 64;
    enum { ROUNDS = 400 };
    for (uint32_t left_out = 0; left_out <= n; left_out += n / 2) {
      double seen[1000] = {0};
      int right = 1;
      for (int round = 0; round < ROUNDS; round++) {
        uint64_t set[16] = {0};
        if (left_out < n && round % 2) set[left_out / 64] = (uint64_t) 1 << left_out % 64;
        CHECK(candor_words_subset(&words, n, size, left_out, set) == CANDOR_OK);
        uint32_t members = 0;
        for (uint32_t i = 0; i < 64 * n_words; i++) {
          const int in = (int) (set[i / 64] >> i % 64 & 1);
          right &= !in || i < n;
          if (i == left_out && i < n) right &= in == round % 2;
          else if (in) members++, seen[i]++;
        }
        right &= members == size;
      }
      CHECK(right);
      const double numbers = n - (left_out < n), p = size / numbers;
      double chi = 0;
      for (uint32_t i = 0; i < n; i++)
        if (i != left_out && p > 0 && p < 1) chi += pow(seen[i] - ROUNDS * p, 2) / (ROUNDS * p * (1 - p));
      /* Counts without replacement: the sum of squares is (numbers - 1) / numbers times a chi-square. */
      const double df = numbers - 1, h = 2 / (9 * df), root = 1 - h + 4.7534 * sqrt(h);
      CHECK(chi <= 1.03 * df * root * root * root);
    }
  }
}

/* A chance of two digits: the first word decides but for a tie, then the second. */
static void chances_are_exact(void)
{
  const candor_grid chance = {5, 7};
  const uint32_t pairs[][2] = {{4, 99}, {5, 6}, {5, 7}, {5, 8}, {6, 0}};
  const int expected[] = {1, 1, 0, 0, 0};
  for (int k = 0; k < 5; k++) {
    script s = {{pairs[k][0], pairs[k][1]}};
    const candor_random random = {scripted, &s};
    int yes = -1;
    candor_words_start(&words, &random);
    CHECK(candor_words_chance(&words, chance, &yes) == CANDOR_OK && yes == expected[k]);
    CHECK(words.next == (pairs[k][0] == 5 ? 2u : 1u));
  }
}

int main(void)
{
  bits_are_exact();
  many_bits_are_exact();
  many_bits_are_independent();
  turned_as_bytes();
  subsets_are_exact();
  subsets_are_uniform();
  chances_keep_epsilon();
  bit_plans_keep_epsilon();
  unary_law();
  unary_two_by_two();
  subset_law();
  hadamard_law();
  projective_law();
  hash_law();
  bitflip_law();
  failures();
  preconditions();
  certain_bits();
  large_subsets();
  chances_are_exact();
  return check_report();
}
