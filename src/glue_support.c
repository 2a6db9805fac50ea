#include "api.h"
#include "glue.h"

#include <limits.h>
#include <string.h>

#include "estimate/hadamard.h"
#include "respond/chacha20.h"
#include "respond/words.h"
#include "tally/support.h"

static candor_support_reports read_reports(size_t n, SEXP groups, SEXP n_groups, SEXP weights)
{
  const candor_support_reports reports = {
      n, groups == R_NilValue ? NULL : glue_integers(groups, "groups", (R_xlen_t) n), glue_size(n_groups, "n_groups"),
      weights == R_NilValue ? NULL : glue_reals(weights, "weights", (R_xlen_t) n)};
  if (reports.n_groups < 1) Rf_error("`n_groups` must be at least 1");
  return reports;
}

/* list(counts (rows by groups), n, weight_squares, position): position is the 1-based place of the first bad report, or
 * 0. Groups and weights are checked here. */
static SEXP new_counts(const candor_support_reports *reports, size_t rows)
{
  const char *names[] = {"counts", "n", "weight_squares", "position", ""};
  const size_t groups = reports->n_groups;
  if (rows > INT_MAX || groups > INT_MAX) Rf_error("there are too many counts for one matrix");
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, (int) rows, (int) groups));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) groups));
  SET_VECTOR_ELT(result, 2, Rf_allocVector(REALSXP, (R_xlen_t) groups));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal(0));
  for (int e = 0; e < 3; e++) {
    double *values = REAL(VECTOR_ELT(result, e));
    for (R_xlen_t i = 0; i < XLENGTH(VECTOR_ELT(result, e)); i++) values[i] = 0;
  }
  size_t position = 0;
  if (candor_count_reports(reports, REAL(VECTOR_ELT(result, 1)), REAL(VECTOR_ELT(result, 2)), &position) != CANDOR_OK)
    Rf_error("`groups` or `weights` are out of range at %.0f", (double) position + 1);
  UNPROTECT(1);
  return result;
}

static double *counts_of(SEXP result)
{
  return REAL(VECTOR_ELT(result, 0));
}

static SEXP with_position(SEXP result, candor_status status, size_t position)
{
  if (status != CANDOR_OK) SET_VECTOR_ELT(result, 3, Rf_ScalarReal((double) position + 1));
  return result;
}

static const uint8_t *packed(SEXP bits, size_t k, size_t *n)
{
  if (TYPEOF(bits) != RAWSXP || !Rf_isMatrix(bits) || k < 1 || (size_t) Rf_ncols(bits) != candor_bytes_of(k))
    Rf_error("`bits` must be a raw matrix with %.0f columns", (double) candor_bytes_of(k));
  *n = (size_t) Rf_nrows(bits);
  return RAW_RO(bits);
}

/* rr_count_bits(bits, k, size (-1: any), groups, n_groups, weights) */
SEXP rr_count_bits_call(SEXP bits, SEXP k, SEXP size, SEXP groups, SEXP n_groups, SEXP weights)
{
  const size_t categories = glue_size(k, "k");
  size_t n, position = 0;
  const uint8_t *bytes = packed(bits, categories, &n);
  const candor_support_reports reports = read_reports(n, groups, n_groups, weights);
  const double members = glue_number(size, "size");
  SEXP result = PROTECT(new_counts(&reports, categories));
  uint32_t *work = members < 0 ? NULL : (uint32_t *) R_alloc(n + 1, sizeof *work);
  const candor_status status = candor_count_bits(&reports, bytes, categories, members < 0 ? SIZE_MAX : (size_t) members,
                                                 work, counts_of(result), &position);
  with_position(result, status, position);
  UNPROTECT(1);
  return result;
}

/* rr_count_lists(lists, k, signs, groups, n_groups, weights): a column a report; with signs 2 k rows of counts. */
SEXP rr_count_lists_call(SEXP lists, SEXP k, SEXP signs, SEXP groups, SEXP n_groups, SEXP weights)
{
  const size_t categories = glue_size(k, "k");
  const int with_signs = glue_flag(signs, "signs"), *numbers = glue_integers(lists, "lists", ANY_LENGTH);
  if (!Rf_isMatrix(lists)) Rf_error("`lists` must be a matrix");
  size_t position = 0;
  const candor_support_reports reports = read_reports((size_t) Rf_ncols(lists), groups, n_groups, weights);
  SEXP result = PROTECT(new_counts(&reports, (with_signs ? 2 : 1) * categories));
  const candor_status status = candor_count_lists(&reports, numbers, (size_t) Rf_nrows(lists), categories, with_signs,
                                                  counts_of(result), &position);
  with_position(result, status, position);
  UNPROTECT(1);
  return result;
}

