/* Reported and estimated multi-dimensional histograms of binary columns: covariance matrices entry by entry,
 * block by block, or only where they are not zero.
 * inst/mathematics/estimation.md, section 3, has the derivations; p = Pr(1 | 1), q = Pr(1 | 0) a column. */
#ifndef CANDOR_TMDH_H
#define CANDOR_TMDH_H

#include <stddef.h>

#include "base/status.h"
#include "joint/moments.h"
#include "joint/sets.h"

typedef enum candor_target {
  CANDOR_SAMPLE,    /* these respondents: only the randomization is random */
  CANDOR_POPULATION /* rows are drawn independently from a population */
} candor_target;

/* What population covariances are made from. With y' = y where a column's reports are mostly 0 and 1 - y where they are
 * mostly 1, a debiased bit is u = scale (y' + base); the table holds, for every set J, the sum over rows of
 * prod_J (y'_j + base_j) - prod_J base_j, the empty set 0. */
typedef struct candor_centred {
  const candor_table *table;
  const double *base;
  const double *scale;
} candor_centred;

/* SYNOPSIS  The arrays of a candor_centred from the reported counts (for a known truth: the expected ones).
 * PRECONDITIONS  p != q; every subset of a further set is in the table, else CANDOR_DOMAIN. base and scale hold
 *   one number a column, value reported->sets->total, more_value reported->n_more.
 * NUMERICS  sum u_J u_K - mu_J mu_K / n loses all digits where reports hardly vary: both terms are of the order of
 *   n. Taking each column's more frequent report as the origin leaves sums over the rows that differ from it; whole
 *   counts are turned exactly, so a column without variation has sum 0 and not nearly 0. */
candor_status candor_centre(const candor_table *reported, const double *p, const double *q, double *base, double *scale,
                            double *value, double *more_value);

typedef struct candor_histogram {
  const candor_table *table; /* estimated (or known) true counts; for the report, the true counts */
  const double *p;
  const double *q;
  candor_target target;
  int known; /* the table holds the truth itself, not an estimate of it */
  /* NULL, or the block of each column: columns that share a block >= 0 are the categories of one question,
   * of which exactly one is true, and need not be reported independently (direct encoding, local hashing). */
  const int *block;
  const candor_centred *centred; /* needed by the estimate's covariance under the population target; else NULL */
} candor_histogram;

/* u = (y - q) / d satisfies u^2 = v + kappa u exactly, because y is a bit. */
static inline double candor_bit_v(double p, double q)
{
  return q * (1 - q) / ((p - q) * (p - q));
}

static inline double candor_bit_kappa(double p, double q)
{
  return (1 - 2 * q) / (p - q);
}

/* SYNOPSIS  Covariance of the estimated true counts of the sets j and k (members increasing, 0-based).
 *   With estimates in the table it is the unbiased estimate of that covariance; with `known` truths, its
 *   exact value.
 * PRECONDITIONS  p != q in every column; n_j + n_k <= 63; the union (for the sample target only where the
 *   sets overlap), and every set between the symmetric difference and it, is in the table, else
 *   CANDOR_DOMAIN. At least 2 rows for an estimate under the population target, else CANDOR_EMPTY.
 * NUMERICS  for one bit u^2 = v + kappa u, so the sum of products of debiased bits is a contraction over
 *   the intersection alone: 2^|j and k| look-ups. The union's weight prod(kappa) - 1 vanishes in symmetric
 *   designs (p + q = 1), and then it need not be in the table. The sum of products only needs the reports as
 *   they are; where the union holds two categories of one block, its true count is 0. Under the population target
 *   the sums of `centred` take the place of the table's. Columns without variation are taken out as factors,
 *   so that a set of them alone has covariance 0 with all; a variance below 0 by no more than rounding is 0.
 * REFERENCE  Carette 2022, Theorem 3.6 as in eq. (136), for a probability pair of each column's own. */
candor_status candor_tmdh_entry(const candor_histogram *h, const int *j, size_t n_j, const int *k, size_t n_k,
                                double *out);

/* SYNOPSIS  Covariance of the reported counts of j and k when the table holds the true counts.
 * PRECONDITIONS  every subset of the union is in the table; n_j + n_k <= 63.
 * REFERENCE  Carette 2022, Theorem 3.3. */
candor_status candor_pmdh_entry(const candor_histogram *h, const int *j, size_t n_j, const int *k, size_t n_k,
                                double *out);

/* SYNOPSIS  One column of the upper triangle of the sample covariance, non-zero entries only: the sets that
 *   share a member with the one at `position` and do not come after it. Needs block == NULL. Rows are 0-based without
 *   the empty set. `family` is the family of rows and columns, the table may be larger.
 * PRECONDITIONS  row and value hold `position` entries. */
candor_status candor_tmdh_column(const candor_histogram *h, const candor_set_list *family, size_t position, int *row,
                                 double *value, size_t *n);

/* Non-zero entries of the whole upper triangle, as a double. */
double candor_overlaps_total(size_t columns, size_t order);

/* SYNOPSIS  All entries at once when all sets are in play: out[(J - 1) + (K - 1)(2^columns - 1)] over bit
 *   masks J, K >= 1. counts: reported counts over masks; mean: estimated counts over masks.
 * PRECONDITIONS  columns <= 12; work holds 2 * 3^columns + 4 * 2^columns.
 * NUMERICS  as candor_tmdh_entry. */
candor_status candor_tmdh_all(const double *counts, const double *mean, size_t columns, const double *p,
                              const double *q, candor_target target, double *work, double *out);

#endif
