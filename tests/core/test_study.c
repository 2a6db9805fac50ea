/* Simulated counts against exact distributions, and losses worked out by hand. Seeds are fixed; draws.h says
 * what a chi-square test here allows. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "draws.h"
#include "study/simulate.h"
#include "study/stream.h"
#include "study/study.h"
#include "workspace.h"

static void test_stream(void)
{
  candor_chacha20 s, t;
  uint32_t a[64], b[64];
  candor_stream_start(&s, 7, 1, 2);
  candor_stream_start(&t, 7, 1, 2);
  candor_chacha20_fill(&s, a, 64);
  candor_chacha20_fill(&t, b, 64);
  CHECK(memcmp(a, b, sizeof a) == 0);
  /* ChaCha20 with the key and the nonce of the name (test_chacha20.c has its vectors). */
  const uint32_t key[CANDOR_CHACHA20_KEY] = {7, 0, 1, 0, 0x646e6163u, 0x7320726fu, 0x79647574u, 1};
  const uint32_t nonce[CANDOR_CHACHA20_NONCE] = {2, 0};
  candor_chacha20_start(&t, key, nonce, 0);
  candor_chacha20_fill(&t, b, 64);
  CHECK(memcmp(a, b, sizeof a) == 0);
  const uint64_t names[5][3] = {{8, 1, 2}, {7, 2, 2}, {7, 1, 3}, {7, 2, 1}, {7, 1, UINT64_C(0x100000002)}};
  for (int i = 0; i < 5; i++) {
    candor_stream_start(&t, names[i][0], names[i][1], names[i][2]);
    candor_chacha20_fill(&t, b, 64);
    int equal = 0;
    for (int w = 0; w < 64; w++) equal += a[w] == b[w];
    CHECK(equal < 3);
  }
}

/* Words as they are set: the ends of the uniform numbers, and words in pairs, the first of them the high one. */
static candor_status set_words(void *state, uint32_t *words, size_t n)
{
  for (size_t i = 0; i < n; i++) words[i] = ((const uint32_t *) state)[i % 2];
  return CANDOR_OK;
}

static void test_uniform(void)
{
  uint32_t pair[2] = {0, 0};
  const candor_random random = {set_words, pair};
  candor_draw draw;
  candor_draw_start(&draw, &random);
  CHECK(candor_draw_uniform(&draw) == 0x1p-53);
  pair[0] = pair[1] = UINT32_MAX;
  candor_draw_start(&draw, &random);
  CHECK(candor_draw_uniform(&draw) == 1 - 0x1p-53);
  pair[0] = 1u << 31, pair[1] = 0;
  candor_draw_start(&draw, &random);
  CHECK(candor_draw_uniform(&draw) == 0.5 + 0x1p-53);
}

/* Exact probabilities of the reported histogram for truths (2, 1, 0), p = 5/8 (golden: rr_histogram_pmf). */
static void test_histogram(void)
{
  static const double fixed[10] = {0.006591796875, 0.03515625,     0.050537109375, 0.02197265625, 0.050537109375,
                                   0.20361328125,  0.153076171875, 0.1171875,      0.2880859375,  0.0732421875};
  const double truth[3] = {2, 1, 0}, theta[3] = {2.0 / 3, 1.0 / 3, 0};
  const candor_world world = {{3, 0.4375, NULL, 0.1875, 0.4375 / 0.1875}, theta, truth, 3};
  double *memory = workspace(candor_simulator_work(3));
  candor_simulator *simulator = malloc(sizeof *simulator);
  generator g;
  start(&g, 4);
  double seen[10] = {0}, counts[3], chi = 0;
  CHECK(candor_simulator_start(simulator, &world, memory) == CANDOR_OK);
  for (int r = 0; r < 200000; r++) {
    CHECK(candor_simulate(simulator, &g.draw, counts) == CANDOR_OK);
    /* histograms in the order of the golden file: by the first count, then by the second */
    int at = 0;
    for (int first = 0; first < (int) counts[0]; first++) at += 4 - first;
    seen[at + (int) counts[1]] += 1;
  }
  for (int i = 0; i < 10; i++) chi += (seen[i] - 2e5 * fixed[i]) * (seen[i] - 2e5 * fixed[i]) / (2e5 * fixed[i]);
  CHECK(chi < chi_limit(9));
  free(memory), free(simulator);
}

