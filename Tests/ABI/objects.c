/* Types across shared objects: one object rejects, another rescues by type, with parents. The objects are loaded with
 * RTLD_LOCAL, as plugins are; CHECK_OBJECTS is their folder. */
#include <dlfcn.h>

#include "objects/objects.h"
#include "support.h"

static void *sender, *receiver;

static void *opened(const char *name) {
  char path[4096];
  const char *folder = getenv("CHECK_OBJECTS");
  REQUIRE(folder != NULL);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (object == NULL)
    fprintf(stderr, "%s\n", dlerror());
  REQUIRE(object != NULL);
  return object;
}

/* Returns a function of a shared object, with its type. */
#define FUNCTION(object, name) ((__typeof__(&name))(uintptr_t)dlsym(object, #name))

static void open_both(void) {
  sender = opened("sender.so");
  receiver = opened("receiver.so");
}

TEST(same_name_is_the_same_type) {
  static const char *const names[] = {"org.example.failure", "org.example.second", "org.example.third"};
  open_both();
  for (int i = 0; i < 3; i++) {
    /* The object that registers the type first is a different one for the second name. */
    const promise_type_t *one = i % 2 == 0 ? FUNCTION(sender, sender_type)(names[i]) : NULL;
    const promise_type_t *other = FUNCTION(receiver, receiver_type)(names[i]);
    if (one == NULL)
      one = FUNCTION(sender, sender_type)(names[i]);
    CHECK(one != NULL);
    CHECK_POINTER(one, other);
    CHECK_POINTER(promise_type_named(names[i]), one);
    CHECK_TEXT(promise_type_name(one), names[i]);
  }
}

/* Rejects with type `sent` and rescues type `awaited`. Returns the code that the handler received, or -1. */
static int64_t meets(const char *sent, const char *awaited) {
  atomic_int destroyed = 0;
  promise_t *promise = promise_new();
  promise_t *child = FUNCTION(receiver, receiver_rescue)(promise, awaited);
  REQUIRE(child != NULL);
  CHECK_STATUS(FUNCTION(sender, sender_reject)(promise, sent, 42, &destroyed), PROMISE_OK);
  promise_value_t value;
  CHECK_STATUS(promise_result(child, &value), PROMISE_OK);
  int64_t code = promise_state(child) == PROMISE_FULFILLED ? value.as.i64 : -1;
  CHECK_INT(atomic_load(&destroyed), 0);
  promise_value_release(&value);
  RELEASE(child, promise);
  CHECK_INT(atomic_load(&destroyed), 1); /* by the destructor of the sender, which registered first */
  return code;
}

TEST(reason_of_one_is_rescued_in_the_other) {
  open_both();
  REQUIRE(FUNCTION(sender, sender_type)("org.example.timeout") != NULL);
  CHECK_INT(meets("org.example.timeout", "org.example.timeout"), 42);
  CHECK_INT(meets("org.example.failure", "org.example.failure"), 42);
}

TEST(parents_are_rescued_across_objects) {
  open_both();
  REQUIRE(FUNCTION(sender, sender_type)("org.example.timeout") != NULL);
  CHECK_INT(meets("org.example.timeout", "org.example.failure"), 42);
  CHECK_INT(meets("org.example.failure", "org.example.timeout"), -1);
  CHECK_INT(meets("org.example.timeout", "org.example.refused"), -1);
}

TEST(each_maker_frees_its_own_objects_of_one_type) {
  open_both();
  promise_status_t (*const makers[])(promise_value_t *, int, atomic_int *) = {FUNCTION(sender, sender_share),
                                                                              FUNCTION(receiver, receiver_share)};
  for (int order = 0; order < 2; order++) {
    atomic_int freed[2] = {0, 0};
    promise_value_t values[2];
    for (int i = 0; i < 2; i++)
      CHECK_STATUS(makers[i](&values[i], 40 + i, &freed[i]), PROMISE_OK);
    CHECK_POINTER(promise_value_type(&values[0]), promise_value_type(&values[1]));
    CHECK_POINTER(promise_value_type(&values[0]), promise_type_named("org.example.shared"));
    for (int i = 0; i < 2; i++)
      CHECK_INT(((const failure_t *)(const void *)promise_value_data(&values[i], NULL))->code, 40 + i);
    promise_value_release(&values[order]);
    CHECK_INT(atomic_load(&freed[order]), 1);
    CHECK_INT(atomic_load(&freed[!order]), 0);
    promise_value_release(&values[!order]);
    CHECK_INT(atomic_load(&freed[!order]), 1);
  }
}

/* The names are copied, so they outlive the object that registered them. Its destructors do not outlive it, so the test
 * makes no value of that type. */
TEST(types_outlive_the_object) {
  open_both();
  const promise_type_t *type = FUNCTION(receiver, receiver_type)("org.example.receiver.only");
  REQUIRE(type != NULL);
  dlclose(receiver);
  CHECK_TEXT(promise_type_name(type), "org.example.receiver.only");
  CHECK_POINTER(promise_type_named("org.example.receiver.only"), type);
}
