/* Feature macros: strict C99 hides the declarations of getrandom() and getentropy(). */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#if defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE
#endif

#include "entropy.h"

#include <errno.h>
#include <string.h>

#if defined(_WIN32)

#include <windows.h>

/* After windows.h, whose types it takes: no alphabetical order here. */
#include <bcrypt.h>

long candor_entropy_system(void *bytes, size_t n)
{
  const ULONG ask = n > 4096 ? 4096 : (ULONG) n;
  const NTSTATUS status = BCryptGenRandom(NULL, (PUCHAR) bytes, ask, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  return status >= 0 ? (long) ask : -1;
}

#elif defined(__linux__)

#include <sys/random.h>

long candor_entropy_system(void *bytes, size_t n)
{
  /* No flags: wait until the kernel's pool is seeded, and never read an unseeded one. */
  const long got = (long) getrandom(bytes, n > 256 ? 256 : n, 0);
  return got >= 0 ? got : errno == EINTR ? 0 : -1;
}

#else

#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif

long candor_entropy_system(void *bytes, size_t n)
{
  const size_t ask = n > 256 ? 256 : n; /* getentropy() refuses more */
  return getentropy(bytes, ask) == 0 ? (long) ask : errno == EINTR ? 0 : -1;
}

#endif

long candor_entropy_none(void *bytes, size_t n)
{
  (void) bytes;
  (void) n;
  return -1;
}

candor_status candor_entropy(candor_entropy_source *source, void *bytes, size_t n)
{
  unsigned char *next = bytes;
  size_t left = n;
  int interrupted = 0;
  while (left > 0) {
    const long got = source(next, left);
    /* A signal may interrupt a few requests; a source that never delivers has failed. */
    if (got < 0 || (size_t) got > left || (got == 0 && ++interrupted > 1000)) {
      memset(bytes, 0, n);
      return CANDOR_GENERATOR;
    }
    next += got;
    left -= (size_t) got;
  }
  return CANDOR_OK;
}
