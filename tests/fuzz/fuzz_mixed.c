/* Random small models with a random intercept: the climb never lowers the value, which is even in sigma, at most 0, and that of its end. */
#include <math.h>
#include <stdint.h>

#include "regress/mixed.h"
#include "require.h"

enum { MOST = 16, COLUMNS = 2, PLACES = COLUMNS + 1 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static double work[170000];
  if (size < 6) return 0;
  const candor_link link = (candor_link) (data[0] % 4);
  const double p = data[1] / 255.0, q = data[2] / 255.0;
  const candor_device device = {p, q, 1 - p, 1 - q, p - q};
  size_t rows = (size - 4) / 2, groups = 0;
  if (rows > MOST) rows = MOST;
  double x[MOST * COLUMNS], y[MOST], weight[MOST];
  int first[MOST + 1] = {0};
  for (size_t i = 0; i < rows; i++) {
    const uint8_t a = data[4 + 2 * i], b = data[5 + 2 * i];
    x[i] = 1;
    x[rows + i] = (a - 128) / 16.0;
    y[i] = b & 1;
    if (b & 2 || i + 1 == rows) {
      weight[groups] = b >> 4;
      first[++groups] = (int) i + 1;
    }
  }
  const candor_binary base = {rows, COLUMNS, x, NULL, 0, y, NULL, NULL, NULL, &device, 1, link, 0};
  const candor_mixed m = {base, groups, first, weight, 8.5, data[0] >> 2 & 1, 0, 0, work};
  if (candor_mixed_check(&m) != CANDOR_OK) return 0;
  REQUIRE(candor_mixed_work(COLUMNS, MOST) <= sizeof work / sizeof *work);
  double metric[PLACES * PLACES] = {0}, at[PLACES] = {0, 0, data[3] / 100.0}, other[PLACES], room[128];
  for (size_t k = 0; k < PLACES; k++) metric[k * (PLACES + 1)] = (double) rows;
  candor_objective objective = candor_mixed_objective(&m);
  objective.metric = metric;
  REQUIRE(candor_climb_work(objective.shape) <= sizeof room / sizeof *room);
  const double before = candor_mixed_value(&m, at, other, NULL, NULL, NULL);
  candor_top top;
  const candor_status status = candor_climb(&objective, (candor_climb_options){1e-10, 6}, at, room, &top);
  if (status == CANDOR_IMPOSSIBLE) return 0;
  REQUIRE(status == CANDOR_OK && top.value >= before - 1e-8 * (1 + fabs(before)) && top.value <= 1e-9);
  for (size_t k = 0; k < PLACES; k++) REQUIRE(isfinite(at[k]));
  const double value = candor_mixed_value(&m, at, NULL, NULL, NULL, NULL);
  REQUIRE(fabs(value - top.value) <= 1e-9 * (1 + fabs(value)));
  at[COLUMNS] = -at[COLUMNS];
  REQUIRE(fabs(candor_mixed_value(&m, at, NULL, NULL, NULL, NULL) - value) <= 1e-9 * (1 + fabs(value)));
  return 0;
}
