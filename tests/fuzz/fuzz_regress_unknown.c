/* Random small regressions with an unknown number of the devices, or with a regression of it: what the check accepts has probabilities at every
 * psi, the climb never lowers the value, and no input ends in anything but a status. */
#include <math.h>
#include <stdint.h>

#include "bytes.h"
#include "regress/unknown.h"
#include "require.h"

enum { MOST = 24, COLUMNS = 2, DEVICES = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bytes in = {data, size};
  const candor_link link = (candor_link) (byte(&in) % CANDOR_LINKS);
  candor_family_of_devices family[DEVICES];
  for (int g = 0; g < DEVICES; g++) {
    /* A line from its value at psi = 0 to that at 1; at times the arm has another answer beside it. */
    const double p0 = byte(&in) / 255.0, p1 = byte(&in) / 255.0 - p0;
    const double q0 = byte(&in) / 255.0, q1 = byte(&in) / 255.0 - q0;
    const uint8_t other = byte(&in);
    family[g] = (candor_family_of_devices){p0, p1, q0, q1, other < 128 ? 1 : other / 255.0, other < 128 ? 0 : 0.25};
  }
  double x[MOST * COLUMNS], y[MOST], weight[MOST];
  int arm[MOST];
  const size_t rows = 1 + byte(&in) % MOST;
  for (size_t i = 0; i < rows; i++) {
    const uint8_t a = byte(&in), b = byte(&in);
    x[i] = 1;
    x[rows + i] = (a - 128) / 16.0;
    y[i] = b & 2 ? (b >> 2) / 63.0 : b & 1;
    weight[i] = (b >> 4) + 1;
    arm[i] = b >> 3 & 1;
  }
  const uint8_t kind = byte(&in);
  const candor_unknown m = {{rows, COLUMNS, x, NULL, 0, y, weight, NULL, arm, NULL, DEVICES, link, 0},
                            family,
                            kind & 1 ? x : NULL,
                            COLUMNS,
                            kind & 2};
  if (candor_unknown_check(&m) != CANDOR_OK) return 0;
  for (int step = 0; step <= 4; step++) {
    for (int g = 0; g < DEVICES; g++) {
      const candor_device v = candor_unknown_device(family + g, (candor_psi){step / 4.0, 1 - step / 4.0});
      const double all = family[g].all0 + family[g].all1 * step / 4.0;
      REQUIRE(v.p >= 0 && v.p_no >= 0 && (m.separate || fabs(v.p + v.p_no - all) < 1e-9));
      REQUIRE(v.q >= 0 && v.q_no >= 0 && (m.separate || fabs(v.q + v.q_no - all) < 1e-9));
    }
  }
  candor_objective objective = candor_unknown_objective(&m);
  double metric[4 * COLUMNS * COLUMNS], work[128];
  candor_unknown_metric(&m, metric);
  objective.metric = metric;
  double at[2 * COLUMNS] = {link == CANDOR_LOG ? -1 : link == CANDOR_IDENTITY ? 0.5 : 0, 0, 0, 0};
  REQUIRE(candor_climb_work(objective.shape) <= sizeof work / sizeof *work);
  const double before = candor_climb_value(&objective, at, NULL, NULL, NULL, work);
  candor_top top;
  if (candor_climb(&objective, (candor_climb_options){1e-11, 100}, at, work, &top) != CANDOR_OK) return 0;
  REQUIRE(top.value >= before - 1e-12 * (1 + fabs(before)));
  for (size_t k = 0; k < objective.shape.dense; k++) REQUIRE(isfinite(at[k]));
  return 0;
}
