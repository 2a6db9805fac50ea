/* From reports to counts: the one pass over the data. */
#ifndef CANDOR_TALLY_H
#define CANDOR_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Number of reports that candor_tally() takes at most in one call, so that its 32-bit partial
 * counts cannot overflow. */
#define CANDOR_TALLY_BLOCK ((size_t) 1 << 24)

/* 32-bit words of workspace for k categories: four partial counts of each as long as they stay in the
 * cache, else one. */
size_t candor_tally_work(size_t k);

typedef struct candor_tally_reports {
  const int *codes;      /* n codes; code - first in 0 .. k - 1 */
  const int *groups;     /* n groups in 1 .. n_groups, or NULL for one group */
  const double *weights; /* n weights >= 0, or NULL for weights of one */
  size_t n;
  int first;        /* the code of the first category */
  int missing;      /* the code that means a missing report */
  int skip_missing; /* count missing reports instead of refusing them */
} candor_tally_reports;

/* SYNOPSIS      Adds n reports to the counts of k categories in each of n_groups groups.
 * PRECONDITIONS n <= CANDOR_TALLY_BLOCK; `work` has candor_tally_work(k) elements;
 *               counts has k * n_groups elements, groups side by side; weight_squares has n_groups
 *               elements, touched only with weights; *missing is added to.
 * RETURNS       CANDOR_DOMAIN with the 0-based *position of the first code, group or weight out of range;
 *               the counts are then incomplete and must be thrown away.
 * NUMERICS      Neighbouring equal codes would make each increment wait for the store before it; four
 *               interleaved partial counts break that chain. Many categories are counted in one 32-bit word
 *               each, half the memory of the doubles. Counts stay exact below 2^53. */
candor_status candor_tally(const candor_tally_reports *reports, size_t k, size_t n_groups, uint32_t *work,
                           double *counts, double *weight_squares, double *missing, size_t *position);

/* The powers whose sums a mean and a variance need. */
enum { CANDOR_POWERS = 4 };

typedef struct candor_tally_numbers {
  const double *x;       /* n numbers from `low` to `low` + `width` */
  const int *groups;     /* as above */
  const double *weights; /* n weights, or NULL for weights of one */
  size_t n;
  double low, width;
} candor_tally_numbers;

/* SYNOPSIS      Adds the first powers of the shares (x - low) / width, times their weights, to the sums of each group.
 * PRECONDITIONS sums has CANDOR_POWERS * n_groups elements, groups side by side.
 * RETURNS       CANDOR_DOMAIN with the 0-based *position of the first share that is not from 0 to 1, or group out of
 *               range; the sums are then incomplete and must be thrown away.
 * NUMERICS      Products are rounded to doubles; sums have the platform's longest type, as those of R. */
candor_status candor_tally_powers(const candor_tally_numbers *numbers, size_t n_groups, long double *sums,
                                  size_t *position);

/* SYNOPSIS      Checks n counts and adds them up.
 * RETURNS       CANDOR_NOT_FINITE or CANDOR_DOMAIN (negative, or fractional where `whole`) with the
 *               0-based *position of the first offender; *total is exact for whole counts below 2^53. */
candor_status candor_check_counts(const double *counts, size_t n, int whole, double *total, size_t *position);

#endif
