/* What a fuzz target requires: a condition that fails ends it, as a crash would. */
#ifndef CANDOR_FUZZ_REQUIRE_H
#define CANDOR_FUZZ_REQUIRE_H

#define REQUIRE(condition)              \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (0)

#endif
