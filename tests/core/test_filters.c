/* Sums of X' S X against the three products, entry by entry; whole numbers, so that both are exact. */
#include <string.h>

#include "check.h"
#include "estimate/filters.h"
#include "uniform.h"

enum { HASHES = 3, CATEGORIES = 41, COHORTS = 4, BITS = 7 };

static int places[HASHES * CATEGORIES * COHORTS], members[2 * BITS + 1 + HASHES * CATEGORIES];
static double inner[BITS * BITS * COHORTS], diagonal[BITS * COHORTS], row[BITS], out[CATEGORIES * CATEGORIES];

/* Different bits of one filter, unless `again`. */
static void draw(size_t hashes, int again)
{
  for (size_t i = 0; i < HASHES * CATEGORIES * COHORTS; i++) {
    int fresh = 0;
    while (!fresh) {
      places[i] = 1 + (int) (uniform() * BITS);
      fresh = 1;
      for (size_t s = 1; s <= i % hashes && !again; s++)
        if (places[i - s] == places[i]) fresh = 0;
    }
  }
  for (size_t j = 0; j < COHORTS; j++)
    for (size_t a = 0; a < BITS; a++) {
      diagonal[a + BITS * j] = (double) (int) (uniform() * 100) - 50;
      for (size_t b = 0; b <= a; b++)
        inner[a + BITS * (b + BITS * j)] = inner[b + BITS * (a + BITS * j)] = (double) (int) (uniform() * 100) - 50;
    }
}

/* Is place s of category v in cohort j unlike the ones before it? A bit that two hashes set is one bit. */
static int counts(size_t hashes, size_t s, size_t v, size_t j)
{
  const int *own = places + hashes * (v + CATEGORIES * j);
  for (size_t before = 0; before < s; before++)
    if (own[before] == own[s]) return 0;
  return 1;
}

static double expected(size_t hashes, size_t u, size_t v, int dense)
{
  double sum = 0;
  for (size_t j = 0; j < COHORTS; j++)
    for (size_t s = 0; s < hashes; s++)
      for (size_t t = 0; t < hashes; t++) {
        if (!counts(hashes, s, u, j) || !counts(hashes, t, v, j)) continue;
        const size_t a = (size_t) places[s + hashes * (u + CATEGORIES * j)] - 1,
                     b = (size_t) places[t + hashes * (v + CATEGORIES * j)] - 1;
        if (dense) sum += inner[a + BITS * (b + BITS * j)];
        else if (a == b) sum += diagonal[a + BITS * j];
      }
  return sum;
}

int main(void)
{
  for (size_t hashes = 1; hashes <= HASHES; hashes++)
    for (int again = 0; again < 2; again++)
      for (int dense = 0; dense < 2; dense++) {
        draw(hashes, again);
        const candor_filters filters = {hashes, CATEGORIES, COHORTS, BITS, places};
        CHECK(candor_filter_members(&filters) == 2 * BITS + 1 + hashes * CATEGORIES);
        CHECK(candor_filter_squares(&filters, dense ? inner : diagonal, dense, members, row, out) == CANDOR_OK);
        for (size_t u = 0; u < CATEGORIES; u++)
          for (size_t v = 0; v < CATEGORIES; v++) CHECK(out[u + CATEGORIES * v] == expected(hashes, u, v, dense));
      }
  const candor_filters filters = {1, CATEGORIES, COHORTS, BITS, places};
  places[3] = 0;
  CHECK(candor_filter_squares(&filters, diagonal, 0, members, row, out) == CANDOR_DOMAIN);
  places[3] = BITS + 1;
  CHECK(candor_filter_squares(&filters, inner, 1, members, row, out) == CANDOR_DOMAIN);
  return check_report();
}
