/* Covariances of estimated joint counts, in full, in blocks and sparse. */
#include "api.h"
#include "glue_sets.h"

#include <R_ext/Utils.h>

#include "joint/association.h"
#include "joint/tmdh.h"

/* A histogram with room for what it points at. */
typedef struct bundle {
  candor_histogram h;
  candor_centred centred;
  candor_table deviations;
  candor_set_list sets;
} bundle;

/* What all routines of this file read: probabilities of the columns, target, and whether the values are the truth
 * itself. design: list(p, q, target, known, block | NULL, centred | NULL), the last of rr_tmdh_centre. */
static void read_histogram(const candor_table *table, SEXP design, bundle *out)
{
  if (TYPEOF(design) != VECSXP || XLENGTH(design) != 6) Rf_error("`design` must be a list of 6");
  const R_xlen_t columns = (R_xlen_t) table->sets->columns;
  candor_histogram *h = &out->h;
  h->table = table;
  h->p = glue_reals(VECTOR_ELT(design, 0), "p", columns);
  h->q = glue_reals(VECTOR_ELT(design, 1), "q", columns);
  h->target = glue_choice(VECTOR_ELT(design, 2), "target", 2) == 0 ? CANDOR_SAMPLE : CANDOR_POPULATION;
  h->known = glue_flag(VECTOR_ELT(design, 3), "known");
  h->block = NULL;
  h->centred = NULL;
  if (VECTOR_ELT(design, 4) != R_NilValue) h->block = glue_integers(VECTOR_ELT(design, 4), "block", columns);
  size_t which;
  glue_check(candor_columns_check((size_t) columns, h->p, h->q, &which), "tmdh");
  SEXP centred = VECTOR_ELT(design, 5);
  if (centred == R_NilValue) return;
  if (TYPEOF(centred) != VECSXP || XLENGTH(centred) != 6) Rf_error("`centred` must be a list of 6");
  SEXP count = PROTECT(Rf_ScalarReal((double) columns));
  out->sets = glue_sets(count, VECTOR_ELT(centred, 0));
  out->deviations = glue_values(&out->sets, VECTOR_ELT(centred, 3), VECTOR_ELT(centred, 4), VECTOR_ELT(centred, 5));
  out->centred.table = &out->deviations;
  out->centred.base = glue_reals(VECTOR_ELT(centred, 1), "base", columns);
  out->centred.scale = glue_reals(VECTOR_ELT(centred, 2), "scale", columns);
  h->centred = &out->centred;
  UNPROTECT(1);
}

/* rr_tmdh_centre(reported, columns, order, p, q, more | NULL, more_reported | NULL) -> list(order, base, scale,
 * values, more, more_values): see candor_centre. */
SEXP rr_tmdh_centre_call(SEXP reported, SEXP columns, SEXP order, SEXP p, SEXP q, SEXP more, SEXP more_reported)
{
  const char *names[] = {"order", "base", "scale", "values", "more", "more_values", ""};
  const candor_set_list sets = glue_sets(columns, order);
  const candor_table table = glue_table(&sets, reported, more, more_reported);
  const R_xlen_t n = (R_xlen_t) sets.columns;
  const double *keep = glue_reals(p, "p", n), *pollute = glue_reals(q, "q", n);
  size_t which;
  glue_check(candor_columns_check(sets.columns, keep, pollute, &which), "tmdh");
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, order);
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, n));
  SET_VECTOR_ELT(result, 2, Rf_allocVector(REALSXP, n));
  SET_VECTOR_ELT(result, 3, Rf_allocVector(REALSXP, (R_xlen_t) sets.total));
  SET_VECTOR_ELT(result, 4, more);
  SET_VECTOR_ELT(result, 5, Rf_allocVector(REALSXP, (R_xlen_t) table.n_more));
  glue_check(candor_centre(&table, keep, pollute, REAL(VECTOR_ELT(result, 1)), REAL(VECTOR_ELT(result, 2)),
                           REAL(VECTOR_ELT(result, 3)), REAL(VECTOR_ELT(result, 5))),
             "rr_tmdh");
  UNPROTECT(1);
  return result;
}

static size_t union_size(const int *j, size_t n_j, const int *k, size_t n_k)
{
  size_t size = n_j;
  for (size_t b = 0; b < n_k; b++) {
    size_t a = 0;
    while (a < n_j && j[a] != k[b]) a++;
    size += a == n_j;
  }
  return size;
}

