/* How often every set of binary columns is jointly 1.
 *
 * Two routes to the same numbers. Few columns: each row is one bit pattern, patterns are counted, and a
 * superset sum turns 2^D pattern counts into 2^D joint counts. Many columns, low order: each column is
 * packed into words, joint rows are ANDs of words, and ANDs are shared along the tree of sets. */
#ifndef CANDOR_COOCCURRENCE_H
#define CANDOR_COOCCURRENCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define CANDOR_PATTERN_COLUMNS 26 /* 2^26 doubles are half a gigabyte */

/* Rows are packed a block at a time; a block has up to 8 groups of 64 words. */
#define CANDOR_GROUP_WORDS 64
#define CANDOR_GROUP_ROWS 4096
#define CANDOR_BLOCK_GROUPS 8
#define CANDOR_BLOCK_WORDS (CANDOR_BLOCK_GROUPS * CANDOR_GROUP_WORDS)
#define CANDOR_BLOCK_ROWS (CANDOR_BLOCK_GROUPS * CANDOR_GROUP_ROWS)

/* Binary columns of a data set as R holds them: integers or logicals, 0 or 1. */
typedef struct candor_bits {
  size_t columns;
  size_t rows;
  const int *const *column; /* one pointer a column */
} candor_bits;

/* Where an entry was found that is neither 0 nor 1. */
typedef struct candor_bit_place {
  size_t row;
  size_t column;
} candor_bit_place;

/* SYNOPSIS  Add the bit patterns of rows first .. first + rows - 1 to table[2^columns]; column j is bit
 *   columns - 1 - j, see candor_sets_from_patterns.
 * PRECONDITIONS  columns <= CANDOR_PATTERN_COLUMNS; the rows exist. CANDOR_DOMAIN with `bad` set where an
 *   entry is not 0 or 1 (NA included); the table is then undefined.
 * NUMERICS  counts are exact up to 2^53. */
candor_status candor_patterns_add(const candor_bits *bits, size_t first, size_t rows, double *table,
                                  candor_bit_place *bad);

/* SYNOPSIS  x[S] <- sum over T containing S of x[T], in place, over bit masks; and its inverse.
 * NUMERICS  integers stay exact; low axes are done inside a block that fits the first-level cache.
 * REFERENCE  Carette 2022, eqs. (68) and (47). */
void candor_superset_sum(double *x, size_t columns);
void candor_superset_difference(double *x, size_t columns);

/* SYNOPSIS  Pack rows first .. first + rows - 1 of every column into words + j * CANDOR_BLOCK_WORDS.
 *   Which bit a row takes is unspecified but the same for every column; missing rows are 0.
 * PRECONDITIONS  1 <= rows <= CANDOR_BLOCK_ROWS. CANDOR_DOMAIN with `bad` set as above. */
candor_status candor_pack(const candor_bits *bits, size_t first, size_t rows, uint64_t *words, candor_bit_place *bad);

/* SYNOPSIS  Add to counts[] the joint counts of all sets of at most `order` columns in a packed block, by
 *   size and then lexicographically, the empty set (not touched) at 0.
 * PRECONDITIONS  1 <= order <= columns, order <= 32; work holds candor_cooccurrence_work(order) words.
 * NUMERICS  population counts word by word, no hardware needed. */
size_t candor_cooccurrence_work(size_t order);
candor_status candor_cooccurrence_add(const uint64_t *words, size_t columns, size_t rows, size_t order, uint64_t *work,
                                      double *counts);

/* SYNOPSIS  Add to counts[m] the joint count in a packed block of chosen set m, whose members are
 *   members[m * width + 0 ..], padded with -1. Neighbours that share their first members share ANDs.
 * PRECONDITIONS  every set has a member; members < columns; width <= 32; work as above for order = width. */
candor_status candor_cooccurrence_chosen(const uint64_t *words, size_t columns, size_t rows, const int *members,
                                         size_t n, size_t width, uint64_t *work, double *counts);

#endif
