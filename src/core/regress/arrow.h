/* Symmetric matrices of the shape of an arrow: a diagonal of `levels` entries (the columns of one factor, which are
 * never both above 0 in a row), then `dense` further rows and columns. Stored as the diagonal, the cross part by levels
 * (levels x dense), and the lower triangle by rows of the dense part (dense x dense). Without levels it is a dense
 * matrix.
 *
 * SYNOPSIS       if (candor_arrow_factor(shape, A, factor)) candor_arrow_solve(shape, factor, x);
 * PRECONDITIONS  factor: candor_arrow_size(shape) entries, other than A's.
 * NUMERICS       the levels are eliminated first, at a cost of levels x dense^2; the rest is scaled to a unit diagonal.
 *                Bought: a factor of 150 levels takes as long as 3 columns; see tools/bench.
 * REFERENCE      inst/mathematics/maxima.md 5; Golub and Van Loan 2013, Matrix Computations, sec. 4.2. */
#ifndef CANDOR_ARROW_H
#define CANDOR_ARROW_H

#include <stddef.h>

typedef struct candor_shape {
  size_t levels, dense;
} candor_shape;

size_t candor_arrow_size(candor_shape shape);

/* 0 if the matrix is not positive definite, or too near to being singular. */
int candor_arrow_factor(candor_shape shape, const double *A, double *factor);

/* x <- A^-1 x. */
void candor_arrow_solve(candor_shape shape, const double *factor, double *x);

/* x'A x, and into `product` A x unless it is NULL. */
double candor_arrow_form(candor_shape shape, const double *A, const double *x, double *product);

#endif
