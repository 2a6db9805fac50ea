#include "api.h"
#include "glue.h"

#include <limits.h>

#include "glue_field.h"
#include "glue_random.h"
#include "respond/protocols.h"

/* What every sampler here is given: the answers, its plan, and where the reports go. */
typedef struct drawing {
  candor_answers answers; /* all of them */
  union {
    candor_bit_plan bit;
    candor_subset_plan subset;
    candor_hadamard_plan hadamard;
    struct {
      candor_grid flip;
      uint32_t size;
    } one_bit;
    candor_projective_plan projective;
    candor_hash_plan hash;
    candor_bitflip_plan bitflip;
  } plan;
  candor_cohorts cohorts;
  uint64_t *set;
  uint8_t *bytes, *some; /* a row a report; some reports one after the other */
  int *out[3];
} drawing;

static candor_answers part_of(const drawing *d, size_t from, size_t n)
{
  candor_answers part = d->answers;
  part.truth += from;
  part.n = n;
  return part;
}

static uint32_t natural(double x, const char *name)
{
  if (!(x >= 0 && x <= INT_MAX && x == (double) (uint32_t) x)) Rf_error("`%s` must be a whole number below 2^31", name);
  return (uint32_t) x;
}

static drawing start_drawing(SEXP truths, SEXP first, SEXP levels)
{
  drawing d = {.set = NULL, .bytes = NULL};
  d.answers =
      (candor_answers){glue_integers(truths, "truths", ANY_LENGTH), (size_t) XLENGTH(truths),
                       glue_integers(first, "first", 1)[0], natural((double) glue_size(levels, "levels"), "levels")};
  return d;
}

static void make_set(drawing *d, size_t bits)
{
  d->set = (uint64_t *) R_alloc((bits + 63) / 64 + 1, sizeof *d->set);
}

/* list(reports = `reports`, position, failed): the 1-based place of the first answer that is no level, or 0; without
 * reports if there are none. */
static SEXP finish(drawing *d, glue_sampler sample, SEXP reports, SEXP generator)
{
  const char *names[] = {"reports", "position", "failed", ""};
  const size_t words = d->set ? (d->answers.levels + 63u) / 64 + 1 : 0;
  const glue_draw draw = {
      sample, d, d->answers.n, 1 + ((size_t) 1 << 24) / (d->answers.levels + 16u), d->set, words * sizeof *d->set};
  size_t position = 0;
  PROTECT(reports);
  const candor_status status = glue_run_draw(&draw, generator, &position);
  if (status != CANDOR_GENERATOR && status != CANDOR_DOMAIN) glue_check(status, "rr_perturb");
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, status == CANDOR_OK ? reports : R_NilValue);
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(status == CANDOR_DOMAIN ? (double) position + 1 : 0));
  SET_VECTOR_ELT(result, 2, Rf_ScalarLogical(status == CANDOR_GENERATOR));
  UNPROTECT(2);
  return result;
}

static SEXP new_columns(int columns, size_t n, drawing *d)
{
  SEXP list = PROTECT(Rf_allocVector(VECSXP, columns));
  for (int c = 0; c < columns; c++) {
    SET_VECTOR_ELT(list, c, Rf_allocVector(INTSXP, (R_xlen_t) n));
    d->out[c] = INTEGER(VECTOR_ELT(list, c));
  }
  UNPROTECT(1);
  return list;
}

static SEXP new_matrix(SEXPTYPE type, size_t rows, size_t columns)
{
  if (rows > INT_MAX || columns > INT_MAX) Rf_error("the reports do not fit one matrix: randomize in chunks");
  return Rf_allocMatrix(type, (int) rows, (int) columns);
}

/* c(epsilon, optimized) or c(p, 1 - p, q, 1 - q). */
static candor_bit_plan read_bit_plan(SEXP numbers)
{
  const double *x = glue_reals(numbers, "numbers", ANY_LENGTH);
  candor_bit_plan plan;
  if (XLENGTH(numbers) != 2 && XLENGTH(numbers) != 4) Rf_error("`numbers` must be two or four");
  glue_check(XLENGTH(numbers) == 2 ? candor_bit_plan_epsilon(x[0], x[1] != 0, &plan)
                                   : candor_bit_plan_pair(x[0], x[1], x[2], x[3], &plan),
             "rr_perturb");
  return plan;
}

