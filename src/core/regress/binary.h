/* Log-likelihood of randomized yes/no answers whose truth follows a regression, with its derivatives, in one pass.
 *
 * Row i has the linear predictor eta = x'b + offset, the true share F(eta), and gives "yes" with probability
 * mu = p F + q (1 - F), where (p, q) are the numbers of its device. y is 0, 1 or the share of yes among its `weight`
 * answers.
 *
 * SYNOPSIS       candor_binary_value(&model, b, gradient, observed, expected) -> value
 * PRECONDITIONS  x by columns, finite; y in [0, 1]; weights >= 0; p, q probabilities; p_no, q_no, d the caller's
 *                1 - p, 1 - q, p - q with all their digits.
 * NUMERICS       never 1 - mu, never 1 - F; score and curvature of the logit link in the forms without cancellation;
 *                sums by blocks. A value of -INFINITY says that a report is impossible at b, or that b is outside the
 *                range of the link (log: eta <= 0; identity: 0 <= eta <= 1).
 * REFERENCE      inst/mathematics/regression.md 1.1, 1.3. */
#ifndef CANDOR_BINARY_H
#define CANDOR_BINARY_H

#include <stddef.h>

#include "base/status.h"
#include "regress/climb.h"
#include "regress/link.h"

typedef struct candor_device {
  double p, q, p_no, q_no, d;
} candor_device;

typedef struct candor_binary {
  size_t rows, columns;
  const double *x;
  /* Columns of 0 and 1 that are never 1 together, before those of x: the place of each row's, or -1. */
  const int *level;
  size_t levels;
  const double *y;
  const double *weight; /* NULL: 1 */
  const double *offset; /* NULL: 0 */
  const int *arm;       /* 0-based device of each row; NULL: the first */
  const candor_device *device;
  size_t devices;
  candor_link link;
  /* Added to the log-likelihood: barrier * sum of log slack of the log and identity links. 0 for the others. */
  double barrier;
} candor_binary;

/* What one row contributes, per answer: to be multiplied by its weight. */
typedef struct candor_term {
  double eta;
  candor_curve curve;
  double report, report_no; /* mu, 1 - mu */
  double loglik;
  double score;    /* d loglik / d eta */
  double observed; /* -d^2 loglik / d eta^2 */
  double expected; /* its expectation */
} candor_term;

/* DOMAIN or NOT_FINITE for a model that the functions below must not be given. */
candor_status candor_binary_check(const candor_binary *model);

void candor_binary_term(candor_link link, const candor_device *device, double eta, double y, candor_term *term);

candor_shape candor_binary_shape(const candor_binary *model);

/* gradient: levels, then columns; observed, expected: arrows. Each may be NULL. */
double candor_binary_value(const candor_binary *model, const double *b, double *gradient, double *observed,
                           double *expected);

/* The gram matrix of the columns with the weights. */
void candor_binary_metric(const candor_binary *model, double *metric);

/* The model as something to climb, without metric and prior. */
candor_objective candor_binary_objective(const candor_binary *model);

#endif
