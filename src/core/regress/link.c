#include "regress/link.h"

#include <math.h>

static const double half_root = 0.70710678118654752440;   /* 1 / sqrt(2) */
static const double normal_peak = 0.39894228040143267794; /* 1 / sqrt(2 pi) */
static const double one_over_pi = 0.31830988618379067154;

static void logit_at(double eta, candor_curve *c)
{
  const double z = exp(-fabs(eta)), large = 1 / (1 + z), small = z * large;
  c->yes = eta < 0 ? small : large;
  c->no = eta < 0 ? large : small;
  c->slope = small * large;
  c->bend = c->slope * (c->no - c->yes);
}

static void probit_at(double eta, candor_curve *c)
{
  c->yes = 0.5 * erfc(-eta * half_root);
  c->no = 0.5 * erfc(eta * half_root);
  c->slope = normal_peak * exp(-0.5 * eta * eta);
  c->bend = -eta * c->slope;
}

static void cloglog_at(double eta, candor_curve *c)
{
  const double rate = exp(eta);
  c->yes = -expm1(-rate);
  c->no = exp(-rate);
  c->slope = rate > 745 ? 0 : rate * c->no;
  c->bend = rate > 745 ? 0 : c->slope * (1 - rate);
}

static double cauchy_tail(double eta)
{
  return eta < -1 ? atan(-1 / eta) * one_over_pi : 0.5 + atan(eta) * one_over_pi;
}

static void cauchit_at(double eta, candor_curve *c)
{
  c->yes = cauchy_tail(eta);
  c->no = cauchy_tail(-eta);
  c->slope = one_over_pi / (1 + eta * eta);
  c->bend = -2 * eta / (1 + eta * eta) * c->slope;
}

void candor_link_at(candor_link link, double eta, candor_curve *c)
{
  switch (link) {
  case CANDOR_LOGIT: logit_at(eta, c); break;
  case CANDOR_PROBIT: probit_at(eta, c); break;
  case CANDOR_CLOGLOG: cloglog_at(eta, c); break;
  case CANDOR_CAUCHIT: cauchit_at(eta, c); break;
  case CANDOR_LOG:
    c->yes = c->slope = c->bend = exp(eta);
    c->no = -expm1(eta);
    break;
  default:
    c->yes = eta;
    c->no = 1 - eta;
    c->slope = 1;
    c->bend = 0;
  }
}
