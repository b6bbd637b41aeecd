/* promise/type.h */
#include "../checked.h"
#include "../values.h"

CHECKS(type)

static const promise_type_t *registered(const char *name, const promise_type_t *parent) {
  const promise_type_t *type = promise_type_register(name, parent, NULL);
  CHECK(type != NULL);
  return type;
}

RULE(one_name_is_one_type, "one name is one type, and is copied") {
  char name[] = "org.promises.conformance.one";
  const promise_type_t *type = registered(name, NULL);
  memset(name, 'x', strlen(name));
  CHECK_TEXT(promise_type_name(type), "org.promises.conformance.one");
  CHECK_POINTER(registered("org.promises.conformance.one", NULL), type);
  CHECK_POINTER(promise_type_named("org.promises.conformance.one"), type);
  CHECK(registered("org.promises.conformance.two", NULL) != type);
}

static void refused(const char *name, const promise_type_t *parent, promise_status_t status) {
  CHECK_POINTER(promise_type_register(name, parent, NULL), NULL);
  CHECK_STATUS(promise_last_status(), status);
}

RULE(names_and_parents_are_checked, "a type is refused with a wrong name or parent") {
  static int own_memory[16];
  const promise_type_t *child = registered("org.promises.conformance.child", promise_type_named("error"));
  refused(NULL, NULL, PROMISE_EINVAL);
  refused("", NULL, PROMISE_EINVAL);
  refused("\xff", NULL, PROMISE_EINVAL);
  refused("string", NULL, PROMISE_EINVAL);
  refused("org.promises.conformance.child", promise_type_named("object"), PROMISE_EINVAL);
  static const char *const kinds[] = {"void",    "bool",   "i64",   "u64",       "f64",
                                      "pointer", "string", "bytes", "discarded", "promise"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    refused("org.promises.conformance.other", promise_type_named(kinds[i]), PROMISE_EINVAL);
  refused("org.promises.conformance.other", (const promise_type_t *)(const void *)own_memory, PROMISE_ESTALE);
  CHECK_POINTER(registered("org.promises.conformance.child", NULL), child);
}

RULE(kinds_are_types, "the kinds are types, and promise_value_type() returns them") {
  static const char *const names[] = {"void",  "bool",  "i64", "u64",   "f64",       "pointer", "string",
                                      "bytes", "array", "map", "error", "discarded", "promise", "object"};
  enum { NAMES = sizeof names / sizeof *names };
  const promise_type_t *types[NAMES];
  for (int i = 0; i < NAMES; i++) {
    types[i] = promise_type_named(names[i]);
    CHECK(types[i] != NULL);
    CHECK_TEXT(promise_type_name(types[i]), names[i]);
  }
  CHECK_POINTER(promise_type_named("org.promises.conformance.nowhere"), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_POINTER(promise_type_named(NULL), NULL);
  CHECK_POINTER(promise_type_name(NULL), NULL);
  CHECK_POINTER(promise_value_type(NULL), NULL);
  promise_value_t values[NAMES - 1] = {*VOID(),
                                       {.kind = PROMISE_KIND_BOOL, .as.b = 1},
                                       i64(1),
                                       u64(1),
                                       f64(1),
                                       {.kind = PROMISE_KIND_POINTER},
                                       text("text"),
                                       bytes("x"),
                                       json("[]"),
                                       json("{}"),
                                       error("test", 1, "message"),
                                       {.kind = PROMISE_KIND_DISCARDED},
                                       holding(promise_new())};
  for (int i = 0; i < NAMES - 1; i++) {
    CHECK_POINTER(promise_value_type(&values[i]), types[i]);
    for (int j = 0; j < NAMES; j++) {
      bool is_parent = strcmp(names[i], "discarded") == 0 && strcmp(names[j], "error") == 0;
      CHECK_INT(promise_value_is(&values[i], types[j]), i == j || is_parent);
    }
    CHECK_STATUS(promise_value_release(&values[i]), PROMISE_OK);
  }
}

RULE(values_are_of_their_types_ancestors_too, "a value is of its type and of all its ancestors") {
  const promise_type_t *error = promise_type_named("error"), *object = promise_type_named("object");
  const promise_type_t *parent = registered("org.promises.conformance.parent", error);
  const promise_type_t *child = registered("org.promises.conformance.grandchild", parent);
  const promise_type_t *plain = registered("org.promises.conformance.plain", NULL);
  promise_value_t value, other;
  CHECK_STATUS(promise_value_object(&value, child, NULL), PROMISE_OK);
  CHECK_STATUS(promise_value_object(&other, plain, NULL), PROMISE_OK);
  CHECK_POINTER(promise_value_type(&value), child);
  CHECK(promise_value_is(&value, child) && promise_value_is(&value, parent) && promise_value_is(&value, error));
  CHECK(!promise_value_is(&value, plain));
  CHECK(promise_value_is(&other, plain) && promise_value_is(&other, object) && !promise_value_is(&other, error));
  promise_value_t discarded = {.kind = PROMISE_KIND_DISCARDED}, number = i64(1);
  CHECK(promise_value_is(&discarded, promise_type_named("discarded")) && promise_value_is(&discarded, error));
  CHECK(!promise_value_is(&number, error) && promise_value_is(&number, promise_type_named("i64")));
  CHECK(!promise_value_is(&number, NULL) && !promise_value_is(NULL, error));
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&other), PROMISE_OK);
}

static atomic_int first_destroyed, second_destroyed;
static void destroys_first(void *payload) {
  (void)payload, first_destroyed++;
}
static void destroys_second(void *payload) {
  (void)payload, second_destroyed++;
}

RULE(the_first_destroy_stays, "the first `destroy` of a name stays") {
  const promise_type_t *type = promise_type_register("org.promises.conformance.twice", NULL, destroys_first);
  CHECK_POINTER(promise_type_register("org.promises.conformance.twice", NULL, destroys_second), type);
  promise_value_t value;
  CHECK_STATUS(promise_value_object(&value, type, &value), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(first_destroyed, 1);
  CHECK_INT(second_destroyed, 0);
}
