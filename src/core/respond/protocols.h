/* The respondent's side of the protocols whose reports support sets of categories: from true answers to reports.
 *
 * Every run turns n codes of truths, first .. first + levels - 1, into n reports. Probabilities are exact multiples of
 * 2^-64 (chance.h). A run may be called for one part of the answers after the other with the same `words`.
 * It returns CANDOR_DOMAIN with *position the 0-based place of the first code that is none, CANDOR_GENERATOR when the
 * generator fails; the reports must not be used then.
 *
 * The order of whatever a report lists is that of its numbers: an order that depends on how the report was drawn would
 * give the truth away (one implementation in use puts the truth first). */
#ifndef CANDOR_PROTOCOLS_H
#define CANDOR_PROTOCOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/affine.h"
#include "base/field.h"
#include "base/status.h"
#include "respond/chance.h"
#include "respond/words.h"

typedef struct candor_answers {
  const int *truth; /* n codes */
  size_t n;
  int first;
  uint32_t levels; /* 1 .. 2^31 - 1 */
} candor_answers;

/* SYNOPSIS: unary encoding: `levels` independent bits, packed into candor_bytes_of(levels) bytes a report (lowest bit
 *   first; the bits that are left over are 0). */
candor_status candor_unary_run(const candor_bit_plan *plan, const candor_answers *answers, candor_words *words,
                               uint8_t *report, size_t *position);

/* SYNOPSIS: subset selection: `size` of the categories, the truth among them with probability chance + (1 - chance)
 *   size / levels. Packed bits in `bits` (as above), or increasing numbers from 1 in `index` (size a report): one of
 *   the two is NULL.
 * PRECONDITIONS: 1 <= size < levels; `set`: (levels + 63) / 64 words of workspace, to be wiped. */
typedef struct candor_subset_plan {
  candor_grid chance;
  uint32_t size;
} candor_subset_plan;

candor_status candor_subset_run(const candor_subset_plan *plan, const candor_answers *answers, candor_words *words,
                                uint64_t *set, uint8_t *bits, int *index, size_t *position);

/* SYNOPSIS: Hadamard response in `blocks` blocks of `size` columns: category x (from 0) has row x / blocks + 1 of block
 *   x mod blocks; a report is a number block * size + column, from 0. With probability `chance` a uniform column of the
 *   truth's block on which its row is +1, else any.
 * PRECONDITIONS: size a power of two >= 2, blocks (size - 1) >= levels, blocks size < 2^31, else CANDOR_DOMAIN at 0.
 * NUMERICS: half of a row's columns are +1, and changing the lowest bit of the row in a column turns its sign: a
 *   uniform column moved where its sign is -1 is uniform among them. */
typedef struct candor_hadamard_plan {
  candor_grid chance;
  uint32_t blocks, size;
} candor_hadamard_plan;

candor_status candor_hadamard_run(const candor_hadamard_plan *plan, const candor_answers *answers, candor_words *words,
                                  int *report, size_t *position);

/* SYNOPSIS: its form with one private bit: a uniform column of `size` >= levels (a power of two), and the sign of the
 *   truth's row x (from 0) in it, +1 or -1, turned with probability `flip`. */
candor_status candor_hadamard_bit_run(candor_grid flip, uint32_t size, const candor_answers *answers,
                                      candor_words *words, int *column, int *sign, size_t *position);

/* SYNOPSIS: projective geometry response: category x (from 0) is point x of a space of `coordinates` over the field; a
 *   report is a number from 1, of a point: with probability `chance` a uniform point whose product with the truth's is
 *   0, else any.
 * PRECONDITIONS: 2 <= coordinates, fewer than 2^31 points, at least `levels`, else CANDOR_DOMAIN at 0.
 * NUMERICS: a uniform point of one coordinate less gets one more, at the last place where the truth's point is not 0:
 *   the product decides it, and each point of the hyperplane is made once. Both kinds of report are drawn each time,
 *   and no branch depends on which is sent. */
typedef struct candor_projective_plan {
  candor_grid chance;
  candor_field field;
  uint32_t coordinates;
} candor_projective_plan;

candor_status candor_projective_run(const candor_projective_plan *plan, const candor_answers *answers,
                                    candor_words *words, int *report, size_t *position);

/* SYNOPSIS: local hashing: a fresh affine function for each report (affine.h), slope in 1 .. prime - 1, shift in
 *   0 .. prime - 1, and a value in 1 .. buckets: with probability `chance` that of the truth's code, else any.
 * PRECONDITIONS: `code` holds the `levels` different codes of the categories, below the prime. */
typedef struct candor_hash_plan {
  candor_grid chance;
  candor_affine hash;
  const uint32_t *code;
} candor_hash_plan;

typedef struct candor_hash_reports {
  int *slope, *shift, *value;
} candor_hash_reports;

candor_status candor_hash_run(const candor_hash_plan *plan, const candor_answers *answers, candor_words *words,
                              const candor_hash_reports *report, size_t *position);

/* SYNOPSIS: the same with `functions` shared functions, one drawn for each report: cohort in 1 .. functions, value. */
typedef struct candor_cohorts {
  const uint32_t *slope, *shift;
  uint32_t functions;
} candor_cohorts;

candor_status candor_cohort_run(const candor_hash_plan *plan, const candor_cohorts *cohorts,
                                const candor_answers *answers, candor_words *words, int *cohort, int *value,
                                size_t *position);

/* SYNOPSIS: dBitFlip: `size` of `buckets` positions drawn uniformly, and of each the bit of the truth's bucket's
 *   indicator, randomized as in unary encoding. A report lists the positions from 1 in increasing order, negative where
 *   the bit is 0. Category x (from 0) lies in bucket x buckets / levels, rounded down.
 * PRECONDITIONS: 1 <= size <= buckets <= levels; `set`: (buckets + 63) / 64 words of workspace, to be wiped. */
typedef struct candor_bitflip_plan {
  candor_bit_plan bit;
  uint32_t buckets, size;
} candor_bitflip_plan;

candor_status candor_bitflip_run(const candor_bitflip_plan *plan, const candor_answers *answers, candor_words *words,
                                 uint64_t *set, int *report, size_t *position);

#endif
