/* What every kernel returns. A kernel never prints, allocates or jumps: it says what happened, and
 * the caller (R's glue, a test, a fuzzer) decides what that means for its user. */
#ifndef CANDOR_STATUS_H
#define CANDOR_STATUS_H

#include <float.h>

/* Sums, roundings and checks of whole numbers rest on doubles being doubles. x87 registers keep
 * more digits for as long as the compiler likes, and fractions then pass for whole numbers. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 2
#error "32-bit x86 needs -msse2 -mfpmath=sse: doubles must not carry the excess precision of x87"
#endif

typedef enum candor_status {
  CANDOR_OK = 0,         /* done; the outputs are complete */
  CANDOR_AGAIN,          /* resumable kernel: the state is consistent, call again */
  CANDOR_DOMAIN,         /* an argument lies outside its documented range */
  CANDOR_NOT_FINITE,     /* an input is NaN or infinite */
  CANDOR_EMPTY,          /* no observations: the counts add up to zero */
  CANDOR_NO_INFORMATION, /* the reports do not depend on the truth */
  CANDOR_IMPOSSIBLE,     /* a report was seen that no truth can produce */
  CANDOR_STALLED,        /* doubles allow no further progress, and the tolerance is not reached */
  CANDOR_GENERATOR       /* the injected random generator failed */
} candor_status;

#endif
