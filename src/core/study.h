/* The simulation study of estimators, one cell (truth, mechanism, number of respondents) at a time.
 * Reports are simulated as counts, never as people, for additive channels (additive.h). */
#ifndef CANDOR_STUDY_H
#define CANDOR_STUDY_H

#include "additive.h"
#include "multinomial.h"
#include "stream.h"

typedef struct candor_world {
  candor_additive channel;
  const double *theta;   /* shares of the truth, K of them, summing to 1 within 1e-8 */
  const double *truth;   /* or NULL: whole numbers of respondents, the same in each replication */
  double respondents;    /* N >= 1; the sum of `truth` if that is given */
} candor_world;

/* Draws the counts of N reports again and again. */
typedef struct candor_simulator {
  candor_world world;
  candor_multinomial reports;    /* of all reports, or with a fixed truth of those that do not tell it */
  uint32_t *holders;             /* fixed truth: the categories that somebody holds */
  size_t n_holders;
  unsigned char *kept_class;     /* of each: the table of its number of truthful reports */
  candor_alias kept[CANDOR_MULTINOMIAL_CLASSES];
  double *scratch;
} candor_simulator;

size_t candor_simulator_bytes(size_t categories, int fixed);

/* SYNOPSIS      Plans the simulation of a world.
 * PRECONDITIONS memory of candor_simulator_bytes() bytes (fixed: whether the truth is), aligned for double; it and the
 *               world's arrays outlive the simulator.
 * NUMERICS      Truths sampled anew: reports are multinomial with m = b + a theta. Fixed truths, a >= 0: each is
 *               told with probability a, the others are multinomial with weights b, whatever the truth.
 *               Fixed truths, a < 0: no such decomposition exists, each truth draws its own row.
 * RETURNS       CANDOR_DOMAIN, CANDOR_EMPTY (no respondents), or what candor_additive_check() finds. */
candor_status candor_simulator_start(candor_simulator *simulator, const candor_world *world, void *memory);

/* SYNOPSIS      counts = the reports of one replication. */
candor_status candor_simulate(candor_simulator *simulator, candor_draw *draw, double *counts);

enum { CANDOR_STUDY_INV, CANDOR_STUDY_INVN, CANDOR_STUDY_INVP, CANDOR_STUDY_MLE, CANDOR_STUDY_METHODS };
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
  double *counts, *estimate, *work;
  double *value, *multiplicity, *logs;  /* distinct counts, how many categories have each, their logarithms */
  double lowest;            /* of the counts */
  uint32_t *histogram, *seen;
  size_t distinct;
} candor_study;

size_t candor_study_bytes(size_t categories, int fixed, size_t methods, size_t replications);

/* SYNOPSIS      Begins the replications of a cell for the given methods, each at most once.
 * PRECONDITIONS replications >= 1; memory of candor_study_bytes() bytes, aligned for double; it and the world's
 *               arrays outlive the study. */
candor_status candor_study_start(candor_study *study, const candor_world *world, const int *methods,
                                 size_t n_methods, size_t replications, uint64_t seed, uint64_t cell, void *memory);

/* SYNOPSIS      At most `chunk` replications; CANDOR_AGAIN until all are done, then CANDOR_OK.
 * NUMERICS      Replication r draws from the stream (seed, cell, r), so that nothing depends on who runs it
 *               or when. With p > q and equal b every estimate is a ramp, slope * max(0, count - start), found from
 *               the distinct counts alone; one pass over the categories then serves all methods and metrics. */
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
