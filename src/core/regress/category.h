/* The likelihood of a multinomial logit of the truth, seen through a channel: what a step of Newton's method needs. */
#ifndef CANDOR_CATEGORY_H
#define CANDOR_CATEGORY_H

#include <stddef.h>

#include "base/status.h"

typedef struct candor_category_rows {
  size_t n;       /* respondents */
  size_t columns; /* covariates, at least 1 */
  size_t truths;  /* at least 2; the first is the baseline */
  size_t reports;
  const double *x;       /* n by columns, column by column */
  const int *report;     /* n, 1 .. reports */
  const double *weight;  /* n, at least 0 */
  const double *channel; /* P(report | truth), truths by reports, the truths of one report contiguous */
} candor_category_rows;

typedef enum candor_category_curvature {
  CANDOR_CURVATURE_OBSERVED, /* minus the Hessian: variance of the truth before the report less that after it */
  CANDOR_CURVATURE_COMPLETE, /* that of known truths: the M-step's, positive semidefinite everywhere */
  CANDOR_CURVATURE_EXPECTED  /* Fisher's information */
} candor_category_curvature;

/* Sums over respondents so far. `packed` has a row for each pair of truths a >= b (the baseline left out, a fastest)
 * and in it an entry for each pair of covariates i >= j (i fastest). */
typedef struct candor_category_sums {
  double loglik, rest; /* compensated: the sum is loglik + rest */
  double *score;       /* columns * (truths - 1), truth by truth */
  double *packed;      /* candor_category_packed() */
} candor_category_sums;

size_t candor_category_packed(const candor_category_rows *rows);
size_t candor_category_work(const candor_category_rows *rows);

/* SYNOPSIS  Adds the respondents from .. to - 1 at the coefficients `beta` (columns by truths - 1) to `sums`, which
 *   the caller has set to 0. A report that the coefficients make impossible gives a loglik of minus infinity.
 * PRECONDITIONS  work: candor_category_work(). CANDOR_DOMAIN for codes, weights or sizes out of range,
 *   CANDOR_NOT_FINITE for a linear predictor that is not.
 * NUMERICS  one exponential a truth, pairs of truths times pairs of covariates multiply-adds a row: at 10 truths, 4
 *   covariates and 1e5 respondents a pass takes a quarter of what the same sums take by matrices in R.
 * REFERENCE  Louis 1982 for the observed information; Magder and Hughes 1997 for the model. */
candor_status candor_category_add(const candor_category_rows *rows, const double *beta, candor_category_curvature kind,
                                  size_t from, size_t to, double *work, candor_category_sums *sums);

/* SYNOPSIS  The full symmetric matrix of a packed one, columns * (truths - 1) square. */
void candor_category_unpack(const candor_category_rows *rows, const double *packed, double *information);

#endif
