#include "glue_random.h"

#include <stdio.h>

#include <R_ext/Random.h>
#include <R_ext/Utils.h>

#include "entropy.h"

typedef struct job {
  const glue_draw *draw;
  int generator;
  candor_chacha20 *stream;
  candor_words *words;
  candor_status status;
  size_t position;
} job;

candor_status glue_fill_from_r(void *state, uint32_t *words, size_t n)
{
  (void) state;
  for (size_t i = 0; i < n; i++) {
    const double high = unif_rand(), low = unif_rand();
    if (!(high >= 0 && high < 1 && low >= 0 && low < 1)) return CANDOR_GENERATOR;
    words[i] = (uint32_t) (high * 65536) << 16 | (uint32_t) (low * 65536);
  }
  return CANDOR_OK;
}

candor_status glue_start_stream(candor_chacha20 *stream, int generator)
{
  uint32_t secret[CANDOR_CHACHA20_KEY + CANDOR_CHACHA20_NONCE];
  const candor_status status =
      candor_entropy(generator == GLUE_NONE ? candor_entropy_none : candor_entropy_system, secret, sizeof secret);
  if (status == CANDOR_OK) candor_chacha20_start(stream, secret, secret + CANDOR_CHACHA20_KEY, 0);
  candor_wipe(secret, sizeof secret);
  return status;
}

static SEXP run(void *data)
{
  job *j = data;
  const glue_draw *draw = j->draw;
  const int from_r = j->generator == GLUE_R_GENERATOR;
  const candor_random random = {from_r ? glue_fill_from_r : candor_chacha20_fill, j->stream};
  j->status = from_r ? CANDOR_OK : glue_start_stream(j->stream, j->generator);
  candor_words_start(j->words, &random);
  for (size_t done = 0; done < draw->n && j->status == CANDOR_OK; done += draw->block) {
    const size_t n = draw->n - done < draw->block ? draw->n - done : draw->block;
    size_t position = 0;
    if (from_r) GetRNGstate();
    j->status = draw->sample(draw->data, done, n, j->words, &position);
    if (from_r) PutRNGstate();
    j->position = done + position;
    R_CheckUserInterrupt();
  }
  return R_NilValue;
}

/* Runs on every way out, an interrupt included. */
static void wipe(void *data)
{
  job *j = data;
  candor_chacha20_wipe(j->stream);
  candor_wipe(j->words, sizeof *j->words);
  if (j->draw->scratch) candor_wipe(j->draw->scratch, j->draw->scratch_size);
}

candor_status glue_run_draw(const glue_draw *draw, SEXP generator, size_t *position)
{
  job j = {.draw = draw, .generator = glue_choice(generator, "generator", GLUE_GENERATORS)};
  j.stream = (candor_chacha20 *) R_alloc(1, sizeof *j.stream);
  j.words = (candor_words *) R_alloc(1, sizeof *j.words);
  R_ExecWithCleanup(run, &j, wipe, &j);
  *position = j.position;
  return j.status;
}

SEXP glue_grid_text(candor_grid x)
{
  char text[17] = "1";
  if (candor_grid_less(x, candor_grid_one))
    snprintf(text, sizeof text, "%08x%08x", (unsigned) x.high, (unsigned) x.low);
  return Rf_mkChar(text);
}
