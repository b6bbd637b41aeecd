/* Signatures of Ed25519, and base64. */
#include <sodium.h>
