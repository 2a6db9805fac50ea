/* Any world, any words: the simulator hands out exactly N reports, none to a category that cannot be
 * reported, and the losses hang together. The bytes after the head are the random words, and when
 * they are used up the generator fails, which every kernel must say. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "study/simulate.h"
#include "study/study.h"

#define ASSERT(condition)               \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
  const uint8_t *at;
  size_t left;
  size_t rounds;
} bytes;

/* The bytes again and again, four times over; then a failure. */
static candor_status fill(void *state, uint32_t *words, size_t n)
{
  bytes *b = state;
  if (b->left < 4) return CANDOR_GENERATOR;
  for (size_t i = 0; i < n; i++) {
    const size_t offset = (b->rounds * 4) % (b->left - 3);
    if (b->rounds++ > 1 << 16) return CANDOR_GENERATOR;
    memcpy(words + i, b->at + offset, 4);
  }
  return CANDOR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint8_t head[16];
  if (size < sizeof head) return 0;
  memcpy(head, data, sizeof head);
  const size_t k = 1 + head[0] + (head[1] & 1 ? 256u * (head[1] >> 6) : 0);
  const int fixed = head[2] & 1, vector = head[2] & 2, negative = head[2] & 4;
  double *theta = malloc(k * sizeof *theta), *truth = malloc(k * sizeof *truth), *other = malloc(k * sizeof *other);
  double *counts = malloc(k * sizeof *counts), total = 0, people = 0, b_total = 0;
  for (size_t i = 0; i < k; i++) {
    theta[i] = pow(1.0 + head[3 + i % 8], head[11] / 32.0);
    if (head[12] & 1 && i % 3 == 0) theta[i] = 0;
    total += theta[i];
    other[i] = 1.0 + head[4 + i % 7];
    b_total += other[i];
  }
  if (total == 0) total = theta[0] = 1;
  const double n = floor(ldexp(1.0 + head[13], (head[14] % 32) - 4)) + 1;
  const double kk = (double) k;
  double a = (1.0 + head[15]) / 257.0;
  if (negative && k > 1) a = -a / (kk - 1) * 0.9;
  for (size_t i = 0; i < k; i++) {
    theta[i] /= total;
    people += truth[i] = floor(n * theta[i]);
    other[i] *= (1 - a) / b_total;
    if (other[i] + a < 0) other[i] = -a; /* rejected by its sum, if so */
  }
  truth[0] += n - people;
  const double b = (1 - a) / kk;
  const candor_world world = {{k, a, vector ? other : NULL, b, a / b}, theta, fixed ? truth : NULL, n};

  double *memory = malloc(candor_simulator_work(k) * sizeof *memory);
  candor_simulator *simulator = malloc(sizeof *simulator);
  candor_status status = candor_simulator_start(simulator, &world, memory);
  if (status == CANDOR_OK && n < 1e7) {
    bytes words = {data + sizeof head, size - sizeof head, 0};
    const candor_random random = {fill, &words};
    candor_draw draw;
    candor_draw_start(&draw, &random);
    for (int r = 0; r < 3 && status == CANDOR_OK; r++) {
      status = candor_simulate(simulator, &draw, counts);
      double sum = 0;
      for (size_t i = 0; i < k && status == CANDOR_OK; i++) {
        ASSERT(counts[i] >= 0 && counts[i] == floor(counts[i]));
        sum += counts[i];
      }
      ASSERT(status == CANDOR_GENERATOR || (status == CANDOR_OK && sum == n));
    }
  }
  /* The judge, of estimates that are any finite numbers. */
  double *estimates = malloc(2 * k * sizeof *estimates), *tallies = malloc(2 * k * sizeof *tallies);
  double *sums = calloc(k, sizeof *sums);
  for (size_t i = 0; i < 2 * k; i++) {
    estimates[i] = ((double) data[i % size] - 100) / (double) k / 64;
    tallies[i] = data[(i + 7) % size] % 5;
  }
  const candor_judge judge = {k, k, theta, n, a, vector ? other : NULL, b};
  for (int r = 0; r < 2; r++) {
    const double *estimate = estimates + (r ? k : 0), *tally = tallies + (r ? k : 0);
    double loss[CANDOR_STUDY_LOSSES];
    candor_study_judge(&judge, estimate, head[2] & 8 ? NULL : estimate, tally, loss, sums);
    ASSERT(isfinite(loss[0]) && loss[0] >= 0 && isfinite(loss[1]) && loss[1] >= 0);
    ASSERT(loss[0] <= 4 * loss[1] * loss[1] * (1 + 1e-9));
    ASSERT(head[2] & 8 ? isnan(loss[2]) : !isnan(loss[2]));
  }
  free(theta), free(truth), free(other), free(counts), free(memory), free(simulator);
  free(estimates), free(tallies), free(sums);
  return 0;
}
