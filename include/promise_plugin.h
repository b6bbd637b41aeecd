/* promise_plugin.h - the interface between a plugin and its host.
 *
 * A plugin is a shared library that exports one function, promise_plugin_entry(). It returns a constant descriptor: the
 * plugin's id, the versions of this ABI that it works with, and its functions. Each function is a C function with its
 * own natural prototype, and a line of text that describes the prototype:
 *
 *     static uint32_t crc(promise_bytes_t data, uint32_t seed) { ... }
 *     static const promise_plugin_function_t functions[] = {
 *       {"crc32(data: bytes, seed: u32 = 0) -> u32", (promise_function_t)crc, "The CRC-32 of some bytes."},
 *     };
 *
 * The host calls the function through that text, and every call returns a promise of the result, or of an ERROR.
 *
 * SIGNATURES
 *     name(parameter: [out | inout | keep | [out] moving] type [= default], ...) [-> type] [!]
 *
 *     type in the text                in C, as a parameter          in C, as the result
 *     bool                            bool                          bool
 *     i8 i16 i32 i64                  int8_t ... int64_t            the same
 *     u8 u16 u32 u64                  uint8_t ... uint64_t          the same
 *     f32 f64 f64x                    float, double, long double    the same
 *     usize isize                     size_t, ptrdiff_t             the same
 *     str                             promise_str_t (UTF-8)         promise_str_t, static in the plugin
 *     bytes                           promise_bytes_t               promise_bytes_t, static in the plugin
 *     cstr                            const char * (UTF-8, NUL)     const char *, static in the plugin
 *     own str, own bytes              the structs above; the callee calls host->deallocate on `data`;
 *                                                                   as the result: allocated with host->allocate
 *     ptr<Name>                       Name *, not NULL              the same
 *     own ptr<Name>                   an object that the callee releases
 *     own(f) ptr<Name>                                              Name *, which the host destroys with f(Name *)
 *     {x: f64, y: f64}                the struct, by value          the struct, by value
 *     [f64; 3]                        const double[3]               none, but a struct may have one in it
 *     {name: str[16]}                 struct { char name[16]; }: text and a NUL; also behind `out` and `inout`
 *     &[f64]                          struct { const double *data; size_t length; }, by value; static as the result
 *     &i32, &{x: f64}                 its address, not NULL         the same, static in the plugin
 *     {kind: u8, u: union(kind) {x: f64 = 1, s: cstr = 2}}
 *                                     struct { uint8_t kind; union { double x; const char *s; } u; }, behind an address
 *     T?                              T, where that has a NULL; for others the address of a T, or NULL
 *     bytes[n], str[n], &[f64; n]     the address; the parameter `n`, or in a struct the field `n`, is the count
 *     bytes[*], inout str[*]          the address of elements that nothing counts, with a 0 behind them
 *     keep cstr, keep bytes[n]        the same, valid until the objects of the call are destroyed
 *     moving bytes[n]                 the address of that address, which the function moves behind the bytes that it
 *                                     has read; `out moving`: that it has written
 *     s: at ptr<Name> {x: i32}        Name *, an object that begins with these fields, which are arguments of the call
 *     out T, inout T                  T *, which the function fills, or changes
 *     fn(i32) -> bool @call           bool (*)(int32_t), valid until the function returns; or @once, @settled, @forever
 *     fn(x: out i32, y: inout f64)    void (*)(int32_t *x, double *y), whose values the caller's closure sets
 *     fd                              int, lent: dup() to keep it   int, an open descriptor that the host takes over
 *     value, error                    const promise_value_t *       by out parameter: promise_value_t *result
 *     promise<T>                      promise_t *, borrowed         promise_t *, a reference that the host takes over
 *     promise<void>                                                 likewise; no `->` at all: void
 *
 *     `!` makes the C function return a promise_status_t, and adds out parameters at the end: first a pointer to the
 *     result, if there is one, then `promise_value_t *error`, a VOID that the function may fill. A negative status
 *     rejects the call's promise: with *error, or with an ERROR of domain "promise" and the status as code where it was
 *     left VOID:
 *
 *         inflate(data: bytes, limit: usize = 1048576) -> own bytes !
 *         promise_status_t f(promise_bytes_t data, size_t limit, promise_bytes_t *result, promise_value_t *error);
 *
 *     Borrowed arguments are valid until the function returns, and, where it returns a promise, until that promise is
 *     settled; if it was discarded, until the last reference to it is released. So a thread that works for the promise
 *     retains it while it reads the arguments. The `data` of a str or bytes is NULL only if its length is 0; a cstr is
 *     never NULL. T in promise<T> is a scalar, text, bytes, ptr<Name>, value, or a struct, an array or a slice of
 *     scalars: the promise settles with the kind BOOL, I64 (i8...i64), U64 (u8...u64, usize), F64 (f32, f64, f64x),
 *     STRING (str, cstr), BYTES (bytes, and structs and slices of scalars as C has them), POINTER (ptr<Name>) or VOID
 *     (void). A default is a literal of JSON: a number, true, false, null, a "string", [...] or {...}.
 *
 *     The whole language, with variadic tails, contexts of callbacks, promises that a callback settles, and rules for
 *     functions that were not written as plugins, is in docs/signatures.md.
 *
 *     `fn(T, ...) -> T @scope` is a pointer to a C function of that prototype. The plugin may call it on any thread
 *     until its scope ends: @call when the function returns, @once when it was called, @settled when the promise that
 *     the function returned is settled, @forever when unload() has returned. Its context is released then. The pointer
 *     stays callable: a later call is logged and returns zeros. No exception leaves a callback. `context` is a `void *`
 *     of the host, which the callback gets back.
 *
 * THREADS
 *   load() and unload() are called on one thread each, not at the same time as anything else of the plugin. Functions
 *   may be called on any thread, several at a time.
 *   A function returns on the thread of the call. If a C++ exception, pthread_exit() or longjmp() leaves it, the call
 *   is rejected; docs/plugins.md describes the details.
 */
