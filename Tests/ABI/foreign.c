/* Two copies of the library in one process: each rejects the other's handles. CHECK_COPY is the path of a second
 * copy. */
#include "copy.h"

TEST(handles_of_one_are_stale_in_the_other) {
  open_copy();
  enum { COUNT = 5000 };
  static promise_t *ours[COUNT], *theirs[COUNT];
  for (int i = 0; i < COUNT; i++) {
    ours[i] = promise_new();
    theirs[i] = copy.promise_new();
  }
  for (int i = 0; i < COUNT; i++) {
    CHECK_STATUS(promise_state(theirs[i]), PROMISE_ESTALE);
    CHECK_STATUS(copy.promise_state(ours[i]), PROMISE_ESTALE);
    CHECK_STATUS(promise_release(theirs[i]), PROMISE_ESTALE);
    CHECK_STATUS(copy.promise_release(ours[i]), PROMISE_ESTALE);
    CHECK_STATUS(copy.promise_resolve(ours[i], I64(1)), PROMISE_ESTALE);
    CHECK_POINTER(copy.promise_then(ours[i], adds_one, NULL, NULL), NULL);
  }
  for (int i = 0; i < COUNT; i++) {
    CHECK_INT(promise_state(ours[i]), PROMISE_PENDING);
    CHECK_STATUS(promise_release(ours[i]), PROMISE_OK);
    CHECK_STATUS(copy.promise_release(theirs[i]), PROMISE_OK);
  }
}

TEST(types_of_one_are_stale_in_the_other) {
  open_copy();
  const promise_type_t *ours = promise_type_named("error"), *theirs = copy.promise_type_named("error");
  CHECK(ours != theirs);
  CHECK_TEXT(copy.promise_type_name(theirs), "error");
  CHECK_POINTER(promise_type_name(theirs), NULL);
  CHECK_POINTER(copy.promise_type_name(ours), NULL);
  CHECK_POINTER(promise_type_register("test.foreign.child", theirs, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  /* Each copy has types of its own, so one name causes no conflict. */
  ours = promise_type_register("test.foreign", NULL, NULL);
  theirs = copy.promise_type_register("test.foreign", NULL, payload_destroy);
  CHECK(ours != NULL && theirs != NULL && ours != theirs);
}

TEST(both_work_side_by_side) {
  open_copy();
  promise_t *ours = promise_new(), *theirs = copy.promise_new();
  promise_value_t value;
  promise_t *our_child = promise_then(ours, adds_one, NULL, NULL),
            *their_child = copy.promise_then(theirs, adds_one, NULL, NULL);
  CHECK_STATUS(promise_resolve(ours, I64(1)), PROMISE_OK);
  CHECK_STATUS(copy.promise_resolve(theirs, I64(10)), PROMISE_OK);
  CHECK(ended(our_child, PROMISE_FULFILLED, 2));
  CHECK_STATUS(copy.promise_result(their_child, &value), PROMISE_OK);
  CHECK_INT(value.as.i64, 11);
  CHECK_STATUS(promise_release(our_child), PROMISE_OK);
  CHECK_STATUS(promise_release(ours), PROMISE_OK);
  CHECK_STATUS(copy.promise_release(their_child), PROMISE_OK);
  CHECK_STATUS(copy.promise_release(theirs), PROMISE_OK);
}

/* Each copy rejects handles that the threads of the other created, and continues. */
static void both_have_threads(void) {
  gate_t here = GATE_CLOSED, there = GATE_CLOSED;
  promise_executor_t *ours = promise_executor_global(PROMISE_PRIORITY_DEFAULT),
                     *theirs = copy.promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  CHECK_STATUS(promise_executor_submit(theirs, open_gate, &here, NULL), PROMISE_ESTALE);
  CHECK_STATUS(copy.promise_executor_submit(ours, open_gate, &there, NULL), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_submit(ours, open_gate, &here, NULL), PROMISE_OK);
  CHECK_STATUS(copy.promise_executor_submit(theirs, open_gate, &there, NULL), PROMISE_OK);
  gate_wait(&here);
  gate_wait(&there);
  promise_t *our_sleep = promise_sleep(1), *their_sleep = copy.promise_sleep(1);
  CHECK_STATUS(promise_wait(their_sleep, FOR_EVER), PROMISE_ESTALE);
  CHECK_STATUS(copy.promise_wait(our_sleep, FOR_EVER), PROMISE_ESTALE);
  CHECK_STATUS(promise_wait(our_sleep, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(copy.promise_wait(their_sleep, FOR_EVER), PROMISE_OK);
  promise_release(our_sleep);
  copy.promise_release(their_sleep);
}

TEST(both_have_threads_of_their_own) {
  open_copy();
  both_have_threads();
}

/* A second namespace of the linker has its own C library: the same file is a second copy there. */
TEST(library_may_be_in_two_namespaces) {
  CHECK(true);
  /* Valgrind replaces functions of the first C library only, and reports the linker's own reads as errors. */
  if (getenv("CHECK_QUICK") != NULL)
    return;
  find_functions(dlmopen(LM_ID_NEWLM, getenv("CHECK_COPY"), RTLD_NOW));
  promise_t *ours = promise_new(), *theirs = copy.promise_new();
  CHECK_STATUS(promise_state(theirs), PROMISE_ESTALE);
  CHECK_STATUS(copy.promise_state(ours), PROMISE_ESTALE);
  CHECK_STATUS(copy.promise_resolve(theirs, I64(1)), PROMISE_OK);
  CHECK_INT(copy.promise_state(theirs), PROMISE_FULFILLED);
  CHECK_STATUS(copy.promise_release(theirs), PROMISE_OK);
  promise_release(ours);
  both_have_threads();
}
