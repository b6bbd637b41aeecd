/* Collections of many elements, and on several threads. */
#include "support.h"

/* ---- Maps ---- */

/* A lookup takes the same time for each key, however many keys a map has. */
TEST(map_of_many_finds_each) {
  long count = check_scale(300 * 1000), wrong = 0;
  char(*keys)[16] = malloc((size_t)count * sizeof *keys);
  const char **pointers = malloc((size_t)count * sizeof *pointers);
  promise_value_t value, *values = malloc((size_t)count * sizeof *values);
  REQUIRE(keys != NULL && pointers != NULL && values != NULL);
  for (long i = 0; i < count; i++) {
    snprintf(keys[i], sizeof keys[i], "key %ld", i * 7919 % count);
    pointers[i] = keys[i];
    values[i] = *I64(i);
  }
  CHECK_STATUS(promise_value_map(&value, pointers, NULL, values, (size_t)count), PROMISE_OK);
  for (long i = 0; i < count; i++) {
    const promise_value_t *found = promise_value_find(&value, keys[i], strlen(keys[i]));
    wrong += found == NULL || found->as.i64 != i;
    wrong += strcmp(promise_value_key(&value, (size_t)i, NULL), keys[i]) != 0;
    keys[i][0] = 'K';
    wrong += promise_value_find(&value, keys[i], strlen(keys[i])) != NULL;
  }
  CHECK_INT(wrong, 0);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  free(values), free(pointers), free(keys);
}

static char damaged[] = "key";
static void damages_the_last_key(void *payload) {
  (void)payload;
  damaged[0] = (char)0xff;
}

/* The copy of a key is checked, not the caller's bytes: here the destructor of a replaced value changes them. */
TEST(a_key_that_changes_meanwhile_is_refused) {
  const promise_type_t *type = promise_type_register("test.damages", NULL, damages_the_last_key);
  const char *const keys[] = {"same", "same", damaged};
  promise_value_t out, values[] = {*VOID(), *I64(2), text("a value that the call takes over")};
  CHECK_STATUS(promise_value_object(&values[0], type, NULL), PROMISE_OK);
  CHECK_STATUS(promise_value_map(&out, keys, NULL, values, 3), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
}

/* ---- Depth ---- */

TEST(wide_value_is_freed_whole) {
  payload_t payload = {0};
  long count = check_scale(300 * 1000);
  promise_value_t *elements = malloc((size_t)count * sizeof *elements);
  REQUIRE(elements != NULL);
  for (long i = 0; i < count; i++)
    elements[i] = object(&payload);
  promise_value_t value = array(elements, (size_t)count);
  free(elements);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), count);
}

/* ---- Threads ---- */

static promise_value_t shared;

static void *reads_and_retains(void *argument) {
  long wrong = 0, rounds = check_scale(200000);
  (void)argument;
  for (long i = 0; i < rounds; i++) {
    promise_value_t element = *promise_value_at(&shared, (size_t)i % 2);
    wrong += promise_value_retain(&element) != PROMISE_OK;
    wrong += promise_value_find(promise_value_at(&shared, 2), "key", 3)->as.i64 != 5;
    wrong += promise_value_release(&element) != PROMISE_OK;
  }
  CHECK_INT(wrong, 0);
  return NULL;
}

TEST(threads_read_one_value_together) {
  payload_t payload = {0};
  pthread_t threads[4];
  shared = ARRAY(object(&payload), text("text"), json("{\"key\":5}"));
  for (int i = 0; i < 4; i++)
    threads[i] = start(reads_and_retains, NULL);
  for (int i = 0; i < 4; i++)
    finish(threads[i]);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_value_release(&shared), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}
