/* Misuse of statistics and of process-wide functions. */
#include "misuse.h"

MISUSE(promise_statistics) {
  union {
    promise_statistics_t known;
    unsigned char bytes[8192];
  } statistics;
  CHECK_STATUS(promise_statistics(NULL), PROMISE_EINVAL);
  static const uint32_t wrong[] = {0, 1, 4, 8, 135, 4097, UINT32_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    memset(&statistics, 0xa5, sizeof statistics);
    statistics.known.size = wrong[i];
    CHECK_STATUS(promise_statistics(&statistics.known), PROMISE_EINVAL);
    CHECK_INT(statistics.known.promises_pending, 0xa5a5a5a5a5a5a5a5);
  }
  /* A struct of a later version: the unknown fields are set to 0, and no byte behind the struct is written. */
  memset(&statistics, 0xa5, sizeof statistics);
  statistics.known.size = 4096;
  CHECK_STATUS(promise_statistics(&statistics.known), PROMISE_OK);
  CHECK_INT(statistics.known.size, 4096);
  CHECK(statistics.known.promises_pending < 1000);
  int wrong_bytes = 0;
  for (size_t i = sizeof statistics.known; i < sizeof statistics.bytes; i++)
    wrong_bytes += statistics.bytes[i] != (i < 4096 ? 0 : 0xa5);
  CHECK_INT(wrong_bytes, 0);
}

MISUSE(promise_trim) {
  CHECK(promise_trim() >= 0);
}
