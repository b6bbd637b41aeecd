/* The functions for one digest alone: the newer ones bring all of libcrypto with them. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
