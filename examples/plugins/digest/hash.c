#include "hash.h"

#include <ctype.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

/* The bytes between two checks for cancellation. */
enum { CHUNK = 256 * 1024 };

static bool openssl_failure(failure_t *failure, const char *doing) {
  unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0)
    return failure_set(failure, "openssl", 0, "%s failed", doing);
  char reason[256];
  ERR_error_string_n(code, reason, sizeof reason);
  return failure_set(failure, "openssl", (int64_t)code, "%s failed: %s", doing, reason);
}

static bool append_hex(buffer_t *hex, const uint8_t *bytes, size_t length, failure_t *failure) {
  static const char digits[] = "0123456789abcdef";
  if (!buffer_reserve(hex, 2 * length))
    return failure_out_of_memory(failure);
  for (size_t i = 0; i < length; i++) {
    hex->data[hex->length++] = (uint8_t)digits[bytes[i] >> 4];
    hex->data[hex->length++] = (uint8_t)digits[bytes[i] & 15];
  }
  return true;
}

/* OpenSSL also lists functions whose result has any requested length, and one without a result. */
static bool has_a_length(const EVP_MD *digest) {
  return EVP_MD_get_size(digest) > 0 && (EVP_MD_get_flags(digest) & EVP_MD_FLAG_XOF) == 0;
}

bool hash_is_known(const char *algorithm, size_t length, failure_t *failure) {
  EVP_MD *digest = EVP_MD_fetch(NULL, algorithm, NULL);
  bool known = strlen(algorithm) == length && digest != NULL && has_a_length(digest);
  EVP_MD_free(digest);
  ERR_clear_error();
  if (known)
    return true;
  return failure_set(
      failure, HASH_DOMAIN, HASH_EALGORITHM,
      "algorithm: expected sha256, sha512, sha3-256, blake2b512 or another name that algorithms() gives, "
      "not \"%s\"",
      algorithm);
}

bool hash_digest(const char *algorithm, const uint8_t *data, size_t length, buffer_t *hex, hash_progress_t progress,
                 void *ctx, failure_t *failure) {
  EVP_MD *digest = EVP_MD_fetch(NULL, algorithm, NULL);
  EVP_MD_CTX *state = EVP_MD_CTX_new();
  uint8_t result[EVP_MAX_MD_SIZE];
  unsigned result_length = 0;
  bool good = true;
  if (digest == NULL || state == NULL || !EVP_DigestInit_ex2(state, digest, NULL)) {
    good = openssl_failure(failure, "EVP_DigestInit_ex2");
  }
  for (size_t at = 0; good && at < length;) {
    size_t chunk = length - at < CHUNK ? length - at : CHUNK;
    if (!EVP_DigestUpdate(state, data + at, chunk))
      good = openssl_failure(failure, "EVP_DigestUpdate");
    at += chunk;
    if (good && !progress(ctx, at, length))
      good = failure_cancelled(failure);
  }
  if (good && !EVP_DigestFinal_ex(state, result, &result_length)) {
    good = openssl_failure(failure, "EVP_DigestFinal_ex");
  }
  EVP_MD_CTX_free(state);
  EVP_MD_free(digest);
  return good && append_hex(hex, result, result_length, failure);
}

bool hash_hmac(const char *algorithm, const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
               buffer_t *hex, hash_progress_t progress, void *ctx, failure_t *failure) {
  EVP_MAC *hmac = EVP_MAC_fetch(NULL, OSSL_MAC_NAME_HMAC, NULL);
  EVP_MAC_CTX *state = hmac == NULL ? NULL : EVP_MAC_CTX_new(hmac);
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)(uintptr_t)algorithm, 0),
      OSSL_PARAM_construct_end(),
  };
  uint8_t result[EVP_MAX_MD_SIZE];
  size_t result_length = 0;
  bool good = true;
  if (state == NULL || !EVP_MAC_init(state, key, key_length, parameters)) {
    good = openssl_failure(failure, "EVP_MAC_init");
  }
  for (size_t at = 0; good && at < length;) {
    size_t chunk = length - at < CHUNK ? length - at : CHUNK;
    if (!EVP_MAC_update(state, data + at, chunk))
      good = openssl_failure(failure, "EVP_MAC_update");
    at += chunk;
    if (good && !progress(ctx, at, length))
      good = failure_cancelled(failure);
  }
  if (good && !EVP_MAC_final(state, result, &result_length, sizeof result)) {
    good = openssl_failure(failure, "EVP_MAC_final");
  }
  EVP_MAC_CTX_free(state);
  EVP_MAC_free(hmac);
  return good && append_hex(hex, result, result_length, failure);
}

enum { MOST_ALGORITHMS = 128, LONGEST_NAME = 32 };

typedef struct names {
  size_t count;
  char list[MOST_ALGORITHMS][LONGEST_NAME];
} names_t;

/* Keeps the shortest of a digest's names, which is the common one. Names with a dot are object identifiers. */
static void keep_shorter(const char *name, void *pointer) {
  char *kept = pointer;
  size_t length = strlen(name);
  if (strchr(name, '.') != NULL || length >= LONGEST_NAME)
    return;
  if (kept[0] != '\0' && strlen(kept) <= length)
    return;
  for (size_t i = 0; i <= length; i++)
    kept[i] = (char)tolower((unsigned char)name[i]);
}

static void add_name(EVP_MD *digest, void *pointer) {
  names_t *names = pointer;
  if (names->count == MOST_ALGORITHMS || !has_a_length(digest))
    return;
  char *name = names->list[names->count];
  name[0] = '\0';
  if (EVP_MD_names_do_all(digest, keep_shorter, name) && name[0] != '\0')
    names->count++;
}

static int compare_names(const void *left, const void *right) {
  return strcmp(left, right);
}

bool hash_algorithms(buffer_t *out) {
  names_t names = {0};
  EVP_MD_do_all_provided(NULL, add_name, &names);
  qsort(names.list, names.count, sizeof *names.list, compare_names);
  bool good = true;
  for (size_t i = 0; good && i < names.count; i++) {
    good = buffer_append_text(out, names.list[i]) && buffer_append_text(out, "\n");
  }
  return good;
}
