/* The weights (absent, present) of one column in the map from reports to truth, for candor_sets_axis(): (-q/d, 1/d). */
#ifndef CANDOR_INVERSE_WEIGHTS_H
#define CANDOR_INVERSE_WEIGHTS_H

static void inverse_weights(double p, double q, double weight[2])
{
  weight[0] = -q / (p - q);
  weight[1] = 1 / (p - q);
}

#endif
