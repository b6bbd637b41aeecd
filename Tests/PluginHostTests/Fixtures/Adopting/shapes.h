/* shapes.h - declarations that a header may have: a function for each rule by which it is read, and for each by which
 * it is not. */
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
/* An object of the library's, although its fields are there to be seen. */
typedef struct counted {
  int kind;
  size_t references;
} counted_t;
/* Data goes on behind it. */
typedef struct {
  uint32_t length, color;
} packet_t;
/* Handles without a type of their own. */
typedef void SESSION;
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
int shape_find(shape_t *from, shape_t **found /* OUT: the shape */);
int shape_errors(shape_t *from, int *errors);
/** Looks one up.
 * @param[out] other the other one
 * @param path where, or NULL
 */
int shape_lookup(const char *path, shape_t **other);
void *shape_data(void *any);
int shape_renamed(int x) __asm__("shape_real_name");

int shape_format(const char *format, ...);
int shape_list(const char *format, va_list list);
int shape_vformat(const char *format, va_list list);
int shape_format_va(const char *format, va_list list);
void shape_answers(void (*answer)(const char *format, va_list list));
void shape_each(shape_t *shape, visit_t visit, void *ctx);
union number shape_number(union number n);
struct flags shape_flags(void);
long double shape_long(long double x);
_Noreturn void shape_die(void);
void shape_copy(char *to, const char *from);
void shape_id(id_t16 id);
void shape_pipe(int ends[2]);
void shape_digest(const uint8_t key[16], uint8_t digest[static 32]);
unsigned char *shape_hash(const void *data, size_t length, unsigned char *md);
int shape_status(shape_t *shape, uint8_t *state);
int shape_flag(shape_t *shape, _Bool *flag);
int shape_letter(shape_t *shape, wchar_t *letter);
int shape_keep(shape_t *shape, shape_t **slot);
int shape_arguments(int argc, char **argv);
counted_t *counted_new(const char *encoding);
void counted_release(counted_t *counted);
int counted_open(const char *path, counted_t **counted /* OUT: the caller's */);
counted_t *counted_next(counted_t *counted);
/** Goes on.
 * @param[in, out] place where to, and then where it is
 */
int shape_advance(int *place);
int packet_send(const packet_t *packet);
int points_fill(point_t *points, int n);
int points_sort(point_t *points);
int session_receive(SESSION *session, void *buffer, size_t buflen, size_t *n);
int session_send(SESSION *session, const void *data, size_t length);
int shape_encode(unsigned char *to, const unsigned char *from, size_t length);
int shape_setbuffer(shape_t *shape, char *buffer, size_t size);
int shape_measure(shape_t *shape, double *v, int *width);
int shape_units(shape_t *shape, uint16_t *text, int textCapacity);
size_t shape_read(void *data, size_t size, size_t count, FILE *file);
double shape_first(const double *values);
int (*shape_callback(void))(int);
static inline int shape_inline(int x) {
  return x;
}
int shape_missing(void);

#endif
