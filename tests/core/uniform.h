/* Pseudo-random numbers for tests that want many inputs: xorshift64 (Marsaglia 2003 doi:10.18637/jss.v008.i14), one fixed
 * seed for each test program. */
#ifndef CANDOR_UNIFORM_H
#define CANDOR_UNIFORM_H

#include <stdint.h>

static uint64_t uniform_seed = UINT64_C(88172645463325252);

static double uniform(void)
{
  uniform_seed ^= uniform_seed << 13;
  uniform_seed ^= uniform_seed >> 7;
  uniform_seed ^= uniform_seed << 17;
  return (double) (uniform_seed >> 11) / 9007199254740992.0;
}

#endif
