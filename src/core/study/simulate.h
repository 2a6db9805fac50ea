/* The reports of a world of respondents, simulated again and again: as counts, never as people, for additive channels
 * (additive.h). */
#ifndef CANDOR_SIMULATE_H
#define CANDOR_SIMULATE_H

#include "estimate/additive.h"
#include "study/binomial.h"

typedef struct candor_world {
  candor_additive channel;
  const double *theta; /* shares of the truth, K of them, summing to 1 within 1e-8 */
  const double *truth; /* or NULL: whole numbers of respondents, the same in each replication */
  double respondents;  /* N >= 1; the sum of `truth` if that is given */
} candor_world;

typedef struct candor_simulator {
  candor_world world;
  double *sums;         /* a tree over the reports (binomial.h): of their probabilities, or with a fixed truth of b */
  double *splits;       /* its splits */
  double *nodes;        /* its counts */
  double *ends, *begin; /* the same weights for few draws among many categories */
} candor_simulator;

/* Doubles of workspace. */
size_t candor_simulator_work(size_t categories);

/* SYNOPSIS       Prepares the simulation of a world.
 * PRECONDITIONS  work: candor_simulator_work() doubles; it and the world's arrays outlive the simulator.
 * RETURNS        CANDOR_DOMAIN, CANDOR_EMPTY (no respondents), or what candor_additive_check() finds. */
candor_status candor_simulator_start(candor_simulator *simulator, const candor_world *world, double *work);

/* SYNOPSIS       counts = the reports of one replication.
 * NUMERICS       Truths sampled anew: reports are multinomial with probabilities b + a theta. Fixed truths, a >= 0:
 *                each is told with probability a, the others are multinomial with weights b, whatever the truth. Fixed
 *                truths, a < 0: see leave_path(). O(K) binomials, or O(K log K) with a < 0, whatever N. */
candor_status candor_simulate(candor_simulator *simulator, candor_draw *draw, double *counts);

#endif
