/* Randomized answers, drawn from R's generator or from ChaCha20. */
#include "api.h"
#include "glue.h"

#include <limits.h>

#include <R_ext/Random.h>
#include <R_ext/Utils.h>

#include "glue_random.h"
#include "respond/chacha20.h"
#include "respond/perturb.h"

/* ---- the plan --------------------------------------------------------------------------------------- */

/* The order is that of perturbation_kinds in R/respond.R. */
enum { GRR, GRR_EPSILON, BINARY, INNOCUOUS, CHANNEL, KINDS };

typedef struct plan_memory {
  candor_perturb_plan plan;
  candor_grid *achieved; /* what candor_plan_epsilon() wants */
} plan_memory;

static void *memory(size_t n, size_t size)
{
  if (n > (size_t) R_XLEN_T_MAX / 64) Rf_error("a plan of %.0f entries is too large", (double) n);
  return R_alloc(n > 0 ? n : 1, (int) size);
}

static candor_table_memory table_memory(size_t tables, size_t outcomes)
{
  const size_t cells = (size_t) 1 << candor_plan_bits(outcomes);
  const candor_table_memory out = {memory(cells, sizeof(candor_grid)), memory(cells, sizeof(uint32_t)),
                                   memory(tables * cells, sizeof(candor_alias_cell))};
  return out;
}

static candor_status plan_innocuous(size_t levels, SEXP numbers, plan_memory *out)
{
  const double *b = glue_reals(numbers, "numbers", (R_xlen_t) levels + 1) + 1;
  const candor_table_memory tables = table_memory(1, levels + 1);
  out->achieved = memory(levels + 1, sizeof(candor_grid));
  return candor_plan_innocuous(levels, b[-1], b, &tables, out->achieved, out->achieved + 1, &out->plan);
}

static candor_status plan_channel(size_t rows, size_t columns, SEXP numbers, plan_memory *out)
{
  if (rows > (size_t) R_XLEN_T_MAX / 256 / columns) Rf_error("the channel is too large");
  const double *c = glue_reals(numbers, "numbers", (R_xlen_t) (rows * columns));
  out->achieved = memory(rows * columns, sizeof(candor_grid));
  const candor_status status = candor_quantize_channel(rows, columns, c, memory(2 * columns, sizeof(double)),
                                                       memory(2 * columns, sizeof(candor_grid)), out->achieved);
  if (status != CANDOR_OK) return status;
  const candor_table_memory tables = table_memory(rows, columns);
  return candor_plan_channel(rows, columns, out->achieved, &tables, &out->plan);
}

/* sizes = c(truths, reports); numbers by kind: c(p, q, p - q) | epsilon | c(p, 1 - p, q, 1 - q) |
 * c(a, b[1], ..) | the matrix. */
static plan_memory make_plan(SEXP sizes, SEXP kind, SEXP numbers)
{
  plan_memory out = {.achieved = NULL};
  const double *size = glue_reals(sizes, "sizes", 2), *x;
  if (!(size[0] >= 1 && size[0] < 2147483648.0 && size[1] >= 1 && size[1] < 2147483648.0))
    Rf_error("`sizes` must be two whole numbers from 1 to 2^31 - 1");
  const size_t truths = (size_t) size[0], reports = (size_t) size[1];
  candor_status status = CANDOR_DOMAIN;
  switch (glue_choice(kind, "kind", KINDS)) {
  case GRR:
    x = glue_reals(numbers, "numbers", 3);
    status = candor_plan_grr(truths, x[0], x[1], x[2], &out.plan);
    break;
  case GRR_EPSILON: status = candor_plan_grr_epsilon(truths, glue_number(numbers, "numbers"), &out.plan); break;
  case BINARY:
    x = glue_reals(numbers, "numbers", 4);
    status = candor_plan_binary(x[0], x[1], x[2], x[3], &out.plan);
    break;
  case INNOCUOUS: status = plan_innocuous(truths, numbers, &out); break;
  case CHANNEL: status = plan_channel(truths, reports, numbers, &out); break;
  }
  glue_check(status, "rr_perturb");
  return out;
}

/* ---- the run ---------------------------------------------------------------------------------------- */

#define BLOCK ((size_t) 1 << 20) /* answers between two looks at the interrupt flag */

