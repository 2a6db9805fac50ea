/* Simulated counts against exact distributions, and the study's sums against plain ones. Seeds are fixed; draws.h says
 * what a chi-square test here allows. */
#include <stdlib.h>
#include <string.h>

#include "multinomial.h"
#include "simplex.h"
#include "stream.h"
#include "study.h"
#include "check.h"
#include "draws.h"

static void test_stream(void)
{
  candor_stream s, t;
  uint32_t a[64], b[64];
  candor_stream_start(&s, 7, 1, 2);
  candor_stream_start(&t, 7, 1, 2);
  candor_stream_fill(&s, a, 64);
  candor_stream_fill(&t, b, 64);
  CHECK(memcmp(a, b, sizeof a) == 0);
  const uint64_t names[4][3] = {{8, 1, 2}, {7, 2, 2}, {7, 1, 3}, {7, 2, 1}};
  for (int i = 0; i < 4; i++) {
    candor_stream_start(&t, names[i][0], names[i][1], names[i][2]);
    candor_stream_fill(&t, b, 64);
    int equal = 0;
    for (int w = 0; w < 64; w++) equal += a[w] == b[w];
    CHECK(equal < 3);
  }
  candor_stream many[CANDOR_STREAMS];
  candor_streams_start(many, 7, 1, UINT64_C(0xfffffffd));
  for (uint64_t r = 0; r < CANDOR_STREAMS; r++) {
    candor_stream_start(&t, 7, 1, UINT64_C(0xfffffffd) + r);
    CHECK(memcmp(many[r].state, t.state, sizeof t.state) == 0);
  }
  /* xoshiro256++ of the state 1, 2, 3, 4: first outputs worked out by hand, (1 + 4) rotl 23 + 1 = 41943041, and
   * then with the state 7, 0, 262146, 211106232532992: rotl(211106232532999, 23) + 7 = 58720359. In the first and the
   * last of the generators, whose halves lie four words apart; what a request leaves of eight words is passed over. */
  candor_stream hand = {{{1, 9, 9, 1}, {2, 9, 9, 2}, {3, 9, 9, 3}, {4, 9, 9, 4}}};
  candor_stream_fill(&hand, a, 11);
  CHECK(a[0] == 0 && a[4] == 41943041u && a[3] == 0 && a[7] == 41943041u);
  CHECK(a[1] == a[2] && a[5] == a[6] && a[5] != a[4]);
  CHECK(a[8] == 0);
  candor_stream again = {{{1, 9, 9, 1}, {2, 9, 9, 2}, {3, 9, 9, 3}, {4, 9, 9, 4}}};
  candor_stream_fill(&again, b, 24);
  CHECK(memcmp(a, b, 11 * sizeof *a) == 0);
  CHECK((((uint64_t) b[8] << 32) | b[12]) == 58720359u && b[15] == 58720359u);
  candor_stream_fill(&hand, a, 8);
  CHECK(memcmp(a, b + 16, 8 * sizeof *a) == 0);
}

static void test_table(void)
{
  const double weights[5] = {0.1, 0, 3, 1e-9, 2};
  candor_slot slots[8];
  uint32_t low[8], order[8];
  double scaled[8], seen[5] = {0};
  candor_alias table = {slots, low, 0, 0};
  generator g;
  start(&g, 2);
  CHECK(candor_alias_build(&table, weights, 5, 10, scaled, order) == CANDOR_OK);
  /* The probabilities that the slots realise, exactly. */
  double p[5] = {0};
  for (uint32_t s = 0; s < 8; s++) {
    const double own = ldexp(slots[s].cut, -32) + ldexp(low[s], -64);
    if (s < 5) p[s] += own / 8;
    if (slots[s].other - 10 < 5) p[slots[s].other - 10] += (1 - own) / 8;
  }
  for (int i = 0; i < 5; i++) CHECK_NEAR(p[i], weights[i] / 5.100000001, 1e-15);
  for (int i = 0; i < 100000; i++) seen[candor_alias_draw(&table, &g.draw) - 10] += 1;
  CHECK(seen[1] == 0);
  CHECK_NEAR(seen[4], 1e5 * 2 / 5.1, 5 * sqrt(1e5 * 0.24));
  const double bad[2] = {1, -1}, none[2] = {0, 0};
  CHECK(candor_alias_build(&table, bad, 2, 0, scaled, order) == CANDOR_DOMAIN);
  CHECK(candor_alias_build(&table, none, 2, 0, scaled, order) == CANDOR_DOMAIN);
}

