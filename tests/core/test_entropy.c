/* The operating system's entropy through fake sources: short reads, interruptions, failures. */
#include <string.h>

#include "../../src/entropy.c"
#include "check.h"

static int calls = 0;

static long stingy(void *bytes, size_t n)
{
  calls++;
  if (calls % 3 == 0) return 0; /* interrupted by a signal */
  const size_t give = n < 5 ? n : 5;
  memset(bytes, 0xab, give);
  return (long) give;
}

static long breaks_down(void *bytes, size_t n)
{
  (void) n;
  memset(bytes, 0xab, 1);
  return calls++ < 3 ? 1 : -1;
}

static long boastful(void *bytes, size_t n)
{
  (void) bytes;
  return (long) n + 1;
}

static long never(void *bytes, size_t n)
{
  (void) bytes;
  (void) n;
  return 0;
}

static int all(const unsigned char *bytes, size_t n, unsigned char value)
{
  for (size_t i = 0; i < n; i++)
    if (bytes[i] != value) return 0;
  return 1;
}

int main(void)
{
  unsigned char bytes[1000], other[1000];
  CHECK(candor_entropy(stingy, bytes, 40) == CANDOR_OK && all(bytes, 40, 0xab) && calls == 11);
  candor_entropy_source *const broken[] = {breaks_down, boastful, never, candor_entropy_none};
  for (int i = 0; i < 4; i++) {
    calls = 0;
    memset(bytes, 1, sizeof bytes);
    CHECK(candor_entropy(broken[i], bytes, 40) == CANDOR_GENERATOR);
    CHECK(all(bytes, 40, 0) && bytes[40] == 1);
  }
  CHECK(candor_entropy(candor_entropy_system, bytes, 1000) == CANDOR_OK);
  CHECK(candor_entropy(candor_entropy_system, other, 1000) == CANDOR_OK);
  CHECK(memcmp(bytes, other, 1000) != 0); /* equal with probability 2^-8000 */
  CHECK(candor_entropy(candor_entropy_none, bytes, 0) == CANDOR_OK);
  return check_report();
}