typedef struct job {
  plan_memory *plan;
  const int *truth;
  int *report;
  size_t n;
  int generator;
  candor_status status;
  candor_chacha20 *stream;
  candor_perturb_run_state *state;
} job;

/* R's generator is put back before every chance of a jump, or its words would be drawn again. */
static SEXP run_job(void *data)
{
  job *j = data;
  const int from_r = j->generator == GLUE_R_GENERATOR;
  const candor_random random = {from_r ? glue_fill_from_r : candor_chacha20_fill, j->stream};
  j->status = from_r ? CANDOR_OK : glue_start_stream(j->stream, j->generator);
  if (j->status != CANDOR_OK) return R_NilValue;
  do {
    if (from_r) GetRNGstate();
    j->status = candor_perturb_run(&j->plan->plan, j->truth, j->n, BLOCK, &random, j->state, j->report);
    if (from_r) PutRNGstate();
    R_CheckUserInterrupt();
  } while (j->status == CANDOR_AGAIN);
  return R_NilValue;
}

/* Runs on every way out, an interrupt included. */
static void wipe_job(void *data)
{
  job *j = data;
  candor_chacha20_wipe(j->stream);
  candor_wipe(j->state->levels, sizeof j->state->levels);
  candor_wipe(j->state->words, sizeof j->state->words);
  candor_wipe(j->state->places, sizeof j->state->places);
}

/* rr_perturb(truths, first, sizes, kind, numbers, generator) -> list(reports, position, failed): position is the
 * 1-based place of the first answer that is no level, or 0; reports are of the type of the truths. */
SEXP rr_perturb_call(SEXP truths, SEXP first, SEXP sizes, SEXP kind, SEXP numbers, SEXP generator)
{
  const char *names[] = {"reports", "position", "failed", ""};
  plan_memory plan = make_plan(sizes, kind, numbers);
  job j = {.plan = &plan, .truth = glue_integers(truths, "truths", ANY_LENGTH), .n = (size_t) XLENGTH(truths)};
  j.generator = glue_choice(generator, "generator", GLUE_GENERATORS);
  plan.plan.first = glue_integers(first, "first", 1)[0];
  j.stream = memory(1, sizeof *j.stream);
  j.state = memory(1, sizeof *j.state);
  j.state->done = 0;

  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(TYPEOF(truths), (R_xlen_t) j.n));
  SEXP reports = VECTOR_ELT(result, 0);
  j.report = TYPEOF(reports) == INTSXP ? INTEGER(reports) : LOGICAL(reports);
  R_ExecWithCleanup(run_job, &j, wipe_job, &j);

  if (j.status != CANDOR_OK) SET_VECTOR_ELT(result, 0, R_NilValue);
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(j.status == CANDOR_DOMAIN ? (double) j.state->done + 1 : 0));
  SET_VECTOR_ELT(result, 2, Rf_ScalarLogical(j.status == CANDOR_GENERATOR));
  UNPROTECT(1);
  return result;
}

/* rr_check_answers(truths, first, levels) -> the 1-based place of the first answer that is no level, or 0. */
SEXP rr_check_answers_call(SEXP truths, SEXP first, SEXP levels)
{
  const int *truth = glue_integers(truths, "truths", ANY_LENGTH), start = glue_integers(first, "first", 1)[0];
  const size_t n = (size_t) XLENGTH(truths), size = glue_size(levels, "levels");
  if (size > INT_MAX) Rf_error("`levels` must be at most 2^31 - 1");
  const size_t at = candor_perturb_stray(start, (uint32_t) size, truth, n);
  return Rf_ScalarReal(at < n ? (double) at + 1 : 0);
}

/* ---- what is achieved ------------------------------------------------------------------------------- */

static double ratio_of(candor_grid x, size_t n)
{
  return candor_grid_value(x) / (double) n;
}