/* rr_tmdh_block(values, columns, order, more | NULL, more_values | NULL, design, rows, cols, reported) ->
 * list(covariance, row, column): the covariances of the sets in `rows` and `cols`. Where a union (or what lies below
 * it) was not tallied, row and column are the first pair whose union is the largest of these; else 0. */
SEXP rr_tmdh_block_call(SEXP values, SEXP columns, SEXP order, SEXP more, SEXP more_values, SEXP design, SEXP rows,
                        SEXP cols, SEXP reported)
{
  const char *names[] = {"covariance", "row", "column", ""};
  const candor_set_list sets = glue_sets(columns, order);
  const candor_table table = glue_table(&sets, values, more, more_values);
  bundle read;
  read_histogram(&table, design, &read);
  const candor_histogram h = read.h;
  const int of_reports = glue_flag(reported, "reported"), same = rows == cols;
  size_t width_r, n_r, width_c, n_c;
  const int *row = glue_members(rows, "rows", sets.columns, &width_r, &n_r);
  const int *col = glue_members(cols, "cols", sets.columns, &width_c, &n_c);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, (int) n_r, (int) n_c));
  double *out = REAL(VECTOR_ELT(result, 0));
  double failed[2] = {0.0, 0.0};
  size_t largest = 0;
  for (size_t b = 0; b < n_c; b++) {
    const int *k = col + b * width_c;
    const size_t n_k = glue_set_size(k, width_c);
    for (size_t a = same ? b : 0; a < n_r; a++) {
      const int *j = row + a * width_r;
      const size_t n_j = glue_set_size(j, width_r);
      double *entry = out + a + b * n_r;
      const candor_status status =
          of_reports ? candor_pmdh_entry(&h, j, n_j, k, n_k, entry) : candor_tmdh_entry(&h, j, n_j, k, n_k, entry);
      if (status == CANDOR_DOMAIN) {
        const size_t size = union_size(j, n_j, k, n_k);
        if (size > largest) {
          largest = size;
          failed[0] = (double) a + 1.0;
          failed[1] = (double) b + 1.0;
        }
        continue;
      }
      glue_check(status, "rr_tmdh");
      if (same) out[b + a * n_r] = *entry;
    }
    R_CheckUserInterrupt();
  }
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(failed[0]));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal(failed[1]));
  UNPROTECT(1);
  return result;
}

/* rr_tmdh_variances(values, columns, order, design, of_order, reported, more | NULL, more_values | NULL) -> the
 * variances of all non-empty sets up to of_order, then of the further sets. */
SEXP rr_tmdh_variances_call(SEXP values, SEXP columns, SEXP order, SEXP design, SEXP of_order, SEXP reported, SEXP more,
                            SEXP more_values)
{
  const candor_set_list sets = glue_sets(columns, order), family = glue_sets(columns, of_order);
  const candor_table table = glue_table(&sets, values, more, more_values);
  bundle read;
  read_histogram(&table, design, &read);
  const candor_histogram h = read.h;
  const int of_reports = glue_flag(reported, "reported");
  int in_family[CANDOR_SET_MAX];
  const size_t of_family = family.total - 1;
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) (of_family + table.n_more)));
  double *out = REAL(result);
  for (size_t s = 0; s < of_family + table.n_more; s++) {
    const int *set = s < of_family ? in_family : table.more + (s - of_family) * table.width;
    const size_t size =
        s < of_family ? candor_sets_members(&family, s + 1, in_family) : glue_set_size(set, table.width);
    glue_check(of_reports ? candor_pmdh_entry(&h, set, size, set, size, out + s)
                          : candor_tmdh_entry(&h, set, size, set, size, out + s),
               "rr_tmdh");
    if (s % 65536 == 65535) R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}

/* rr_tmdh_sparse(values, columns, order, design, of_order) -> list(i, p, x) of the upper triangle of the sample
 * covariance, compressed by columns, 0-based; NULL where the tally has not all counts it needs. */
