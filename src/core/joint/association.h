/* The covariance of every pair of binary columns, from their histogram and its covariances.
 * inst/mathematics/estimation.md, section 3.5, has the derivation. */
#ifndef CANDOR_ASSOCIATION_H
#define CANDOR_ASSOCIATION_H

#include "joint/tmdh.h"

/* SYNOPSIS  For every pair i < j in lexicographic order: the covariance, its variance (delta method) and the
 *   moments that the errors of other measures follow from. A variance may come out negative, as an unbiased estimate
 *   may: nothing is clipped.
 * PRECONDITIONS  the table's order is at least 2; as candor_tmdh_entry otherwise.
 * REFERENCE  announced but not given in Carette 2022, section 2.4. */
typedef struct candor_pairs {
  double *covariance;
  double *covariance_variance;
  double *moments; /* NULL, or 6 a pair: Var mu_i, mu_j, mu_ij, then Cov (i, j), (i, ij), (j, ij) */
} candor_pairs;
candor_status candor_pair_covariances(const candor_histogram *h, const candor_pairs *out);

#endif