static candor_hashed read_hashed(SEXP slope, SEXP shift, SEXP value, SEXP hash, SEXP codes)
{
  const int *numbers = glue_integers(hash, "hash", 2), *code = glue_integers(codes, "codes", ANY_LENGTH);
  const R_xlen_t n = XLENGTH(slope);
  if (numbers[1] < 2 || numbers[0] < numbers[1]) Rf_error("`hash` must be a prime and at most as many buckets");
  for (R_xlen_t v = 0; v < XLENGTH(codes); v++)
    if (code[v] < 0 || code[v] >= numbers[0]) Rf_error("`codes` must be residues of the prime");
  const candor_hashed hashed = {glue_integers(slope, "slope", n),
                                glue_integers(shift, "shift", n),
                                glue_integers(value, "value", n),
                                {(uint32_t) numbers[0], (uint32_t) numbers[1]},
                                (const uint32_t *) code};
  return hashed;
}

/* rr_count_hashed(slope, shift, value, hash = c(prime, buckets), codes, order | NULL, groups, n_groups, weights): with
 * `order`, the 0-based reports sorted by slope, slope by slope (of one group). */
SEXP rr_count_hashed_call(SEXP slope, SEXP shift, SEXP value, SEXP hash, SEXP codes, SEXP order, SEXP groups,
                          SEXP n_groups, SEXP weights)
{
  const candor_hashed hashed = read_hashed(slope, shift, value, hash, codes);
  const size_t k = (size_t) XLENGTH(codes), n = (size_t) XLENGTH(slope);
  const candor_support_reports reports = read_reports(n, groups, n_groups, weights);
  size_t position = 0;
  SEXP result = PROTECT(new_counts(&reports, k));
  candor_status status = candor_check_hashed(&reports, &hashed, &position);
  if (status == CANDOR_OK && order == R_NilValue) {
    status = candor_count_hashed(&reports, &hashed, k, counts_of(result));
  } else if (status == CANDOR_OK) {
    const int *places = glue_integers(order, "order", (R_xlen_t) n);
    for (size_t i = 0; i < n; i++)
      if (places[i] < 0 || (size_t) places[i] >= n || reports.n_groups > 1)
        Rf_error("`order` must be the places of one group");
    double *work = (double *) R_alloc((size_t) hashed.hash.prime + 1, sizeof *work);
    status = candor_count_hashed_by_slope(&reports, &hashed, k, (const uint32_t *) places, work, counts_of(result));
  }
  with_position(result, status, position);
  UNPROTECT(1);
  return result;
}

/* rr_hash_table(slope, shift, hash, codes) -> integer matrix, categories by functions: values from 1. */
SEXP rr_hash_table_call(SEXP slope, SEXP shift, SEXP hash, SEXP codes)
{
  const candor_hashed hashed = read_hashed(slope, shift, shift, hash, codes);
  const size_t k = (size_t) XLENGTH(codes), m = (size_t) XLENGTH(slope);
  for (size_t i = 0; i < m; i++)
    if (hashed.slope[i] < 0 || hashed.shift[i] < 0) Rf_error("functions must be residues");
  if (k > INT_MAX || m > INT_MAX) Rf_error("the table is too large");
  SEXP result = PROTECT(Rf_allocMatrix(INTSXP, (int) k, (int) m));
  candor_hash_table(&hashed.hash, hashed.code, k, (const uint32_t *) hashed.slope, (const uint32_t *) hashed.shift, m,
                    INTEGER(result));
  UNPROTECT(1);
  return result;
}

/* ---- bits in other forms: raw matrices have a row a report --------------------------------------------- */

/* rr_bits_to_matrix(bits, k) -> integer matrix of 0 and 1, a row a report. */
SEXP rr_bits_to_matrix_call(SEXP bits, SEXP k)
{
  const size_t categories = glue_size(k, "k");
  size_t n;
  const uint8_t *bytes = packed(bits, categories, &n);
  if (categories > INT_MAX) Rf_error("there are too many categories for a matrix");
  SEXP result = PROTECT(Rf_allocMatrix(INTSXP, (int) n, (int) categories));
  for (size_t v = 0; v < categories; v++)
    for (size_t i = 0; i < n; i++) INTEGER(result)[v * n + i] = bytes[v / 8 * n + i] >> v % 8 & 1;
  UNPROTECT(1);
  return result;
}

static SEXP new_bits(size_t k, size_t n)
{
  if (k < 1 || candor_bytes_of(k) > INT_MAX || n > INT_MAX) Rf_error("the reports do not fit one matrix");
  SEXP result = PROTECT(Rf_allocMatrix(RAWSXP, (int) n, (int) candor_bytes_of(k)));
  memset(RAW(result), 0, candor_bytes_of(k) * n);
  UNPROTECT(1);
  return result;
}

