/* Limits against exact vectors (golden/doors_validated, to 1e-6), the symmetry of no and yes, and each status. */
#include <math.h>

#include "check.h"
#include "estimate/measured.h"

static void vectors(void)
{
  const double z = 1.959963984540054;
  const double counts[][3] = {{120, 40, 5}, {50, 103, 2}, {4870, 291, 1}, {110, 29, 0}, {118, 24, 9}};
  const double sizes[][3] = {{1000, 50, 100}, {3330, 122, 401}, {5000, 294, 6}, {2000, 30, 30}, {250, 30, 30}};
  const double expected[][2] = {{0.019428061082213614, 0.14438155319903606},
                                {0, 0.019684254618180432},
                                {0.9656666221415519, 1},
                                {0, 0.0690411576039989},
                                {0.06568712983664257, 0.6023052493169656}};
  for (int i = 0; i < 5; i++) {
    double limits[2], others[2];
    CHECK(candor_measured_interval(counts[i], sizes[i], z, limits) == CANDOR_OK);
    for (int end = 0; end < 2; end++) CHECK_NEAR(limits[end], expected[i][end], 1e-6);
    /* No is reported where yes was, and the truths change places. */
    const double no[3] = {sizes[i][0] - counts[i][0], sizes[i][2] - counts[i][2], sizes[i][1] - counts[i][1]};
    const double no_sizes[3] = {sizes[i][0], sizes[i][2], sizes[i][1]};
    CHECK(candor_measured_interval(no, no_sizes, z, others) == CANDOR_OK);
    CHECK_NEAR(others[0], 1 - limits[1], 1e-9);
    CHECK_NEAR(others[1], 1 - limits[0], 1e-9);
  }
}

/* Twelve labels of a truth that is common: the limits are those of the mean without its factor or beyond. */
static void few_labels(void)
{
  double few[2], more[2];
  CHECK(candor_measured_interval((double[]){3000, 9, 2}, (double[]){10000, 12, 100}, 1.96, few) == CANDOR_OK);
  CHECK(candor_measured_interval((double[]){3000, 21, 2}, (double[]){10000, 28, 100}, 1.96, more) == CANDOR_OK);
  CHECK(few[0] < more[0] && few[1] > more[1]);
}

static void refusals(void)
{
  double limits[2];
  CHECK(candor_measured_interval((double[]){5, 2, 3}, (double[]){10, 5, 5}, 2, limits) == CANDOR_OK);
  CHECK(limits[0] == 0 && limits[1] == 1);
  CHECK(candor_measured_interval((double[]){5, 4, 1}, (double[]){10, 5, 5}, 0, limits) == CANDOR_OK);
  CHECK_NEAR(limits[0], 0.5, 1e-12);
  CHECK_NEAR(limits[1], 0.5, 1e-12);
  CHECK(candor_measured_interval((double[]){11, 4, 1}, (double[]){10, 5, 5}, 2, limits) == CANDOR_DOMAIN);
  CHECK(candor_measured_interval((double[]){-1, 4, 1}, (double[]){10, 5, 5}, 2, limits) == CANDOR_DOMAIN);
  CHECK(candor_measured_interval((double[]){5, 0, 1}, (double[]){10, 0, 5}, 2, limits) == CANDOR_DOMAIN);
  CHECK(candor_measured_interval((double[]){5, 4, 1}, (double[]){10, 5, 5}, -1, limits) == CANDOR_DOMAIN);
  CHECK(candor_measured_interval((double[]){NAN, 4, 1}, (double[]){10, 5, 5}, 2, limits) == CANDOR_NOT_FINITE);
  CHECK(candor_measured_interval((double[]){5, 4, 1}, (double[]){10, 5, 5}, INFINITY, limits) == CANDOR_NOT_FINITE);
}

int main(void)
{
  vectors();
  few_labels();
  refusals();
  return check_report();
}
