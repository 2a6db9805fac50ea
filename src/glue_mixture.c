#include "api.h"
#include "glue.h"

#include "regress/mixture.h"

/* The mixture is a list, read by its names: rows, a list (exact, weights, outcome | NULL, loglik_reports), map,
 * distribution (0 Gaussian, 1 binomial, 2 Poisson), cell_outcomes, n_levels, n_designs, level, predictor. */
static candor_mixture mixture_of(SEXP list)
{
  candor_mixture m = {0};
  SEXP rows = glue_element(list, "rows"), z = glue_element(rows, "exact"), y = glue_element(rows, "outcome");
  SEXP cells = glue_element(list, "cell_outcomes"), levels = glue_element(list, "n_levels");
  SEXP map = glue_element(list, "map");
  if (!Rf_isMatrix(z) || !Rf_isMatrix(map)) Rf_error("`exact` and `map` must be matrices");
  const R_xlen_t n = Rf_nrows(z), p = Rf_ncols(z), c = XLENGTH(cells), t = XLENGTH(levels);
  m.rows = (size_t) n;
  m.columns = (size_t) p;
  m.truths = (size_t) t;
  m.cells = (size_t) c;
  m.size = (size_t) Rf_nrows(map);
  m.family = (candor_outcome) glue_choice(glue_element(list, "distribution"), "distribution", CANDOR_OUTCOMES);
  const R_xlen_t errors = m.family == CANDOR_GAUSSIAN, linear = Rf_ncols(map) - errors;
  m.predictors = p > 0 && linear > 0 ? (size_t) (linear / p) : 0;
  m.z = glue_reals(z, "exact", n * p);
  m.weight = glue_reals(glue_element(rows, "weights"), "weights", n);
  m.outcome = y == R_NilValue ? NULL : glue_reals(y, "outcome", n);
  m.cell_outcome = glue_reals(cells, "cell_outcomes", c);
  m.reports = glue_reals(glue_element(rows, "loglik_reports"), "loglik_reports", n * c);
  m.map = glue_reals(map, "map", ((R_xlen_t) m.predictors * p + errors) * Rf_nrows(map));
  m.levels = glue_integers(levels, "n_levels", t);
  m.designs = glue_integers(glue_element(list, "n_designs"), "n_designs", t);
  m.level = glue_integers(glue_element(list, "level"), "level", t * c);
  for (R_xlen_t k = 0; k < t; k++)
    if (m.levels[k] < 1 || m.designs[k] < 1) Rf_error("`n_levels` and `n_designs` must be at least 1");
  m.predictor = glue_integers(glue_element(list, "predictor"), "predictor", (R_xlen_t) candor_mixture_width(&m) * c);
  return m;
}

/* rr_mixture(mixture, at, need) -> list(value, gradient, observed, fallback, scores, posterior); the value alone if
 * `need` is 0 or the value is minus infinity. */
SEXP rr_mixture_call(SEXP mixture, SEXP at, SEXP need)
{
  const char *names[] = {"value", "gradient", "observed", "fallback", "scores", "posterior", ""};
  const candor_mixture m = mixture_of(mixture);
  const int n = (int) m.rows, size = (int) m.size, rows[] = {size, size, size, n, n};
  const int columns[] = {1, size, size, size, (int) m.cells};
  const double *b = glue_reals(at, "at", size);
  candor_mixture_sums sums = {0};
  double **parts[] = {&sums.gradient, &sums.observed, &sums.fallback, &sums.score, &sums.posterior};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int k = 0; k < 5 && glue_choice(need, "need", 3) > 0; k++) {
    SET_VECTOR_ELT(result, k + 1, Rf_allocMatrix(REALSXP, rows[k], columns[k]));
    *parts[k] = REAL(VECTOR_ELT(result, k + 1));
  }
  double *work = (double *) R_alloc(candor_mixture_work(&m), sizeof *work);
  size_t *span = (size_t *) R_alloc(2 * m.predictors + 1, sizeof *span);
  glue_check(candor_mixture_add(&m, b, work, span, &sums), "rr_mixture");
  SET_VECTOR_ELT(result, 0, Rf_ScalarReal(sums.value));
  for (int k = 0; k < 5 && sums.value == R_NegInf; k++) SET_VECTOR_ELT(result, k + 1, R_NilValue);
  UNPROTECT(1);
  return result;
}
