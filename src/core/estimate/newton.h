/* Projected Newton steps of the solver: cells that a coordinate step would push below zero are set to zero, the others
 * move along the Newton direction and are clipped. Where one direction after the other must be shortened, the quadratic
 * model is minimized over the orthant instead (quadratic.h). Internal to the core.
 *
 * NUMERICS   The direction comes from preconditioned conjugate gradients, or from a Cholesky factor when that is
 *            cheaper or the gradients do not converge. A step is accepted only if F decreases (certificate.h).
 * REFERENCE  Bertsekas 1982 doi:10.1137/0320018. */
#ifndef CANDOR_NEWTON_H
#define CANDOR_NEWTON_H

#include "estimate/certificate.h"

#define CANDOR_LEAST_DAMPING 1e-14

/* The largest face whose Hessian has a place. */
size_t candor_newton_limit(const candor_channel *channel, const candor_solver_options *options);

/* The weights phi / m^2 and the diagonal of the Hessian H = C diag(weights) C' at the estimate. */
void candor_newton_weigh(candor_solver *s);

/* The same at the best certified estimate, the result. */
void candor_newton_weigh_best(candor_solver *s);

/* Preconditioned conjugate gradients for (H + diag(shift)) v = rhs on the free set, all compact; `scaling` is the
 * diagonal to precondition with. 1 if the residual fell below `share` of its start within `limit` products. `v` is
 * usable either way: each iterate is a descent direction. */
int candor_newton_solve(candor_solver *s, const double *rhs, double share, size_t limit, double *v);

/* The Hessian on the free set, in full. */
void candor_newton_hessian(candor_solver *s);

/* One step; where it fails, a line search towards the best vertex, which converges on its own. */
void candor_newton_step(candor_solver *s);

#endif
