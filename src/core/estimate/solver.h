/* Certified maximum likelihood for any finite channel. */
#ifndef CANDOR_SOLVER_H
#define CANDOR_SOLVER_H

#include <stddef.h>

#include "base/status.h"
#include "estimate/certificate.h"
#include "estimate/channel.h"

candor_solver_options candor_solver_defaults(const candor_channel *channel);

/* Doubles and sizes of workspace: 16 arrays of truths and 7 of reports, two arrays as large as the largest between two
 * axes, and the quadratic programme's workspace, in whose newton_limit * newton_limit doubles (by default 8 MB or four
 * arrays of truths, whichever is more) the Hessian has its place too. */
size_t candor_solver_work(const candor_channel *channel, const candor_solver_options *options);
size_t candor_solver_index(const candor_channel *channel);

/* SYNOPSIS       Prepares to maximize sum_j n_j log (C' theta)_j over the simplex.
 * PRECONDITIONS  `counts` (one per report) >= 0; `start` (one per truth, >= 0, not all zero) or NULL
 *                for the uniform distribution. Workspace as above; it, the channel and its matrices
 *                live as long as the solver. A report of count zero never enters, whatever its
 *                probability.
 * RETURNS        CANDOR_AGAIN: go on with run(). CANDOR_OK: `start` is already a maximum.
 *                CANDOR_DOMAIN, CANDOR_NOT_FINITE, CANDOR_EMPTY as usual; CANDOR_IMPOSSIBLE: a report
 *                was counted that has probability zero under every truth (see candor_impossible()). */
candor_status candor_solver_init(candor_solver *solver, const candor_channel *channel, const double *counts,
                                 const double *start, const candor_solver_options *options, double *work,
                                 size_t *index);

/* SYNOPSIS       At most `steps` more iterations.
 * RETURNS        CANDOR_OK      gap <= tolerance, which is proved.
 *                CANDOR_AGAIN   not yet.
 *                CANDOR_STALLED double precision yields no better likelihood; `gap` says what is known.
 * NUMERICS       Relaxed to F(theta) = sum theta - sum phi log m over theta >= 0, whose minimum lies on
 *                the simplex. Where products with the channel are cheap, a primal-dual interior phase comes
 *                first, only to find out which cells are zero. Then projected Newton: cells that a
 *                coordinate step would push below zero are set to zero, the others move along the (damped)
 *                Newton direction and are clipped; the direction comes from preconditioned conjugate
 *                gradients, or from a Cholesky factor when that is cheaper or the gradients do not
 *                converge. F is compared through log1p of relative changes, so that steps of relative size
 *                1e-8 are still judged; every Newton step decreases F. A failed step is replaced by a line
 *                search towards the best vertex, which converges on its own.
 * REFERENCE      certificate: inst/mathematics/estimation.md 2.2; projected Newton: Bertsekas 1982 doi:10.1137/0320018;
 *                acceleration of EM: Varadhan and Roland 2008 doi:10.1111/j.1467-9469.2007.00585.x;
 *                interior phase: Wright 1997, Primal-dual interior-point methods, doi:10.1137/1.9781611971453;
 *                the relaxation: Kim, Carbonetto, Stephens and Anitescu 2020
 *                doi:10.1080/10618600.2019.1689985, Prop. 3.1. */
candor_status candor_solver_run(candor_solver *solver, size_t steps);

/* SYNOPSIS       After a run: 1 if no other distribution has the same likelihood, 0 if that is not proved.
 * NUMERICS       Every maximum gives the same probabilities to the reports that were counted and lives on
 *                the cells with g = 1; it is unique if their rows of the channel are linearly
 *                independent there. They count as independent when every pivot of their weighted Gram
 *                matrix exceeds 1e-10 of its diagonal; more than `limit` such cells are not examined.
 * REFERENCE      Lindsay 1983 doi:10.1214/aos/1176346059, sec. 3. */
int candor_solver_unique(candor_solver *solver, size_t limit);

/* SYNOPSIS       After a run: v with I v = rhs on the n cells of `set` (all compact), I = C diag(phi / m^2) C' being
 *                the information of one observation at the estimate. 0 if a relative residual of 1e-10 was not
 *                reached in `limit` products, as where I is singular to double precision.
 * NUMERICS       Conjugate gradients: nothing of the size of I is formed. */
int candor_solver_information(candor_solver *solver, const size_t *set, size_t n, const double *rhs, size_t limit,
                              double *v);

/* The first report with a positive count that no truth can produce, or the number of reports. */
size_t candor_impossible(const candor_channel *channel, const double *counts, double *work);

#endif