#ifndef PROMISE_PLUGIN_H
#define PROMISE_PLUGIN_H

#include "promise.h"

PROMISE_BEGIN_DECLS

/* UTF-8 text of `length` bytes; not NUL-terminated. */
typedef struct promise_str {
  const char *PROMISE_NULLABLE data;
  size_t length;
} promise_str_t;

/* `length` bytes. */
typedef struct promise_bytes {
  const uint8_t *PROMISE_NULLABLE data;
  size_t length;
} promise_bytes_t;

/* A function of any prototype; cast it to the right one before it is called. */
typedef void (*promise_function_t)(void);

/* The importance of a line of the log. */
typedef int32_t promise_log_level_t;

enum { PROMISE_LOG_DEBUG = 1, PROMISE_LOG_INFO = 2, PROMISE_LOG_WARNING = 3, PROMISE_LOG_ERROR = 4 };

/* The functions of the host for a plugin. Fields are only added at the end: check `size` before you use one that your
 * PROMISE_ABI_VERSION does not have. The table is constant, and valid from load() until the process ends.
 * Every function takes the table itself first, and may be called on any thread. */
typedef struct promise_host {
  uint32_t size; /* of this struct, in the host */
  uint32_t abi;  /* the host's ABI version; at least the plugin's abi_min and at most its abi_max */

  /* Writes a line to the host's log, under the plugin's id. `message` is UTF-8 and copied.
   * [any thread] */
  void (*PROMISE_NONNULL log)(const struct promise_host *PROMISE_NONNULL host, promise_log_level_t level,
                              const char *PROMISE_NONNULL message);

  /* Reports the progress of the work for `promise`: `fraction` from 0 to 1, or negative if unknown; `message` may be
   * NULL and is copied. `promise` is one that a function of the plugin returned or will return; for any other the call
   * is ignored. Before the return, the newest 64 reports of a promise are kept, and those of 1,024 promises.
   * [any thread] */
  void (*PROMISE_NONNULL progress)(const struct promise_host *PROMISE_NONNULL host, promise_t *PROMISE_NULLABLE promise,
                                   double fraction, const char *PROMISE_NULLABLE message);

  /* Calls a function of another loaded plugin, by the ids of both.
   *   arguments   borrowed, in the order of the function's parameters: BOOL, I64, U64 and F64 for scalars (an integer
   *               that does not fit is an error), STRING for str and cstr, BYTES for bytes, PROMISE for promise<T>,
   *               POINTER for ptr<T> and callbacks, VOID for a nullable one, MAP for a struct; for one without
   *               addresses also the BYTES of its C form, or a POINTER to them. Memory behind a POINTER is used
   *               unchecked: a wrong address ends the process. Trailing ones that have a default may be left out.
   * Returns a new reference to the promise of the result; a call that is wrong rejects it.
   * NULL: no memory is left.
   * [any thread] */
  promise_t *PROMISE_NULLABLE (*PROMISE_NONNULL call)(const struct promise_host *PROMISE_NONNULL host,
                                                      const char *PROMISE_NONNULL plugin,
                                                      const char *PROMISE_NONNULL function,
                                                      const promise_value_t *PROMISE_NULLABLE arguments, size_t count);

  /* Allocates memory for `own` results and arguments.
   * Returns the memory, aligned for any type; NULL if none is left, or if `size` is 0.
   * Its new owner frees it by deallocate().
   * [any thread] */
  void *PROMISE_NULLABLE (*PROMISE_NONNULL allocate)(const struct promise_host *PROMISE_NONNULL host, size_t size);

  /* Frees memory of allocate(); NULL is allowed.
   * [any thread] */
  void (*PROMISE_NONNULL deallocate)(const struct promise_host *PROMISE_NONNULL host, void *PROMISE_NULLABLE memory);

  /* Looks up the value that the host's user has set for `key` of this plugin.
   * Returns the value, borrowed: valid until unload() returns; NULL if none is set.
   * [any thread] */
  const char *PROMISE_NULLABLE (*PROMISE_NONNULL configuration)(const struct promise_host *PROMISE_NONNULL host,
                                                                const char *PROMISE_NONNULL key);

  /* Looks up a function of promise.h by its name, "promise_then": for a plugin that does not link the library.
   * Returns the function, valid until the process ends; NULL if the host has none of that name.
   * [any thread] */
  promise_function_t PROMISE_NULLABLE (*PROMISE_NONNULL function)(const struct promise_host *PROMISE_NONNULL host,
                                                                  const char *PROMISE_NONNULL name);
} promise_host_t;

