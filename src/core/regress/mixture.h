/* The likelihood of an outcome and of randomized reports, a mixture over the truths (cells), and what a step of
 * Newton's method needs of it. */
#ifndef CANDOR_MIXTURE_H
#define CANDOR_MIXTURE_H

#include <stddef.h>

#include "base/status.h"

typedef enum candor_outcome { CANDOR_GAUSSIAN = 0, CANDOR_BINOMIAL, CANDOR_POISSON, CANDOR_OUTCOMES } candor_outcome;

/* Linear predictors are those of the truth models, design by design and level by level, the first level 0, and then
 * those of outcomes. Coordinates are coefficients, and last the logarithm of the standard deviation of a Gaussian
 * outcome. */
typedef struct candor_mixture {
  size_t rows;
  size_t columns; /* of z */
  size_t truths;  /* truth models */
  size_t cells;
  size_t predictors;
  size_t size; /* coordinates */
  candor_outcome family;
  const double *z;            /* rows by columns, column by column */
  const double *weight;       /* rows, at least 0 */
  const double *outcome;      /* rows, or NULL: the outcomes of cells */
  const double *cell_outcome; /* cells; not read if there is `outcome` */
  const double *reports;      /* rows by cells, column by column: what does not depend on the coordinates */
  const double *map;          /* a column for each column of z of each predictor, and for a Gaussian outcome one more */
  const int *levels;          /* truths: levels of each */
  const int *designs;         /* truths: designs of each */
  const int *level;           /* truths by cells: the predictor of the cell's level */
  const int *predictor; /* candor_mixture_width() by cells: those of other levels than the first, and the outcome's */
} candor_mixture;

typedef struct candor_mixture_sums {
  double value; /* minus infinity if a row is impossible: the rest is not set */
  double *gradient;
  double *observed, *fallback; /* size by size; the fallback is that of known truths without the error's cross terms */
  double *score;               /* rows by size, without weights */
  double *posterior;           /* rows by cells */
} candor_mixture_sums;

size_t candor_mixture_width(const candor_mixture *m); /* predictors of a cell */
size_t candor_mixture_work(const candor_mixture *m);

/* SYNOPSIS  The sums at the coordinates `b`; the value alone if `gradient` is NULL.
 * PRECONDITIONS  work: candor_mixture_work() numbers, span: two for each predictor. CANDOR_DOMAIN for predictors that
 *   are not there.
 * NUMERICS  one exponential a level of each design and two a cell. A cell's curvature is summed in its predictors times
 *   the columns of z, and mapped to the coordinates once.
 * REFERENCE  Louis 1982; inst/mathematics/regression.md, maxima.md. */
candor_status candor_mixture_add(const candor_mixture *m, const double *b, double *work, size_t *span,
                                 candor_mixture_sums *sums);

#endif
