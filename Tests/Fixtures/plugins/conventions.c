/* The ways in which C libraries report failures and give away memory: message functions, GError, arrays that end with
 * NULL, memory whose length comes in another parameter. */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <stdio.h>

struct GError {
  uint32_t domain;
  int32_t code;
  char *message;
};

struct store {
  struct store *parent;
  char said[64];
};

static int freed;

/* Functions that the library exports besides the plugin's entry. */
uint32_t is_error(size_t result);
bool is_bad(int32_t result);
int32_t has_failed(struct store *store);
const char *error_name(size_t result);
void error_free(struct GError *error);
void list_free(char **list);
void memory_free(void *memory);
const char *code_text(int32_t code);
const char *store_text(struct store *store);
struct store *store_parent(struct store *store);
const char *last_text(void);
const char *no_text(void);
const char *detail_text(const char *key, uint8_t small, int64_t wide, int32_t result);
void store_free(struct store *store);

void error_free(struct GError *error) {
  free(error->message);
  free(error);
  freed++;
}

void list_free(char **list) {
  for (char **item = list; *item; item++)
    free(*item);
  free(list);
  freed++;
}

void memory_free(void *memory) {
  free(memory);
  freed++;
}

const char *code_text(int32_t code) {
  errno = 99;
  return code == 2 ? "two is too many" : code == 7 ? "seven, negated" : "another code";
}

const char *store_text(struct store *store) {
  return store->said;
}

struct store *store_parent(struct store *store) {
  return store->parent;
}

const char *last_text(void) {
  return "the last mistake";
}

const char *no_text(void) {
  return NULL;
}

const char *detail_text(const char *key, uint8_t small, int64_t wide, int32_t result) {
  static char text[128];
  snprintf(text, sizeof text, "%s %u %lld %d", key, small, (long long)wide, result);
  return text;
}

void store_free(struct store *store) {
  /* The text of a message that is read only after this call. */
  strcpy(store->said, "freed");
  free(store);
}

static int32_t code(int32_t code) {
  errno = 5;
  return code;
}

/* As ZSTD_isError(): errors are at the end of the numbers. */
uint32_t is_error(size_t result) {
  errno = 77;
  return result > (size_t)-120;
}

/* The bits of the register beyond the bool are the caller's to ignore. */
bool is_bad(int32_t result) {
  return result > 5;
}

int32_t has_failed(struct store *store) {
  return store->said[0] == 'b';
}

const char *error_name(size_t result) {
  return result == (size_t)-70 ? "destination buffer is too small" : "";
}

static size_t sized(int64_t result) {
  return (size_t)result;
}

static struct store *fill_store(const char *said, struct store **store) {
  *store = calloc(1, sizeof **store);
  snprintf((*store)->said, sizeof(*store)->said, "%s", said);
  return *store;
}

static int32_t open_store(int32_t code, struct store **store) {
  static struct store root = {NULL, "the parent's text"};
  *store = calloc(1, sizeof **store);
  (*store)->parent = &root;
  snprintf((*store)->said, sizeof(*store)->said, "code %d of this store", code);
  return code;
}

static const char *find(const char *text) {
  return *text ? text : NULL;
}

static int32_t detailed(const char *key, uint8_t small, int64_t wide) {
  (void)key, (void)small, (void)wide;
  return -3;
}

static int32_t fails(int32_t code, struct GError **error) {
  if (code == 0)
    return 1;
  *error = calloc(1, sizeof **error);
  (*error)->domain = 3;
  (*error)->code = code;
  (*error)->message = strdup(code == 1 ? "" : "something of the library's");
  return 0;
}

static char **words(const char *text) {
  char **list = calloc(64, sizeof *list);
  char *copy = strdup(text), *rest = copy;
  for (int i = 0; i < 63 && (list[i] = strsep(&rest, " ")); i++)
    list[i] = strdup(list[i]);
  free(copy);
  return list;
}

static void split(const char *text, char ***list) {
  *list = *text ? words(text) : NULL;
}

static const char *const *fixed(void) {
  static const char *const list[] = {"a", "b", NULL};
  return list;
}

static int32_t sum(const int16_t *numbers) {
  int32_t sum = 0;
  while (*numbers)
    sum += *numbers++;
  return sum;
}

/* Returns whether every length is 0, and every array begins with the 0 that ends it. */
static bool ended(const char *text, size_t n, const uint8_t *data, size_t m, const double *numbers, int32_t count) {
  return n + m + (size_t)count == 0 && text[0] == 0 && data[0] == 0 && numbers[0] == 0;
}

/* Returns the sum. One integer register is left when x is passed. */
static long double wide(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, double f, long double x, int64_t g) {
  return a + b + c + d + e + f + x + g;
}

typedef struct {
  int32_t times;
  long double number;
} scaled_t;

static scaled_t scale(scaled_t scaled, const long double *by, int32_t count, long double *sum) {
  *sum = 0;
  for (int32_t i = 0; i < count; i++)
    *sum += by[i];
  return (scaled_t){scaled.times + 1, scaled.number * *sum};
}

typedef struct {
  struct {
    long double number[1];
  } inner;
} alone_t;

static alone_t alone(long double x) {
  return (alone_t){{{x * 2}}};
}

static long double apply(long double (*f)(int32_t, long double), long double x) {
  return f(3, x) + 1;
}

