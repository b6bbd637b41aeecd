/* gzip.h - gzip streams over zlib, a chunk at a time. Knows nothing of promises and threads. */
#ifndef DEFLATE_GZIP_H
#define DEFLATE_GZIP_H

#include "buffer.h"
#include "failure.h"

/* Errors of this plugin; those of zlib have the domain "zlib" and zlib's codes. */
#define GZIP_DOMAIN "org.promises.deflate"

enum {
  GZIP_ELEVEL = 1,     /* a compression level that does not exist */
  GZIP_ETRUNCATED = 2, /* the data ends within a stream */
  GZIP_ETRAILING = 3,  /* something that is not gzip follows a stream */
  GZIP_ELIMIT = 4      /* the result would be larger than allowed */
};

/* Called after every chunk with the bytes read so far; false ends the work. */
typedef bool (*gzip_progress_t)(void *ctx, uint64_t done, uint64_t total);

/* Appends one gzip stream to `out`. The same bytes and level give the same stream, because it has no time and no
 * name. */
bool gzip_compress(const uint8_t *data, size_t length, int level, buffer_t *out, gzip_progress_t progress, void *ctx,
                   failure_t *failure);

/* Decompresses one gzip stream or several in a row, as gzip does, and verifies their checksums. Appends the content to
 * `out`, or drops it if `out` is NULL. Stores the length of the content in `*size`; it must not exceed `limit`. */
bool gzip_decompress(const uint8_t *data, size_t length, uint64_t limit, buffer_t *out, uint64_t *size,
                     gzip_progress_t progress, void *ctx, failure_t *failure);

#endif /* DEFLATE_GZIP_H */
