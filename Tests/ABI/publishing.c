/* Plain data that one thread writes and another reads, with only the library between them: each test is for a way in
 * which the library orders the write before the read. The threads take turns by a relaxed atomic, which orders nothing.
 * So ThreadSanitizer reports a race for each memory ordering in the library that is too weak (scripts/sanitize-abi.sh
 * thread publishing); without it, and on x86, the tests can hardly fail. */
#include "race.h"

enum { ROUNDS = 60 };

/* cargo: the number that the first thread writes in each round. seen: the number that the second thread, or a callback
 * on it, has read. */
static long cargo[ROUNDS];
static long seen[ROUNDS];
static promise_t *promises[ROUNDS], *others[ROUNDS], *results[ROUNDS];
static promise_token_t *tokens[ROUNDS];
/* The number of rounds that each thread has finished. */
static atomic_int done[2];

typedef void (*half_t)(int round);
static half_t halves[2];

static int rounds_of(int thread) {
  return atomic_load_explicit(&done[thread], memory_order_relaxed);
}

static void *runs(void *number) {
  int me = (int)(intptr_t)number;
  /* Locks order threads too, so each thread takes its first cells before the rounds. */
  promise_release(promise_new());
  meet();
  for (int i = 0; i < ROUNDS; i++) {
    while (rounds_of(1 - me) < (me == 0 ? i : i + 1))
      sched_yield();
    if (me == 0)
      cargo[i] = i + 1;
    halves[me](i);
    atomic_store_explicit(&done[me], i + 1, memory_order_relaxed);
  }
  return NULL;
}

/* Runs the rounds of both threads: the first half of each round, then the second. */
static void publish_from(half_t first, half_t second) {
  atomic_store(&done[0], 0), atomic_store(&done[1], 0);
  memset(seen, 0, sizeof seen);
  halves[0] = first, halves[1] = second;
  race(runs, 2);
  long wrong = 0;
  for (int i = 0; i < ROUNDS; i++)
    wrong += seen[i] != i + 1;
  CHECK_INT(wrong, 0);
}

static void read_cargo(int i) {
  seen[i] = cargo[i];
}

static void makes_promises(promise_t **made) {
  for (int i = 0; i < ROUNDS; i++)
    made[i] = promise_new();
}

static void releases(promise_t **made) {
  RELEASE_EACH(made, ROUNDS);
}

/* The first thread uses the table of types first, and creates it. The first test: the others create the table too. */
static long found;

static void asks_for_a_type(int i) {
  if (i == 0)
    found = promise_value_type(I64(i)) != NULL;
}

static void asks_for_another_type(int i) {
  seen[i] = promise_value_type(I64(i)) != NULL ? i + 1 : 0;
}

TEST(the_maker_of_the_types_publishes_them) {
  publish_from(asks_for_a_type, asks_for_another_type);
  CHECK_INT(found, 1);
}

/* Callbacks, whose context is the address of the cargo. */
static void observes(void *ctx, const promise_value_t *value) {
  (void)value;
  read_cargo((int)((long *)ctx - cargo));
}

static promise_verdict_t handles(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  read_cargo((int)((long *)ctx - cargo));
  return PROMISE_FULFILL;
}

static void frees(void *ctx) {
  read_cargo((int)((long *)ctx - cargo));
}

static void resolves(int i) {
  promise_resolve(promises[i], I64(i));
}

static void polls_the_state(int i) {
  if (promise_state(promises[i]) == PROMISE_FULFILLED)
    read_cargo(i);
}

static void polls_the_result(int i) {
  promise_value_t value;
  if (promise_result(promises[i], &value) == PROMISE_OK)
    read_cargo(i);
}

static void waits(int i) {
  if (promise_wait(promises[i], FOR_EVER) == PROMISE_OK)
    read_cargo(i);
}

TEST(the_settler_publishes_to_those_who_ask) {
  half_t asks[] = {polls_the_state, polls_the_result, waits};
  for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
    makes_promises(promises);
    publish_from(resolves, asks[i]);
    releases(promises);
  }
}

static void observes_it(int i) {
  promise_observe(promises[i], observes, NULL, &cargo[i], NULL);
}

static void derives_from_it(int i) {
  results[i] = promise_then(promises[i], handles, &cargo[i], NULL);
}

TEST(attacher_publishes_to_the_settler) {
  makes_promises(promises);
  publish_from(observes_it, resolves);
  releases(promises);
  makes_promises(promises);
  publish_from(derives_from_it, resolves);
  releases(promises), releases(results);
}

static void observes_it_freed(int i) {
  promise_observe(promises[i], observes, NULL, &cargo[i], frees);
}

static void discards(int i) {
  promise_discard(promises[i]);
}

static void releases_one(int i) {
  promise_release(promises[i]);
}

