/* Which rows of a table of numbers are the same.
 *
 * SYNOPSIS       candor_distinct(&table, limit, slot, slots, id, first, &count)
 * PRECONDITIONS  columns of `rows` numbers each; slots a power of 2, at least 2 * limit; slot: room for them; id: rows;
 *                first: limit.
 * NUMERICS       numbers are the same when their bits are, after -0 has become 0. One pass, by blocks of columns.
 *                Bought: 1e6 rows of 200 patterns are fitted in the time of a few hundred; see tools/bench.
 * REFERENCE      Knuth 1998, The Art of Computer Programming 3, sec. 6.4 (open addressing). */
#ifndef CANDOR_DISTINCT_H
#define CANDOR_DISTINCT_H

#include <stddef.h>

#include "base/status.h"

typedef struct candor_rows {
  size_t rows, columns;
  const double *const *column;
  const int *code; /* one more column, of integers; or NULL */
} candor_rows;

/* id[i]: the 0-based number of row i's pattern, in order of appearance; first[k]: the row where pattern k appears
 * first.
 * STALLED: more than `limit` patterns (the outputs are then of no use). */
candor_status candor_distinct(const candor_rows *table, size_t limit, int *slot, size_t slots, int *id, size_t *first,
                              size_t *count);

#endif