/* Fixed truths with a < 0, against every outcome of four respondents one by one. */
static void test_rows(const double *b, double a, const double *truth)
{
  enum { K = 3, N = 4, OUTCOMES = 81, SIDE = 5, DRAWS = 200000 };
  const double theta[K] = {truth[0] / N, truth[1] / N, truth[2] / N};
  const candor_world world = {{K, a, b, NAN, NAN}, theta, truth, N};
  double exact[SIDE * SIDE] = {0}, seen[SIDE * SIDE] = {0}, counts[K], chi = 0, df = -1;
  int holder[N], n = 0;
  for (int x = 0; x < K; x++)
    for (int i = 0; i < (int) truth[x]; i++) holder[n++] = x;
  for (int outcome = 0; outcome < OUTCOMES; outcome++) {
    double p = 1;
    int of[K] = {0}, code = outcome;
    for (int i = 0; i < N; i++, code /= K) {
      p *= b[code % K] + (code % K == holder[i] ? a : 0);
      of[code % K]++;
    }
    exact[SIDE * of[0] + of[1]] += p;
  }
  double *memory = workspace(candor_simulator_work(K));
  candor_simulator *simulator = malloc(sizeof *simulator);
  generator g;
  start(&g, 6);
  CHECK(candor_simulator_start(simulator, &world, memory) == CANDOR_OK);
  for (int r = 0; r < DRAWS; r++) {
    if (candor_simulate(simulator, &g.draw, counts) != CANDOR_OK) break;
    seen[SIDE * (int) counts[0] + (int) counts[1]] += 1;
  }
  double total = 0;
  for (int i = 0; i < SIDE * SIDE; i++) {
    const double expected = DRAWS * exact[i];
    total += seen[i];
    CHECK(exact[i] > 1e-12 || seen[i] == 0);
    if (expected < 5) continue;
    chi += (seen[i] - expected) * (seen[i] - expected) / expected;
    df++;
  }
  CHECK(total == DRAWS);
  CHECK(chi < chi_limit(df));
  free(memory), free(simulator);
}

/* Many categories: all reports of one truth are multinomial with its row, so that sums of them are binomial. */
static void test_long_rows(size_t k, double n)
{
  enum { DRAWS = 3000 };
  double *truth = calloc(k, sizeof *truth), *theta = calloc(k, sizeof *theta), *counts = malloc(k * sizeof *counts);
  double *own = workspace(DRAWS), *far = malloc(DRAWS * sizeof *far), *odd = malloc(DRAWS * sizeof *odd);
  const size_t x = k / 3;
  const double b = 1.0 / ((double) k - 0.5), a = -0.5 * b;
  truth[x] = n;
  theta[x] = 1;
  const candor_world world = {{k, a, NULL, b, -0.5}, theta, truth, n};
  double *memory = workspace(candor_simulator_work(k));
  candor_simulator *simulator = malloc(sizeof *simulator);
  generator g;
  start(&g, 9);
  CHECK(candor_simulator_start(simulator, &world, memory) == CANDOR_OK);
  int good = 1;
  for (size_t r = 0; r < DRAWS; r++) {
    good &= candor_simulate(simulator, &g.draw, counts) == CANDOR_OK;
    double sum = odd[r] = 0;
    for (size_t y = 0; y < k; y++) {
      sum += counts[y];
      if (y % 2) odd[r] += counts[y];
    }
    good &= sum == n;
    own[r] = counts[x];
    far[r] = counts[k - 1] + counts[0] + counts[x + 1];
  }
  CHECK(good);
  CHECK(fits_binomial(own, DRAWS, n, a + b));
  CHECK(fits_binomial(far, DRAWS, n, 3 * b));
  CHECK(fits_binomial(odd, DRAWS, n, b * (double) (k / 2) + (x % 2 ? a : 0)));
  free(truth), free(theta), free(counts), free(own), free(far), free(odd), free(memory), free(simulator);
}