TEST(releaser_publishes_to_the_last_one) {
  const promise_type_t *cargo_type = promise_type_register("org.promises.publishing", NULL, frees);
  for (int is_settled = 0; is_settled < 2; is_settled++) {
    makes_promises(promises);
    for (int i = 0; i < ROUNDS; i++) {
      promise_value_t object;
      promise_value_object(&object, cargo_type, &cargo[i]);
      if (is_settled)
        promise_resolve(promises[i], &object);
      else
        promise_observe(promises[i], observes, NULL, &cargo[i], frees), promise_value_release(&object);
      promise_retain(promises[i]);
    }
    publish_from(releases_one, releases_one);
  }
}

TEST(attacher_publishes_to_the_discarder) {
  makes_promises(promises);
  publish_from(observes_it_freed, discards);
  releases(promises);
}

static void first_input(int i) {
  promise_resolve(promises[i], I64(i));
}

static void second_input(int i) {
  promise_resolve(others[i], I64(i));
}

TEST(inputs_of_all_publish_to_the_last) {
  makes_promises(promises), makes_promises(others);
  for (int i = 0; i < ROUNDS; i++) {
    promise_t *all = promise_all((promise_t *[]){promises[i], others[i]}, 2, 0);
    promise_observe(all, observes, NULL, &cargo[i], NULL);
    promise_release(all);
  }
  publish_from(first_input, second_input);
  releases(promises), releases(others);
}

static void makes_tokens(uint32_t flags) {
  for (int i = 0; i < ROUNDS; i++)
    tokens[i] = promise_token_new(flags);
}

static void releases_token(int i) {
  promise_token_release(tokens[i]);
}

static void cancels_token(int i) {
  promise_token_cancel(tokens[i], NULL);
}

static void invalidates_token(int i) {
  promise_token_invalidate(tokens[i], NULL);
}

static void asks_token(int i) {
  if (promise_token_is_cancelled(tokens[i]) == 1)
    read_cargo(i);
}

static void asks_generation(int i) {
  if (promise_token_generation(tokens[i]) == 1)
    read_cargo(i);
}

static void adds_to_token(int i) {
  promise_on_cancel_request(promises[i], observes, &cargo[i], NULL);
  promise_token_add(tokens[i], promises[i]);
}

TEST(canceller_of_a_token_publishes) {
  makes_tokens(0);
  publish_from(cancels_token, asks_token);
  for (int i = 0; i < ROUNDS; i++)
    releases_token(i);
  makes_tokens(0);
  publish_from(invalidates_token, asks_generation);
  for (int i = 0; i < ROUNDS; i++)
    releases_token(i);
}

TEST(adder_to_a_token_publishes_to_the_canceller) {
  makes_tokens(0), makes_promises(promises);
  publish_from(adds_to_token, cancels_token);
  for (int i = 0; i < ROUNDS; i++)
    releases_token(i);
  releases(promises);
}

TEST(releaser_of_a_token_publishes_to_the_last_one) {
  makes_tokens(PROMISE_TOKEN_INVALIDATE_ON_RELEASE), makes_promises(promises);
  for (int i = 0; i < ROUNDS; i++) {
    promise_token_retain(tokens[i]);
    promise_on_cancel_request(promises[i], observes, &cargo[i], NULL);
    promise_token_add(tokens[i], promises[i]);
  }
  publish_from(releases_token, releases_token);
  releases(promises);
}

static const promise_type_t *object_types[ROUNDS];

static bool are_same(const void *one, const void *other) {
  return *(const long *)one == *(const long *)other;
}

static void sets_methods(int i) {
  promise_type_methods(object_types[i], are_same, NULL);
}

static long payloads[ROUNDS][2];
static promise_value_t objects[ROUNDS][2];

static void compares(int i) {
  bool are_equal = false;
  promise_value_equal(&objects[i][0], &objects[i][1], &are_equal);
  seen[i] = are_equal ? i + 1 : 0;
}

TEST(setter_of_methods_publishes_them) {
  for (int i = 0; i < ROUNDS; i++) {
    char name[40];
    snprintf(name, sizeof name, "org.promises.publishing.%d", i);
    object_types[i] = promise_type_register(name, NULL, NULL);
    for (int which = 0; which < 2; which++)
      promise_value_object(&objects[i][which], object_types[i], &payloads[i][which]);
  }
  publish_from(sets_methods, compares);
  for (int i = 0; i < ROUNDS; i++)
    promise_value_release(&objects[i][0]), promise_value_release(&objects[i][1]);
}

static void ignores_line(void *ctx, const char *text, size_t length) {
  (void)ctx, (void)text, (void)length;
}

static void ignores_event(void *ctx, const promise_trace_event_t *event) {
  (void)ctx, (void)event;
}

/* The first round starts the trace, and so allocates the memory for the times. */
static void makes_a_promise(int i) {
  promise_trace_t trace = {.size = sizeof trace, .event = ignores_event};
  if (i == 0)
    CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  promises[i] = promise_new();
}

static void dumps(int i) {
  if (i % 20 == 0)
    CHECK_STATUS(promise_dump_lines(ignores_line, NULL), PROMISE_OK);
  seen[i] = i + 1;
}

TEST(maker_of_a_promise_publishes_its_time) {
  publish_from(makes_a_promise, dumps);
  promise_trace_stop();
  releases(promises);
}
