/* Newton's method with step control, uphill on a log-likelihood that need not be concave and may rise for ever.
 *
 * A step solves H d = gradient. H is minus the Hessian, or as much of the fallback as makes it positive definite: a
 * curvature that always is (expected information). No step changes a linear predictor by more than 3; one that was cut
 * to that and still rises steeply is doubled, so that the way to infinity is short. The value does not fall. A climb
 * may end far out, where the value stands still: what is infinite is for the caller to tell.
 *
 * SYNOPSIS       candor_climb(&objective, options, b, work, &top)
 * PRECONDITIONS  b: size entries, overwritten by the end; work: candor_climb_work(shape).
 * NUMERICS       the value at the end is that of the end, and at least that at the start, but for its last digits.
 * REFERENCE      inst/mathematics/maxima.md 2; Nocedal and Wright 2006, Numerical Optimization, ch. 3. */
#ifndef CANDOR_CLIMB_H
#define CANDOR_CLIMB_H

#include "base/status.h"
#include "regress/arrow.h"

typedef struct candor_objective {
  candor_shape shape;
  const void *self;
  /* Minus half of b'P b is added to the value: a normal prior. NULL: none. */
  const double *prior;
  /* X'WX, the size of a direction: what it takes to call a curvature small. */
  const double *metric;
  /* Gradient, and two arrows: minus the Hessian and the fallback. Each may be NULL. -INFINITY outside the domain. */
  double (*value)(const void *self, const double *b, double *gradient, double *observed, double *fallback);
  /* The largest change of a linear predictor that the step makes. */
  double (*reach)(const void *self, const double *step);
  /* The largest multiple of the step that stays in the domain; NULL: no limit. */
  double (*room)(const void *self, const double *b, const double *step);
} candor_objective;

typedef struct candor_climb_options {
  double tolerance; /* of the decrement g'H^-1 g / 2, in units of the value */
  size_t steps;
} candor_climb_options;

typedef struct candor_top {
  double value, decrement;
  size_t steps;
  int pressed; /* stopped by the end of the domain */
} candor_top;

size_t candor_climb_work(candor_shape shape);

/* The value with that of the prior. */
double candor_climb_value(const candor_objective *objective, const double *b, double *gradient, double *observed,
                          double *fallback, double *work);

/* IMPOSSIBLE if the value at the start is not finite. */
candor_status candor_climb(const candor_objective *objective, candor_climb_options options, double *b, double *work,
                           candor_top *top);

#endif
