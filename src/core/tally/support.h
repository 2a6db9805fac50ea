/* From reports that support sets of categories to counts: how many reports support each. The one pass over the data.
 *
 * Counts are doubles, exact below 2^53; those of n_groups groups stand side by side and are added to. On a bad report a
 * kernel returns CANDOR_DOMAIN with its 0-based *position; the counts are then incomplete and must be thrown away. */
#ifndef CANDOR_TALLY_SUPPORT_H
#define CANDOR_TALLY_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/affine.h"
#include "base/status.h"

/* What all reports have: how many there are, their groups and their weights. */
typedef struct candor_support_reports {
  size_t n;
  const int *groups; /* n groups in 1 .. n_groups, or NULL for one group */
  size_t n_groups;
  const double *weights; /* n finite weights >= 0, or NULL for weights of one */
} candor_support_reports;

/* SYNOPSIS: checks groups and weights, and adds up the weights and their squares by group: sums and squares have
 *   n_groups elements each. */
candor_status candor_count_reports(const candor_support_reports *reports, double *sums, double *squares,
                                   size_t *position);

/* SYNOPSIS: packed bits, lowest first: byte b of report i is bits[b * n + i], as a matrix with a row a report has them.
 * PRECONDITIONS: bits beyond k are 0, and `size` of the others are 1 (any number where size is SIZE_MAX), else
 *   CANDOR_DOMAIN. `ones`: n elements of workspace where a size is given.
 * NUMERICS: without groups and weights 64 bits are added at once, to eight counters in each of eight words: 30 times as
 *   fast as one bit after the other. */
candor_status candor_count_bits(const candor_support_reports *reports, const uint8_t *bits, size_t k, size_t size,
                                uint32_t *ones, double *counts, size_t *position);

/* SYNOPSIS: lists of `size` increasing numbers from 1 to k a report. Where `signs`, a number may be negative and is
 *   then counted in k + its absolute value: counts have 2 k elements a group. */
candor_status candor_count_lists(const candor_support_reports *reports, const int *lists, size_t size, size_t k,
                                 int with_signs, double *counts, size_t *position);

/* Reports of local hashing: slope in 1 .. prime - 1, shift in 0 .. prime - 1, value in 1 .. buckets. */
typedef struct candor_hashed {
  const int *slope, *shift, *value;
  candor_affine hash;
  const uint32_t *code; /* of each of the k categories, all different, below the prime */
} candor_hashed;

/* SYNOPSIS: CANDOR_DOMAIN with the position of the first report with a number out of range. */
candor_status candor_check_hashed(const candor_support_reports *reports, const candor_hashed *hashed, size_t *position);

/* SYNOPSIS: counts of checked reports, one report at a time: O(n k). */
candor_status candor_count_hashed(const candor_support_reports *reports, const candor_hashed *hashed, size_t k,
                                  double *counts);

/* SYNOPSIS: the same counts, without groups, slope by slope: O(n + slopes (prime + k)), hardly dependent on n.
 * PRECONDITIONS: checked reports in one group; at most `slopes` different slopes in `order`, the 0-based reports sorted
 *   by slope. `work`: prime + 1 doubles.
 * NUMERICS: a report supports the codes z with slope z mod prime in the interval [lo - shift, hi - shift), cyclically,
 *   where [lo, hi) is its value's: two marks in a list of differences. Their running sums are the supports of every
 *   residue, for all reports of that slope at once. 20,000 times the speed of one hash a category and report at 1,000
 *   categories and 200,000 reports. */
candor_status candor_count_hashed_by_slope(const candor_support_reports *reports, const candor_hashed *hashed, size_t k,
                                           const uint32_t *order, double *work, double *counts);

/* SYNOPSIS: support[v + k m] = 1-based value of category v under function m. */
void candor_hash_table(const candor_affine *hash, const uint32_t *code, size_t k, const uint32_t *slope,
                       const uint32_t *shift, size_t functions, int *value);

#endif
