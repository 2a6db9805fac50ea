/* The smallest harness that states what was expected, where, and how many held. Each test file has
 * one main() that ends in `return check_report();`. */
#ifndef CANDOR_CHECK_H
#define CANDOR_CHECK_H

#include <math.h>
#include <stdio.h>

static long check_passed = 0;
static long check_failed = 0;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (condition) {                                                            \
      check_passed++;                                                           \
    } else {                                                                    \
      check_failed++;                                                           \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

/* |x - y| <= tolerance, with the two values printed when it does not hold; a NaN never passes. */
#define CHECK_NEAR(x, y, tolerance)                                                                      \
  do {                                                                                                   \
    const double check_x = (x), check_y = (y);                                                           \
    if (check_x == check_y || fabs(check_x - check_y) <= (tolerance)) {                                  \
      check_passed++;                                                                                    \
    } else {                                                                                             \
      check_failed++;                                                                                    \
      fprintf(stderr, "%s:%d: %s is %.17g, expected %.17g\n", __FILE__, __LINE__, #x, check_x, check_y); \
    }                                                                                                    \
  } while (0)

static int check_report(void)
{
  printf("%ld passed, %ld failed\n", check_passed, check_failed);
  return check_failed != 0;
}

#endif
