/* Joint counts of the columns of a bit matrix or data frame. */
#include "api.h"
#include "glue_sets.h"

#include <string.h>

#include <R_ext/Utils.h>

#include "joint/cooccurrence.h"

/* The columns of an integer or logical matrix, or of a list of such vectors, where they lie. */
static candor_bits bits_of(SEXP x)
{
  candor_bits bits;
  const int list = TYPEOF(x) == VECSXP;
  if (!list && !Rf_isMatrix(x)) Rf_error("`bits` must be a matrix or a list of columns");
  bits.columns = list ? (size_t) XLENGTH(x) : (size_t) Rf_ncols(x);
  if (bits.columns < 1) Rf_error("`bits` must have a column");
  bits.rows = list ? (size_t) XLENGTH(VECTOR_ELT(x, 0)) : (size_t) Rf_nrows(x);
  const int **column = (const int **) R_alloc(bits.columns, sizeof(const int *));
  for (size_t j = 0; j < bits.columns; j++) {
    column[j] = list ? glue_integers(VECTOR_ELT(x, (R_xlen_t) j), "bits", (R_xlen_t) bits.rows)
                     : glue_integers(x, "bits", ANY_LENGTH) + j * bits.rows;
  }
  bits.column = column;
  return bits;
}

/* By bit patterns: one table of 2^columns, then a superset sum. */
static candor_status by_patterns(const candor_bits *bits, const candor_set_list *sets, double *counts,
                                 candor_bit_place *bad)
{
  const size_t total = (size_t) 1 << bits->columns, step = (size_t) 1 << 20;
  double *table = (double *) R_alloc(total, sizeof(double));
  memset(table, 0, total * sizeof(double));
  for (size_t first = 0; first < bits->rows; first += step) {
    const size_t rows = bits->rows - first < step ? bits->rows - first : step;
    const candor_status status = candor_patterns_add(bits, first, rows, table, bad);
    if (status != CANDOR_OK) return status;
    R_CheckUserInterrupt();
  }
  candor_superset_sum(table, bits->columns);
  return candor_sets_from_patterns(sets, table, counts);
}

typedef struct chosen_sets {
  const int *members;
  size_t n, width;
  double *counts;
} chosen_sets;

/* By packed words, a block of rows at a time. */
static candor_status by_words(const candor_bits *bits, const candor_set_list *sets, double *counts,
                              const chosen_sets *more, candor_bit_place *bad)
{
  const size_t deepest = more->width > sets->order ? more->width : sets->order;
  uint64_t *words = (uint64_t *) R_alloc(bits->columns * CANDOR_BLOCK_WORDS, sizeof(uint64_t));
  uint64_t *work = (uint64_t *) R_alloc(candor_cooccurrence_work(deepest), sizeof(uint64_t));
  memset(counts, 0, sets->total * sizeof(double));
  counts[0] = (double) bits->rows;
  for (size_t first = 0; first < bits->rows; first += CANDOR_BLOCK_ROWS) {
    const size_t rows = bits->rows - first < CANDOR_BLOCK_ROWS ? bits->rows - first : CANDOR_BLOCK_ROWS;
    candor_status status = candor_pack(bits, first, rows, words, bad);
    if (status != CANDOR_OK) return status;
    status = candor_cooccurrence_add(words, bits->columns, rows, sets->order, work, counts);
    if (status == CANDOR_OK && more->n > 0) {
      status = candor_cooccurrence_chosen(words, bits->columns, rows, more->members, more->n, more->width, work,
                                          more->counts);
    }
    glue_check(status, "rr_cooccurrence");
    R_CheckUserInterrupt();
  }
  return CANDOR_OK;
}

/* rr_cooccurrence(bits, order, patterns, more | NULL) -> list(counts, more, row, column): counts of every set
 * up to the order, the empty set first, and of the further sets; row and column are the 1-based place of the
 * first entry that is not 0 or 1, or 0. */
SEXP rr_cooccurrence_call(SEXP bits, SEXP order, SEXP patterns, SEXP more)
{
  const char *names[] = {"counts", "more", "row", "column", ""};
  const candor_bits all = bits_of(bits);
  SEXP columns = PROTECT(Rf_ScalarReal((double) all.columns));
  const candor_set_list sets = glue_sets(columns, order);
  const int use_patterns = glue_flag(patterns, "patterns");
  if (use_patterns && all.columns > CANDOR_PATTERN_COLUMNS) Rf_error("too many columns for bit patterns");
  chosen_sets chosen = {NULL, 0, 0, NULL};
  if (more != R_NilValue) {
    if (use_patterns) Rf_error("further sets are counted from packed words");
    chosen.members = glue_members(more, "more", all.columns, &chosen.width, &chosen.n);
  }
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t) sets.total));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) chosen.n));
  chosen.counts = REAL(VECTOR_ELT(result, 1));
  for (size_t s = 0; s < chosen.n; s++) chosen.counts[s] = 0.0;
  candor_bit_place bad = {0, 0};
  double *counts = REAL(VECTOR_ELT(result, 0));
  const candor_status status =
      use_patterns ? by_patterns(&all, &sets, counts, &bad) : by_words(&all, &sets, counts, &chosen, &bad);
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal(status == CANDOR_OK ? 0.0 : (double) bad.row + 1.0));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal(status == CANDOR_OK ? 0.0 : (double) bad.column + 1.0));
  UNPROTECT(2);
  return result;
}
