/* Families of column sets, and the arrays over them. */
#include "glue_sets.h"
#include "api.h"

#include <R_ext/Utils.h>

#include "joint/cooccurrence.h"

candor_set_list glue_sets(SEXP columns, SEXP order)
{
  candor_set_list sets;
  const size_t n = glue_size(columns, "columns"), k = glue_size(order, "order");
  if (k < 1 || k > n || k > CANDOR_SET_MAX) Rf_error("`order` must be from 1 to the number of columns and at most 32");
  if (n > 1000000) Rf_error("`columns` is too large");
  size_t *work = (size_t *) R_alloc(candor_sets_work(n, k), sizeof(size_t));
  glue_check(candor_sets_init(&sets, n, k, work), "sets");
  return sets;
}

const int *glue_members(SEXP x, const char *name, size_t columns, size_t *width, size_t *n)
{
  if (TYPEOF(x) != INTSXP || !Rf_isMatrix(x)) Rf_error("`%s` must be an integer matrix", name);
  const int *members = INTEGER_RO(x);
  *width = (size_t) Rf_nrows(x);
  *n = (size_t) Rf_ncols(x);
  if (*width > CANDOR_SET_MAX) Rf_error("`%s` has sets of more than 32 members", name);
  for (size_t s = 0; s < *n; s++) {
    int previous = -1;
    for (size_t m = 0; m < *width && members[s * *width + m] >= 0; m++) {
      const int member = members[s * *width + m];
      if (member <= previous || (size_t) member >= columns) Rf_error("`%s` must hold increasing members", name);
      previous = member;
    }
  }
  return members;
}

size_t glue_set_size(const int *set, size_t width)
{
  size_t size = 0;
  while (size < width && set[size] >= 0) size++;
  return size;
}

candor_table glue_values(const candor_set_list *sets, SEXP values, SEXP more, SEXP more_values)
{
  candor_table table = {sets, glue_reals(values, "values", (R_xlen_t) sets->total), 0, 0, NULL, NULL};
  if (more != R_NilValue) {
    table.more = glue_members(more, "more", sets->columns, &table.width, &table.n_more);
    table.more_value = glue_reals(more_values, "more_values", (R_xlen_t) table.n_more);
  }
  return table;
}

candor_table glue_table(const candor_set_list *sets, SEXP values, SEXP more, SEXP more_values)
{
  const candor_table table = glue_values(sets, values, more, more_values);
  glue_check(candor_table_check(&table), "joint counts");
  return table;
}

/* rr_sets(columns, order, from, n) -> integer matrix, order x n: the 0-based members of n sets from position
 * `from` (0 is the empty set) on, padded with -1. */
SEXP rr_sets_call(SEXP columns, SEXP order, SEXP from, SEXP n)
{
  const candor_set_list sets = glue_sets(columns, order);
  const size_t first = glue_size(from, "from"), count = glue_size(n, "n");
  if (first > sets.total || count > sets.total - first) Rf_error("`from` and `n` go beyond the last set");
  SEXP result = PROTECT(Rf_allocMatrix(INTSXP, (int) sets.order, (int) count));
  int *out = INTEGER(result);
  for (size_t s = 0; s < count; s++, out += sets.order) {
    size_t m = candor_sets_members(&sets, first + s, out);
    for (; m < sets.order; m++) out[m] = -1;
  }
  UNPROTECT(1);
  return result;
}

/* rr_set_positions(columns, order, members) -> double, 1-based places in an array that starts with the empty set;
 * 0 for a set beyond the order. */
SEXP rr_set_positions_call(SEXP columns, SEXP order, SEXP members)
{
  const candor_set_list sets = glue_sets(columns, order);
  size_t width, n;
  const int *set = glue_members(members, "members", sets.columns, &width, &n);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) n));
  for (size_t s = 0; s < n; s++, set += width) {
    const size_t size = glue_set_size(set, width);
    REAL(result)[s] = size > sets.order ? 0.0 : (double) candor_sets_rank(&sets, set, size) + 1.0;
  }
  UNPROTECT(1);
  return result;
}

/* rr_rowtype(x, columns, to_counts) -> the complete family's counts from row-type counts over bit masks, or
 * back. */
SEXP rr_rowtype_call(SEXP x, SEXP columns, SEXP to_counts)
{
  const size_t n = glue_size(columns, "columns");
  if (n < 1 || n > CANDOR_PATTERN_COLUMNS) Rf_error("`columns` must be from 1 to %d", CANDOR_PATTERN_COLUMNS);
  const candor_set_list sets = glue_sets(columns, columns);
  const double *values = glue_reals(x, "x", (R_xlen_t) sets.total);
  double *masks = (double *) R_alloc(sets.total, sizeof(double));
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) sets.total));
  if (glue_flag(to_counts, "to_counts")) {
    for (size_t s = 0; s < sets.total; s++) masks[s] = values[s];
    candor_superset_sum(masks, n);
    glue_check(candor_sets_from_masks(&sets, masks, REAL(result)), "rr_rowtype");
  } else {
    glue_check(candor_sets_to_masks(&sets, values, REAL(result)), "rr_rowtype");
    candor_superset_difference(REAL(result), n);
  }
  UNPROTECT(1);
  return result;
}
