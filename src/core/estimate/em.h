/* Iterative Bayesian update (EM, Jeffrey's rule) on any channel, for those who want its iterates and
 * not only the maximum: theta_i <- theta_i g_i, g = C (phi / C' theta). ibu.h is the same update in
 * O(K) for the channels that need no matrix; the trace and the rule for stopping are shared. */
#ifndef CANDOR_EM_H
#define CANDOR_EM_H

#include "estimate/channel.h"
#include "estimate/ibu.h"

typedef struct candor_em {
  /* Set by the caller after candor_em_start(). */
  size_t limit;     /* steps in all */
  double tolerance; /* stop once N log max g <= tolerance; 0 or less: never early */
  /* Read by the caller. */
  size_t steps;
  double gap;   /* log max g >= 0 at theta as it stands */
  double total; /* N */
  /* The kernel's own. */
  const candor_channel *channel;
  size_t truths, reports;
  double *theta, *phi, *m, *g, *work;
} candor_em;

/* Doubles of workspace. */
size_t candor_em_work(const candor_channel *channel);

/* SYNOPSIS       Begins at theta, which is updated in place by the runs; limit and tolerance become 0.
 * PRECONDITIONS  a channel whose rows sum to 1; theta >= 0 with sum 1 within 1e-8 (uniform is the usual
 *                start; a zero stays zero); counts >= 0.
 * NUMERICS       Reports with count 0 are skipped, so that 0/0 cannot arise. CANDOR_IMPOSSIBLE if a
 *                counted report has probability 0 under theta. */
candor_status candor_em_start(candor_em *em, const candor_channel *channel, const double *counts, double *theta,
                              double *work);

/* SYNOPSIS       At most `chunk` steps. CANDOR_AGAIN while neither the limit nor the tolerance is
 *                reached; then CANDOR_OK. Entry k of the trace is about the iterate after k steps.
 * NUMERICS       Divided by the sum of theta g, which is 1 up to rounding, so that nothing drifts.
 * REFERENCE      Agrawal and Aggarwal 2001 doi:10.1145/375551.375602; inst/mathematics/estimation.md 2.1, 2.2. */
candor_status candor_em_run(candor_em *em, size_t chunk, const candor_ibu_trace *trace);

#endif
