/* Probabilities as a generator of words can realize them: whole multiples of 2^-64, rounded so that the
 * achieved epsilon is never above the nominal one.
 *
 * A probability is two digits of base 2^32, value = high / 2^32 + low / 2^64, so that one is {2^32, 0}
 * and the event "a uniform 64-bit number lies below it" falls on the first word alone unless that word
 * equals `high`.
 *
 * Nominal probabilities come as doubles in pairs, p and its complement; the smaller of the two is taken
 * as exact, since the larger one has lost the digits that matter (1 - 1e-18 is 1 in a double).
 */
#ifndef CANDOR_QUANTISE_H
#define CANDOR_QUANTISE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct candor_grid {
  uint64_t high; /* 0 .. 2^32 */
  uint64_t low;  /* 0 .. 2^32 - 1 */
} candor_grid;

/* SYNOPSIS: the largest grid point <= x, the smallest >= x, for 0 <= x <= 1. NUMERICS: exact. */
candor_grid candor_grid_floor(double x);
candor_grid candor_grid_ceiling(double x);

/* SYNOPSIS: the same for a probability given as a pair; exact with respect to the smaller number.
 * PRECONDITIONS: both in [0, 1]. p is 0 or 1 only if it is so exactly; then so is the grid point. */
candor_grid candor_grid_down(double p, double complement);
candor_grid candor_grid_up(double p, double complement);

/* Sums may exceed one (up to 2^31 terms); a difference needs x >= y. */
candor_grid candor_grid_add(candor_grid x, candor_grid y);
candor_grid candor_grid_subtract(candor_grid x, candor_grid y);
candor_grid candor_grid_multiple(candor_grid x, uint32_t times);
int candor_grid_less(candor_grid x, candor_grid y);
double candor_grid_log_ratio(candor_grid more, candor_grid less); /* log(more / less), more >= less; 0 for 0/0 */
double candor_grid_value(candor_grid x);                          /* to the nearest double or its neighbour */

extern const candor_grid candor_grid_zero;
extern const candor_grid candor_grid_one;

/* Largest distance of a row's sum from 1 that is still taken for rounding of the doubles. */
#define CANDOR_ROW_TOLERANCE 1e-9

/* SYNOPSIS: truth with probability a, else an answer from fixed probabilities: C[x, y] = b_y + a 1{x = y}.
 *   On exit *truth + sum other[] = 1 on the grid, exactly.
 * PRECONDITIONS: n >= 1; a, b_y in [0, 1], |a + sum b - 1| <= CANDOR_ROW_TOLERANCE, else CANDOR_DOMAIN
 *   (CANDOR_NOT_FINITE for NaN).
 * NUMERICS: the ratios in column y are 1 + a / b_y or 1. On exit *truth <= a, and other[y] >= b_y, and
 *   other[y] = 0 where b_y = 0; so no ratio grew. Each b_y is rounded up to the grid, the truth gets what
 *   is left, at most floor(a); a surplus (the doubles added up to less than 1) goes to the largest b_y.
 *   Where not even truth = 0 leaves room for the rounded b_y, the largest gives way: then all
 *   rows are equal, and the ratios 1. Where all b_y = 0 the truth is told for certain. */
candor_status candor_quantize_innocuous(size_t n, double a, const double *b, candor_grid *truth, candor_grid *other);

/* SYNOPSIS: any channel. C is rows x columns, column-major (row x is the law of the report when the truth
 *   is x); out is rows x columns, ROW-major. On exit each row of `out` adds up to 1 exactly.
 *   work: 2 * columns doubles, bound: 2 * columns grid points.
 * PRECONDITIONS: rows, columns >= 1; entries in [0, 1], rows sum to 1 within CANDOR_ROW_TOLERANCE, else
 *   CANDOR_DOMAIN (CANDOR_NOT_FINITE for NaN).
 * NUMERICS: zero entries stay zero. Let m_y and M_y be the least and greatest entry of column y. For a
 *   scale t near 1, common to all columns, every entry of a column with m_y > 0 is kept in the box
 *   [ceil(t m_y), floor(t M_y)] of grid points (or at the single point ceil(t m_y), if the box holds none), and
 *   every nonzero entry of a column with m_y = 0 in [2^-64, 1].
 *   Claim: no ratio of two entries of a column exceeds M_y / m_y. Proof: both lie in a box whose ends
 *   have at most that ratio, t cancelling; if m_y = 0 the nominal ratio is infinite. []
 *   Within the boxes an entry is rounded, and what a row lacks of 1 goes to the largest entry whose box has
 *   room for it, or else to several. That fits unless the least (greatest) values of a row's boxes add up to
 *   more (less) than 1. With t = 1 this happens when the doubles of a row do not add up to 1 exactly; t is
 *   then moved by as much as the worst row needs. If no t serves, the rows differ in total by no more than
 *   that rounding (Sum_y (M_y - m_y) is of its order), and all rows become one and the same: ratio 1. */
candor_status candor_quantize_channel(size_t rows, size_t columns, const double *c, double *work, candor_grid *bound,
                                      candor_grid *out);

#endif