/* Reports of a truth sampled anew are multinomial: each count, and sums of them, are binomial. */
static void test_anew(size_t k, double n, double steep)
{
  enum { DRAWS = 4000 };
  double *theta = malloc(k * sizeof *theta), *counts = malloc(k * sizeof *counts), total = 0, odd_p = 0;
  double *first = malloc(DRAWS * sizeof *first), *last = malloc(DRAWS * sizeof *last),
         *odd = malloc(DRAWS * sizeof *odd);
  const double q = 1.0 / (exp(2) + (double) k - 1), a = expm1(2) * q;
  for (size_t i = 0; i < k; i++) total += theta[i] = pow((double) i + 1, -steep);
  for (size_t i = 0; i < k; i++) theta[i] /= total;
  for (size_t i = 1; i < k; i += 2) odd_p += q + a * theta[i];
  const candor_world world = {{k, a, NULL, q, expm1(2)}, theta, NULL, n};
  double *memory = workspace(candor_simulator_work(k));
  candor_simulator simulator;
  generator g;
  start(&g, 12);
  CHECK(candor_simulator_start(&simulator, &world, memory) == CANDOR_OK);
  int good = 1;
  for (size_t r = 0; r < DRAWS; r++) {
    good &= candor_simulate(&simulator, &g.draw, counts) == CANDOR_OK;
    double sum = odd[r] = 0;
    for (size_t y = 0; y < k; y++) {
      sum += counts[y];
      if (y % 2) odd[r] += counts[y];
    }
    good &= sum == n;
    first[r] = counts[0];
    last[r] = counts[k - 1];
  }
  CHECK(good);
  CHECK(fits_binomial(first, DRAWS, n, q + a * theta[0]));
  CHECK(fits_binomial(last, DRAWS, n, q + a * theta[k - 1]));
  CHECK(fits_binomial(odd, DRAWS, n, odd_p));
  free(theta), free(counts), free(first), free(last), free(odd), free(memory);
}

/* The losses of estimates worked out by hand. */
static void test_judge(void)
{
  const double estimates[6] = {0.5, 0.25, 0.25, 0, 1.25, -0.25}, truth[3] = {0.25, 0.5, 0.25};
  const double counts[6] = {2, 1, 1, 0, 4, 0}, other[3] = {0.1, 0.2, 0.2};
  candor_judge judge = {3, 3, truth, 4, 0.5, other, NAN};
  double losses[6], sums[3] = {0};
  for (int r = 0; r < 2; r++)
    candor_study_judge(&judge, estimates + 3 * r, estimates + 3 * r, counts + 3 * r, losses + 3 * r, sums);
  CHECK_NEAR(losses[0], 0.125, 1e-16);
  CHECK_NEAR(losses[1], 0.25, 1e-16);
  CHECK_NEAR(losses[2], -(2 * log(0.35) + 2 * log(0.325)) / 4, 1e-15);
  CHECK_NEAR(losses[3], 0.0625 + 0.5625 + 0.25, 1e-16);
  CHECK_NEAR(losses[4], 0.75, 1e-16);
  CHECK_NEAR(losses[5], -log(0.825), 1e-15);
  CHECK_NEAR(sums[0], 0.0, 1e-16);
  CHECK_NEAR(sums[1], 0.5, 1e-16);
  CHECK_NEAR(sums[2], -0.5, 1e-16);
  /* One b for all, and shares that do not add up to 1. */
  const double half[3] = {0.25, 0.25, 0};
  judge.other = NULL;
  judge.other_all = 0.2;
  candor_study_judge(&judge, half, half, counts, losses, sums);
  CHECK_NEAR(losses[2], -(3 * log(0.1 + 0.125) + log(0.1)) / 4, 1e-15);
  /* What was seen and cannot be, and reports of which nothing is known. */
  judge.other_all = 0;
  candor_study_judge(&judge, half, half, counts, losses, sums);
  CHECK(losses[2] == INFINITY);
  candor_study_judge(&judge, half, NULL, counts, losses, sums);
  CHECK(isnan(losses[2]) && losses[0] == 0.125);
  /* More categories than the sums have lanes: 16 + 3, each 1/2 away. */
  double many[19], none[19] = {0}, added[19] = {0};
  for (int i = 0; i < 19; i++) many[i] = i % 2 ? 0.5 : -0.5;
  judge.categories = 19;
  judge.truth = none;
  candor_study_judge(&judge, many, NULL, counts, losses, added);
  CHECK(losses[0] == 19 * 0.25 && losses[1] == 19 * 0.25 && added[0] == -0.5 && added[17] == 0.5 && added[18] == -0.5);
}

