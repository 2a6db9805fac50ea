/* measured: the interval of a share that a test with measured errors reports.
 *
 * SYNOPSIS
 *   counts[0] of sizes[0] respondents reported yes, counts[1] of sizes[1] people whose truth is yes, and counts[2] of
 *   sizes[2] people whose truth is no. With their shares r, s and f, a share t of true yes means r = t s + (1 - t) f.
 *   The limits hold the t with T(t) - T(nearest) <= quantile^2, where nearest is the estimate, cut to [0, 1], and
 *      T(t) = (Rao's statistic + likelihood ratio statistic) / 2 * V(t, t) / V(t, nearest)
 *      V(t, u) = r (1 - r) / sizes[0] + u^2 s (1 - s) / sizes[1] + (1 - u)^2 f (1 - f) / sizes[2]
 *   with the maximum likelihood shares under t. If fewer than 25 people had a truth whose share may be above .2, the
 *   limits also hold the t that T without its last factor accepts: the factor trusts the study too much there.
 *
 * PRECONDITIONS
 *   0 <= counts[i] <= sizes[i], sizes[i] > 0, finite, whole or not; quantile >= 0.
 *
 * NUMERICS
 *   A maximum is the root of one equation, as each share is the root of a quadratic one. Both ends are found by
 *   halving, to 1e-12. If s <= f the limits are 0 and 1.
 *
 * REFERENCE
 *   inst/mathematics/validation.md, section 4. */
#ifndef CANDOR_MEASURED_H
#define CANDOR_MEASURED_H

#include "base/status.h"

#define CANDOR_FEW_LABELS 25
#define CANDOR_COMMON_SHARE 0.2

candor_status candor_measured_interval(const double counts[3], const double sizes[3], double quantile,
                                       double limits[2]);

#endif
