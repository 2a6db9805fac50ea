/* Estimates from many tallies, and their errors: how far they are from the truth, and how likely they make the
 * reports. The errors of all methods are computed here, also those of a user's own method. */
#ifndef CANDOR_STUDY_H
#define CANDOR_STUDY_H

#include <stddef.h>

#include "estimate/additive.h"

enum { CANDOR_STUDY_INV, CANDOR_STUDY_INVN, CANDOR_STUDY_INVP, CANDOR_STUDY_MLE, CANDOR_STUDY_METHODS };

/* SYNOPSIS       Estimates of one of the kernels of simplex.h from many tallies, a column each.
 * PRECONDITIONS  method: one of the above; work: candor_simplex_work() doubles; counts and estimates: categories by
 *                replications. What simplex.h asks of each tally.
 * NUMERICS       Those of simplex.h. A call from R for each tally costs more than the estimate up to about 1,000
 *                categories: with 50 a study takes a fourth of the time. */
candor_status candor_study_estimate(const candor_additive *channel, int method, const double *counts,
                                    size_t replications, double *work, double *estimates);

enum { CANDOR_STUDY_MSE, CANDOR_STUDY_TV, CANDOR_STUDY_NLL, CANDOR_STUDY_LOSSES };

/* What estimates say about the reports: report y has probability sum(x) other_y + keep x_y, with x their own shares of
 * the reports, or for additive channels (additive.h) the estimates themselves, and keep and other those of the
 * channel. */
typedef struct candor_reported {
  size_t reports;
  const double *x; /* one column a replication; NULL: the reports have no likelihood, and nll is NaN */
  double keep;
  const double *other; /* one for each report, or NULL: other_all */
  double other_all;
} candor_reported;

typedef struct candor_judged {
  size_t categories, replications;
  const double *estimates; /* categories by replications */
  const double *truth;     /* what is estimated */
  const double *counts;    /* reports by replications */
  double respondents;
  candor_reported reported;
  size_t groups;    /* of replications, whose errors are added up separately */
  const int *group; /* the group of each replication, from 0; NULL where there is one */
} candor_judged;

/* SYNOPSIS   losses: CANDOR_STUDY_LOSSES by replications. mse: squared error summed over categories; tv: half the
 *            absolute error; nll: minus the mean log-likelihood of the reports, infinite where one that was seen has no
 *            probability. sums: of the errors over the replications, categories by groups.
 * NUMERICS   Of a seen report the probability is above 0 for every method that keeps within what is possible; an
 *            inversion reproduces the share that was seen. */
void candor_study_judge(const candor_judged *judged, double *losses, double *sums);

#endif
