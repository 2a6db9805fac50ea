/* The same regression where one number psi of the devices is unknown, and estimated with the coefficients: groups whose
 * devices differ identify it. Device g has p = p0 + p1 psi and q = q0 + q1 psi, 0 < psi < 1.
 *
 * A respondent may have given another answer, to an anchor question, whose probability depends on psi and not on the
 * truth: all0 + all1 psi. Then p and q are probabilities of a yes together with that answer, and so are those of a no:
 * all0 + all1 psi less p or q. Without such an answer all0 is 1 and all1 is 0. If the two answers are `separate`, p and
 * q are probabilities of a yes by itself, and the likelihood is the product of those of both answers.
 *
 * The logit of psi may follow a regression on the columns of v. The squares of the scores then take the place of the
 * expected information: the two factors of separate answers have no common expectation.
 *
 * SYNOPSIS       candor_unknown_value(&model, at, gradient, observed, expected) -> value
 * PRECONDITIONS  as for candor_binary; `at` holds the columns' coefficients, then psi (v is NULL).
 *                model.base.device is not read.
 * NUMERICS       p and q are probabilities for psi from 0 to 1; mu and 1 - mu are each formed as sums of parts above 0.
 * REFERENCE      inst/mathematics/regression.md 1.11, mixed.md 9. */
#ifndef CANDOR_UNKNOWN_H
#define CANDOR_UNKNOWN_H

#include "regress/binary.h"

typedef struct candor_family_of_devices {
  double p0, p1, q0, q1, all0, all1;
} candor_family_of_devices;

typedef struct candor_unknown {
  candor_binary base;
  const candor_family_of_devices *family;
  const double *v; /* shares columns; NULL: one psi for all rows */
  size_t shares;
  int separate;
} candor_unknown;

/* psi and 1 - psi, both in all digits. */
typedef struct candor_psi {
  double psi, rest;
} candor_psi;

/* What one row contributes: to be multiplied by its weight. */
typedef struct candor_unknown_term {
  candor_term answer;                    /* the value, and derivatives by eta */
  double score, observed, expected;      /* by psi */
  double observed_cross, expected_cross; /* by eta and psi */
} candor_unknown_term;

candor_status candor_unknown_check(const candor_unknown *model);

candor_psi candor_psi_at(double logit);

/* The device at psi; its p and p_no add up to the probability of the other answer. */
candor_device candor_unknown_device(const candor_family_of_devices *family, candor_psi at);

void candor_unknown_row(candor_link link, const candor_family_of_devices *family, int separate, double eta,
                        candor_psi at, double y, candor_unknown_term *term);

double candor_unknown_value(const candor_unknown *model, const double *at, double *gradient, double *observed,
                            double *expected);

/* The gram matrix of the columns of x, and that of v, with the weights. */
void candor_unknown_metric(const candor_unknown *model, double *metric);

/* What is climbed has the logit of psi, or its coefficients, in its place. */
candor_objective candor_unknown_objective(const candor_unknown *model);

#endif
