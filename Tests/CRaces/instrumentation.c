/* The entry points of the compiler's instrumentation for ThreadSanitizer, in place of its runtime. Plain accesses are
 * passed to the detector; atomic operations are performed, and reported by the scheduler, which knows their word. */
#include "races.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_RUNTIME /* ThreadSanitizer itself is linked */
#endif
#endif

#ifndef HAS_RUNTIME
#define HERE __builtin_return_address(0)
#define ACCESS(size)                                                                                                   \
  void __tsan_read##size(void *address) {                                                                              \
    races_access(address, size, false, HERE);                                                                          \
  }                                                                                                                    \
  void __tsan_write##size(void *address) {                                                                             \
    races_access(address, size, true, HERE);                                                                           \
  }                                                                                                                    \
  void __tsan_unaligned_read##size(void *address) {                                                                    \
    races_access(address, size, false, HERE);                                                                          \
  }                                                                                                                    \
  void __tsan_unaligned_write##size(void *address) {                                                                   \
    races_access(address, size, true, HERE);                                                                           \
  }                                                                                                                    \
  void __tsan_read_write##size(void *address) {                                                                        \
    races_access(address, size, true, HERE);                                                                           \
  }                                                                                                                    \
  void __tsan_unaligned_read_write##size(void *address) {                                                              \
    races_access(address, size, true, HERE);                                                                           \
  }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void *address, size_t size) {
  races_access(address, size, false, HERE);
}
void __tsan_write_range(void *address, size_t size) {
  races_access(address, size, true, HERE);
}
void *__tsan_memcpy(void *to, const void *from, size_t size) {
  races_access(from, size, false, HERE);
  races_access(to, size, true, HERE);
  return __builtin_memcpy(to, from, size);
}
void *__tsan_memmove(void *to, const void *from, size_t size) {
  races_access(from, size, false, HERE);
  races_access(to, size, true, HERE);
  return __builtin_memmove(to, from, size);
}
void *__tsan_memset(void *to, int byte, size_t size) {
  races_access(to, size, true, HERE);
  return __builtin_memset(to, byte, size);
}

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) {
  (void)caller;
}
void __tsan_func_exit(void) {}
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}
void __tsan_vptr_update(void **address, void *value) {
  (void)address, (void)value;
}
void __tsan_vptr_read(void **address) {
  (void)address;
}
void *__tsan_external_register_tag(const char *name) {
  (void)name;
  return NULL;
}
void __tsan_external_assign_tag(void *address, void *tag) {
  (void)address, (void)tag;
}
void __tsan_external_read(void *address, void *caller, void *tag) {
  (void)address, (void)caller, (void)tag;
}
void __tsan_external_write(void *address, void *caller, void *tag) {
  (void)address, (void)caller, (void)tag;
}

/* One thread runs at a time: any memory order is strong enough. */
#define FETCH(bits, type, name, builtin)                                                                               \
  type __tsan_atomic##bits##_##name(volatile type *word, type operand, int order) {                                    \
    (void)order;                                                                                                       \
    return builtin(word, operand, __ATOMIC_SEQ_CST);                                                                   \
  }
#define ATOMIC(bits, type)                                                                                             \
  type __tsan_atomic##bits##_load(const volatile type *word, int order) {                                              \
    (void)order;                                                                                                       \
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);                                                                    \
  }                                                                                                                    \
  void __tsan_atomic##bits##_store(volatile type *word, type value, int order) {                                       \
    (void)order;                                                                                                       \
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);                                                                   \
  }                                                                                                                    \
  FETCH(bits, type, exchange, __atomic_exchange_n)                                                                     \
  FETCH(bits, type, fetch_add, __atomic_fetch_add)                                                                     \
  FETCH(bits, type, fetch_sub, __atomic_fetch_sub)                                                                     \
  FETCH(bits, type, fetch_and, __atomic_fetch_and)                                                                     \
  FETCH(bits, type, fetch_or, __atomic_fetch_or)                                                                       \
  FETCH(bits, type, fetch_xor, __atomic_fetch_xor)                                                                     \
  FETCH(bits, type, fetch_nand, __atomic_fetch_nand)                                                                   \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *word, type expected, type desired, int order,         \
                                                  int failure) {                                                       \
    (void)order, (void)failure;                                                                                        \
    __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                  \
    return expected;                                                                                                   \
  }
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order) {
  (void)order;
}
#endif
