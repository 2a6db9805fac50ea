/* OR and AND of true bits that are seen only through randomized response: every bit i is reported
 * wrongly with its own probability q_i, independently.
 *
 *   z_i = (1 - q_i - bit_i) / (1 - 2 q_i),   OR = 1 - prod z_i,   AND = prod (1 - z_i)
 *
 * are unbiased for every q_i != 1/2 (in fact the only unbiased functions of the noisy bits). The products
 * grow or shrink exponentially in the number of bits, so they are kept as sign and logarithm.
 *
 * REFERENCE Hehir (2023) "Easier estimation of extremes under randomized response", Theorems 1 to 3; the
 * restriction to q < 1/2 there is not needed, and the closed form of Theorem 2 lacks the factor (-1)^ones. */
#ifndef CANDOR_EXTREMES_H
#define CANDOR_EXTREMES_H

#include <stddef.h>

#include "base/status.h"
#include "base/twofold.h"

/* A product of real factors: (-1)^negatives exp(log) if zeros == 0, else 0. Of `negatives` the parity counts. */
typedef struct candor_product {
  double zeros;
  double negatives;
  candor_twofold log;
} candor_product;

/* All that OR and AND need to know about the bits seen so far. States merge in any order. Doubles only, so
 * that a caller may store a state as CANDOR_EXTREME_FIELDS numbers. */
typedef struct candor_extreme {
  double bits;          /* how many bits */
  double ones;          /* how many of them were reported as 1 */
  candor_product none;  /* prod z_i, unbiased for "no true bit is 1" */
  candor_product all;   /* prod (1 - z_i), unbiased for "all true bits are 1" */
  candor_twofold bound; /* sum log(1 + v_i), v_i = q_i (1 - q_i) / (1 - 2 q_i)^2 */
} candor_extreme;

#define CANDOR_EXTREME_FIELDS 12

typedef enum candor_extreme_kind { CANDOR_ANY = 0, CANDOR_ALL = 1 } candor_extreme_kind;

typedef struct candor_extreme_estimate {
  double estimate;  /* may lie outside [0, 1]; +-Inf when beyond the range of a double */
  double variance;  /* Y (Y - 1), the unbiased estimate of the variance; may be negative */
  double bound;     /* the variance under the least favourable truth (no true 1 for OR, no true 0 for AND) */
  double sign;      /* of the product: -1, 0, 1 */
  double log;       /* log |product|, -Inf for 0 */
  double log_bound; /* log(1 + bound), which does not overflow */
} candor_extreme_estimate;

/* SYNOPSIS      The state that has seen no bits. */
void candor_extreme_start(candor_extreme *state);

/* SYNOPSIS      Adds `bits` bits that share one flip probability, `ones` of which were reported as 1.
 * PRECONDITIONS whole numbers 0 <= ones <= bits < 2^53; 0 <= flip <= 1, not 1/2.
 * NUMERICS      Relative error of each logarithm about one unit in the last place, whatever the number of bits. */
candor_status candor_extreme_equal(double bits, double ones, double flip, candor_extreme *state);

/* SYNOPSIS      Adds n bits, bit i with its own flip probability. On failure `*where` is the position (from 0) of the
 *               first bit or flip out of range, and the state is as it was.
 * NUMERICS      Products of 64 factors between logarithms; the rounding of 1 - q and 1 - 2q, which would add up when
 *               flips repeat, is carried along. Error 1e-11 or a unit in the last place at 10^6 bits. */
candor_status candor_extreme_bits(const int *bits, const double *flips, size_t n, candor_extreme *state, size_t *where);

/* SYNOPSIS      Adds all that `other` has seen to `state`. */
void candor_extreme_merge(const candor_extreme *other, candor_extreme *state);

/* SYNOPSIS      The estimate and its uncertainty. CANDOR_EMPTY for a state without bits. */
candor_status candor_extreme_value(const candor_extreme *state, candor_extreme_kind kind,
                                   candor_extreme_estimate *value);

/* SYNOPSIS      How many of n bits are 1: the sufficient statistic when all flips are equal. CANDOR_DOMAIN and the
 *               position of the first offender when an entry is neither 0 nor 1. */
candor_status candor_count_ones(const int *bits, size_t n, double *ones, size_t *where);

/* SYNOPSIS      The same for n bits packed into bytes, least significant bit first; bits past n are ignored. */
void candor_count_packed(const unsigned char *bytes, size_t n, double *ones);

#endif
