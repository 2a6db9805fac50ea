/* Vectors as wide as the machine has them, chosen when the library is loaded. A compiler may only assume what every
 * x86-64 has, two doubles at a time; with CANDOR_WIDE before it a function is compiled a second time for four, and the
 * loader takes the one that runs here. Nothing else differs: AVX2 without fused multiply-add rounds every operation as
 * the plain code does, so that results are the same to the last bit wherever they are computed.
 *
 * Only where the loader can choose: gcc's indirect functions in glibc. Sanitisers run before that choice is made. */
#ifndef CANDOR_WIDE_H
#define CANDOR_WIDE_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) \
  && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(CANDOR_NARROW)
#include <limits.h> /* tells glibc from others */
#ifdef __GLIBC__
#define CANDOR_WIDE __attribute__((target_clones("avx2", "default")))
#define CANDOR_HAS_WIDE
#endif
#endif
#ifndef CANDOR_WIDE
#define CANDOR_WIDE
#endif

#endif
