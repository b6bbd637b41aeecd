/* Version and statuses. */
#include "support.h"

static void library_is_not_older_than_header(void) {
  CHECK(promise_abi_version() >= PROMISE_ABI_VERSION);
  CHECK_INT(promise_abi_version(), promise_abi_version());
}

static void version_is_text(void) {
  unsigned major = 0, minor = 0, patch = 0;
  char rest;
  CHECK_INT(sscanf(promise_version(), "%u.%u.%u%c", &major, &minor, &patch, &rest), 3);
  CHECK_INT(major, 1);
  CHECK_POINTER(promise_version(), promise_version());
}

static void every_status_has_its_name(void) {
  CHECK_TEXT(promise_status_name(PROMISE_OK), "PROMISE_OK");
  CHECK_TEXT(promise_status_name(PROMISE_EINVAL), "PROMISE_EINVAL");
  CHECK_TEXT(promise_status_name(PROMISE_ESTALE), "PROMISE_ESTALE");
  CHECK_TEXT(promise_status_name(PROMISE_ESETTLED), "PROMISE_ESETTLED");
  CHECK_TEXT(promise_status_name(PROMISE_EPENDING), "PROMISE_EPENDING");
  CHECK_TEXT(promise_status_name(PROMISE_ETIMEDOUT), "PROMISE_ETIMEDOUT");
  CHECK_TEXT(promise_status_name(PROMISE_EDEADLK), "PROMISE_EDEADLK");
  CHECK_TEXT(promise_status_name(PROMISE_ENOMEM), "PROMISE_ENOMEM");
  CHECK_TEXT(promise_status_name(PROMISE_ECLOSED), "PROMISE_ECLOSED");
  CHECK_TEXT(promise_status_name(PROMISE_EFULL), "PROMISE_EFULL");
  CHECK_TEXT(promise_status_name(PROMISE_EFINISHED), "PROMISE_EFINISHED");
  CHECK_TEXT(promise_status_name(PROMISE_EINTR), "PROMISE_EINTR");
  CHECK_TEXT(promise_status_name(PROMISE_EBUSY), "PROMISE_EBUSY");
}

static void other_numbers_are_unknown(void) {
  static const promise_status_t numbers[] = {1, 2, 3, 4711, INT32_MAX, -13, -14, -4711, INT32_MIN};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    CHECK_TEXT(promise_status_name(numbers[i]), "PROMISE_UNKNOWN");
  }
}

static void name_is_static(void) {
  CHECK_POINTER(promise_status_name(PROMISE_ESTALE), promise_status_name(PROMISE_ESTALE));
}

static void *status_of_a_new_thread(void *argument) {
  (void)argument;
  CHECK_STATUS(promise_last_status(), PROMISE_OK);
  CHECK_POINTER(promise_type_named(NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  return NULL;
}

static void last_status_belongs_to_its_thread(void) {
  CHECK_POINTER(promise_then(stale(), spy_handler, NULL, NULL), NULL);
  finish(start(status_of_a_new_thread, NULL));
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
}

static void last_status_survives_success(void) {
  CHECK_POINTER(promise_then(NULL, spy_handler, NULL, NULL), NULL);
  promise_t *promise = promise_new();
  CHECK(promise != NULL);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
}

static void last_status_resets_itself(void) {
  CHECK_POINTER(promise_then(NULL, spy_handler, NULL, NULL), NULL);
  CHECK_POINTER(promise_then(stale(), spy_handler, NULL, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  CHECK_STATUS(promise_last_status(), PROMISE_OK);
}

int main(void) {
  RUN(library_is_not_older_than_header);
  RUN(version_is_text);
  RUN(every_status_has_its_name);
  RUN(other_numbers_are_unknown);
  RUN(name_is_static);
  RUN(last_status_belongs_to_its_thread);
  RUN(last_status_survives_success);
  RUN(last_status_resets_itself);
  return check_report();
}
