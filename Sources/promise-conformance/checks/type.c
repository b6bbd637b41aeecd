/* promise/type.h */
#include "../support.h"

static const promise_type_t *registered(const char *name, const promise_type_t *parent) {
  const promise_type_t *type = promise_type_register(name, parent, NULL);
  EXPECT(type != NULL);
  return type;
}

static void one_name_is_one_type(void) {
  char name[] = "org.promises.conformance.one";
  const promise_type_t *type = registered(name, NULL);
  memset(name, 'x', strlen(name));
  EXPECT_TEXT(promise_type_name(type), "org.promises.conformance.one");
  EXPECT_POINTER(registered("org.promises.conformance.one", NULL), type);
  EXPECT_POINTER(promise_type_named("org.promises.conformance.one"), type);
  EXPECT(registered("org.promises.conformance.two", NULL) != type);
}

static void refused(const char *name, const promise_type_t *parent, promise_status_t status) {
  EXPECT_POINTER(promise_type_register(name, parent, NULL), NULL);
  EXPECT_STATUS(promise_last_status(), status);
}

static void names_and_parents_are_checked(void) {
  static int own_memory[16];
  const promise_type_t *child = registered("org.promises.conformance.child", promise_type_named("error"));
  refused(NULL, NULL, PROMISE_EINVAL);
  refused("", NULL, PROMISE_EINVAL);
  refused("\xff", NULL, PROMISE_EINVAL);
  refused("string", NULL, PROMISE_EINVAL);
  refused("org.promises.conformance.child", promise_type_named("object"), PROMISE_EINVAL);
  refused("org.promises.conformance.other", promise_type_named("i64"), PROMISE_EINVAL);
  refused("org.promises.conformance.other", (const promise_type_t *)(const void *)own_memory, PROMISE_ESTALE);
  EXPECT_POINTER(registered("org.promises.conformance.child", NULL), child);
}

static void kinds_are_types(void) {
  static const char *const names[] = {"void",  "bool",  "i64", "u64",   "f64",       "pointer", "string",
                                      "bytes", "array", "map", "error", "discarded", "promise", "object"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const promise_type_t *type = promise_type_named(names[i]);
    EXPECT(type != NULL);
    EXPECT_TEXT(promise_type_name(type), names[i]);
  }
  EXPECT_POINTER(promise_type_named("org.promises.conformance.nowhere"), NULL);
  EXPECT_STATUS(promise_last_status(), PROMISE_EINVAL);
  EXPECT_POINTER(promise_type_named(NULL), NULL);
  EXPECT_POINTER(promise_type_name(NULL), NULL);
  promise_value_t number = i64_value(1), text = string_value("text");
  EXPECT_POINTER(promise_value_type(&number), promise_type_named("i64"));
  EXPECT_POINTER(promise_value_type(&text), promise_type_named("string"));
  EXPECT_POINTER(promise_value_type(NULL), NULL);
  EXPECT_STATUS(promise_value_release(&text), PROMISE_OK);
}

static void values_are_of_their_types_ancestors_too(void) {
  const promise_type_t *error = promise_type_named("error"), *object = promise_type_named("object");
  const promise_type_t *parent = registered("org.promises.conformance.parent", error);
  const promise_type_t *child = registered("org.promises.conformance.grandchild", parent);
  const promise_type_t *plain = registered("org.promises.conformance.plain", NULL);
  promise_value_t value, other;
  EXPECT_STATUS(promise_value_object(&value, child, NULL), PROMISE_OK);
  EXPECT_STATUS(promise_value_object(&other, plain, NULL), PROMISE_OK);
  EXPECT_POINTER(promise_value_type(&value), child);
  EXPECT(promise_value_is(&value, child) && promise_value_is(&value, parent) && promise_value_is(&value, error));
  EXPECT(!promise_value_is(&value, plain));
  EXPECT(promise_value_is(&other, plain) && promise_value_is(&other, object) && !promise_value_is(&other, error));
  promise_value_t discarded = {.kind = PROMISE_KIND_DISCARDED}, number = i64_value(1);
  EXPECT(promise_value_is(&discarded, promise_type_named("discarded")) && promise_value_is(&discarded, error));
  EXPECT(!promise_value_is(&number, error) && promise_value_is(&number, promise_type_named("i64")));
  EXPECT(!promise_value_is(&number, NULL) && !promise_value_is(NULL, error));
  EXPECT_STATUS(promise_value_release(&value), PROMISE_OK);
  EXPECT_STATUS(promise_value_release(&other), PROMISE_OK);
}

static atomic_int first_destroyed, second_destroyed;
static void destroys_first(void *payload) {
  (void)payload, first_destroyed++;
}
static void destroys_second(void *payload) {
  (void)payload, second_destroyed++;
}

static void the_first_destroy_stays(void) {
  const promise_type_t *type = promise_type_register("org.promises.conformance.twice", NULL, destroys_first);
  EXPECT_POINTER(promise_type_register("org.promises.conformance.twice", NULL, destroys_second), type);
  promise_value_t value;
  EXPECT_STATUS(promise_value_object(&value, type, &value), PROMISE_OK);
  EXPECT_STATUS(promise_value_release(&value), PROMISE_OK);
  EXPECT_INT(first_destroyed, 1);
  EXPECT_INT(second_destroyed, 0);
}

const check_t type_checks[] = {
    {"one name is one type, and is copied", one_name_is_one_type},
    {"a type is refused with a wrong name or parent", names_and_parents_are_checked},
    {"the kinds are types, and promise_value_type() tells them", kinds_are_types},
    {"a value is of its type and of all its ancestors", values_are_of_their_types_ancestors_too},
    {"the first `destroy` of a name stays", the_first_destroy_stays},
    {NULL, NULL},
};
