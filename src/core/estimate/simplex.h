/* From counts to a distribution in one step, for additive channels (additive.h): the exact maximum
 * likelihood estimate, linear inversion and its two classical repairs.
 *
 * All constrained ones are the same problem: find the t at which sum max(0, x_i - t w_i) meets a
 * target. It is solved by Newton's method on a piecewise linear convex function: start with every
 * category active, t <- (S - target) / (W + r) with S and W the sums of x and w over the active ones,
 * drop x_i < t w_i, stop when nothing drops. No active category is ever dropped, so this is exact,
 * without sorting. Whole counts need O(log(N K)) sweeps over a shrinking set; real-valued ones made
 * to hurt can need more, so that after `scan_limit` elements the survivors are sorted once. */
#ifndef CANDOR_SIMPLEX_H
#define CANDOR_SIMPLEX_H

#include "estimate/additive.h"

typedef struct candor_simplex_fit {
  size_t active;     /* m, categories on the support that the threshold defines */
  double active_sum; /* S, their counts */
  double threshold;  /* t: a category is active if its count (its count / b_y) is >= t; <= t if a < 0 */
  size_t zeros;      /* estimates that are exactly 0; >= K - m because of ties */
  size_t passes;     /* sweeps over the active set */
  int unique;        /* 0: any other split of the mass among the empty categories is as likely */
  int sorted;        /* the scan limit was reached */
} candor_simplex_fit;

/* Doubles of workspace for candor_mle and candor_invp: K, or 2 K with a vector b. */
size_t candor_simplex_work(const candor_additive *channel);

/* SYNOPSIS       Maximum likelihood estimate of the distribution of the truth.
 * PRECONDITIONS  counts >= 0 with a total in [1e-100, 1e100]; work: candor_simplex_work() doubles.
 *                scan_limit: elements swept before the survivors are sorted; 0 means 16 K.
 *                theta must not overlap counts.
 * NUMERICS       With a scalar b, theta_i = theta_0 + (n_i - n_0) (1 + m/odds) / S with n_0 the least active
 *                count and theta_0 what the sum leaves over, or n_0 (1 + m/odds) / S - 1/odds if odds > m:
 *                no difference p - q, no running subtraction. Sums to 1 within
 *                about 1e-15 whatever K. b = 0 returns the shares. a < 0: the same equations on -n.
 *                Where only empty categories are undetermined (unique = 0) they share equally, the
 *                limit of the iterative Bayesian update from the uniform start.
 * REFERENCE      Pinzon et al. 2025, Theorem 1 (a > 0, equal b); Michelot 1986 doi:10.1007/BF00938486
 *                for the sweeps. Unequal b and a < 0: derived for this package from the KKT conditions. */
candor_status candor_mle(const candor_additive *channel, const double *counts, size_t scan_limit, double *work,
                         candor_simplex_fit *fit, double *theta);

/* SYNOPSIS       Linear inversion (n_i / N - b_i) / a: unbiased, may leave the simplex.
 * NUMERICS       Scalar b: 1/K + (n_i - N/K) / (N a), which is free of cancellation in b.
 * REFERENCE      Kairouz, Bonawitz and Ramage 2016, arXiv:1602.07387. */
candor_status candor_inv(const candor_additive *channel, const double *counts, double *theta);

/* SYNOPSIS       Inversion, negative parts set to 0, the rest divided by its sum (Norm-Mul of Wang et
 *                al. 2020).
 * REFERENCE      Kairouz et al. 2016; Wang et al. 2020 doi:10.14722/ndss.2020.24157. */
candor_status candor_invn(const candor_additive *channel, const double *counts, double *theta);

/* SYNOPSIS       Euclidean projection of the inversion on the simplex (Norm-Sub of Wang et al. 2020).
 * PRECONDITIONS  work: candor_simplex_work() doubles; theta must not overlap counts. fit may be NULL.
 * REFERENCE      Kairouz et al. 2016; Michelot 1986 doi:10.1007/BF00938486. */
candor_status candor_invp(const candor_additive *channel, const double *counts, double *work, candor_simplex_fit *fit,
                          double *theta);

/* SYNOPSIS       Euclidean projection of any finite x on {v >= 0, sum v = total}.
 * PRECONDITIONS  total in [1e-100, 1e100]; work: n doubles; out must not overlap x.
 * REFERENCE      Michelot 1986 doi:10.1007/BF00938486. */
candor_status candor_project(const double *x, size_t n, double total, double *work, double *out);

#endif