static void test_refusals(void)
{
  double theta[2] = {0.5, 0.5}, truth[2] = {1, 2}, memory[16];
  candor_world world = {{2, 0.4, NULL, 0.3, 4.0 / 3}, theta, NULL, 10};
  candor_simulator simulator;
  CHECK(candor_simulator_work(2) == 16);
  CHECK(candor_simulator_start(&simulator, &world, memory) == CANDOR_OK);
  world.respondents = 0;
  CHECK(candor_simulator_start(&simulator, &world, memory) == CANDOR_EMPTY);
  world.respondents = NAN;
  CHECK(candor_simulator_start(&simulator, &world, memory) == CANDOR_DOMAIN);
  world.respondents = 10;
  world.truth = truth;
  CHECK(candor_simulator_start(&simulator, &world, memory) == CANDOR_DOMAIN);
  world.truth = NULL;
  theta[0] = 0.7;
  CHECK(candor_simulator_start(&simulator, &world, memory) == CANDOR_DOMAIN);
  theta[0] = NAN;
  CHECK(candor_simulator_start(&simulator, &world, memory) == CANDOR_DOMAIN);
  theta[0] = 0.5;
  world.channel.keep = 0;
  CHECK(candor_simulator_start(&simulator, &world, memory) != CANDOR_OK);
}