/* Every count, and sums of counts, of a multinomial are binomial. */
static void check_multinomial(const double *weights, size_t k, double planned, double n, size_t draws, size_t wanted_levels)
{
  double total = 0, half = 0, largest = 0;
  size_t at = 0;
  for (size_t i = 0; i < k; i++) {
    total += weights[i];
    if (i % 2) half += weights[i];
    if (weights[i] > largest) largest = weights[at = i];
  }
  void *memory = malloc(candor_multinomial_bytes(k));
  candor_multinomial *plan = malloc(sizeof *plan);
  double *counts = malloc(k * sizeof *counts), *scratch = malloc(candor_multinomial_scratch(k) * sizeof *scratch);
  double *first = malloc(draws * sizeof *first), *top = malloc(draws * sizeof *top), *odd = malloc(draws * sizeof *odd);
  double *middle = malloc(draws * sizeof *middle);
  generator g;
  start(&g, 3);
  CHECK(candor_multinomial_plan(plan, weights, k, planned, 0, memory) == CANDOR_OK);
  if (wanted_levels) CHECK(plan->levels >= wanted_levels);
  int good = 1;
  for (size_t r = 0; r < draws; r++) {
    memset(counts, 0, k * sizeof *counts);
    good &= candor_multinomial_draw(plan, &g.draw, n, scratch, counts) == CANDOR_OK;
    double sum = 0;
    odd[r] = 0;
    for (size_t i = 0; i < k; i++) {
      sum += counts[i];
      if (i % 2) odd[r] += counts[i];
      good &= weights[i] > 0 || counts[i] == 0;
    }
    good &= sum == n;
    first[r] = counts[0];
    top[r] = counts[at];
    middle[r] = counts[k / 2];
  }
  CHECK(good);
  CHECK(fits_binomial(first, draws, n, weights[0] / total));
  CHECK(fits_binomial(top, draws, n, weights[at] / total));
  CHECK(fits_binomial(middle, draws, n, weights[k / 2] / total));
  CHECK(fits_binomial(odd, draws, n, half / total));
  free(memory), free(plan), free(counts), free(scratch), free(first), free(top), free(odd), free(middle);
}

static void test_multinomial(void)
{
  double w[2000];
  for (size_t i = 0; i < 2000; i++) w[i] = 1;
  check_multinomial(w, 3, 100, 100, 20000, 0);         /* one by one or by binomials */
  check_multinomial(w, 500, 200, 200, 20000, 0);       /* single balls */
  check_multinomial(w, 500, 1e4, 1e4, 20000, 1);       /* one table */
  check_multinomial(w, 2000, 1e5, 1e5, 10000, 1);
  check_multinomial(w, 500, 1e4, 9000, 5000, 1);       /* far fewer balls than planned */
  check_multinomial(w, 500, 1e4, 12000, 5000, 1);      /* and more */
  for (size_t i = 0; i < 2000; i++) w[i] = pow((double) i + 1, -1.3);
  check_multinomial(w, 1000, 1e5, 1e5, 10000, 1);      /* big cells, a ladder of tables, a heap */
  check_multinomial(w, 2000, 3e4, 3e4, 10000, 1);
  check_multinomial(w, 100, 1e6, 1e6, 10000, 0);
  for (size_t i = 0; i < 2000; i++) w[i] = 1.0 + 0.3 * (double) (i % 7);
  w[1] = w[999] = 0;
  check_multinomial(w, 1000, 2e4, 2e4, 10000, 1);
  check_multinomial(w, 1000, 1e9, 1e9, 2000, 0);
  check_multinomial(w, 1000, 1e6, 1e6, 5000, 0);       /* a tree of all cells */
  check_multinomial(w, 1000, 1e6, 300, 5000, 0);       /* which is right for few balls too */
}

