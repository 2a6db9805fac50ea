/* Families of sets against plain enumeration over bit masks. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "joint/sets.h"

static size_t work[4096];

static size_t mask_of(const int *members, size_t size)
{
  size_t mask = 0;
  for (size_t m = 0; m < size; m++) mask |= (size_t) 1 << members[m];
  return mask;
}

/* By size, then lexicographically by increasing members: the smaller lowest differing column first. */
static int before(size_t a, size_t b)
{
  const int size_a = __builtin_popcountll(a), size_b = __builtin_popcountll(b);
  if (size_a != size_b) return size_a < size_b;
  const size_t differ = a ^ b;
  return (a & (differ & (~differ + 1))) != 0;
}

static void family(size_t columns, size_t order)
{
  candor_set_list sets;
  CHECK(candor_sets_init(&sets, columns, order, work) == CANDOR_OK);
  CHECK(candor_sets_work(columns, order) < 4096);
  size_t expected = 0;
  for (size_t mask = 0; mask < (size_t) 1 << columns; mask++) expected += (size_t) __builtin_popcountll(mask) <= order;
  CHECK(sets.total == expected);
  CHECK_NEAR(candor_sets_total(columns, order), (double) expected, 0);
  size_t previous = 0;
  int members[CANDOR_SET_MAX];
  for (size_t position = 0; position < sets.total; position++) {
    const size_t size = candor_sets_members(&sets, position, members);
    const size_t mask = mask_of(members, size);
    CHECK(candor_sets_rank(&sets, members, size) == position);
    CHECK(position == 0 || before(previous, mask));
    for (size_t present = 0; present < (size_t) 1 << size; present++) {
      int subset[CANDOR_SET_MAX];
      size_t n = 0;
      for (size_t m = 0; m < size; m++)
        if ((present >> m) & 1) subset[n++] = members[m];
      CHECK(candor_sets_position(&sets, members, size, present) == candor_sets_rank(&sets, subset, n));
    }
    if (position + 1 < sets.start[size + 1] && size > 0) {
      CHECK(candor_sets_next(columns, members, size) == 1);
      CHECK(candor_sets_rank(&sets, members, size) == position + 1);
    } else if (size > 0) {
      CHECK(candor_sets_next(columns, members, size) == 0);
    }
    previous = mask;
  }
}

static void axis_and_masks(size_t columns, size_t order)
{
  candor_set_list sets;
  CHECK(candor_sets_init(&sets, columns, order, work) == CANDOR_OK);
  const size_t total = (size_t) 1 << columns;
  double by_mask[256], by_set[256], back[256];
  for (size_t mask = 0; mask < total; mask++) by_mask[mask] = (double) ((mask * 2654435761u) % 1009);
  CHECK(candor_sets_from_masks(&sets, by_mask, by_set) == CANDOR_OK);
  int members[CANDOR_SET_MAX];
  for (size_t position = 0; position < sets.total; position++) {
    const size_t size = candor_sets_members(&sets, position, members);
    CHECK_NEAR(by_set[position], by_mask[mask_of(members, size)], 0);
  }
  if (order == columns) {
    CHECK(candor_sets_to_masks(&sets, by_set, back) == CANDOR_OK);
    CHECK(memcmp(back, by_mask, total * sizeof *back) == 0);
  } else {
    CHECK(candor_sets_to_masks(&sets, by_set, back) == CANDOR_DOMAIN);
  }
  for (size_t j = 0; j < columns; j++) {
    CHECK(candor_sets_axis(&sets, j, -3, 2, by_set) == CANDOR_OK);
    for (size_t mask = 0; mask < total; mask++)
      if ((mask >> j) & 1) by_mask[mask] = -3 * by_mask[mask & ~((size_t) 1 << j)] + 2 * by_mask[mask];
  }
  for (size_t position = 0; position < sets.total; position++) {
    const size_t size = candor_sets_members(&sets, position, members);
    CHECK_NEAR(by_set[position], by_mask[mask_of(members, size)], 0);
  }
  CHECK(candor_sets_axis(&sets, columns, 1, 1, by_set) == CANDOR_DOMAIN);
  CHECK(candor_sets_axis(&sets, 0, NAN, 1, by_set) == CANDOR_NOT_FINITE);
}

