/* The likelihood of a block of dealt answers: against all deals of small decks in long double, and its derivatives against
 * differences of the value and of the gradient. */
#include "regress/dealt.h"

#include <string.h>

#include "check.h"

enum { P = 3, R = 5 };

static const double z[R * P] = {1, 1, 1, 1, 1, 0.5, -1.25, 2, 0.125, -0.75, 0, 1, 0.5, -0.25, 1};
static const double offset[R] = {0.25, 0, -0.5, 0, 0.125};
static int said[R] = {1, 0, 1, 0, 0};
static const double b[P] = {-0.375, 0.625, 0.25};

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

/* The information of known truths: every asked person's variance of the truth; and rows that are not next to each other. */
static void complete_information(candor_link link)
{
  enum { STRIDE = 9 };
  double wide[STRIDE * P] = {0}, work[256], g[P] = {0}, J[P * P] = {0}, complete[P * P] = {0};
  for (size_t c = 0; c < P; c++)
    for (size_t i = 0; i < R; i++) wide[c * STRIDE + i] = z[c * R + i];
  for (int shifted = 0; shifted < 2; shifted++) {
    const candor_dealt block = {8, 2, 1, R, P, STRIDE, wide, shifted ? offset : NULL, said, link};
    const candor_dealt near = {8, 2, 1, R, P, R, z, shifted ? offset : NULL, said, link};
    double near_g[P] = {0}, near_J[P * P] = {0}, near_complete[P * P] = {0};
    memset(g, 0, sizeof g), memset(J, 0, sizeof J), memset(complete, 0, sizeof complete);
    const double loglik = candor_dealt_block(&block, b, work, g, J, complete);
    CHECK(loglik == candor_dealt_block(&near, b, work, near_g, near_J, near_complete));
    CHECK(memcmp(g, near_g, sizeof g) == 0 && memcmp(J, near_J, sizeof J) == 0);
    for (size_t c = 0; c < P; c++) {
      for (size_t d = 0; d < P; d++) {
        double sum = 0;
        for (size_t i = 0; i < R; i++) {
          double eta = shifted ? offset[i] : 0;
          for (size_t e = 0; e < P; e++) eta += z[e * R + i] * b[e];
          candor_curve up, down, at;
          candor_link_at(link, eta, &at);
          candor_link_at(link, eta + 1e-5, &up);
          candor_link_at(link, eta - 1e-5, &down);
          const double slope = (up.yes - down.yes) / 2e-5;
          sum += 5.0 / 8 * slope * slope / (at.yes * at.no) * z[c * R + i] * z[d * R + i];
        }
        CHECK_NEAR(complete[c * P + d], sum, 1e-8);
      }
    }
  }
}

static void edges(void)
{
  double work[256];
  CHECK(candor_dealt_work(P, R) == (2 * 10 + P + 5) * (R + 1) + P);
  const double far[P] = {INFINITY, 0}, beyond[P] = {2, 0}, below[P] = {-2, 0};
  candor_dealt block = {8, 2, 1, R, P, R, z, offset, said, CANDOR_LOGIT};
  CHECK(candor_dealt_block(&block, far, work, NULL, NULL, NULL) == -INFINITY);
  block.link = CANDOR_IDENTITY;
  CHECK(candor_dealt_block(&block, beyond, work, NULL, NULL, NULL) == -INFINITY);
  CHECK(candor_dealt_block(&block, below, work, NULL, NULL, NULL) == -INFINITY);
  /* One card, which asks, and one person: the share itself. */
  const double cell[1] = {1}, eta[1] = {0.25};
  const int yes[1] = {1}, no[1] = {0};
  candor_dealt one = {1, 0, 0, 1, 1, 1, cell, NULL, yes, CANDOR_IDENTITY};
  CHECK_NEAR(candor_dealt_block(&one, eta, work, NULL, NULL, NULL), log(0.25), 1e-15);
  one.said = no;
  CHECK_NEAR(candor_dealt_block(&one, eta, work, NULL, NULL, NULL), log(0.75), 1e-15);
  /* The card dictates: the truth does not matter. */
  one.no = 1;
  CHECK(candor_dealt_block(&one, eta, work, NULL, NULL, NULL) == 0);
  one.said = yes;
  CHECK(candor_dealt_block(&one, eta, work, NULL, NULL, NULL) == -INFINITY);
  one.no = 0, one.yes = 1;
  CHECK(candor_dealt_block(&one, eta, work, NULL, NULL, NULL) == 0);
}

int main(void)
{
  for (int link = 0; link < CANDOR_LOG; link++) {
    check_block(5, 1, 1, 5, (candor_link) link); /* full */
    check_block(8, 2, 1, 5, (candor_link) link); /* short */
    check_block(6, 0, 2, 4, (candor_link) link); /* no card for yes */
    check_block(7, 4, 0, 5, (candor_link) link); /* fewer truths than people */
  }
  /* All say the same: one of the two polynomials is a constant. */
  for (int same = 0; same < 2; same++) {
    int before[R];
    memcpy(before, said, sizeof said);
    for (size_t i = 0; i < R; i++) said[i] = same;
    check_block(8, 2, 1, 5, CANDOR_LOGIT);
    check_block(9, 0, 0, 5, CANDOR_PROBIT);
    check_block(12, 5, 6, 5, CANDOR_CLOGLOG);
    memcpy(said, before, sizeof said);
  }
  /* Two of five said yes: a deck that dictates three to all five cannot give it. */
  const candor_dealt block = {5, 3, 1, 5, P, R, z, offset, said, CANDOR_LOGIT};
  CHECK(isinf(value(&block, b, NULL, NULL, NULL)));
  for (int link = 0; link < CANDOR_LOG; link++) complete_information((candor_link) link);
  edges();
  return check_report();
}
