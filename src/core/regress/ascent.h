/* Newton's method with step control, uphill on any smooth function that gives its gradient and curvature.
 *
 * A step solves J d = gradient with J the negative Hessian where that is positive definite, else with the function's
 * fallback curvature (expected information); it changes no linear predictor by more than `longest` and is halved
 * until the value rises as it should. The end: J positive definite and the decrement g'd / 2 (the rise still to be
 * had, in units of the value) at most `tolerance`; one more plain step is taken then.
 *
 * A function that only rises towards infinity looks finished too, but its last step is still long: `runaway`.
 *
 * SYNOPSIS       candor_ascent_init(&a, &objective, &options, at, work);
 *                while ((status = candor_ascent_run(&a, 1)) == CANDOR_AGAIN) ...
 * PRECONDITIONS  at: size entries, overwritten by the maximum; work: candor_ascent_work(size).
 * NUMERICS       a maximum is a local one; the value never falls by more than its rounding.
 * REFERENCE      inst/mathematics/regression.md 1.3 and 1.6; Nocedal and Wright 2006, Numerical Optimization, ch. 3. */
#ifndef CANDOR_ASCENT_H
#define CANDOR_ASCENT_H

#include <stddef.h>

#include "base/status.h"

typedef struct candor_height {
  double value;
  double edge; /* smallest probability of a truth among the rows: near 0 where the maximum may be at infinity */
} candor_height;

typedef struct candor_objective {
  size_t size;
  const void *self;
  /* gradient, curvature (lower triangle by rows of the negative Hessian), fallback (a positive definite stand-in):
   * NULL where not wanted. */
  candor_height (*value)(const void *self, const double *at, double *gradient, double *curvature, double *fallback);
  /* The largest change of a linear predictor that the step makes. */
  double (*reach)(const void *self, const double *step);
  /* The largest multiple of the step that stays in the domain; NULL: no limit. */
  double (*room)(const void *self, const double *at, const double *step);
} candor_objective;

typedef struct candor_ascent_options {
  double tolerance; /* of the decrement */
  double longest;   /* step in units of the linear predictor */
  size_t limit;     /* steps in all */
  double edge;      /* truths below this are looked at as if they ran to 0 */
} candor_ascent_options;

candor_ascent_options candor_ascent_defaults(void);

typedef struct candor_ascent {
  /* Read by the caller. */
  double value;
  double decrement;
  double edge;
  double last; /* length of the last step, in units of the linear predictor */
  size_t iterations;
  int definite; /* J is positive definite at `at` */
  int runaway;  /* the value rises towards infinity and no further than rounding */
  double *at;
  double *step; /* the last step: the direction of a runaway */
  /* The kernel's own. */
  candor_objective objective;
  candor_ascent_options options;
  double *gradient, *curvature, *factor, *trial, *trial_gradient, *trial_curvature;
  size_t slow;
} candor_ascent;

size_t candor_ascent_work(size_t size);

/* IMPOSSIBLE if the value at the start is not finite. */
candor_status candor_ascent_init(candor_ascent *ascent, const candor_objective *objective,
                                 const candor_ascent_options *options, double *at, double *work);

/* At most `steps` steps. OK: at a maximum, or a runaway; STALLED: no step rises, or the limit is reached. */
candor_status candor_ascent_run(candor_ascent *ascent, size_t steps);

#endif
