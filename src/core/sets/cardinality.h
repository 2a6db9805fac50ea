/* Sizes of unions and intersections of n sets over m elements, seen through randomized response: element i's
 * reported membership of set j is wrong with probability flip, independently. bits[i + j * m] is column-major.
 *
 * Every element contributes its unbiased OR (or AND); a total's variance estimate is the total of Y (Y - 1).
 * A column may be inverted: membership of the complement, which is reported wrong with the same probability. So
 * "all of the columns, some inverted" is any one cell of the Venn diagram, such as a difference of two sets.
 *
 * REFERENCE Hehir (2023) "Easier estimation of extremes under randomized response", section 1, Theorems 1 and 3. */
#ifndef CANDOR_CARDINALITY_H
#define CANDOR_CARDINALITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A real number mantissa * 2^exponent: totals of products of many factors overflow a double. */
typedef struct candor_wide {
  double mantissa;
  double exponent;
} candor_wide;

/* Totals over the elements of N = prod_j z_j ("in none") and A = prod_j (1 - z_j) ("in all"). */
typedef struct candor_cardinality {
  double elements;
  candor_wide none, none_square, all, all_square, none_all;
  candor_wide bound; /* of prod_j (1 + v_j), v = q (1 - q) / (1 - 2q)^2: no variance exceeds this less the elements */
} candor_cardinality;

typedef struct candor_membership {
  const int *bits; /* m x n, column-major, entries 0 or 1 */
  size_t m, n;
  const double *flips; /* one per set, or m x n */
  int flip_per_bit;
  const unsigned char *invert; /* NULL, or per set: 1 to take the complement */
} candor_membership;

#define CANDOR_CARDINALITY_ROWS 1024
#define CANDOR_CARDINALITY_WORK (7 * CANDOR_CARDINALITY_ROWS)

/* SYNOPSIS      One pass over the whole matrix in blocks of rows, so that the running products stay in cache.
 * `work` holds CANDOR_CARDINALITY_WORK doubles. On failure `*where` is the position in `bits` (CANDOR_DOMAIN with
 * `*in_flips` 0) or in `flips` (`*in_flips` 1) of the first offender.
 * PRECONDITIONS m, n >= 1; flips in [0, 1], not 1/2.
 * NUMERICS      Plain products where they cannot leave the range of a double, else mantissa and exponent;
 *               compensated totals. */
candor_status candor_cardinality_total(const candor_membership *sets, double *work, candor_cardinality *total,
                                       size_t *where, int *in_flips);

/* SYNOPSIS      The same from how many elements were reported in s of n sets, s = 0..n, when all flips are equal.
 * PRECONDITIONS histogram entries are >= 0 and finite. No `invert`: it would need the sets apart. */
candor_status candor_cardinality_histogram(const double *histogram, size_t n, double flip, candor_cardinality *total);

typedef struct candor_size_estimate {
  double size;     /* +-Inf when beyond the range of a double */
  double variance; /* unbiased, may be negative */
  double sign;     /* of elements - size (union) or of size (intersection), */
  double log;      /* and the logarithm of its absolute value: they hold when `size` overflows */
} candor_size_estimate;

/* SYNOPSIS      Reads the totals. `covariance` is the unbiased estimate for union and intersection; `bound` the
 *               variance of either under the least favourable sets. */
void candor_cardinality_value(const candor_cardinality *total, candor_size_estimate *set_union,
                              candor_size_estimate *intersection, double *covariance, double *bound);

/* SYNOPSIS      ones[i] = number of sets that report element i. */
candor_status candor_row_ones(const int *bits, size_t m, size_t n, double *ones, size_t *where);

#endif
