/* The respondent's side: from a true answer to a randomized report.
 *
 * A plan holds the randomization as exact integers (quantize.h); it is made once. A run then turns codes
 * of truths into codes of reports, in steps, so that the caller may look up in between.
 *
 * WORDS: one 32-bit word decides an answer, unless it ties with the high digit of the threshold (about
 * one answer in 2^32, or in 2^(32 - bits) with a table of 2^bits cells); then a second word decides, so
 * that every probability is exact to 2^-64. Another word chooses the replacement, if there is one.
 */
#ifndef CANDOR_PERTURB_H
#define CANDOR_PERTURB_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"
#include "respond/quantize.h"

/* One cell of an alias table: a 64-bit number U below `cut` gives `below`, any other gives `above`. */
typedef struct candor_alias_cell {
  uint64_t cut;
  uint32_t below, above; /* levels from 1; 0 means "the truth" */
} candor_alias_cell;

typedef enum candor_perturb_kind {
  CANDOR_PERTURB_ALL,    /* truth with probability `chance`, else uniform over all levels */
  CANDOR_PERTURB_OTHERS, /* truth with probability `chance`, else uniform over the other levels */
  CANDOR_PERTURB_BINARY, /* second level with probability yes[0 or 1 for a truth of no or yes], else the first */
  CANDOR_PERTURB_TABLE,  /* one table of levels and "the truth" for every truth */
  CANDOR_PERTURB_ROWS    /* a table for each truth */
} candor_perturb_kind;

typedef struct candor_perturb_plan {
  candor_perturb_kind kind;
  uint32_t truths, reports;       /* how many codes */
  int first;                      /* the code of the first level, of truths and reports alike; a new plan has 1 */
  candor_grid chance;             /* ALL, OTHERS */
  candor_grid yes[2];             /* BINARY: given no, given yes */
  unsigned bits;                  /* TABLE, ROWS: 2^bits cells a table */
  const candor_alias_cell *cells; /* TABLE, ROWS: the caller's memory */
} candor_perturb_plan;

/* SYNOPSIS: k-ary randomized response with P(y = x) = p, P(y = v) = q for each other v, d = p - q.
 * PRECONDITIONS: 2 <= levels < 2^31; p, q in [0, 1]; d in [-1, 1], of the sign of p - q, and given as
 *   accurately as p and q themselves, since it is not recomputed. d = 1 (or p = 0) only if the truth is
 *   told (or avoided) for certain: a small q > 0 beside d = 1 keeps its value.
 * NUMERICS: d >= 0: truth with probability d' = floor(d), else uniform over all levels, so that
 *   p'/q' = 1 + levels d' / (1 - d') grows with d' and is at most the nominal ratio. d < 0: truth with
 *   probability p' = ceil(p), else uniform over the others: q'/p' = (1/p' - 1) / (levels - 1) falls as p'
 *   grows, and where p' > 1 / levels would turn the order round, all levels are equally likely instead. */
candor_status candor_plan_grr(size_t levels, double p, double q, double d, candor_perturb_plan *plan);

/* SYNOPSIS: the same for a given epsilon >= 0 (infinite: always the truth).
 * NUMERICS: with z = exp(-epsilon), d = -expm1(-epsilon) / (1 + (levels - 1) z) and q = z / (1 + (levels - 1) z) carry
 *   at most 4 relative errors of 2^-52 (one ulp each for exp and expm1, half an ulp for each of the
 *   operations): d is lowered, q raised by the factor 1 -+ 2^-49 first. The keep probability is thus
 *   below its real value by a relative 2^-49 and 2^-64 at most, and never above. */
candor_status candor_plan_grr_epsilon(size_t levels, double epsilon, candor_perturb_plan *plan);

/* SYNOPSIS: a yes/no question, P(yes given yes) = p, P(yes given no) = q; p_no = 1 - p, q_no = 1 - q. The first
 *   level is no, the second yes.
 * NUMERICS: for p > q, p is rounded down and q up, for p < q the other way round: both p/q and
 *   (1 - q)/(1 - p), or their inverses, can only come nearer to 1. Should the two cross, both are p'. */
