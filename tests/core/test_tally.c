/* The tally kernel against counts made by hand and by the plainest loop. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tally/tally.h"

static uint32_t work[64];

static candor_tally_reports reports_of(const int *codes, size_t n)
{
  const candor_tally_reports reports = {codes, NULL, NULL, n, 1, INT_MIN, 0};
  return reports;
}

static void test_by_hand(void)
{
  const int codes[] = {1, 3, 3, 2, 3, 1, 3};
  double counts[3] = {10.0, 0.0, 0.0}, missing = 0.0;
  size_t position = 99;
  const candor_tally_reports reports = reports_of(codes, 7);
  CHECK(candor_tally(&reports, 3, 1, work, counts, NULL, &missing, &position) == CANDOR_OK);
  CHECK(counts[0] == 12.0 && counts[1] == 1.0 && counts[2] == 4.0);
  CHECK(missing == 0.0);
}

static void test_every_bad_position(void)
{
  const int bad[] = {0, 4, -1, INT_MAX, INT_MIN, INT_MIN + 1};
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
    for (size_t at = 0; at < 9; at++) {
      int codes[9] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
      double counts[3] = {0.0, 0.0, 0.0}, missing = 0.0;
      size_t position = 99;
      codes[at] = bad[b];
      const candor_tally_reports reports = reports_of(codes, 9);
      CHECK(candor_tally(&reports, 3, 1, work, counts, NULL, &missing, &position) == CANDOR_DOMAIN);
      CHECK(position == at);
    }
  }
}

static void test_missing_are_skipped_and_counted(void)
{
  const int codes[] = {INT_MIN, 1, INT_MIN, 2};
  double counts[2] = {0.0, 0.0}, missing = 0.0;
  size_t position = 0;
  candor_tally_reports reports = reports_of(codes, 4);
  reports.skip_missing = 1;
  CHECK(candor_tally(&reports, 2, 1, work, counts, NULL, &missing, &position) == CANDOR_OK);
  CHECK(counts[0] == 1.0 && counts[1] == 1.0 && missing == 2.0);
}

static void test_groups_and_weights(void)
{
  const int codes[] = {0, 1, 1, 0}, groups[] = {1, 2, 2, 1};
  const double weights[] = {0.5, 2.0, 1.0, 0.25};
  double counts[4] = {0.0, 0.0, 0.0, 0.0}, squares[2] = {0.0, 0.0}, missing = 0.0;
  size_t position = 0;
  candor_tally_reports reports = {codes, groups, weights, 4, 0, INT_MIN, 0};
  CHECK(candor_tally(&reports, 2, 2, work, counts, squares, &missing, &position) == CANDOR_OK);
  CHECK(counts[0] == 0.75 && counts[1] == 0.0 && counts[2] == 0.0 && counts[3] == 3.0);
  CHECK(squares[0] == 0.3125 && squares[1] == 5.0);

  const int beyond[] = {1, 3, 2, 1};
  reports.groups = beyond;
  CHECK(candor_tally(&reports, 2, 2, work, counts, squares, &missing, &position) == CANDOR_DOMAIN && position == 1);
  const double spoilt[] = {0.5, 1.0, NAN, 1.0};
  reports.groups = groups;
  reports.weights = spoilt;
  CHECK(candor_tally(&reports, 2, 2, work, counts, squares, &missing, &position) == CANDOR_DOMAIN && position == 2);
}

/* Either side of the number of categories at which the partial counts are given up. */
static void test_many_categories(void)
{
  for (size_t k = 4095; k <= 4098; k++) {
    static int codes[9000];
    static double counts[4098], expected[4098];
    double missing = 0.0;
    size_t position = 0;
    uint32_t *space = malloc(candor_tally_work(k) * sizeof *space);
    memset(counts, 0, sizeof counts);
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < 9000; i++) {
      codes[i] = 1 + (int) ((i * i) % k);
      expected[codes[i] - 1] += 1.0;
    }
    const candor_tally_reports reports = reports_of(codes, 9000);
    CHECK(candor_tally(&reports, k, 1, space, counts, NULL, &missing, &position) == CANDOR_OK);
    CHECK(memcmp(counts, expected, sizeof counts) == 0);
    free(space);
  }
}