/* One function of a plugin. */
typedef struct promise_plugin_function {
  const char *PROMISE_NONNULL signature;    /* see SIGNATURES */
  promise_function_t PROMISE_NONNULL entry; /* the C function */
  const char *PROMISE_NULLABLE description; /* one line for people */
} promise_plugin_function_t;

/* The place and size that the plugin's compiler gave a struct of a signature, or one field of it. `path` is
 * "function.parameter" or "function.result", and ".field" after it for every struct that it lies in:
 * "centroid.points.x". Slices, arrays and optionals have no name in a path: it continues with their elements. */
typedef struct promise_layout {
  const char *PROMISE_NONNULL path;
  size_t offset; /* of the field in its struct; PROMISE_LAYOUT_WHOLE for a whole struct */
  size_t size;   /* of the field, or of the struct */
} promise_layout_t;

/* The rows for a struct and up to 16 of its fields, by their names, which are those of the signature:
 *
 *     struct point { double x, y; };
 *     static const promise_layout_t layouts[] = {
 *       PROMISE_LAYOUT("centroid.points", struct point, x, y),
 *       PROMISE_LAYOUT("centroid.result", struct point, x, y),
 *     };
 *
 * A struct in a struct has rows of its own: PROMISE_LAYOUT("draw.box.corner", struct point, x, y). */
#define PROMISE_LAYOUT_WHOLE ((size_t)-1)
#define PROMISE_LAYOUT(path, type, ...)                                                                                \
  {path, PROMISE_LAYOUT_WHOLE, sizeof(type)}, PROMISE_LAYOUT_PICK(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, \
                                                                  5, 4, 3, 2, 1, 0)(path, type, __VA_ARGS__)