SEXP rr_tmdh_sparse_call(SEXP values, SEXP columns, SEXP order, SEXP design, SEXP of_order)
{
  const char *names[] = {"i", "p", "x", ""};
  const candor_set_list sets = glue_sets(columns, order), family = glue_sets(columns, of_order);
  const candor_table table = glue_table(&sets, values, R_NilValue, R_NilValue);
  bundle read;
  read_histogram(&table, design, &read);
  const candor_histogram h = read.h;
  const double entries = candor_overlaps_total(family.columns, family.order);
  if (!(entries < 2147483647.0)) Rf_error("the covariance would have more than 2^31 - 1 non-zero entries");
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t) entries));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(INTSXP, (R_xlen_t) family.total));
  SET_VECTOR_ELT(result, 2, Rf_allocVector(REALSXP, (R_xlen_t) entries));
  int *i = INTEGER(VECTOR_ELT(result, 0)), *p = INTEGER(VECTOR_ELT(result, 1));
  double *x = REAL(VECTOR_ELT(result, 2));
  size_t at = 0, n;
  p[0] = 0;
  for (size_t s = 1; s < family.total; s++) {
    const candor_status status = candor_tmdh_column(&h, &family, s, i + at, x + at, &n);
    if (status == CANDOR_DOMAIN) {
      UNPROTECT(1);
      return R_NilValue;
    }
    glue_check(status, "rr_tmdh");
    at += n;
    p[s] = (int) at;
    if (s % 1024 == 0) R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}

/* rr_tmdh_all(counts, values, columns, design) -> the covariance matrix of all non-empty sets, when counts and
 * estimates of all orders are there. */
SEXP rr_tmdh_all_call(SEXP counts, SEXP values, SEXP columns, SEXP design)
{
  const candor_set_list sets = glue_sets(columns, columns);
  const candor_table table = glue_table(&sets, values, R_NilValue, R_NilValue);
  bundle read;
  read_histogram(&table, design, &read);
  const candor_histogram h = read.h;
  const double *reported = glue_reals(counts, "counts", (R_xlen_t) sets.total);
  if (sets.columns > 12) Rf_error("`columns` must be at most 12");
  if (h.block != NULL || h.known) Rf_error("`design` must be of estimates from independent columns");
  const size_t n = sets.total - 1;
  size_t power = 1;
  for (size_t j = 0; j < sets.columns; j++) power *= 3;
  double *by_mask = (double *) R_alloc(2 * sets.total, sizeof(double));
  double *work = (double *) R_alloc(2 * power + 4 * sets.total, sizeof(double));
  double *all = (double *) R_alloc(n * n, sizeof(double));
  glue_check(candor_sets_to_masks(&sets, reported, by_mask), "rr_tmdh");
  glue_check(candor_sets_to_masks(&sets, table.value, by_mask + sets.total), "rr_tmdh");
  glue_check(candor_tmdh_all(by_mask, by_mask + sets.total, sets.columns, h.p, h.q, h.target, work, all), "rr_tmdh");
  size_t *mask = (size_t *) R_alloc(n, sizeof(size_t));
  int members[CANDOR_SET_MAX];
  for (size_t s = 0; s < n; s++) {
    const size_t size = candor_sets_members(&sets, s + 1, members);
    mask[s] = 0;
    for (size_t m = 0; m < size; m++) mask[s] |= (size_t) 1 << members[m];
  }
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) n, (int) n));
  double *out = REAL(result);
  for (size_t k = 0; k < n; k++)
    for (size_t j = 0; j < n; j++) out[j + k * n] = all[(mask[j] - 1) + (mask[k] - 1) * n];
  UNPROTECT(1);
  return result;
}

/* rr_pair_covariances(values, columns, order, design) -> list of the covariance, its variance, and the
 * 6 x pairs covariances of (i, j, ij): variances, then (i, j), (i, ij), (j, ij). */
SEXP rr_pair_covariances_call(SEXP values, SEXP columns, SEXP order, SEXP design)
{
  const char *names[] = {"covariance", "covariance.variance", "moments", ""};
  const candor_set_list sets = glue_sets(columns, order);
  const candor_table table = glue_table(&sets, values, R_NilValue, R_NilValue);
  bundle read;
  read_histogram(&table, design, &read);
  const candor_histogram h = read.h;
  const R_xlen_t pairs = (R_xlen_t) (sets.columns * (sets.columns - 1) / 2);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  for (R_xlen_t e = 0; e < 3; e++) SET_VECTOR_ELT(result, e, Rf_allocVector(REALSXP, e == 2 ? 6 * pairs : pairs));
  const candor_pairs out = {REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)), REAL(VECTOR_ELT(result, 2))};
  glue_check(candor_pair_covariances(&h, &out), "rr_pair_covariances");
  UNPROTECT(1);
  return result;
}
