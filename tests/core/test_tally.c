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

int main(void)
{
  test_by_hand();
  test_every_bad_position();
  test_missing_are_skipped_and_counted();
  test_groups_and_weights();
  test_many_categories();
  test_limits();
  test_check_counts();
  return check_report();
}
