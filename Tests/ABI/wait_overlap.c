/* Waits that end at the worst moment: after the waiter's last check, before the kernel lets it sleep. The program
 * replaces syscall(), and makes the ending call there, on the same thread, so that no race has to be won. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "queues.h"
#include "support.h"

/* Constants of linux/futex.h, which musl-gcc does not find. */
enum { FUTEX_WAIT_BITSET = 9, FUTEX_CMD_MASK = 127 };

static long (*system_call)(long, ...);
static _Thread_local void (*ending_call)(void); /* NULL: no call is due */

__attribute__((constructor)) static void find_system_call(void) {
  *(void **)&system_call = dlsym(RTLD_NEXT, "syscall");
}

long syscall(long number, ...) {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    arguments[i] = va_arg(list, long);
  va_end(list);
  if (system_call == NULL)
    find_system_call();
  void (*call)(void) = ending_call;
  if (call != NULL && number == SYS_futex && (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET) {
    ending_call = NULL;
    call();
  }
  return system_call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

/* Returns whether the ending call was made, because the waiter was about to sleep. */
static bool has_ended(void) {
  bool was_made = ending_call == NULL;
  ending_call = NULL;
  return was_made;
}

static promise_t *promises[3];

static void settles_the_second(void) {
  CHECK_STATUS(promise_resolve(promises[1], I64(2)), PROMISE_OK);
}

static void make_promises(void) {
  for (int i = 0; i < 3; i++)
    promises[i] = promise_new();
  ending_call = settles_the_second;
}

static void release_promises(void) {
  CHECK(has_ended());
  RELEASE_EACH(promises, 3);
}

TEST(a_wait_sees_its_settlement) {
  make_promises();
  CHECK_STATUS(promise_wait(promises[1], FOR_EVER), PROMISE_OK);
  release_promises();
}

TEST(a_wait_for_any_sees_its_settlement) {
  size_t index = 3;
  make_promises();
  CHECK_STATUS(promise_wait_any(promises, 3, FOR_EVER, &index), PROMISE_OK);
  CHECK_INT(index, 1);
  release_promises();
}

TEST(a_take_sees_its_event) {
  promise_queue_t *queue = promise_queue_new();
  make_promises();
  CHECK_STATUS(promise_queue_watch(queue, promises[1], 7), PROMISE_OK);
  CHECK_INT(take(queue, FOR_EVER), 1);
  CHECK_EVENT(0, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 7);
  release_promises();
  promise_queue_free(queue);
}

static promise_queue_t *freed;

static void frees_the_queue(void) {
  CHECK_STATUS(promise_queue_free(freed), PROMISE_OK);
}

TEST(a_take_sees_the_end_of_its_queue) {
  freed = promise_queue_new();
  CHECK_STATUS(promise_queue_retain(freed), PROMISE_OK);
  ending_call = frees_the_queue;
  CHECK_STATUS(take(freed, FOR_EVER), PROMISE_ECLOSED);
  CHECK(has_ended());
  CHECK_STATUS(promise_queue_release(freed), PROMISE_OK);
}
