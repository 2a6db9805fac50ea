/* The simulation study of estimators, one cell (truth, mechanism, number of respondents) at a time: simulate.h makes
 * the reports of each replication, ramp.h the estimates, and here they are judged. */
#ifndef CANDOR_STUDY_H
#define CANDOR_STUDY_H

#include "ramp.h"
#include "simulate.h"
#include "stream.h"

enum { CANDOR_STUDY_MSE, CANDOR_STUDY_TV, CANDOR_STUDY_NLL, CANDOR_STUDY_BIAS2, CANDOR_STUDY_VARIANCE,
       CANDOR_STUDY_METRICS };
enum { CANDOR_STUDY_GROUPS = 10 };

/* Mean and spread of what each replication gives, by Welford's recurrence. */
typedef struct candor_moments {
  double n, mean, squares;
} candor_moments;

typedef struct candor_study {
  candor_simulator simulator;
  uint64_t seed, cell;
  candor_stream streams[CANDOR_STREAMS]; /* of the replications next to come */
  size_t replications, done;
  size_t methods, groups;
  int method[CANDOR_STUDY_METHODS];
  candor_moments moments[CANDOR_STUDY_METHODS][CANDOR_STUDY_BIAS2];
  double group_squares[CANDOR_STUDY_METHODS][CANDOR_STUDY_GROUPS];
  double group_size[CANDOR_STUDY_GROUPS];
  double group_none[CANDOR_STUDY_METHODS][CANDOR_STUDY_GROUPS]; /* to be added to all of a group's sums */
  const double *reference;  /* what is estimated: theta, or the shares of the fixed truth */
  double reference_squares;
  double *sums;             /* of the estimates, category by category, for each group and method */
  double *shared;           /* and for each group of those that were the same for all methods */
  int has_sums[CANDOR_STUDY_GROUPS], has_shared[CANDOR_STUDY_GROUPS];
  double *counts, *estimate, *work;
  uint32_t *seen;
  candor_spectrum spectrum;
} candor_study;

size_t candor_study_bytes(size_t categories, int fixed, size_t methods, size_t replications);

/* SYNOPSIS      Begins the replications of a cell for the given methods, each at most once.
 * PRECONDITIONS replications >= 1; memory of candor_study_bytes() bytes, aligned for double; it and the world's
 *               arrays outlive the study. */
candor_status candor_study_start(candor_study *study, const candor_world *world, const int *methods,
                                 size_t n_methods, size_t replications, uint64_t seed, uint64_t cell, void *memory);

/* SYNOPSIS      At most `chunk` replications; CANDOR_AGAIN until all are done, then CANDOR_OK.
 * NUMERICS      Replication r draws from the stream (seed, cell, r), so that nothing depends on who runs it
 *               or when. With p > q and equal b the estimates are ramps of the counts. */
candor_status candor_study_run(candor_study *study, size_t chunk);

/* SYNOPSIS      estimate and error: CANDOR_STUDY_METRICS values for each method, in the order of the enum.
 *               mse: squared error summed over categories; tv: half the absolute error; nll: minus the mean
 *               log-likelihood of the reports; bias2 and variance: their sums over categories, both unbiased,
 *               so that bias2 may come out negative and bias2 + variance = mse.
 * NUMERICS      Monte Carlo errors: standard deviation over the replications, and for bias2 and variance the
 *               jackknife over 10 groups of replications (5 for very many categories). NaN where one replication says
 *               nothing. */
void candor_study_finish(const candor_study *study, double *estimate, double *error);

#endif
