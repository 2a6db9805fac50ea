/* The estimates of one replication of a study, for equal b and p > q (additive.h): each is a ramp of the counts,
 * slope * max(0, count - start), and inversion the same without the max. Start, slope and likelihood depend on the
 * counts only through the distinct ones among them and how many categories have each: the spectrum. */
#ifndef CANDOR_RAMP_H
#define CANDOR_RAMP_H

#include <stdint.h>

#include "additive.h"

enum { CANDOR_STUDY_INV, CANDOR_STUDY_INVN, CANDOR_STUDY_INVP, CANDOR_STUDY_MLE, CANDOR_STUDY_METHODS };

typedef struct candor_ramp {
  double slope, start;
  int line; /* without the max */
} candor_ramp;

typedef struct candor_spectrum {
  const candor_additive *channel;
  double reports;
  double at_zero;           /* the count whose inversion is zero */
  double lowest, highest;   /* of the counts */
  double guess[CANDOR_STUDY_METHODS]; /* where a method's ramp may start: where the last one did */
  size_t distinct;
  double *value, *multiplicity;
  double *logs;             /* of the values, 0 for those below 1 */
  double *work;
  uint32_t *histogram;
} candor_spectrum;

size_t candor_spectrum_bytes(size_t categories);

/* SYNOPSIS: a spectrum without counts yet.
 * PRECONDITIONS: memory of candor_spectrum_bytes() bytes, aligned for double; it and the channel outlive the
 *   spectrum. */
void candor_spectrum_start(candor_spectrum *spectrum, const candor_additive *channel, double reports, void *memory);

/* SYNOPSIS: the lowest and the highest of the counts. 1: no method repairs anything, all give what inversion gives. */
int candor_spectrum_range(candor_spectrum *spectrum, const double *counts);

/* SYNOPSIS: the spectrum of the counts; candor_spectrum_range() goes first. */
void candor_spectrum_of(candor_spectrum *spectrum, const double *counts);

/* SYNOPSIS: the same where only the categories `seen` have reports. */
void candor_spectrum_sparse(candor_spectrum *spectrum, const double *counts, const uint32_t *seen, size_t n_seen);

candor_ramp candor_ramp_of(candor_spectrum *spectrum, int method);

/* SYNOPSIS: minus the mean log-likelihood of the reports under the method's estimate `r`. */
double candor_ramp_nll(const candor_spectrum *spectrum, int method, const candor_ramp *r);

/* SYNOPSIS: the same where candor_spectrum_range() has found nothing to repair, from the counts alone. */
double candor_counts_nll(const candor_spectrum *spectrum, const double *counts);

#endif
