/* The estimate of a maximum likelihood solver and its certificate: with g = C (phi / m), N log max g bounds what the
 * log-likelihood can lack. Every step of the solver (newton.h, interior.h, solver.h) ends here. Internal to the core.
 *
 * NUMERICS   F(x) = sum x - sum phi log m is minimized over x >= 0. The iterate is rescaled to sum 1 whenever it is
 *            judged, and a certificate counts only where sum x g = 1 holds to 1e-9.
 * REFERENCE  Lindsay 1983 doi:10.1214/aos/1176346059; inst/mathematics/estimation.md 2.2. */
#ifndef CANDOR_CERTIFICATE_H
#define CANDOR_CERTIFICATE_H

#include <stddef.h>

#include "base/status.h"
#include "estimate/channel.h"

/* Below this a report counts as impossible: phi / m^2 must not overflow. */
#define CANDOR_LEAST_PROBABILITY 1e-150
/* Differences of F below this are rounding errors of the sum of phi_j log1p(.). */
#define CANDOR_NOISE 4e-16

typedef struct candor_solver_options {
  double tolerance;    /* on the total log-likelihood; >= 0 */
  size_t newton_limit; /* largest support for which the Hessian may be stored */
  size_t warm_cycles;  /* accelerated EM cycles before the Newton steps */
} candor_solver_options;

/* The interior phase of channels with cheap products (interior.h). */
typedef enum candor_solver_phase { CANDOR_BEFORE = 0, CANDOR_INSIDE, CANDOR_AFTER } candor_solver_phase;

/* The state of a solver: the estimate it stands at, the best certified one, and the workspace of its steps. Reads like
 * a result once a run of solver.h has returned; every pointer points into the caller's workspace. */
typedef struct candor_solver {
  const candor_channel *channel;
  candor_solver_options options;
  size_t truths;
  size_t reports;
  double total;      /* N, the sum of the counts */
  double gap;        /* N log max_i g_i of `theta`: what its log-likelihood can lack, in total */
  double loglik;     /* sum_j n_j log m_j of `theta` */
  size_t iterations; /* EM cycles and Newton steps so far */
  size_t products;   /* products with the channel so far */
  double *theta;     /* the best estimate so far; sums to 1 */
  double *reported;  /* its m = C' theta */
  double *score;     /* its g = C (phi / m) */
  /* Private to the steps: the iterate x, its m = C' x, w = phi / m and g = C w, a trial, and what Newton steps need. */
  double *phi, *m, *w, *g, *x, *direction, *trial, *m_trial, *weights, *diagonal, *scaling, *shift, *solution;
  double *cg_residual, *cg_direction, *cg_scaled, *cg_image, *cg_reports, *cells, *cells2;
  double *channel_work, *scaled_row, *hessian;
  size_t *free_set, *factored_set;
  size_t free_count, factored_count;
  double excess, damping;
  size_t stalls, trouble, inside_steps;
  candor_solver_phase phase;
  int sparse, refused;
  unsigned char *blocked;
  double *quadratic_work;
  size_t *set;
  candor_status status;
} candor_solver;

/* x -> m. */
void candor_certificate_forward(candor_solver *s, const double *x, double *m);

/* Whether every counted report has a probability that phi / m^2 can bear. */
int candor_certificate_possible(const candor_solver *s, const double *m);

/* Given x and m = C' x: rescales both to sum(x) = 1, fills g and the excess max g - 1, and keeps the
 * estimate if it is the best certified so far. */
void candor_certificate_judge(candor_solver *s);

/* The estimate as it stands becomes the result. */
void candor_certificate_keep(candor_solver *s);

/* F(trial) - F(x), from m_trial and m, without cancellation. */
double candor_certificate_change(const candor_solver *s, const double *trial, const double *m_trial);

/* The trial becomes the estimate, and is judged. */
void candor_certificate_accept(candor_solver *s);

/* trial = x g, accepted: a step of expectation-maximization. */
void candor_certificate_em_step(candor_solver *s);

/* Towards the cell that the certificate blames, with the step that maximizes the likelihood; 0 if it gains nothing. */
int candor_certificate_vertex_step(candor_solver *s);

#endif