static int32_t join(const char *const *list, const char *const *more) {
  int32_t length = more ? 100 : 0;
  for (; *list; list++)
    length += (int32_t)strlen(*list);
  return length;
}

static uint8_t *digest(uint8_t fill, size_t *length) {
  if (fill == 0)
    return NULL;
  *length = fill;
  return memset(malloc(fill), fill, fill);
}

static int32_t pack(const uint8_t *data, size_t size, uint8_t **packed, uint32_t *length) {
  *packed = malloc(size + 1);
  memcpy(*packed, data, size);
  *length = (uint32_t)size;
  return 0;
}

static const double *row(int32_t *count) {
  static const double numbers[] = {0.5, 1.5};
  *count = 2;
  return numbers;
}

static char *named(int64_t *length) {
  *length = -1;
  return strdup("lost");
}

static char **listed(uint16_t *count) {
  char **list = words("x y");
  *count = 2;
  return list;
}

static int32_t count_freed(void) {
  return freed;
}

/* A list of texts that ends with NULL, in a struct. */
struct listing {
  const char *const *all;
  int32_t count;
};
static struct listing listing(struct listing given) {
  static const char *const texts[] = {"x", "yz", "", NULL};
  int32_t length = 0;
  for (const char *const *text = given.all; text != NULL && *text != NULL; text++)
    length += (int32_t)strlen(*text) + given.count;
  return (struct listing){length == 0 ? NULL : texts, length};
}
static void list_by_address(const struct listing *given, struct listing *found) {
  *found = listing(*given);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("listing(given: {all: &[cstr; 0], count: i32}) -> {all: &[cstr; 0], count: i32}", listing),
    FUNCTION("list_by_address(given: &{all: &[cstr; 0]?, count: i32}, found: out {all: &[cstr; 0]?, count: i32})",
             list_by_address),
    FUNCTION("code(code: i32) -> i32 ! nonzero message code_text", code),
    FUNCTION("negative(code: i32) -> i32 ! negative message code_text(-result)", code),
    FUNCTION("errno_code(code: i32) -> i32 ! errno message code_text(code)", code),
    FUNCTION("step(code: i32) -> i32 ! unless 0 or 100 or -2 message code_text(result)", code),
    FUNCTION("sized(result: i64) -> usize ! if is_error message error_name", sized),
    FUNCTION("judged(code: i32) -> i32 ! if is_bad(result) -> bool message code_text(code)", code),
    FUNCTION("doubted(code: i32) -> i32 ! if is_error(code)", code),
    FUNCTION("fill_store(said: cstr, store: out own(store_free) ptr<store>?) -> ptr<store>? "
             "! if has_failed(store) message store_text(store)",
             fill_store),
    FUNCTION("silent(code: i32) -> i32 ! nonzero message no_text()", code),
    FUNCTION("open_store(code: i32, store: out own(store_free) ptr<store>?) -> i32 ! nonzero message store_text(store)",
             open_store),
    FUNCTION("nested(code: i32, store: out own(store_free) ptr<store>?) -> i32 ! nonzero message "
             "store_text(store_parent(store))",
             open_store),
    FUNCTION("find(text: cstr) -> cstr ! null message last_text", find),
    FUNCTION("detailed(key: cstr, small: u8, wide: i64) -> i32 ! negative message detail_text(key, small, wide, "
             "result)",
             detailed),
    FUNCTION("fails(code: i32) -> i32 ! gerror(error_free)", fails),
    FUNCTION("words(text: cstr) -> own(list_free) &[cstr; 0]", words),
    FUNCTION("split(text: cstr, list: out own(list_free) &[cstr; 0]?)", split),
    FUNCTION("fixed() -> &[cstr; 0]", fixed),
    FUNCTION("sum(numbers: &[i16; 0]) -> i32", sum),
    FUNCTION("ended(text: str[n], n: usize, data: bytes[m], m: usize, numbers: &[f64; count], count: i32) -> bool",
             ended),
    FUNCTION("wide(a: i64, b: i64, c: i64, d: i64, e: i64, f: f64, x: f64x, g: i64) -> f64x", wide),
    FUNCTION("scale(scaled: {times: i32, number: f64x}, by: &[f64x; count], count: i32, sum: out f64x) "
             "-> {times: i32, number: f64x}",
             scale),
    FUNCTION("alone(x: f64x) -> {inner: {number: [f64x; 1]}}", alone),
    FUNCTION("apply(f: fn(i32, f64x) -> f64x, x: f64x) -> f64x", apply),
    FUNCTION("join(list: &[cstr; 0], more: &[cstr; 0]? = null) -> i32", join),
    FUNCTION("digest(fill: u8, length: out usize) -> own(memory_free) bytes[length]?", digest),
    FUNCTION("pack(data: bytes[size], size: usize, packed: out own(memory_free) str[length], length: out u32) -> i32 "
             "! nonzero",
             pack),
    FUNCTION("row(count: out i32) -> &[f64; count]", row),
    FUNCTION("named(length: out i64) -> own(memory_free) str[length]", named),
    FUNCTION("listed(count: out u16) -> own(list_free) &[cstr; count]", listed),
    FUNCTION("count_freed() -> i32", count_freed),
};

PLUGIN("test.conventions", .required = NULL)
