/* bare_call.h - what a call through libffi costs at least: its interface prepared once, its arguments where they have to be. */
#ifndef BENCHMARKS_BARE_CALL_H
#define BENCHMARKS_BARE_CALL_H

#include <stdint.h>

/* Calls an int32_t (int32_t, int32_t) `count` times, and returns the sum of the results. */
int64_t bare_calls(long count);

/* The same with a uint64_t (struct of a pointer and a length). */
int64_t bare_text_calls(long count);

/* The same with a struct of three doubles from two such structs; the sum is that of the first of the results. */
double bare_struct_calls(long count);

#endif