static void test_limits(void)
{
  const int codes[] = {1};
  double counts[1] = {0.0}, missing = 0.0;
  size_t position = 0;
  candor_tally_reports reports = reports_of(codes, 1);
  CHECK(candor_tally(&reports, 0, 1, work, counts, NULL, &missing, &position) == CANDOR_DOMAIN);
  CHECK(candor_tally(&reports, 1, 0, work, counts, NULL, &missing, &position) == CANDOR_DOMAIN);
  reports.n = CANDOR_TALLY_BLOCK + 1;
  CHECK(candor_tally(&reports, 1, 1, work, counts, NULL, &missing, &position) == CANDOR_DOMAIN);
  reports.n = 0;
  CHECK(candor_tally(&reports, 1, 1, work, counts, NULL, &missing, &position) == CANDOR_OK && counts[0] == 0.0);
}

static void test_check_counts(void)
{
  double total = 0.0;
  size_t position = 99;
  const double good[] = {0.0, 1.0, 9007199254740992.0, 3.0, 5.0};
  CHECK(candor_check_counts(good, 2, 1, &total, &position) == CANDOR_OK && total == 1.0);
  CHECK(candor_check_counts(good, 5, 1, &total, &position) == CANDOR_OK);
  const double bad[] = {-1.0, NAN, INFINITY, -INFINITY, 0.5, -0.5, 1e-300, 4503599627370495.5};
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
    for (size_t at = 0; at < 9; at++) {
      double counts[9] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0};
      counts[at] = bad[b];
      CHECK(candor_check_counts(counts, 9, 1, &total, &position) != CANDOR_OK);
      CHECK(position == at);
      const int fractional = isfinite(bad[b]) && bad[b] >= 0.0;
      CHECK((candor_check_counts(counts, 9, 0, &total, &position) == CANDOR_OK) == fractional);
    }
  }
  const double huge[] = {1e308, 1e308};
  CHECK(candor_check_counts(huge, 2, 0, &total, &position) == CANDOR_NOT_FINITE);
  CHECK(candor_check_counts(huge, 0, 1, &total, &position) == CANDOR_OK && total == 0.0);
}

