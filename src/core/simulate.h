/* The reports of a world of respondents, simulated again and again: as counts, never as people, for additive channels
 * (additive.h). */
#ifndef CANDOR_SIMULATE_H
#define CANDOR_SIMULATE_H

#include "additive.h"
#include "multinomial.h"

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
  double *sums;                  /* fixed truth, a < 0: sums of b over the nodes of a tree (binomial.h) */
  double *scratch;
} candor_simulator;

size_t candor_simulator_bytes(size_t categories, int fixed);

/* SYNOPSIS      Plans the simulation of a world.
 * PRECONDITIONS memory of candor_simulator_bytes() bytes (fixed: whether the truth is), aligned for double; it and the
 *               world's arrays outlive the simulator.
 * NUMERICS      Truths sampled anew: reports are multinomial with m = b + a theta. Fixed truths, a >= 0: each is
 *               told with probability a, the others are multinomial with weights b, whatever the truth.
 *               Fixed truths, a < 0: see simulate_rows(); O(K log K) binomials.
 * RETURNS       CANDOR_DOMAIN, CANDOR_EMPTY (no respondents), or what candor_additive_check() finds. */
candor_status candor_simulator_start(candor_simulator *simulator, const candor_world *world, void *memory);

/* SYNOPSIS      counts = the reports of one replication. */
candor_status candor_simulate(candor_simulator *simulator, candor_draw *draw, double *counts);

#endif
