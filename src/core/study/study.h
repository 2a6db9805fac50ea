/* Estimates from a tally, and their errors: how far they are from the truth, and how likely they make the reports. The
 * errors of all methods are computed here, also those of a user's own method. */
#ifndef CANDOR_STUDY_H
#define CANDOR_STUDY_H

#include <stddef.h>

#include "estimate/additive.h"

enum { CANDOR_STUDY_INV, CANDOR_STUDY_INVN, CANDOR_STUDY_INVP, CANDOR_STUDY_MLE, CANDOR_STUDY_METHODS };

/* SYNOPSIS       The estimate of one of the kernels of simplex.h.
 * PRECONDITIONS  method: one of the above; work: candor_simplex_work() doubles. What simplex.h asks of the tally.
 * NUMERICS       Those of simplex.h. A study calls it without going through R, where a call for each tally costs more
 *                than the estimate up to about 1,000 categories: with 50 a study takes a fourth of the time. */
candor_status candor_study_estimate(const candor_additive *channel, int method, const double *counts, double *work,
                                    double *estimate);

enum { CANDOR_STUDY_MSE, CANDOR_STUDY_TV, CANDOR_STUDY_NLL, CANDOR_STUDY_LOSSES };

/* What estimates are judged by. They say that report y has probability sum(x) other_y + keep x_y, with x their own
 * shares of the reports, or for additive channels (additive.h) the estimates themselves. */
typedef struct candor_judge {
  size_t categories, reports;
  const double *truth; /* what is estimated */
  double respondents;
  double keep;
  const double *other; /* one for each report, or NULL: other_all */
  double other_all;
} candor_judge;

/* SYNOPSIS   losses: CANDOR_STUDY_LOSSES. mse: squared error summed over categories; tv: half the absolute error; nll:
 *            minus the mean log-likelihood of the reports, infinite where one that was seen has no probability, NaN
 *            where x is NULL: such counts have no likelihood. The error of each category is added to sums.
 * NUMERICS   Of a seen report the probability is above 0 for every method that keeps within what is possible; an
 *            inversion reproduces the share that was seen. */
void candor_study_judge(const candor_judge *judge, const double *estimate, const double *x, const double *counts,
                        double *losses, double *sums);

#endif
