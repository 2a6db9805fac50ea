/* What the parts of the solver share: solver.c sets up, certifies and drives; newton.c and interior.c make steps. */
#ifndef CANDOR_SOLVER_STEPS_H
#define CANDOR_SOLVER_STEPS_H

#include "solver.h"

/* Below this a report counts as impossible: phi / m^2 must not overflow. */
#define CANDOR_LEAST_PROBABILITY 1e-150
/* Differences of F below this are rounding errors of the sum of phi_j log1p(.). */
#define CANDOR_NOISE 4e-16
#define CANDOR_LEAST_DAMPING 1e-14

/* ---- solver.c -------------------------------------------------------------------------------------- */

/* The largest face whose Hessian has a place. */
size_t candor_newton_limit(const candor_channel *channel, const candor_solver_options *options);

/* x -> m. */
void candor_solver_forward(candor_solver *s, const double *x, double *m);

/* Given x and m = C' x: rescales both to sum(x) = 1, fills g and the excess max g - 1, and keeps the
 * estimate if it is the best certified so far. */
void candor_solver_judge(candor_solver *s);

/* F(trial) - F(x), from m_trial and m, without cancellation. */
double candor_solver_change(const candor_solver *s, const double *trial, const double *m_trial);

/* The trial becomes the estimate, and is judged. */
void candor_solver_accept(candor_solver *s);

/* trial = x g, accepted. */
void candor_solver_em_step(candor_solver *s);

/* Towards the cell that the certificate blames, with the step that maximises the likelihood. */
int candor_solver_vertex_step(candor_solver *s);

/* ---- newton.c -------------------------------------------------------------------------------------- */

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

void candor_newton_step(candor_solver *s);

/* ---- interior.c ------------------------------------------------------------------------------------ */

/* One step of the interior phase, which the first step enters and the last one leaves. */
void candor_interior_step(candor_solver *s);

#endif
