#define _GNU_SOURCE
#include <features.h>

#ifdef __GLIBC__
#include <pthread.h>
#include <signal.h>
#include <time.h>

/* glibc 2.32 and 2.34 moved these functions from libpthread into libc and gave them new versions, which older glibcs
 * lack. Every glibc still has the old versions; an old glibc has them in libpthread.so.0, which libpromise.so therefore
 * lists as needed. */
#if defined(__x86_64__)
#define SINCE(x86_64, others) x86_64
#else
#define SINCE(x86_64, others) others
#endif

#define OLD(function, version, parameters, arguments)                                                                  \
  extern int old_##function parameters;                                                                                \
  __asm__(".symver old_" #function "," #function "@GLIBC_" version);                                                   \
  __attribute__((visibility("hidden"))) int function parameters {                                                      \
    return old_##function arguments;                                                                                   \
  }

#if defined(__x86_64__) || defined(__aarch64__)
OLD(pthread_create, SINCE("2.2.5", "2.17"),
    (pthread_t * thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context),
    (thread, attributes, body, context))
OLD(pthread_mutex_trylock, SINCE("2.2.5", "2.17"), (pthread_mutex_t * mutex), (mutex))
OLD(pthread_once, SINCE("2.2.5", "2.17"), (pthread_once_t * once, void (*body)(void)), (once, body))
OLD(pthread_key_create, SINCE("2.2.5", "2.17"), (pthread_key_t * key, void (*destroy)(void *)), (key, destroy))
OLD(pthread_setspecific, SINCE("2.2.5", "2.17"), (pthread_key_t key, const void *value), (key, value))
OLD(pthread_condattr_setclock, SINCE("2.3.3", "2.17"), (pthread_condattr_t * attributes, clockid_t clock),
    (attributes, clock))
OLD(pthread_setname_np, SINCE("2.12", "2.17"), (pthread_t thread, const char *name), (thread, name))
OLD(pthread_sigmask, SINCE("2.2.5", "2.17"), (int how, const sigset_t *set, sigset_t *before), (how, set, before))
#endif
#endif
