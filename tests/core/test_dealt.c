/* The likelihood of a block of dealt answers: against all deals of small decks in long double, and its derivatives against
 * differences of the value and of the gradient. */
#include "regress/dealt.h"

#include <string.h>

#include "check.h"

enum { P = 2, R = 5 };

static const double z[R * P] = {1, 1, 1, 1, 1, 0.5, -1.25, 2, 0.125, -0.75};
static const double offset[R] = {0.25, 0, -0.5, 0, 0.125};
static const int said[R] = {1, 0, 1, 0, 0};
static const double b[P] = {-0.375, 0.625};

/* The sum over cards 0 (no), 1 (yes), 2 (truth) of each person in turn. */
static long double deals(const candor_dealt *block, const double *at, size_t person, size_t left[3])
{
  if (person == block->people) return 1;
  double eta = block->offset[person];
  for (size_t c = 0; c < P; c++) eta += block->z[c * block->stride + person] * at[c];
  candor_curve curve;
  candor_link_at(block->link, eta, &curve);
  const long double all = (long double) (left[0] + left[1] + left[2]);
  long double sum = 0;
  for (size_t card = 0; card < 3; card++) {
    if (left[card] == 0 || (card < 2 && (int) card != block->said[person])) continue;
    const long double p = card < 2 ? 1 : block->said[person] ? curve.yes : curve.no;
    const long double chance = (long double) left[card] / all;
    left[card]--;
    sum += chance * p * deals(block, at, person + 1, left);
    left[card]++;
  }
  return sum;
}

static double value(const candor_dealt *block, const double *at, double *gradient, double *observed, double *complete)
{
  double work[256];
  CHECK(candor_dealt_work(P, R) <= 256);
  if (gradient) {
    memset(gradient, 0, P * sizeof *gradient);
    memset(observed, 0, P * P * sizeof *observed);
    memset(complete, 0, P * P * sizeof *complete);
  }
  return candor_dealt_block(block, at, work, gradient, observed, complete);
}

static void check_block(size_t cards, size_t yes, size_t no, size_t people, candor_link link)
{
  const candor_dealt block = {cards, yes, no, people, P, R, z, offset, said, link};
  double g[P], J[P * P], complete[P * P], above[P], below[P], ignored[P * P];
  size_t left[3] = {no, yes, cards - yes - no};
  const double loglik = value(&block, b, g, J, complete);
  CHECK_NEAR(loglik, (double) logl(deals(&block, b, 0, left)), 1e-13);
  CHECK(loglik == value(&block, b, NULL, NULL, NULL));
  const double h = 1e-5;
  for (size_t c = 0; c < P; c++) {
    double up[P], down[P];
    memcpy(up, b, sizeof up);
    memcpy(down, b, sizeof down);
    up[c] += h;
    down[c] -= h;
    const double high = value(&block, up, above, ignored, complete),
                 low = value(&block, down, below, ignored, complete);
    CHECK_NEAR(g[c], (high - low) / (2 * h), 1e-9);
    for (size_t d = 0; d < P; d++) {
      CHECK_NEAR(J[c * P + d], -(above[d] - below[d]) / (2 * h), 1e-9);
      CHECK_NEAR(J[c * P + d], J[d * P + c], 0);
    }
  }
}

int main(void)
{
  for (int link = 0; link < CANDOR_LOG; link++) {
    check_block(5, 1, 1, 5, (candor_link) link); /* full */
    check_block(8, 2, 1, 5, (candor_link) link); /* short */
    check_block(6, 0, 2, 4, (candor_link) link); /* no card for yes */
    check_block(7, 4, 0, 5, (candor_link) link); /* fewer truths than people */
  }
  /* Two of five said yes: a deck that dictates three to all five cannot give it. */
  const candor_dealt block = {5, 3, 1, 5, P, R, z, offset, said, CANDOR_LOGIT};
  CHECK(isinf(value(&block, b, NULL, NULL, NULL)));
  return check_report();
}
