/* Log-likelihood of randomized yes/no answers of persons, or other groups of rows, whose truths share a random
 * intercept.
 *
 * Row j of group g has the true share F(x'b + offset + sigma u) with u ~ N(0, 1) of the group; given u its reports are
 * independent, as in regress/binary.h. The likelihood of a group is the integral over u, by the trapezoidal rule on one
 * grid for all groups.
 *
 * SYNOPSIS       candor_objective f = candor_mixed_objective(&model); candor_climb(&f, ...)
 *                candor_mixed_value(&model, at, gradient, observed, fallback, &groups) -> value
 * PRECONDITIONS  base: rows in the order of the groups, y 0 or 1, no levels, weights or barrier; links without limits.
 *                `at`: the columns, then sigma, unless `fixed`. work: candor_mixed_work(columns, rows) entries.
 * NUMERICS       the step of the grid is a function of sigma; `halvings` halve it, which squares its error. |sigma|
 *                above 60 is outside the domain (-INFINITY). The value is even in sigma.
 * REFERENCE      inst/mathematics/mixed.md 1, 2; Louis 1982, doi:10.1111/j.2517-6161.1982.tb01203.x (information). */
#ifndef CANDOR_MIXED_H
#define CANDOR_MIXED_H

#include "regress/binary.h"

typedef struct candor_mixed {
  candor_binary base;
  size_t groups;
  const int *first;     /* 0-based first row of each group, and the number of rows: groups + 1 entries, rising */
  const double *weight; /* of each group; NULL: 1 */
  double width;         /* the grid is from -width to width: 6 to 10.5 */
  int halvings;         /* 0 to 2 */
  int fixed;            /* sigma is `sigma`, and not estimated */
  double sigma;
  double *work;
} candor_mixed;

/* What is known of each group: its log-likelihood, the mean and standard deviation of u given its reports, and the
 * largest posterior weight of an end of the grid. Each may be NULL. scores: groups x places, by columns. */
typedef struct candor_mixed_groups {
  double *loglik, *mean, *deviation, *scores, *edge;
} candor_mixed_groups;

size_t candor_mixed_work(size_t columns, size_t rows);

candor_status candor_mixed_check(const candor_mixed *model);

double candor_mixed_value(const candor_mixed *model, const double *at, double *gradient, double *observed,
                          double *fallback, const candor_mixed_groups *groups);

candor_objective candor_mixed_objective(const candor_mixed *model);

#endif