/* Bit v of report i of n. */
static void set_bit(SEXP bits, size_t n, size_t i, size_t v)
{
  uint8_t *byte = RAW(bits) + v / 8 * n + i;
  *byte = (uint8_t) (*byte | 1u << v % 8);
}

/* rr_matrix_to_bits(x: integer or logical matrix, a row a report) -> list(bits, position): of the first number that is
 * neither 0 nor 1 (1-based, in the matrix), or 0. */
SEXP rr_matrix_to_bits_call(SEXP x)
{
  const char *names[] = {"bits", "position", ""};
  const int *values = glue_integers(x, "x", ANY_LENGTH);
  if (!Rf_isMatrix(x)) Rf_error("`x` must be a matrix");
  const size_t n = (size_t) Rf_nrows(x), k = (size_t) Rf_ncols(x);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, new_bits(k, n));
  size_t position = 0;
  for (size_t at = 0; at < n * k && position == 0; at++)
    if (values[at] == 1) set_bit(VECTOR_ELT(result, 0), n, at % n, at / n);
    else if (values[at] != 0) position = at + 1;
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal((double) position));
  UNPROTECT(1);
  return result;
}

/* rr_lists_to_bits(lists, k): checked lists of numbers from 1 to k, a column a report. */
SEXP rr_lists_to_bits_call(SEXP lists, SEXP k)
{
  const size_t categories = glue_size(k, "k");
  const int *numbers = glue_integers(lists, "lists", ANY_LENGTH);
  if (!Rf_isMatrix(lists)) Rf_error("`lists` must be a matrix");
  const size_t size = (size_t) Rf_nrows(lists), n = (size_t) Rf_ncols(lists);
  SEXP result = PROTECT(new_bits(categories, n));
  for (size_t i = 0; i < n * size; i++) {
    if (numbers[i] < 1 || (size_t) numbers[i] > categories) Rf_error("`lists` must hold numbers from 1 to `k`");
    set_bit(result, n, i / size, (size_t) numbers[i] - 1);
  }
  UNPROTECT(1);
  return result;
}

/* rr_bits_to_lists(bits, k, size): checked reports of `size` ones each -> integer matrix, a column a report. */
SEXP rr_bits_to_lists_call(SEXP bits, SEXP k, SEXP size)
{
  const size_t categories = glue_size(k, "k"), members = glue_size(size, "size");
  size_t n;
  const uint8_t *bytes = packed(bits, categories, &n);
  SEXP result = PROTECT(Rf_allocMatrix(INTSXP, (int) members, (int) n));
  for (size_t i = 0; i < n; i++) {
    size_t m = 0;
    for (size_t v = 0; v < categories && m < members; v++)
      if (bytes[v / 8 * n + i] >> v % 8 & 1) INTEGER(result)[i * members + m++] = (int) v + 1;
    if (m < members) Rf_error("report %.0f has too few categories", (double) i + 1);
  }
  UNPROTECT(1);
  return result;
}

/* rr_hashed_to_bits(slope, shift, value, hash, codes): the categories that checked reports support. */
SEXP rr_hashed_to_bits_call(SEXP slope, SEXP shift, SEXP value, SEXP hash, SEXP codes)
{
  const candor_hashed hashed = read_hashed(slope, shift, value, hash, codes);
  const size_t k = (size_t) XLENGTH(codes), n = (size_t) XLENGTH(slope);
  SEXP result = PROTECT(new_bits(k, n));
  for (size_t i = 0; i < n; i++) {
    const candor_affine_slope by = candor_affine_multiplier(&hashed.hash, (uint32_t) hashed.slope[i]);
    for (size_t v = 0; v < k; v++) {
      const uint64_t moved = (uint64_t) candor_affine_times(by, hashed.code[v]) + (uint32_t) hashed.shift[i];
      const uint32_t residue = (uint32_t) (moved >= hashed.hash.prime ? moved - hashed.hash.prime : moved);
      if ((int) candor_affine_bucket(&hashed.hash, residue) + 1 == hashed.value[i]) set_bit(result, n, i, v);
    }
  }
  UNPROTECT(1);
  return result;
}

