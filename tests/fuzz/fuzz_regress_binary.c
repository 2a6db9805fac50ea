/* Random small regressions: the climb never lowers the value and ends where nothing rises, and no input ends in
 * anything but a status. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "regress/binary.h"
#include "require.h"

enum { MOST = 24, COLUMNS = 2, LEVELS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 5) return 0;
  const candor_link link = (candor_link) (data[0] % 64 % CANDOR_LINKS);
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
  /* At times the columns of a factor as levels, and a prior. */
  const int grouped = data[0] & 64;
  int level[MOST];
  for (size_t i = 0; i < rows; i++) level[i] = (int) (data[3 + 2 * i] % (LEVELS + 1)) - 1;
  const candor_binary m = {rows, COLUMNS, x, level, grouped ? LEVELS : 0, y, weight, NULL, NULL, &device, 1, link, 0};
  if (candor_binary_check(&m) != CANDOR_OK) return 0;
  candor_objective objective = candor_binary_objective(&m);
  const size_t n = objective.shape.levels + COLUMNS, most = LEVELS + COLUMNS * (LEVELS + COLUMNS);
  double metric[LEVELS + COLUMNS * (LEVELS + COLUMNS)], prior[LEVELS + COLUMNS * (LEVELS + COLUMNS)];
  candor_binary_metric(&m, metric);
  for (size_t i = 0; i < most; i++) prior[i] = 0;
  for (size_t g = 0; g < objective.shape.levels; g++) prior[g] = 0.16;
  for (size_t k = 0; k < COLUMNS; k++) prior[objective.shape.levels * (1 + COLUMNS) + k * (COLUMNS + 1)] = 0.04;
  objective.metric = metric;
  if (data[0] & 128) objective.prior = prior;
  double at[LEVELS + COLUMNS] = {0}, gradient[LEVELS + COLUMNS], work[256], value, other[LEVELS + COLUMNS];
  REQUIRE(candor_climb_work(objective.shape) <= sizeof work / sizeof *work);
  at[objective.shape.levels] = link == CANDOR_LOG ? -1 : link == CANDOR_IDENTITY ? 0.5 : 0;
  double before = candor_climb_value(&objective, at, gradient, NULL, NULL, other);
  for (size_t count = 0; count < 60; count++) {
    candor_top top;
    const candor_status status = candor_climb(&objective, (candor_climb_options){1e-11, 1}, at, work, &top);
    if (status == CANDOR_IMPOSSIBLE) return 0;
    REQUIRE(status == CANDOR_OK && top.value >= before - 1e-12 * (1 + fabs(before)));
    for (size_t k = 0; k < n; k++) REQUIRE(isfinite(at[k]));
    value = candor_climb_value(&objective, at, gradient, NULL, NULL, other);
    REQUIRE(fabs(value - top.value) <= 1e-9 * (1 + fabs(value)));
    before = top.value;
    if (top.steps == 0) {
      double still[LEVELS + COLUMNS];
      /* What is called an end has no rise left, unless the domain stopped it or doubles did. */
      if (!top.pressed && isfinite(top.decrement) && link < CANDOR_LOG)
        REQUIRE(top.decrement <= 1e-8 * (1 + fabs(value)));
      for (size_t k = 0; k < n; k++) still[k] = at[k];
      REQUIRE(candor_climb_value(&objective, still, NULL, NULL, NULL, other) == value);
      break;
    }
  }
  return 0;
}
