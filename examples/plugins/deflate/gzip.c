#include "gzip.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

/* The bytes between two checks for cancellation; also the limit for the bytes that one step adds to the output. */
enum { CHUNK = 256 * 1024 };

/* zlib's windowBits: the largest window, with a gzip header and trailer. */
enum { GZIP_WINDOW = 15 + 16 };

static bool zlib_failure(failure_t *failure, const z_stream *stream, int code) {
  if (code == Z_MEM_ERROR)
    return failure_out_of_memory(failure);
  return failure_set(failure, "zlib", code, "%s", stream->msg != NULL ? stream->msg : zError(code));
}

/* Passes the next chunk of input to the stream, if the previous one is used up. */
static void feed(z_stream *stream, const uint8_t *data, size_t length, size_t *fed) {
  if (stream->avail_in > 0)
    return;
  size_t chunk = length - *fed < CHUNK ? length - *fed : CHUNK;
  stream->next_in = (z_const Bytef *)(uintptr_t)(data + *fed);
  stream->avail_in = (uInt)chunk;
  *fed += chunk;
}

bool gzip_compress(const uint8_t *data, size_t length, int level, buffer_t *out, gzip_progress_t progress, void *ctx,
                   failure_t *failure) {
  z_stream stream = {0};
  int code = deflateInit2(&stream, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY);
  if (code != Z_OK)
    return zlib_failure(failure, &stream, code);
  bool good = true;
  size_t fed = 0;
  while (good && code != Z_STREAM_END) {
    feed(&stream, data, length, &fed);
    if (!buffer_reserve(out, CHUNK)) {
      good = failure_out_of_memory(failure);
      break;
    }
    stream.next_out = out->data + out->length;
    stream.avail_out = CHUNK;
    code = deflate(&stream, fed == length ? Z_FINISH : Z_NO_FLUSH);
    out->length += CHUNK - stream.avail_out;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      good = zlib_failure(failure, &stream, code);
    } else if (!progress(ctx, fed - stream.avail_in, length)) {
      good = failure_cancelled(failure);
    }
  }
  deflateEnd(&stream);
  return good;
}

/* Called after the end of a stream. Returns true if another stream begins, for which the state is then reset. Returns
 * false if not, and sets `*good` to false unless the rest is padding. */
static bool next_member(z_stream *stream, const uint8_t *data, size_t length, size_t at, bool *good,
                        failure_t *failure) {
  size_t rest = at;
  while (rest < length && data[rest] == 0)
    rest++;
  if (rest == length)
    return false;
  if (data[at] != 0x1f) {
    *good = failure_set(failure, GZIP_DOMAIN, GZIP_ETRAILING,
                        "byte %zu of %zu: the gzip stream has ended, and what follows is not another one", at, length);
    return false;
  }
  int code = inflateReset(stream);
  if (code != Z_OK)
    *good = zlib_failure(failure, stream, code);
  return *good;
}

bool gzip_decompress(const uint8_t *data, size_t length, uint64_t limit, buffer_t *out, uint64_t *size,
                     gzip_progress_t progress, void *ctx, failure_t *failure) {
  z_stream stream = {0};
  int code = inflateInit2(&stream, GZIP_WINDOW);
  if (code != Z_OK)
    return zlib_failure(failure, &stream, code);
  buffer_t dropped = {0};
  buffer_t *into = out != NULL ? out : &dropped;
  bool good = true, more = true;
  size_t fed = 0;
  *size = 0;
  while (good && more) {
    feed(&stream, data, length, &fed);
    if (!buffer_reserve(into, CHUNK)) {
      good = failure_out_of_memory(failure);
      break;
    }
    stream.next_out = into->data + into->length;
    stream.avail_out = CHUNK;
    code = inflate(&stream, Z_NO_FLUSH);
    size_t made = CHUNK - stream.avail_out, at = fed - stream.avail_in;
    *size += made;
    if (out != NULL)
      out->length += made;

    if (*size > limit) {
      good = failure_set(failure, GZIP_DOMAIN, GZIP_ELIMIT,
                         "the data decompresses to more than the limit of %" PRIu64 " bytes", limit);
    } else if (code == Z_STREAM_END) {
      more = next_member(&stream, data, length, at, &good, failure);
    } else if (code == Z_NEED_DICT) {
      good = failure_set(failure, "zlib", code, "byte %zu of %zu: a preset dictionary is needed", at, length);
    } else if (code == Z_MEM_ERROR) {
      good = failure_out_of_memory(failure);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      good = failure_set(failure, "zlib", code, "byte %zu of %zu: %s", at, length,
                         stream.msg != NULL ? stream.msg : zError(code));
    } else if (made == 0 && at == length) {
      good = failure_set(failure, GZIP_DOMAIN, GZIP_ETRUNCATED, "the data ends after %zu bytes, within a gzip stream",
                         length);
    }
    if (good && !progress(ctx, at, length))
      good = failure_cancelled(failure);
  }
  buffer_free(&dropped);
  inflateEnd(&stream);
  return good;
}
