/* Runs a fuzz target over the files named on the command line, without libFuzzer: any C compiler can
 * replay the corpora. The copy handed over is exactly as long as the file, so that a sanitizer sees
 * the first byte read too far. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fprintf(stderr, "%s: cannot be opened\n", path);
    return 1;
  }

  uint8_t *data = NULL;
  size_t size = 0;
  int bad = fseek(file, 0, SEEK_END) != 0;
  if (!bad) {
    const long end = ftell(file);
    bad = end < 0 || fseek(file, 0, SEEK_SET) != 0;
    size = bad ? 0 : (size_t) end;
  }
  if (!bad) {
    data = malloc(size > 0 ? size : 1);
    bad = data == NULL || fread(data, 1, size, file) != size;
  }
  fclose(file);

  if (bad) {
    fprintf(stderr, "%s: cannot be read\n", path);
  } else {
    fprintf(stderr, "%s\n", path); /* before the run: a trap leaves the culprit's name as the last line */
    LLVMFuzzerTestOneInput(data, size);
  }
  free(data);
  return bad;
}

int main(int argc, char **argv)
{
  static const uint8_t nothing[1] = {0};
  int bad = 0;
  LLVMFuzzerTestOneInput(nothing, 0);
  for (int i = 1; i < argc; i++) bad |= replay(argv[i]);
  printf("%d inputs replayed\n", argc);
  return bad;
}
