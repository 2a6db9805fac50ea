/* Joint cells of several answers. */
#include "tally/cells.h"

#include <limits.h>

#include "check.h"

int main(void)
{
  const int first[6] = {1, 2, 3, INT_MIN, 1, 3}, second[6] = {0, 1, 1, 0, INT_MIN, 0};
  int cell[6] = {0};
  size_t position = 99;
  CHECK(candor_add_question(first, 6, 1, 3, 1, INT_MIN, &position, cell) == CANDOR_OK);
  CHECK(candor_add_question(second, 6, 0, 2, 3, INT_MIN, &position, cell) == CANDOR_OK);
  const int expected[6] = {0, 4, 5, INT_MIN, INT_MIN, 2};
  for (int i = 0; i < 6; i++) CHECK(cell[i] == expected[i]);
  CHECK(position == 99);
  /* Both ends of the range, and codes whose difference overflows an int. */
  const int low[3] = {1, 0, 2}, high[3] = {2, 1, 3}, far[2] = {INT_MAX, 1}, below[2] = {1, -INT_MAX};
  int out[3] = {0};
  CHECK(candor_add_question(low, 3, 1, 2, 1, INT_MIN, &position, out) == CANDOR_DOMAIN && position == 1);
  CHECK(candor_add_question(high, 3, 1, 2, 1, INT_MIN, &position, out) == CANDOR_DOMAIN && position == 2);
  CHECK(candor_add_question(far, 2, 1, 2, 1, INT_MIN, &position, out) == CANDOR_DOMAIN && position == 0);
  CHECK(candor_add_question(below, 2, 1, 2, 1, INT_MIN, &position, out) == CANDOR_DOMAIN && position == 1);
  CHECK(candor_add_question(low, 0, 1, 2, 1, INT_MIN, &position, out) == CANDOR_OK);
  return check_report();
}
