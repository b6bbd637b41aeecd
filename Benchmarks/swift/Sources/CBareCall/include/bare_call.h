/* bare_call.h - what the calls of callee.h cost at least: through libffi, with its interface prepared once and the arguments
   where they have to be, and called by their addresses as C does. */
#ifndef BENCHMARKS_BARE_CALL_H
#define BENCHMARKS_BARE_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* Which function. */
typedef enum { BARE_INT, BARE_TEXT, BARE_STRUCT, BARE_CALLBACK } bare_function_t;

/* Which way to it. */
typedef enum { BARE_DIRECT, BARE_FFI } bare_way_t;

/* Finds the functions in the library at `path`. Before anything else here, once. */
bool bare_open(const char *path);

/* Calls a function `count` times, and returns the sum of the results. */
double bare_calls(bare_function_t function, bare_way_t way, long count);

#endif