/* P(y | x) = b[y] + a 1{x = y} for the plans that have this form: out = c(a, b). */
static void additive_form(const plan_memory *plan, double *out)
{
  const candor_perturb_plan *p = &plan->plan;
  const candor_grid rest = candor_grid_subtract(candor_grid_one, p->chance);
  switch (p->kind) {
  case CANDOR_PERTURB_ALL:
    out[0] = candor_grid_value(p->chance);
    out[1] = ratio_of(rest, p->reports);
    break;
  case CANDOR_PERTURB_OTHERS:
    out[1] = ratio_of(rest, p->reports - 1);
    out[0] = candor_grid_value(p->chance) - out[1];
    break;
  case CANDOR_PERTURB_BINARY:
    out[1] = candor_grid_value(candor_grid_subtract(candor_grid_one, p->yes[1]));
    out[2] = candor_grid_value(p->yes[0]);
    out[0] = candor_grid_less(p->yes[1], p->yes[0]) ? -candor_grid_value(candor_grid_subtract(p->yes[0], p->yes[1]))
                                                    : candor_grid_value(candor_grid_subtract(p->yes[1], p->yes[0]));
    break;
  case CANDOR_PERTURB_TABLE:
    for (size_t y = 0; y <= p->reports; y++) out[y] = candor_grid_value(plan->achieved[y]);
    break;
  case CANDOR_PERTURB_ROWS: break;
  }
}

/* rr_achieved(sizes, kind, numbers) -> list(epsilon, numbers): c(a, b), b one number where all are equal, or the
 * matrix of a channel, column-major. */
SEXP rr_achieved_call(SEXP sizes, SEXP kind, SEXP numbers)
{
  const char *names[] = {"epsilon", "numbers", ""};
  const plan_memory plan = make_plan(sizes, kind, numbers);
  const candor_perturb_plan *p = &plan.plan;
  const size_t rows = p->truths, columns = p->reports;
  const size_t n = p->kind == CANDOR_PERTURB_ROWS     ? rows * columns
                   : p->kind == CANDOR_PERTURB_TABLE  ? columns + 1
                   : p->kind == CANDOR_PERTURB_BINARY ? 3
                                                      : 2;
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_ScalarReal(candor_plan_epsilon(p, plan.achieved)));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) n));
  double *out = REAL(VECTOR_ELT(result, 1));
  additive_form(&plan, out);
  for (size_t i = 0; p->kind == CANDOR_PERTURB_ROWS && i < n; i++)
    out[i % columns * rows + i / columns] = candor_grid_value(plan.achieved[i]);
  UNPROTECT(1);
  return result;
}

/* P(report y | truth x), both from 0, of the plans that are drawn from cumulated rows outside of R. */
static candor_grid row_entry(const plan_memory *plan, size_t x, size_t y)
{
  const candor_perturb_plan *p = &plan->plan;
  if (p->kind == CANDOR_PERTURB_BINARY) return y == 1 ? p->yes[x] : candor_grid_subtract(candor_grid_one, p->yes[x]);
  if (p->kind == CANDOR_PERTURB_ROWS) return plan->achieved[x * p->reports + y];
  return x == y ? candor_grid_add(plan->achieved[y + 1], plan->achieved[0]) : plan->achieved[y + 1];
}

/* rr_plan_words(sizes, kind, numbers) -> list(kind, words): "all" or "others" with the chance of the truth, or "rows"
 * with the cumulated probabilities of each truth, those of all reports but the last: as text (glue_random.h). */
SEXP rr_plan_words_call(SEXP sizes, SEXP kind, SEXP numbers)
{
  const char *names[] = {"kind", "words", ""};
  const plan_memory plan = make_plan(sizes, kind, numbers);
  const candor_perturb_plan *p = &plan.plan;
  const int uniform = p->kind == CANDOR_PERTURB_ALL || p->kind == CANDOR_PERTURB_OTHERS;
  const size_t rows = uniform ? 1 : p->truths, cuts = uniform ? 1 : p->reports - 1;
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_mkString(!uniform ? "rows" : p->kind == CANDOR_PERTURB_ALL ? "all" : "others"));
  SEXP words = Rf_allocVector(STRSXP, (R_xlen_t) (rows * cuts));
  SET_VECTOR_ELT(result, 1, words);
  for (size_t x = 0; x < rows; x++) {
    candor_grid sum = candor_grid_zero;
    for (size_t y = 0; y < cuts; y++) {
      sum = uniform ? p->chance : candor_grid_add(sum, row_entry(&plan, x, y));
      SET_STRING_ELT(words, (R_xlen_t) (x * cuts + y), glue_grid_text(sum));
    }
  }
  UNPROTECT(1);
  return result;
}
