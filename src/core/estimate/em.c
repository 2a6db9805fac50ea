#include "estimate/em.h"

#include <float.h>
#include <math.h>

size_t candor_em_work(const candor_channel *channel)
{
  return candor_channel_truths(channel) + 2 * candor_channel_reports(channel) + candor_channel_work(channel);
}

/* theta -> m, g and the gap; `m` is used up: it ends as phi / m. */
static candor_status score(candor_em *em, double *loglik)
{
  double most = 0, likelihood = 0;
  candor_channel_forward(em->channel, em->theta, em->work, em->m);
  for (size_t j = 0; j < em->reports; j++) {
    const double phi = em->phi[j], m = em->m[j];
    if (phi > 0 && !(m >= DBL_MIN)) return CANDOR_IMPOSSIBLE;
    if (loglik && phi > 0) likelihood += phi * log(m);
    em->m[j] = phi > 0 ? phi / m : 0;
  }
  candor_channel_adjoint(em->channel, em->m, em->work, em->g);
  for (size_t i = 0; i < em->truths; i++) {
    if (!isfinite(em->g[i])) return CANDOR_IMPOSSIBLE;
    if (em->g[i] > most) most = em->g[i];
  }
  em->gap = most > 1 ? log(most) : 0;
  if (loglik) *loglik = likelihood;
  return CANDOR_OK;
}

static void step(candor_em *em)
{
  double sum = 0;
  for (size_t i = 0; i < em->truths; i++) {
    em->theta[i] *= em->g[i];
    sum += em->theta[i];
  }
  for (size_t i = 0; i < em->truths; i++) em->theta[i] /= sum;
  em->steps++;
}

candor_status candor_em_start(candor_em *em, const candor_channel *channel, const double *counts, double *theta,
                              double *work)
{
  double mass = 0;
  candor_status status = candor_channel_check(channel);
  if (status != CANDOR_OK) return status;
  *em = (candor_em){0};
  em->channel = channel;
  em->truths = candor_channel_truths(channel);
  em->reports = candor_channel_reports(channel);
  em->theta = theta;
  em->g = work;
  em->phi = em->g + em->truths;
  em->m = em->phi + em->reports;
  em->work = em->m + em->reports;
  status = candor_counts_total(counts, em->reports, &em->total);
  if (status != CANDOR_OK) return status;
  for (size_t i = 0; i < em->truths; i++) {
    if (!isfinite(theta[i])) return CANDOR_NOT_FINITE;
    if (theta[i] < 0) return CANDOR_DOMAIN;
    mass += theta[i];
  }
  if (!(fabs(mass - 1) <= 1e-8)) return CANDOR_DOMAIN;
  for (size_t j = 0; j < em->reports; j++) em->phi[j] = counts[j] / em->total;
  return score(em, NULL);
}

candor_status candor_em_run(candor_em *em, size_t chunk, const candor_ibu_trace *trace)
{
  const int wants_loglik = trace && trace->loglik;
  double loglik = 0;
  for (;; chunk--) {
    const candor_status status = score(em, wants_loglik ? &loglik : NULL);
    if (status != CANDOR_OK) return status;
    if (trace && trace->gap) trace->gap[em->steps] = em->gap;
    if (wants_loglik) trace->loglik[em->steps] = loglik;
    if (trace && trace->distance)
      trace->distance[em->steps] = candor_ibu_distance(em->theta, trace->maximum, em->truths);
    if (candor_ibu_done(em->steps, em->limit, em->total * em->gap, em->tolerance)) return CANDOR_OK;
    if (chunk == 0) return CANDOR_AGAIN;
    step(em);
  }
}
