/* Families of column sets: all subsets of `columns` columns with at most `order` members, the empty
 * set first, then by size, then lexicographically. Everything about joint counts is an array over
 * such a family, so the position of a set is the one address calculation the package needs. */
#ifndef CANDOR_SETS_H
#define CANDOR_SETS_H

#include <stddef.h>

#include "base/status.h"

/* No set has more members: orders beyond it cannot be tallied completely anyway. */
#define CANDOR_SET_MAX 32

typedef struct candor_set_list {
  size_t columns;
  size_t order;
  size_t total;           /* number of sets, the empty one included */
  const size_t *binomial; /* n * (order + 2) + k holds C(n, k), n = 0 .. columns */
  const size_t *start;    /* start[k] is the position of the first set of size k, k = 0 .. order + 1 */
} candor_set_list;

/* Number of sets as a double: exact below 2^53, Inf where it overflows. */
double candor_sets_total(size_t columns, size_t order);

/* SYNOPSIS  Prepare the address calculation. `work` holds candor_sets_work(columns, order) sizes.
 * PRECONDITIONS  1 <= order <= min(columns, CANDOR_SET_MAX); fewer than 2^52 sets, else CANDOR_DOMAIN. */
size_t candor_sets_work(size_t columns, size_t order);
candor_status candor_sets_init(candor_set_list *sets, size_t columns, size_t order, size_t *work);

/* SYNOPSIS  Position of the set whose members (increasing, 0-based) are the bits of `present` among
 *   `members[0 .. size - 1]`; at most `order` of them. Walks from the largest member down, because
 *   C(columns - 1 - i, number of members >= i) is what lexicographic order skips. */
size_t candor_sets_position(const candor_set_list *sets, const int *members, size_t size, size_t present);

/* All members present. */
size_t candor_sets_rank(const candor_set_list *sets, const int *members, size_t size);

/* SYNOPSIS  The members of the set at `position`; returns how many. `members` holds `order`. */
size_t candor_sets_members(const candor_set_list *sets, size_t position, int *members);

/* SYNOPSIS  Step to the next set of the same size in lexicographic order; 0 when there is none. */
int candor_sets_next(size_t columns, int *members, size_t size);

/* SYNOPSIS  x[S] <- w0 x[S without j] + w1 x[S] for every set S that holds column j: one axis of a
 *   triangular Kronecker product, in place, exact under truncation of the order.
 * PRECONDITIONS  j < columns; x holds sets->total.  NUMERICS  one multiply-add a set.
 * REFERENCE  Carette 2022, eqs. (24), (34), for a probability pair of each column's own. */
candor_status candor_sets_axis(const candor_set_list *sets, size_t j, double w0, double w1, double *x);

/* SYNOPSIS  Between an array over bit masks (bit j = column j) and the family's order. Masks with more
 *   than `order` bits are dropped by the first.
 * PRECONDITIONS  columns <= 30; by_mask holds 2^columns. candor_sets_to_masks needs order == columns. */
candor_status candor_sets_from_masks(const candor_set_list *sets, const double *by_mask, double *by_set);
candor_status candor_sets_to_masks(const candor_set_list *sets, const double *by_set, double *by_mask);

/* SYNOPSIS  The same from an array over patterns, in which column j is bit columns - 1 - j: sets that follow each
 *   other then lie close together, which is what large tables need. */
candor_status candor_sets_from_patterns(const candor_set_list *sets, const double *by_pattern, double *by_set);

#endif
