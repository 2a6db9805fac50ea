/* Iterative Bayesian update (EM) for additive channels, O(K) a step, with its certificate.
 *
 * With m_y = b_y + a theta_y the update is theta_i <- theta_i g_i, g_i = a phi_i / m_i + sum_y b_y
 * phi_y / m_y, and log max_i g_i bounds how far the mean log-likelihood at theta lies below its
 * maximum. */
#ifndef CANDOR_IBU_H
#define CANDOR_IBU_H

#include <math.h>

#include "base/lanes.h"
#include "estimate/additive.h"

typedef struct candor_ibu {
  /* Set by the caller after candor_ibu_start(). */
  size_t limit;     /* steps in all */
  double tolerance; /* stop once N log max g <= tolerance; 0 or less: never early */
  /* Read by the caller. */
  size_t steps; /* done so far */
  double gap;   /* log max g >= 0 at theta as it stands */
  double total; /* N */
  /* The kernel's own. */
  candor_additive channel;
  const double *counts;
  double *theta;
  double *score; /* a phi_i / m_i */
  double base;   /* sum_y b_y phi_y / m_y */
} candor_ibu;

/* The rule for stopping, shared with em.h: a stated number of steps, or a stated certificate. */
static inline int candor_ibu_done(size_t steps, size_t limit, double gap_in_total, double tolerance)
{
  return steps >= limit || (tolerance > 0 && gap_in_total <= tolerance);
}

/* Where to write what happens, entry k about the iterate after k steps; each may be NULL. */
typedef struct candor_ibu_trace {
  double *gap;
  double *loglik;        /* mean log-likelihood: costs a logarithm a category and step */
  double *distance;      /* Euclidean distance from `maximum` */
  const double *maximum; /* a distribution; NULL if `distance` is */
} candor_ibu_trace;

/* The Euclidean distance of two vectors of n numbers. */
static inline double candor_ibu_distance(const double *x, const double *y, size_t n)
{
  candor_sum squares = {0, 0};
  for (size_t i = 0; i < n; i++) candor_sum_add(&squares, (x[i] - y[i]) * (x[i] - y[i]));
  return sqrt(candor_sum_total(&squares));
}

/* SYNOPSIS       Begins at theta, which is updated in place by the runs; limit and tolerance become 0.
 * PRECONDITIONS  theta: K values >= 0 that sum to 1 within 1e-8 (uniform is the usual start; a zero
 *                stays zero). work: K doubles. counts, theta, work outlive the state.
 * NUMERICS       Reports with count 0 are skipped, so p = 1 with an empty category is no 0/0.
 *                CANDOR_IMPOSSIBLE if a reported category has probability 0 (below 1e-150). */
candor_status candor_ibu_start(candor_ibu *ibu, const candor_additive *channel, const double *counts, double *theta,
                               double *work);

/* SYNOPSIS       At most `chunk` steps. CANDOR_AGAIN while neither the limit nor the tolerance is
 *                reached; then CANDOR_OK.
 * NUMERICS       theta is divided by its sum every 64 steps (every step if keep < 0) and at the end, so that
 *                nothing drifts. CANDOR_STALLED if the sum was off by more than 1e-6: keep < 0, and a
 *                theta so near the most it can be that a step has no correct digit. theta is then void.
 * REFERENCE      Agrawal and Aggarwal 2001 doi:10.1145/375551.375602; gap: Lindsay 1983
 *                doi:10.1214/aos/1176346059 in the logarithmic form, by Jensen's inequality. */
candor_status candor_ibu_run(candor_ibu *ibu, size_t chunk, const candor_ibu_trace *trace);

/* SYNOPSIS       sum_y n_y log m_y at theta, log max g (>= 0), and, if not NULL, the gradient g of the
 *                mean log-likelihood. theta >= 0 need not maximize anything.
 * NUMERICS       A reported category of probability 0 gives loglik -Inf, gap Inf and its g Inf. */
candor_status candor_loglik(const candor_additive *channel, const double *counts, const double *theta, double *loglik,
                            double *gap, double *gradient);

#endif
