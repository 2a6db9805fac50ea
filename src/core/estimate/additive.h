/* The channels of survey and telemetry practice that tell the truth or draw an innocuous answer:
 *
 *   C[x, y] = b_y + a 1{x = y},   sum_y b_y + a = 1,   b_y >= 0,   b_y + a >= 0.
 *
 * k-ary randomized response (b = q, a = p - q), every yes/no question, forced response and the
 * unrelated question are of this form, so one family of kernels serves them all. */
#ifndef CANDOR_ADDITIVE_H
#define CANDOR_ADDITIVE_H

#include <stddef.h>

#include "base/status.h"

typedef struct candor_additive {
  size_t categories;   /* K >= 1 */
  double keep;         /* a, not 0; negative when a report speaks against its category (p < q) */
  const double *other; /* b_y, length K; NULL if they are all equal to other_all */
  double other_all;    /* b, read if other is NULL */
  double odds;         /* a / b = expm1(epsilon), infinite if b = 0; read if other is NULL. Apart from
                          a and b because the quotient of two rounded numbers has lost digits. */
} candor_additive;

/* SYNOPSIS       Whether the channel is one: ranges, and rows that sum to 1 within 1e-8.
 * PRECONDITIONS  `other` is NULL or has `categories` elements.
 * NUMERICS       CANDOR_NO_INFORMATION if keep is 0, or, with a vector b, below the 1e-14 to which
 *                the sum of the b_y can be trusted. */
candor_status candor_additive_check(const candor_additive *channel);

/* SYNOPSIS       Total of K counts or weights; CANDOR_NOT_FINITE, CANDOR_DOMAIN (a negative one, or a
 *                total outside [1e-100, 1e100]) or CANDOR_EMPTY where there is none.
 * NUMERICS       Exact for whole numbers below 2^53; otherwise block sums under Neumaier's
 *                compensation, relative error about 1e-16 whatever K.
 * REFERENCE      Neumaier 1974 doi:10.1002/zamm.19740540106. */
candor_status candor_counts_total(const double *counts, size_t categories, double *total);

#endif
