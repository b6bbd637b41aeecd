/* queues.h - random calls on completion queues: several takers, freed at any time. A tag is the address of a bond, so
 * events are counted like calls. */
#ifndef MONKEY_QUEUES_H
#define MONKEY_QUEUES_H

#include "promises.h"

/* The bonds of tags. No call frees them: their events are counted. */
static bond_t tags[BONDS];
static atomic_int tags_used;

static uint64_t tag(void) {
  bond_t *bond = bond_in(tags, &tags_used, true);
  return (uint64_t)(uintptr_t)bond;
}

static void answer(promise_t *promise) {
  promise_value_t value = any_value();
  if (follows && toss(3)) {
    promise_follow(promise, any(PROMISES));
    promise_value_release(&value);
  } else if (toss(8)) {
    promise_value_release(&value); /* the promise is destroyed while pending */
  } else {
    (toss(2) ? promise_resolve : promise_reject)(promise, &value);
  }
  if (toss(2))
    keep(PROMISES, promise);
  else
    CHECK_STATUS(promise_release(promise), PROMISE_OK);
}

/* Writes an answer for promise_queue_answer(): a verdict, or a number that is not a verdict, and a result, sometimes
 * garbage. */
static void write_answer(promise_event_t *event) {
  static const promise_verdict_t verdicts[] = {PROMISE_FULFILL, PROMISE_REJECT, PROMISE_ADOPT, PROMISE_VERDICT_PASS, 0};
  event->state = (int32_t)verdicts[draw(5)];
  if (event->state != PROMISE_ADOPT)
    event->value = toss(16) ? garbage() : any_value();
  else if (!toss(8)) {
    promise_t *source = follows ? any(PROMISES) : NULL;
    event->value = promise_retain(source) == PROMISE_OK ? holding(source) : *VOID();
  }
}

/* Answers the CALL events of a batch: in one call, except for those without a verdict. */
static void answer_events(promise_event_t *events, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (events[i].kind == PROMISE_EVENT_CALL)
      write_answer(&events[i]);
  promise_queue_answer(events, (size_t)count);
  for (int64_t i = 0; i < count; i++) {
    bool is_verdict = events[i].state >= PROMISE_FULFILL && events[i].state <= PROMISE_ADOPT;
    if (events[i].kind != PROMISE_EVENT_CALL)
      continue;
    CHECK((events[i].promise == NULL) == is_verdict);
    if (is_verdict) {
      CHECK_INT(events[i].value.kind, PROMISE_KIND_VOID);
    } else {
      promise_value_release(&events[i].value);
      answer(events[i].promise);
    }
  }
}

static void take_events(promise_queue_t *queue) {
  promise_event_t events[4];
  bool answers = toss(2);
  int64_t count = promise_queue_take(queue, events, 1 + draw(4), toss(2) ? 0 : (int64_t)draw(50000));
  for (int64_t i = 0; i < count; i++) {
    bond_t *bond = (bond_t *)(uintptr_t)events[i].tag;
    if (bond != NULL && atomic_fetch_add(&bond->calls, 1) > 0)
      atomic_fetch_add(&calls_too_many, 1);
    CHECK(events[i].kind >= PROMISE_EVENT_SETTLED && events[i].kind <= PROMISE_EVENT_OBSOLETE);
    CHECK((events[i].promise != NULL) == (events[i].kind == PROMISE_EVENT_CALL));
    promise_value_release(&events[i].value);
    if (events[i].kind == PROMISE_EVENT_CALL && !answers)
      answer(events[i].promise);
  }
  if (answers && count > 0)
    answer_events(events, count);
}

static void queue_move(void) {
  promise_queue_t *queue = any(QUEUES);
  promise_t *promise = any(toss(8) ? LASTING : PROMISES);
  promise_value_t value = *VOID();
  switch (draw(12)) {
  case 0:
    keep(QUEUES, promise_queue_new());
    break;
  case 1:
  case 2:
    promise_queue_watch(queue, promise, tag());
    break;
  case 3:
    promise_queue_tap(queue, promise, tag());
    break;
  case 4:
    promise_queue_unwatch(queue, (uint64_t)(uintptr_t)&tags[draw(256)]);
    break;
  case 5:
  case 6:
    keep(PROMISES, promise_queue_then(queue, promise, tag()));
    break;
  case 7:
    promise_queue_on_cancel(queue, promise, tag());
    break;
  case 8:
    if (promise_queue_object(queue, &value, bond_type, tag()) == PROMISE_OK)
      promise_resolve(any(PROMISES), &value);
    break;
  case 9:
    if (toss(4))
      promise_queue_fd(queue);
    else
      share(QUEUES, queue);
    break;
  default:
    take_events(queue);
  }
}

#endif /* MONKEY_QUEUES_H */
