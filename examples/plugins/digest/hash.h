/* hash.h - digests and HMACs over OpenSSL's EVP interface. Knows nothing of promises and threads. */
#ifndef DIGEST_HASH_H
#define DIGEST_HASH_H

#include "buffer.h"
#include "failure.h"

/* Errors of this plugin; those of OpenSSL have the domain "openssl" and OpenSSL's packed codes. */
#define HASH_DOMAIN "org.promises.digest"

enum { HASH_EALGORITHM = 1 /* no digest with that name */ };

/* Called after every chunk with the bytes read so far; false ends the work. */
typedef bool (*hash_progress_t)(void *ctx, uint64_t done, uint64_t total);

/* Appends the digest of `data` to `hex`, in lower-case hexadecimal. `algorithm` is any name that OpenSSL knows. */
bool hash_digest(const char *algorithm, const uint8_t *data, size_t length, buffer_t *hex, hash_progress_t progress,
                 void *ctx, failure_t *failure);

/* Appends the HMAC of `data` under a key, which may be empty, in the same form. */
bool hash_hmac(const char *algorithm, const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
               buffer_t *hex, hash_progress_t progress, void *ctx, failure_t *failure);

/* Returns whether there is a digest with that name, which has a NUL after its `length` bytes; if not, fills
 * `*failure`. */
bool hash_is_known(const char *algorithm, size_t length, failure_t *failure);

/* Appends the names of all digests, in lower case and in order, each followed by a newline. */
bool hash_algorithms(buffer_t *names);

#endif /* DIGEST_HASH_H */