candor_status candor_plan_binary(double p, double p_no, double q, double q_no, candor_perturb_plan *plan);

/* Table sizes. candor_plan_bits() is the smallest number of bits >= 1 whose cells hold `outcomes`; it is 0 for
 * outcomes > 2^30, which no plan supports. An innocuous plan has levels + 1 outcomes (the truth is one). */
unsigned candor_plan_bits(size_t outcomes);

/* What making tables needs from the caller. Weights and stack are scratch; the cells become part of the plan. */
typedef struct candor_table_memory {
  candor_grid *weights;     /* 2^bits */
  uint32_t *stack;          /* 2^bits */
  candor_alias_cell *cells; /* tables * 2^bits: one table for an innocuous plan, one per row for a channel */
} candor_table_memory;

/* SYNOPSIS: truth with probability a, else from b (quantize.h). `truth`, `other` (levels entries) hold the
 *   achieved probabilities on exit. */
candor_status candor_plan_innocuous(size_t levels, double a, const double *b, const candor_table_memory *memory,
                                    candor_grid *truth, candor_grid *other, candor_perturb_plan *plan);

/* SYNOPSIS: rows * columns achieved probabilities, row-major (from candor_quantize_channel), to a plan.
 * PRECONDITIONS: each row adds up to one exactly, else CANDOR_DOMAIN.
 * NUMERICS: a table of M = 2^bits cells of 2^64 / M units each. An outcome with less than a cell's units
 *   shares its cell with one that has more; since all are whole numbers and add up to 2^64, the table
 *   is exact.
 * REFERENCE: Vose (1991), IEEE Transactions on Software Engineering 17(9), doi:10.1109/32.92917. */
candor_status candor_plan_channel(size_t rows, size_t columns, const candor_grid *achieved,
                                  const candor_table_memory *memory, candor_perturb_plan *plan);

/* SYNOPSIS: the achieved epsilon, max over reports and truths of log C[x, y] / C[x', y], possibly infinite.
 *   `achieved`: the rows * columns grid points of a ROWS plan; truth and then the levels' `other`
 *   (levels + 1 grid points) of a TABLE plan; else not used. */
double candor_plan_epsilon(const candor_perturb_plan *plan, const candor_grid *achieved);

/* SYNOPSIS: position, from 0, of the first of n truths that is not in first .. first + truths - 1; n if all are. For
 *   callers that must know before the first word is drawn.
 * PRECONDITIONS: as candor_perturb_run() has them for `first`. */
size_t candor_perturb_stray(int first, uint32_t truths, const int *truth, size_t n);

/* Answers that are randomized together: few enough for the first-level cache. */
#define CANDOR_PERTURB_CHUNK 1024

/* Where a run stands, and its scratch. Set `done` to 0 to start. Its arrays say which answers were
 * altered: wipe the struct (candor_wipe) in the end. */
typedef struct candor_perturb_run_state {
  size_t done; /* answers finished; after CANDOR_DOMAIN the position, from 0, of the code that is none */
  uint32_t levels[CANDOR_PERTURB_CHUNK];
  uint32_t words[CANDOR_PERTURB_CHUNK];
  uint32_t places[CANDOR_PERTURB_CHUNK];
} candor_perturb_run_state;

/* SYNOPSIS: randomizes up to `steps` of the n answers from state->done on; CANDOR_AGAIN while some are left.
 * PRECONDITIONS: truth[i] in first .. first + truths - 1, else CANDOR_DOMAIN; these codes, and those of the reports,
 *   above INT_MIN and at most INT_MAX, else CANDOR_DOMAIN at 0. `report` may be `truth` itself.
 *   After any status but CANDOR_OK and CANDOR_AGAIN the reports must not be used. */
candor_status candor_perturb_run(const candor_perturb_plan *plan, const int *truth, size_t n, size_t steps,
                                 const candor_random *random, candor_perturb_run_state *state, int *report);

#endif
