/* shapes.h - what a header may hold: a function for each rule by which it is read, and for each by which it is not. */
#ifndef SHAPES_H
#define SHAPES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct point {
  double x, y;
} point_t;
typedef struct {
  int32_t left, right;
  unsigned char tag[4];
} pair_t;
typedef struct shape shape_t;
typedef enum { SHAPE_NONE = -1, SHAPE_ROUND } kind_t;
enum side { SHAPE_LEFT, SHAPE_RIGHT };
typedef unsigned char id_t16[16];
typedef int (*visit_t)(void *ctx, const point_t *point);
union number {
  int i;
  float f;
};
struct flags {
  unsigned a : 3, b : 5;
};

/** Adds two numbers. The rest of this is not of interest. */
int shape_add(int a, int b);
/** The middle of a line. */
point_t shape_middle(point_t from, const point_t *to);
pair_t shape_pair(pair_t pair);
void shape_move(point_t *point, double by);
kind_t shape_kind(enum side side, char letter, _Bool strict, size_t size, int8_t small);
const char *shape_name(const shape_t *shape);
shape_t *shape_new(const char *name);
void shape_free(shape_t *shape);
uint32_t shape_sum(uint32_t seed, const unsigned char *data, size_t length);
double shape_mean(const double *values, int count);
int shape_write(void *dest, unsigned long *dest_len, const void *source, unsigned long source_len);
int shape_text(char *buffer, size_t size);
double shape_split(double value, int *whole);
int shape_open(const char *path, shape_t **shape);
void *shape_data(void *any);
int shape_renamed(int x) __asm__("shape_real_name");

int shape_format(const char *format, ...);
int shape_list(const char *format, va_list list);
void shape_each(shape_t *shape, visit_t visit, void *ctx);
union number shape_number(union number n);
struct flags shape_flags(void);
long double shape_long(long double x);
_Noreturn void shape_die(void);
void shape_copy(char *to, const char *from);
void shape_id(id_t16 id);
void shape_pipe(int ends[2]);
size_t shape_read(void *data, size_t size, size_t count, FILE *file);
double shape_first(const double *values);
int (*shape_callback(void))(int);
static inline int shape_inline(int x) {
  return x;
}
int shape_missing(void);

#endif
