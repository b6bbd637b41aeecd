/* streams.h - random calls on publishers, subscribers and operators. */
#ifndef MONKEY_STREAMS_H
#define MONKEY_STREAMS_H

#include "promises.h"

static promise_verdict_t transformer(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  bond_called(ctx);
  if (toss(2))
    return PROMISE_VERDICT_PASS;
  *out = any_value();
  return PROMISE_VERDICT_FULFILL + (promise_verdict_t)draw(toss(8) ? 9 : 2);
}

static promise_verdict_t folder(void *ctx, const promise_value_t *accumulated, const promise_value_t *value,
                                promise_value_t *out) {
  (void)accumulated;
  return transformer(ctx, value, out);
}

/* Makes a source: more than one operator on a source, or on a sink, would multiply its events without bound. */
static void make_publisher(void) {
  switch (draw(4)) {
  case 0:
    keep(PUBLISHERS, promise_publisher_every(toss(2) ? NULL : any(EXECUTORS), 1 + (int64_t)draw(MILLISECONDS)));
    break;
  case 1:
    if (!follows)
      keep(PUBLISHERS, promise_publisher_of(any(PROMISES)));
    break;
  case 2:
    keep(SINKS, promise_publisher_new(toss(2) ? PROMISE_PUBLISHER_STATEFUL : 0));
    break;
  default:
    keep(PUBLISHERS, promise_publisher_new(toss(2) ? PROMISE_PUBLISHER_STATEFUL : 0));
  }
}

/* Returns an inner stream of one event, so that streams do not multiply without bound. */
static promise_publisher_t *inner_stream(void *ctx, const promise_value_t *value) {
  bond_called(ctx);
  promise_publisher_t *publisher = promise_publisher_new(PROMISE_PUBLISHER_STATEFUL);
  promise_value_t copy = *value;
  if (promise_value_retain(&copy) == PROMISE_OK)
    (toss(4) ? promise_publisher_publish_error : promise_publisher_publish)(publisher, &copy);
  return publisher;
}

static void derive(void) {
  promise_publisher_t *source = right(toss(3) ? DERIVED : PUBLISHERS), *sources[3];
  bond_t *bond = bond_often();
  promise_transform_t transform = {.size = sizeof transform, .ctx = bond, .free_ctx = bond_free};
  promise_value_t value = any_value();
  if (bond == NULL) {
    promise_value_release(&value);
    return;
  }
  for (int i = 0; i < 3; i++)
    sources[i] = right(PUBLISHERS);
  uint64_t operator= draw(10);
  if (operator== 0) {
    keep(DERIVED,
         (toss(2) ? promise_publisher_scan : promise_publisher_reduce)(source, &value, folder, bond, bond_free));
    return;
  }
  if (operator== 1) {
    keep(DERIVED, promise_publisher_start_with(source, &value));
    bond_free(bond);
    return;
  }
  promise_value_release(&value);
  transform.on_value = toss(2) ? transformer : NULL;
  transform.on_error = toss(2) ? transformer : NULL;
  transform.on_end = toss(2) ? transformer : NULL;
  if (operator== 2 || operator== 3) {
    keep(DERIVED, promise_publisher_transform(source, &transform));
    return;
  }
  if (operator== 4) {
    keep(DERIVED, promise_publisher_flat_map(source, (promise_flatten_t)draw(5), inner_stream, bond, bond_free));
    return;
  }
  if (operator== 5) {
    keep(DERIVED, promise_publisher_retry(draw(4), inner_stream, bond, bond_free));
    return;
  }
  bond_free(bond);
  promise_executor_t *executor = toss(2) ? NULL : any(EXECUTORS);
  int64_t interval = 1 + (int64_t)draw(MILLISECONDS);
  switch (draw(12)) {
  case 0:
    keep(DERIVED, promise_publisher_distinct(sources[0], toss(2) ? PROMISE_DISTINCT_ERRORS : 0));
    break;
  case 1:
    keep(DERIVED, promise_publisher_window(sources[0], draw(4)));
    break;
  case 2:
    keep(DERIVED, promise_publisher_take(source, draw(4)));
    break;
  case 3:
    keep(DERIVED, promise_publisher_stateful(source));
    break;
  case 4:
    keep(DERIVED, promise_publisher_buffer(source, draw(4)));
    break;
  case 5:
    keep(DERIVED, promise_publisher_replay(source, draw(4)));
    break;
  case 6:
    keep(DERIVED, promise_publisher_zip(sources, draw(4)));
    break;
  case 7:
    keep(DERIVED, promise_publisher_debounce(executor, source, interval));
    break;
  case 8:
    keep(DERIVED, promise_publisher_throttle(executor, source, interval, toss(2) ? PROMISE_THROTTLE_FIRST : 0));
    break;
  case 9:
    keep(DERIVED, promise_publisher_timeout(executor, source, interval));
    break;
  case 10:
    keep(DERIVED, promise_publisher_merge(sources, draw(4)));
    break;
  default:
    keep(DERIVED, promise_publisher_combine_latest(sources, draw(4)));
  }
}

