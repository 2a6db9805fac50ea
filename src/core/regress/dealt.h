/* Log-likelihood of the answers of one block of people to whom a deck was dealt without replacement, with derivatives.
 *
 * Of the cards `yes` dictate a yes and `no` a no, the others ask for the truth, which is a yes with probability F(eta)
 * of the person, eta = z'b + offset. With Y(s) the product of 1 + F s over those who said yes, and N(t) the product of
 * 1 + (1 - F) t over those who said no, the likelihood is the sum over the numbers k, l of truths among them of
 *   (yes)_(T - k) (no)_(r - T - l) (truth)_(k + l) / (cards)_r times the coefficients of s^k in Y and t^l in N,
 * (n)_j falling factorials, r people, T of whom said yes. In a full block this is one term.
 *
 * SYNOPSIS       candor_dealt_block(&block, b, work, gradient, observed, complete) -> log-likelihood
 * PRECONDITIONS  z: rows of a matrix by columns, `stride` apart; people >= 1, and at most as many as cards.
 *                gradient: columns, observed, complete: columns square. Sums are added to them; they may be NULL
 *                together.
 *                work: candor_dealt_work(columns, people).
 * NUMERICS       coefficients and their first and second derivatives are built person by person, from sums and products
 *                alone: nothing is divided out again. Each factor is tilted (dealt.c), so that blocks of thousands stay
 *                within the range of doubles. -INFINITY where no deal gives these reports, and for predictors that are
 *                infinite or beyond the link.
 *                `complete` is the information of known truths of all who were asked: never indefinite.
 * REFERENCE      inst/mathematics/dealt.md 5; Chen and Liu 1997, Statistica Sinica 7, 875-892. */
#ifndef CANDOR_DEALT_H
#define CANDOR_DEALT_H

#include <stddef.h>

#include "regress/link.h"

typedef struct candor_dealt {
  size_t cards, yes, no; /* of a deck: all, and those that dictate */
  size_t people, columns, stride;
  const double *z;
  const double *offset; /* NULL: 0 */
  const int *said;      /* 1 for yes, else 0 */
  candor_link link;
} candor_dealt;

size_t candor_dealt_work(size_t columns, size_t people);

double candor_dealt_block(const candor_dealt *block, const double *b, double *work, double *gradient, double *observed,
                          double *complete);

#endif
