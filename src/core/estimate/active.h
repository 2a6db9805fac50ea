/* The sweeps behind simplex.c. Internal to the core. */
#ifndef CANDOR_ACTIVE_H
#define CANDOR_ACTIVE_H

#include <stddef.h>

typedef struct candor_active {
  size_t count;     /* m */
  double sum;       /* S */
  double weight;    /* W, equal to m if all weights are 1 */
  double threshold; /* (S - target) / (W + r) */
  double least;     /* plain only: the smallest active x */
  size_t passes;
  int sorted;
} candor_active;

typedef struct candor_active_rule {
  double target;
  double r;
  size_t scan_limit;
} candor_active_rule;

/* SYNOPSIS       Active set of x_i = sign * from_i, weights 1. sum is that of all x. Afterwards work starts with the
 *                active x.
 * PRECONDITIONS  n >= 1; work: n doubles.
 * NUMERICS       A value that ties with the threshold may fall on either side by rounding, which moves the estimate by
 *                O(1e-16). The largest x is never dropped. After scan_limit elements what is left is sorted: O(n log n)
 *                whatever the input, and categories of equal ratio stay together. */
void candor_active_plain(const double *from, size_t n, double sign, double sum, const candor_active_rule *rule,
                         double *work, candor_active *set);

/* SYNOPSIS       As above with x_i dropped where x_i < t weight_i; target is 0.
 * PRECONDITIONS  weights >= 0, positive if sign < 0; work: 2 n doubles. */
void candor_active_weighted(const double *from, const double *weights, size_t n, double sign, double sum,
                            const candor_active_rule *rule, double *work, candor_active *set);

#endif
