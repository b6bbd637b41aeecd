/* SHA-256 by its own functions, which are smaller; signatures of Ed25519 by EVP, the only way to them. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