static void test_bounds(void)
{
  double theta[2] = {0.5, 0.5}, truth[2] = {4, 6}, memory[16], estimate[2], work[4];
  candor_world good = {{2, 0.4, NULL, 0.3, 4.0 / 3}, theta, truth, 10}, world;
  candor_simulator simulator;
#define STATUS(change, status)                                           \
  do {                                                                   \
    world = good;                                                        \
    change;                                                              \
    CHECK(candor_simulator_start(&simulator, &world, memory) == status); \
  } while (0)
  STATUS((void) 0, CANDOR_OK);
  STATUS(world.respondents = 9, CANDOR_DOMAIN);
  STATUS((world.truth = NULL, world.respondents = 1), CANDOR_OK);
  STATUS((world.truth = NULL, world.respondents = 0.5), CANDOR_DOMAIN);
  STATUS((world.truth = NULL, world.respondents = -1), CANDOR_DOMAIN);
  STATUS((world.truth = NULL, world.respondents = 1.5), CANDOR_DOMAIN);
  STATUS((world.truth = NULL, world.respondents = 9007199254740992.0), CANDOR_OK);
  STATUS((world.truth = NULL, world.respondents = 9007199254740994.0), CANDOR_DOMAIN);
  truth[1] = 5.5, truth[0] = 4.5;
  STATUS((void) 0, CANDOR_DOMAIN);
  truth[0] = -1, truth[1] = 11;
  STATUS((void) 0, CANDOR_DOMAIN);
  truth[0] = 0, truth[1] = 10;
  STATUS((void) 0, CANDOR_OK);
  theta[1] = 0.5 + 0.9e-8;
  STATUS((void) 0, CANDOR_OK);
  theta[1] = 0.5 + 1.1e-8;
  STATUS((void) 0, CANDOR_DOMAIN);
  theta[0] = -0.5, theta[1] = 1.5;
  STATUS((void) 0, CANDOR_DOMAIN);
#undef STATUS
  /* Of a truth that is told for certain, all tell it, and a world of one category has one report. */
  const double ones[1] = {1}, all[1] = {7}, counts_of[2] = {3, 1};
  generator g;
  start(&g, 21);
  double counts[2];
  theta[0] = 0, theta[1] = 1;
  const candor_world sure = {{2, 1, NULL, 0, INFINITY}, theta, truth, 10},
                     single = {{1, 1, NULL, 0, INFINITY}, ones, all, 7};
  CHECK(candor_simulator_start(&simulator, &sure, memory) == CANDOR_OK);
  CHECK(candor_simulate(&simulator, &g.draw, counts) == CANDOR_OK && counts[0] == 0 && counts[1] == 10);
  CHECK(candor_simulator_start(&simulator, &single, memory) == CANDOR_OK);
  CHECK(candor_simulate(&simulator, &g.draw, counts) == CANDOR_OK && counts[0] == 7);
  /* p = 3/4, q = 1/4, counts 3 and 1: the inversion is (1, 0), and so is all else; 4 and 0: (3/2, -1/2), else (1, 0). */
  const candor_additive channel = {2, 0.5, NULL, 0.25, 2};
  const double extreme[2] = {4, 0};
  for (int method = 0; method < CANDOR_STUDY_METHODS; method++) {
    CHECK(candor_study_estimate(&channel, method, counts_of, work, estimate) == CANDOR_OK);
    CHECK_NEAR(estimate[0], 1, 1e-15);
    CHECK_NEAR(estimate[1], 0, 1e-15);
    CHECK(candor_study_estimate(&channel, method, extreme, work, estimate) == CANDOR_OK);
    CHECK_NEAR(estimate[0], method == CANDOR_STUDY_INV ? 1.5 : 1, 1e-15);
  }
  CHECK(candor_study_estimate(&channel, CANDOR_STUDY_METHODS, extreme, work, estimate) == CANDOR_DOMAIN);
  CHECK(candor_study_estimate(&channel, -1, extreme, work, estimate) == CANDOR_DOMAIN);
  /* Counts 6, 3, 1 under p = 1/2, q = 1/4: inversion (1.4, .2, -.6), normalized (7, 1, 0)/8, projected (1, 0, 0). */
  const candor_additive three = {3, 0.25, NULL, 0.25, 1};
  const double mixed[3] = {6, 3, 1};
  double values[3], room[3];
  CHECK(candor_study_estimate(&three, CANDOR_STUDY_INVN, mixed, room, values) == CANDOR_OK);
  CHECK_NEAR(values[0], 0.875, 1e-15);
  CHECK(candor_study_estimate(&three, CANDOR_STUDY_INVP, mixed, room, values) == CANDOR_OK);
  CHECK_NEAR(values[0], 1, 1e-15);
}

int main(void)
{
  test_stream();
  test_uniform();
  test_histogram();
  const double uneven[3] = {0.3, 0.5, 0.4};
  const double spread[3] = {2, 1, 1}, together[3] = {0, 4, 0}, never[3] = {0.5, 0.5, 0.5};
  test_rows(uneven, -0.2, spread);
  test_rows(uneven, -0.2, together);
  test_rows(never, -0.5, spread);
  const double steep[3] = {0.84, 0.15, 0.06};
  test_rows(steep, -0.05, spread);
  test_long_rows(700, 5000);
  test_long_rows(64, 1e6);
  test_anew(1, 50, 0);
  test_anew(2, 50, 1);
  test_anew(700, 300, 1.3);
  test_anew(700, 2000, 2.5);
  test_anew(700, 1e6, 1.3);
  test_anew(65, 1e9, 2.5);
  test_judge();
  test_refusals();
  test_bounds();
  return check_report();
}