static candor_grid read_chance(double factor, SEXP epsilon)
{
  candor_grid chance = candor_grid_zero;
  glue_check(candor_support_chance(factor, glue_number(epsilon, "epsilon"), &chance), "rr_perturb");
  return chance;
}

/* Reports are made one after the other and turned, so many at a time that they stay in the cache. */
#define TURNED ((size_t) 64)

typedef candor_status (*packed_sampler)(drawing *d, const candor_answers *part, candor_words *words, size_t *position);

static candor_status sample_packed(drawing *d, packed_sampler sample, size_t from, size_t n, candor_words *words,
                                   size_t *position)
{
  const size_t bytes = candor_bytes_of(d->answers.levels);
  candor_status status = CANDOR_OK;
  for (size_t done = 0; done < n && status == CANDOR_OK; done += TURNED) {
    const candor_answers part = part_of(d, from + done, n - done < TURNED ? n - done : TURNED);
    size_t at = 0;
    status = sample(d, &part, words, &at);
    *position = done + at;
    candor_turn_bits(d->some, part.n, bytes, d->bytes + from + done, d->answers.n);
  }
  return status;
}

static void make_packed(drawing *d, SEXP reports)
{
  d->bytes = RAW(reports);
  d->some = (uint8_t *) R_alloc(TURNED * candor_bytes_of(d->answers.levels), 1);
}

static candor_status some_unary(drawing *d, const candor_answers *part, candor_words *words, size_t *position)
{
  return candor_unary_run(&d->plan.bit, part, words, d->some, position);
}

static candor_status some_subsets(drawing *d, const candor_answers *part, candor_words *words, size_t *position)
{
  return candor_subset_run(&d->plan.subset, part, words, d->set, d->some, NULL, position);
}

static candor_status sample_unary(void *data, size_t from, size_t n, candor_words *words, size_t *position)
{
  return sample_packed(data, some_unary, from, n, words, position);
}

/* rr_draw_unary(truths, first, levels, numbers, generator): reports are a raw matrix, one row each. */
SEXP rr_draw_unary_call(SEXP truths, SEXP first, SEXP levels, SEXP numbers, SEXP generator)
{
  drawing d = start_drawing(truths, first, levels);
  d.plan.bit = read_bit_plan(numbers);
  SEXP reports = PROTECT(new_matrix(RAWSXP, d.answers.n, candor_bytes_of(d.answers.levels)));
  make_packed(&d, reports);
  SEXP result = finish(&d, sample_unary, reports, generator);
  UNPROTECT(1);
  return result;
}

static candor_status sample_subset(void *data, size_t from, size_t n, candor_words *words, size_t *position)
{
  drawing *d = data;
  if (d->bytes) return sample_packed(d, some_subsets, from, n, words, position);
  const candor_answers part = part_of(d, from, n);
  return candor_subset_run(&d->plan.subset, &part, words, d->set, NULL, d->out[0] + from * d->plan.subset.size,
                           position);
}

/* rr_draw_subset(truths, first, levels, epsilon, size, packed, generator): a raw matrix with a
 * row a report, or an integer one with a column a report. */
SEXP rr_draw_subset_call(SEXP truths, SEXP first, SEXP levels, SEXP epsilon, SEXP size, SEXP packed, SEXP generator)
{
  drawing d = start_drawing(truths, first, levels);
  const int as_bits = glue_flag(packed, "packed");
  d.plan.subset.size = natural((double) glue_size(size, "size"), "size");
  if (d.plan.subset.size < 1) Rf_error("`size` must be at least 1");
  d.plan.subset.chance = read_chance((double) d.answers.levels / d.plan.subset.size, epsilon);
  make_set(&d, d.answers.levels);
  SEXP reports = PROTECT(as_bits ? new_matrix(RAWSXP, d.answers.n, candor_bytes_of(d.answers.levels))
                                 : new_matrix(INTSXP, d.plan.subset.size, d.answers.n));
  if (as_bits) make_packed(&d, reports);
  else d.out[0] = INTEGER(reports);
  SEXP result = finish(&d, sample_subset, reports, generator);
  UNPROTECT(1);
  return result;
}

static candor_status sample_hadamard(void *data, size_t from, size_t n, candor_words *words, size_t *position)
{
  drawing *d = data;
  const candor_answers part = part_of(d, from, n);
  return candor_hadamard_run(&d->plan.hadamard, &part, words, d->out[0] + from, position);
}

