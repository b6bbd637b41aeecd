/* SHA-256 by its own functions: EVP would bring 3.7 MB of providers. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