static void limits(void)
{
  candor_set_list sets;
  double one[1] = {0};
  static size_t large[(64 + 1) * (32 + 2) + 64];
  CHECK_NEAR(candor_sets_total(10, 0), 1, 0);
  CHECK_NEAR(candor_sets_total(10, 10), 1024, 0);
  CHECK_NEAR(candor_sets_total(5, 9), 32, 0);
  CHECK(isinf(candor_sets_total(2000, 1000)));
  CHECK(candor_sets_work(5, 2) == 6 * 4 + 4); /* binomials of 0 to 5, and where sizes 0 to 3 start */
  CHECK(candor_sets_init(&sets, 34, 33, large) == CANDOR_DOMAIN);
  CHECK(candor_sets_init(&sets, 34, 32, large) == CANDOR_OK && sets.total == ((size_t) 1 << 34) - 35);
  CHECK(candor_sets_init(&sets, 32, 32, large) == CANDOR_OK && sets.total == (size_t) 1 << 32);
  /* All 32 columns are the last set, and the first 31 the one of which the others follow. */
  int all[CANDOR_SET_MAX], members[CANDOR_SET_MAX];
  for (int j = 0; j < 32; j++) all[j] = j;
  CHECK(candor_sets_rank(&sets, all, 32) == sets.total - 1);
  CHECK(candor_sets_rank(&sets, all, 31) == sets.total - 33);
  CHECK(candor_sets_members(&sets, sets.total - 1, members) == 32 && memcmp(all, members, sizeof all) == 0);
  CHECK(candor_sets_from_masks(&sets, one, one) == CANDOR_DOMAIN);
  CHECK(candor_sets_from_patterns(&sets, one, one) == CANDOR_DOMAIN);
  CHECK(candor_sets_to_masks(&sets, one, one) == CANDOR_DOMAIN);
  CHECK(candor_sets_init(&sets, 5, 2, large) == CANDOR_OK);
  CHECK(candor_sets_axis(&sets, 0, 1, NAN, one) == CANDOR_NOT_FINITE);
  CHECK(candor_sets_axis(&sets, 0, INFINITY, 1, one) == CANDOR_NOT_FINITE);
  /* Patterns: column j is bit columns - 1 - j. */
  double by_pattern[32], by_set[16];
  for (size_t pattern = 0; pattern < 32; pattern++) by_pattern[pattern] = (double) pattern;
  CHECK(candor_sets_from_patterns(&sets, by_pattern, by_set) == CANDOR_OK);
  for (size_t position = 0; position < sets.total; position++) {
    const size_t size = candor_sets_members(&sets, position, members);
    double expected = 0;
    for (size_t m = 0; m < size; m++) expected += (double) (1 << (4 - members[m]));
    CHECK_NEAR(by_set[position], expected, 0);
  }
}

int main(void)
{
  for (size_t columns = 1; columns <= 8; columns++) {
    for (size_t order = 1; order <= columns; order++) {
      family(columns, order);
      axis_and_masks(columns, order);
    }
  }
  candor_set_list sets;
  CHECK(candor_sets_init(&sets, 3, 0, work) == CANDOR_DOMAIN);
  CHECK(candor_sets_init(&sets, 3, 4, work) == CANDOR_DOMAIN);
  CHECK(candor_sets_init(&sets, 200, 30, work) == CANDOR_DOMAIN);
  /* 4,950 pairs of 100 columns: the last one. */
  CHECK(candor_sets_init(&sets, 100, 3, work) == CANDOR_OK);
  const int last[2] = {98, 99};
  CHECK(sets.total == 166751);
  CHECK(candor_sets_rank(&sets, last, 2) == 5050);
  limits();
  return check_report();
}
