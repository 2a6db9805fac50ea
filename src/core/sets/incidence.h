/* How many of n sets hold an element: the channel from the true number t to the reported number s, t, s = 0..n.
 *
 * REFERENCE Alaggan, Cunche and Minier (2017) for the equal-flip channel; Hehir (2023), section 2.1, "Method 1". */
#ifndef CANDOR_INCIDENCE_H
#define CANDOR_INCIDENCE_H

#include <stddef.h>

#include "base/status.h"

/* SYNOPSIS      channel[t + s * (n + 1)] = P(s sets report the element | t sets hold it), where s is distributed as
 *               Bin(t, 1 - q) + Bin(n - t, q).
 * PRECONDITIONS 0 <= flip <= 1. (flip = 1/2 is a channel too: all rows are equal.)
 * NUMERICS      O(n^2). The generating polynomial (q + (1-q) w)^t ((1-q) + q w)^(n-t) satisfies a first-order
 *               differential equation, so a row obeys a three-term recurrence; run upwards below the mean and downwards
 *               above it, all of its terms are positive: relative error O(n) units in the last place, and no
 *               cancellation. Flips within 1e-290 of 0 or 1 are taken as 0 or 1. */
candor_status candor_incidence_channel(size_t n, double flip, double *channel);

/* SYNOPSIS      The inverse of the channel, without inverting: (-1)^(s + t) channel(t, s) / (1 - 2q)^n.
 *               inverse[s + t * (n + 1)] is the unbiased estimate of "t sets hold it" when s report it.
 * NUMERICS      Entries of the order of (1 - 2q)^-n: CANDOR_DOMAIN when that is beyond a double. */
candor_status candor_incidence_inverse(size_t n, double flip, double *inverse);

/* SYNOPSIS      The channel for unequal flips when any t of the n sets are as likely to hold the element as any other
 *               t: the mean, over the choices of t sets, of Poisson-binomial distributions.
 * `work` holds 2 (n + 1)^2 doubles. O(n^3), all terms positive. */
candor_status candor_incidence_mixture(size_t n, const double *flips, double *work, double *channel);

/* SYNOPSIS      Unbiased estimates of "exactly t of n sets hold this element", t = 0..n, for one element with its own
 *               bits and flips: the coefficients of prod_j (z_j + (1 - z_j) w), a Poisson-binomial with signed
 *               probabilities. bits[j * bit_stride], flips[j * flip_stride]. O(n^2). */
candor_status candor_incidence_element(const int *bits, size_t bit_stride, const double *flips, size_t flip_stride,
                                       size_t n, double *exactly);

/* SYNOPSIS      Totals of candor_incidence_element() over m elements, and of the products of two of its entries:
 *               total[t], cross[t + u * (n + 1)] (lower triangle t >= u and its mirror). work: n + 1 doubles.
 * Resumable by rows: add elements `from` to `to` - 1 to totals that the caller set to zero. */
candor_status candor_incidence_total(const int *bits, size_t m, size_t n, const double *flips, int flip_per_bit,
                                     size_t from, size_t to, double *work, double *total, double *cross);

#endif
