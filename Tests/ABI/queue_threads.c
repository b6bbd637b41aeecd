/* Completion queues and threads: no event is lost or taken twice, with concurrent settlers, takers, cancellations and
 * frees. */
#include <poll.h>
#include <sched.h>
#include <signal.h>

#include "queues.h"
#include "race.h"

/* ---- Every event once ---- */

enum { PRODUCERS = 3, TAKERS = 2, THREADS = PRODUCERS + TAKERS };

static promise_queue_t *queue;
static atomic_uchar *taken_of; /* how often the event of each tag was taken */
static long per_producer;
static atomic_long taken_in_all, expected, unexpected;

static void *produces_and_takes(void *argument) {
  long self = (intptr_t)argument;
  meet();
  if (self < PRODUCERS) {
    for (long i = 0; i < per_producer; i++) {
      uint64_t tag = (uint64_t)(self * per_producer + i);
      promise_t *promise = promise_new();
      if (i % 2 == 0) {
        CHECK(promise_queue_watch(queue, promise, tag) == PROMISE_OK);
      } else {
        promise_t *derived = promise_queue_then(queue, promise, tag);
        CHECK(derived != NULL);
        promise_release(derived);
      }
      promise_resolve(promise, I64((int64_t)tag));
      promise_release(promise);
    }
    return NULL;
  }
  while (atomic_load(&taken_in_all) < atomic_load(&expected)) {
    int64_t count = promise_queue_take(queue, events, self % 2 ? 3 : ROOM, 1 * MILLISECONDS);
    CHECK(count >= 0);
    for (int64_t i = 0; i < count; i++) {
      if (events[i].value.as.u64 != events[i].tag)
        atomic_fetch_add(&unexpected, 1);
      atomic_fetch_add(&taken_of[events[i].tag], 1);
      if (events[i].promise != NULL) {
        promise_resolve(events[i].promise, &events[i].value);
        promise_release(events[i].promise);
      }
    }
    atomic_fetch_add(&taken_in_all, count);
  }
  return NULL;
}

TEST(every_event_is_taken_once) {
  per_producer = check_scale(200000);
  long all = per_producer * PRODUCERS;
  atomic_store(&expected, all);
  queue = promise_queue_new();
  taken_of = calloc((size_t)all, sizeof *taken_of);
  REQUIRE(taken_of != NULL);
  race(produces_and_takes, THREADS);
  bool once = true;
  for (long i = 0; i < all; i++)
    once = once && atomic_load(&taken_of[i]) == 1;
  CHECK(once);
  CHECK_INT(atomic_load(&unexpected), 0);
  CHECK_INT(take(queue, 0), 0);
  free(taken_of);
  promise_queue_free(queue);
}

/* ---- Abandoning meanwhile ---- */

/* One thread settles the source, one the derived promise, one takes, and one ends the watches: each event is taken or
 * dropped, and the value is destroyed once. */
static promise_t *source, *derived;
static payload_t payload;
static atomic_long answered;

static void *plays(void *argument) {
  long rounds = check_scale(20000);
  for (long i = 0; i < rounds; i++) {
    if (argument == NULL) {
      source = promise_new();
      derived = promise_queue_then(queue, source, 1);
      CHECK(promise_queue_watch(queue, source, 2) == PROMISE_OK);
      atomic_store(&payload.destroyed, 0);
    }
    meet();
    switch ((intptr_t)argument) {
    case 0: {
      promise_value_t value = object(&payload);
      promise_resolve(source, &value);
      break;
    }
    case 1:
      if (i % 2 == 0)
        promise_discard(derived);
      else
        promise_resolve(derived, I64(1));
      break;
    case 2: {
      int64_t count = take(queue, 0);
      for (int64_t place = 0; place < count; place++) {
        promise_value_release(&events[place].value);
        if (events[place].promise != NULL && promise_resolve(events[place].promise, I64(2)) == PROMISE_OK)
          atomic_fetch_add(&answered, 1);
        promise_release(events[place].promise);
      }
      break;
    }
    default:
      CHECK(promise_queue_unwatch(queue, 2) >= 0);
    }
    meet();
    if (argument == NULL) {
      CHECK(promise_state(derived) != PROMISE_PENDING);
      RELEASE(source, derived);
      int64_t left = take(queue, 0);
      for (int64_t place = 0; place < left; place++) {
        promise_value_release(&events[place].value);
        promise_release(events[place].promise);
      }
      CHECK(atomic_load(&payload.destroyed) == 1);
    }
    meet();
  }
  return NULL;
}

