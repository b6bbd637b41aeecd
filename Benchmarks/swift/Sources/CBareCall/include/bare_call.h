/* bare_call.h - the least cost of calls of callee.h: through libffi, with a prepared interface and the arguments in
   place, and directly by address as in C. */
#ifndef BENCHMARKS_BARE_CALL_H
#define BENCHMARKS_BARE_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* The called function. */
typedef enum { BARE_INT, BARE_TEXT, BARE_STRUCT, BARE_CALLBACK } bare_function_t;

/* The kind of call. */
typedef enum { BARE_DIRECT, BARE_FFI } bare_way_t;

/* Finds the functions in the library at `path`. Call it once, before the other functions here. */
bool bare_open(const char *path);

/* Calls a function `count` times, and returns the sum of the results. */
double bare_calls(bare_function_t function, bare_way_t way, long count);

#endif
