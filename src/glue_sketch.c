/* Bloom and PCSA sketches of items. */
#include "api.h"
#include "glue.h"

#include <string.h>

#include <R_ext/Utils.h>

#include "sets/sketch.h"

/* The key's text, hashed under two fixed keys, makes the 128 bits. */
static candor_hash_key read_key(SEXP key)
{
  if (TYPEOF(key) != STRSXP || XLENGTH(key) != 1 || STRING_ELT(key, 0) == NA_STRING)
    Rf_error("`key` must be one string");
  const char *text = Rf_translateCharUTF8(STRING_ELT(key, 0));
  const candor_hash_key first = {0, 0}, second = {1, 0};
  const size_t n = strlen(text);
  return (candor_hash_key){candor_siphash(first, (const unsigned char *) text, n),
                           candor_siphash(second, (const unsigned char *) text, n)};
}

static uint64_t hash_item(SEXP items, R_xlen_t i, candor_hash_key key)
{
  if (TYPEOF(items) == STRSXP) {
    const void *top = vmaxget();
    const char *text = Rf_translateCharUTF8(STRING_ELT(items, i));
    const uint64_t hash = candor_siphash(key, (const unsigned char *) text, strlen(text));
    vmaxset(top);
    return hash;
  }
  return candor_hash_number(key, TYPEOF(items) == REALSXP ? REAL_RO(items)[i] : (double) INTEGER_RO(items)[i]);
}

static void check_items(SEXP items)
{
  const SEXPTYPE type = TYPEOF(items);
  if (type != STRSXP && type != INTSXP && type != REALSXP) Rf_error("`items` must be text or numbers");
  if (Rf_inherits(items, "integer64")) Rf_error("`items` is of class integer64, whose bits are not doubles");
}

static SEXP new_bits(size_t n)
{
  if (n > (size_t) R_XLEN_T_MAX) Rf_error("the sketch is too large");
  SEXP out = Rf_allocVector(INTSXP, (R_xlen_t) n);
  memset(INTEGER(out), 0, n * sizeof(int));
  return out;
}

SEXP rr_bloom_sketch_call(SEXP items, SEXP key, SEXP bits, SEXP hashes)
{
  const candor_hash_key secret = read_key(key);
  const size_t m = glue_size(bits, "bits"), k = glue_size(hashes, "hashes");
  check_items(items);
  SEXP out = PROTECT(new_bits(m));
  for (R_xlen_t i = 0; i < XLENGTH(items); i++) {
    glue_check(candor_bloom_add(hash_item(items, i, secret), k, m, INTEGER(out)), "rr_bloom_sketch");
    if (i % 1000000 == 999999) R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return out;
}

SEXP rr_pcsa_sketch_call(SEXP items, SEXP key, SEXP buckets, SEXP levels)
{
  const candor_hash_key secret = read_key(key);
  const size_t m = glue_size(buckets, "buckets"), l = glue_size(levels, "levels");
  check_items(items);
  if (l < 1 || l > 32) Rf_error("`levels` must be from 1 to 32");
  SEXP out = PROTECT(new_bits(m * l));
  for (R_xlen_t i = 0; i < XLENGTH(items); i++) {
    glue_check(candor_pcsa_add(hash_item(items, i, secret), m, l, INTEGER(out)), "rr_pcsa_sketch");
    if (i % 1000000 == 999999) R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return out;
}
