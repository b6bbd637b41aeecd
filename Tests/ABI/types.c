/* Types: names, parents, and the types of values. */
#include "support.h"

TEST(parent_is_fixed_by_the_first_registration) {
  const promise_type_t *parent = promise_type_register("test.types.fixed.parent", NULL, NULL);
  const promise_type_t *other = promise_type_register("test.types.fixed.other", NULL, NULL);
  const promise_type_t *type = promise_type_register("test.types.fixed", parent, NULL);
  CHECK_POINTER(promise_type_register("test.types.fixed", parent, NULL), type);
  CHECK_POINTER(promise_type_register("test.types.fixed", NULL, NULL), type);
  CHECK_POINTER(promise_type_register("test.types.fixed", other, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_POINTER(promise_type_register("test.types.fixed", type, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);

  const promise_type_t *orphan = promise_type_register("test.types.fixed.orphan", NULL, NULL);
  CHECK_POINTER(promise_type_register("test.types.fixed.orphan", parent, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_POINTER(promise_type_named("test.types.fixed.orphan"), orphan);
}

TEST(names_of_any_length_are_kept_apart) {
  static char name[100000];
  memset(name, 'n', sizeof name - 1);
  const promise_type_t *whole = promise_type_register(name, NULL, NULL);
  REQUIRE(whole != NULL);
  name[sizeof name - 2] = 'm';
  const promise_type_t *other = promise_type_register(name, NULL, NULL);
  REQUIRE(other != NULL);
  CHECK(whole != other);
  CHECK_TEXT(promise_type_name(other), name);
  const promise_type_t *foreign = promise_type_register("test.types.ünïcode", NULL, NULL);
  CHECK(foreign != NULL);
  CHECK_POINTER(promise_type_named("test.types.ünïcode"), foreign);
}

TEST(many_types_are_all_found_again) {
  enum { COUNT = 3000 };
  static const promise_type_t *types[COUNT];
  char name[64];
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "test.types.many.%d", i);
    types[i] = promise_type_register(name, i % 7 == 0 ? NULL : types[i - 1], NULL);
    REQUIRE(types[i] != NULL);
  }
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "test.types.many.%d", i);
    CHECK_POINTER(promise_type_named(name), types[i]);
    CHECK_TEXT(promise_type_name(types[i]), name);
  }
}

TEST(deep_descent_is_followed) {
  enum { DEPTH = 2000 };
  char name[64];
  const promise_type_t *root = promise_type_register("test.types.deep", NULL, NULL), *type = root;
  for (int i = 0; i < DEPTH; i++) {
    snprintf(name, sizeof name, "test.types.deep.%d", i);
    type = promise_type_register(name, type, NULL);
    REQUIRE(type != NULL);
  }
  promise_value_t value;
  CHECK_STATUS(promise_value_object(&value, type, NULL), PROMISE_OK);
  CHECK(promise_value_is(&value, root));
  CHECK(promise_value_is(&value, promise_type_named("object")));
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}
