/* callee.h - functions with negligible bodies, so that a measurement shows the cost of the call. */
#ifndef BENCHMARKS_CALLEE_H
#define BENCHMARKS_CALLEE_H

#include "promise_plugin.h"

typedef struct point {
  double x, y;
} point_t;

PROMISE_API int32_t add(int32_t left, int32_t right);
PROMISE_API uint64_t length_of(promise_str_t text);
PROMISE_API uint64_t size_of(promise_bytes_t data);
PROMISE_API point_t middle(point_t from, point_t to);
PROMISE_API int32_t apply(int32_t (*function)(int32_t), int32_t number);

#endif
