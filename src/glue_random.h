/* A run of a sampler under R: a key that is wiped on every way out, R's generator put back before every jump, a look at
 * the interrupt flag between blocks of answers. */
#ifndef CANDOR_GLUE_RANDOM_H
#define CANDOR_GLUE_RANDOM_H

#include "glue.h"

#include "respond/chacha20.h"
#include "respond/words.h"

/* The order is that of perturb_generators in R/respond.R. NONE is for tests of what a failure does. */
enum { GLUE_SECURE, GLUE_R_GENERATOR, GLUE_NONE, GLUE_GENERATORS };

/* R's generator as a `fill` for candor_random: half a word from each draw, since some of R's generators give no more
 * than 25 or 30 good bits, and the low ones are the bad ones. A generator supplied by the user may return anything. */
candor_status glue_fill_from_r(void *state, uint32_t *words, size_t n);

/* A grid point as text: 16 hexadecimal digits in units of 2^-64, or "1". */
SEXP glue_grid_text(candor_grid x);

/* A stream under a key that is fresh in every call, and that only this function and the stream ever hold. */
candor_status glue_start_stream(candor_chacha20 *stream, int generator);

/* Randomizes answers from .. from + n - 1 of what the caller's data say; *position, counted from `from`, as
 * respond/protocols.h has it. */
typedef candor_status (*glue_sampler)(void *data, size_t from, size_t n, candor_words *words, size_t *position);

typedef struct glue_draw {
  glue_sampler sample;
  void *data;
  size_t n, block; /* answers in all, and between two looks at the interrupt flag */
  void *scratch;   /* wiped in the end; or NULL */
  size_t scratch_size;
} glue_draw;

/* Returns what the sampler did, *position of all answers. */
candor_status glue_run_draw(const glue_draw *draw, SEXP generator, size_t *position);

#endif