static void subscribe(promise_publisher_t *publisher) {
  bond_t *bond = toss(3) ? NULL : bond_often();
  promise_subscription_t options = {.size = sizeof options, .overflow = (promise_overflow_t)(1 + draw(4))};
  options.capacity = 1 + draw(4);
  options.token = toss(4) ? any(TOKENS) : NULL;
  if (bond != NULL) {
    options.executor = toss(2) ? any(EXECUTORS) : NULL;
    options.demand = toss(2) ? PROMISE_DEMAND_UNLIMITED : draw(4);
    options.on_value = observer;
    options.on_error = toss(2) ? observer : NULL;
    options.ctx = bond;
    options.free_ctx = bond_free;
  }
  keep(SUBSCRIBERS, promise_publisher_subscribe(publisher, &options));
}

static void publish(promise_publisher_t *publisher) {
  promise_value_t value = any_value();
  uint64_t what = draw(12);
  if (what < 8) {
    promise_publisher_publish(publisher, &value);
  } else if (what < 10) {
    promise_publisher_publish_error(publisher, &value);
  } else if (what == 10) {
    promise_publisher_fail(publisher, &value);
  } else {
    promise_value_release(&value);
    (toss(2) ? promise_publisher_finish : promise_publisher_cancel)(publisher);
  }
}

static void subscriber_move(void) {
  promise_subscriber_t *subscriber = right(SUBSCRIBERS);
  switch (draw(8)) {
  case 0:
    promise_subscriber_request(subscriber, draw(3));
    break;
  case 1:
    promise_subscriber_cancel(subscriber);
    break;
  case 2:
    if (!follows)
      keep(PROMISES, promise_subscriber_end(subscriber));
    break;
  case 3:
    promise_subscriber_dropped(subscriber);
    break;
  case 4:
    share(SUBSCRIBERS, subscriber);
    break;
  default:
    if (!follows)
      keep(PROMISES, promise_subscriber_next(subscriber));
  }
}

static void stream_move(void) {
  kind_t kind = (kind_t)(PUBLISHERS + draw(3));
  promise_publisher_t *publisher = right(kind);
  promise_value_t value;
  switch (draw(12)) {
  case 0:
    make_publisher();
    break;
  case 1:
  case 2:
    derive();
    break;
  case 3:
  case 4:
    subscribe(publisher);
    break;
  case 5:
    share(kind, publisher);
    break;
  case 6:
    keep(SUBSCRIBERS, promise_publisher_forward(right(toss(2) ? PUBLISHERS : DERIVED), right(SINKS),
                                                toss(2) ? PROMISE_FORWARD_END : 0));
    break;
  case 7:
    if (!follows)
      keep(PROMISES, promise_publisher_ready(publisher));
    promise_publisher_count(publisher), promise_publisher_state(publisher);
    if (promise_publisher_latest(publisher, &value) > 0)
      promise_value_release(&value);
    break;
  case 8:
  case 9:
    publish(publisher);
    break;
  default:
    subscriber_move();
  }
}

#endif /* MONKEY_STREAMS_H */
