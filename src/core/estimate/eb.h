/* Empirical Bayes for many categories: the counts themselves say how the shares are spread, and each share is then
 * estimated by its posterior under that spread.
 *
 * The count of a category is Poisson (or binomial) with mean base + slope x, where x is its share in units of what is
 * expected of it: 1/K, or the share of a reference distribution. All x come from one prior on a grid. The prior is an
 * average of some hundred simple shapes, each weighed by how likely it makes the counts:
 *
 *   a point      every share is as expected, x = 1
 *   power laws   density ~ x^-rho on [L, U], with a point mass at 0 where the mean would else exceed 1
 *   pairs        two shares: x = U for a fraction w of the categories, one smaller x for the rest
 *   singles      x = U for one category, a power law up to U for the rest
 *   log-normal   laws around 1, in place of power laws, pairs and singles where the expectation is a reference
 *
 * All have mean 1. Poisson counts given their total are multinomial; shares that add up to their known total are had by
 * tilting all posteriors by one exp(-eta x).
 *
 * The steps, in order: candor_eb_grid(), candor_eb_bands(), candor_eb_kernel(), candor_eb_prior(),
 * candor_eb_posterior(), candor_eb_cumulate(), candor_eb_quantiles(). All work on rows: categories with the same count,
 * base and slope are one. */
#ifndef CANDOR_EB_H
#define CANDOR_EB_H

#include <stddef.h>

#include "base/status.h"

/* All numbers are at most 1e17, those that must be above 0 at least 1e-17. */
typedef struct candor_eb_rows {
  size_t n;
  const double *count;      /* reports, >= 0 */
  const double *categories; /* how many categories the row stands for, > 0 */
  const double *base;       /* reports expected where x = 0, >= 0 */
  const double *slope;      /* ... and how many more for each unit of x, > 0 */
  const double *trials;     /* counts are binomial of so many; NULL: Poisson */
  const double *share;      /* of the total, for each unit of x, > 0 */
  const double *tilt;       /* how much of the difference from the total the row takes: its share, or 0 */
} candor_eb_rows;

/* Points of the prior, rising from x = 0, and the cells whose mass they hold: [low, high) around each. Cells touch
 * where points are near; there is no mass in gaps that no count is near to. */
typedef struct candor_eb_grid {
  size_t n;
  double *x, *low, *high;
} candor_eb_grid;

/* What each row can say: columns first .. last - 1 of the grid, whose values begin at `start` in the packed kernel. */
typedef struct candor_eb_bands {
  size_t *first, *last, *start; /* rows->n each */
  size_t size;                  /* doubles of the packed kernel */
} candor_eb_bands;

typedef struct candor_eb_shapes {
  double categories; /* how many there are; a pair gives its larger share to at least one */
  double point;      /* prior weights of the point, of all power (or log-normal) laws, of all pairs, of all singles */
  double power;
  double pair;
  double single;
  int reference; /* log-normal laws in place of power laws, pairs and singles */
  double free;   /* prior odds of that average, sharpened by steps towards a free form, against itself; 0: not tried */
} candor_eb_shapes;

typedef struct candor_eb_summary {
  double point; /* posterior weights of the four kinds */
  double power;
  double pair;
  double single;
  double free;   /* weight of the free form against the average of shapes */
  double loglik; /* log of the average likelihood, relative to the largest value of each row's kernel */
  size_t shapes; /* how many were averaged */
} candor_eb_summary;

/* Points that candor_eb_grid_make() may need at most; 0 if that refuses the rows: they are bad, or need more than four
 * million points, as a group of ten reports beside one of 1e15 does. */
size_t candor_eb_grid_most(const candor_eb_rows *rows, double relative);

/* SYNOPSIS       The grid for these rows: x = 0, some points around 1, and points a quarter of a standard deviation of
 *                a count apart wherever counts are (half, where categories are few); no x above `most`.
 * PRECONDITIONS  Rows in rising order of where their counts may come from: of counts, if all have one base and slope.
 *                grid->x, low, high: candor_eb_grid_most() doubles. most > 1. relative: least step, in units of x; 0
 *                but where slopes differ by much, and then above the relative errors of all rows.
 * NUMERICS       Equally spaced sums with steps below one standard deviation integrate a smooth prior against the
 *                kernel to about 1e-8; steps of a half lose up to 14 times at two-level truths of 100 categories.
 *                Where rows differ, the steps are those of the most exact one. */
candor_status candor_eb_grid_make(const candor_eb_rows *rows, double most, double relative, candor_eb_grid *grid);

/* SYNOPSIS       Where each row's kernel is above e^-46 of its largest value on the grid, and the memory it takes. */
candor_status candor_eb_bands_make(const candor_eb_rows *rows, const candor_eb_grid *grid, candor_eb_bands *bands);

/* SYNOPSIS       The likelihood of each row's count at the grid's points, relative to its largest value there.
 * PRECONDITIONS  kernel: bands->size doubles. loglik: what all largest values together are worth, relative to a mean
 *                that is the count.
 * NUMERICS       c log1p(t/m) - t, where m is the mean at the top and t, slope times a difference of x, how far the
 *                mean is from it: no lgamma, no large numbers subtracted, errors of 1e-16 times a term that is at most
 *                some standard deviations of the count near the top, and about 46 where it is far off the grid. */
void candor_eb_kernel(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                      double *kernel, double *loglik);

/* Doubles of workspace for candor_eb_prior(). */
size_t candor_eb_prior_work(const candor_eb_grid *grid);

/* SYNOPSIS       The average of all shapes, weighed by prior weight and likelihood: masses of the grid's points.
 * PRECONDITIONS  work: candor_eb_prior_work() doubles; prior: grid->n doubles.
 * NUMERICS       One pass; weights on the logarithmic scale. A millionth of the mass is spread over the grid, so that
 *                every row has some.
 * REFERENCE      Kiefer and Wolfowitz 1956 for the mixture; Efron 2016 doi:10.1093/biomet/asv068 for priors of few
 *                parameters learned from counts; Orlitsky and Suresh 2015 for the least possible error. */
candor_status candor_eb_prior(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                              const double *kernel, const candor_eb_shapes *shapes, double *work, double *prior,
                              candor_eb_summary *summary);

/* SYNOPSIS       Posterior means and variances of x, tilted by exp(-eta tilt x) so that
 *                sum categories * share * mean = total.
 * PRECONDITIONS  rows, bands: all rows, or consecutive ones of them (a group).
 * NUMERICS       Newton's steps on a decreasing function, cut until the difference shrinks; a total that no tilt can
 *                reach (at or below what is left with every x at its least) leaves eta = 0. Rows are centred before
 *                anything is exponentiated. Means rise with the count among rows alike in all else. */
candor_status candor_eb_posterior(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                                  const double *kernel, const double *prior, double total, double *eta, double *mean,
                                  double *variance);

/* SYNOPSIS       Turns the kernel into the cumulated posterior weights of each row, in place. */
void candor_eb_cumulate(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                        const double *prior, double eta, double *kernel);

/* SYNOPSIS       Posterior quantiles of x at one level in (0, 1), the mass of a point spread over its cell; that of
 *                x = 0 is not spread.
 * PRECONDITIONS  cumulated: from candor_eb_cumulate(). */
void candor_eb_quantiles(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                         const double *cumulated, double level, double *quantile);

/* SYNOPSIS       The x of least expected absolute error that have the total: quantiles at that one level at which
 *                sum categories * share * quantile = total, by bisection; at the nearest level where there is none. */
void candor_eb_median(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                      const double *cumulated, double total, double *median);

#endif
