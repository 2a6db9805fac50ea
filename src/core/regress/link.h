/* The curve that takes a linear predictor to the probability of a true yes, with its complement and two derivatives.
 *
 * SYNOPSIS       candor_link_at(CANDOR_LOGIT, eta, &curve);
 * PRECONDITIONS  eta is a number; for the log link at most 0, for the identity link from 0 to 1 (elsewhere the values
 *                are those of the formula, and no probabilities).
 * NUMERICS       yes and no are each computed directly: neither is one minus the other, so both keep their digits.
 * REFERENCE      inst/mathematics/regression.md 1.1. */
#ifndef CANDOR_LINK_H
#define CANDOR_LINK_H

typedef enum candor_link {
  CANDOR_LOGIT = 0,
  CANDOR_PROBIT,
  CANDOR_CLOGLOG,
  CANDOR_CAUCHIT,
  CANDOR_LOG,
  CANDOR_IDENTITY,
  CANDOR_LINKS
} candor_link;

typedef struct candor_curve {
  double yes, no; /* F, 1 - F */
  double slope;   /* F' */
  double bend;    /* F'' */
} candor_curve;

void candor_link_at(candor_link link, double eta, candor_curve *curve);

#endif