/* The general way against the plainest loop, over codes that begin anywhere; what it refuses, at every place. */
static void test_general(void)
{
  enum { n = 203, k = 5, n_groups = 3 };
  static int codes[n], groups[n];
  static double weights[n];
  const int firsts[] = {1, 0, -2, INT_MAX - 4};
  for (int kind = 0; kind < 8; kind++) {
    for (int f = 0; f < 4; f++) {
      double counts[k * n_groups] = {0}, expected[k * n_groups] = {0}, squares[n_groups] = {0}, sums[n_groups] = {0};
      double missing = 0, gone = 0;
      size_t position = 999;
      for (int i = 0; i < n; i++) {
        codes[i] = firsts[f] + (i * i + i / 3) % k;
        groups[i] = 1 + i % n_groups;
        weights[i] = 0.25 * (i % 7);
        if ((kind & 4) && i % 11 == 5) codes[i] = INT_MIN, gone++;
        else {
          const int group = kind & 2 ? i % n_groups : 0;
          const double weight = kind & 1 ? weights[i] : 1;
          expected[group * k + (codes[i] - firsts[f])] += weight;
          sums[group] += kind & 1 ? weight * weight : 0;
        }
      }
      candor_tally_reports reports = {
          codes, kind & 2 ? groups : NULL, kind & 1 ? weights : NULL, n, firsts[f], INT_MIN, kind & 4};
      const size_t used = kind & 2 ? n_groups : 1;
      CHECK(candor_tally(&reports, k, used, work, counts, squares, &missing, &position) == CANDOR_OK);
      CHECK(memcmp(counts, expected, sizeof counts) == 0 && memcmp(squares, sums, sizeof squares) == 0);
      CHECK(missing == gone && position == 999);
      if (!(kind & 4)) continue;
      /* Not to be skipped: the first missing one is refused. */
      reports.skip_missing = 0;
      CHECK(candor_tally(&reports, k, used, work, counts, squares, &missing, &position) == CANDOR_DOMAIN &&
            position == 5);
    }
  }
  /* A missing code among those of categories is still missing. */
  const int inside[] = {1, 2, 9, 2, 3};
  double counts[9] = {0}, squares[3] = {0}, missing = 0;
  size_t position = 99;
  candor_tally_reports reports = {inside, NULL, NULL, 5, 1, 9, 0};
  CHECK(candor_tally(&reports, 9, 1, work, counts, squares, &missing, &position) == CANDOR_DOMAIN && position == 2);
  reports.missing = 10;
  CHECK(candor_tally(&reports, 9, 1, work, counts, squares, &missing, &position) == CANDOR_OK && counts[8] == 1);
  const int codes5[] = {1, 2, 1, 2, 1}, good_groups[] = {1, 3, 2, 1, 1};
  const double good[] = {1, 0, 1, 2, 3}, bad_weight[] = {-0.5, INFINITY, NAN};
  for (int at = 0; at < 5; at++) {
    for (int b = 0; b < 6; b++) {
      double w[5];
      int g[5], c[5];
      memcpy(w, good, sizeof w), memcpy(g, good_groups, sizeof g), memcpy(c, codes5, sizeof c);
      if (b < 3) w[at] = bad_weight[b];
      else if (b < 5) g[at] = b == 3 ? 0 : 4;
      else c[at] = 3;
      const candor_tally_reports wrong = {c, g, w, 5, 1, INT_MIN, 1};
      CHECK(candor_tally(&wrong, 2, 3, work, counts, squares, &missing, &position) == CANDOR_DOMAIN);
      CHECK(position == (size_t) at);
    }
  }
  CHECK(candor_tally_work(3) == 12 && candor_tally_work(4096) == 16384 && candor_tally_work(4097) == 4097);
  double total;
  const double whole[] = {1, 2, 3, 4, 5, 6, 7};
  for (size_t m = 0; m <= 7; m++)
    CHECK(candor_check_counts(whole, m, 1, &total, &position) == CANDOR_OK && total == (double) (m * (m + 1)) / 2);
  const double signs[] = {NAN, -INFINITY, INFINITY, -1, 1.5};
  const candor_status status[] = {CANDOR_NOT_FINITE, CANDOR_NOT_FINITE, CANDOR_NOT_FINITE, CANDOR_DOMAIN,
                                  CANDOR_DOMAIN};
  for (int b = 0; b < 5; b++)
    CHECK(candor_check_counts(&signs[b], 1, 1, &total, &position) == status[b] && position == 0);
}

/* 10, 30 and 50 are the shares 0, 1/2 and 1 of the numbers from 10 to 50: their powers are exact. */
static void test_powers(void)
{
  const double x[] = {10, 30, 50, 30}, weights[] = {5, 2, 4, 0.5};
  const int groups[] = {1, 2, 1, 2};
  long double sums[8] = {1, 1, 1, 1, 0, 0, 0, 0};
  size_t position = 99;
  candor_tally_numbers numbers = {x, NULL, NULL, 4, 10, 40};
  CHECK(candor_tally_powers(&numbers, 1, sums, &position) == CANDOR_OK);
  CHECK(sums[0] == 3 && sums[1] == 2.5L && sums[2] == 2.25L && sums[3] == 2.125L);
  const candor_tally_numbers grouped = {x, groups, weights, 4, 10, 40};
  CHECK(candor_tally_powers(&grouped, 2, sums, &position) == CANDOR_OK);
  for (int p = 0; p < 4; p++) CHECK(sums[p] == 6 + 1.0L / (1 << p) && sums[4 + p] == 1.25L / (1 << p));
  CHECK(candor_tally_powers(&grouped, 1, sums, &position) == CANDOR_DOMAIN && position == 1);
  const double bad[] = {9.999, 50.001, NAN, INFINITY, -INFINITY};
  for (size_t b = 0; b < 5; b++)
    for (size_t at = 0; at < 4; at++) {
      double wrong[] = {10, 30, 50, 30};
      wrong[at] = bad[b];
      numbers.x = wrong;
      CHECK(candor_tally_powers(&numbers, 1, sums, &position) == CANDOR_DOMAIN && position == at);
    }
}

int main(void)
{
  test_by_hand();
  test_powers();
  test_every_bad_position();
  test_missing_are_skipped_and_counted();
  test_groups_and_weights();
  test_many_categories();
  test_limits();
  test_check_counts();
  test_general();
  return check_report();
}
