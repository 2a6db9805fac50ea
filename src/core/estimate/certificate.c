/* How an iterate is judged, kept and replaced: see certificate.h. */
#include "estimate/certificate.h"

#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "base/vector.h"

void candor_certificate_forward(candor_solver *s, const double *x, double *m)
{
  candor_channel_forward(s->channel, x, s->channel_work, m);
  s->products++;
}

int candor_certificate_possible(const candor_solver *s, const double *m)
{
  for (size_t j = 0; j < s->reports; j++)
    if (s->phi[j] > 0 && !(m[j] >= CANDOR_LEAST_PROBABILITY)) return 0;
  return 1;
}

void candor_certificate_keep(candor_solver *s)
{
  s->gap = s->total * log1p(s->excess);
  candor_sum loglik = {0, 0};
  for (size_t j = 0; j < s->reports; j++)
    if (s->phi[j] > 0) candor_sum_add(&loglik, s->phi[j] * log(s->m[j]));
  s->loglik = s->total * candor_sum_total(&loglik);
  memcpy(s->theta, s->x, s->truths * sizeof *s->x);
  memcpy(s->score, s->g, s->truths * sizeof *s->g);
  memcpy(s->reported, s->m, s->reports * sizeof *s->m);
}

void candor_certificate_judge(candor_solver *s)
{
  const size_t K = s->truths, J = s->reports;
  double largest = 0;
  const double sum = candor_vector_sum(s->x, K);
  for (size_t i = 0; i < K; i++) s->x[i] /= sum;
  for (size_t j = 0; j < J; j++) {
    s->m[j] /= sum;
    s->w[j] = s->phi[j] > 0 ? s->phi[j] / s->m[j] : 0;
  }
  candor_channel_adjoint(s->channel, s->w, s->channel_work, s->g);
  s->products++;
  for (size_t i = 0; i < K; i++) largest = fmax(largest, s->g[i]);
  const double all = candor_vector_dot(s->x, s->g, K);
  /* sum theta g = 1 is an identity: where it fails, numbers have left the range of double precision,
   * and a maximum that skips NaN would certify nonsense. */
  s->excess = fabs(all - 1) < 1e-9 ? fmax(largest - 1, 0) : HUGE_VAL;
  if (s->total * log1p(s->excess) < s->gap) candor_certificate_keep(s);
}

double candor_certificate_change(const candor_solver *s, const double *trial, const double *m_trial)
{
  double mass = 0, likelihood = 0;
  for (size_t i = 0; i < s->truths; i++) mass += trial[i] - s->x[i];
  for (size_t j = 0; j < s->reports; j++) {
    if (s->phi[j] == 0) continue;
    if (!(m_trial[j] >= CANDOR_LEAST_PROBABILITY)) return HUGE_VAL;
    const double ratio = (m_trial[j] - s->m[j]) / s->m[j];
    likelihood += s->phi[j] * (fabs(ratio) < 0.5 ? log1p(ratio) : log(m_trial[j] / s->m[j]));
  }
  return mass - likelihood;
}

void candor_certificate_accept(candor_solver *s)
{
  double *swap = s->x;
  s->x = s->trial;
  s->trial = swap;
  swap = s->m;
  s->m = s->m_trial;
  s->m_trial = swap;
  candor_certificate_judge(s);
}

void candor_certificate_em_step(candor_solver *s)
{
  for (size_t i = 0; i < s->truths; i++) s->trial[i] = s->x[i] * s->g[i];
  candor_certificate_forward(s, s->trial, s->m_trial);
  candor_certificate_accept(s);
}

int candor_certificate_vertex_step(candor_solver *s)
{
  size_t best = 0;
  for (size_t i = 1; i < s->truths; i++)
    if (s->g[i] > s->g[best]) best = i;
  candor_channel_row(s->channel, best, s->cg_reports);
  double low = 0, high = 1;
  for (int k = 0; k < 60; k++) {
    const double t = 0.5 * (low + high);
    double derivative = 0;
    for (size_t j = 0; j < s->reports; j++) {
      const double step = s->cg_reports[j] - s->m[j];
      if (s->phi[j] > 0) derivative += s->phi[j] * step / (s->m[j] + t * step);
    }
    if (derivative > 0) low = t;
    else high = t;
  }
  for (size_t i = 0; i < s->truths; i++) s->trial[i] = (1 - low) * s->x[i] + (i == best ? low : 0);
  candor_certificate_forward(s, s->trial, s->m_trial);
  if (!(candor_certificate_change(s, s->trial, s->m_trial) < -CANDOR_NOISE)) return 0;
  candor_certificate_accept(s);
  return 1;
}