static candor_status sample_one_bit(void *data, size_t from, size_t n, candor_words *words, size_t *position)
{
  drawing *d = data;
  const candor_answers part = part_of(d, from, n);
  return candor_hadamard_bit_run(d->plan.one_bit.flip, d->plan.one_bit.size, &part, words, d->out[0] + from,
                                 d->out[1] + from, position);
}

/* rr_draw_hadamard(truths, first, levels, epsilon, blocks, size, generator): list(report), or with 0 blocks the form
 * of one bit: list(index, sign). */
SEXP rr_draw_hadamard_call(SEXP truths, SEXP first, SEXP levels, SEXP epsilon, SEXP blocks, SEXP size, SEXP generator)
{
  drawing d = start_drawing(truths, first, levels);
  const uint32_t b = natural((double) glue_size(blocks, "blocks"), "blocks");
  const uint32_t columns = natural((double) glue_size(size, "size"), "size");
  SEXP reports = PROTECT(new_columns(b == 0 ? 2 : 1, d.answers.n, &d));
  if (b == 0) {
    d.plan.one_bit.size = columns;
    glue_check(candor_support_flip(glue_number(epsilon, "epsilon"), &d.plan.one_bit.flip), "rr_perturb");
  } else {
    d.plan.hadamard = (candor_hadamard_plan){read_chance(2.0 * b, epsilon), b, columns};
  }
  SEXP result = finish(&d, b == 0 ? sample_one_bit : sample_hadamard, reports, generator);
  UNPROTECT(1);
  return result;
}

static candor_status sample_projective(void *data, size_t from, size_t n, candor_words *words, size_t *position)
{
  drawing *d = data;
  const candor_answers part = part_of(d, from, n);
  return candor_projective_run(&d->plan.projective, &part, words, d->out[0] + from, position);
}

/* rr_draw_projective(truths, first, levels, epsilon, factor, field, coordinates, generator): list(report). */
SEXP rr_draw_projective_call(SEXP truths, SEXP first, SEXP levels, SEXP epsilon, SEXP factor, SEXP field,
                             SEXP coordinates, SEXP generator)
{
  drawing d = start_drawing(truths, first, levels);
  d.plan.projective = (candor_projective_plan){read_chance(glue_number(factor, "factor"), epsilon), glue_field(field),
                                               natural((double) glue_size(coordinates, "coordinates"), "coordinates")};
  SEXP reports = PROTECT(new_columns(1, d.answers.n, &d));
  SEXP result = finish(&d, sample_projective, reports, generator);
  UNPROTECT(1);
  return result;
}

static candor_status sample_hash(void *data, size_t from, size_t n, candor_words *words, size_t *position)
{
  drawing *d = data;
  const candor_answers part = part_of(d, from, n);
  const candor_hash_reports out = {d->out[0] + from, d->out[1] + from, d->out[2] + from};
  return candor_hash_run(&d->plan.hash, &part, words, &out, position);
}

static candor_status sample_cohort(void *data, size_t from, size_t n, candor_words *words, size_t *position)
{
  drawing *d = data;
  const candor_answers part = part_of(d, from, n);
  return candor_cohort_run(&d->plan.hash, &d->cohorts, &part, words, d->out[0] + from, d->out[1] + from, position);
}

/* Codes and functions as R has them, checked: the kernels believe them. */
static const uint32_t *residues(SEXP x, const char *name, R_xlen_t n, uint32_t least, uint32_t prime)
{
  const int *values = glue_integers(x, name, n);
  for (R_xlen_t i = 0; i < n; i++)
    if (values[i] < 0 || (uint32_t) values[i] < least || (uint32_t) values[i] >= prime)
      Rf_error("`%s` must be residues of the prime", name);
  return (const uint32_t *) values; /* the same size and, from 0 on, the same numbers */
}

/* rr_draw_hash(truths, first, levels, epsilon, hash = c(prime, buckets), codes, functions, generator): list(slope,
 * shift, value); with functions = list(slope, shift) not NULL, list(cohort, value). */