/* Parts of PROMISE_LAYOUT. */
#define PROMISE_LAYOUT_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) PROMISE_LAYOUT_##count
#define PROMISE_LAYOUT_1(p, t, f)                                                                                      \
  { p "." #f, offsetof(t, f), sizeof(((t *)0)->f) }
#define PROMISE_LAYOUT_2(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_1(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_3(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_2(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_4(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_3(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_5(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_4(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_6(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_5(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_7(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_6(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_8(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_7(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_9(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_8(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_10(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_9(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_11(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_10(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_12(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_11(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_13(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_12(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_14(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_13(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_15(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_14(p, t, __VA_ARGS__)
#define PROMISE_LAYOUT_16(p, t, f, ...) PROMISE_LAYOUT_1(p, t, f), PROMISE_LAYOUT_15(p, t, __VA_ARGS__)

/* The functions of promise_plugin_t that the host calls; see there. */
typedef promise_status_t (*promise_plugin_load_t)(const promise_host_t *PROMISE_NONNULL host,
                                                  promise_value_t *PROMISE_NONNULL error);
typedef void (*promise_plugin_unload_t)(void);

/* The descriptor that promise_plugin_entry() returns. Everything that it points to is constant, UTF-8, and valid as
 * long as the plugin is loaded. */
typedef struct promise_plugin {
  uint32_t size;                            /* sizeof(promise_plugin_t) */
  uint32_t abi_min;                         /* the oldest host ABI that the plugin works with; at least 1 */
  uint32_t abi_max;                         /* the newest; PROMISE_ABI_VERSION of the header it was built with */
  uint32_t function_size;                   /* sizeof(promise_plugin_function_t) */
  const char *PROMISE_NONNULL id;           /* unique: "org.example.digest"; letters, digits, '.', '-' and '_' */
  const char *PROMISE_NONNULL version;      /* of the plugin: "1.4.0" */
  const char *PROMISE_NULLABLE description; /* one line for people */
  const char *PROMISE_NULLABLE const *PROMISE_NULLABLE
      required; /* ids of plugins that it calls, ended by NULL; or NULL */

  /* Called once before anything else of the plugin, after the plugins that it requires were loaded; may be NULL. Keep
   * `host`. A negative status refuses the load; `*error` may be filled with the reason.
   * [one thread] */
  promise_plugin_load_t PROMISE_NULLABLE load;

  /* Called once after the last call, when every promise that the plugin returned is settled or abandoned; may be NULL.
   * At the host's deadline the host discards those that are still pending. If a function, a destructor or a discard
   * block of the plugin does not return in time, this is not called. Threads of the plugin must have ended when it
   * returns. The code stays mapped.
   * [one thread] */
  promise_plugin_unload_t PROMISE_NULLABLE unload;

  const promise_plugin_function_t *PROMISE_NULLABLE functions;
  size_t function_count;

  /* The layout of the signatures' structs, by the plugin's compiler: see PROMISE_LAYOUT. Before any call the host
   * compares it with its own, and refuses to load the plugin if they differ. May be NULL. */
  const promise_layout_t *PROMISE_NULLABLE layouts;
  size_t layout_count;
} promise_plugin_t;

/* Returns the descriptor of the plugin: the one symbol that each plugin exports; f of own(f) and of message f is
 * exported too. It must have no other effect (start no thread, open no file), because the host also calls it to list a
 * plugin that it does not load. The host refuses a plugin whose range [abi_min, abi_max] does not hold its version.
 *   host_abi   the ABI version of the host
 * Returns the descriptor, constant and valid as long as the plugin is loaded; NULL if the plugin cannot work with
 * `host_abi`.
 * A language whose own declaration of it has no `const`, as cgo's, defines PROMISE_PLUGIN_NO_ENTRY before it includes
 * this header, which then leaves the declaration out.
 * [any thread] */
#if !defined(PROMISE_PLUGIN_NO_ENTRY)
PROMISE_API const promise_plugin_t *PROMISE_NULLABLE promise_plugin_entry(uint32_t host_abi);
#endif

PROMISE_END_DECLS

#endif /* PROMISE_PLUGIN_H */