/* Exact probabilities of the reported histogram for truths (2, 1, 0), p = 5/8 (golden: rr_histogram_pmf). */
static void test_histogram(void)
{
  static const double fixed[10] = {0.006591796875, 0.03515625, 0.050537109375, 0.02197265625, 0.050537109375,
    0.20361328125, 0.153076171875, 0.1171875, 0.2880859375, 0.0732421875};
  const double truth[3] = {2, 1, 0}, theta[3] = {2.0 / 3, 1.0 / 3, 0};
  const candor_world world = {{3, 0.4375, NULL, 0.1875, 0.4375 / 0.1875}, theta, truth, 3};
  void *memory = malloc(candor_simulator_bytes(3, world.truth != NULL));
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
  for (int x = 0; x < K; x++) for (int i = 0; i < (int) truth[x]; i++) holder[n++] = x;
  for (int outcome = 0; outcome < OUTCOMES; outcome++) {
    double p = 1;
    int of[K] = {0}, code = outcome;
    for (int i = 0; i < N; i++, code /= K) {
      p *= b[code % K] + (code % K == holder[i] ? a : 0);
      of[code % K]++;
    }
    exact[SIDE * of[0] + of[1]] += p;
  }
  void *memory = malloc(candor_simulator_bytes(K, 1));
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
  double *own = malloc(DRAWS * sizeof *own), *far = malloc(DRAWS * sizeof *far), *odd = malloc(DRAWS * sizeof *odd);
  const size_t x = k / 3;
  const double b = 1.0 / ((double) k - 0.5), a = -0.5 * b;
  truth[x] = n;
  theta[x] = 1;
  const candor_world world = {{k, a, NULL, b, -0.5}, theta, truth, n};
  void *memory = malloc(candor_simulator_bytes(k, 1));
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

/* The study against the estimation kernels run on the same counts. */
static void check_study(size_t k, double n, double a, double b, const double *other, int fixed, size_t replications)
{
  double *theta = malloc(k * sizeof *theta), *truth = calloc(k, sizeof *truth), total = 0, people = 0;
  for (size_t i = 0; i < k; i++) total += theta[i] = pow((double) i + 1, -1.1);
  for (size_t i = 0; i < k; i++) {
    theta[i] /= total;
    people += truth[i] = floor(n * theta[i]);
  }
  truth[0] += n - people;
  if (fixed) for (size_t i = 0; i < k; i++) theta[i] = truth[i] / n;
  const candor_world world = {{k, a, other, b, a / b}, theta, fixed ? truth : NULL, n};
  static const int methods[4] = {CANDOR_STUDY_MLE, CANDOR_STUDY_INV, CANDOR_STUDY_INVP, CANDOR_STUDY_INVN};
  void *memory = malloc(candor_study_bytes(k, fixed, 4, replications));
  candor_study *study = malloc(sizeof *study);
  CHECK(candor_study_start(study, &world, methods, 4, replications, 11, 3, memory) == CANDOR_OK);
  candor_status status;
  while ((status = candor_study_run(study, 7)) == CANDOR_AGAIN) {}
  CHECK(status == CANDOR_OK);
  double estimate[20], error[20];
  candor_study_finish(study, estimate, error);

  /* Again, plainly. */
  void *again = malloc(candor_simulator_bytes(k, world.truth != NULL));
  candor_simulator *simulator = malloc(sizeof *simulator);
  CHECK(candor_simulator_start(simulator, &world, again) == CANDOR_OK);
  double *x = malloc(k * sizeof *x), *work = malloc(2 * k * sizeof *work), *counts = malloc(k * sizeof *counts);
  double *mean = calloc(4 * k, sizeof *mean), *square = calloc(4 * k, sizeof *square);
  double mse[4] = {0}, tv[4] = {0}, nll[4] = {0};
  candor_simplex_fit fit;
  for (size_t r = 0; r < replications; r++) {
    generator g;
    candor_stream_start(&g.stream, 11, 3, r);
    g.random.fill = candor_stream_fill;
    g.random.state = &g.stream;
    candor_draw_start(&g.draw, &g.random);
    candor_simulate(simulator, &g.draw, counts);
    for (int m = 0; m < 4; m++) {
      if (methods[m] == CANDOR_STUDY_MLE) status = candor_mle(&world.channel, counts, 0, work, &fit, x);
      else if (methods[m] == CANDOR_STUDY_INV) status = candor_inv(&world.channel, counts, x);
      else if (methods[m] == CANDOR_STUDY_INVP) status = candor_invp(&world.channel, counts, work, &fit, x);
      else status = candor_invn(&world.channel, counts, x);
      CHECK(status == CANDOR_OK);
      for (size_t i = 0; i < k; i++) {
        const double d = x[i] - theta[i];
        mse[m] += d * d / (double) replications;
        tv[m] += fabs(d) / 2 / (double) replications;
        if (counts[i] > 0) nll[m] -= counts[i] / n * log((other ? other[i] : b) + a * x[i]) / (double) replications;
        mean[m * (int) k + (int) i] += d / (double) replications;
        square[m * (int) k + (int) i] += d * d;
      }
    }
  }
  for (int m = 0; m < 4; m++) {
    double variance = 0, bias2 = 0;
    for (size_t i = 0; i < k; i++) {
      const double bar = mean[m * (int) k + (int) i], R = (double) replications;
      const double s2 = (square[m * (int) k + (int) i] - R * bar * bar) / (R - 1);
      variance += s2;
      bias2 += bar * bar - s2 / R;
    }
    CHECK_NEAR(estimate[5 * m + 0], mse[m], 1e-10 * mse[m] + 1e-15);
    CHECK_NEAR(estimate[5 * m + 1], tv[m], 1e-10 * tv[m] + 1e-12);
    CHECK_NEAR(estimate[5 * m + 2], nll[m], 1e-11 * nll[m]);
    CHECK_NEAR(estimate[5 * m + 3], bias2, 1e-9 * mse[m] + 1e-15);
    CHECK_NEAR(estimate[5 * m + 4], variance, 1e-9 * mse[m] + 1e-15);
    CHECK_NEAR(estimate[5 * m + 3] + estimate[5 * m + 4], estimate[5 * m], 1e-9 * mse[m] + 1e-15);
    CHECK(error[5 * m] > 0 && error[5 * m + 3] > 0 && error[5 * m + 4] > 0);
  }
  /* Inversion against its closed form (math.md 1.3), equal b: within 6 Monte Carlo errors. */
  if (!other) {
    const double kk = (double) k;
    double sum2 = 0;
    for (size_t i = 0; i < k; i++) sum2 += theta[i] * theta[i];
    const double exact = (kk * b * (1 - b) + a * (1 - a - 2 * b)) / (n * a * a) + (fixed ? 0 : (1 - sum2) / n);
    CHECK_NEAR(estimate[5], exact, 6 * error[5]);
    CHECK_NEAR(estimate[5 + 3], 0, 7 * error[5 + 3]);
  }
  free(theta), free(truth), free(memory), free(study), free(again), free(simulator), free(x), free(work), free(counts);
  free(mean), free(square);
}

static void grr(size_t k, double n, double epsilon, int fixed, size_t replications)
{
  const double e = exp(epsilon), p = e / (e + (double) k - 1), q = 1 / (e + (double) k - 1);
  check_study(k, n, p - q, q, NULL, fixed, replications);
}

static void test_study(void)
{
  grr(2, 50, 1, 0, 40);
  grr(5, 1000, 1, 1, 200);
  grr(50, 1e4, 2, 0, 200);
  grr(50, 1e4, 2, 1, 200);
  grr(300, 1e3, 4, 0, 50);
  grr(1000, 1e5, 4, 1, 50);
  grr(1000, 1e6, 6, 0, 50);
  grr(2000, 1e9, 3, 0, 20);
  grr(50, 1e9, 2, 0, 30);   /* nothing to repair */
  grr(20, 3e3, 2, 0, 100);  /* now and then */
  grr(20, 3e3, 2, 1, 100);
  check_study(4, 1000, -0.2, 0.3, NULL, 0, 100);   /* p < q */
  check_study(4, 1000, -0.2, 0.3, NULL, 1, 100);
  const double forced[3] = {0.1, 0.2, 0.05};
  check_study(3, 5000, 0.65, NAN, forced, 0, 100);
  check_study(3, 5000, 0.65, NAN, forced, 1, 100);
}

static void test_refusals(void)
{
  double theta[2] = {0.5, 0.5}, truth[2] = {1, 2};
  candor_world world = {{2, 0.4, NULL, 0.3, 4.0 / 3}, theta, NULL, 10};
  const int methods[2] = {0, 1}, twice[2] = {1, 1};
  void *memory = malloc(candor_study_bytes(2, 1, 4, 10));
  candor_study *study = malloc(sizeof *study);
  CHECK(candor_study_start(study, &world, methods, 2, 10, 1, 1, memory) == CANDOR_OK);
  CHECK(candor_study_start(study, &world, twice, 2, 10, 1, 1, memory) == CANDOR_DOMAIN);
  CHECK(candor_study_start(study, &world, methods, 0, 10, 1, 1, memory) == CANDOR_DOMAIN);
  CHECK(candor_study_start(study, &world, methods, 2, 0, 1, 1, memory) == CANDOR_DOMAIN);
  world.respondents = 0;
  CHECK(candor_study_start(study, &world, methods, 2, 10, 1, 1, memory) == CANDOR_EMPTY);
  world.respondents = NAN;
  CHECK(candor_study_start(study, &world, methods, 2, 10, 1, 1, memory) == CANDOR_DOMAIN);
  world.respondents = 10;
  world.truth = truth;
  CHECK(candor_study_start(study, &world, methods, 2, 10, 1, 1, memory) == CANDOR_DOMAIN);
  world.truth = NULL;
  theta[0] = 0.7;
  CHECK(candor_study_start(study, &world, methods, 2, 10, 1, 1, memory) == CANDOR_DOMAIN);
  theta[0] = NAN;
  CHECK(candor_study_start(study, &world, methods, 2, 10, 1, 1, memory) == CANDOR_DOMAIN);
  theta[0] = 0.5;
  world.channel.keep = 0;
  CHECK(candor_study_start(study, &world, methods, 2, 10, 1, 1, memory) == CANDOR_DOMAIN ||
        candor_study_start(study, &world, methods, 2, 10, 1, 1, memory) == CANDOR_NO_INFORMATION);
  free(memory), free(study);
}

int main(void)
{
  test_stream();
  test_table();
  test_multinomial();
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
  test_study();
  test_refusals();
  return check_report();
}
