/* Random small regressions: the climb never lowers the value, what it calls a maximum has no gradient, and no input ends
 * in anything but a status. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "regress/binary.h"

#define REQUIRE(condition)              \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (0)

enum { MOST = 24, COLUMNS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 5) return 0;
  const candor_link link = (candor_link) (data[0] % CANDOR_LINKS);
  const double p = data[1] / 255.0, q = data[2] / 255.0;
  const candor_device device = {p, q, 1 - p, 1 - q, p - q};
  size_t rows = (size - 3) / 2;
  if (rows > MOST) rows = MOST;
  double x[MOST * COLUMNS], y[MOST], weight[MOST];
  for (size_t i = 0; i < rows; i++) {
    const uint8_t a = data[3 + 2 * i], b = data[4 + 2 * i];
    x[i] = 1;
    x[rows + i] = (a - 128) / 16.0;
    y[i] = b & 2 ? (b >> 2) / 63.0 : b & 1;
    weight[i] = (b >> 4) + 1;
  }
  const candor_binary m = {rows, COLUMNS, x, y, weight, NULL, NULL, &device, 1, link, 0};
  if (candor_binary_check(&m) != CANDOR_OK) return 0;
  const candor_objective objective = candor_binary_objective(&m);
  candor_ascent_options options = candor_ascent_defaults();
  double at[COLUMNS] = {link == CANDOR_LOG ? -1 : link == CANDOR_IDENTITY ? 0.5 : 0, 0}, work[64];
  candor_ascent a;
  if (candor_ascent_init(&a, &objective, &options, at, work) != CANDOR_OK) return 0;
  double before = a.value;
  candor_status status;
  while ((status = candor_ascent_run(&a, 1)) == CANDOR_AGAIN) {
    REQUIRE(a.value >= before - 1e-9 * (1 + fabs(before)));
    before = a.value;
  }
  REQUIRE(isfinite(at[0]) && isfinite(at[1]) && isfinite(a.value));
  if (status == CANDOR_OK && !a.runaway) {
    double gradient[COLUMNS], J[COLUMNS * COLUMNS];
    candor_binary_value(&m, at, gradient, J, NULL);
    /* In units of the value: what a step could still gain. */
    REQUIRE(fabs(gradient[0]) <= 1e-3 * (1 + sqrt(fabs(J[0])) * (1 + fabs(a.value))));
  }
  return 0;
}
