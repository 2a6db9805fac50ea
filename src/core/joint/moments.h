/* Linear maps between true and reported joint counts of binary columns, each with its own (p, q):
 * p = Pr(report 1 | truth 1), q = Pr(report 1 | truth 0), d = p - q. All are Kronecker products over the
 * columns, so they are applied an axis at a time and never formed, except on request. */
#ifndef CANDOR_MOMENTS_H
#define CANDOR_MOMENTS_H

#include <stddef.h>

#include "base/status.h"
#include "joint/sets.h"

/* Values attached to sets: a complete family, and optionally chosen further sets beyond its order (by size,
 * then lexicographically, each padded with -1 to `width` members). */
typedef struct candor_table {
  const candor_set_list *sets;
  const double *value; /* sets->total; the empty set first: the number of rows */
  size_t n_more;
  size_t width;
  const int *more;
  const double *more_value;
} candor_table;

/* SYNOPSIS  Can the table be computed with? CANDOR_NOT_FINITE, or CANDOR_EMPTY where the number of rows is not
 *   above 0. */
candor_status candor_table_check(const candor_table *table);

/* SYNOPSIS  Value of the set formed by the bits of `present` among `members` (increasing).
 *   CANDOR_DOMAIN when the table does not hold it. */
candor_status candor_table_get(const candor_table *table, const int *members, size_t size, size_t present,
                               double *value);

/* SYNOPSIS  Are the columns' probabilities usable? CANDOR_DOMAIN outside [0, 1], CANDOR_NOT_FINITE,
 *   CANDOR_NO_INFORMATION where p == q; `which` is then the first such column. */
candor_status candor_columns_check(size_t columns, const double *p, const double *q, size_t *which);

/* The weights (absent, present) of one column; see candor_sets_axis. Those of the inverse are (-q/d, 1/d). */
void candor_weights_report(double p, double q, double weight[2]); /* truth -> expected reports: (q, d) */

/* SYNOPSIS  sum over T among the free members of weight products times value(fixed + T), where the members
 *   in the bits of `fixed` are always present and those of `free` contribute weight[2 m] if absent and
 *   weight[2 m + 1] if present; members in neither are left out.
 * PRECONDITIONS  size <= 63; every set needed is in the table, else CANDOR_DOMAIN.
 * NUMERICS  one axis folded at a time, 2^|free| look-ups, no workspace. */
candor_status candor_contract(const candor_table *table, const int *members, size_t size, size_t fixed, size_t free,
                              const double *weight, double *out);

/* SYNOPSIS  In place, x <- (B_0 (x) ... (x) B_{columns-1}) x over bit masks, B_j = matrix[4 j ..] row by row.
 * PRECONDITIONS  columns <= 30.  NUMERICS  2^columns multiply-adds an axis. */
candor_status candor_axes2(double *x, size_t columns, const double *matrix);

/* SYNOPSIS  y <- (T_0 (x) ... ) x with 3 x 2 matrices T_j = matrix[6 j ..]: bit masks in, ternary digits out
 *   (digit j has place value 3^j).
 * PRECONDITIONS  columns <= 15; y and work hold 3^columns. */
candor_status candor_axes3(const double *x, size_t columns, const double *matrix, double *work, double *y);

/* SYNOPSIS  Exact law of a sum of independent Bernoulli variables in classes: count[c] rows with success
 *   probability prob[c]. pmf holds sum(count) + 1.
 * PRECONDITIONS  counts are whole numbers >= 0, probabilities in [0, 1].
 * NUMERICS  adds one row at a time: only sums of non-negative terms, O(N^2).
 * REFERENCE  Carette 2022, Lemma B.1, eq. (55) with its lost comma. */
candor_status candor_count_law(size_t classes, const double *count, const double *prob, double *pmf);

#endif
