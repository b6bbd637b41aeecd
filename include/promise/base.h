/* promise/base.h - macros for compilers: nullability, visibility, linkage. No types, no functions. */
#ifndef PROMISE_BASE_H
#define PROMISE_BASE_H

/* Nullability of pointers, for clang and for Swift; elsewhere it is for readers. */
#if defined(__clang__)
#define PROMISE_NULLABLE _Nullable
#define PROMISE_NONNULL _Nonnull
#define PROMISE_BEGIN_NULLABILITY                                                                                      \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wnullability-extension\"")
#define PROMISE_END_NULLABILITY _Pragma("clang diagnostic pop")
#else
#define PROMISE_NULLABLE
#define PROMISE_NONNULL
#define PROMISE_BEGIN_NULLABILITY
#define PROMISE_END_NULLABILITY
#endif

/* A function of the library, or one that a plugin exports. */
#if defined(__GNUC__) && !defined(__TINYC__)
#define PROMISE_API __attribute__((visibility("default")))
#else
#define PROMISE_API
#endif

/* A function whose result is a new reference: not using it is a leak, and a warning where the compiler has one. */
#if defined(__cplusplus)
/* GCC would warn of its own attribute where a function's type is a template's argument. */
#if __cplusplus >= 201703L
#define PROMISE_NODISCARD [[nodiscard]]
#else
#define PROMISE_NODISCARD
#endif
#elif defined(__GNUC__) && !defined(__TINYC__)
#define PROMISE_NODISCARD __attribute__((warn_unused_result))
#else
#define PROMISE_NODISCARD
#endif

#if defined(__cplusplus)
#define PROMISE_BEGIN_DECLS                                                                                            \
  extern "C" {                                                                                                         \
  PROMISE_BEGIN_NULLABILITY
#define PROMISE_END_DECLS                                                                                              \
  PROMISE_END_NULLABILITY                                                                                              \
  }
#else
#define PROMISE_BEGIN_DECLS PROMISE_BEGIN_NULLABILITY
#define PROMISE_END_DECLS PROMISE_END_NULLABILITY
#endif

#endif /* PROMISE_BASE_H */
