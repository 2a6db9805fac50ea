/* Small dense linear algebra that the Newton steps need: a weighted Gram matrix and its Cholesky
 * factor. All matrices are lower triangles stored by rows with leading dimension n. */
#ifndef CANDOR_CHOLESKY_H
#define CANDOR_CHOLESKY_H

#include <stddef.h>

/* gram[k * n + l] = sum_j rows[index[k], j] weights[j] rows[index[l], j] for l <= k < n, where rows
 * have `length` entries. `work`: length. */
void candor_gram(const double *rows, size_t length, const size_t *index, size_t n, const double *weights, double *work,
                 double *gram);

/* In place; 1 if every pivot was positive, else 0 (the contents are then of no use): a NaN is no positive pivot, and
 * nothing is rounded to zero.
 * REFERENCE  Golub and Van Loan 2013, Matrix Computations, sec. 4.2, by rows: every inner loop is a
 *            dot product of contiguous entries. */
int candor_cholesky(double *a, size_t n);

/* x <- (L L')^-1 x. */
void candor_cholesky_solve(const double *factor, size_t n, double *x);

#endif
