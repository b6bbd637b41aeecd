/* type.h: many types. */
#include "growth.h"

static const char *name_of(long number) {
  static char name[32];
  snprintf(name, sizeof name, "many.%ld", number);
  return name;
}

/* The first test, because it expects that no such type is registered. */
TEST(each_is_found_by_its_name) {
  long wrong = 0, count = check_scale(10 * 1000);
  const promise_type_t *object = promise_type_named("object"), *parent = NULL;
  for (long i = 0; i < count; i++) {
    const promise_type_t *type = promise_type_register(name_of(i), parent, NULL);
    wrong += type == NULL;
    parent = type;
  }
  for (long i = 0; i < count; i++) {
    const promise_type_t *type = promise_type_named(name_of(i));
    wrong += type == NULL || strcmp(promise_type_name(type), name_of(i)) != 0;
    wrong += promise_type_register(name_of(i), NULL, NULL) != type;
  }
  CHECK_INT(wrong, 0);
  CHECK_POINTER(promise_type_named("object"), object);
  CHECK_POINTER(promise_type_named(name_of(count)), NULL);
}

static long registered;

static void register_types(void *ctx, long count) {
  (void)ctx;
  long wrong = 0;
  for (long i = 0; i < count; i++)
    wrong += promise_type_register(name_of(registered++), NULL, NULL) == NULL;
  CHECK_INT(wrong, 0);
}

TEST_BY(registering_takes_linear_time, CHECK_LINEAR(register_types, NULL, check_scale(40 * 1000)))
