/* Types: names, parents, and the types of values. */
#include "support.h"

static const char *const builtins[] = {"void",  "bool",  "i64", "u64",   "f64",       "pointer", "string",
                                       "bytes", "array", "map", "error", "discarded", "promise", "object"};
enum { BUILTINS = sizeof builtins / sizeof *builtins };

static void builtin_types_are_the_kinds(void) {
  for (int i = 0; i < BUILTINS; i++) {
    const promise_type_t *type = promise_type_named(builtins[i]);
    CHECK(type != NULL);
    CHECK_TEXT(promise_type_name(type), builtins[i]);
    CHECK_POINTER(promise_type_named(builtins[i]), type);
    for (int j = 0; j < i; j++)
      CHECK(promise_type_named(builtins[j]) != type);
  }
}

static void value_has_the_type_of_its_kind(void) {
  promise_value_t values[] = {
      {.kind = PROMISE_KIND_VOID},
      {.kind = PROMISE_KIND_BOOL, .as.b = 1},
      {.kind = PROMISE_KIND_I64},
      {.kind = PROMISE_KIND_U64},
      {.kind = PROMISE_KIND_F64},
      {.kind = PROMISE_KIND_POINTER},
      text("text"),
      {0},
      error("test", 1, "message"),
      {.kind = PROMISE_KIND_DISCARDED},
      holding(promise_new()),
  };
  static const char *const names[] = {"void",   "bool",  "i64",   "u64",       "f64",    "pointer",
                                      "string", "bytes", "error", "discarded", "promise"};
  REQUIRE(promise_value_bytes(&values[7], "x", 1) == PROMISE_OK);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    CHECK_TEXT(promise_type_name(promise_value_type(&values[i])), names[i]);
    CHECK_POINTER(promise_value_type(&values[i]), promise_type_named(names[i]));
    for (int j = 0; j < BUILTINS; j++) {
      bool own = strcmp(builtins[j], names[i]) == 0;
      bool parent = values[i].kind == PROMISE_KIND_DISCARDED && strcmp(builtins[j], "error") == 0;
      CHECK_INT(promise_value_is(&values[i], promise_type_named(builtins[j])), own || parent);
    }
    CHECK_STATUS(promise_value_release(&values[i]), PROMISE_OK);
  }
}

static void same_name_is_the_same_type(void) {
  char name[] = "test.types.same";
  const promise_type_t *type = promise_type_register(name, NULL, NULL);
  REQUIRE(type != NULL);
  CHECK_POINTER(promise_type_register("test.types.same", NULL, NULL), type);
  memset(name, 'x', sizeof name - 1);
  CHECK_POINTER(promise_type_named("test.types.same"), type);
  CHECK_TEXT(promise_type_name(type), "test.types.same");
  CHECK(promise_type_register("test.types.same2", NULL, NULL) != type);
  CHECK_POINTER(promise_type_named("test.types.sam"), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
}

static atomic_int first_calls, second_calls;
static void first_destroy(void *payload) {
  (void)payload, atomic_fetch_add(&first_calls, 1);
}
static void second_destroy(void *payload) {
  (void)payload, atomic_fetch_add(&second_calls, 1);
}

static void first_destructor_stays(void) {
  const promise_type_t *type = promise_type_register("test.types.first", NULL, first_destroy);
  CHECK_POINTER(promise_type_register("test.types.first", NULL, second_destroy), type);
  CHECK_POINTER(promise_type_register("test.types.first", NULL, NULL), type);
  promise_value_t value;
  CHECK_STATUS(promise_value_object(&value, type, NULL), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(atomic_load(&first_calls), 1);
  CHECK_INT(atomic_load(&second_calls), 0);
}

static void object_is_of_its_ancestors(void) {
  const promise_type_t *grandparent = promise_type_register("test.types.grandparent", NULL, NULL);
  const promise_type_t *parent = promise_type_register("test.types.parent", grandparent, NULL);
  const promise_type_t *child = promise_type_register("test.types.child", parent, NULL);
  const promise_type_t *other = promise_type_register("test.types.other", grandparent, NULL);
  REQUIRE(grandparent != NULL && parent != NULL && child != NULL && other != NULL);
  promise_value_t value;
  CHECK_STATUS(promise_value_object(&value, child, NULL), PROMISE_OK);
  CHECK_POINTER(promise_value_type(&value), child);
  CHECK(promise_value_is(&value, child));
  CHECK(promise_value_is(&value, parent));
  CHECK(promise_value_is(&value, grandparent));
  CHECK(promise_value_is(&value, promise_type_named("object")));
  CHECK(!promise_value_is(&value, other));
  CHECK(!promise_value_is(&value, promise_type_named("error")));
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);

  CHECK_STATUS(promise_value_object(&value, grandparent, NULL), PROMISE_OK);
  CHECK(!promise_value_is(&value, child));
  CHECK(!promise_value_is(&value, parent));
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

static void builtin_type_may_be_a_parent(void) {
  const promise_type_t *type = promise_type_register("test.types.failure", promise_type_named("error"), NULL);
  promise_value_t value;
  REQUIRE(type != NULL);
  CHECK_STATUS(promise_value_object(&value, type, NULL), PROMISE_OK);
  CHECK(promise_value_is(&value, promise_type_named("error")));
  CHECK(!promise_value_is(&value, promise_type_named("discarded")));
  CHECK_INT(value.kind, PROMISE_KIND_OBJECT);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

static void parent_is_fixed_by_the_first_registration(void) {
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

static void names_of_any_length_are_kept_apart(void) {
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

static void many_types_are_all_found_again(void) {
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

static void deep_descent_is_followed(void) {
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

static void object_is_not_a_number_with_any_parent(void) {
  const char *kinds[] = {"void", "bool", "i64", "u64", "f64", "pointer", "string", "bytes", "discarded", "promise"};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    CHECK_POINTER(promise_type_register("test.types.no.number", promise_type_named(kinds[i]), NULL), NULL);
    CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  }
}

int main(void) {
  RUN(object_is_not_a_number_with_any_parent);
  RUN(builtin_types_are_the_kinds);
  RUN(value_has_the_type_of_its_kind);
  RUN(same_name_is_the_same_type);
  RUN(first_destructor_stays);
  RUN(object_is_of_its_ancestors);
  RUN(builtin_type_may_be_a_parent);
  RUN(parent_is_fixed_by_the_first_registration);
  RUN(names_of_any_length_are_kept_apart);
  RUN(many_types_are_all_found_again);
  RUN(deep_descent_is_followed);
  return check_report();
}