SEXP rr_draw_hash_call(SEXP truths, SEXP first, SEXP levels, SEXP epsilon, SEXP hash, SEXP codes, SEXP functions,
                       SEXP generator)
{
  drawing d = start_drawing(truths, first, levels);
  const int *numbers = glue_integers(hash, "hash", 2);
  if (numbers[1] < 2 || numbers[0] < numbers[1]) Rf_error("`hash` must be a prime and at most as many buckets");
  const candor_affine affine = {(uint32_t) numbers[0], (uint32_t) numbers[1]};
  d.plan.hash = (candor_hash_plan){read_chance(affine.buckets, epsilon), affine,
                                   residues(codes, "codes", (R_xlen_t) d.answers.levels, 0, affine.prime)};
  const int shared = functions != R_NilValue;
  if (shared) {
    if (TYPEOF(functions) != VECSXP || XLENGTH(functions) != 2) Rf_error("`functions` must be a list of two");
    const R_xlen_t m = XLENGTH(VECTOR_ELT(functions, 0));
    d.cohorts = (candor_cohorts){residues(VECTOR_ELT(functions, 0), "functions", m, 1, affine.prime),
                                 residues(VECTOR_ELT(functions, 1), "functions", m, 0, affine.prime), (uint32_t) m};
  }
  SEXP reports = PROTECT(new_columns(shared ? 2 : 3, d.answers.n, &d));
  SEXP result = finish(&d, shared ? sample_cohort : sample_hash, reports, generator);
  UNPROTECT(1);
  return result;
}

static candor_status sample_bitflip(void *data, size_t from, size_t n, candor_words *words, size_t *position)
{
  drawing *d = data;
  const candor_answers part = part_of(d, from, n);
  return candor_bitflip_run(&d->plan.bitflip, &part, words, d->set, d->out[0] + from * d->plan.bitflip.size, position);
}

/* rr_draw_bitflip(truths, first, levels, numbers, sizes = c(buckets, size), generator): an integer matrix. */
SEXP rr_draw_bitflip_call(SEXP truths, SEXP first, SEXP levels, SEXP numbers, SEXP sizes, SEXP generator)
{
  drawing d = start_drawing(truths, first, levels);
  const int *size = glue_integers(sizes, "sizes", 2);
  if (size[0] < 1 || (uint32_t) size[0] > d.answers.levels || size[1] < 1 || size[1] > size[0])
    Rf_error("`sizes` must be the buckets and how many of them are drawn");
  d.plan.bitflip = (candor_bitflip_plan){read_bit_plan(numbers), (uint32_t) size[0], (uint32_t) size[1]};
  make_set(&d, d.answers.levels);
  SEXP reports = PROTECT(new_matrix(INTSXP, (size_t) size[1], d.answers.n));
  d.out[0] = INTEGER(reports);
  SEXP result = finish(&d, sample_bitflip, reports, generator);
  UNPROTECT(1);
  return result;
}

/* rr_bit_chances(numbers) -> c(epsilon, P(own bit), P(another's bit)), as achieved on the grid. */
SEXP rr_bit_chances_call(SEXP numbers)
{
  const candor_bit_plan plan = read_bit_plan(numbers);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, 3));
  REAL(result)[0] = candor_bit_plan_epsilon_of(&plan);
  REAL(result)[1] = candor_grid_value(plan.own);
  REAL(result)[2] = candor_grid_value(plan.other);
  UNPROTECT(1);
  return result;
}

/* rr_support_chance(factor, epsilon) -> c(epsilon, chance), as achieved on the grid (respond/chance.h). */
SEXP rr_support_chance_call(SEXP factor, SEXP epsilon)
{
  const double f = glue_number(factor, "factor");
  const candor_grid chance = read_chance(f, epsilon);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, 2));
  REAL(result)[0] = candor_support_epsilon(f, chance);
  REAL(result)[1] = candor_grid_value(chance);
  UNPROTECT(1);
  return result;
}

/* rr_bit_words(numbers) -> P(own bit), P(another's bit); rr_chance_words(factor, epsilon) -> chance: as text. */
SEXP rr_bit_words_call(SEXP numbers)
{
  const candor_bit_plan plan = read_bit_plan(numbers);
  SEXP result = PROTECT(Rf_allocVector(STRSXP, 2));
  SET_STRING_ELT(result, 0, glue_grid_text(plan.own));
  SET_STRING_ELT(result, 1, glue_grid_text(plan.other));
  UNPROTECT(1);
  return result;
}

SEXP rr_chance_words_call(SEXP factor, SEXP epsilon)
{
  return Rf_ScalarString(glue_grid_text(read_chance(glue_number(factor, "factor"), epsilon)));
}
