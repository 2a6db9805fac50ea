#include "api.h"
#include "glue.h"

#include <string.h>

#include <R_ext/Arith.h>

#include "regress/dealt.h"

/* rr_dealt_value(z, said, first, offset, deck, link, b, derive) -> list(value, scores, observed, complete) of dealt
 * answers: rows in the order of their blocks, `first` the 0-based first row of each and their number, `deck` the cards,
 * those for yes and those for no; scores have a column for each block. */
SEXP rr_dealt_value_call(SEXP z, SEXP said, SEXP first, SEXP offset, SEXP deck, SEXP link, SEXP b, SEXP derive)
{
  const char *names[] = {"value", "scores", "observed", "complete", ""};
  if (!Rf_isMatrix(z)) Rf_error("`z` must be a matrix");
  const int n = Rf_nrows(z), p = Rf_ncols(z), derived = glue_flag(derive, "derive");
  const double *cards = glue_reals(deck, "deck", 3), *at = glue_reals(b, "b", p);
  const int *start = glue_integers(first, "first", ANY_LENGTH), blocks = (int) Rf_xlength(first) - 1;
  if (p < 1 || blocks < 1 || start[0] != 0 || start[blocks] != n) Rf_error("`first` must span the rows of `z`");
  if (!(cards[0] >= 1 && cards[0] <= 1e6 && cards[1] >= 0 && cards[2] >= 0 && cards[1] + cards[2] < cards[0]))
    Rf_error("`deck` must be cards, and fewer that dictate");
  candor_dealt block = {(size_t) cards[0],
                        (size_t) cards[1],
                        (size_t) cards[2],
                        0,
                        (size_t) p,
                        (size_t) n,
                        NULL,
                        NULL,
                        NULL,
                        (candor_link) glue_choice(link, "link", CANDOR_LINKS)};
  const double *x = glue_reals(z, "z", (R_xlen_t) n * p);
  const double *shift = Rf_isNull(offset) ? NULL : glue_reals(offset, "offset", n);
  const int *yes = glue_integers(said, "said", n);
  int most = 0;
  for (int j = 0; j < blocks; j++) {
    const double people = (double) start[j + 1] - start[j];
    if (!(people >= 1 && people <= cards[0])) Rf_error("`first` must rise by at least 1 and at most the cards");
    if (people > most) most = (int) people;
  }
  double *work = (double *) R_alloc(candor_dealt_work((size_t) p, (size_t) most), sizeof *work);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, p, derived ? blocks : 0));
  for (int part = 2; part < 4; part++) {
    SET_VECTOR_ELT(result, part, Rf_allocMatrix(REALSXP, p, p));
    memset(REAL(VECTOR_ELT(result, part)), 0, (size_t) p * (size_t) p * sizeof(double));
  }
  double value = 0, *scores = REAL(VECTOR_ELT(result, 1));
  memset(scores, 0, (size_t) Rf_xlength(VECTOR_ELT(result, 1)) * sizeof *scores);
  for (int j = 0; j < blocks && value > R_NegInf; j++) {
    block.people = (size_t) (start[j + 1] - start[j]);
    block.z = x + start[j];
    block.offset = shift ? shift + start[j] : NULL;
    block.said = yes + start[j];
    value += candor_dealt_block(&block, at, work, derived ? scores + (R_xlen_t) j * p : NULL,
                                REAL(VECTOR_ELT(result, 2)), REAL(VECTOR_ELT(result, 3)));
  }
  SET_VECTOR_ELT(result, 0, Rf_ScalarReal(value));
  UNPROTECT(1);
  return result;
}