TEST(an_event_is_taken_or_given_up) {
  queue = promise_queue_new();
  race(plays, 4);
  promise_queue_free(queue);
}

/* A thread settles a derived promise before its event is taken: no CALL may be taken after that, only an OBSOLETE, even
 * if the source is settled at the same moment. A take of many events holds the queue's lock meanwhile. */
enum { OLDER = 1000 };
static promise_event_t older[OLDER];
static atomic_int given_up;

static void *gives_up_a_call(void *argument) {
  long self = (intptr_t)argument, rounds = check_scale(3000);
  promise_t *settled = fulfilled(1);
  for (long i = 0; i < rounds; i++) {
    if (self == 0) {
      source = promise_new();
      derived = promise_queue_then(queue, source, 1);
      for (int place = 0; place < OLDER; place++)
        CHECK(promise_queue_watch(queue, settled, 2) == PROMISE_OK);
    }
    meet();
    if (self == 0)
      CHECK(promise_queue_take(queue, older, OLDER, 0) == OLDER);
    else if (self == 1)
      promise_resolve(source, I64(1));
    else
      atomic_store(&given_up, i % 2 == 0 ? promise_discard(derived) : promise_resolve(derived, I64(2)));
    meet();
    if (self == 0) {
      CHECK(atomic_load(&given_up) == PROMISE_OK);
      int64_t left = take(queue, 0);
      CHECK(left == 1);
      CHECK_EVENT(0, PROMISE_EVENT_OBSOLETE, 0, 1);
      RELEASE(source, derived);
    }
  }
  promise_release(settled);
  return NULL;
}

TEST(no_call_comes_for_a_settled_promise) {
  queue = promise_queue_new();
  race(gives_up_a_call, 3);
  promise_queue_free(queue);
}

/* ---- Freeing at any time ---- */

/* Each thread has a reference. One frees the queue at some moment; the others find it closed. */
static void *calls_until_closed(void *argument) {
  long self = (intptr_t)argument, rounds = check_scale(2000);
  for (long round = 0; round < rounds; round++) {
    if (self == 0) {
      queue = promise_queue_new();
      for (int i = 1; i < 4; i++)
        CHECK(promise_queue_retain(queue) == PROMISE_OK);
    }
    meet();
    promise_queue_t *mine = queue;
    if (self == 0) {
      for (long i = 0; i < round % 50; i++)
        promise_release(fulfilled(i));
      CHECK_STATUS(promise_queue_free(mine), PROMISE_OK);
    }
    promise_event_t some[4];
    for (int64_t status = 0; self != 0 && status != PROMISE_ECLOSED;) {
      promise_t *promise = promise_new(), *then = NULL;
      if (self == 1) {
        status = promise_queue_take(mine, some, 4, round % 2 ? -1 : 0);
        for (int64_t i = 0; i < status; i++) {
          promise_value_release(&some[i].value);
          if (some[i].promise != NULL)
            promise_reject(some[i].promise, I64(1));
          promise_release(some[i].promise);
        }
      } else if (self == 2) {
        status = promise_queue_watch(mine, promise, 1);
        promise_queue_unwatch(mine, 2);
        promise_value_t value;
        promise_queue_object(mine, &value, payload_type(), 3);
        promise_value_release(&value);
        int fd = promise_queue_fd(mine);
        CHECK(fd >= 0 || fd == PROMISE_ECLOSED);
      } else {
        then = promise_queue_then(mine, promise, 2);
        status = then != NULL ? PROMISE_OK : promise_last_status();
        promise_queue_tap(mine, promise, 2);
        promise_queue_on_cancel(mine, promise, 4);
      }
      promise_resolve(promise, I64(1));
      promise_release(promise);
      promise_release(then); /* NULL for most threads */
    }
    if (self != 0)
      CHECK_STATUS(promise_queue_release(mine), PROMISE_OK);
    meet();
    if (self == 0)
      CHECK_STATUS(promise_queue_release(mine), PROMISE_ESTALE);
    meet();
  }
  return NULL;
}

TEST_BY(a_queue_is_freed_at_any_time, race(calls_until_closed, 4))

/* One thread abandons the promise of a CALL, which is also watched; one ends the source, one frees the queue, and one
 * takes. Each event, promise and value ends once. */