/* rr_to_hex(bits: a raw matrix) -> text, one string a row. */
SEXP rr_to_hex_call(SEXP bits)
{
  static const char digits[] = "0123456789abcdef";
  if (TYPEOF(bits) != RAWSXP || !Rf_isMatrix(bits)) Rf_error("`bits` must be a raw matrix");
  const size_t n = (size_t) Rf_nrows(bits), width = (size_t) Rf_ncols(bits);
  if (width > INT_MAX / 2) Rf_error("the reports are too long for text");
  char *text = R_alloc(2 * width + 1, 1);
  SEXP result = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t) n));
  for (size_t i = 0; i < n; i++) {
    for (size_t b = 0; b < width; b++) {
      const uint8_t byte = RAW_RO(bits)[b * n + i];
      text[2 * b] = digits[byte >> 4];
      text[2 * b + 1] = digits[byte & 15];
    }
    SET_STRING_ELT(result, (R_xlen_t) i, Rf_mkCharLenCE(text, (int) (2 * width), CE_NATIVE));
  }
  UNPROTECT(1);
  return result;
}

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* rr_from_hex(x: text, width) -> list(bits, position): of the first string that is not `width` bytes of hex, or 0. */
SEXP rr_from_hex_call(SEXP x, SEXP width)
{
  const char *names[] = {"bits", "position", ""};
  if (TYPEOF(x) != STRSXP) Rf_error("`x` must be text");
  const size_t bytes = glue_size(width, "width"), n = (size_t) XLENGTH(x);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, new_bits(8 * bytes, n));
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(0));
  for (size_t i = 0; i < n; i++) {
    SEXP string = STRING_ELT(x, (R_xlen_t) i);
    int good = string != NA_STRING && (size_t) LENGTH(string) == 2 * bytes;
    for (size_t b = 0; good && b < bytes; b++) {
      const int high = hex_digit(CHAR(string)[2 * b]), low = hex_digit(CHAR(string)[2 * b + 1]);
      good = high >= 0 && low >= 0;
      if (good) RAW(VECTOR_ELT(result, 0))[b * n + i] = (Rbyte) (16 * high + low);
    }
    if (!good) {
      SET_VECTOR_ELT(result, 1, Rf_ScalarReal((double) i + 1));
      break;
    }
  }
  UNPROTECT(1);
  return result;
}

/* rr_public_numbers(key: whole numbers below 2^32, bound, n) -> n numbers, uniform on 0 .. bound - 1, that depend on
 * the key alone: nothing secret. With `different`, n different ones (n <= bound). */
SEXP rr_public_numbers_call(SEXP key, SEXP bound, SEXP n, SEXP different)
{
  const double *parts = glue_reals(key, "key", ANY_LENGTH);
  const size_t below = glue_size(bound, "bound"), wanted = glue_size(n, "n");
  const int distinct = glue_flag(different, "different");
  if (below < 1 || below > INT_MAX || (distinct && wanted > below)) Rf_error("`bound` is out of range");
  uint32_t words_of_key[CANDOR_CHACHA20_KEY] = {0};
  const uint32_t nonce[CANDOR_CHACHA20_NONCE] = {0};
  for (R_xlen_t i = 0; i < XLENGTH(key) && i < CANDOR_CHACHA20_KEY; i++) words_of_key[i] = (uint32_t) parts[i];
  candor_chacha20 *stream = (candor_chacha20 *) R_alloc(1, sizeof *stream);
  candor_words *words = (candor_words *) R_alloc(1, sizeof *words);
  const candor_random random = {candor_chacha20_fill, stream};
  candor_chacha20_start(stream, words_of_key, nonce, 0);
  candor_words_start(words, &random);
  SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) wanted));
  int *out = INTEGER(result), *pool = NULL;
  if (distinct) { /* Fisher and Yates, of which only the first n places are needed */
    pool = (int *) R_alloc(below, sizeof *pool);
    for (size_t i = 0; i < below; i++) pool[i] = (int) i;
  }
  for (size_t i = 0; i < wanted; i++) {
    uint32_t value = 0;
    glue_check(candor_words_below(words, (uint32_t) (distinct ? below - i : below), &value), "rr_public_numbers");
    out[i] = distinct ? pool[i + value] : (int) value;
    if (distinct) pool[i + value] = pool[i];
  }
  UNPROTECT(1);
  return result;
}

/* rr_hadamard_sums(counts, blocks, k) -> sum of H[row of v, j] counts[j] over v's block, for each of k categories. */
SEXP rr_hadamard_sums_call(SEXP counts, SEXP blocks, SEXP k)
{
  const double *x = glue_reals(counts, "counts", ANY_LENGTH);
  const size_t b = glue_size(blocks, "blocks"), categories = glue_size(k, "k");
  if (b < 1 || (size_t) XLENGTH(counts) % b != 0) Rf_error("`counts` must be blocks of one size");
  const size_t size = (size_t) XLENGTH(counts) / b;
  double *work = (double *) R_alloc(size + 1, sizeof *work);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) categories));
  glue_check(candor_hadamard_sums(x, b, size, categories, work, REAL(result)), "rr_hadamard_sums");
  UNPROTECT(1);
  return result;
}

/* rr_hadamard_transform(x) -> H x */
SEXP rr_hadamard_transform_call(SEXP x)
{
  glue_reals(x, "x", ANY_LENGTH);
  SEXP result = PROTECT(Rf_duplicate(x));
  glue_check(candor_hadamard_transform(REAL(result), (size_t) XLENGTH(result)), "rr_hadamard_transform");
  UNPROTECT(1);
  return result;
}