static void *abandons(void *argument) {
  long self = (intptr_t)argument, rounds = check_scale(20000);
  for (long i = 0; i < rounds; i++) {
    if (self == 0) {
      queue = promise_queue_new();
      CHECK(promise_queue_retain(queue) == PROMISE_OK);
      source = promise_new();
      derived = promise_queue_then(queue, source, 1);
      CHECK(promise_queue_watch(queue, derived, 2) == PROMISE_OK);
      CHECK(promise_queue_on_cancel(queue, source, 3) == PROMISE_OK);
      atomic_store(&payload.destroyed, 0);
    }
    meet();
    if (self == 0) {
      CHECK(promise_queue_free(queue) == PROMISE_OK);
    } else if (self == 1) {
      if (i % 2 == 0)
        promise_queue_unwatch(queue, 2);
      promise_request_cancel(derived, NULL);
      promise_release(derived);
    } else if (self == 2) {
      promise_value_t value = object(&payload);
      if (i % 3 == 0)
        promise_value_release(&value);
      else
        promise_resolve(source, &value);
      promise_release(source);
    } else {
      int64_t count = take(queue, 0);
      for (int64_t place = 0; place < count; place++)
        if (events[place].kind == PROMISE_EVENT_CALL)
          events[place].state = PROMISE_FULFILL;
        else
          promise_value_release(&events[place].value);
      CHECK(count == PROMISE_ECLOSED || count >= 0);
      if (count > 0)
        promise_queue_answer(events, (size_t)count);
    }
    meet();
    if (self == 0) {
      CHECK(promise_queue_release(queue) == PROMISE_OK);
      CHECK(atomic_load(&payload.destroyed) == 1);
      CHECK(promise_state(derived) == PROMISE_ESTALE);
    }
  }
  return NULL;
}

TEST_BY(each_end_comes_once_while_the_queue_is_freed, race(abandons, 4))

static atomic_int ended_takers;

/* Another thread releases the handle meanwhile: each take finds the queue, or a stale handle. */
static void *takes_until_stale(void *argument) {
  promise_event_t event;
  int64_t status;
  do
    status = promise_queue_take(argument, &event, 1, -1);
  while (status >= 0);
  CHECK(status == PROMISE_ECLOSED || status == PROMISE_ESTALE);
  atomic_fetch_add(&ended_takers, 1);
  return NULL;
}

TEST(a_take_in_progress_ends_with_the_queue) {
  for (long i = check_scale(2000); i > 0; i--) {
    promise_queue_t *short_lived = promise_queue_new();
    pthread_t takers[3];
    for (int taker = 0; taker < 3; taker++)
      takers[taker] = start(takes_until_stale, short_lived);
    CHECK_STATUS(promise_queue_free(short_lived), PROMISE_OK);
    for (int taker = 0; taker < 3; taker++)
      finish(takers[taker]);
  }
  CHECK_INT(atomic_load(&ended_takers), 3 * check_scale(2000));
}

/* ---- Pollers ---- */

static atomic_long left_to_take;

static void *polls(void *argument) {
  struct pollfd file = {.fd = promise_queue_fd(argument), .events = POLLIN};
  while (atomic_load(&left_to_take) > 0) {
    CHECK_INT(poll(&file, 1, -1), 1);
    int64_t count = promise_queue_take(argument, events, 5, 0);
    CHECK(count >= 0);
    atomic_fetch_sub(&left_to_take, count);
  }
  return NULL;
}

/* The poller is woken for each event, even for one added while it takes. */
TEST(a_poller_misses_nothing) {
  promise_queue_t *polled = promise_queue_new();
  long many = check_scale(100000);
  atomic_store(&left_to_take, many);
  pthread_t poller = start(polls, polled);
  for (long i = 0; i < many; i++) {
    promise_t *promise = fulfilled(i);
    CHECK(promise_queue_watch(polled, promise, 1) == PROMISE_OK);
    promise_release(promise);
  }
  finish(poller);
  promise_queue_free(polled);
}

/* ---- Signals ---- */

static atomic_int handled;
static atomic_bool interrupted;
static void counts(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void *takes_until_interrupted(void *argument) {
  CHECK_INT(take(argument, FOR_EVER), PROMISE_EINTR);
  CHECK_INT(take(argument, 3600000 * MILLISECONDS), PROMISE_EINTR);
  atomic_store(&interrupted, true);
  return NULL;
}

/* The handler ends the take although it was installed with SA_RESTART, because the runtime of a language may have to
 * handle the signal. */
TEST(a_signal_handler_ends_a_take) {
  struct sigaction action = {.sa_handler = counts, .sa_flags = SA_RESTART};
  REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
  promise_queue_t *quiet = promise_queue_new();
  pthread_t taker = start(takes_until_interrupted, quiet);
  while (!atomic_load(&interrupted)) {
    pthread_kill(taker, SIGUSR1);
    sched_yield();
  }
  finish(taker);
  CHECK(atomic_load(&handled) >= 2);
  promise_queue_free(quiet);
}
